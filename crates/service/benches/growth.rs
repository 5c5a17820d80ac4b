//! How much the store grows: by names that are never reached, by a known domain that is asked for again
//! and again, and by an address that uses all it may for a day.
//!
//! `cargo bench -p service --bench growth`; `GROWTH_BENCH_NAMES=100` makes it shorter.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench program"
)]

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/it/world.rs"]
mod world;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bench_table::{Goal, report_bare};
use contract::limits::{PUBLIC_LIVE_PER_MINUTE, TOTAL_LIVE_PER_MINUTE};
use contract::{Domain, NamePolicy};
use futures_util::stream::{self, StreamExt};
use service::answers::resolve::{LivePolicy, ResolveQuery};
use service::{LiveReadPermit, Service, Settings};
use store::Pruning;
use store_sqlite::SqliteStore;
use world::{HandClock, NOON, build_service_on, open_store, settings};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const MAX_LEFT_KB: f64 = 2_000.0;

fn main() {
    let names = std::env::var("GROWTH_BENCH_NAMES").ok().and_then(|n| n.parse().ok());
    let names: u64 = names.unwrap_or(1_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for at_once in [1, 32] {
        let (new, left) = runtime.block_on(unreached_names(names, at_once));
        println!(
            "1,000 names that are never reached, {at_once} at once: {} KB, after a day {} KB",
            new * 1_000 / 1_024,
            left * 1_000 / 1_024
        );
        let path = format!("store for 1,000 unreached names after a day, {at_once} at once");
        let left_kb = (left * 1_000 / 1_024) as f64;
        report_bare(&path, left_kb, "KB", Goal::AtMost(MAX_LEFT_KB));
        for (who, per_minute) in [
            ("one address", PUBLIC_LIVE_PER_MINUTE),
            ("all addresses together", TOTAL_LIVE_PER_MINUTE),
        ] {
            let per_day = u64::from(per_minute) * 60 * 24;
            println!(
                "  a day of {who} at the limit of live readings ({per_day}): {} MB, the day after {} MB",
                new * per_day / 1_048_576,
                left * per_day / 1_048_576
            );
        }
    }
    let hourly = runtime.block_on(known_domain());
    println!(
        "a known domain asked for every minute of a day with live=always: {} KB",
        hourly / 1_024
    );
}

/// Bytes per name at once, and after a day.
async fn unreached_names(names: u64, at_once: usize) -> (u64, u64) {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path()).await;
    resolve(&service, "warm.up.com".to_owned(), LivePolicy::Auto).await;
    let before = used_bytes(&store).await;
    let all = stream::iter(0..names)
        .map(|number| resolve(&service, format!("nobody{number}.com"), LivePolicy::Auto));
    all.buffer_unordered(at_once).collect::<Vec<()>>().await;
    let new = used_bytes(&store).await;
    clock.set(NOON + DAY + HOUR);
    service.prune_store().await.unwrap();
    let left = used_bytes(&store).await;
    service.log.close().await;
    (new.saturating_sub(before) / names, left.saturating_sub(before) / names)
}

/// The growth by one domain that is asked for once a minute, for a day.
async fn known_domain() -> u64 {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path()).await;
    resolve(&service, "nobody.com".to_owned(), LivePolicy::Always).await;
    let before = used_bytes(&store).await;
    for minute in 1..24 * 60 {
        clock.set(NOON + minute * 60_000);
        resolve(&service, "nobody.com".to_owned(), LivePolicy::Always).await;
    }
    let grown = used_bytes(&store).await.saturating_sub(before);
    service.log.close().await;
    grown
}

async fn start(dir: &Path) -> (Arc<Service>, Arc<SqliteStore>, HandClock) {
    let (store, clock) = (Arc::new(open_store(dir)), HandClock::new(NOON));
    // What the limits would refuse does not reach the store.
    let settings = Settings { domain_limits: None, ..settings() };
    let service = build_service_on(dir, settings, clock.clone(), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    (service, store, clock)
}

struct AllPermitted;

impl LiveReadPermit for AllPermitted {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

async fn resolve(service: &Arc<Service>, name: String, live: LivePolicy) {
    let query = ResolveQuery {
        domain: Domain::parse(&name, &NamePolicy::default()).unwrap(),
        live,
        max_age_hours: None,
        live_read_permit: Arc::new(AllPermitted),
    };
    service.answers.resolve(query).await.unwrap();
}

async fn used_bytes(store: &SqliteStore) -> u64 {
    let size = store.size().await.unwrap();
    size.database_bytes - size.free_bytes
}
