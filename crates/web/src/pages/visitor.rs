//! The visitor page: the form, and the verdict that answers it.

use askama::Template;
use contract::records::{VisitorAnswer, VisitorHeaders, VisitorVerdict};
use service::visitors::{Method, MethodCheck, MethodResult};

use super::{
    dates::second,
    html::Html,
    status::{Status, capitalise},
};

/// The values of the visitor form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct VisitorForm {
    pub(crate) user_agent: String,
    pub(crate) address: String,
    pub(crate) signature_agent: String,
    pub(crate) signature_input: String,
    pub(crate) signature: String,
    /// The host that the visitor's request was sent to.
    pub(crate) host: String,
}

impl VisitorForm {
    /// The header fields of the signature that were given.
    pub(crate) fn headers(&self) -> VisitorHeaders {
        let fields = [
            ("signature-agent", &self.signature_agent),
            ("signature-input", &self.signature_input),
            ("signature", &self.signature),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    fn has_signature(&self) -> bool {
        !self.headers().is_empty()
    }
}

#[derive(Template)]
#[template(path = "visitor.html")]
struct VisitorPage<'a> {
    form: &'a VisitorForm,
    problem: Option<&'a str>,
    verdict: Option<VerdictView<'a>>,
    /// A command to copy.
    command: String,
}

struct VerdictView<'a> {
    answer: &'a VisitorAnswer,
    status: Status,
    /// `GPTBot, OpenAI, training`
    claimed: Option<String>,
    advice: &'static str,
    /// When the oldest list was fetched.
    lists_of: Option<String>,
    methods: Vec<MethodRow<'a>>,
    /// A command to copy.
    verify_command: String,
    /// The verdict as it was signed; longer than the text of other values may be.
    json_html: String,
}

struct MethodRow<'a> {
    name: &'static str,
    status: Status,
    detail: &'a str,
}

/// The form, with the error of the last attempt.
pub(crate) fn render_form(base_url: &str, form: &VisitorForm, problem: Option<&str>) -> String {
    super::render(&VisitorPage { form, problem, verdict: None, command: command(base_url, form) })
}

/// The form with the verdict. `json` is the verdict as it was signed.
pub(crate) fn render_verdict(
    base_url: &str,
    form: &VisitorForm,
    answer: &VisitorAnswer,
    json: &str,
    methods: &[MethodCheck],
) -> String {
    let mut json_html = Html::new();
    // In pieces, because one text is cut after 2,000 characters.
    let letters: Vec<char> = json.chars().take(MAX_JSON_CHARS).collect();
    for piece in letters.chunks(1_000) {
        json_html.text(piece.iter().collect::<String>());
    }
    let claimed = answer.claimed.as_ref().map(|name| {
        let operator = answer.operator.as_deref().unwrap_or_default();
        let purpose = answer.purpose.as_ref().map_or("", |purpose| purpose.as_str());
        format!("{name}, {operator}, {}", purpose.replace('_', " "))
    });
    let verdict = VerdictView {
        status: verdict_status(&answer.verdict),
        claimed,
        advice: advice(&answer.verdict),
        lists_of: answer.ranges_as_of.map(second),
        methods: methods.iter().map(method_row).collect(),
        verify_command: format!("wayleave verify verdict.json --keys {base_url}"),
        json_html: json_html.into_string(),
        answer,
    };
    let command = command(base_url, form);
    super::render(&VisitorPage { form, problem: None, verdict: Some(verdict), command })
}

/// A verdict has about 2,000 characters.
const MAX_JSON_CHARS: usize = 64_000;

fn verdict_status(verdict: &VisitorVerdict) -> Status {
    match verdict {
        VisitorVerdict::Verified => Status::ok("Verified"),
        VisitorVerdict::Spoofed => Status::bad("Spoofed"),
        VisitorVerdict::Unverifiable => Status::new("warn", "ask", "Unverifiable"),
        VisitorVerdict::NotAKnownAgent => Status::off("Not a known agent"),
        other => Status::off(capitalise(&other.as_str().replace('_', " "))),
    }
}

fn advice(verdict: &VisitorVerdict) -> &'static str {
    match verdict {
        VisitorVerdict::Verified => {
            "Serve it as that agent. Whether it may do what it asks is another question."
        }
        VisitorVerdict::Spoofed => {
            "Treat it as an unknown client, and do not count it as that agent."
        }
        VisitorVerdict::Unverifiable => "Decide by what it does, not by its name.",
        _ => "Your usual rules apply.",
    }
}

fn method_row(check: &MethodCheck) -> MethodRow<'_> {
    let name = match check.method {
        Method::AddressList => "Lists of addresses",
        Method::ReverseDns => "DNS name",
        Method::Signature => "Signature",
    };
    let status = match check.result {
        MethodResult::Confirms => Status::ok("Confirms"),
        MethodResult::Denies => Status::bad("Denies"),
        MethodResult::Unknown => Status::warn("Not known"),
        MethodResult::NotDocumented => Status::off("Not documented"),
        MethodResult::NotUsed => Status::off("Not used"),
    };
    MethodRow { name, status, detail: &check.detail }
}

fn command(base_url: &str, form: &VisitorForm) -> String {
    let or = |text: &str, example: &str| {
        if text.is_empty() { example.to_owned() } else { text.to_owned() }
    };
    let mut visitor = serde_json::json!({
        "ip": or(&form.address, "192.0.2.7"),
        "ua": or(&form.user_agent, "GPTBot/1.3"),
    });
    if form.has_signature()
        && let (Ok(headers), Some(fields)) =
            (serde_json::to_value(form.headers()), visitor.as_object_mut())
    {
        fields.insert("headers".to_owned(), headers);
        fields.insert("authority".to_owned(), form.host.as_str().into());
    }
    // A quote would end the shell's word.
    let request = serde_json::json!({ "visitors": [visitor] }).to_string().replace('\'', "\\u0027");
    format!(
        "curl {base_url}/api/v1/visitor \\\n  -H 'content-type: application/json' \\\n  -d '{request}'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_text() {
        let form = VisitorForm {
            user_agent: "x'</textarea><script>x</script>".to_owned(),
            address: "\"><script>x</script>".to_owned(),
            signature: "sig1=:AA==:".to_owned(),
            ..VisitorForm::default()
        };
        let page = render_form("https://svc.example", &form, Some("<i>No.</i>"));
        assert!(!page.contains("<script>x") && !page.contains("<i>"), "{page}");
        // The command is one shell word: no quote of the user ends it.
        let command = command("https://svc.example", &form);
        assert_eq!(command.matches('\'').count(), 4, "{command}");
        assert!(command.contains("\"signature\":\"sig1=:AA==:\""), "{command}");
    }

    #[test]
    fn every_verdict_has_a_word_and_advice() {
        for word in VisitorVerdict::WORDS {
            let verdict = VisitorVerdict::from_word(word).unwrap();
            assert!(!verdict_status(&verdict).words.is_empty() && !advice(&verdict).is_empty());
        }
    }
}
