//! The readiness check: whether this process can answer requests now.

use crate::Service;

/// Why the process is not ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadinessError {
    #[error("the store check failed: {0}")]
    Store(String),
    /// Nothing can be sealed, so no answer can be given out.
    #[error("the log cannot seal anything: {0}")]
    Log(String),
}

/// What the readiness endpoint reports about a process that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadinessReport {
    /// Leaves in the log.
    pub tree_size: u64,
    /// Heads we received that our key signed and that are not in our log. The process stays ready, but
    /// this is an incident.
    pub contradictions: u64,
}

impl Service {
    /// Checks that the store can be written and read, and that the log accepts entries.
    pub async fn check_readiness(&self) -> Result<ReadinessReport, ReadinessError> {
        self.store.check().await.map_err(|e| ReadinessError::Store(e.to_string()))?;
        if let Some(why) = self.log.fault() {
            return Err(ReadinessError::Log(why));
        }
        let head = self.log.head().map_err(|e| ReadinessError::Log(e.to_string()))?;
        let contradictions = self.log.count_contradicting_heads().await;
        let contradictions = contradictions.map_err(|e| ReadinessError::Store(e.to_string()))?;
        Ok(ReadinessReport {
            tree_size: head.map_or(0, |head| head.chain.tree_size),
            contradictions,
        })
    }
}
