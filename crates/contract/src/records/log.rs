//! The transparency log as served: its description, tree heads, leaves, proofs, and heads that
//! readers submit. Heads are kept complete, including members that this version does not know,
//! because their digest covers all members.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::request_bounds::RequestList;
use super::{LogRules, ReplacedSignature, Signature, SignatureKey, TreeHead};
use crate::{Timestamp, limits, open_enum};

/// `{brand}-log`: the current state of the log. Signed by the documents key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub log_id: String,
    pub generated_at: Timestamp,
    /// How many leaves the log has.
    pub tree_size: u64,
    /// How many batches there are. They are numbered from 0.
    pub batches: u64,
    /// The newest signed tree head; null while the log is empty.
    #[schema(required, value_type = Option<TreeHead>)]
    pub head: Option<Value>,
    #[schema(required)]
    pub latest: Option<LatestBatchRef>,
    #[schema(required)]
    pub first: Option<FirstBatchRef>,
    pub rules: LogRules,
    /// What a decision's leaf hash is computed over, as text.
    pub content_rule: String,
    /// The key that currently signs tree heads.
    pub key: SignatureKey,
    /// The address of the newest tree head that a witness cosigned.
    pub witnesses: String,
    pub promise: LogPromise,
    pub checkpoint: LogCheckpoint,
    /// The address prefix of the tiles of the tree over all leaves, with C2SP tile paths.
    pub tiles: String,
    /// The address of the log as a folder of files that can be mirrored.
    pub files: String,
    /// How many submitted tree heads carry this log's signature but are not part of its chain. Any
    /// value above 0 is an incident.
    pub contradictions: u64,
    /// Batches, newest first; empty unless requested with `limit` or `cursor`.
    pub list: Vec<LogBatchEntry>,
    /// Send this as `cursor` for the next page; null at the end of the list.
    #[schema(required)]
    pub cursor: Option<String>,
    pub has_more: bool,
    /// The position of the leaf that was requested with `leaf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lookup: Option<LogLookup>,
    pub verify: LogVerify,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The newest batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LatestBatchRef {
    pub batch: u64,
    pub sth_sha256: String,
    pub created_at: Timestamp,
    pub address: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FirstBatchRef {
    pub batch: u64,
    pub address: String,
}

/// The time limits that the log guarantees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPromise {
    /// Seconds, rounded up, until a waiting entry is in a batch. There are no empty batches.
    pub max_batch_interval_s: u64,
    /// Seconds between serving an answer and signing its batch: 0, because the batch is signed
    /// first.
    pub max_delay_s: u64,
}

/// How to read the log as a C2SP tlog-tiles log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogCheckpoint {
    /// The log's origin line in checkpoints.
    pub origin: String,
    /// The verifier key of the signed note.
    pub vkey: String,
    pub address: String,
}

/// A batch as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogBatchEntry {
    pub batch: u64,
    pub first_index: u64,
    pub batch_size: u64,
    pub tree_size: u64,
    pub batch_root: String,
    pub sth_sha256: String,
    pub created_at: Timestamp,
}

/// The position of a leaf. All members but `state` and `leaf_hash` are null when it is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogLookup {
    pub state: LookupState,
    pub leaf_hash: String,
    #[schema(required)]
    pub batch: Option<u64>,
    /// The position inside the sorted batch, from 0.
    #[schema(required)]
    pub index: Option<u64>,
    #[schema(required)]
    pub log_index: Option<u64>,
    /// The inclusion path from the leaf to the batch root.
    #[schema(required)]
    pub path: Option<Vec<String>>,
    #[schema(required, value_type = Option<TreeHead>)]
    pub sth: Option<Value>,
}

open_enum! {
    /// Whether a leaf is in the log.
    pub enum LookupState { Included = "included", Unknown = "unknown" }
}

/// How to verify the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogVerify {
    pub how: String,
    /// The address of the offline verifier.
    pub verifier: String,
}

/// The response of `GET /api/v1/log/sth/{batch}`: a tree head with its leaves and witnesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogSth {
    #[schema(value_type = TreeHead)]
    pub sth: Value,
    pub witnesses: Vec<WitnessCosignature>,
    /// The batch's leaves in tree order.
    pub leaves: Vec<String>,
    /// Present if the key that signed the head was reported as compromised: `sth` has the same content, and
    /// a signature by a later key as of the start of that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
}

/// A witness's cosignature: it saw the log at this size, consistent with every size it saw before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WitnessCosignature {
    /// The cosignature, as a line of a C2SP signed note.
    pub token: String,
    /// The time according to the witness.
    pub at: Timestamp,
    /// The witness that made the cosignature; null when unknown.
    #[schema(required)]
    pub run: Option<String>,
    /// The witness's name, as in the token.
    pub name: String,
}

