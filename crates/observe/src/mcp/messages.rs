//! The messages of the protocol: which questions exist, how they are written, and how a response is
//! told from everything else.

use contract::json::{Bom, Limits, OnDuplicate, parse};
use contract::mcp_evidence::{McpListKind, McpProblem, McpProblemReason as Reason};
use serde_json::{Value, json};

use super::problem::problem;
use super::raw_json;

/// Version of the era without handshake.
pub(super) const MODERN_VERSION: &str = "2026-07-28";
/// Versions with `initialize`, the newest first. The first three are offered in turn; lists have the
/// same form in all of them.
pub(super) const LEGACY_VERSIONS: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Every question that a walk asks. There is no other, so nothing else can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Discover,
    Initialize,
    Initialized,
    List(List),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Tools,
    Prompts,
    Resources,
    ResourceTemplates,
}

impl List {
    pub(super) const ALL: [Self; 4] =
        [Self::Tools, Self::Prompts, Self::Resources, Self::ResourceTemplates];

    pub(super) fn kind(self) -> McpListKind {
        match self {
            Self::Tools => McpListKind::Tools,
            Self::Prompts => McpListKind::Prompts,
            Self::Resources => McpListKind::Resources,
            Self::ResourceTemplates => McpListKind::ResourceTemplates,
        }
    }

    /// The capability that declares it.
    pub(super) fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::ResourceTemplates => "resources",
        }
    }

    /// The member of the result that has the items.
    pub(super) fn items_member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
        }
    }

    /// The member by which items are told apart.
    pub(super) fn name_member(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }
}

impl Method {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Initialize => "initialize",
            Self::Initialized => "notifications/initialized",
            Self::List(List::Tools) => "tools/list",
            Self::List(List::Prompts) => "prompts/list",
            Self::List(List::Resources) => "resources/list",
            Self::List(List::ResourceTemplates) => "resources/templates/list",
        }
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub(super) struct ClientInfo {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) website: String,
}

impl ClientInfo {
    fn to_json(&self) -> Value {
        json!({ "name": self.name, "version": self.version, "websiteUrl": self.website })
    }
}

/// A question of the era without handshake: every one says who asks.
pub(super) fn modern_question(
    method: Method,
    id: u64,
    cursor: Option<&str>,
    client: &ClientInfo,
) -> String {
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
        "io.modelcontextprotocol/clientInfo": client.to_json(),
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    if let (Some(cursor), Some(params)) = (cursor, params.as_object_mut()) {
        params.insert("cursor".to_owned(), cursor.into());
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method.as_str(), "params": params }).to_string()
}

pub(super) fn initialize_question(id: u64, version: &str, client: &ClientInfo) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": Method::Initialize.as_str(), "params": {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": client.to_json(),
    }})
    .to_string()
}

pub(super) fn legacy_question(method: Method, id: u64, cursor: Option<&str>) -> String {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
    json!({ "jsonrpc": "2.0", "id": id, "method": method.as_str(), "params": params }).to_string()
}

pub(super) fn initialized_notification() -> String {
    json!({ "jsonrpc": "2.0", "method": Method::Initialized.as_str() }).to_string()
}

/// A message of the server, as far as a walk needs it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// The response to this id.
    Response { id: Value, reply: Reply },
    /// A notification or a request of the server. Neither is answered.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Result(RpcResult),
    Error(RpcError),
}

/// A result: its text as received, and parsed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcResult {
    pub(super) text: String,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    /// `data.supported` of an error about versions.
    pub(super) supported: Vec<String>,
}

impl RpcError {
    pub(super) const METHOD_NOT_FOUND: i64 = -32601;
    pub(super) const INVALID_PARAMS: i64 = -32602;
    /// Only servers of the era without handshake know it.
    pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

    pub(super) fn to_problem(&self) -> McpProblem {
        let detail = format!("The server answered with the JSON-RPC error {}.", self.code);
        problem(Reason::RpcError, detail)
    }
}

/// The most versions of a server that are recorded, and their length.
const MAX_VERSIONS: usize = 32;
const MAX_VERSION_BYTES: usize = 64;

