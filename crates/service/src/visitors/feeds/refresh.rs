//! Fetches a feed and decides whether what came replaces the stored copy.

use std::sync::Arc;
use std::time::Duration;

use agents::Feed;
use agents::feeds::{FeedFault, check_feed, parse_feed};
use contract::{Clock, Timestamp};
use observe::{FeedRead, FeedReadOutcome};
use store::{Feeds, StoreError, StoredFeed};

use super::load::prefixes_of;
use crate::scanner::Scanner;

/// Drafts ask to poll at most hourly; operators change their lists every few days.
const INTERVAL_MS: i64 = 6 * 3_600_000;
/// After a failure: doubled with each further one, up to the interval.
const RETRY_MS: i64 = 15 * 60_000;
const READ_TIME: Duration = Duration::from_secs(30);
/// A validator that is longer is not sent back.
const MAX_VALIDATOR_BYTES: usize = 256;

/// What a refresh of a feed came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedRefresh {
    Unchanged,
    Replaced {
        prefixes: usize,
    },
    /// The stored copy stays in use.
    Failed {
        why: String,
    },
}

/// Fetches feeds. Needs no more of a store than its feeds, so that a command can use it beside a server.
#[derive(Debug)]
pub struct FeedRefresher {
    pub scanner: Scanner,
    pub clock: Arc<dyn Clock>,
}

impl FeedRefresher {
    /// Fetches one feed now and stores what it came to.
    pub async fn refresh(
        &self,
        feed: &Feed,
        store: &dyn Feeds,
    ) -> Result<(FeedRefresh, StoredFeed), StoreError> {
        let stored = store.feed(&feed.id).await?.filter(|copy| copy.url == feed.url);
        let validator =
            |text: &Option<String>| text.clone().filter(|text| text.len() <= MAX_VALIDATOR_BYTES);
        let (etag, last_modified) = match &stored {
            Some(copy) if copy.fetched_at.is_some() => {
                (validator(&copy.etag), validator(&copy.last_modified))
            }
            _ => (None, None),
        };
        let read = FeedRead {
            url: &feed.url,
            door: self.scanner.door(),
            catalogue: self.scanner.catalogue(),
            deadline: READ_TIME,
            etag: etag.as_deref(),
            last_modified: last_modified.as_deref(),
        };
        let outcome = read.run().await;
        let now = self.clock.now();
        let (refresh, mut copy) = apply_outcome(feed, stored, outcome, now);
        copy.next_attempt_at = now.plus_millis(next_wait_ms(&feed.id, copy.failures, now));
        if let FeedRefresh::Failed { why } = &refresh {
            tracing::warn!(feed = %feed.id, %why, "an address list was not replaced");
        }
        store.put_feed(copy.clone()).await?;
        Ok((refresh, copy))
    }
}

/// What is to be stored after a read.
fn apply_outcome(
    feed: &Feed,
    stored: Option<StoredFeed>,
    outcome: FeedReadOutcome,
    now: Timestamp,
) -> (FeedRefresh, StoredFeed) {
    let before = stored.unwrap_or_else(|| StoredFeed {
        id: feed.id.clone(),
        url: feed.url.clone(),
        fetched_at: None,
        changed_at: None,
        etag: None,
        last_modified: None,
        prefixes: bytes::Bytes::new(),
        prefix_count: 0,
        attempted_at: now,
        failures: 0,
        last_fault: None,
        next_attempt_at: now,
    });
    let failed = |why: String, before: StoredFeed| {
        let failures = before.failures.saturating_add(1);
        let copy =
            StoredFeed { attempted_at: now, failures, last_fault: Some(why.clone()), ..before };
        (FeedRefresh::Failed { why }, copy)
    };
    match outcome {
        FeedReadOutcome::Failed(why) => failed(why, before),
        FeedReadOutcome::NotModified => {
            let copy = StoredFeed {
                fetched_at: Some(now),
                attempted_at: now,
                failures: 0,
                last_fault: None,
                ..before
            };
            (FeedRefresh::Unchanged, copy)
        }
        FeedReadOutcome::Content { body, etag, last_modified } => {
            let last_good = before.fetched_at.and_then(|_| prefixes_of(&before));
            let content = parse_feed(feed.format, &body).and_then(|content| {
                check_feed(feed.proves, &content, last_good.as_ref()).map(|()| content)
            });
            let content = match content {
                Ok(content) => content,
                Err(fault) => return failed(to_sentence(&fault), before),
            };
            let is_same = last_good.as_ref() == Some(&content.prefixes);
            let prefixes = content.prefixes.len();
            let copy = StoredFeed {
                fetched_at: Some(now),
                changed_at: if is_same { before.changed_at } else { Some(now) },
                etag,
                last_modified,
                prefixes: content.prefixes.to_text().into(),
                prefix_count: u32::try_from(prefixes).unwrap_or(u32::MAX),
                attempted_at: now,
                failures: 0,
                last_fault: None,
                ..before
            };
            let refresh =
                if is_same { FeedRefresh::Unchanged } else { FeedRefresh::Replaced { prefixes } };
            (refresh, copy)
        }
    }
}

