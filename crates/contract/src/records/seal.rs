//! Daily seals: the statement of a day, what the lookup says of one record, and the index.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Day, Timestamp, open_enum};

/// What is sealed of one day (`{brand}-day-seal`). Its own `sha256`, over every member but the last
/// two, is what goes to the timestamp calendars: one timestamp covers the day's records, the log as
/// it stood, and through `previous` every day before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DaySeal {
    /// `{brand}-day-seal`.
    pub kind: String,
    pub v: u32,
    pub day: Day,
    /// The RFC 9162 root over the leaves, which are strictly ascending; of a day without records,
    /// the digest of nothing.
    pub root: String,
    /// How many leaves: a digest that came twice is there once.
    pub leaves: u64,
    /// How many digests each stream of records brought.
    pub streams: BTreeMap<String, u64>,
    /// The newest head of the transparency log; null where there was none.
    #[schema(required)]
    pub log: Option<SealedLogHead>,
    /// The day before; null for the first day that was sealed.
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

/// A head of the transparency log, as far as a seal names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealedLogHead {
    pub batch: u64,
    pub tree_size: u64,
    /// The head's own `sha256`.
    pub sth_sha256: String,
    /// The root over all leaves of the log at that size; null where the head does not carry it.
    #[schema(required)]
    pub tree_root: Option<String>,
}

/// The seal of the day before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreviousSeal {
    pub day: Day,
    pub root: String,
    pub seal_sha256: String,
}

/// A sealed day with everything it was made from (`/proof/{day}.json`). The digests need no
/// signature of their own: they lead to the signed root, or they are not the ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofDay {
    /// `{brand}-proof-day`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub statement: DaySeal,
    /// The digests of the sealed records, in the order of their leaves.
    pub digests: Vec<String>,
}

/// What is known of one record's, or one day's, seal (`/api/seal/lookup`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seal {
    /// `{brand}-seal`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The digest that was asked for, or that of the record asked for; null for a day.
    #[schema(required)]
    pub subject_sha256: Option<String>,
    /// The day the record belongs to; null when there is no such record.
    #[schema(required)]
    pub day: Option<Day>,
    pub state: SealState,
    /// From when on the day is sealed, while it is pending; else null.
    #[schema(required)]
    pub sealed_from: Option<Timestamp>,
    /// The days that were searched in vain; null when something was found.
    #[schema(required)]
    pub searched: Option<SearchedDays>,
    /// Where the record stands in its day; null for a day as a whole.
    #[schema(required)]
    pub leaf: Option<SealLeaf>,
    /// From the leaf's sibling up to the root's child.
    pub path: Vec<String>,
    #[schema(required)]
    pub root: Option<String>,
    #[schema(required)]
    pub leaves: Option<u64>,
    /// The statement's own `sha256`: what the timestamps are of.
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
    /// Null when no day is sealed yet.
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
    /// When the block's header was compared; null before that.
    #[schema(required)]
    pub confirmed_at: Option<Timestamp>,
    /// The address of the timestamp file; null while no calendar has answered.
    #[schema(required)]
    pub proof: Option<String>,
    pub detail: AnchorDetail,
}

/// Null where it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnchorDetail {
    #[schema(required)]
    pub block_height: Option<u64>,
    /// Why it is no further, in words.
    #[schema(required)]
    pub why: Option<String>,
}

open_enum! {
    /// What a seal is anchored to.
    pub enum AnchorType { Opentimestamps = "opentimestamps", Rfc3161 = "rfc3161", Log = "log" }
}

open_enum! {
    /// How far a timestamp has come.
    pub enum AnchorState {
        /// No answer of the calendar yet; it is asked again.
        Waiting = "waiting",
        /// The calendar has promised to put it into a block. Nothing is anchored yet.
        Pending = "pending",
        /// The timestamp leads to a block; its header was not compared here.
        Upgraded = "upgraded",
        /// The timestamp leads to a block whose header was compared.
        Confirmed = "confirmed",
        /// The timestamp does not lead to the block it names; it is tried again.
        Failed = "failed",
    }
}

/// The sealed days, the newest first (`/proof.json`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofIndex {
    /// `{brand}-proof-index`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub days: Vec<ProofIndexDay>,
    /// What `before` must be for the next page; null on the last.
    #[schema(required)]
    pub cursor: Option<Day>,
    pub has_more: bool,
    /// The address of the key directory.
    pub keys: String,
    /// The address of the description of a check.
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
