//! What owners change about an answer: a claim has another state, or an incident begins or ends.

use std::sync::Arc;

use contract::Domain;

use super::query::ResolveError;
use crate::answers::Answers;

impl Answers {
    /// Drops the cached answer about a domain, and makes it again if there is one, so that what an incident
    /// withholds is revoked at once. If that fails, the next request does it.
    pub(crate) async fn owner_facts_changed(self: &Arc<Self>, domain: &Domain) {
        self.resolve_state.cache.remove(domain);
        match self.serve_kept(domain, None).await {
            Ok(_) | Err(ResolveError::NothingStored) => {}
            Err(error) => {
                tracing::warn!(%error, %domain, "the answer could not be brought up to date")
            }
        }
    }
}
