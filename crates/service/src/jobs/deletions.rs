//! Follows deletions by the operator's command, which runs beside the server: empties the caches, and
//! removes the files of bodies.

use crate::Service;

/// How often the caches are emptied after a deletion, once a second: an answer that was being made then
/// may be put into a cache a little later.
const EMPTIED_TIMES: u32 = 20;

/// What is known of the deletions.
#[derive(Debug, Default)]
pub(super) struct FollowedDeletions {
    /// How many there were at the last look.
    known: Option<u64>,
    emptyings_left: u32,
}

impl FollowedDeletions {
    /// Also goes on with what a process that ended has left over. A failure is tried again at the next
    /// look.
    pub(super) async fn look(&mut self, service: &Service) {
        match service.store.count_deleted_scans().await {
            Ok(count) => {
                if self.known.is_some_and(|known| known != count) {
                    tracing::info!("a report was deleted by the operator; the caches are emptied");
                    self.emptyings_left = EMPTIED_TIMES;
                }
                self.known = Some(count);
            }
            Err(error) => tracing::warn!(%error, "deletions cannot be looked up"),
        }
        if self.emptyings_left > 0 {
            self.emptyings_left -= 1;
            service.answers.empty_caches();
            service.scanning.documents.clear();
        }
        match service.store.remove_deleted_bodies().await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed the bodies of deleted reports"),
            Err(error) => tracing::error!(%error, "the bodies of deleted reports are still there"),
        }
    }
}
