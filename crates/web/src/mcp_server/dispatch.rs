//! From a message to its answer.

use bytes::Bytes;
use serde_json::{Value, json};

use super::caller::Caller;
use super::messages::{
    INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, PARSE_ERROR, error, read_json,
    result,
};
use super::server::McpServer;
use super::versions::{LEGACY_VERSIONS, McpHeaders, SUPPORTED_VERSIONS, is_modern};

/// Messages of a batch. Only 2025-03-26 has batches.
const MAX_BATCH: usize = 20;
/// For how long a client may keep the list of tools: they change with a release only.
const LIST_TTL_MS: u64 = 3_600_000;

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Message { status: u16, body: String },
    Nothing,
}

impl McpServer {
    pub(super) async fn answer_body(
        &self,
        body: Bytes,
        headers: &McpHeaders,
        caller: &Caller,
    ) -> Answer {
        let value = match read_json(body).await {
            Ok(value) => value,
            Err(why) => return refusal(None, PARSE_ERROR, &why),
        };
        let Value::Array(messages) = value else {
            return self.answer_value(value, headers, caller).await;
        };
        if !headers.allow_batches() {
            let sentence =
                "This version of the protocol has no batches: send one message at a time.";
            return refusal(None, INVALID_REQUEST, sentence);
        }
        if messages.is_empty() || messages.len() > MAX_BATCH {
            let sentence = format!("A batch has 1 to {MAX_BATCH} messages.");
            return refusal(None, INVALID_REQUEST, &sentence);
        }
        let mut answers = Vec::new();
        for message in messages {
            if let Answer::Message { body, .. } = self.answer_value(message, headers, caller).await
            {
                answers.push(body);
            }
        }
        if answers.is_empty() {
            return Answer::Nothing;
        }
        Answer::Message { status: 200, body: format!("[{}]", answers.join(",")) }
    }

    async fn answer_value(&self, value: Value, headers: &McpHeaders, caller: &Caller) -> Answer {
        let message = match Message::parse(value) {
            Ok(message) => message,
            Err(code) => return refusal(None, code, "The message is not a JSON-RPC 2.0 request."),
        };
        let Some(id) = &message.id else { return Answer::Nothing };
        let is_modern = match is_modern(&message, headers) {
            Ok(is_modern) => is_modern,
            Err(body) => return Answer::Message { status: 400, body },
        };
        let params = &message.params;
        let (status, body) = match (message.method.as_str(), is_modern) {
            ("initialize", false) => (200, self.initialize(params).to_string()),
            ("ping", false) => (200, "{}".to_owned()),
            ("server/discover", true) => (200, self.discover().to_string()),
            ("tools/list", is_modern) => match params.get("cursor") {
                // Everything is on the first page, so no cursor was ever given out.
                Some(Value::String(_)) => {
                    return refusal(Some(id), INVALID_PARAMS, "The cursor is not known.");
                }
                _ => (200, self.tool_list(is_modern)),
            },
            ("tools/call", is_modern) => match self.call_tool(params, is_modern, caller).await {
                Ok(result) => (200, result),
                Err(why) => {
                    let body = error(Some(id), INVALID_PARAMS, &why, None);
                    return Answer::Message { status: 200, body };
                }
            },
            (method, _) => {
                let sentence = format!("The method {} is not supported.", short(method));
                let body = error(Some(id), METHOD_NOT_FOUND, &sentence, None);
                return Answer::Message { status: if is_modern { 404 } else { 200 }, body };
            }
        };
        Answer::Message { status, body: result(id, &body) }
    }

    fn initialize(&self, params: &Value) -> Value {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        let known = LEGACY_VERSIONS.iter().find(|version| Some(**version) == asked);
        let [newest, ..] = LEGACY_VERSIONS;
        json!({
            "protocolVersion": known.unwrap_or(&newest),
            "capabilities": { "tools": {} },
            "serverInfo": self.server_info(),
            "instructions": INSTRUCTIONS,
        })
    }

    fn discover(&self) -> Value {
        json!({
            "resultType": "complete",
            "supportedVersions": SUPPORTED_VERSIONS,
            "capabilities": { "tools": {} },
            "instructions": INSTRUCTIONS,
            "ttlMs": LIST_TTL_MS,
            "cacheScope": "public",
            "_meta": { "io.modelcontextprotocol/serverInfo": self.server_info() },
        })
    }

    fn server_info(&self) -> Value {
        json!({
            "name": "wayleave",
            "title": "Wayleave",
            "version": env!("CARGO_PKG_VERSION"),
            "websiteUrl": self.issuer().url("/"),
        })
    }

    fn tool_list(&self, is_modern: bool) -> String {
        let tools = self.tools.list_json();
        if is_modern {
            format!(
                "{{\"resultType\":\"complete\",\"tools\":{tools},\"ttlMs\":{LIST_TTL_MS},\"cacheScope\":\"public\"}}"
            )
        } else {
            format!("{{\"tools\":{tools}}}")
        }
    }
}

const INSTRUCTIONS: &str = "Tools that say whether an agent is welcome at a website. `preflight` answers about one \
                            action, `resolve` returns the whole answer. Records are signed.";

fn refusal(id: Option<&Value>, code: i64, sentence: &str) -> Answer {
    Answer::Message { status: 400, body: error(id, code, sentence, None) }
}

/// The beginning of a text of the client, to name it in an error.
fn short(text: &str) -> String {
    text.chars().take(64).collect()
}