/// Short texts of an array: versions.
pub(super) fn version_list(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = items.iter().filter_map(Value::as_str);
    texts
        .filter(|text| text.len() <= MAX_VERSION_BYTES)
        .take(MAX_VERSIONS)
        .map(str::to_owned)
        .collect()
}

/// Parses what came in answer to a question: one message, or several in an array (2025-03-26).
pub(super) fn parse_messages(text: &str) -> Result<Vec<Message>, McpProblem> {
    const LIMITS: Limits = Limits {
        bytes: usize::MAX,
        depth: 100,
        values: contract::json::SITE_DOCUMENT_VALUES,
        max_integer: None,
        bom: Bom::Skip,
    };
    const MAX_BATCH: usize = 64;
    let keep_last = OnDuplicate::KeepLast { report_at_most: 0 };
    let parsed = parse(text.as_bytes(), &LIMITS, keep_last).map_err(|error| {
        let detail = format!("The answer is not JSON that is read: {}.", error.kind.as_str());
        problem(Reason::BadJson, detail)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match parsed.value {
        Value::Array(values) => {
            let texts = raw_json::items(text).ok_or_else(bad_response)?;
            values
                .into_iter()
                .zip(texts)
                .take(MAX_BATCH)
                .map(|(v, t)| parse_message(v, t))
                .collect()
        }
        value => Ok(vec![parse_message(value, text)?]),
    }
}

fn parse_message(mut value: Value, text: &str) -> Result<Message, McpProblem> {
    let members = value.as_object_mut().ok_or_else(bad_response)?;
    if members.contains_key("method") {
        return Ok(Message::Other);
    }
    let id = members.remove("id").unwrap_or(Value::Null);
    if let Some(error) = members.get("error") {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        let supported = version_list(error.pointer("/data/supported"));
        return Ok(Message::Response { id, reply: Reply::Error(RpcError { code, supported }) });
    }
    let Some(value @ Value::Object(_)) = members.remove("result") else {
        return Err(bad_response());
    };
    let text = raw_json::member(text, "result").ok_or_else(bad_response)?.to_owned();
    Ok(Message::Response { id, reply: Reply::Result(RpcResult { text, value }) })
}

fn bad_response() -> McpProblem {
    problem(Reason::BadResponse, "The answer is JSON, but not a response of JSON-RPC.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_results_stay_raw() {
        let text = r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[ ],"x":1.0, "x":2}}"#;
        let messages = parse_messages(text).unwrap();
        let [Message::Response { id, reply: Reply::Result(result) }] = messages.as_slice() else {
            panic!("{messages:?}")
        };
        assert_eq!((id, result.text.as_str()), (&json!(7), r#"{"tools":[ ],"x":1.0, "x":2}"#));
        let batch = r#"[{"method":"ping","id":1},{"id":2,"error":{"code":-32022,"data":{"supported":["2025-06-18",3]}}}]"#;
        let messages = parse_messages(batch).unwrap();
        assert_eq!(messages[0], Message::Other);
        let error = RpcError { code: -32022, supported: vec!["2025-06-18".into()] };
        assert_eq!(messages[1], Message::Response { id: json!(2), reply: Reply::Error(error) });
        for bad in ["", "<html>", "{\"id\":1", "7", "{\"id\":1}", "{\"id\":1,\"result\":[]}"] {
            assert!(parse_messages(bad).is_err(), "{bad}");
        }
        let deep =
            format!("{{\"id\":1,\"result\":{{\"a\":{}{}}}}}", "[".repeat(200), "]".repeat(200));
        assert_eq!(parse_messages(&deep).unwrap_err().reason, Reason::BadJson);
    }

    #[test]
    fn questions_say_what_they_must() {
        let client =
            ClientInfo { name: "n".into(), version: "1".into(), website: "https://w".into() };
        let text = modern_question(Method::List(List::Tools), 3, Some(""), &client);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["params"]["cursor"], "");
        assert_eq!(
            value["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
            MODERN_VERSION
        );
        let text = initialize_question(1, "2025-11-25", &client);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["params"]["capabilities"], json!({}));
        assert_eq!(value["params"]["clientInfo"]["websiteUrl"], "https://w");
    }
}
