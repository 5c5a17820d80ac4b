//! The error page.

use askama::Template;
use contract::errors::ErrorV1;
use http::StatusCode;

use super::dates::wait_words;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    title: &'static str,
    status: u16,
    error: &'a ErrorV1,
}

pub(crate) fn render(status: StatusCode, error: &ErrorV1) -> String {
    let title = status.canonical_reason().unwrap_or("Error");
    super::render(&ErrorPage { title, status: status.as_u16(), error })
}
