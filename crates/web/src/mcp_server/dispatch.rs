//! From a message to its answer.

use serde_json::{Value, json};

use super::McpServer;
use super::messages::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, PARSE_ERROR,
    UNSUPPORTED_VERSION, error, result,
};
use super::tool_call::Caller;

/// The version without handshake.
const MODERN_VERSION: &str = "2026-07-28";
/// Versions with a handshake, the newest first.
const LEGACY_VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// All versions, the newest first.
pub(crate) const SUPPORTED_VERSIONS: [&str; 4] =
    [MODERN_VERSION, LEGACY_VERSIONS[0], LEGACY_VERSIONS[1], LEGACY_VERSIONS[2]];
/// Messages of a batch. Only 2025-03-26 has batches.
const MAX_BATCH: usize = 20;
/// For how long a client may keep the list of tools: they change with a release only.
const LIST_TTL_MS: u64 = 3_600_000;
const VERSION_MEMBER: &str = "io.modelcontextprotocol/protocolVersion";

/// How a message came.
#[derive(Debug)]
pub(super) enum Transport {
    Stdio,
    /// With the header fields that repeat parts of the body.
    Http {
        version: Option<String>,
        method: Option<String>,
        name: Option<String>,
    },
}

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Message { status: u16, body: String },
    Nothing,
}

impl McpServer {
    pub(super) async fn answer_body(
        &self,
        body: &[u8],
        transport: &Transport,
        caller: &Caller,
    ) -> Answer {
        let Ok(value) = contract::json::parse_value(body) else {
            return refusal(None, PARSE_ERROR, "The message is not valid JSON.");
        };
        let Value::Array(messages) = value else {
            return self.answer_value(value, transport, caller).await;
        };
        if messages.is_empty() || messages.len() > MAX_BATCH {
            let sentence = format!("A batch has 1 to {MAX_BATCH} messages.");
            return refusal(None, INVALID_REQUEST, &sentence);
        }
        let mut answers = Vec::new();
        for message in messages {
            if let Answer::Message { body, .. } =
                self.answer_value(message, transport, caller).await
            {
                answers.push(body);
            }
        }
        if answers.is_empty() {
            return Answer::Nothing;
        }
        Answer::Message { status: 200, body: format!("[{}]", answers.join(",")) }
    }

    async fn answer_value(&self, value: Value, transport: &Transport, caller: &Caller) -> Answer {
        let message = match Message::parse(value) {
            Ok(message) => message,
            Err(code) => return refusal(None, code, "The message is not a JSON-RPC 2.0 request."),
        };
        let Some(id) = &message.id else { return Answer::Nothing };
        let is_modern = match check_version(&message, transport) {
            Ok(is_modern) => is_modern,
            Err(answer) => return answer,
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
            "websiteUrl": self.issuer.url("/"),
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
                            action, `resolve` tells everything that is known. Answers are signed.";

/// Whether a message is of the era without handshake.
fn check_version(message: &Message, transport: &Transport) -> Result<bool, Answer> {
    let id = message.id.as_ref();
    let in_body =
        message.params.pointer("/_meta").and_then(|meta| meta.get(VERSION_MEMBER)?.as_str());
    let Transport::Http { version, method, name } = transport else {
        return match in_body {
            Some(MODERN_VERSION) => Ok(true),
            Some(other) => Err(unsupported(id, other)),
            None => Ok(message.method == "server/discover"),
        };
    };
    match version.as_deref() {
        Some(MODERN_VERSION) => {}
        // A client that has not agreed on a version yet sends none.
        None if in_body.is_some() => {
            return Err(refusal(
                id,
                HEADER_MISMATCH,
                "The header MCP-Protocol-Version is missing.",
            ));
        }
        None => return Ok(false),
        Some(version) if LEGACY_VERSIONS.contains(&version) => return Ok(false),
        Some(other) => return Err(unsupported(id, other)),
    }
    let mismatch = |what: &str| {
        let sentence = format!("The header {what} differs from the message.");
        Err(refusal(id, HEADER_MISMATCH, &sentence))
    };
    if in_body != Some(MODERN_VERSION) {
        return mismatch("MCP-Protocol-Version");
    }
    if method.as_deref() != Some(message.method.as_str()) {
        return mismatch("Mcp-Method");
    }
    let called = message.params.get("name").and_then(Value::as_str);
    if message.method == "tools/call" && name.as_deref() != called {
        return mismatch("Mcp-Name");
    }
    Ok(true)
}

fn unsupported(id: Option<&Value>, requested: &str) -> Answer {
    let data = json!({ "supported": SUPPORTED_VERSIONS, "requested": short(requested) });
    let sentence = "This version of the protocol is not supported.";
    Answer::Message { status: 400, body: error(id, UNSUPPORTED_VERSION, sentence, Some(data)) }
}

fn refusal(id: Option<&Value>, code: i64, sentence: &str) -> Answer {
    Answer::Message { status: 400, body: error(id, code, sentence, None) }
}

/// The beginning of a text of the client, to name it in an error.
fn short(text: &str) -> String {
    text.chars().take(64).collect()
}
