//! Builds HTML pages from the texts.

use std::fmt::Write;

use super::BusinessText;
use crate::http::reply::{Reply, SiteRequest};

/// What a site adds to its page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageExtras<'a> {
    /// At the end of the head element.
    pub(crate) head: &'a str,
    /// After the text.
    pub(crate) body: &'a str,
}

/// The home page of the requested site.
pub(crate) fn home(request: &SiteRequest<'_>) -> Reply {
    home_with(request, PageExtras::default())
}

pub(crate) fn home_with(request: &SiteRequest<'_>, extra: PageExtras<'_>) -> Reply {
    Reply::html(200, page(request.text, extra))
}

pub(crate) fn not_found(_: &SiteRequest<'_>) -> Reply {
    let body = "<!doctype html>\n<html lang=\"en\"><head><title>Not here</title></head>\n\
                <body><h1>Not here</h1><p>There is no page at this address.</p></body></html>\n";
    Reply::html(404, body)
}

pub(crate) fn page(text: &BusinessText, extra: PageExtras<'_>) -> String {
    let mut paragraphs = String::new();
    for paragraph in text.paragraphs {
        // Writing to a string cannot fail.
        let _ = writeln!(paragraphs, "<p>{paragraph}</p>");
    }
    let BusinessText { title, summary, street, town, postcode, phone, hours, .. } = text;
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<meta name=\"description\" content=\"{summary}\">\n{head}</head>\n\
         <body>\n<header><nav><a href=\"/\">Home</a> <a href=\"/visit\">Visit</a></nav></header>\n\
         <main>\n<h1>{title}</h1>\n<p><em>{summary}</em></p>\n{paragraphs}{body}</main>\n\
         <footer><address>{title}, {street}, {town} {postcode}. Telephone \
         <a href=\"tel:{dialled}\">{shown}</a>. Open {hours}.</address></footer>\n\
         </body>\n</html>\n",
        head = extra.head,
        body = extra.body,
        shown = phone.0,
        dialled = phone.1.replace(' ', ""),
    )
}
