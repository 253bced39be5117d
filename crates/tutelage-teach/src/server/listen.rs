//! A server on its own thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::Router;
use axum::routing::get;
use tokio::sync::watch;

use super::asset::COMMON;
use super::guard::{Guard, guard};
use super::{Asset, HttpError, Refused, Token};

/// Which machines may reach a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Only this one: [`Server::start`] refuses addresses that are not loopback.
    #[default]
    Local,
    /// Other machines too. The connection is not encrypted.
    Remote,
}

/// How to start a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// The address to listen on; port 0 selects a free port.
    pub address: SocketAddr,
    /// Which machines may reach the address.
    pub access: Access,
    /// The secret that gives access to the page.
    pub token: Token,
    /// The maximum number of open connections.
    pub connections: usize,
}

impl ServerConfig {
    /// A server on `127.0.0.1`.
    pub fn local(port: u16, token: Token) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Self { address, access: Access::Local, token, connections: 512 }
    }
}

/// The files and the API of a page.
pub struct Site {
    assets: Vec<Asset>,
    api: Router,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Other machines can reach the address, and [`Access::Local`] forbids that.
    #[error("other machines can reach {0}; listen on 127.0.0.1 or allow remote access")]
    Remote(SocketAddr),
    /// The operating system refused the address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
}

/// A running server; dropping it stops it.
pub struct Server {
    address: SocketAddr,
    token: Token,
    refused: Refused,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve a site.
    pub fn start(config: ServerConfig, site: Site) -> Result<Self, ServerError> {
        let ServerConfig { address, access, token, connections } = config;
        if !address.ip().is_loopback() && access == Access::Local {
            return Err(ServerError::Remote(address));
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
                    super::connections::serve(listener, router, connections, counted, stopped)
                        .await;
                }
            });
        });
        Ok(Self { address: bound, token, refused, stop, thread: Some(thread) })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser, including the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.digits())
    }

    /// Counts of the requests that it refused.
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
    /// A site of these files, the common ones, and an API.
    pub(crate) fn new(own: &[Asset], api: Router) -> Self {
        Self { assets: [own, &COMMON].concat(), api }
    }

    pub(super) fn router(self, state: Guard) -> Router {
        let mut router = self.api;
        for asset in self.assets {
            router = router.route(asset.path, get(move || async move { asset }));
        }
        router
            .fallback(|| async { HttpError::Path })
            .method_not_allowed_fallback(|| async { HttpError::Method })
            .layer(axum::middleware::from_fn_with_state(Arc::new(state), guard))
    }
}
