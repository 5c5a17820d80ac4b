//! Which build is running, and its entry in the log.
//!
//! The entry states sources and toolchain of the build, the digest of the program file and the digests
//! of its rules. The entry's leaf hash is the name of the build (`version_id`), so no other build can
//! claim that name.

mod entry;
mod executable;
mod record;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use contract::Issuer;
use contract::records::{CodeObject, CodeState, Deployment};
use proof::tree_head::HeadExtras;
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};

pub use entry::{
    BUILD_KIND, BUILDS_PATH, BuildComparison, BuildContent, BuildError, BuildFacts, BuildRules,
    LoggedBuild, LoggedSource, RunningBuild, compare_with_log,
};
pub use executable::{Executable, running_executable};

use super::errors::SealError;
use super::transparency_log::TransparencyLog;
use crate::signing_keys::SigningKeys;

/// The running build, and the records of all logged builds. `running` is set once, when the program
/// file has been hashed. `logged` and then `code` are written when the entry is sealed; their locks are held for a
/// copy only.
pub struct Builds {
    issuer: Issuer,
    keys: Arc<SigningKeys>,
    log: Arc<TransparencyLog>,
    running: OnceLock<Arc<RunningBuild>>,
    /// With its leaf hash.
    logged: RwLock<Option<(Digest, LoggedBuild)>>,
    /// What every answer and receipt names, so that it is not made for each of them.
    code: RwLock<Option<Arc<CodeObject>>>,
}

/// The `code` member of records while the running build is not yet identified.
#[must_use]
pub fn unknown_code(base_url: &str) -> CodeObject {
    let rules = BuildRules::compiled_in();
    CodeObject {
        version_id: "unknown".to_owned(),
        script_sha16: None,
        state: CodeState::Unattested,
        deployed: Deployment { at: None, commit: None, run: None },
        build_log_entry: None,
        score_version: rules.score_version,
        scoring_policy_sha256: rules.scoring_policy_sha256,
        decision_rules_sha256: rules.decision_rules_sha256,
        check: format!("{base_url}{BUILDS_PATH}unknown"),
    }
}

impl Builds {
    pub(crate) fn new(issuer: Issuer, keys: Arc<SigningKeys>, log: Arc<TransparencyLog>) -> Self {
        let (logged, code) = (RwLock::default(), RwLock::default());
        Self { issuer, keys, log, running: OnceLock::new(), logged, code }
    }

    /// Hashes the running program to identify the build. Runs once, before anything is signed; if the
    /// program file cannot be read, the build stays unattested.
    pub async fn identify_running_build(
        &self,
        facts: BuildFacts,
    ) -> Result<Arc<RunningBuild>, ProofError> {
        let executable = match tokio::task::spawn_blocking(running_executable).await {
            Ok(Ok(executable)) => Some(executable),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the file of the running program cannot be read; the build stays unattested");
                None
            }
            Err(error) => {
                tracing::error!(%error, "hashing the running program failed");
                None
            }
        };
        let build =
            RunningBuild::new(facts, executable, BuildRules::compiled_in(), &self.issuer.brand)?;
        let build = Arc::clone(self.running.get_or_init(|| Arc::new(build)));
        self.update_code();
        Ok(build)
    }

    /// The running build; `None` until it is identified.
    #[must_use]
    pub fn running_build(&self) -> Option<Arc<RunningBuild>> {
        self.running.get().cloned()
    }

    /// Seals the entry of the running build. From then on every tree head names the build.
    pub async fn seal_running_build(&self, build: &RunningBuild) -> Result<u64, SealError> {
        let sealed =
            self.log.seal_entry(&self.issuer.brand.kind(BUILD_KIND), build.entry()).await?;
        self.set_logged_build(LoggedBuild {
            content: build.entry(),
            log_index: sealed.log_index,
            logged_at: Some(sealed.head.chain.created_at),
        });
        let code = self.code().map(Arc::unwrap_or_clone);
        self.log.set_head_extras(HeadExtras { code, tree_root: None });
        Ok(sealed.log_index)
    }

    /// Seals the entry of the running build unless that is done. Answers and readiness wait for it, so
    /// that no answer names a build that nobody can look up. Does nothing if the build was never
    /// identified: not every program that uses this crate is a build of its own.
    pub async fn ensure_logged(&self) -> Result<(), SealError> {
        match self.running_build() {
            Some(build) if !self.is_logged(build.version_id) => {
                self.seal_running_build(&build).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Records where the log has the entry of the running build.
    pub fn set_logged_build(&self, entry: LoggedBuild) {
        let leaf = proof::merkle_tree::leaf_hash(&entry.content);
        *self.logged.write().unwrap_or_else(PoisonError::into_inner) = Some((leaf, entry));
        self.update_code();
    }

    /// The `code` member of records: the running build. `None` until it is identified.
    #[must_use]
    pub fn code(&self) -> Option<Arc<CodeObject>> {
        self.code.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes `code` again, after the build was identified or logged.
    fn update_code(&self) {
        let Some(build) = self.running_build() else { return };
        let mut code = self.code.write().unwrap_or_else(PoisonError::into_inner);
        let logged = self.own_logged_build(build.version_id);
        *code = Some(Arc::new(record::build_code_object(
            build.version_id,
            &build.content,
            build.run.clone(),
            logged.as_ref(),
            &self.issuer.base_url,
        )));
    }

    /// The same for a record that cannot wait: states `unknown` until the build is identified.
    #[must_use]
    pub(crate) fn code_or_unknown(&self) -> CodeObject {
        self.code().map_or_else(|| unknown_code(&self.issuer.base_url), Arc::unwrap_or_clone)
    }

    /// The signed record of the running build or of any build in the log. `None` for an unknown
    /// `version_id`.
    pub async fn signed_record(
        &self,
        version_id: Digest,
    ) -> Result<Option<SignedDocument>, BuildError> {
        let logged = self.find_logged_build(version_id).await?;
        let this = self.running_build().filter(|build| build.version_id == version_id);
        let (content, run) = match (&this, &logged) {
            (Some(this), _) => (this.content.clone(), this.run.clone()),
            (None, Some(logged)) => {
                match BuildContent::parse(&logged.content, &self.issuer.brand)? {
                    Some(content) => (content, None),
                    None => return Ok(None),
                }
            }
            (None, None) => return Ok(None),
        };
        let code = record::build_code_object(
            version_id,
            &content,
            run,
            logged.as_ref(),
            &self.issuer.base_url,
        );
        let record = record::build_record(
            content,
            code,
            logged.as_ref(),
            &self.issuer.brand,
            &self.issuer.base_url,
        );
        Ok(Some(self.keys.sign_document(&record, KeyPurpose::Documents)?))
    }

    /// The entry of the running build, if it has this `version_id` and is sealed.
    fn own_logged_build(&self, version_id: Digest) -> Option<LoggedBuild> {
        let logged = self.logged.read().unwrap_or_else(PoisonError::into_inner);
        logged.as_ref().filter(|(leaf, _)| *leaf == version_id).map(|(_, entry)| entry.clone())
    }

    fn is_logged(&self, version_id: Digest) -> bool {
        let logged = self.logged.read().unwrap_or_else(PoisonError::into_inner);
        logged.as_ref().is_some_and(|(leaf, _)| *leaf == version_id)
    }

    /// The entry of any build in the log. While the log cannot be read, only that of the running one.
    async fn find_logged_build(
        &self,
        version_id: Digest,
    ) -> Result<Option<LoggedBuild>, BuildError> {
        if let Some(own) = self.own_logged_build(version_id) {
            return Ok(Some(own));
        }
        match self.log.entry(version_id).await {
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
