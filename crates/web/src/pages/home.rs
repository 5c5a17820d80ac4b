//! The home page, with the scan form.

use super::{html::Html, layout};

/// The values of the scan form.
#[derive(Debug, Default)]
pub(crate) struct ScanForm {
    pub(crate) domain: String,
    pub(crate) unlisted: bool,
}

/// `token` proves that this server issued the form. `problem` is the error of the last attempt.
pub(crate) fn render(
    base_url: &str,
    form: &ScanForm,
    token: &str,
    problem: Option<&str>,
) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>How does a site treat AI agents?</h1>\n\
         <p>Wayleave requests a site as a browser, as an unnamed client and as AI crawlers, and shows \
         what each of them received, with the evidence.</p>\n",
    );
    if let Some(problem) = problem {
        main.raw("<p class=\"note problem\" role=\"alert\">").text(problem).raw("</p>\n");
    }
    main.raw(
        "<form method=\"post\" action=\"/scan\">\n<input type=\"hidden\" name=\"token\" value=\"",
    )
    .text(token)
    .raw(
        "\">\n<label for=\"domain\">Domain or address</label>\n\
         <input id=\"domain\" name=\"domain\" required maxlength=\"2048\" autocomplete=\"off\" \
         autocapitalize=\"none\" spellcheck=\"false\" placeholder=\"shop.example\" value=\"",
    )
    .text(&form.domain)
    .raw("\">\n<button>Scan</button>\n<label><input type=\"checkbox\" name=\"unlisted\"");
    if form.unlisted {
        main.raw(" checked");
    }
    main.raw(
        "> Unlisted: only people with the link can find the report</label>\n</form>\n\
         <p class=\"soft\">A scan takes a few seconds. We send all requests from this service's own \
         network under the crawlers' names, and the report says so. A site can exclude us in its \
         robots.txt.</p>\n\
         <h2>For programs</h2>\n<pre>curl -H 'content-type: application/json' \
         -d '{\"domain\":\"shop.example\"}' ",
    )
    .text(base_url)
    .raw(
        "/api/scan</pre>\n<ul>\n\
         <li><a href=\"/docs\">API reference</a>, also as \
         <a href=\"/openapi.json\">OpenAPI 3.1</a></li>\n\
         <li><a href=\"/api/v1/schema?list=1\">JSON Schemas</a> of every record</li>\n\
         <li><a href=\"/api/v1/core\">Core contract</a>: the operations that stay available</li>\n\
         <li><a href=\"/.well-known/http-message-signatures-directory\">Public keys</a> to verify \
         our signatures</li>\n\
         <li><a href=\"/log\">Transparency log</a>: every decision we served, in a log that can \
         only grow</li>\n</ul>\n",
    );
    layout::page("Wayleave", &main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_text() {
        let form = ScanForm { domain: "\"><script>x</script>".to_owned(), unlisted: true };
        let page = render("https://svc.example", &form, "1.a", Some("<b>No.</b>"));
        assert!(!page.contains("<script") && !page.contains("<b>"));
        assert!(page.contains("name=\"token\" value=\"1.a\""));
        assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\""));
        assert!(page.contains("&lt;b&gt;No.&lt;/b&gt;") && page.contains(" checked>"));
    }
}
