//! Parses a lock that a caller holds: ours with all digests, or the public client's plain one.

use contract::Timestamp;
use contract::json::{self, Bom, Limits, OnDuplicate};
use contract::records::{McpConditions, McpLock, McpLockForm};
use proof::canonical;
use serde_json::{Map, Value};

use crate::mcp::surface::{HASH_SCHEME, MAX_ITEMS};

/// The largest lock that is read.
pub const MAX_LOCK_BYTES: usize = 4 << 20;
const LIMITS: Limits = Limits {
    bytes: MAX_LOCK_BYTES,
    depth: 64,
    values: 500_000,
    max_integer: Some(canonical::MAX_INTEGER),
    bom: Bom::Skip,
};

/// Why a lock cannot be used, and which member is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}`: {why}")]
pub struct BadLock {
    pub member: String,
    pub why: &'static str,
}

/// The name and digest of a tool in a plain lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainTool {
    pub(super) name: String,
    pub(super) sha256: String,
}

/// A lock whose members have the right types.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLock {
    pub(super) document: Map<String, Value>,
    pub(super) lock_sha256: String,
    pub(super) tools: Vec<PlainTool>,
    pub(super) tools_sha256: Option<String>,
    pub(super) url: Option<String>,
    pub(super) locked_at: Option<Timestamp>,
    /// Present when the lock has all digests, by our definition or another.
    pub(super) full: Option<McpLock>,
    /// The lock names a definition of digests that is not ours.
    pub(super) other_scheme: bool,
}

impl ParsedLock {
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    #[must_use]
    pub fn lock_sha256(&self) -> &str {
        &self.lock_sha256
    }

    #[must_use]
    pub fn conditions(&self) -> Option<&McpConditions> {
        self.full.as_ref().map(|lock| &lock.conditions)
    }

    #[must_use]
    pub fn locked_at(&self) -> Option<Timestamp> {
        self.locked_at
    }

    #[must_use]
    pub fn form(&self) -> McpLockForm {
        if self.full.is_some() { McpLockForm::Full } else { McpLockForm::Plain }
    }

    /// The whole lock, to check its signature.
    #[must_use]
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

fn bad(member: &str, why: &'static str) -> BadLock {
    BadLock { member: member.to_owned(), why }
}

/// Parses a lock. Repeated members, integers beyond 2^53 − 1 and wrong types are refused.
pub fn parse_lock(bytes: &[u8]) -> Result<ParsedLock, BadLock> {
    let parsed = json::parse(bytes, &LIMITS, OnDuplicate::Reject)
        .map_err(|error| bad("lock", error.kind.as_str()))?;
    let Value::Object(document) = parsed.value else {
        return Err(bad("lock", "must be an object"));
    };
    let is_lock = match document.get("kind") {
        Some(kind) => kind.as_str().is_some_and(|kind| kind.ends_with("-mcp-lock")),
        // A lock that the public client made by itself has no kind.
        None => document.contains_key("tools") && document.contains_key("tools_sha256"),
    };
    if !is_lock {
        return Err(bad("kind", "must be the kind of an MCP lock"));
    }
    let tools = parse_tools(&document)?;
    let tools_sha256 = match document.get("tools_sha256") {
        None | Some(Value::Null) => None,
        Some(value) => Some(digest("tools_sha256", value)?),
    };
    if let Some(count) = document.get("count")
        && count.as_u64() != u64::try_from(tools.len()).ok()
    {
        return Err(bad("count", "must be the number of tools"));
    }
    let server = match document.get("server") {
        None => None,
        Some(Value::Object(server)) => Some(server),
        Some(_) => return Err(bad("server", "must be an object")),
    };
    let url = server.and_then(|server| server.get("url")).or_else(|| document.get("url"));
    let url = match url {
        None | Some(Value::Null) => None,
        Some(Value::String(url)) if url.len() <= 2_048 => Some(url.clone()),
        Some(_) => return Err(bad("server.url", "must be an address of at most 2,048 bytes")),
    };
    let hash = document.get("hash");
    let (full, other_scheme) = match hash {
        None => (None, false),
        Some(Value::String(hash)) if is_our_scheme(hash) => (Some(parse_full(&document)?), false),
        Some(Value::String(_)) => (None, true),
        Some(_) => return Err(bad("hash", "must be a string")),
    };
    let locked_at = match &full {
        Some(full) => Some(full.locked_at),
        None => document.get("locked_at").and_then(Value::as_str).and_then(|at| at.parse().ok()),
    };
    let lock_sha256 = canonical::document_digest(&document)
        .map_err(|_| bad("lock", "has no canonical form"))?
        .to_hex();
    Ok(ParsedLock {
        document,
        lock_sha256,
        tools,
        tools_sha256,
        url,
        locked_at,
        full,
        other_scheme,
    })
}

/// The scheme, also with the word of a service before it.
fn is_our_scheme(hash: &str) -> bool {
    hash == HASH_SCHEME || hash.strip_suffix(HASH_SCHEME).is_some_and(|brand| brand.ends_with('-'))
}

fn parse_full(document: &Map<String, Value>) -> Result<McpLock, BadLock> {
    let lock: McpLock = serde_json::from_value(Value::Object(document.clone()))
        .map_err(|_| bad("lock", "has a member that is missing or of the wrong type"))?;
    let lists = [&lock.prompts, &lock.resources, &lock.resource_templates];
    let total = lists.iter().fold(lock.tools.len(), |sum, list| sum.saturating_add(list.len()));
    if total > MAX_ITEMS {
        return Err(bad("tools", "the lists have more than 2,000 items"));
    }
    if !is_digest(&lock.surface_sha256) {
        return Err(bad("surface_sha256", "must be 64 hex digits"));
    }
    Ok(lock)
}

fn parse_tools(document: &Map<String, Value>) -> Result<Vec<PlainTool>, BadLock> {
    let Some(Value::Array(list)) = document.get("tools") else {
        return Err(bad("tools", "must be a list"));
    };
    if list.len() > MAX_ITEMS {
        return Err(bad("tools", "has more than 2,000 items"));
    }
    list.iter()
        .enumerate()
        .map(|(index, tool)| {
            let name = tool
                .get("name")
                .and_then(Value::as_str)
                .ok_or_else(|| bad(&format!("tools[{index}].name"), "must be a string"))?;
            let member = format!("tools[{index}].sha256");
            let value = tool.get("sha256").unwrap_or(&Value::Null);
            Ok(PlainTool { name: name.to_owned(), sha256: digest(&member, value)? })
        })
        .collect()
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn digest(member: &str, value: &Value) -> Result<String, BadLock> {
    match value {
        Value::String(text) if is_digest(text) => Ok(text.clone()),
        _ => Err(bad(member, "must be 64 hex digits")),
    }
}