/// The description of a fault with a capital letter and a full stop.
fn to_sentence(fault: &FeedFault) -> String {
    let text = fault.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// How long until the next attempt. The jitter is a function of feed and time, up to a tenth, so that many
/// services do not ask in the same second.
fn next_wait_ms(id: &str, failures: u32, now: Timestamp) -> i64 {
    let wait = match failures {
        0 => INTERVAL_MS,
        failures => (RETRY_MS << failures.saturating_sub(1).min(8)).min(INTERVAL_MS),
    };
    let seed = proof::sha256(format!("{id} {}", now.as_millis()).as_bytes());
    let share = seed.as_bytes().first().copied().unwrap_or_default();
    wait + wait / 10 * i64::from(share) / 255
}

#[cfg(test)]
mod tests {
    use agents::KnownAgents;
    use bytes::Bytes;

    use super::*;

    fn feed() -> Feed {
        let known = KnownAgents::built_in().unwrap();
        known.feed(known.feed_index("openai-gptbot").unwrap()).unwrap().clone()
    }

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + minutes * 60_000)
    }

    fn list(prefixes: usize) -> FeedReadOutcome {
        let entries: Vec<String> =
            (0..prefixes).map(|n| format!(r#"{{"ipv4Prefix": "44.10.{n}.0/28"}}"#)).collect();
        let body = format!(r#"{{"prefixes": [{}]}}"#, entries.join(","));
        let etag = Some("\"1\"".to_owned());
        FeedReadOutcome::Content { body: Bytes::from(body), etag, last_modified: None }
    }

    #[test]
    fn a_list_is_replaced_confirmed_or_kept() {
        let feed = feed();
        let (refresh, first) = apply_outcome(&feed, None, list(40), at(0));
        assert_eq!(refresh, FeedRefresh::Replaced { prefixes: 40 });
        assert_eq!(
            (first.fetched_at, first.changed_at, first.failures),
            (Some(at(0)), Some(at(0)), 0)
        );
        let (refresh, same) = apply_outcome(&feed, Some(first), list(40), at(1));
        assert_eq!((refresh, same.changed_at), (FeedRefresh::Unchanged, Some(at(0))));
        assert_eq!(same.fetched_at, Some(at(1)));
        let (refresh, confirmed) =
            apply_outcome(&feed, Some(same), FeedReadOutcome::NotModified, at(2));
        assert_eq!((refresh, confirmed.fetched_at), (FeedRefresh::Unchanged, Some(at(2))));
        // What is empty, shrunken, not a list or not there leaves the copy as it is, and is told.
        let html = Bytes::from_static(b"<html><body>Access denied</body></html>");
        let page = FeedReadOutcome::Content { body: html, etag: None, last_modified: None };
        let gone = FeedReadOutcome::Failed("The server answered with status 503.".to_owned());
        let mut copy = confirmed.clone();
        for (outcome, failures) in [(list(0), 1), (list(3), 2), (page, 3), (gone, 4)] {
            let (refresh, after) = apply_outcome(&feed, Some(copy), outcome, at(3));
            assert!(matches!(refresh, FeedRefresh::Failed { .. }), "{refresh:?}");
            assert_eq!((after.fetched_at, &after.prefixes), (Some(at(2)), &confirmed.prefixes));
            assert_eq!((after.failures, after.last_fault.is_some()), (failures, true));
            copy = after;
        }
        let (_, mended) = apply_outcome(&feed, Some(copy), list(41), at(4));
        assert_eq!((mended.failures, mended.last_fault, mended.prefix_count), (0, None, 41));
    }

    #[test]
    fn failures_are_tried_again_sooner_and_ever_later() {
        let waits: Vec<i64> = (0..8).map(|failures| next_wait_ms("x", failures, at(0))).collect();
        let minute = 60_000;
        assert!((360 * minute..=396 * minute).contains(&waits[0]), "{waits:?}");
        assert!((15 * minute..=17 * minute).contains(&waits[1]), "{waits:?}");
        for (earlier, later) in waits.iter().skip(1).zip(waits.iter().skip(2)) {
            assert!(later >= earlier, "{waits:?}");
        }
        assert!(waits.iter().all(|wait| *wait <= 396 * minute), "{waits:?}");
        let others: std::collections::BTreeSet<i64> =
            (0..50).map(|n| next_wait_ms(&format!("feed-{n}"), 0, at(0))).collect();
        assert!(others.len() > 20, "not all at once: {others:?}");
    }
}
