//! The readiness check: whether this process can answer requests now.

use supervisor::Failure;

use crate::Service;

/// Why the process is not ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadinessError {
    /// A thread or task has ended. The process is about to end.
    #[error("a part of the server failed: {0}")]
    Failed(Failure),
    #[error("the store check failed: {0}")]
    Store(String),
    /// Nothing can be sealed, so no answer can be given out.
    #[error("the log cannot seal anything: {0}")]
    Log(String),
    /// The same, until the operator acts.
    #[error("the log is halted: {0}")]
    Halted(String),
}

/// What the readiness endpoint reports about a process that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadinessReport {
    /// Leaves in the log.
    pub tree_size: u64,
    /// Heads we received that our key signed and that are not in our log. An operator has decided about
    /// them, or their key is compromised; otherwise the process is not ready.
    pub contradictions: u64,
}

impl Service {
    /// Checks that no part has failed, that the store can be written and read, that the log
    /// accepts entries, and that it has the entry of the running build.
    pub async fn check_readiness(&self) -> Result<ReadinessReport, ReadinessError> {
        let check_parts = || match self.supervisor.failure() {
            Some(failure) => Err(ReadinessError::Failed(failure)),
            None => Ok(()),
        };
        check_parts()?;
        let checked = self.store.check().await.map_err(|e| ReadinessError::Store(e.to_string()));
        // What failed meanwhile explains why the store failed.
        check_parts()?;
        checked?;
        if let Some(why) = self.log.fault() {
            // A log that is being opened accepts entries soon.
            return Err(match self.log.is_opening() {
                true => ReadinessError::Log(why),
                false => ReadinessError::Halted(why),
            });
        }
        let logged = self.builds.ensure_logged().await;
        logged.map_err(|e| ReadinessError::Log(e.to_string()))?;
        let head = self.log.head().map_err(|e| ReadinessError::Log(e.to_string()))?;
        let contradictions = self.log.count_contradicting_heads().await;
        let contradictions = contradictions.map_err(|e| ReadinessError::Store(e.to_string()))?;
        Ok(ReadinessReport {
            tree_size: head.map_or(0, |head| head.chain.tree_size),
            contradictions,
        })
    }
}
