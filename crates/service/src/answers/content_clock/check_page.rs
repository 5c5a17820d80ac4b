//! One check of a clock: reads the page, compares it with the newest version, stores what changed.

use bytes::Bytes;
use contract::Timestamp;
use contract::evidence::{ExchangeOutcome, Response};
use contract::limits::{CLOCK_CHECK_INTERVAL_HOURS, CLOCK_READ_BUDGET};
use contract::records::{ClockChange, ClockState};
use door::FetchResult;
use judge::resolve::clock::{
    PageSnapshot, PreviousVersion, detect_change, read_snapshot, sitemap_date,
};
use observe::{ContentClockCheck, ContentClockOutcome};
use proof::Digest;
use store::{ClockVersion, StoredClock};

use super::stored_clock::{ClockDetails, no_change};
use super::{ContentClockError, ContentClocks};
use crate::scanner::Scanner;

const HOUR_MS: i64 = 3_600_000;
/// How long to wait before the robots.txt of a site that disallows us is read again.
const DISALLOWED_PAUSE_HOURS: i64 = 7 * 24;

/// The result of a check, before it is stored.
enum CheckResult {
    /// The read gave no information about the page.
    NotObserved {
        state: ClockState,
        why: String,
    },
    Unchanged,
    Page {
        snapshot: Box<PageSnapshot>,
        change: Option<ClockChange>,
        body: Bytes,
        media_type: Option<String>,
    },
}

impl ContentClocks {
    /// Checks a clock once and stores the result. `versions` are newest first.
    pub(crate) async fn check_clock(
        &self,
        mut clock: StoredClock,
        mut versions: Vec<ClockVersion>,
    ) -> Result<(StoredClock, Vec<ClockVersion>), ContentClockError> {
        let newest = versions.first().cloned();
        let read = self.scanner.check_page(
            &clock.url,
            newest.as_ref().and_then(|version| version.etag.as_deref()),
            newest.as_ref().and_then(|version| version.last_modified.as_deref()),
        );
        let read = read.await;
        let now = self.clock.now().whole_seconds();
        let mut details = ClockDetails::from_stored(&clock);
        let result = self.interpret_read(&clock.url, read, newest.as_ref(), &details, now).await?;
        let mut new_version = None;
        clock.next_check_at = now.plus_millis(i64::from(CLOCK_CHECK_INTERVAL_HOURS) * HOUR_MS);
        match result {
            CheckResult::NotObserved { state, why } => {
                if state == ClockState::Refused {
                    clock.next_check_at = now.plus_millis(DISALLOWED_PAUSE_HOURS * HOUR_MS);
                }
                clock.state = state.as_str().to_owned();
                clock.why = Some(why);
            }
            CheckResult::Unchanged => {
                new_version = newest.map(|version| ClockVersion { seen_to: now, ..version });
                record_check(&mut clock, &mut details, now);
            }
            CheckResult::Page { snapshot, change, body, media_type } => {
                let version = match (newest, change) {
                    (Some(version), None) => ClockVersion { seen_to: now, ..version },
                    (newest, change) => {
                        let n = newest.map_or(1, |version| version.n.saturating_add(1));
                        let change = if n == 1 { None } else { change };
                        self.store_body(&snapshot, body, now).await?;
                        build_version(n, &snapshot, &change.unwrap_or_else(no_change), now)
                    }
                };
                details.declared = snapshot.declared.clone();
                details.media_type = media_type;
                new_version = Some(version);
                record_check(&mut clock, &mut details, now);
            }
        }
        clock.declared = details.to_bytes();
        self.store.put_clock(clock.clone(), new_version.clone()).await?;
        if let Some(version) = new_version {
            versions.retain(|known| known.n != version.n);
            versions.insert(0, version);
        }
        Ok((clock, versions))
    }

