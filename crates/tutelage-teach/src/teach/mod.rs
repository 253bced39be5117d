//! A person as the teacher of a durable run.
//!
//! The run has the main thread and does all of the work: it trains, collects, plays moments again, and writes answers down. The
//! server has a thread of its own, which only carries requests to the run and shows what stands on the page.

mod classroom;
mod live;
mod page_state;
mod person;
mod present;
mod question_queue;
mod replayer;
mod replies;
mod reporter;
mod requests;
mod routes;
mod trace;

pub use classroom::Classroom;
pub use page_state::{About, Phase};
pub use person::{Person, PersonError, Teaching};
pub(crate) use replayer::film_of;
pub use reporter::PageObserver;
