//! Past days sealed, and their seals taken to the calendars.

use std::sync::Arc;
use std::time::Duration;

use crate::Service;

const SEAL_EVERY: Duration = Duration::from_secs(60);
/// How often it is looked whether a timestamp is due, at most.
const ANCHOR_EVERY: Duration = Duration::from_secs(60);

/// Runs until it is dropped. What fails is logged and tried again at the next turn. Each has its
/// own task, so that a calendar which does not answer never holds up a seal.
pub async fn sealing(service: Arc<Service>) {
    tokio::join!(seal(&service), anchor(&service));
}

async fn seal(service: &Service) {
    let mut turns = tokio::time::interval(SEAL_EVERY);
    loop {
        turns.tick().await;
        if let Err(error) = service.seal_past_days(service.newest_log_head()).await {
            tracing::error!(%error, "past days could not be sealed");
        }
    }
}

async fn anchor(service: &Service) {
    // A demo's calendar is faster than the world's.
    let every = ANCHOR_EVERY.min(service.proof_settings().upgrade_every).max(MIN_PAUSE);
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        if let Err(error) = service.anchor_seals().await {
            tracing::error!(%error, "timestamps could not be taken further");
        }
    }
}

const MIN_PAUSE: Duration = Duration::from_secs(1);
