//! Builds an answer: chooses the reading it is based on, judges it, and seals the answer in the log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::evidence::{Evidence, ReadTarget};
use contract::limits::{ANSWER_FRESH_HOURS, LIVE_READ_PAUSE};
use contract::records::{AnswerStatus, Basis, CheckVerdict, ResolveAnswer, ScanRecord};
use contract::{Domain, Timestamp};
use judge::resolve::{
    HOUR_MS, JudgedReading, PlannedUpgrade, ReadingKind, Sections, build_sections, corroboration,
};
use observe::CollectedEvidence;
use proof::Digest;
use store::{LatestStored, NewJob, ScanRow, StoredReading};

use super::cached_answers::CachedAnswer;
use super::kept_answer::live_reading_max_age_ms;
use super::query::{LivePolicy, ResolveError, ResolveQuery};
use super::seal_answer::LatestAnswer;
use super::settings::ResolveSettings;
use super::shared_permits::SharedPermits;
use super::state::FlightResult;
use super::upgrade_windows::UPGRADE_JOB;
use crate::access::AddressBlock;
use crate::answers::Answers;
use crate::scanner::ScanOutcome;
use crate::target_domains::ReadingKind as TargetReadingKind;

pub(super) const LIVE_READ_PAUSE_MS: i64 = LIVE_READ_PAUSE.as_secs().cast_signed() * 1000;
/// How long a live read waits for another one of the same registrable domain.
const SITE_WAIT: Duration = Duration::from_secs(1);
/// An observation further in the future than this means that the clock was set back.
const MAX_CLOCK_SKEW_MS: i64 = 5 * 60_000;

/// A reading that was just judged: its sections, and what is to be stored of it.
pub(super) struct NewReading {
    pub(super) sections: Sections,
    pub(super) reading: StoredReading,
    /// robots.txt, stored for later questions about paths.
    pub(super) robots: Option<(Digest, Bytes)>,
}

/// What limits an answer that is being built.
struct BuildState {
    permits: Arc<SharedPermits>,
    /// The site should have been read, and no caller had an allowance left.
    lacked_permit: bool,
}

impl Answers {
    pub(super) async fn build_answer(
        self: Arc<Self>,
        query: ResolveQuery,
        permits: Arc<SharedPermits>,
    ) -> FlightResult {
        let mut state = BuildState { permits, lacked_permit: false };
        let answer = self.choose_reading(&query, &mut state).await;
        FlightResult { answer, lacked_permit: state.lacked_permit }
    }

    async fn choose_reading(
        self: &Arc<Self>,
        query: &ResolveQuery,
        state: &mut BuildState,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let domain = &query.domain;
        let LatestStored { answer, scan } = self.store.latest_stored(domain).await?;
        let previous = match answer {
            Some(sha256) => self.load_cached_or_stored(domain, &sha256).await?,
            None => None,
        };
        // If it cannot be parsed, the domain is read again.
        let previous = previous.filter(|previous| previous.parsed.is_some());
        // A full scan made since the last answer is the better reading, whoever requested it.
        let answer = previous.as_ref().and_then(|previous| previous.parsed.as_deref());
        if let Some(reading) = self.reading_from_newer_scan(scan, answer).await? {
            let published = Box::pin(self.publish_scan(reading)).await?;
            if query.live != LivePolicy::Always {
                return Ok(published);
            }
            let published = self.load_last_answer(domain).await?;
            return self.read_live_or_serve_kept(query, published, state).await;
        }
        let now = self.clock.now();
        let usable = answer.is_some_and(|answer| {
            let young_enough = query.max_age_hours.is_none_or(|max_age_hours| {
                answer.freshness.observed_at.is_some_and(|observed_at| {
                    now.millis_since(observed_at) <= i64::from(max_age_hours) * HOUR_MS
                })
            });
            young_enough && is_reading_usable(answer, now)
        });
        match (query.live, previous) {
            (LivePolicy::Auto, Some(seen)) if usable => {
                Box::pin(self.serve_kept(domain, Some(seen))).await
            }
            (LivePolicy::Never, Some(seen)) => Box::pin(self.serve_kept(domain, Some(seen))).await,
            (LivePolicy::Never, None) => Err(ResolveError::NothingStored),
            (_, previous) => self.read_live_or_serve_kept(query, previous, state).await,
        }
    }

