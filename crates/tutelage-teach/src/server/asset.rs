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
