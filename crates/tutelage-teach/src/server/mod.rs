//! The HTTP server: one thread, access by token, and only files that are compiled in.

mod asset;
mod connections;
mod guard;
mod http_error;
mod listen;
mod respond;
mod test_server;
mod token;

pub(crate) use asset::{Asset, asset};
pub(crate) use guard::Json;
pub(crate) use http_error::HttpError;
pub use http_error::Refused;
pub use listen::{Access, Server, ServerConfig, ServerError, Site};
pub(crate) use respond::{events, json};
pub use test_server::TestServer;
pub use token::{Token, TokenError};