    /// Reads the site now. If that is not permitted, the stored answer is served, however old.
    async fn read_live_or_serve_kept(
        self: &Arc<Self>,
        query: &ResolveQuery,
        previous: Option<LatestAnswer>,
        state: &mut BuildState,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let domain = &query.domain;
        let read_recently = |latest: &Option<LatestAnswer>| {
            let answer = latest.as_ref().and_then(|latest| latest.parsed.as_deref());
            answer.is_some_and(|answer| was_read_recently(answer, self.clock.now()))
        };
        // Without a log that accepts entries, what was read could not be answered.
        let cannot_seal = previous.is_some() && self.log.fault().is_some();
        if read_recently(&previous) || cannot_seal {
            return Box::pin(self.serve_kept(domain, previous)).await;
        }
        let begun = self.targets.begin(domain, TargetReadingKind::Live, SITE_WAIT).await;
        let reading = match begun {
            Ok(reading) => reading,
            Err(_) if previous.is_some() => {
                return Box::pin(self.serve_kept(domain, previous)).await;
            }
            Err(refusal) => {
                return Err(ResolveError::TargetLimit { wait: refusal.retry_after() });
            }
        };
        // Callers with other requirements may have read it while this one waited.
        let previous = self.reload_latest_answer(domain, previous).await?;
        let previous = previous.filter(|previous| previous.parsed.is_some());
        if read_recently(&previous) {
            reading.cancel();
            return Box::pin(self.serve_kept(domain, previous)).await;
        }
        let Some(granted) = state.permits.acquire() else {
            reading.cancel();
            state.lacked_permit = true;
            return match previous {
                Some(_) => Box::pin(self.serve_kept(domain, previous)).await,
                // Every caller gets its own time to wait.
                None => Err(ResolveError::LiveLimit { wait: Duration::ZERO }),
            };
        };
        let previous = previous.map(|previous| previous.stored.sha256);
        let build = self.build_from_live_read(domain, granted.client, previous);
        match Box::pin(build).await {
            // Nothing was read, so it does not count.
            Err(ResolveError::TargetLimit { wait }) => {
                reading.cancel();
                match previous {
                    Some(_) => Box::pin(self.serve_kept(domain, None)).await,
                    None => Err(ResolveError::TargetLimit { wait }),
                }
            }
            built => built,
        }
    }

