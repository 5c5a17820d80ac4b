//! The core contract (section 1): the operations with a stability promise, and the promise.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::records::Signature;
use crate::{Brand, Timestamp, limits};

/// One operation of the core contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreOperation {
    pub method: &'static str,
    pub path: &'static str,
    pub operation_id: &'static str,
}

const fn operation(
    method: &'static str,
    path: &'static str,
    operation_id: &'static str,
) -> CoreOperation {
    CoreOperation { method, path, operation_id }
}

/// In the order of the interface.
pub const CORE_OPERATIONS: [CoreOperation; 9] = [
    operation("GET", "/api/v1/resolve", "resolveDomainV1"),
    operation("POST", "/api/v1/resolve", "resolveBatchV1"),
    operation("POST", "/api/v1/preflight", "preflightV1"),
    operation("GET", "/api/v1/decisions/{sha256}", "decisionCheckV1"),
    operation("GET", "/api/v1/revocations", "revocations"),
    operation("GET", "/api/v1/visitor", "visitorResolveV1"),
    operation("POST", "/api/v1/visitor", "visitorResolveBatchV1"),
    operation("GET", "/api/v1/mcp/scan", "mcpScanUrl"),
    operation("POST", "/api/v1/mcp/lock/check", "mcpLockCheck"),
];

/// The version of the interface.
pub const INTERFACE_VERSION: &str = "1";
/// Notice, in days, before a provisional field changes.
pub const PROVISIONAL_NOTICE_DAYS: u32 = 30;

/// `{brand}-core`: the answer of `GET /api/v1/core`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoreContract {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub interface_version: String,
    pub operations: Vec<CoreOperationEntry>,
    pub promise: CorePromise,
    /// The next version of the interface; null until one is announced.
    #[schema(required)]
    pub successor: Option<CoreSuccessor>,
    /// The address of the OpenAPI document.
    pub openapi: String,
    /// The address of the list of schemas.
    pub schemas: String,
    /// The address of the key directory.
    pub keys: String,
    /// The address of the offline verifier.
    #[schema(required)]
    pub verifier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoreOperationEntry {
    pub method: String,
    pub path: String,
    #[serde(rename = "operationId")]
    pub operation_id: String,
    /// `core`.
    pub stability: String,
    /// Whether this build implements the operation.
    pub served: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorePromise {
    /// Days that the core operations keep answering after a successor is announced.
    pub min_days_after_successor: u32,
    /// Notice, in days, before a provisional field changes.
    pub provisional_notice_days: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoreSuccessor {
    pub version: String,
    pub announced_at: Timestamp,
    /// Version 1 keeps answering at least until then.
    pub v1_answers_until: Timestamp,
}

impl CoreContract {
    /// The current contract, unsigned. `served` tells which operations (by id) this build
    /// implements.
    #[must_use]
    pub fn current(brand: &Brand, base_url: &str, served: &dyn Fn(&str) -> bool) -> Self {
        let at = |path: &str| format!("{base_url}{path}");
        Self {
            kind: brand.kind("core"),
            v: 1,
            schema: crate::schema_address::schema_url("core", brand, base_url),
            interface_version: INTERFACE_VERSION.to_owned(),
            operations: CORE_OPERATIONS
                .iter()
                .map(|operation| CoreOperationEntry {
                    method: operation.method.to_owned(),
                    path: operation.path.to_owned(),
                    operation_id: operation.operation_id.to_owned(),
                    stability: "core".to_owned(),
                    served: served(operation.operation_id),
                })
                .collect(),
            promise: CorePromise {
                min_days_after_successor: limits::CORE_NOTICE_DAYS,
                provisional_notice_days: PROVISIONAL_NOTICE_DAYS,
            },
            successor: None,
            openapi: at("/openapi.json"),
            schemas: at("/api/v1/schema?list=1"),
            keys: at("/.well-known/http-message-signatures-directory"),
            verifier: Some(at("/crawlcheck-verify.mjs")),
            sha256: None,
            signature: None,
        }
    }
}
