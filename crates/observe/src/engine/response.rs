//! The response of an engine.

use contract::engine_evidence::{
    EngineUsage, MAX_ENGINE_ANSWER_BYTES, MAX_ENGINE_SOURCE_CHARS, MAX_ENGINE_SOURCES,
};
use contract::json::{self, Bom, Limits, OnDuplicate};
use contract::text::plain_line;
use serde_json::Value;

/// The most bytes of a response that are read.
pub(super) const MAX_RESPONSE_BYTES: usize = 1 << 20;
const MAX_MODEL_CHARS: usize = 100;

const LIMITS: Limits = Limits {
    bytes: MAX_RESPONSE_BYTES,
    depth: 32,
    values: 50_000,
    max_integer: None,
    bom: Bom::Reject,
};

/// What a response says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) model: Option<String>,
    pub(super) text: CompletionText,
    pub(super) sources: Vec<String>,
    pub(super) usage: Option<EngineUsage>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum CompletionText {
    Answer {
        text: String,
        cut: bool,
    },
    /// The model says that it does not answer.
    Declined,
    Missing,
}

/// Parses the body of a response. `None` if it is not one of this protocol.
pub(super) fn parse_completion(body: &[u8]) -> Option<Completion> {
    let on_duplicate = OnDuplicate::KeepLast { report_at_most: 0 };
    let value = json::parse(body, &LIMITS, on_duplicate).ok()?.value;
    let choice = value.get("choices")?.as_array()?.first()?;
    let message = choice.get("message")?.as_object()?;
    let stopped_at_limit = choice.get("finish_reason").and_then(Value::as_str) == Some("length");
    let text = message_text(message.get("content"));
    let declines =
        message.get("refusal").and_then(Value::as_str).is_some_and(|why| !why.is_empty());
    let text = if !text.trim().is_empty() {
        let (text, cut) = cut_text(&text);
        CompletionText::Answer { text, cut: cut || stopped_at_limit }
    } else if declines {
        CompletionText::Declined
    } else {
        CompletionText::Missing
    };
    let model = value.get("model").and_then(Value::as_str);
    Some(Completion {
        model: model.map(|name| plain_line(name, MAX_MODEL_CHARS)).filter(|name| !name.is_empty()),
        text,
        sources: named_sources(&value, message.get("annotations")),
        usage: value.get("usage").and_then(parse_usage),
    })
}

/// The content: a text, or a list of parts of which some are texts.
fn message_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// The beginning of a text, and whether something was cut.
fn cut_text(text: &str) -> (String, bool) {
    let cut = text.len() > MAX_ENGINE_ANSWER_BYTES;
    let end = text.floor_char_boundary(MAX_ENGINE_ANSWER_BYTES.min(text.len()));
    (text.get(..end).unwrap_or_default().to_owned(), cut)
}

/// The sources beside the text, in the three forms in which engines send them: annotations of the message,
/// a list of addresses, a list of results of a search.
fn named_sources(value: &Value, annotations: Option<&Value>) -> Vec<String> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let annotations = list(annotations)
        .into_iter()
        .map(|note| note.get("url_citation").and_then(|citation| citation.get("url")).cloned());
    let citations =
        list(value.get("citations")).into_iter().chain(list(value.get("search_results")));
    let citations = citations.map(|entry| match entry {
        Value::Object(entry) => entry.get("url").cloned(),
        entry => Some(entry),
    });
    let mut sources: Vec<String> = Vec::new();
    for entry in annotations.chain(citations).flatten() {
        let Some(address) = entry.as_str() else { continue };
        // A part of an address would be another address.
        let is_whole = address.chars().nth(MAX_ENGINE_SOURCE_CHARS).is_none();
        let address = plain_line(address, MAX_ENGINE_SOURCE_CHARS);
        if is_whole && !address.is_empty() && !sources.contains(&address) {
            sources.push(address);
        }
        if sources.len() == MAX_ENGINE_SOURCES {
            break;
        }
    }
    sources
}

