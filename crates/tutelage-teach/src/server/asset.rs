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

/// Serves a file of the folder `assets`; the path defaults to the file's name.
macro_rules! asset {
    ($file:literal, $kind:literal) => {
        $crate::server::asset!($file, $kind, concat!("/", $file))
    };
    ($file:literal, $kind:literal, $path:expr) => {
        $crate::server::Asset {
            path: $path,
            kind: concat!($kind, "; charset=utf-8"),
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

/// The files that all pages share.
pub(super) const COMMON: [Asset; 6] = [
    asset!("style.css", "text/css"),
    asset!("dom.js", "text/javascript"),
    asset!("stage.js", "text/javascript"),
    asset!("chart.js", "text/javascript"),
    asset!("server.js", "text/javascript"),
    asset!("icon.svg", "image/svg+xml"),
];
