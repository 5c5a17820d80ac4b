//! The error page.

use contract::errors::ErrorV1;
use http::StatusCode;

use super::{html::Html, layout};

pub(crate) fn render(status: StatusCode, error: &ErrorV1) -> String {
    let title = status.canonical_reason().unwrap_or("Error");
    let mut main = Html::new();
    main.raw("<h1>")
        .text(title)
        .raw("</h1>\n<p>")
        .text(&error.error)
        .raw("</p>\n<dl>\n<dt>Status</dt><dd>");
    main.text(status.as_u16()).raw("</dd>\n<dt>Code</dt><dd><code>").text(&error.code);
    main.raw("</code></dd>\n");
    if let Some(id) = &error.request_id {
        main.raw("<dt>Request</dt><dd><code>").text(id).raw("</code></dd>\n");
    }
    main.raw("</dl>\n<p><a href=\"/\">Back to the home page</a></p>\n");
    layout::page(title, &main)
}