    /// `previous`: the digest of the answer that was stored before.
    async fn build_from_live_read(
        self: &Arc<Self>,
        domain: &Domain,
        client: Option<AddressBlock>,
        previous: Option<Digest>,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let settings = &self.settings;
        let guard = self.resolve_state.count_live_read();
        let budget = read_budget(settings, guard.others());
        let id = self.ids.random_id().map_err(|e| ResolveError::Internal(e.to_string()))?;
        let budget_ms = u32::try_from(settings.live_budget.as_millis()).unwrap_or(u32::MAX);
        let kind = ReadingKind::Live { budget_ms };
        let (answers, named) = (Arc::clone(self), domain.clone());
        let judge = move |outcome: ScanOutcome| {
            let CollectedEvidence { evidence, bodies, .. } = outcome.collected;
            let queued_scan = answers.queued_scan(&named, client, &evidence);
            let reading = JudgedReading {
                evidence: &evidence,
                bodies: &bodies,
                record: &outcome.record,
                kind,
            };
            answers.judge_reading(&reading, Some(id)).map(|reading| (reading, queued_scan))
        };
        // The store is queried while the site is read. Boxed, because the future is large.
        let read = Box::pin(self.scanner.read_live_and(domain, budget, judge));
        let (judged, facts) = tokio::join!(read, self.load_stored_facts(domain, false));
        drop(guard);
        let (reading, queued_scan) = judged??;
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "live").increment(1);
        let exists = reading.sections.dns.body().and_then(|dns| dns.exists) != Some(false);
        let next_window = facts.expected_upgrade_at(&settings.windows, self.clock.now());
        let has_place = facts.queued_upgrade_at().is_some()
            || (exists && self.take_queue_place(&queued_scan).await?);
        let upgrade = exists.then_some(match has_place {
            true => PlannedUpgrade::Queued { due_at: next_window },
            false => PlannedUpgrade::QueueFull { ask_again_at: next_window },
        });
        let queue = async {
            let Some(PlannedUpgrade::Queued { due_at }) = upgrade else { return Ok(()) };
            let job = NewJob {
                kind: UPGRADE_JOB.to_owned(),
                key: domain.to_string(),
                due_at,
                body: queued_scan.to_body().into(),
            };
            self.store.queue_job(job, self.clock.now()).await.map(|_| ())
        };
        let store_reading = self.store_reading(reading.reading.clone(), reading.robots.clone());
        let seal = self.seal_new_reading(reading, facts, upgrade);
        let (queued, stored, sealed) = tokio::join!(queue, store_reading, seal);
        // If nothing can be sealed, the answer from before is served, which needs neither.
        if let Ok(sealed) = &sealed
            && previous == Some(sealed.sha256)
        {
            return Ok(Arc::clone(sealed));
        }
        // The answer announces the queued scan and names the reading, so without them it fails.
        queued?;
        stored?;
        sealed
    }

    /// Judges a reading into sections. Takes CPU time.
    fn judge_reading(
        &self,
        reading: &JudgedReading<'_>,
        reading_id: Option<String>,
    ) -> Result<NewReading, ResolveError> {
        let sections = build_sections(reading, self.settings.ranking(), &self.issuer);
        let JudgedReading { evidence, bodies, record, kind } = *reading;
        let internal = |e: proof::ProofError| ResolveError::Internal(e.to_string());
        let fields = corroboration::comparable_fields(&sections);
        let fields = proof::canonical::to_vec(&fields).map_err(internal)?;
        let scan_id = record.id.clone().filter(|_| !matches!(kind, ReadingKind::Live { .. }));
        // The record of a full scan is stored with the scan.
        let stored_record = match scan_id {
            Some(_) => Vec::new(),
            None => proof::canonical::to_vec(record).map_err(internal)?,
        };
        let robots = record.checks.iter().find(|check| check.path == "/robots.txt");
        let robots = robots
            .filter(|check| check.verdict == CheckVerdict::Ok)
            .and_then(|check| check.body_sha256.as_ref())
            .and_then(|hex| Some((hex.parse().ok()?, Bytes::copy_from_slice(bodies.body(hex)?))));
        let reading = StoredReading {
            id: reading_id.or_else(|| scan_id.clone()).unwrap_or_default(),
            domain: record.domain.clone(),
            observed_at: record.scanned_at,
            network: evidence.observer.vantage.clone(),
            basis: match kind {
                ReadingKind::Live { .. } => "just_in_time",
                ReadingKind::Scan => "scan",
                ReadingKind::Census { .. } => "census",
            }
            .to_owned(),
            scan_id,
            completed: sections.delivery.body().is_some(),
            fields: fields.into(),
            record: stored_record.into(),
        };
        Ok(NewReading { sections, reading, robots })
    }

    pub(super) async fn store_reading(
        &self,
        reading: StoredReading,
        robots: Option<(Digest, Bytes)>,
    ) -> Result<(), ResolveError> {
        if let Some((digest, body)) = robots {
            self.store.put_artifact(digest, body, reading.observed_at).await?;
        }
        Ok(self.store.put_reading(reading).await?)
    }

    pub(super) async fn load_last_answer(
        &self,
        domain: &Domain,
    ) -> Result<Option<LatestAnswer>, ResolveError> {
        // If it cannot be parsed, the domain is read again.
        let latest = self.load_latest_answer(domain).await?;
        Ok(latest.filter(|latest| latest.parsed.is_some()))
    }

    /// The newest public scan as a reading, if it is newer than the previous answer.
    async fn reading_from_newer_scan(
        self: &Arc<Self>,
        newest: Option<ScanRow>,
        previous: Option<&ResolveAnswer>,
    ) -> Result<Option<NewReading>, ResolveError> {
        let Some(row) = newest else { return Ok(None) };
        let now = self.clock.now();
        let fresh_ms = i64::from(ANSWER_FRESH_HOURS) * HOUR_MS;
        // A reading from a clock that ran ahead must not hide later scans.
        let is_past = |at: &Timestamp| at.millis_since(now) <= MAX_CLOCK_SKEW_MS;
        let observed_at = previous.and_then(|answer| answer.freshness.observed_at);
        let observed_at = observed_at.filter(is_past);
        let is_newer = observed_at.is_none_or(|observed_at| row.scanned_at > observed_at)
            || previous.is_some_and(|answer| {
                // A scan made in the same second as a partial answer is the fuller reading.
                answer.status == AnswerStatus::Partial && Some(row.scanned_at) == observed_at
            });
        if !is_newer || now.millis_since(row.scanned_at) > fresh_ms {
            return Ok(None);
        }
        self.reading_from_scan(&row.id, None).await
    }

    /// A stored scan as a reading; `None` if its record or evidence cannot be parsed.
    pub(super) async fn reading_from_scan(
        self: &Arc<Self>,
        id: &str,
        census: Option<(u64, u64)>,
    ) -> Result<Option<NewReading>, ResolveError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        let record: Result<ScanRecord, _> = serde_json::from_slice(&scan.record);
        let evidence: Result<Evidence, _> = serde_json::from_slice(&scan.evidence);
        let (Ok(record), Ok(evidence)) = (record, evidence) else {
            tracing::warn!(id, "a stored scan cannot be parsed; the domain is read again");
            return Ok(None);
        };
        let mut bodies = BTreeMap::new();
        let checks = record.checks.iter().filter(|check| check.verdict == CheckVerdict::Ok);
        let files = checks.filter_map(|check| check.body_sha256.as_ref());
        for hex in files.chain(described_and_called(&evidence)) {
            let Ok(digest) = hex.parse() else { continue };
            if let Some(body) = self.store.artifact(digest).await? {
                bodies.insert(hex.clone(), body);
            }
        }
        let kind =
            census.map_or(ReadingKind::Scan, |(run, rank)| ReadingKind::Census { run, rank });
        let bytes = bodies.values().map(Bytes::len).sum();
        let answers = Arc::clone(self);
        let judge = move || {
            let reading =
                JudgedReading { evidence: &evidence, bodies: &bodies, record: &record, kind };
            answers.judge_reading(&reading, None)
        };
        self.scanner.judging.run(bytes, judge).await.map_err(ResolveError::Internal)?.map(Some)
    }
}

