//! What a line says, as far as passing it on needs it.

use contract::json::{Bom, Limits, OnDuplicate};
use serde_json::{Value, json};

/// The largest message, as over HTTP.
pub(super) const MAX_MESSAGE_BYTES: usize = contract::limits::BODY_BYTES;
const PARSE_ERROR: i64 = -32700;
const INTERNAL_ERROR: i64 = -32603;

#[derive(Debug, PartialEq)]
pub(super) enum LineKind {
    /// With the id of a request; `None` for notifications, batches, and what cannot be read.
    Message(Option<Value>),
    /// The client no longer wants the answer to this id.
    Cancel(Value),
}

/// A line and the header fields that belong to it over HTTP.
#[derive(Debug, PartialEq)]
pub(super) struct LineMessage {
    pub(super) kind: LineKind,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) bytes: Vec<u8>,
}

impl LineMessage {
    /// What is wrong with a message is for `/mcp` to say.
    pub(super) fn parse(bytes: Vec<u8>) -> Self {
        const LIMITS: Limits = Limits {
            bytes: MAX_MESSAGE_BYTES,
            depth: 64,
            values: 50_000,
            max_integer: None,
            bom: Bom::Reject,
        };
        let parsed = contract::json::parse(&bytes, &LIMITS, OnDuplicate::Reject);
        let value = parsed.map(|parsed| parsed.value).unwrap_or_default();
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        let version = text("/params/_meta/io.modelcontextprotocol~1protocolVersion");
        let method = text("/method");
        let mut headers = Vec::new();
        if let (Some(version), Some(method)) = (version, method) {
            headers.push(("mcp-protocol-version", version.to_owned()));
            headers.push(("mcp-method", method.to_owned()));
            headers.extend(text("/params/name").map(|name| ("mcp-name", name.to_owned())));
        }
        let cancelled = value
            .pointer("/params/requestId")
            .filter(|_| method == Some("notifications/cancelled"));
        let kind = match cancelled {
            Some(id) => LineKind::Cancel(id.clone()),
            None => LineKind::Message(value.get("id").filter(|_| method.is_some()).cloned()),
        };
        Self { kind, headers, bytes }
    }
}

/// The line for a client: what `/mcp` answered, or why it did not answer in the protocol. `None` if there is
/// nothing to answer.
pub(super) fn answer_line(id: Option<&Value>, status: u16, body: &[u8]) -> Option<Vec<u8>> {
    let value: Option<Value> = serde_json::from_slice(body).ok();
    let is_answer = match &value {
        Some(Value::Object(members)) => members.contains_key("jsonrpc"),
        Some(Value::Array(_)) => true,
        _ => false,
    };
    if is_answer {
        // Line ends outside of texts are spaces to JSON; inside they are always escaped.
        let unbroken =
            body.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte });
        return Some(unbroken.collect());
    }
    let id = id?;
    let sentence = value.as_ref().and_then(|value| value.get("error")?.as_str());
    let sentence = sentence
        .map_or_else(|| format!("The service answered with status {status}."), ToOwned::to_owned);
    Some(error_line(Some(id), INTERNAL_ERROR, &sentence))
}

pub(super) fn failure_line(id: Option<&Value>, sentence: &str) -> Option<Vec<u8>> {
    id.map(|id| error_line(Some(id), INTERNAL_ERROR, sentence))
}

pub(super) fn too_long_line() -> Vec<u8> {
    let sentence = format!("The message is larger than {MAX_MESSAGE_BYTES} bytes.");
    error_line(None, PARSE_ERROR, &sentence)
}

fn error_line(id: Option<&Value>, code: i64, sentence: &str) -> Vec<u8> {
    let error = json!({ "code": code, "message": sentence });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &Value) -> LineMessage {
        LineMessage::parse(value.to_string().into_bytes())
    }

    #[test]
    fn messages_without_handshake_get_their_headers() {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        let call = json!({
            "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "resolve", "_meta": meta },
        });
        let message = parsed(&call);
        assert_eq!(message.kind, LineKind::Message(Some(json!(7))));
        let values: Vec<&str> = message.headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["2026-07-28", "tools/call", "resolve"]);
        let list = json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/list" });
        assert_eq!(parsed(&list).headers, []);
    }

    #[test]
    fn a_cancellation_names_its_request() {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 3 } });
        assert_eq!(parsed(&cancel).kind, LineKind::Cancel(json!(3)));
        for other in [json!([1]), json!({ "id": 1, "result": {} }), json!("x")] {
            assert_eq!(parsed(&other).kind, LineKind::Message(None));
        }
        assert_eq!(LineMessage::parse(b"{\"id\":".to_vec()).kind, LineKind::Message(None));
    }

    #[test]
    fn answers_are_one_line() {
        let id = json!(1);
        let answer = b"{\"jsonrpc\":\"2.0\",\n\"id\":1,\"result\":{}}";
        let line = answer_line(Some(&id), 200, answer).unwrap();
        assert!(!line.contains(&b'\n'));
        assert_eq!(answer_line(None, 202, b""), None);
        let refused = answer_line(Some(&id), 429, b"{\"error\":\"Rate limit reached.\"}").unwrap();
        let refused: Value = serde_json::from_slice(&refused).unwrap();
        assert_eq!(refused["error"]["message"], "Rate limit reached.");
        let refused = answer_line(Some(&id), 502, b"<html>").unwrap();
        assert!(String::from_utf8(refused).unwrap().contains("status 502"));
    }
}
