//! A site without a network: bytes in, bytes out.

use std::future::{Future, poll_fn};
use std::io;
use std::task::Poll;

use axum::Router;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::runtime::Runtime;

use super::connections::builder;
use super::guard::Guard;
use super::{Refused, Site, Token};

/// Serves a site at `localhost` without sockets, for tests and fuzzing. Its token is 32 zeros.
pub struct TestServer {
    router: Router,
    refused: Refused,
    runtime: Runtime,
}

/// How often a connection is polled. A response that is not complete by then waits for something other than the client.
const POLLS: usize = 8;

/// The capacity for a response, in bytes; the largest is a page's script.
const RESPONSE: usize = 1 << 20;

impl TestServer {
    /// A test server of this site.
    pub fn new(site: Site) -> io::Result<Self> {
        let refused = Refused::default();
        let guard = Guard { token: Token::zero(), port: 80, refused: refused.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Self { router: site.router(guard), refused, runtime })
    }

    /// The response to a client that sends these bytes and then waits.
    pub fn answer(&self, bytes: &[u8]) -> Vec<u8> {
        let service = TowerToHyperService::new(self.router.clone());
        let mut response = Vec::new();
        let _ = self.runtime.block_on(async {
            let (mut client, server) = duplex(bytes.len() + RESPONSE);
            client.write_all(bytes).await?;
            let mut connection =
                Box::pin(builder().serve_connection(TokioIo::new(server), service));
            for _ in 0..POLLS {
                if poll_fn(|context| Poll::Ready(connection.as_mut().poll(context)))
                    .await
                    .is_ready()
                {
                    break;
                }
            }
            drop(connection);
            client.read_to_end(&mut response).await
        });
        response
    }

    /// Counts of the requests that it refused.
    pub fn refused(&self) -> &Refused {
        &self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(request: &str) -> String {
        let page = TestServer::new(Site::new(&[], Router::new())).unwrap();
        String::from_utf8(page.answer(request.as_bytes())).unwrap()
    }

    #[test]
    fn test_server_applies_the_guard() {
        let cookie = format!("Cookie: tutelage-80={}", Token::zero().digits());
        let page =
            answer(&format!("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("</svg>\n"), "{page}");
        let stranger = answer("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(stranger.starts_with("HTTP/1.1 401"), "{stranger}");
        assert!(answer("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
        assert_eq!(answer("GET / HTTP/1.1\r\n"), "", "the request is incomplete");
    }
}