fn parse_usage(usage: &Value) -> Option<EngineUsage> {
    // Larger numbers are not true, and sums of them would be too large.
    let number = |name: &str| {
        usage.get(name).and_then(Value::as_u64).map(|count| count.min(u64::from(u32::MAX)))
    };
    let (prompt, completion) = (number("prompt_tokens"), number("completion_tokens"));
    let total = number("total_tokens");
    prompt.or(completion).or(total)?;
    let (prompt_tokens, completion_tokens) = (prompt.unwrap_or(0), completion.unwrap_or(0));
    let total_tokens = total.unwrap_or(0).max(prompt_tokens + completion_tokens);
    Some(EngineUsage { prompt_tokens, completion_tokens, total_tokens })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(value: &Value) -> Option<Completion> {
        parse_completion(value.to_string().as_bytes())
    }

    fn with_message(message: Value) -> Value {
        json!({ "model": "m-1", "choices": [{ "message": message, "finish_reason": "stop" }] })
    }

    #[test]
    fn text_is_a_string_or_made_of_parts() {
        let text =
            |content: Value| parsed(&with_message(json!({ "content": content }))).unwrap().text;
        let answer = |text: &str| CompletionText::Answer { text: text.to_owned(), cut: false };
        assert_eq!(text(json!("hello")), answer("hello"));
        assert_eq!(
            text(json!([{ "type": "text", "text": "a" }, { "image": 1 }, { "text": "b" }])),
            answer("ab")
        );
        for nothing in [json!(null), json!(""), json!(" \n"), json!(7), json!([])] {
            assert_eq!(text(nothing), CompletionText::Missing);
        }
        let declined = with_message(json!({ "content": null, "refusal": "I cannot." }));
        assert_eq!(parsed(&declined).unwrap().text, CompletionText::Declined);
        let mut cut = with_message(json!({ "content": "and so" }));
        cut["choices"][0]["finish_reason"] = json!("length");
        let text = CompletionText::Answer { text: "and so".to_owned(), cut: true };
        assert_eq!(parsed(&cut).unwrap().text, text);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "ä".repeat(MAX_ENGINE_ANSWER_BYTES);
        let long = parsed(&with_message(json!({ "content": format!("x{long}") }))).unwrap().text;
        let CompletionText::Answer { text, cut } = long else { panic!("no text") };
        assert!(cut && text.len() == MAX_ENGINE_ANSWER_BYTES - 1, "{}", text.len());
    }

    #[test]
    fn sources_come_in_three_forms() {
        let note = |url: &str| json!({ "type": "url_citation", "url_citation": { "url": url } });
        let mut value = with_message(json!({
            "content": "x",
            "annotations": [note("https://a.example/"), note("https://a.example/"), { "type": "other" }],
        }));
        value["citations"] = json!(["https://b.example/", 7, "x".repeat(301), "a\u{202e}b"]);
        value["search_results"] = json!([{ "title": "C", "url": "https://c.example/" }]);
        let sources = parsed(&value).unwrap().sources;
        assert_eq!(
            sources,
            ["https://a.example/", "https://b.example/", "ab", "https://c.example/"]
        );
        value["citations"] = (0..100).map(|n| json!(format!("https://{n}.example/"))).collect();
        assert_eq!(parsed(&value).unwrap().sources.len(), MAX_ENGINE_SOURCES);
    }

    #[test]
    fn usage_is_what_the_engine_counted() {
        let usage = |usage: Value| {
            let mut value = with_message(json!({ "content": "x" }));
            value["usage"] = usage;
            parsed(&value).unwrap().usage.map(|usage| usage.total_tokens)
        };
        assert_eq!(usage(json!({ "prompt_tokens": 300, "completion_tokens": 40 })), Some(340));
        assert_eq!(
            usage(json!({ "prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 900 })),
            Some(900)
        );
        assert_eq!(usage(json!({ "total_tokens": u64::MAX })), Some(u64::from(u32::MAX)));
        assert_eq!(usage(json!({ "total_tokens": -1 })), None);
        assert_eq!(usage(json!("many")), None);
    }

    #[test]
    fn other_bodies_are_not_understood() {
        for body in
            ["", "<html>", "[]", "{}", "{\"choices\":[]}", "{\"choices\":[{\"text\":\"x\"}]}"]
        {
            assert_eq!(parse_completion(body.as_bytes()), None, "{body}");
        }
        assert_eq!(parse_completion(b"\xff"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_body_breaks_it(body in "(\\{|\\}|\\[|\\]|\"choices\"|\"message\"|\"content\"|:|,|\"x\"|1|null|\\PC){0,40}") {
            let _ = parse_completion(body.as_bytes());
        }
    }
}
