//! HTML pages: rendered on the server, without scripts or foreign resources.

pub(crate) mod daily_seals;
pub(crate) mod error;
pub(crate) mod home;
mod html;
mod layout;
pub(crate) mod log;
mod markdown;
pub(crate) mod method;
pub(crate) mod reference;
pub(crate) mod report;

use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY},
};

/// The style sheet of all pages, and its path.
pub(crate) const STYLE: &str = include_str!("style.css");
pub(crate) const STYLE_PATH: &str = "/style.css";

/// No scripts, nothing from other origins, and forms only to this server.
const PAGE_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers that every page has.
pub(crate) fn add_page_headers(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_SECURITY_POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}
