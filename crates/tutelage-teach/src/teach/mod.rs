//! A person as the teacher of a durable run.
//!
//! The run's thread does all of the work: it trains, collects states, replays moments, and writes answers to the log. The
//! server's thread only forwards requests to it and sends the state of the page to browsers.

mod classroom;
mod live;
mod observer;
mod page_state;
mod person;
mod present;
mod query_queue;
mod replayer;
mod replies;
mod requests;
mod routes;
mod trace;

pub use classroom::Classroom;
pub use observer::PageObserver;
pub(crate) use page_state::lock;
pub use page_state::{About, Phase};
pub use person::{Person, PersonConfig, PersonError};
pub(crate) use replayer::{ReplayError, film_of};
