//! Seals past days, and anchors the seals at the calendars.

use std::sync::Arc;
use std::time::Duration;

use crate::Service;

const SEAL_INTERVAL: Duration = Duration::from_secs(60);
/// Longest time between two checks for due timestamps.
const MAX_ANCHOR_INTERVAL: Duration = Duration::from_secs(60);

/// Runs until it is dropped. Failures are logged and tried again at the next turn. Sealing and
/// anchoring run in separate loops, so that a calendar that does not answer never delays a seal.
pub async fn run_daily_sealing(service: Arc<Service>) {
    tokio::join!(run_seal_loop(&service), run_anchor_loop(&service));
}

async fn run_seal_loop(service: &Service) {
    let mut turns = tokio::time::interval(SEAL_INTERVAL);
    loop {
        turns.tick().await;
        if let Err(error) = service.seals.seal_past_days(service.log.head_for_day_seal()).await {
            tracing::error!(%error, "past days could not be sealed");
        }
    }
}

async fn run_anchor_loop(service: &Service) {
    // The calendar of the demo finishes timestamps within seconds.
    let every =
        MAX_ANCHOR_INTERVAL.min(service.seals.settings().upgrade_interval).max(MIN_ANCHOR_INTERVAL);
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        if let Err(error) = service.seals.anchor_seals().await {
            tracing::error!(%error, "anchoring of daily seals failed");
        }
    }
}

const MIN_ANCHOR_INTERVAL: Duration = Duration::from_secs(1);
