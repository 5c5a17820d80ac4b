//! The scans of the MCP servers that a domain declares (`GET /api/v1/mcp/scan?domain=`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{McpScan, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-mcp-domain-scans`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpDomainScans {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub scanned_at: Timestamp,
    pub state: McpDomainState,
    /// Why nothing was scanned, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    /// When the files of the domain were read that declare the servers; null if they never were.
    #[schema(required)]
    pub declared_at: Option<Timestamp>,
    /// In the order of the declarations, at most three.
    pub endpoints: Vec<McpDeclaredEndpoint>,
    /// Declared servers beyond these, which were not scanned.
    pub left_out: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    pub enum McpDomainState {
        /// The domain declares servers; each says how its scan went.
        Observed = "observed",
        /// The files of the domain were read, and none declares a server.
        NoneDeclared = "none_declared",
        NotMeasured = "not_measured",
    }
}

/// A server that a file of the domain declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpDeclaredEndpoint {
    /// Null when what the file says cannot be read as the URL of a public server.
    #[schema(required)]
    pub url: Option<String>,
    /// What the file says, if it is not a URL that can be used; hidden characters spelled out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_url: Option<String>,
    /// The path of the file.
    pub source: String,
    /// The state of the scan, or `not_measured`.
    pub state: McpEndpointState,
    /// Why there is no scan, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    /// The signed scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scan: Option<Box<McpScan>>,
}

open_enum! {
    pub enum McpEndpointState {
        Observed = "observed",
        AuthRequired = "auth_required",
        NotMcp = "not_mcp",
        Unreachable = "unreachable",
        Incomplete = "incomplete",
        NotMeasured = "not_measured",
    }
}
