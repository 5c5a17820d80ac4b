//! Which build this is, and what the log says of it.
//!
//! A build's entry in the log is made of what it was built from and with, the digest of the program
//! file and the digests of its rules. The entry's leaf hash is the build's name (`version_id`), so
//! a name cannot be claimed by another build.

mod executable;
mod record;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use contract::records::{BuildArtifact, BuildToolchain, CodeObject, CodeState, Deployed};
use contract::{Brand, Timestamp};
use judge::rulepack::Rulepack;
use proof::head::HeadExtras;
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use serde::{Deserialize, Serialize};

pub use executable::{Executable, running_executable};

use crate::{SealError, Service};

/// What follows the brand in the kind of a build's entry.
pub const BUILD_KIND: &str = "build";
/// Where the record of a build is, below the base address; its name follows.
pub const BUILDS_PATH: &str = "/api/v1/builds/";

/// What the binary knows of its own making. Nothing where it does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildFacts {
    pub name: String,
    pub target: String,
    pub profile: String,
    pub rustc: Option<String>,
    pub cargo_lock_sha256: Option<String>,
    pub commit: Option<String>,
    /// Whether the sources were those of the commit and nothing else.
    pub clean: Option<bool>,
    /// The run of the builder that made it. It is told and not logged: the same build may come
    /// from two runs.
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
    /// The content of an entry of the log; nothing if it is that of something else.
    fn read(entry: &[u8], brand: &Brand) -> Result<Option<Self>, BuildError> {
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
    /// The rules compiled in: those that score and those that decide.
    #[must_use]
    pub fn compiled_in() -> Self {
        let rules = Rulepack::current();
        Self {
            score_version: rules.score_version,
            scoring_policy_sha256: rules.digest(),
            decision_rules_sha256: judge::decide::rules_sha256(),
        }
    }
}

/// A build and the bytes of its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThisBuild {
    content: BuildContent,
    canonical: Bytes,
    version_id: Digest,
    run: Option<String>,
}

impl ThisBuild {
    /// `executable` is nothing where the program file could not be read.
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
        let version_id = proof::tree::leaf_hash(&canonical);
        Ok(Self { content, canonical, version_id, run: facts.run })
    }

    /// The canonical bytes that go into the log.
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

/// Where the log has a build's entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedBuild {
    /// The bytes the log keeps.
    pub content: Bytes,
    /// The place in the whole log.
    pub log_index: u64,
    /// When the head of its batch was made: from then on the build was in use.
    pub logged_at: Option<Timestamp>,
}

/// How a program compares with the builds in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    NotLogged,
    Same,
    /// The log has a build of the same commit, target and profile, and its program file is another.
    Differs {
        logged: Digest,
        artifact_sha256: Option<String>,
    },
}

/// Compares a build with the build entries of the log, whatever their order.
#[must_use]
pub fn compare<'a>(this: &ThisBuild, logged: impl IntoIterator<Item = &'a [u8]>) -> Comparison {
    let mut found = Comparison::NotLogged;
    for entry in logged {
        let leaf = proof::tree::leaf_hash(entry);
        if leaf == this.version_id {
            return Comparison::Same;
        }
        let Ok(other) = serde_json::from_slice::<BuildContent>(entry) else { continue };
        let (mine, theirs) = (&this.content, other);
        let claims_to_be_this = mine.source.commit.is_some()
            && mine.source.commit == theirs.source.commit
            && mine.artifact.name == theirs.artifact.name
            && mine.artifact.target == theirs.artifact.target
            && mine.toolchain.profile == theirs.toolchain.profile
            && mine.artifact.artifact_sha256 != theirs.artifact.artifact_sha256;
        if claims_to_be_this {
            let artifact_sha256 = theirs.artifact.artifact_sha256;
            found = Comparison::Differs { logged: leaf, artifact_sha256 };
        }
    }
    found
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a build's entry in the log cannot be read: {0}")]
    Unreadable(String),
}

/// What a process knows of its own build: the build once its program file has been hashed, and
/// the entry once the log has it.
#[derive(Debug, Default)]
pub(crate) struct Known {
    this: OnceLock<Arc<ThisBuild>>,
    logged: RwLock<Option<LoggedBuild>>,
}

/// `code` of a process that has not found out yet which build it is.
#[must_use]
pub fn unknown_code(base_url: &str) -> CodeObject {
    let rules = BuildRules::compiled_in();
    CodeObject {
        version_id: "unknown".to_owned(),
        script_sha16: None,
        state: CodeState::Unattested,
        deployed: Deployed { at: None, commit: None, run: None },
        build_log_entry: None,
        score_version: rules.score_version,
        scoring_policy_sha256: rules.scoring_policy_sha256,
        decision_rules_sha256: rules.decision_rules_sha256,
        check: format!("{base_url}{BUILDS_PATH}unknown"),
    }
}

