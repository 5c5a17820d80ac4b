//! The versions of the protocol, and which of them a message belongs to.

use serde_json::{Value, json};

use super::messages::{HEADER_MISMATCH, INVALID_PARAMS, Message, UNSUPPORTED_VERSION, error};

/// The version without handshake.
const MODERN_VERSION: &str = "2026-07-28";
/// Versions with a handshake, the newest first.
pub(super) const LEGACY_VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// All versions, the newest first.
pub(crate) const SUPPORTED_VERSIONS: [&str; 4] =
    [MODERN_VERSION, LEGACY_VERSIONS[0], LEGACY_VERSIONS[1], LEGACY_VERSIONS[2]];
/// The only version with batches. Its clients do not name the version in a header.
const BATCH_VERSION: &str = "2025-03-26";
const VERSION_MEMBER: &str = "io.modelcontextprotocol/protocolVersion";

const CAPABILITIES_MEMBER: &str = "io.modelcontextprotocol/clientCapabilities";

/// The header fields that repeat parts of the body.
#[derive(Debug, Default)]
pub(super) struct McpHeaders {
    pub(super) version: Option<String>,
    pub(super) method: Option<String>,
    pub(super) name: Option<String>,
}

impl McpHeaders {
    pub(super) fn allow_batches(&self) -> bool {
        self.version.as_deref().is_none_or(|version| version == BATCH_VERSION)
    }
}

/// Whether a message is of the era without handshake. The error is the body of a 400.
pub(super) fn is_modern(message: &Message, headers: &McpHeaders) -> Result<bool, String> {
    let id = message.id.as_ref();
    let in_body = version_in_body(&message.params);
    match headers.version.as_deref() {
        Some(MODERN_VERSION) => {}
        None if in_body.is_some() => {
            let sentence = "The header MCP-Protocol-Version is missing.";
            return Err(error(id, HEADER_MISMATCH, sentence, None));
        }
        // A client that has not agreed on a version yet sends none.
        None => return Ok(false),
        Some(version) if LEGACY_VERSIONS.contains(&version) => return Ok(false),
        Some(other) => return Err(unsupported(id, other)),
    }
    let mismatch = |what: &str| {
        let sentence = format!("The header {what} differs from the message.");
        Err(error(id, HEADER_MISMATCH, &sentence, None))
    };
    let invalid = |member: &str| {
        let sentence = format!("`params._meta` has no `{member}`.");
        Err(error(id, INVALID_PARAMS, &sentence, None))
    };
    match in_body {
        None => return invalid(VERSION_MEMBER),
        Some(MODERN_VERSION) => {}
        Some(_) => return mismatch("MCP-Protocol-Version"),
    }
    let meta = message.params.get("_meta");
    if !meta.and_then(|meta| meta.get(CAPABILITIES_MEMBER)).is_some_and(Value::is_object) {
        return invalid(CAPABILITIES_MEMBER);
    }
    if headers.method.as_deref() != Some(message.method.as_str()) {
        return mismatch("Mcp-Method");
    }
    let called = message.params.get("name").and_then(Value::as_str);
    if message.method == "tools/call" && headers.name.as_deref() != called {
        return mismatch("Mcp-Name");
    }
    Ok(true)
}

fn version_in_body(params: &Value) -> Option<&str> {
    params.get("_meta")?.get(VERSION_MEMBER)?.as_str()
}

fn unsupported(id: Option<&Value>, requested: &str) -> String {
    let requested: String = requested.chars().take(64).collect();
    let data = json!({ "supported": SUPPORTED_VERSIONS, "requested": requested });
    error(id, UNSUPPORTED_VERSION, "This version of the protocol is not supported.", Some(data))
}
