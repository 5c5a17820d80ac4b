//! Sends events to the webhooks of licence holders.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::webhooks::{SENT_AT_ONCE, Webhooks};

/// How long an event waits at most before it is sent for the first time.
const FAN_OUT_INTERVAL: Duration = Duration::from_secs(2);
/// How often deliveries are looked for that are due again.
const SEND_INTERVAL: Duration = Duration::from_secs(2);
/// How many turns of the fan-out pass between two counts of what waits.
const TURNS_PER_COUNT: u32 = 5;

const WAITING: &str = "wayleave_webhook_deliveries_waiting";

/// Runs until it is dropped. Failures are logged and tried again. What is being sent when it ends is sent
/// again after the next start, with the same id.
pub async fn run_webhooks(webhooks: Arc<Webhooks>) {
    tokio::join!(fan_out_events(&webhooks), send_deliveries(&webhooks));
}

async fn fan_out_events(webhooks: &Webhooks) {
    let mut turns = tokio::time::interval(FAN_OUT_INTERVAL);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut turn = 0_u32;
    loop {
        turns.tick().await;
        match webhooks.fan_out().await {
            Ok(0) => {}
            Ok(_) => webhooks.due.notify_one(),
            Err(error) => tracing::warn!(%error, "events for webhooks could not be stored yet"),
        }
        if turn.is_multiple_of(TURNS_PER_COUNT) {
            match webhooks.count_waiting().await {
                Ok(count) => metrics::gauge!(WAITING).set(count as f64),
                Err(error) => tracing::warn!(%error, "waiting deliveries could not be counted"),
            }
        }
        turn = turn.wrapping_add(1);
    }
}

async fn send_deliveries(webhooks: &Arc<Webhooks>) {
    let mut sending = JoinSet::new();
    loop {
        let free = SENT_AT_ONCE.saturating_sub(sending.len());
        match webhooks.claim_due(free).await {
            Ok(claimed) => {
                for delivery in claimed {
                    let webhooks = Arc::clone(webhooks);
                    sending.spawn(async move { webhooks.deliver(delivery).await });
                }
            }
            Err(error) => {
                tracing::warn!(%error, "deliveries to webhooks could not be claimed");
                tokio::time::sleep(SEND_INTERVAL).await;
            }
        }
        tokio::select! {
            // A place is free, and its webhook can have its next delivery.
            Some(_) = sending.join_next() => {}
            () = webhooks.due.notified() => {}
            () = tokio::time::sleep(SEND_INTERVAL) => {}
        }
    }
}
