//! The log entry of a build: what it contains, and how builds are compared.

use std::sync::LazyLock;

use bytes::Bytes;
use contract::records::{BuildArtifact, BuildToolchain};
use contract::{Brand, Timestamp};
use judge::rulepack::Rulepack;
use proof::{Digest, ProofError};
use serde::{Deserialize, Serialize};

use super::executable::Executable;

/// The kind of a build's entry, without the brand prefix.
pub const BUILD_KIND: &str = "build";
/// Where build records are served, below the base URL; `version_id` follows.
pub const BUILDS_PATH: &str = "/api/v1/builds/";

/// What the binary knows about how it was built; `None` where it does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildFacts {
    pub name: String,
    pub target: String,
    pub profile: String,
    pub rustc: Option<String>,
    pub cargo_lock_sha256: Option<String>,
    pub commit: Option<String>,
    /// Whether the sources were exactly those of the commit.
    pub clean: Option<bool>,
    /// The builder run that produced it. Published, but not part of the log entry: two runs may
    /// produce the same build.
    pub run: Option<String>,
}

/// The content of a build's entry in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildContent {
    pub log: String,
    pub kind: String,
    pub artifact: BuildArtifact,
    pub source: LoggedSource,
    pub toolchain: BuildToolchain,
    pub rules: BuildRules,
}

impl BuildContent {
    /// Parses a log entry; `None` if it is not the entry of a build.
    pub(super) fn parse(entry: &[u8], brand: &Brand) -> Result<Option<Self>, BuildError> {
        #[derive(Deserialize)]
        struct Kind {
            kind: Option<String>,
        }
        let unreadable = |error: serde_json::Error| BuildError::Unreadable(error.to_string());
        let Kind { kind } = serde_json::from_slice(entry).map_err(unreadable)?;
        if kind != Some(brand.kind(BUILD_KIND)) {
            return Ok(None);
        }
        serde_json::from_slice(entry).map(Some).map_err(unreadable)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedSource {
    pub commit: Option<String>,
    pub clean: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRules {
    pub score_version: u32,
    pub scoring_policy_sha256: String,
    pub decision_rules_sha256: String,
}

impl BuildRules {
    /// The scoring and decision rules compiled into this program.
    #[must_use]
    pub fn compiled_in() -> Self {
        /// They are read from tables and hashed, which takes longer than making an answer.
        static COMPILED_IN: LazyLock<BuildRules> = LazyLock::new(|| {
            let rules = Rulepack::current();
            BuildRules {
                score_version: rules.score_version,
                scoring_policy_sha256: rules.digest(),
                decision_rules_sha256: judge::decide::rules_sha256(),
            }
        });
        COMPILED_IN.clone()
    }
}

/// The running build and the bytes of its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningBuild {
    pub(super) content: BuildContent,
    canonical: Bytes,
    pub(super) version_id: Digest,
    pub(super) run: Option<String>,
}

impl RunningBuild {
    /// `executable` is `None` if the program file could not be read.
    pub fn new(
        facts: BuildFacts,
        executable: Option<Executable>,
        rules: BuildRules,
        brand: &Brand,
    ) -> Result<Self, ProofError> {
        let content = BuildContent {
            log: brand.log_id(),
            kind: brand.kind(BUILD_KIND),
            artifact: BuildArtifact {
                name: facts.name,
                artifact_sha256: executable.map(|file| file.sha256.to_hex()),
                bytes: executable.map(|file| file.bytes),
                target: facts.target,
            },
            source: LoggedSource { commit: facts.commit, clean: facts.clean },
            toolchain: BuildToolchain {
                rustc: facts.rustc,
                cargo_lock_sha256: facts.cargo_lock_sha256,
                profile: facts.profile,
            },
            rules,
        };
        let canonical = Bytes::from(proof::canonical::to_vec(&content)?);
        let version_id = proof::merkle_tree::leaf_hash(&canonical);
        Ok(Self { content, canonical, version_id, run: facts.run })
    }

    /// The canonical bytes of the log entry.
    #[must_use]
    pub fn entry(&self) -> Bytes {
        self.canonical.clone()
    }

    #[must_use]
    pub fn content(&self) -> &BuildContent {
        &self.content
    }

    /// The leaf hash of the entry.
    #[must_use]
    pub fn version_id(&self) -> Digest {
        self.version_id
    }
}

/// A build's entry in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedBuild {
    /// The bytes of the entry.
    pub content: Bytes,
    /// Position in the whole log.
    pub log_index: u64,
    /// When the head of its batch was signed: the build was in use from then on.
    pub logged_at: Option<Timestamp>,
}

/// Whether a build is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildComparison {
    NotLogged,
    Logged,
    /// The log has a build of the same commit, target and profile with a different program file.
    Differs {
        logged: Digest,
        artifact_sha256: Option<String>,
    },
}

/// Compares a build with the build entries of the log, in any order.
#[must_use]
pub fn compare_with_log<'a>(
    this: &RunningBuild,
    logged: impl IntoIterator<Item = &'a [u8]>,
) -> BuildComparison {
    let mut found = BuildComparison::NotLogged;
    for entry in logged {
        let leaf = proof::merkle_tree::leaf_hash(entry);
        if leaf == this.version_id {
            return BuildComparison::Logged;
        }
        let Ok(other) = serde_json::from_slice::<BuildContent>(entry) else { continue };
        let (mine, theirs) = (&this.content, other);
        let claims_same_sources = mine.source.commit.is_some()
            && mine.source.commit == theirs.source.commit
            && mine.artifact.name == theirs.artifact.name
            && mine.artifact.target == theirs.artifact.target
            && mine.toolchain.profile == theirs.toolchain.profile
            && mine.artifact.artifact_sha256 != theirs.artifact.artifact_sha256;
        if claims_same_sources {
            let artifact_sha256 = theirs.artifact.artifact_sha256;
            found = BuildComparison::Differs { logged: leaf, artifact_sha256 };
        }
    }
    found
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("the log entry of a build cannot be read: {0}")]
    Unreadable(String),
}
