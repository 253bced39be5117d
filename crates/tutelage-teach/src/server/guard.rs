//! Access control: a known host name, the page's own origin, and the token.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use super::{HttpError, Refused, Token};

/// What access is checked against.
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) port: u16,
    pub(crate) refused: Refused,
}

/// The largest body of a request, in bytes.
const BODY: usize = 16 * 1024;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Scripts, styles and connections only from this server, images also as data; no frames, forms or plug-ins.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Passes a request on or refuses it; counts refusals and sets the security headers.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(&request) {
        Ok(Credential::Cookie) => next.run(request).await,
        Ok(Credential::Address) => guard.set_cookie(),
        Err(error) => error.into_response(),
    };
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        guard.refused.count(status);
    }
    let headers = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
    response.headers_mut().extend(headers);
    response
}

/// Where a request has the token.
enum Credential {
    Cookie,
    Address,
}

impl Guard {
    fn check(&self, request: &Request) -> Result<Credential, HttpError> {
        let headers = request.headers();
        let host = self.check_host(headers)?;
        check_origin(request.method(), headers, &host)?;
        if ![Method::GET, Method::POST].contains(request.method()) {
            return Err(HttpError::Method);
        }
        match token_in(request.uri()) {
            Some(token) if self.token.is(token) => Ok(Credential::Address),
            None if self.has_cookie(headers) => Ok(Credential::Cookie),
            _ => Err(HttpError::Token),
        }
    }

    /// Accepts only IP addresses and `localhost`: any other name may belong to another site that points it at this machine
    /// (DNS rebinding).
    fn check_host(&self, headers: &HeaderMap) -> Result<String, HttpError> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let is_ours = bare == "localhost" || bare.parse::<IpAddr>().is_ok();
        match is_ours && port.parse() == Ok(self.port) {
            true => Ok(host.to_owned()),
            false => Err(HttpError::Host(host.to_owned())),
        }
    }

    /// Browsers send cookies to all ports of a host, so the name contains the port.
    fn cookie(&self) -> String {
        format!("tutelage-{}", self.port)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies =
            headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let name = self.cookie();
        pairs.any(|(key, value)| key == name && self.token.is(value))
    }

    /// Moves the token from the address to a cookie.
    fn set_cookie(&self) -> Response {
        let cookie =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie(), self.token.digits());
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".into())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

fn token_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Refuses changes that this page did not request, and all requests of other sites' pages.
fn check_origin(method: &Method, headers: &HeaderMap, host: &str) -> Result<(), HttpError> {
    match headers.get(header::ORIGIN).map(HeaderValue::to_str) {
        Some(Ok(origin)) if origin == format!("http://{host}") => {}
        None if method == Method::GET => {}
        _ => return Err(HttpError::Origin),
    }
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        // A link on another site may lead here; the browser does not send the cookie then.
        Some(_) if headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate") => Ok(()),
        Some(_) => Err(HttpError::Origin),
    }
}

/// The body of a request, as JSON.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()?.split(';').next());
        if kind.map(str::trim) != Some("application/json") {
            return Err(HttpError::ContentType);
        }
        let bytes = read_body(request).await?;
        serde_json::from_slice(&bytes).map(Self).map_err(HttpError::Malformed)
    }
}

async fn read_body(request: Request) -> Result<Bytes, HttpError> {
    match tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(HttpError::LargeBody(BODY)),
        Err(_) => Err(HttpError::SlowBody),
    }
}
