//! What is served of the transparency log: its description, heads, leaves, proofs, and what its
//! readers tell us. Heads are carried whole, also with members that this version does not know:
//! without them their digest would not hold.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{LogRules, Signature, SignatureKey, TreeHead};
use crate::{Timestamp, limits, open_enum};

/// `{brand}-log`: the log as it stands. Signed by the documents key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub log_id: String,
    pub generated_at: Timestamp,
    /// Leaves in the log.
    pub tree_size: u64,
    /// How many batches there are; the newest has the number before this one.
    pub batches: u64,
    /// The newest signed head, whole; null while the log is empty.
    #[schema(required, value_type = Option<TreeHead>)]
    pub head: Option<Value>,
    #[schema(required)]
    pub latest: Option<LogLatest>,
    #[schema(required)]
    pub first: Option<LogFirst>,
    pub rules: LogRules,
    /// What the leaf of a decision is taken over, in words.
    pub content_rule: String,
    /// The key that signs heads now.
    pub key: SignatureKey,
    /// The address of the newest head that a witness cosigned.
    pub witnesses: String,
    pub promise: LogPromise,
    pub checkpoint: LogCheckpoint,
    /// The address below which the tiles of the tree over all leaves are, as C2SP names them.
    pub tiles: String,
    /// The address of the log as a folder of files, which can be copied whole.
    pub files: String,
    /// How many heads we were shown that bear our signature and are not of this log. Anything but
    /// 0 is an incident.
    pub contradictions: u64,
    /// Batches, the newest first; empty unless asked for with `limit` or `cursor`.
    pub list: Vec<LogBatchEntry>,
    /// What to ask for next, as `cursor`; null at the end of the list.
    #[schema(required)]
    pub cursor: Option<String>,
    pub has_more: bool,
    /// Where the leaf is that was asked for with `leaf`.
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
pub struct LogLatest {
    pub batch: u64,
    pub sth_sha256: String,
    pub created_at: Timestamp,
    pub address: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogFirst {
    pub batch: u64,
    pub address: String,
}

/// What may be relied on while the log is extended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPromise {
    /// What waits to be logged is in a batch after this many seconds, rounded up. Without anything
    /// to log there is no batch.
    pub max_batch_interval_s: u64,
    /// From the time an answer is served to the time its batch is signed: 0, because it is served
    /// only afterwards.
    pub max_delay_s: u64,
}

/// How the log is read by C2SP's rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogCheckpoint {
    /// The log's name in checkpoints.
    pub origin: String,
    /// The verifier key of the signed note.
    pub vkey: String,
    pub address: String,
}

/// A batch in a list.
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

/// Where a leaf is. All members but `state` and `leaf_hash` are null where it is not known.
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
    /// From the leaf to the batch's root.
    #[schema(required)]
    pub path: Option<Vec<String>>,
    #[schema(required, value_type = Option<TreeHead>)]
    pub sth: Option<Value>,
}

open_enum! {
    /// Whether a leaf is in the log.
    pub enum LookupState { Included = "included", Unknown = "unknown" }
}

/// How anybody checks the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogVerify {
    pub how: String,
    /// The address of the offline verifier.
    pub verifier: String,
}

/// The answer of `GET /api/v1/log/sth/{batch}`: a head, what it is over, and who saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogSth {
    #[schema(value_type = TreeHead)]
    pub sth: Value,
    pub witnesses: Vec<LogWitness>,
    /// The batch's leaves in the order of its tree.
    pub leaves: Vec<String>,
}

/// A witness's word that it saw the log at a size, grown from all it had seen before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogWitness {
    /// The cosignature, as a line of a C2SP signed note.
    pub token: String,
    /// The witness's own time.
    pub at: Timestamp,
    /// Who made it; null when that is not known.
    #[schema(required)]
    pub run: Option<String>,
    /// The witness's name, as in the token.
    pub name: String,
}

/// The answer of `GET /api/v1/log/sths`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogSths {
    /// Whole signed heads, the newest first.
    #[schema(value_type = Vec<TreeHead>)]
    pub sths: Vec<Value>,
    /// The batch of the first of them; null where there are none.
    #[schema(required)]
    pub to: Option<u64>,
    /// How many there are.
    pub n: u64,
}

