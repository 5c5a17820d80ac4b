//! The state of each feed, as operators see it.

use agents::{Feed, FeedIndex, KnownAgents};
use contract::Timestamp;

/// What is known of one feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedReport {
    pub feed: FeedIndex,
    pub health: FeedHealth,
    pub prefixes: u32,
    pub fetched_at: Option<Timestamp>,
    /// When the content last changed.
    pub changed_at: Option<Timestamp>,
    pub attempted_at: Option<Timestamp>,
    pub failures: u32,
    pub last_fault: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedHealth {
    Fresh,
    /// Older than the feed may be: it no longer denies anybody.
    Old,
    NeverFetched,
    /// Its address cannot be fetched over HTTPS.
    NotFetchable,
}

impl FeedHealth {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Old => "old",
            Self::NeverFetched => "never_fetched",
            Self::NotFetchable => "not_fetchable",
        }
    }
}

/// The reports before anything was loaded.
pub(in crate::visitors) fn reports_of_unfetched(agents: &KnownAgents) -> Vec<FeedReport> {
    let report = |(at, feed): (usize, &Feed)| FeedReport {
        feed: FeedIndex(u16::try_from(at).unwrap_or(u16::MAX)),
        health: if is_fetchable(feed) {
            FeedHealth::NeverFetched
        } else {
            FeedHealth::NotFetchable
        },
        prefixes: 0,
        fetched_at: None,
        changed_at: None,
        attempted_at: None,
        failures: 0,
        last_fault: None,
    };
    agents.feeds().iter().enumerate().map(report).collect()
}

/// Only addresses of HTTPS are fetched.
pub(super) fn is_fetchable(feed: &Feed) -> bool {
    feed.url.starts_with("https://")
}

/// Age and size of each feed, for alarms.
pub(super) fn report_metrics(reports: &[FeedReport], now: Timestamp) {
    let mut counts = [0_u32; 4];
    for report in reports {
        let at = match report.health {
            FeedHealth::Fresh => 0,
            FeedHealth::Old => 1,
            FeedHealth::NeverFetched => 2,
            FeedHealth::NotFetchable => 3,
        };
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    }
    let states =
        [FeedHealth::Fresh, FeedHealth::Old, FeedHealth::NeverFetched, FeedHealth::NotFetchable];
    for (state, count) in states.iter().zip(counts) {
        metrics::gauge!("wayleave_agent_feeds", "state" => state.as_str()).set(f64::from(count));
    }
    let oldest = reports.iter().filter_map(|report| report.fetched_at).min();
    let age_s = oldest.map_or(0, |oldest| now.millis_since(oldest).max(0) / 1000);
    metrics::gauge!("wayleave_agent_feeds_oldest_seconds").set(age_s as f64);
}
