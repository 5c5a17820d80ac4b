//! Daily seals: the statement of a day, the lookup of one record, and the index of days.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ReplacedSignature, Signature};
use crate::{Day, Timestamp, open_enum};

/// The seal of one day (`{brand}-day-seal`). Its `sha256`, over every member but the last two, is
/// submitted to the timestamp calendars: one timestamp covers the day's records, the state of the
/// log and, through `previous`, every earlier day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DaySeal {
    /// `{brand}-day-seal`.
    pub kind: String,
    pub v: u32,
    pub day: Day,
    /// The RFC 9162 root over the leaves, which are strictly ascending; for a day without records,
    /// the SHA-256 of the empty string.
    pub root: String,
    /// How many leaves there are. A digest that occurs twice counts once.
    pub leaves: u64,
    /// How many digests each kind of record contributed.
    pub streams: BTreeMap<String, u64>,
    /// The newest tree head of the transparency log; null when there was none.
    #[schema(required)]
    pub log: Option<SealedLogHead>,
    /// The previous day's seal; null for the first sealed day.
    #[schema(required)]
    pub previous: Option<PreviousSeal>,
    pub sealed_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The tree head of the transparency log that a seal contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealedLogHead {
    pub batch: u64,
    pub tree_size: u64,
    /// The head's own `sha256`.
    pub sth_sha256: String,
    /// The root over all leaves of the log at that size; null when the head does not contain it.
    #[schema(required)]
    pub tree_root: Option<String>,
}

/// The seal of the previous day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreviousSeal {
    pub day: Day,
    pub root: String,
    pub seal_sha256: String,
}

/// A sealed day with the digests it was computed from (`/proof/{day}.json`). The digests need no
/// signature: they must hash to the signed root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofDay {
    /// `{brand}-proof-day`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub statement: DaySeal,
    /// The digests of the sealed records, in the order of their leaves.
    pub digests: Vec<String>,
    /// Present if the key that signed the statement was reported as compromised: `statement` has the same
    /// content, and a signature by a later key as of the start of that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
}

/// The seal of one record or one day (`/api/seal/lookup`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seal {
    /// `{brand}-seal`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The requested digest, or that of the requested record; null for a day.
    #[schema(required)]
    pub subject_sha256: Option<String>,
    /// The day the record belongs to; null when there is no such record.
    #[schema(required)]
    pub day: Option<Day>,
    pub state: SealState,
    /// The earliest time at which the day will be sealed; null unless the seal is pending.
    #[schema(required)]
    pub sealed_from: Option<Timestamp>,
    /// The days that were searched without a result; null when the record was found.
    #[schema(required)]
    pub searched: Option<SearchedDays>,
    /// The record's leaf in its day; null for a whole day.
    #[schema(required)]
    pub leaf: Option<SealLeaf>,
    /// From the leaf's sibling up to the root's child.
    pub path: Vec<String>,
    #[schema(required)]
    pub root: Option<String>,
    #[schema(required)]
    pub leaves: Option<u64>,
    /// The statement's `sha256`, which is timestamped.
    #[schema(required)]
    pub seal_sha256: Option<String>,
    #[schema(required)]
    pub previous: Option<PreviousSeal>,
    pub anchors: Vec<SealAnchor>,
    /// The address of the day's signed statement and digests.
    #[schema(required)]
    pub statement: Option<String>,
    /// How to check this, step by step.
    pub verify: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// Whether something is sealed.
    pub enum SealState { Sealed = "sealed", Pending = "pending", NotFound = "not_found" }
}

/// First and last day of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchedDays {
    /// Null when no day has been sealed yet.
    #[schema(required)]
    pub from: Option<Day>,
    #[schema(required)]
    pub to: Option<Day>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealLeaf {
    /// From 0.
    pub index: u64,
    pub leaf_hash: String,
    pub content_rule: String,
}

impl SealLeaf {
    pub const CONTENT_RULE: &str =
        "SHA-256(0x00 || digest), digest = the 32 bytes of the record's sha256";
}

/// One timestamp of a day's seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealAnchor {
    #[serde(rename = "type")]
    pub kind: AnchorType,
    pub state: AnchorState,
    /// The calendar's address.
    pub calendar: String,
    #[schema(required)]
    pub submitted_at: Option<Timestamp>,
    /// When the timestamp was checked against the block header; null before that.
    #[schema(required)]
    pub confirmed_at: Option<Timestamp>,
    /// The address of the timestamp file; null until a calendar has answered.
    #[schema(required)]
    pub proof: Option<String>,
    pub detail: AnchorDetail,
}

/// Details of a timestamp. Null when unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnchorDetail {
    #[schema(required)]
    pub block_height: Option<u64>,
    /// Why the timestamp is not confirmed yet, as text.
    #[schema(required)]
    pub why: Option<String>,
}

open_enum! {
    /// What a seal is anchored to.
    pub enum AnchorType { Opentimestamps = "opentimestamps", Rfc3161 = "rfc3161", Log = "log" }
}

open_enum! {
    /// The state of a timestamp.
    pub enum AnchorState {
        /// The calendar has not answered yet; the request is repeated.
        Waiting = "waiting",
        /// The calendar has accepted the digest but not yet committed it to a block.
        Pending = "pending",
        /// The timestamp leads to a block whose header was not checked by this service.
        Upgraded = "upgraded",
        /// The timestamp leads to a block whose header was checked.
        Confirmed = "confirmed",
        /// The timestamp does not match the block it names; the check is repeated.
        Failed = "failed",
    }
}

/// The sealed days, newest first (`/proof.json`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofIndex {
    /// `{brand}-proof-index`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub days: Vec<ProofIndexDay>,
    /// Send this as `before` for the next page; null on the last page.
    #[schema(required)]
    pub cursor: Option<Day>,
    pub has_more: bool,
    /// The address of the key directory.
    pub keys: String,
    /// The address that describes how to verify a seal.
    pub verifier: String,
    /// How to check a seal, step by step.
    pub how: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofIndexDay {
    pub day: Day,
    pub root: String,
    pub leaves: u64,
    pub seal_sha256: String,
    /// The address of the day's signed statement and digests.
    pub statement: String,
    pub anchors: Vec<SealAnchor>,
}
