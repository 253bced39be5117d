//! A person as the teacher of a durable run.
//!
//! The run has the main thread and does all of the work: it trains, collects, plays moments again, and writes answers down. The
//! server has a thread of its own, which only carries letters to the run and shows what stands on the [`board`].

mod board;
mod classroom;
mod live;
mod mail;
mod person;
mod present;
mod queue;
mod replies;
mod reporter;
mod routes;
mod studio;
mod trace;

pub use board::{About, Phase};
pub use classroom::Classroom;
pub use person::{Person, PersonError, Teaching};
pub use reporter::OnBoard;
pub(crate) use studio::film_of;
