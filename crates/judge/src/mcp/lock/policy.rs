//! How much each kind of change weighs for the caller.

use contract::records::McpDriftLevel;
use serde::{Deserialize, Serialize};

/// The level of each kind of change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriftPolicy {
    /// Changed texts.
    pub prose: McpDriftLevel,
    pub added: McpDriftLevel,
    pub removed: McpDriftLevel,
    /// Changed schemas and annotations.
    pub contract: McpDriftLevel,
}

impl Default for DriftPolicy {
    fn default() -> Self {
        Self {
            prose: McpDriftLevel::Confirm,
            added: McpDriftLevel::Confirm,
            removed: McpDriftLevel::Info,
            contract: McpDriftLevel::Block,
        }
    }
}

/// Levels in ascending order; one of a later version is as strict as `block`.
pub(super) fn strictness(level: &McpDriftLevel) -> u8 {
    match level {
        McpDriftLevel::Info => 0,
        McpDriftLevel::Confirm => 1,
        McpDriftLevel::Block | McpDriftLevel::Unrecognised(_) => 2,
    }
}
