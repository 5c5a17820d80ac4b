//! JSON-RPC messages.

use bytes::Bytes;
use contract::json::{Bom, ErrorKind, Limits, OnDuplicate};
use serde_json::{Value, json};

use crate::off_worker::run_off_worker;

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

/// Larger messages are parsed on another thread, so that other requests need not wait.
const MAX_BYTES_ON_WORKER: usize = 16 * 1_024;

pub(super) async fn read_json(body: Bytes) -> Result<Value, String> {
    if body.len() <= MAX_BYTES_ON_WORKER {
        return parse_json(&body);
    }
    let parsed = run_off_worker(move || parse_json(&body)).await;
    parsed.map_err(|error| error.message().to_owned())?
}

/// Members that come twice are refused: what is checked must be what is used.
fn parse_json(body: &[u8]) -> Result<Value, String> {
    const LIMITS: Limits = Limits {
        bytes: contract::limits::BODY_BYTES,
        depth: 64,
        values: 50_000,
        max_integer: None,
        bom: Bom::Reject,
    };
    match contract::json::parse(body, &LIMITS, OnDuplicate::Reject) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(match error.kind {
            ErrorKind::TooDeep => "The message is nested too deeply.".to_owned(),
            ErrorKind::TooManyValues => "The message has too many values.".to_owned(),
            ErrorKind::DuplicateMember => {
                "The message has an object with the same member twice.".to_owned()
            }
            _ => format!(
                "The message is not valid JSON (line {}, column {}).",
                error.line, error.column
            ),
        }),
    }
}

/// A message from a client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    /// `None`: a notification, or a response to something that was never asked.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Value,
}

impl Message {
    /// The error is the code for the client.
    pub(super) fn parse(value: Value) -> Result<Self, i64> {
        let Value::Object(mut members) = value else { return Err(INVALID_REQUEST) };
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(INVALID_REQUEST);
        }
        let id = match members.remove("id") {
            None => None,
            Some(id @ (Value::String(_) | Value::Number(_))) => Some(id),
            Some(_) => return Err(INVALID_REQUEST),
        };
        let method = match members.remove("method") {
            Some(Value::String(method)) => method,
            // A response of the client: nothing was asked, so there is nothing to do.
            None if id.is_some()
                && (members.contains_key("result") || members.contains_key("error")) =>
            {
                return Ok(Self { id: None, method: String::new(), params: Value::Null });
            }
            _ => return Err(INVALID_REQUEST),
        };
        let params = members.remove("params").unwrap_or_else(|| json!({}));
        if !params.is_object() {
            return Err(INVALID_PARAMS);
        }
        Ok(Self { id, method, params })
    }
}

pub(super) fn error(id: Option<&Value>, code: i64, message: &str, data: Option<Value>) -> String {
    let mut error = json!({ "code": code, "message": message });
    if let (Some(data), Some(error)) = (data, error.as_object_mut()) {
        error.insert("data".to_owned(), data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

/// A response with a result that is JSON text already.
pub(super) fn result(id: &Value, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}
