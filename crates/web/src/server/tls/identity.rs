//! The pair that new connections get. It can be replaced while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

use super::certificate::TlsPair;

/// Cheap to clone; all clones share the pair. Whoever follows the files replaces it; each handshake takes
/// it once, so that an open connection goes on with the pair it began with. The lock is held for one
/// clone of an `Arc`, never across an await.
#[derive(Debug, Clone)]
pub struct TlsIdentity(Arc<RwLock<Arc<TlsPair>>>);

impl TlsIdentity {
    #[must_use]
    pub fn new(pair: TlsPair) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(pair))))
    }

    #[must_use]
    pub fn current(&self) -> Arc<TlsPair> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn replace(&self, pair: TlsPair) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
    }
}
