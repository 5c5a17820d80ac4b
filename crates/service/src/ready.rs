//! Whether this process can do its work now.

use crate::Service;

/// Why it cannot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    #[error("the store does not work: {0}")]
    Store(String),
    /// Nothing can be sealed, so no answer can be given.
    #[error("nothing can be sealed: {0}")]
    Log(String),
}

/// What an operator should know of a process that can work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// Leaves in the log.
    pub tree_size: u64,
    /// Heads we were shown that bear our signature and are not of our log. They do not keep the
    /// process from its work; they are an incident.
    pub contradictions: u64,
}

impl Service {
    /// Writes and reads a little, the way a request would, and asks whether the log takes entries.
    pub async fn ready(&self) -> Result<Ready, NotReady> {
        self.store.check().await.map_err(|e| NotReady::Store(e.to_string()))?;
        if let Some(why) = self.log_fault() {
            return Err(NotReady::Log(why));
        }
        let head = self.log_head().map_err(|e| NotReady::Log(e.to_string()))?;
        let contradictions = self.log_contradictions().await;
        let contradictions = contradictions.map_err(|e| NotReady::Store(e.to_string()))?;
        Ok(Ready { tree_size: head.map_or(0, |head| head.chain.tree_size), contradictions })
    }
}