    async fn interpret_read(
        &self,
        url: &str,
        read: ContentClockOutcome,
        newest: Option<&ClockVersion>,
        details: &ClockDetails,
        now: Timestamp,
    ) -> Result<CheckResult, ContentClockError> {
        let paused = |why: String| CheckResult::NotObserved { state: ClockState::Paused, why };
        let (fetched, sitemap) = match read {
            ContentClockOutcome::Disallowed => {
                let why = "robots.txt disallows this page for our crawler.".to_owned();
                return Ok(CheckResult::NotObserved { state: ClockState::Refused, why });
            }
            ContentClockOutcome::RobotsUnreadable(why) => return Ok(paused(why)),
            ContentClockOutcome::Fetched { page, sitemap } => (*page, sitemap),
        };
        let FetchResult { exchange, body } = fetched;
        let response = match exchange.outcome {
            ExchangeOutcome::Response(response) => *response,
            ExchangeOutcome::Failed(failure) => return Ok(paused(failure.detail)),
        };
        match response.status {
            304 if newest.is_some() => return Ok(CheckResult::Unchanged),
            // An overloaded or failing server gives no information about the page.
            429 | 500..=599 => {
                return Ok(paused(format!(
                    "The server responded with status {}.",
                    response.status
                )));
            }
            _ => {}
        }
        if response.body.cut.is_some() {
            return Ok(paused("The response body was incomplete.".to_owned()));
        }
        let earlier = match newest.and_then(|version| version.body_sha256) {
            Some(digest) => self.store.artifact(digest).await?,
            None => None,
        };
        let newest = newest.cloned();
        let media_type = details.media_type.clone();
        let url = url.to_owned();
        let comparing = tokio::task::spawn_blocking(move || {
            let dated = sitemap.and_then(|sitemap| sitemap_date(&sitemap, &url, now));
            let mut compared =
                compare_page(&response, body, newest.as_ref(), earlier, media_type.as_deref(), now);
            if let CheckResult::Page { snapshot, .. } = &mut compared {
                snapshot.declared.extend(dated);
                snapshot.declared.sort();
            }
            compared
        });
        comparing.await.map_err(|error| ContentClockError::Internal(error.to_string()))
    }

    /// Stores the body so that the next check can count changed words. It expires with other bodies.
    async fn store_body(
        &self,
        snapshot: &PageSnapshot,
        body: Bytes,
        now: Timestamp,
    ) -> Result<(), ContentClockError> {
        if let Ok(digest) = snapshot.body_sha256.parse::<Digest>() {
            self.store.put_artifact(digest, body, now).await?;
        }
        Ok(())
    }
}

/// Parses and compares the page. Takes CPU time, so it runs outside the async executor.
fn compare_page(
    response: &Response,
    body: Bytes,
    newest: Option<&ClockVersion>,
    earlier: Option<Bytes>,
    earlier_type: Option<&str>,
    now: Timestamp,
) -> CheckResult {
    let media_type = response.header("content-type").map(ToOwned::to_owned);
    let snapshot = read_snapshot(response, &body, now);
    let change = newest.and_then(|version| {
        let (body_sha256, text_sha256) = (
            version.body_sha256.map(|digest| digest.to_hex()),
            version.text_sha256.map(|digest| digest.to_hex()),
        );
        let previous = PreviousVersion {
            status: version.status,
            body_sha256: body_sha256.as_deref(),
            text_sha256: text_sha256.as_deref(),
            body: earlier.as_deref().map(|body| (body, earlier_type)),
        };
        detect_change(&previous, &snapshot, &body, media_type.as_deref())
    });
    CheckResult::Page { snapshot: Box::new(snapshot), change, body, media_type }
}

/// Records a check that observed the page.
fn record_check(clock: &mut StoredClock, details: &mut ClockDetails, now: Timestamp) {
    if let Some(last) = clock.last_checked_at {
        let gap = now.millis_since(last).max(0);
        details.widest_gap_ms = Some(details.widest_gap_ms.unwrap_or(0).max(gap));
    }
    clock.state = ClockState::Running.as_str().to_owned();
    clock.why = None;
    clock.checks = clock.checks.saturating_add(1);
    clock.last_checked_at = Some(now);
}

fn build_version(
    n: u32,
    snapshot: &PageSnapshot,
    change: &ClockChange,
    now: Timestamp,
) -> ClockVersion {
    ClockVersion {
        n,
        seen_from: now,
        seen_to: now,
        status: Some(snapshot.status),
        bytes: Some(snapshot.bytes),
        body_sha256: snapshot.body_sha256.parse().ok(),
        text_sha256: snapshot.text_sha256.as_ref().and_then(|hex| hex.parse().ok()),
        etag: snapshot.etag.clone(),
        last_modified: snapshot.last_modified.clone(),
        change: serde_json::to_vec(change).unwrap_or_default().into(),
    }
}

impl Scanner {
    async fn check_page(
        &self,
        url: &str,
        etag: Option<&str>,
        last_modified: Option<&str>,
    ) -> ContentClockOutcome {
        let plan = ContentClockCheck {
            url,
            door: self.door(),
            catalogue: self.catalogue(),
            deadline: CLOCK_READ_BUDGET,
            etag,
            last_modified,
        };
        plan.run().await
    }
}
