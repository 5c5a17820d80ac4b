//! One check: the page is read, compared with what was there, and what is new is kept.

use bytes::Bytes;
use contract::Timestamp;
use contract::evidence::{Outcome, Response};
use contract::limits::{CLOCK_EVERY_HOURS, CLOCK_READ_BUDGET};
use contract::records::{ClockChange, ClockState};
use door::Fetched;
use judge::resolve::clock::{Before, Seen, change, seen};
use observe::{ClockPlan, ClockRead};
use proof::Digest;
use store::{ClockVersion, KeptClock};

use super::ClockError;
use super::kept::{Beside, no_change};
use crate::Service;

const HOUR_MS: i64 = 3_600_000;
/// A site that asks us away is asked for its policy again after so long.
const REFUSED_PAUSE_HOURS: i64 = 7 * 24;

/// What a check brought, apart from the store.
enum Brought {
    /// Nothing that says anything about the page.
    Nothing {
        state: ClockState,
        why: String,
    },
    Unchanged,
    Page {
        seen: Box<Seen>,
        change: Option<ClockChange>,
        body: Bytes,
        media_type: Option<String>,
    },
}

impl Service {
    /// Checks a clock once and keeps what came of it. `versions` newest first.
    pub(crate) async fn check_clock(
        &self,
        mut clock: KeptClock,
        mut versions: Vec<ClockVersion>,
    ) -> Result<(KeptClock, Vec<ClockVersion>), ClockError> {
        let newest = versions.first().cloned();
        let read = self.scanner.check_page(
            &clock.url,
            newest.as_ref().and_then(|version| version.etag.as_deref()),
            newest.as_ref().and_then(|version| version.last_modified.as_deref()),
        );
        let read = read.await;
        let now = self.clock.now().whole_seconds();
        let mut beside = Beside::of(&clock);
        let brought = self.brought(read, newest.as_ref(), &beside, now).await?;
        let mut kept_version = None;
        clock.next_check_at = now.plus_millis(i64::from(CLOCK_EVERY_HOURS) * HOUR_MS);
        match brought {
            Brought::Nothing { state, why } => {
                if state == ClockState::Refused {
                    clock.next_check_at = now.plus_millis(REFUSED_PAUSE_HOURS * HOUR_MS);
                }
                clock.state = state.as_str().to_owned();
                clock.why = Some(why);
            }
            Brought::Unchanged => {
                kept_version = newest.map(|version| ClockVersion { seen_to: now, ..version });
                counted(&mut clock, &mut beside, now);
            }
            Brought::Page { seen, change, body, media_type } => {
                let version = match (newest, change) {
                    (Some(version), None) => ClockVersion { seen_to: now, ..version },
                    (newest, change) => {
                        let n = newest.map_or(1, |version| version.n.saturating_add(1));
                        let change = if n == 1 { None } else { change };
                        self.keep_body(&seen, body, now).await?;
                        version(n, &seen, &change.unwrap_or_else(no_change), now)
                    }
                };
                beside.declared = seen.declared.clone();
                beside.media_type = media_type;
                kept_version = Some(version);
                counted(&mut clock, &mut beside, now);
            }
        }
        clock.declared = beside.bytes();
        self.store.put_clock(clock.clone(), kept_version.clone()).await?;
        if let Some(version) = kept_version {
            versions.retain(|known| known.n != version.n);
            versions.insert(0, version);
        }
        Ok((clock, versions))
    }

