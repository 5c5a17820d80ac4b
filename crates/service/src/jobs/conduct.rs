//! Looks up names that tell whether requests to our own site came from the agents that they name, and writes what
//! was counted.

use std::sync::Arc;
use std::time::Duration;

use crate::conduct::Conduct;

/// What a crash can lose at most, and how long a request waits for its look-up.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_conduct(conduct: Arc<Conduct>) {
    let mut turns = tokio::time::interval(WRITE_INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        conduct.look_up_waiting().await;
        if let Err(error) = conduct.write_counts().await {
            tracing::warn!(%error, "the counts of agents on our own site could not be written");
        }
    }
}
