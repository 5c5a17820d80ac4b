//! Checks the content clocks that are due, and deletes expired ones.

use std::sync::Arc;
use std::time::Duration;

use crate::answers::content_clock::ContentClocks;

const CHECK_INTERVAL: Duration = Duration::from_secs(60);
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3_600);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_content_clocks(clocks: Arc<ContentClocks>) {
    let mut turns = tokio::time::interval(CHECK_INTERVAL);
    let mut forget = tokio::time::interval(CLEANUP_INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = turns.tick() => drop(clocks.check_due_clocks().await),
            _ = forget.tick() => clocks.delete_expired_clocks().await,
        }
    }
}
