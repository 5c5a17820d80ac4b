//! The queue of full scans: under the daily total, the pause switch and its time limits.

use bytes::Bytes;
use contract::Timestamp;
use service::{FreeScans, Service, Settings, pause_scans};
use std::sync::Arc;
use std::time::Duration;
use store::{Jobs, NewJob};

use crate::world::{HandClock, NOON, build_service_on, open_store, settings};

const QUEUE: &str = "upgrade";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// A service without a resolver, so that every scan ends at once, and a queue of due scans.
async fn service_with_queue(
    folder: &std::path::Path,
    free_scans: FreeScans,
    scans: usize,
) -> (Arc<Service>, Arc<store_sqlite::SqliteStore>, HandClock) {
    let store = Arc::new(open_store(folder));
    for number in 0..scans {
        let job = NewJob {
            kind: QUEUE.to_owned(),
            key: format!("site{number}.com"),
            due_at: at(NOON - 1_000),
            body: Bytes::new(),
        };
        store.queue_job(job, at(NOON - 60_000)).await.unwrap();
    }
    let settings = Settings { free_scans, scan_deadline: Duration::from_millis(500), ..settings() };
    let clock = HandClock::new(NOON);
    (build_service_on(folder, settings, clock.clone(), store.clone()), store, clock)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_due_scan_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let (service, store, _) = service_with_queue(folder.path(), FreeScans::default(), 12).await;
    assert_eq!(service.run_due_queued_scans().await, 12);
    assert_eq!(store.count_jobs(QUEUE).await, Ok(0));
    assert_eq!(service.run_due_queued_scans().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_scans_stay_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let (service, store, _) = service_with_queue(folder.path(), FreeScans::default(), 3).await;
    pause_scans(store.as_ref(), true, at(NOON)).await.unwrap();
    assert_eq!(service.run_due_queued_scans().await, 0);
    assert_eq!(store.count_jobs(QUEUE).await, Ok(3));
    pause_scans(store.as_ref(), false, at(NOON)).await.unwrap();
    assert_eq!(service.run_due_queued_scans().await, 3);
    assert_eq!(store.count_jobs(QUEUE).await, Ok(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daily_total_covers_the_queue_and_the_rest_runs_the_next_day() {
    let folder = tempfile::tempdir().unwrap();
    let total = FreeScans { per_day: 20, ..FreeScans::default() };
    let (service, store, clock) = service_with_queue(folder.path(), total, 30).await;
    service.run_due_queued_scans().await;
    assert_eq!(store.count_jobs(QUEUE).await, Ok(10), "twenty were made");
    let next_day = NOON + 12 * 3_600_000 + 10 * 60_000;
    for hour in 1..12 {
        clock.set(NOON + hour * 3_600_000);
        service.run_due_queued_scans().await;
        assert_eq!(store.count_jobs(QUEUE).await, Ok(10), "and no more on this day");
    }
    clock.set(next_day);
    service.run_due_queued_scans().await;
    assert_eq!(store.count_jobs(QUEUE).await, Ok(0));
}
