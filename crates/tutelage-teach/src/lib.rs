//! A person as the teacher, and a page to look at runs.
//!
//! - [`Person`] teaches a durable run ([`tutelage_runs::run_with_teacher`]) through a page: questions with pictures, previews of what an
//!   answer would do, taking over from the learner. What the page shows as saved is on disk.
//! - [`RunBrowser`] shows the runs below a folder, read-only.
//! - [`Server`] serves either on loopback, to whoever has its token, and nothing but what is compiled in.
//!
//! Nothing here knows of any task. A world takes part by being an environment that can be looked at ([`Show`]).

#![forbid(unsafe_code)]

mod clip;
mod lines;
mod notes;
mod serve;
mod server;
mod show;
mod teach;

pub use clip::{Clip, Shape};
pub use notes::{Note, TeacherStats, What, read_notes};
pub use serve::{Films, RunBrowser, film};
pub use server::{
    HttpError, Limits, Reach, Refused, Server, ServerError, Site, TestServer, Token, TokenError,
};
pub use show::{Axis, Controls, Show, View};
pub use teach::{About, Classroom, PageObserver, Person, PersonError, Phase, Teaching};
