//! A server for tests, and a client that sends bytes as given.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use tutelage_teach::{Server, ServerConfig, Site, Token};

pub(crate) struct TestSite {
    pub(crate) server: Server,
    token: String,
}

impl TestSite {
    pub(crate) fn start(site: Site, connections: usize) -> Self {
        let config = ServerConfig::local(0, Token::random().unwrap());
        let server = Server::start(ServerConfig { connections, ..config }, site).unwrap();
        let token = server.url().rsplit('=').next().unwrap().to_owned();
        Self { server, token }
    }

    pub(crate) fn client(&self) -> Client {
        Client { address: self.server.address(), token: self.token.clone() }
    }
}

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

impl Client {
    pub(crate) fn cookie(&self) -> String {
        format!("tutelage-{}={}", self.address.port(), self.token)
    }

    /// A connection on which these bytes were sent.
    pub(crate) fn open(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// The whole response to these bytes.
    pub(crate) fn response(&self, request: &str) -> String {
        let mut response = Vec::new();
        let _ = self.open(request).read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }

    /// The status and the body of the response to a request line, with further headers.
    pub(crate) fn send(&self, line: &str, headers: &str, body: &str) -> (u16, String) {
        let response =
            self.response(&format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n{body}"));
        let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or(0), body.to_owned())
    }

    pub(crate) fn host_and_cookie(&self) -> String {
        format!("Host: {}\r\nCookie: {}\r\n", self.address, self.cookie())
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        self.send(&format!("GET {path}"), &self.host_and_cookie(), "")
    }

    pub(crate) fn get_json(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.get(path);
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("{path}: {body}")))
    }

    pub(crate) fn post_as(
        &self,
        path: &str,
        body: &str,
        origin: &str,
        kind: &str,
    ) -> (u16, String) {
        let headers = format!(
            "{}Origin: {origin}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n",
            self.host_and_cookie(),
            body.len()
        );
        self.send(&format!("POST {path}"), &headers, body)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let origin = format!("http://{}", self.address);
        self.post_as(path, &body.to_string(), &origin, "application/json")
    }
}
