//! Connections: a limited number, each with a time limit for the head of a request.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::{HttpError, Refused};

/// How long the head of a request may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The largest head of a request, in bytes.
const HEAD: usize = 16 * 1024;

/// Serves until `stop` is true.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    refused: Refused,
    mut stop: watch::Receiver<bool>,
) {
    let free = Arc::new(Semaphore::new(connections));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        let Ok((stream, _)) = accepted else {
            // Probably out of file descriptors; other connections must end first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        match Arc::clone(&free).try_acquire_owned() {
            Ok(permit) => {
                let (router, mut stop) = (router.clone(), stop.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        _ = connection(stream, router) => {}
                        _ = stop.wait_for(|stop| *stop) => {}
                    }
                    drop(permit);
                });
            }
            Err(_) => {
                refused.count(HttpError::Connections.status());
                tokio::spawn(turn_away(stream));
            }
        }
    }
}

async fn connection(stream: TcpStream, router: Router) -> Result<(), hyper::Error> {
    let service = TowerToHyperService::new(router);
    builder().serve_connection(TokioIo::new(stream), service).await
}

pub(super) fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD);
    builder
}

/// Sends an error to a client beyond the limit, and closes its connection.
async fn turn_away(stream: TcpStream) -> io::Result<()> {
    let busy = |_: Request<Incoming>| async {
        Ok::<Response<Body>, Infallible>(HttpError::Connections.into_response())
    };
    let mut builder = builder();
    let served = builder.keep_alive(false).serve_connection(TokioIo::new(stream), service_fn(busy));
    let _ = tokio::time::timeout(HEAD_TIME, served).await;
    Ok(())
}
