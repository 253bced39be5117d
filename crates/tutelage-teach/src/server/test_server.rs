//! A site without a network: bytes in, bytes out.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use axum::Router;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::service::TowerToHyperService;
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
        let _context = self.runtime.enter();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let client = Client { left: bytes.to_vec(), sent: Arc::clone(&sent) };
        let service = TowerToHyperService::new(self.router.clone());
        let mut connection = pin!(builder().serve_connection(client, service));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..POLLS {
            if connection.as_mut().poll(&mut context).is_ready() {
                break;
            }
        }
        let sent = sent.lock().map(|mut sent| std::mem::take(&mut *sent));
        sent.unwrap_or_default()
    }

    /// Counts of the requests that it refused.
    pub fn refused(&self) -> &Refused {
        &self.refused
    }
}

/// A connection: the bytes still to be read, and those that were written.
struct Client {
    left: Vec<u8>,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Read for Client {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left.is_empty() {
            return Poll::Pending;
        }
        let length = self.left.len().min(buffer.remaining());
        let bytes: Vec<u8> = self.left.drain(..length).collect();
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

impl Write for Client {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Ok(mut sent) = self.sent.lock() {
            sent.extend(bytes);
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
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