    async fn brought(
        &self,
        read: ClockRead,
        newest: Option<&ClockVersion>,
        beside: &Beside,
        now: Timestamp,
    ) -> Result<Brought, ClockError> {
        let paused = |why: String| Brought::Nothing { state: ClockState::Paused, why };
        let fetched = match read {
            ClockRead::Unwelcome => {
                let why = "robots.txt asks us not to read this page.".to_owned();
                return Ok(Brought::Nothing { state: ClockState::Refused, why });
            }
            ClockRead::PolicyUnknown(why) => return Ok(paused(why)),
            ClockRead::Asked(fetched) => *fetched,
        };
        let Fetched { exchange, body } = fetched;
        let response = match exchange.outcome {
            Outcome::Response(response) => *response,
            Outcome::Failed(failure) => return Ok(paused(failure.detail)),
        };
        match response.status {
            304 if newest.is_some() => return Ok(Brought::Unchanged),
            // A busy or broken server says nothing about the page.
            429 | 500..=599 => {
                return Ok(paused(format!("The page was answered with {}.", response.status)));
            }
            _ => {}
        }
        if response.body.cut.is_some() {
            return Ok(paused("The page did not come to its end.".to_owned()));
        }
        let earlier = match newest.and_then(|version| version.body_sha256) {
            Some(digest) => self.store.artifact(digest).await?,
            None => None,
        };
        let newest = newest.cloned();
        let media_type = beside.media_type.clone();
        let compared = tokio::task::spawn_blocking(move || {
            compare(&response, body, newest.as_ref(), earlier, media_type.as_deref(), now)
        });
        compared.await.map_err(|error| ClockError::Internal(error.to_string()))
    }

    /// Kept so that the next check can count words; forgotten with other bodies.
    async fn keep_body(&self, seen: &Seen, body: Bytes, now: Timestamp) -> Result<(), ClockError> {
        if let Ok(digest) = seen.body_sha256.parse::<Digest>() {
            self.store.put_artifact(digest, body, now).await?;
        }
        Ok(())
    }
}

/// Parsing pages is work for a processor.
fn compare(
    response: &Response,
    body: Bytes,
    newest: Option<&ClockVersion>,
    earlier: Option<Bytes>,
    earlier_type: Option<&str>,
    now: Timestamp,
) -> Brought {
    let media_type = response.header("content-type").map(ToOwned::to_owned);
    let seen = seen(response, &body, now);
    let change = newest.and_then(|version| {
        let (body_sha256, text_sha256) = (
            version.body_sha256.map(|digest| digest.to_hex()),
            version.text_sha256.map(|digest| digest.to_hex()),
        );
        let before = Before {
            status: version.status,
            body_sha256: body_sha256.as_deref(),
            text_sha256: text_sha256.as_deref(),
            body: earlier.as_deref().map(|body| (body, earlier_type)),
        };
        change(&before, &seen, &body, media_type.as_deref())
    });
    Brought::Page { seen: Box::new(seen), change, body, media_type }
}

/// A check that saw the page.
fn counted(clock: &mut KeptClock, beside: &mut Beside, now: Timestamp) {
    if let Some(last) = clock.last_checked_at {
        let gap = now.millis_since(last).max(0);
        beside.widest_gap_ms = Some(beside.widest_gap_ms.unwrap_or(0).max(gap));
    }
    clock.state = ClockState::Running.as_str().to_owned();
    clock.why = None;
    clock.checks = clock.checks.saturating_add(1);
    clock.last_checked_at = Some(now);
}

fn version(n: u32, seen: &Seen, change: &ClockChange, now: Timestamp) -> ClockVersion {
    ClockVersion {
        n,
        seen_from: now,
        seen_to: now,
        status: Some(seen.status),
        bytes: Some(seen.bytes),
        body_sha256: seen.body_sha256.parse().ok(),
        text_sha256: seen.text_sha256.as_ref().and_then(|hex| hex.parse().ok()),
        etag: seen.etag.clone(),
        last_modified: seen.last_modified.clone(),
        change: serde_json::to_vec(change).unwrap_or_default().into(),
    }
}

impl crate::Scanner {
    async fn check_page(
        &self,
        url: &str,
        etag: Option<&str>,
        last_modified: Option<&str>,
    ) -> ClockRead {
        let plan = ClockPlan {
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
