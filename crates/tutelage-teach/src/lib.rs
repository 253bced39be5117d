//! Web pages to teach a run by hand and to browse runs.
//!
//! - [`Person`] is the teacher of a durable run ([`tutelage_runs::run_with_teacher`]). Its page shows queries as clips, previews
//!   actions, and lets a person take over from the learner. Every answer that the page shows as saved is on disk.
//! - [`RunBrowser`] lists, compares and films the runs below a folder, read-only.
//! - [`Server`] serves either page to clients with its token, by default only to this machine.
//!
//! The crate is independent of tasks: it works with every environment that implements
//! [`Render`](tutelage_draw::render::Render).

#![forbid(unsafe_code)]

mod clip;
mod lines;
mod notes;
mod serve;
mod server;
mod show;
mod teach;

pub use notes::{Note, ReplyKind, TeacherStats, read_notes};
pub use serve::{Films, RunBrowser, film};
pub use server::{
    Access, Refused, Server, ServerConfig, ServerError, Site, TestServer, Token, TokenError,
};
pub use show::{Axis, Controls};
pub use teach::{About, Classroom, PageObserver, Person, PersonConfig, PersonError, Phase};
