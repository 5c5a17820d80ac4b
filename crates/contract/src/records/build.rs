//! What is known about one build of this program (`/api/v1/builds/{version_id}`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CodeState, Deployment, Signature};
use crate::{Timestamp, open_enum};

/// A build: its source and toolchain, its rules, and its entry in the log. The first members are
/// the same as in `code` of the records that this build signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Build {
    /// `{brand}-build`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The leaf hash of the build's log entry. Known before the entry is in the log.
    pub version_id: String,
    #[schema(required)]
    pub script_sha16: Option<String>,
    pub state: CodeState,
    pub deployed: Deployment,
    /// The entry's index in the log; null until it is logged.
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
    /// The `version_id` of the previous build; null when none is known.
    #[schema(required)]
    pub supersedes: Option<String>,
    /// The `version_id` of the next build; null when none is known.
    #[schema(required)]
    pub superseded_by: Option<String>,
    pub active: BuildActive,
    pub answers_signed: BuildAnswers,
    #[schema(required)]
    pub revoked: Option<BuildRevoked>,
    pub files: BuildFiles,
    /// How `version_id` is computed from this record, as text.
    pub content_rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The program file. Digest and size are null when it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildArtifact {
    pub name: String,
    #[schema(required)]
    pub artifact_sha256: Option<String>,
    #[schema(required)]
    pub bytes: Option<u64>,
    pub target: String,
}

/// The source it was built from. Null when the build did not record it.
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
    /// Whether the source tree had no changes beyond the commit.
    #[schema(required)]
    pub clean: Option<bool>,
}

/// The tools it was built with. Null when the build did not record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildToolchain {
    #[schema(required)]
    pub rustc: Option<String>,
    #[schema(required)]
    pub cargo_lock_sha256: Option<String>,
    pub profile: String,
}

/// A set of rules compiled into the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildRulepack {
    pub id: String,
    pub rulepack_sha256: String,
}

/// A provenance statement by the builder, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BuildAttestation {
    Statement(BuildStatement),
    NotMeasured(BuildNotMeasured),
}

/// A provenance statement in in-toto and SLSA format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildStatement {
    pub format: String,
    pub address: String,
    pub statement_sha256: String,
    pub builder: String,
    pub verified_at: Timestamp,
}

/// Nothing is known, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildNotMeasured {
    pub state: BuildUnknownState,
    pub why: String,
}

impl BuildNotMeasured {
    #[must_use]
    pub fn with_reason(why: &str) -> Self {
        Self { state: BuildUnknownState::NotMeasured, why: why.to_owned() }
    }
}

open_enum! {
    /// The only state of unknown build facts.
    pub enum BuildUnknownState { NotMeasured = "not_measured" }
}

/// Whether an independent rebuild produced the same bytes.
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
    /// The result of an independent rebuild.
    pub enum ReproducedState {
        Reproduced = "reproduced",
        Differs = "differs",
        NotMeasured = "not_measured",
    }
}

/// When the build was in use. `from` is null until it is logged; `to` is null while it is in use or
/// when its end is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildActive {
    #[schema(required)]
    pub from: Option<Timestamp>,
    #[schema(required)]
    pub to: Option<Timestamp>,
}

/// How many answers the build signed, or why they were not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BuildAnswers {
    Counted(u64),
    NotMeasured(BuildNotMeasured),
}

/// The revocation of a build, which must no longer be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildRevoked {
    pub at: Timestamp,
    pub reason: String,
    #[schema(required)]
    pub entry_seq: Option<u64>,
}

/// The addresses of the rules behind the digests; null when they are not published as files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildFiles {
    #[schema(required)]
    pub scoring_policy: Option<String>,
    #[schema(required)]
    pub decision_rules: Option<String>,
}
