//! The pages about free keys: the form, what happens next, the button behind a link, and the key.

use askama::Template;
use contract::limits::FREE_KEY_LINK_HOURS;

#[derive(Template)]
#[template(path = "free_key_form.html")]
struct FormPage<'a> {
    mailbox: &'a str,
    token: &'a str,
    problem: Option<&'a str>,
    hours: u32,
}

#[derive(Template)]
#[template(path = "free_key_sent.html")]
struct SentPage {
    hours: u32,
}

#[derive(Template)]
#[template(path = "free_key_link.html")]
struct LinkPage;

#[derive(Template)]
#[template(path = "free_key.html")]
struct KeyPage<'a> {
    key: &'a str,
    /// A command to copy.
    command: String,
}

/// The form, with the error of the last attempt.
pub(crate) fn render_form(mailbox: &str, token: &str, problem: Option<&str>) -> String {
    super::render(&FormPage { mailbox, token, problem, hours: FREE_KEY_LINK_HOURS })
}

/// What happens after the form was sent. The same for every mail address.
pub(crate) fn render_sent() -> String {
    super::render(&SentPage { hours: FREE_KEY_LINK_HOURS })
}

/// The button that uses a link.
pub(crate) fn render_link() -> String {
    super::render(&LinkPage)
}

pub(crate) fn render_key(base_url: &str, key: &str) -> String {
    let command = format!(
        "curl -H 'Authorization: Bearer {key}' '{base_url}/api/v1/resolve?domain=example.com'"
    );
    super::render(&KeyPage { key, command })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_escaped_and_the_key_is_there() {
        let page = render_form("<b>@x", "1.t", Some("Not <one>."));
        assert!(!page.contains("<b>@x") && page.contains("value=\"&lt;b&gt;@x\""), "{page}");
        assert!(page.contains("name=\"token\" value=\"1.t\"") && !page.contains("<one>"));
        let page = render_key("https://svc.example", "wl_abc");
        assert!(page.contains(">wl_abc<") && page.contains("Bearer wl_abc"), "{page}");
        assert!(page.contains("noindex") && render_link().contains("noindex"));
        assert!(render_link().contains("method=\"post\"") && render_sent().contains("24 hours"));
    }
}
