//! Makes a lock from a complete surface.

use contract::Timestamp;
use contract::records::{
    McpConditions, McpInput, McpLock, McpLockItem, McpLockServer, McpLockTool, McpScanReference,
};
use serde_json::Value;

use crate::mcp::surface::{HASH_SCHEME, Item, ItemDigests, ListKind, Surface};
use crate::mcp::untrusted::{display_name, lock_name, untrusted_text};

/// The most inputs of a tool that a lock lists.
const MAX_INPUTS: usize = 256;

/// What a lock says besides the digests.
#[derive(Debug, Clone, PartialEq)]
pub struct LockInputs {
    pub kind: String,
    pub schema: String,
    pub url: Option<String>,
    pub locked_at: Timestamp,
    pub conditions: McpConditions,
    pub server_name: Option<String>,
    pub server_version: Option<String>,
    pub scan: Option<McpScanReference>,
}

/// Why no lock can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LockRefusal {
    #[error("The lists of the server are not complete, so they cannot be locked.")]
    Incomplete,
    #[error(
        "A list has an item that is not an object or is nested too deeply, so it has no digest."
    )]
    NoDigest,
}

/// The lock of a surface, not signed yet.
pub fn make_lock(surface: &Surface, inputs: LockInputs) -> Result<McpLock, LockRefusal> {
    if !surface.is_complete() {
        return Err(LockRefusal::Incomplete);
    }
    let surface_sha256 = surface.digests.surface.clone().ok_or(LockRefusal::NoDigest)?;
    let mut tools = surface
        .list(ListKind::Tools)
        .map(|item| lock_tool(item, item.digests.as_ref()?))
        .collect::<Option<Vec<_>>>()
        .ok_or(LockRefusal::NoDigest)?;
    tools.sort_by(|a, b| (&a.name, &a.sha256).cmp(&(&b.name, &b.sha256)));
    let items = |list| {
        let mut items: Vec<McpLockItem> = surface
            .list(list)
            .filter_map(|item| {
                let digests = item.digests.as_ref()?;
                Some(McpLockItem {
                    name: display_name(&item.name),
                    definition_sha256: digests.definition.clone(),
                    contract_sha256: digests.contract.clone(),
                })
            })
            .collect();
        items.sort_by(|a, b| (&a.name, &a.definition_sha256).cmp(&(&b.name, &b.definition_sha256)));
        items
    };
    Ok(McpLock {
        v: 1,
        schema: inputs.schema,
        locked_at: inputs.locked_at,
        server: McpLockServer {
            url: inputs.url,
            untrusted_name: inputs.server_name.as_deref().map(untrusted_text),
            untrusted_version: inputs.server_version.as_deref().map(untrusted_text),
        },
        // With the brand of the lock, as in its kind.
        hash: inputs
            .kind
            .strip_suffix("mcp-lock")
            .map_or_else(|| HASH_SCHEME.to_owned(), |brand| format!("{brand}{HASH_SCHEME}")),
        kind: inputs.kind,
        conditions: inputs.conditions,
        count: u32::try_from(tools.len()).unwrap_or(u32::MAX),
        tools,
        tools_sha256: surface.digests.tools.clone(),
        surface_sha256,
        instructions_sha256: surface.digests.instructions.clone(),
        prompts: items(ListKind::Prompts),
        resources: items(ListKind::Resources),
        resource_templates: items(ListKind::ResourceTemplates),
        scan: inputs.scan,
        sha256: None,
        signature: None,
    })
}

pub(super) fn lock_tool(item: &Item, digests: &ItemDigests) -> Option<McpLockTool> {
    Some(McpLockTool {
        name: lock_name(&item.name),
        sha256: digests.tool.clone()?,
        definition_sha256: digests.definition.clone(),
        contract_sha256: digests.contract.clone(),
        fields: digests.fields.clone(),
        inputs: tool_inputs(item),
    })
}

/// The inputs that the schema of a tool names.
pub(super) fn tool_inputs(item: &Item) -> Vec<McpInput> {
    let schema = item.members.get("inputSchema");
    let required: Vec<&str> = schema
        .and_then(|schema| schema.get("required"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MAX_INPUTS)
        .collect();
    schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .take(MAX_INPUTS)
        .map(|(name, input)| {
            let mut types: Vec<String> = match input.get("type") {
                Some(Value::String(one)) => vec![display_name(one)],
                Some(Value::Array(several)) => {
                    several.iter().filter_map(Value::as_str).take(8).map(display_name).collect()
                }
                _ => Vec::new(),
            };
            types.sort_unstable();
            let required = required.contains(&name.as_str());
            McpInput { name: display_name(name), required, types }
        })
        .collect()
}
