//! The files of a page, compiled in.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A file of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
}

/// A file of the `assets` folder under a path of the page.
macro_rules! asset {
    ($path:literal, $file:literal, $kind:literal) => {
        $crate::server::Asset {
            path: $path,
            kind: $kind,
            text: include_str!(concat!("../../assets/", $file)),
        }
    };
}
pub(crate) use asset;

impl IntoResponse for Asset {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.text).into_response()
    }
}

/// The files that all pages have.
pub(super) const COMMON: [Asset; 5] = [
    asset!("/style.css", "style.css", "text/css; charset=utf-8"),
    asset!("/stage.js", "stage.js", "text/javascript; charset=utf-8"),
    asset!("/chart.js", "chart.js", "text/javascript; charset=utf-8"),
    asset!("/server.js", "server.js", "text/javascript; charset=utf-8"),
    asset!("/icon.svg", "icon.svg", "image/svg+xml"),
];
