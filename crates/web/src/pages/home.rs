//! The first page: what this is, and a form to try it.

use super::{html::Html, shell};

/// What stands in the form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) domain: String,
    pub(crate) unlisted: bool,
}

/// With the token that marks the form as ours, and the reason why the last attempt failed, if
/// there was one.
pub(crate) fn render(base_url: &str, form: &Form, token: &str, problem: Option<&str>) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>What way do AI agents have at a site?</h1>\n\
         <p>Wayleave reads a site as a browser, as an unnamed stranger and as AI crawlers, and \
         shows what each was given, with the evidence.</p>\n",
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
        "> Unlisted: the report is reachable by its link alone</label>\n</form>\n\
         <p class=\"soft\">A scan takes a few seconds. Every read is sent from this service's own \
         network, under the name of the crawler it stands for, and said to be so. A site can ask \
         us to stay away in its robots.txt.</p>\n\
         <h2>For programs</h2>\n<pre>curl -H 'content-type: application/json' \
         -d '{\"domain\":\"shop.example\"}' ",
    )
    .text(base_url)
    .raw(
        "/api/scan</pre>\n<ul>\n\
         <li><a href=\"/docs\">API reference</a>, and the same as \
         <a href=\"/openapi.json\">OpenAPI 3.1</a></li>\n\
         <li><a href=\"/api/v1/schema?list=1\">JSON Schemas</a> of every record</li>\n\
         <li><a href=\"/api/v1/core\">Core contract</a>: what keeps answering</li>\n\
         <li><a href=\"/.well-known/http-message-signatures-directory\">Public keys</a>, to check \
         what we signed</li>\n\
         <li><a href=\"/log\">Transparency log</a>: everything we decided, in an order that cannot \
         be changed later</li>\n</ul>\n",
    );
    shell::page("Wayleave", &main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_text() {
        let form = Form { domain: "\"><script>x</script>".to_owned(), unlisted: true };
        let page = render("https://svc.example", &form, "1.a", Some("<b>No.</b>"));
        assert!(!page.contains("<script") && !page.contains("<b>"));
        assert!(page.contains("name=\"token\" value=\"1.a\""));
        assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\""));
        assert!(page.contains("&lt;b&gt;No.&lt;/b&gt;") && page.contains(" checked>"));
    }
}
