//! Asks AI engines about businesses whose owners have proven control of their domains.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::accuracy::Accuracy;

/// How often domains are looked for that were not measured today.
const INTERVAL: Duration = Duration::from_secs(5);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_accuracy(accuracy: Arc<Accuracy>) {
    let mut turns = tokio::time::interval(INTERVAL);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        if let Err(error) = accuracy.measure_due().await {
            tracing::warn!(%error, "what AI engines say could not be measured");
        }
    }
}
