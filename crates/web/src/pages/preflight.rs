//! The preflight page: the form, and the receipt that answers it.

use askama::Template;
use contract::records::{Decision, DecisionReceipt};
use contract::text::record_words::spaced;

use super::{
    dates::second,
    html::Html,
    status::{self, Status, capitalise},
};

/// The actions of the form, and what they are called.
pub(crate) const ACTIONS: [(&str, &str); 5] = [
    ("read", "Read"),
    ("cite", "Cite"),
    ("connect", "Connect"),
    ("transact", "Transact"),
    ("administer", "Administer"),
];

/// The values of the preflight form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PreflightForm {
    pub(crate) url: String,
    pub(crate) action: String,
    pub(crate) agent: String,
}

impl Default for PreflightForm {
    fn default() -> Self {
        Self { url: String::new(), action: "read".to_owned(), agent: String::new() }
    }
}

impl PreflightForm {
    /// The same question as the body of `POST /api/v1/preflight`.
    pub(crate) fn to_request(&self) -> serde_json::Value {
        match self.agent.as_str() {
            "" => serde_json::json!({ "url": self.url, "action": self.action }),
            agent => serde_json::json!({ "url": self.url, "action": self.action, "agent": agent }),
        }
    }
}

#[derive(Template)]
#[template(path = "preflight.html")]
struct PreflightPage<'a> {
    ask: &'a PreflightForm,
    token: &'a str,
    problem: Option<&'a str>,
    receipt: Option<ReceiptView<'a>>,
    /// A command to copy.
    command: String,
}

struct ReceiptView<'a> {
    record: &'a DecisionReceipt,
    verdict: Status,
    action: String,
    subject: String,
    /// A command to copy.
    verify_command: String,
    /// The receipt as it was signed; longer than the text of other values may be.
    json_html: String,
}

/// The form, with the error of the last attempt.
pub(crate) fn render_form(
    base_url: &str,
    ask: &PreflightForm,
    token: &str,
    problem: Option<&str>,
) -> String {
    let command = command(base_url, ask);
    super::render(&PreflightPage { ask, token, problem, receipt: None, command })
}

/// The form with the receipt. `json` is the receipt as it was signed.
pub(crate) fn render_receipt(
    base_url: &str,
    ask: &PreflightForm,
    token: &str,
    record: &DecisionReceipt,
    json: &str,
) -> String {
    let mut json_html = Html::new();
    // In pieces, because one text is cut after 2,000 characters.
    let letters: Vec<char> = json.chars().take(MAX_RECEIPT_CHARS).collect();
    for piece in letters.chunks(1_000) {
        json_html.text(piece.iter().collect::<String>());
    }
    let subject = &record.subject;
    let receipt = ReceiptView {
        verdict: status::decision(&record.decision),
        action: capitalise(record.action.as_str()),
        subject: subject.url_without_query.clone().unwrap_or_else(|| subject.domain.to_string()),
        verify_command: format!("wayleave verify receipt.json --keys {base_url}"),
        json_html: json_html.into_string(),
        record,
    };
    let command = command(base_url, ask);
    super::render(&PreflightPage { ask, token, problem: None, receipt: Some(receipt), command })
}

/// A receipt has about 8,000 characters.
const MAX_RECEIPT_CHARS: usize = 64_000;

fn command(base_url: &str, ask: &PreflightForm) -> String {
    let mut ask = ask.clone();
    if ask.url.is_empty() {
        "https://shop.example/".clone_into(&mut ask.url);
    }
    // A quote would end the shell's word.
    let request = ask.to_request().to_string().replace('\'', "\\u0027");
    format!(
        "curl {base_url}/api/v1/preflight \\\n  -H 'content-type: application/json' \\\n  -d '{request}'"
    )
}

/// `robots_path` as `Robots path`.
fn step_name(rule: &str) -> String {
    match rule {
        "robots" | "path" => "robots.txt".to_owned(),
        rule => capitalise(&spaced(rule)),
    }
}

fn step_effect(effect: &str) -> Status {
    match effect {
        "none" => Status::new("off", "info", "No objection"),
        "doubt" => Status::new("warn", "warn", "Doubt"),
        word => match Decision::from_word(word) {
            Some(decision) => status::decision(&decision),
            None => Status::off(capitalise(&spaced(word))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_text() {
        let ask = PreflightForm {
            url: "https://x.example/'><script>x</script>".to_owned(),
            action: "cite".to_owned(),
            agent: "a'; rm -rf \"$HOME\"".to_owned(),
        };
        let page = render_form("https://svc.example", &ask, "1.a", Some("<i>No.</i>"));
        assert!(!page.contains("<script>x") && !page.contains("<i>"));
        assert!(page.contains("value=\"cite\" checked"), "{page}");
        // The command is one shell word: no quote of the user ends it.
        let command = command("https://svc.example", &ask);
        assert_eq!(command.matches('\'').count(), 4, "{command}");
    }

    #[test]
    fn effects_have_words() {
        assert_eq!(step_effect("none").words, "No objection");
        assert_eq!(step_effect("require_confirmation").words, "Ask a person");
        assert_eq!(step_effect("something_new").words, "Something new");
        assert_eq!(step_name("caller_policy"), "Caller policy");
    }
}
