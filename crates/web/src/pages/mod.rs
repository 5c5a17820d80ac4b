//! Pages for people: rendered here, readable without scripts, closed to everything foreign.

pub(crate) mod error;
pub(crate) mod home;
mod html;
pub(crate) mod log;
mod markdown;
pub(crate) mod method;
pub(crate) mod proof;
pub(crate) mod reference;
pub(crate) mod report;
mod shell;

use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY},
};

/// The one style sheet, and where it is served.
pub(crate) const STYLE: &str = include_str!("style.css");
pub(crate) const STYLE_PATH: &str = "/style.css";

/// Nothing runs and nothing is fetched from elsewhere; a form may only be sent back to us.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The headers every page goes out with.
pub(crate) fn add_headers(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}
