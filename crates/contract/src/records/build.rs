//! What is known of one build of this program (`/api/v1/builds/{version_id}`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CodeState, Deployed, Signature};
use crate::{Timestamp, open_enum};

/// A build: what it was made from and with, which rules it holds, and where the log has it. The
/// first members are those of `code` in the records it makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Build {
    /// `{brand}-build`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The leaf hash of the build's entry in the log, whether or not it is there yet.
    pub version_id: String,
    #[schema(required)]
    pub script_sha16: Option<String>,
    pub state: CodeState,
    pub deployed: Deployed,
    /// The entry's place in the whole log.
    #[schema(required)]
    pub build_log_entry: Option<u64>,
    pub score_version: u32,
    pub scoring_policy_sha256: String,
    pub decision_rules_sha256: String,
    /// The address of this record.
    pub check: String,
    pub artifact: BuildArtifact,
    pub source: BuildSource,
    pub toolchain: BuildToolchain,
    pub rulepacks: Vec<BuildRulepack>,
    pub attestation: BuildAttestation,
    pub reproducible: BuildReproducible,
    /// The build before this one; null where none is known.
    #[schema(required)]
    pub supersedes: Option<String>,
    /// The build after this one; null where none is known.
    #[schema(required)]
    pub superseded_by: Option<String>,
    pub active: BuildActive,
    pub answers_signed: BuildAnswers,
    #[schema(required)]
    pub revoked: Option<BuildRevoked>,
    pub files: BuildFiles,
    /// How `version_id` is made from this record, in words.
    pub content_rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The program file. Null where it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildArtifact {
    pub name: String,
    #[schema(required)]
    pub artifact_sha256: Option<String>,
    #[schema(required)]
    pub bytes: Option<u64>,
    pub target: String,
}

/// What it was built from. Null where the build does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildSource {
    #[schema(required)]
    pub repository: Option<String>,
    #[schema(required)]
    pub commit: Option<String>,
    #[schema(required)]
    pub tree_sha: Option<String>,
    #[schema(required)]
    pub tag: Option<String>,
    /// Whether the sources were those of the commit and nothing else.
    #[schema(required)]
    pub clean: Option<bool>,
}

/// What it was built with. Null where the build does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildToolchain {
    #[schema(required)]
    pub rustc: Option<String>,
    #[schema(required)]
    pub cargo_lock_sha256: Option<String>,
    pub profile: String,
}

/// A set of rules compiled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildRulepack {
    pub id: String,
    pub rulepack_sha256: String,
}

/// A statement by whoever built it, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BuildAttestation {
    Given(BuildStatement),
    NotMeasured(BuildNotMeasured),
}

/// Provenance in the form of in-toto and SLSA.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildStatement {
    pub format: String,
    pub address: String,
    pub statement_sha256: String,
    pub builder: String,
    pub verified_at: Timestamp,
}

/// Nothing is known, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildNotMeasured {
    pub state: BuildUnknown,
    pub why: String,
}

impl BuildNotMeasured {
    #[must_use]
    pub fn because(why: &str) -> Self {
        Self { state: BuildUnknown::NotMeasured, why: why.to_owned() }
    }
}

open_enum! {
    /// The one word for what is not known of a build.
    pub enum BuildUnknown { NotMeasured = "not_measured" }
}

/// Whether somebody else built the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildReproducible {
    pub state: ReproducedState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
}

open_enum! {
    /// What came of building it again.
    pub enum ReproducedState {
        Reproduced = "reproduced",
        Differs = "differs",
        NotMeasured = "not_measured",
    }
}

/// When it was in use. `from` is null until it is in the log, `to` while it is in use or where its
/// end is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildActive {
    #[schema(required)]
    pub from: Option<Timestamp>,
    #[schema(required)]
    pub to: Option<Timestamp>,
}

/// How many answers it signed, or why nobody counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BuildAnswers {
    Counted(u64),
    NotMeasured(BuildNotMeasured),
}

/// A build that must not be trusted any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildRevoked {
    pub at: Timestamp,
    pub reason: String,
    #[schema(required)]
    pub entry_seq: Option<u64>,
}

/// Where the rules behind the digests can be read; null where they are not published as files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildFiles {
    #[schema(required)]
    pub scoring_policy: Option<String>,
    #[schema(required)]
    pub decision_rules: Option<String>,
}
