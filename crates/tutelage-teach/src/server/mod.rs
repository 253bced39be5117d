//! The server: one thread, loopback, a token, and nothing but what is compiled in.

mod asset;
mod connections;
mod guard;
mod http_error;
mod listen;
mod stream;
mod test_server;
mod token;

pub(crate) use asset::{Asset, asset};
pub(crate) use guard::read_json;
pub use http_error::{HttpError, Refused};
pub use listen::{Limits, Reach, Server, ServerError, Site};
pub(crate) use stream::events;
pub use test_server::TestServer;
pub use token::{Token, TokenError};
