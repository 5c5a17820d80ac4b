//! The layout that all pages share.

use super::html::Html;

/// A complete page: head, navigation, `main`, footer.
pub(super) fn page(title: &str, main: &Html) -> String {
    let mut html = Html::new();
    html.raw(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
    )
    .text(title)
    .raw(
        "</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"/style.css\">\n</head>\n<body>\n\
         <header><a class=\"brand\" href=\"/\">Wayleave</a>\n<nav><a href=\"/method\">Method</a>\n<a href=\"/log\">Log</a>\n<a href=\"/proof\">Seals</a>\n<a href=\"/docs\">API</a>\n\
         <a href=\"/openapi.json\">OpenAPI</a>\n<a href=\"/api/v1/schema?list=1\">Schemas</a>\
         </nav></header>\n<main>\n",
    )
    .append(main)
    .raw("</main>\n<footer><p>Wayleave checks how websites treat AI agents.</p></footer>\n</body>\n</html>\n");
    html.into_string()
}
