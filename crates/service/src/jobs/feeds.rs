//! Fetches the operators' address lists that are due.

use std::sync::Arc;
use std::time::Duration;

use crate::visitors::Visitors;

const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_feeds(visitors: Arc<Visitors>) {
    let mut turns = tokio::time::interval(CHECK_INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_open = false;
    loop {
        turns.tick().await;
        let turn = async {
            if !is_open {
                visitors.open_feeds().await?;
            } else {
                // Another process may have refreshed a list, and those that nobody refreshes grow old.
                visitors.load_feeds().await?;
            }
            visitors.refresh_due_feeds().await
        };
        match turn.await {
            Ok(()) => is_open = true,
            Err(error) => {
                tracing::warn!(%error, "the address lists of agents could not be refreshed")
            }
        }
    }
}