/// The response of `GET /api/v1/log/sths`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogSths {
    /// Complete signed tree heads, newest first.
    #[schema(value_type = Vec<TreeHead>)]
    pub sths: Vec<Value>,
    /// The batch of the first head; null when there are none.
    #[schema(required)]
    pub to: Option<u64>,
    /// How many heads are listed.
    pub n: u64,
}

/// The response of `GET /api/v1/log/leaves/{batch}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLeaves {
    pub log_id: String,
    pub batch: u64,
    pub first_index: u64,
    pub batch_size: u64,
    /// The root that the leaves must hash to.
    pub batch_root: String,
    pub sth_sha256: String,
    /// In tree order: strictly ascending.
    pub leaves: Vec<String>,
}

/// The response of `GET /api/v1/log/inclusion`: a leaf's inclusion paths to the root of its batch
/// and to the root over all leaves of the log at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogInclusion {
    pub log_id: String,
    pub leaf_hash: String,
    pub batch: u64,
    pub index: u64,
    pub log_index: u64,
    pub batch_size: u64,
    /// The path from the leaf to the batch root that `sth` signs.
    pub path: Vec<String>,
    #[schema(value_type = TreeHead)]
    pub sth: Value,
    pub tree_size: u64,
    pub tree_root: String,
    /// The path from the leaf at `log_index` to `tree_root`.
    pub tree_path: Vec<String>,
}

/// The response of `GET /api/v1/log/consistency`: a proof that the log at `to` starts with all
/// leaves of the log at `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogConsistency {
    pub log_id: String,
    pub from: LogSize,
    pub to: LogSize,
    /// The consistency proof of RFC 9162, section 2.1.4.
    pub proof: Vec<String>,
}

/// The log at a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogSize {
    pub tree_size: u64,
    pub tree_root: String,
}

/// The response of `GET /api/v1/log/absence`: a proof that a leaf is not in a batch, because the
/// leaves before and after its position are adjacent. It covers this batch only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogAbsence {
    pub log_id: String,
    pub leaf_hash: String,
    pub batch: u64,
    pub state: AbsenceState,
    /// The leaf's own position, when it is in the batch.
    #[schema(required)]
    pub found: Option<LogNeighbour>,
    /// The last leaf before its position; null when it would be the first.
    #[schema(required)]
    pub left: Option<LogNeighbour>,
    /// The first leaf after its position; null when it would be the last.
    #[schema(required)]
    pub right: Option<LogNeighbour>,
    #[schema(value_type = TreeHead)]
    pub sth: Value,
}

open_enum! {
    /// Whether a leaf is in the requested batch.
    pub enum AbsenceState { Absent = "absent", Included = "included" }
}

/// A leaf of a batch and its path to the batch root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogNeighbour {
    pub leaf_hash: String,
    pub index: u64,
    pub path: Vec<String>,
}

/// The response of `GET /api/v1/log/witness/latest`: the newest tree head that a witness cosigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogWitnessedHead {
    pub batch: u64,
    pub tree_size: u64,
    pub sth_sha256: String,
    /// The signed note with all cosignatures.
    pub checkpoint: String,
    pub witnesses: Vec<WitnessCosignature>,
}

/// The body of `POST /api/v1/log/gossip`: tree heads that the caller received as heads of this log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct GossipRequest {
    /// Complete signed tree heads.
    #[schema(value_type = BTreeSet<Object>, min_items = 1, max_items = 50)]
    pub sths: RequestList<Map<String, Value>, 1, { limits::GOSSIP_HEADS_MAX }>,
}

objects_only!(GossipRequest);

/// The result of checking submitted tree heads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GossipAnswer {
    pub log_id: String,
    pub checked: u64,
    /// How many carry this log's signature but are not part of its chain.
    pub contradictions: u64,
    /// One result per head, in request order.
    pub results: Vec<GossipResult>,
    /// Batch and digest of this log's newest head, for comparison; null while the log is empty.
    #[schema(required)]
    pub head: Option<LatestBatchRef>,
    /// What this service does with submitted heads, as text.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GossipResult {
    pub state: GossipState,
    /// As stated in the head; null when it states none.
    #[schema(required)]
    pub batch: Option<u64>,
    #[schema(required)]
    pub sth_sha256: Option<String>,
    /// What was found, as text.
    pub why: String,
}

open_enum! {
    /// How a submitted tree head relates to this log.
    pub enum GossipState {
        /// It is part of this log's chain.
        Known = "known",
        /// Not a head of this log, or not signed by it: anyone could have created it.
        NotOurs = "not_ours",
        /// Signed by this log's key, but not part of its chain.
        Contradicts = "contradicts",
        /// Signed by this log's key, for a batch that this log does not have yet.
        Ahead = "ahead",
    }
}
