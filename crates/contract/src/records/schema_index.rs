//! The list of schemas.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// `{brand}-schema-index`: the response of `GET /api/v1/schema?list=1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SchemaIndex {
    pub kind: String,
    pub v: u32,
    pub schemas: Vec<SchemaIndexEntry>,
}

/// A kind of record and its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SchemaIndexEntry {
    pub kind: String,
    pub v: u32,
    pub title: String,
    /// The section of the interface that defines it.
    pub section: String,
    pub address: String,
    pub schema_sha256: String,
}