/// The bodies of linked descriptions of APIs, and of the responses to calls of their operations.
fn described_and_called(evidence: &Evidence) -> impl Iterator<Item = &String> {
    let is_wanted = |target: &ReadTarget| {
        matches!(target, ReadTarget::ServiceDescription | ReadTarget::CapabilityCall)
    };
    evidence
        .reads
        .iter()
        .filter(move |reading| is_wanted(&reading.target))
        .filter_map(|reading| Some(&reading.exchange.response()?.body.sha256))
}

/// The time for reading the site. Live reads that end together compete for judging and sealing, so
/// each gets less time for reading the more are in progress, down to half of the budget.
fn read_budget(settings: &ResolveSettings, others: usize) -> Duration {
    let for_others = BUDGET_CUT_PER_READ.saturating_mul(u32::try_from(others).unwrap_or(u32::MAX));
    let max_cut = settings.live_budget / 2;
    settings.live_budget.saturating_sub((settings.reserve + for_others).min(max_cut))
}

/// By how much each other live read in progress shortens the time for reading.
const BUDGET_CUT_PER_READ: Duration = Duration::from_millis(2);

/// Whether the reading behind an answer is recent enough to answer from.
fn is_reading_usable(answer: &ResolveAnswer, now: Timestamp) -> bool {
    let Some(observed_at) = answer.freshness.observed_at else {
        return was_read_recently(answer, now);
    };
    let age = now.millis_since(observed_at);
    if age < -MAX_CLOCK_SKEW_MS {
        return false;
    }
    match answer.status {
        AnswerStatus::Measured => age <= i64::from(ANSWER_FRESH_HOURS) * HOUR_MS,
        _ if answer.delivery.body().is_none() => age < LIVE_READ_PAUSE_MS,
        _ => age < live_reading_max_age_ms(),
    }
}

/// Whether the answer is from a live read of the last minutes. A domain is not read live more often.
fn was_read_recently(answer: &ResolveAnswer, now: Timestamp) -> bool {
    let Basis::JustInTime(basis) = &answer.basis else { return false };
    (-MAX_CLOCK_SKEW_MS..LIVE_READ_PAUSE_MS).contains(&now.millis_since(basis.measured_at))
}
