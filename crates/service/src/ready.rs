//! Whether this process can do its work now.

use crate::Service;

/// Why it cannot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store does not work: {0}")]
pub struct NotReady(String);

impl Service {
    /// Writes and reads a little, the way a request would.
    pub async fn ready(&self) -> Result<(), NotReady> {
        self.store.check().await.map_err(|e| NotReady(e.to_string()))
    }
}
