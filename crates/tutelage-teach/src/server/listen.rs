//! A server on a thread of its own.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::Router;
use axum::routing::get;
use tokio::sync::watch;

use super::asset::COMMON;
use super::guard::{Guard, guard};
use super::{Asset, HttpError, Refused, Token};

/// How much a server takes on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time; those beyond are turned away with a sentence.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512 }
    }
}

/// Who may reach a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// This machine alone: other addresses are refused.
    #[default]
    ThisMachine,
    /// Other machines too, where the address is one that they can reach.
    Beyond,
}

/// Pages and what they ask for.
pub struct Site {
    assets: Vec<Asset>,
    api: Router,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address is not of this machine alone.
    #[error(
        "{address} can be reached from other machines, and whoever finds the token there can teach and look; \
         say so with --beyond-this-machine, or listen on 127.0.0.1"
    )]
    Beyond {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
}

/// A server under way; it stops when this is dropped.
pub struct Server {
    address: SocketAddr,
    token: Token,
    refused: Refused,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves a site at an address (port 0 takes a free one). An address that other machines can reach must be allowed explicitly, by `reach`.
    pub fn start(
        address: SocketAddr,
        reach: Reach,
        token: Token,
        limits: Limits,
        site: Site,
    ) -> Result<Self, ServerError> {
        if !address.ip().is_loopback() && reach == Reach::ThisMachine {
            return Err(ServerError::Beyond { address });
        }
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let refused = Refused::default();
        let guard = Guard { token: token.clone(), port: bound.port(), refused: refused.clone() };
        let router = site.router(guard);
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let counted = refused.clone();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    super::connections::serve(listener, router, limits, counted, stopped).await;
                }
            });
        });
        Ok(Self { address: bound, token, refused, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser, token and all.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.digits())
    }

    /// How many requests were refused.
    pub fn refused(&self) -> &Refused {
        &self.refused
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Site {
    /// A page of its own files and those that all pages have.
    pub(crate) fn new(own: &[Asset], api: Router) -> Self {
        Self { assets: [own, &COMMON].concat(), api }
    }

    pub(super) fn router(self, state: Guard) -> Router {
        let mut router = self.api;
        for asset in self.assets {
            router = router.route(asset.path, get(move || async move { asset }));
        }
        router
            .fallback(|| async { HttpError::new(404, "There is nothing here.") })
            .method_not_allowed_fallback(|| async {
                HttpError::new(405, "This is not asked for in that way.")
            })
            .layer(axum::middleware::from_fn_with_state(Arc::new(state), guard))
    }
}