impl Service {
    /// Hashes the running program and remembers which build this is. Done once, beside the
    /// requests; a program file that cannot be read is told as not known.
    pub async fn know_build(&self, facts: BuildFacts) -> Result<Arc<ThisBuild>, ProofError> {
        let executable = match tokio::task::spawn_blocking(running_executable).await {
            Ok(Ok(executable)) => Some(executable),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the running program cannot be read; its build stays unattested");
                None
            }
            Err(error) => {
                tracing::error!(%error, "hashing the running program failed");
                None
            }
        };
        let build = ThisBuild::new(facts, executable, BuildRules::compiled_in(), self.brand())?;
        Ok(Arc::clone(self.build.this.get_or_init(|| Arc::new(build))))
    }

    /// This build; nothing until it is known.
    #[must_use]
    pub fn build(&self) -> Option<Arc<ThisBuild>> {
        self.build.this.get().cloned()
    }

    /// Puts the entry of this build into the log, and from then on names the build in every head.
    pub async fn log_build(&self, build: &ThisBuild) -> Result<u64, SealError> {
        let sealed = self.seal_entry(&self.brand().kind(BUILD_KIND), build.entry()).await?;
        self.build_was_logged(LoggedBuild {
            content: build.entry(),
            log_index: sealed.log_index,
            logged_at: Some(sealed.head.chain.created_at),
        });
        let _ = self.head_extras.set(HeadExtras { code: self.code(), tree_root: None });
        Ok(sealed.log_index)
    }

    /// Remembers where the log has the entry of this build.
    pub fn build_was_logged(&self, entry: LoggedBuild) {
        *self.build.logged.write().unwrap_or_else(PoisonError::into_inner) = Some(entry);
    }

    /// `code`: which build makes the records of this process; nothing until it is known.
    #[must_use]
    pub fn code(&self) -> Option<CodeObject> {
        let build = self.build()?;
        let logged = self.logged_build(build.version_id);
        let run = build.run.clone();
        Some(record::code(build.version_id, &build.content, run, logged.as_ref(), self.base_url()))
    }

    /// The same for a record that cannot wait: a build that is not known yet is told as such.
    #[must_use]
    pub(crate) fn code_now(&self) -> CodeObject {
        self.code().unwrap_or_else(|| unknown_code(self.base_url()))
    }

    /// The signed record of a build: this one, or one that the log has. Nothing for a name that is
    /// not known.
    pub async fn build_record(
        &self,
        version_id: Digest,
    ) -> Result<Option<SignedDocument>, BuildError> {
        let logged = self.logged_entry(version_id).await?;
        let this = self.build().filter(|build| build.version_id == version_id);
        let (content, run) = match (&this, &logged) {
            (Some(this), _) => (this.content.clone(), this.run.clone()),
            (None, Some(logged)) => match BuildContent::read(&logged.content, self.brand())? {
                Some(content) => (content, None),
                None => return Ok(None),
            },
            (None, None) => return Ok(None),
        };
        let code = record::code(version_id, &content, run, logged.as_ref(), self.base_url());
        let record = record::record(content, code, logged.as_ref(), self.brand(), self.base_url());
        Ok(Some(self.sign_document(&record, KeyPurpose::Documents)?))
    }

    /// The entry of a build, as far as this process was told of it.
    fn logged_build(&self, version_id: Digest) -> Option<LoggedBuild> {
        let logged = self.build.logged.read().unwrap_or_else(PoisonError::into_inner);
        logged.clone().filter(|entry| proof::tree::leaf_hash(&entry.content) == version_id)
    }

    /// The entry of any build that the log has. While the log cannot be read, only that of this one.
    async fn logged_entry(&self, version_id: Digest) -> Result<Option<LoggedBuild>, BuildError> {
        if let Some(own) = self.logged_build(version_id) {
            return Ok(Some(own));
        }
        match self.log_entry(version_id).await {
            Ok(found) => Ok(found.map(|entry| LoggedBuild {
                content: entry.content,
                log_index: entry.sealed.log_index,
                logged_at: Some(entry.sealed.head.chain.created_at),
            })),
            Err(SealError::NotOpen | SealError::Halted(_)) => Ok(None),
            Err(error) => Err(BuildError::Unreadable(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
