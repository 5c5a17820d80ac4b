//! The home page, with the scan form and the preflight form.

use askama::Template;

use super::preflight::PreflightForm;

/// The values of the scan form.
#[derive(Debug, Default)]
pub(crate) struct ScanForm {
    pub(crate) domain: String,
    pub(crate) unlisted: bool,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    form: &'a ScanForm,
    ask: &'a PreflightForm,
    token: &'a str,
    problem: Option<&'a str>,
    /// Commands to copy.
    scan_command: String,
    preflight_command: String,
    build_command: &'static str,
}

/// `token` proves that this server issued the forms. `problem` is the error of the last attempt.
pub(crate) fn render(
    base_url: &str,
    form: &ScanForm,
    token: &str,
    problem: Option<&str>,
) -> String {
    super::render(&HomePage {
        form,
        ask: &PreflightForm::default(),
        token,
        problem,
        scan_command: format!(
            "curl {base_url}/api/scan \\\n  -H 'content-type: application/json' \\\n  \
             -d '{{\"domain\":\"shop.example\"}}'"
        ),
        preflight_command: format!(
            "curl {base_url}/api/v1/preflight \\\n  -H 'content-type: application/json' \\\n  \
             -d '{{\"url\":\"https://shop.example/\",\"action\":\"cite\"}}'"
        ),
        build_command: "wayleave scan shop.example --fail-under B --sarif out.sarif",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_text() {
        let form = ScanForm { domain: "\"><script>x</script>".to_owned(), unlisted: true };
        let page = render("https://svc.example", &form, "1.a", Some("<i>No.</i>"));
        assert!(!page.contains("<script>x") && !page.contains("<i>"));
        assert!(page.contains("name=\"token\" value=\"1.a\""));
        assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\""));
        assert!(page.contains("&lt;i&gt;No.&lt;/i&gt;") && page.contains(" checked> Unlisted"));
    }
}
