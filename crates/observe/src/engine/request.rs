//! The request of a question.

use contract::engine_evidence::EngineQuestion;
use serde_json::{Value, json};

use super::prompt;
use super::settings::Engine;

/// More than any honest answer has.
const MAX_ANSWER_TOKENS: u64 = 800;
/// The same for models that count what they think, too.
pub(super) const MAX_REASONING_TOKENS: u64 = 4_000;

/// Which members a request has besides the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestForm {
    /// With the schema of the answer, and without chance.
    Structured,
    /// Without them, for engines that do not know them.
    Plain {
        /// The limit of the answer by its newer name.
        completion_limit: bool,
    },
}

impl RequestForm {
    /// The form for an engine that rejected [`RequestForm::Structured`] with this body. Of the body only one
    /// word matters: newer models know the limit by another name and say so.
    pub(super) fn after_rejection(body: &[u8]) -> Self {
        const NEWER_NAME: &[u8] = b"max_completion_tokens";
        let completion_limit = body.windows(NEWER_NAME.len()).any(|window| window == NEWER_NAME);
        Self::Plain { completion_limit }
    }
}

pub(super) fn request_body(
    engine: &Engine,
    question: &EngineQuestion,
    form: RequestForm,
) -> String {
    let mut body = json!({
        "model": engine.model,
        "messages": [
            { "role": "system", "content": prompt::SYSTEM_TEXT },
            { "role": "user", "content": prompt::user_text(question) },
        ],
    });
    let mut set = |name: &str, value: Value| {
        if let Some(members) = body.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    match form {
        RequestForm::Structured => {
            set("max_tokens", json!(MAX_ANSWER_TOKENS));
            set("temperature", json!(0));
            set(
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": {
                        "name": "business_details", "strict": true,
                        "schema": prompt::response_schema(),
                    }
                }),
            );
        }
        RequestForm::Plain { completion_limit: false } => {
            set("max_tokens", json!(MAX_ANSWER_TOKENS));
        }
        RequestForm::Plain { completion_limit: true } => {
            set("max_completion_tokens", json!(MAX_REASONING_TOKENS));
        }
    }
    if engine.web_search {
        set("web_search_options", json!({}));
    }
    body.to_string()
}

#[cfg(test)]
mod tests {
    use contract::{Domain, NamePolicy};
    use door::operator::{KeyHeader, Secret, TrustedAuthorities};

    use super::*;

    fn body(web_search: bool, form: RequestForm) -> Value {
        let engine = Engine {
            name: "one".to_owned(),
            base_url: "https://api.example/v1/".to_owned(),
            model: "m-1".to_owned(),
            key: Secret::new("sk-secret").unwrap(),
            key_header: KeyHeader::Bearer,
            web_search,
            authorities: TrustedAuthorities::with_extra(&[]).unwrap(),
        };
        assert_eq!(engine.url(), "https://api.example/v1/chat/completions");
        assert!(!format!("{engine:?}").contains("secret"));
        let names = NamePolicy { allow_suffixes: vec![], allow_ports: vec![] };
        let domain = Domain::parse("shop.com", &names).unwrap();
        let question = EngineQuestion { domain, name: None, city: None, country: None };
        serde_json::from_str(&request_body(&engine, &question, form)).unwrap()
    }

    #[test]
    fn a_request_has_the_members_of_its_form() {
        let members =
            |body: &Value| body.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        let structured = body(false, RequestForm::Structured);
        assert_eq!(members(&structured), "max_tokens messages model response_format temperature");
        assert_eq!(structured["response_format"]["json_schema"]["strict"], true);
        assert_eq!(structured["temperature"], 0);
        let searching = body(true, RequestForm::Structured);
        assert_eq!(searching["web_search_options"], json!({}));
        let plain = RequestForm::after_rejection(b"{\"error\":\"response_format\"}");
        assert_eq!(members(&body(false, plain)), "max_tokens messages model");
        let newer = RequestForm::after_rejection(b"Use 'max_completion_tokens' instead.");
        assert_eq!(
            members(&body(true, newer)),
            "max_completion_tokens messages model web_search_options"
        );
    }
}
