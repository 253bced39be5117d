//! Who may come in: a known host, the page's own origin, and the token.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use super::{HttpError, Refused, Token};

/// What the guard knows.
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) port: u16,
    pub(crate) refused: Refused,
}

/// The largest body of a request.
pub(crate) const BODY: usize = 16 * 1024;

/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Scripts, styles and connections from here alone, pictures from here or from data; no frames, no forms, no plug-ins.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Lets a request through or refuses it; counts refusals, and says on every answer what a browser may do with it.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(&request) {
        Ok(Pass::Known) => next.run(request).await,
        Ok(Pass::Newcomer) => guard.welcome(),
        Err(http_error) => http_error.into_response(),
    };
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        guard.refused.count(status.as_u16());
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

enum Pass {
    /// Has the cookie.
    Known,
    /// Has the token in the address, and is given the cookie.
    Newcomer,
}

impl Guard {
    fn check(&self, request: &Request) -> Result<Pass, HttpError> {
        let headers = request.headers();
        let host = self.check_host(headers)?;
        check_origin(request.method(), headers, &host)?;
        if ![Method::GET, Method::POST].contains(request.method()) {
            return Err(HttpError::new(405, "Only GET and POST are understood here."));
        }
        if let Some(token) = token_in(request.uri()) {
            return match self.token.is(token) {
                true => Ok(Pass::Newcomer),
                false => Err(HttpError::new(401, NO_TOKEN)),
            };
        }
        match self.has_cookie(headers) {
            true => Ok(Pass::Known),
            false => Err(HttpError::new(401, NO_TOKEN)),
        }
    }

    /// A name that leads to this machine may belong to somebody else: only addresses and `localhost` will do, so that no
    /// foreign page can reach us under a name of its own (DNS rebinding).
    fn check_host(&self, headers: &HeaderMap) -> Result<String, HttpError> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let is_ours = bare == "localhost" || bare.parse::<IpAddr>().is_ok();
        match is_ours && port.parse() == Ok(self.port) {
            true => Ok(host.to_owned()),
            false => Err(HttpError::new(
                403,
                format!("This server does not answer to the name {host:?}."),
            )),
        }
    }

    fn cookie(&self) -> String {
        // Cookies know no ports: each server has a name of its own.
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

    /// Gives the cookie, and takes the token out of the address.
    fn welcome(&self) -> Response {
        let cookie =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie(), self.token.digits());
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".into())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

const NO_TOKEN: &str = "Open the address that the terminal printed, with its token: this page is for whoever started the server.";

fn token_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Requests that change something come from the page itself; no request comes from another site's page.
fn check_origin(method: &Method, headers: &HeaderMap, host: &str) -> Result<(), HttpError> {
    let foreign = || HttpError::new(403, "Requests from other pages are not answered.");
    match headers.get(header::ORIGIN).map(HeaderValue::to_str) {
        Some(Ok(origin)) if origin == format!("http://{host}") => {}
        None if method == Method::GET => {}
        _ => return Err(foreign()),
    }
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        // A link elsewhere may lead here; the cookie stays behind then.
        Some(_) if headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate") => Ok(()),
        Some(_) => Err(foreign()),
    }
}

/// What the body of a request says, in JSON.
pub(crate) async fn read_json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
) -> Result<T, HttpError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        return Err(HttpError::new(
            415,
            "What is sent here must be JSON (Content-Type: application/json).",
        ));
    }
    let bytes = read_body(body).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| HttpError::new(400, format!("This makes no sense: {error}.")))
}

async fn read_body(body: Body) -> Result<Bytes, HttpError> {
    match tokio::time::timeout(BODY_TIME, to_bytes(body, BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => {
            Err(HttpError::new(413, format!("No more than {BODY} bytes can be sent at once.")))
        }
        Err(_) => Err(HttpError::new(408, "The request took too long to arrive.")),
    }
}
