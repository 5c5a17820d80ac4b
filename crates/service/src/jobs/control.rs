//! Checks proofs of control that are due, reads disputed sites again, ends incidents whose time is over, and
//! follows what other processes changed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::domains::DomainControl;

/// How long a change by another process takes at most to be noticed.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(2);
/// How often claims, incidents and disputes are looked for that are due.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_control(control: Arc<DomainControl>) {
    tokio::join!(
        follow(&control),
        check_claims(&control),
        end_incidents(&control),
        read_disputed(&control)
    );
}

fn turns(every: Duration) -> tokio::time::Interval {
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}

async fn follow(control: &DomainControl) {
    let mut turns = turns(FOLLOW_INTERVAL);
    let mut last = None;
    loop {
        turns.tick().await;
        let followed = match last {
            None => control.last_event().await,
            Some(after) => control.follow_events(after).await,
        };
        match followed {
            Ok(read) => last = Some(read),
            Err(error) => tracing::warn!(%error, "events of control could not be read"),
        }
    }
}

async fn check_claims(control: &DomainControl) {
    let mut turns = turns(CHECK_INTERVAL);
    loop {
        turns.tick().await;
        if let Err(error) = control.recheck_due().await {
            tracing::warn!(%error, "claims that are due could not be checked");
        }
    }
}

async fn end_incidents(control: &DomainControl) {
    let mut turns = turns(CHECK_INTERVAL);
    loop {
        turns.tick().await;
        if let Err(error) = control.end_overdue_incidents().await {
            tracing::warn!(%error, "incidents whose time is over could not be ended");
        }
    }
}

async fn read_disputed(control: &DomainControl) {
    let mut turns = turns(CHECK_INTERVAL);
    loop {
        turns.tick().await;
        if let Err(error) = control.read_disputed().await {
            tracing::warn!(%error, "disputed sites could not be read again");
        }
    }
}