/// The answer of `GET /api/v1/log/leaves/{batch}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLeaves {
    pub log_id: String,
    pub batch: u64,
    pub first_index: u64,
    pub batch_size: u64,
    /// What the leaves must give.
    pub batch_root: String,
    pub sth_sha256: String,
    /// In the order of the tree: strictly ascending.
    pub leaves: Vec<String>,
}

/// The answer of `GET /api/v1/log/inclusion`: a leaf's way to the root of its batch, and to the
/// root over all leaves of the log at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogInclusion {
    pub log_id: String,
    pub leaf_hash: String,
    pub batch: u64,
    pub index: u64,
    pub log_index: u64,
    pub batch_size: u64,
    /// From the leaf to the root that `sth` signs.
    pub path: Vec<String>,
    #[schema(value_type = TreeHead)]
    pub sth: Value,
    pub tree_size: u64,
    pub tree_root: String,
    /// From the leaf, at `log_index`, to `tree_root`.
    pub tree_path: Vec<String>,
}

/// The answer of `GET /api/v1/log/consistency`: the log at `to` begins with the whole log of `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogConsistency {
    pub log_id: String,
    pub from: LogSize,
    pub to: LogSize,
    /// RFC 9162, 2.1.4.
    pub proof: Vec<String>,
}

/// The log at a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogSize {
    pub tree_size: u64,
    pub tree_root: String,
}

/// The answer of `GET /api/v1/log/absence`: a leaf is not in a batch, because the leaves on both
/// sides of where it would be are neighbours. It says nothing of other batches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogAbsence {
    pub log_id: String,
    pub leaf_hash: String,
    pub batch: u64,
    pub state: AbsenceState,
    /// The leaf's own place, where it is in the batch after all.
    #[schema(required)]
    pub found: Option<LogNeighbour>,
    /// The last leaf before it; null where it would be the first.
    #[schema(required)]
    pub left: Option<LogNeighbour>,
    /// The first leaf behind it; null where it would be the last.
    #[schema(required)]
    pub right: Option<LogNeighbour>,
    #[schema(value_type = TreeHead)]
    pub sth: Value,
}

open_enum! {
    /// Whether a leaf is in the batch that was asked about.
    pub enum AbsenceState { Absent = "absent", Included = "included" }
}

/// A leaf of a batch and its way to the batch's root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogNeighbour {
    pub leaf_hash: String,
    pub index: u64,
    pub path: Vec<String>,
}

/// The answer of `GET /api/v1/log/witness/latest`: the newest head that a witness cosigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogWitnessed {
    pub batch: u64,
    pub tree_size: u64,
    pub sth_sha256: String,
    /// The signed note with all cosignatures.
    pub checkpoint: String,
    pub witnesses: Vec<LogWitness>,
}

/// The body of `POST /api/v1/log/gossip`: heads that somebody was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct GossipRequest {
    /// Whole signed heads.
    #[schema(value_type = Vec<Object>, min_items = 1, max_items = 50)]
    pub sths: Vec<Map<String, Value>>,
}

objects_only!(GossipRequest);

impl GossipRequest {
    /// Whether it holds as many heads as it may.
    #[must_use]
    pub fn is_of_good_size(&self) -> bool {
        (1..=limits::GOSSIP_HEADS_MAX).contains(&self.sths.len())
    }
}

/// What we found of the heads that we were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GossipAnswer {
    pub log_id: String,
    pub checked: u64,
    /// How many bear our signature and are not of our log.
    pub contradictions: u64,
    /// One for each head, in the order of the request.
    pub results: Vec<GossipResult>,
    /// Our newest head's batch and digest, to compare; null while the log is empty.
    #[schema(required)]
    pub head: Option<LogLatest>,
    /// What we do with what we were shown, in words.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GossipResult {
    pub state: GossipState,
    /// As the head states it; null where it states none.
    #[schema(required)]
    pub batch: Option<u64>,
    #[schema(required)]
    pub sth_sha256: Option<String>,
    /// What was found, in words.
    pub why: String,
}

open_enum! {
    /// What a head that somebody was shown is to our log.
    pub enum GossipState {
        /// The very head of our chain.
        Known = "known",
        /// Not a head of this log, or not signed by it: anybody could have made it.
        NotOurs = "not_ours",
        /// Signed by us, and not of our chain.
        Contradicts = "contradicts",
        /// Signed by us, of a batch that our log has not come to.
        Ahead = "ahead",
    }
}
