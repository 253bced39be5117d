//! The server: one thread, loopback, a token, and nothing but what is compiled in.

mod asset;
mod connections;
mod guard;
mod listen;
mod refusal;
mod rehearsal;
mod stream;
mod token;

pub(crate) use asset::{Asset, asset};
pub(crate) use guard::read_json;
pub use listen::{Limits, Reach, Server, ServerError, Site};
pub use refusal::{Refusal, Refused};
pub use rehearsal::Rehearsal;
pub(crate) use stream::events;
pub use token::{Token, TokenError};
