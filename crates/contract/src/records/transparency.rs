//! 2.11: an answer's position in the log, tree heads, and the signature block.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Timestamp, open_enum};

/// The signature block that ends every signed record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Signature {
    pub v: u32,
    /// `Ed25519`.
    pub alg: String,
    /// The RFC 7638 thumbprint of the key.
    pub kid: String,
    /// Always `sha256`: the member that is signed.
    pub over: String,
    /// The signed message: `{brand}-data-v1`, a line feed, the hex digest.
    pub message: String,
    /// Base64url without padding.
    pub sig: String,
    pub signed_at: Timestamp,
    pub key: SignatureKey,
    /// How the digest is computed, as text.
    pub canonical: String,
}

impl Signature {
    pub const V: u32 = 1;
    pub const ALG: &str = "Ed25519";
    pub const OVER: &str = "sha256";
}

/// The signature that a stored record had before: the key behind it, or behind a record inside it, was
/// reported as compromised, so the record was signed again when it was read. Without this member, and with
/// `sha256` and `signature` from here, it is the record as it was stored. (The head inside an answer may have
/// a new signature too.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplacedSignature {
    /// `key_compromised`.
    pub why: String,
    /// The compromised key.
    pub kid: String,
    pub compromised_since: Timestamp,
    /// The time of the new signature: the start of the key that made it.
    pub at: Timestamp,
    /// The digest of the record as it was stored.
    pub sha256: String,
    /// It proves nothing by itself any more.
    pub signature: Signature,
}

impl ReplacedSignature {
    pub const MEMBER: &str = "replaced_signature";
    pub const KEY_COMPROMISED: &str = "key_compromised";
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignatureKey {
    pub kid: String,
    pub jwk: Jwk,
    /// The address of the key directory.
    pub published_in: String,
}

/// The public part of a signing key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
    /// `OKP`.
    pub kty: String,
    /// `Ed25519`.
    pub crv: String,
    /// Base64url without padding.
    pub x: String,
}

impl Jwk {
    pub const KTY: &str = "OKP";
    pub const CRV: &str = "Ed25519";
}

/// The position of an answer in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Transparency {
    pub state: LogState,
    pub log_id: String,
    pub leaf_hash: String,
    pub batch: u64,
    /// The position inside the sorted batch, from 0.
    pub index: u64,
    /// The position in the whole log: the batch's first index plus `index`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub log_index: Option<u64>,
    pub batch_size: u64,
    /// From the leaf's sibling up to the root's child.
    pub path: Vec<String>,
    pub sth: TreeHead,
    /// The address where witnesses are listed.
    pub witnesses: String,
    /// What the leaf hash is computed over, as text.
    pub content_rule: String,
}

open_enum! {
    /// Whether an answer is in the log yet.
    pub enum LogState { Included = "included", Pending = "pending" }
}

/// A signed tree head: the state of the log after one batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeHead {
    /// `{brand}-log-sth`.
    pub kind: String,
    pub v: u32,
    pub log_id: String,
    /// The first is 0.
    pub batch: u64,
    pub first_index: u64,
    pub batch_size: u64,
    pub tree_size: u64,
    pub batch_root: String,
    /// The root over all leaves in log order, if the log also maintains that tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tree_root: Option<String>,
    /// The previous head's own `sha256`; null for the first batch.
    #[schema(required)]
    pub prev_sth_sha256: Option<String>,
    pub created_at: Timestamp,
    pub rules: LogRules,
    /// The build that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code: Option<CodeObject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The rules of the log, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogRules {
    pub leaf: String,
    pub tree: String,
    pub chain: String,
}

/// The build and rules that produced a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CodeObject {
    pub version_id: String,
    /// The first 16 hex digits of the program file's SHA-256; null when unknown.
    #[schema(required)]
    pub script_sha16: Option<String>,
    pub state: CodeState,
    pub deployed: Deployment,
    #[schema(required)]
    pub build_log_entry: Option<u64>,
    pub score_version: u32,
    pub scoring_policy_sha256: String,
    pub decision_rules_sha256: String,
    /// The address of the build's record.
    pub check: String,
}

open_enum! {
    /// What is known about the origin of a build.
    pub enum CodeState {
        Attested = "attested",
        Declared = "declared",
        Unattested = "unattested",
        Revoked = "revoked",
    }
}

/// When and from what the build was deployed. Null when unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deployment {
    #[schema(required)]
    pub at: Option<Timestamp>,
    #[schema(required)]
    pub commit: Option<String>,
    #[schema(required)]
    pub run: Option<String>,
}
