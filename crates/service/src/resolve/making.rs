//! How an answer is made: which reading it rests on, and the way from there to the log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::evidence::Evidence;
use contract::limits::{ANSWER_FRESH_HOURS, KEPT_READING};
use contract::records::{AnswerStatus, CheckVerdict, ResolveAnswer, ScanRecord};
use contract::{Domain, Timestamp};
use judge::resolve::{
    HOUR_MS, How, Place, Read, Sections, answer, bring_up, corroboration, sections,
};
use proof::Digest;
use serde_json::Value;
use store::{KeptAnswer, KeptReading, NewJob, Scope};

use super::moment::Told;
use super::{HotAnswer, Live, ResolveAsk, ResolveError, ResolveSettings};
use crate::Service;

/// The name of the work that turns a partial answer into a full one.
pub(crate) const UPGRADE: &str = "upgrade";
/// A reading that reached nothing is tried again sooner, and a domain is read live no more often.
const SHORT_WHILE_MS: i64 = 10 * 60_000;
/// How long an answer from a reading made just now is given as such.
const JUST_NOW_MS: i64 = 60_000;
/// How far an observation may lie ahead of our clock before the clock is not believed.
const CLOCK_SLACK_MS: i64 = 5 * 60_000;

/// A reading in sections, and what is to be kept of it.
pub(super) struct Fresh {
    pub(super) sections: Sections,
    pub(super) reading: KeptReading,
    /// The policy file, for later questions about paths.
    pub(super) robots: Option<(Digest, Bytes)>,
}

impl Service {
    pub(super) async fn make(
        self: Arc<Self>,
        ask: ResolveAsk,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let domain = &ask.domain;
        let before = self.last_answer(domain).await?;
        // A scan that landed since is the better reading, whoever asked for it.
        if let Some(fresh) = self.newer_scan(domain, before.as_deref()).await? {
            let made = Box::pin(self.land(fresh, before)).await?;
            if ask.live != Live::Always {
                return Ok(made);
            }
            return self
                .make_live_or_keep(
                    &ask,
                    made.answer().map(|answer| Box::new(Arc::unwrap_or_clone(answer))),
                )
                .await;
        }
        let now = self.clock.now();
        let usable = before.as_ref().is_some_and(|answer| {
            let young = ask.max_age_hours.is_none_or(|most| {
                answer
                    .freshness
                    .observed_at
                    .is_some_and(|then| now.millis_since(then) <= i64::from(most) * HOUR_MS)
            });
            young && is_kept_still(answer, now)
        });
        match (ask.live, before) {
            (Live::Auto, Some(answer)) if usable => Box::pin(self.give_kept(answer)).await,
            (Live::Never, Some(answer)) => Box::pin(self.give_kept(answer)).await,
            (Live::Never, None) => Err(ResolveError::NothingKept),
            (_, before) => self.make_live_or_keep(&ask, before).await,
        }
    }

    /// Reads the site now; where that may not be, what is kept is given, however old.
    async fn make_live_or_keep(
        self: &Arc<Self>,
        ask: &ResolveAsk,
        before: Option<Box<ResolveAnswer>>,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let now = self.clock.now();
        if let Some(answer) = before.as_ref().filter(|answer| was_read_just_now(answer, now)) {
            return self.give_kept(answer.clone()).await;
        }
        match (ask.may_read.take(), before) {
            (Ok(()), before) => Box::pin(self.make_live(&ask.domain, before)).await,
            (Err(_), Some(answer)) => self.give_kept(answer).await,
            (Err(wait), None) => Err(ResolveError::LiveLimit { wait }),
        }
    }

    async fn make_live(
        self: &Arc<Self>,
        domain: &Domain,
        before: Option<Box<ResolveAnswer>>,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let settings = &self.settings.resolve;
        let reading_now = self.resolving.begin_reading();
        let budget = read_budget(settings, reading_now.others());
        // What the store knows is asked for while the site is read: both have the same time.
        // Boxed: what is read along the way is large, and the stack is not.
        let reading = Box::pin(self.scanner.look_live(domain, budget));
        let (looked, told) = tokio::join!(reading, self.told(domain, false));
        drop(reading_now);
        let looked = looked?;
        let id = self.ids.unguessable().map_err(|e| ResolveError::Internal(e.to_string()))?;
        let budget_ms = u32::try_from(settings.live_budget.as_millis()).unwrap_or(u32::MAX);
        let how = How::Live { budget_ms };
        let evidence = looked.read.evidence;
        let fresh = self.judged(looked.record, evidence, looked.read.bodies, how, Some(id)).await?;
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "live").increment(1);
        let exists = fresh.sections.dns.body().and_then(|dns| dns.exists) != Some(false);
        let expected = exists.then(|| told.expected_upgrade(&settings.windows, self.clock.now()));
        let queue = async {
            let Some(due_at) = expected else { return Ok(()) };
            let job = NewJob {
                kind: UPGRADE.to_owned(),
                key: domain.to_string(),
                due_at,
                body: Bytes::new(),
            };
            self.store.queue_job(job, self.clock.now()).await.map(|_| ())
        };
        let keep = self.keep_reading(fresh.reading.clone(), fresh.robots.clone());
        let seal = self.seal_sections(fresh, told, expected, before);
        let (queued, kept, sealed) = tokio::join!(queue, keep, seal);
        // The answer promises the scan and rests on the reading: both are there, or there is none.
        queued?;
        kept?;
        sealed
    }

    /// The last answer once more, as of now.
    async fn give_kept(
        self: &Arc<Self>,
        answer: Box<ResolveAnswer>,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "kept").increment(1);
        let domain = answer.domain.clone();
        let measured = answer.status == AnswerStatus::Measured;
        let told = self.told(&domain, measured).await;
        let now = self.clock.now();
        let expected = (!measured).then(|| told.queued_upgrade()).flatten();
        let sections = Sections::of((*answer).clone());
        self.seal_moment(sections, told, true, expected, Some(answer), now).await
    }

    /// Judges a reading into sections, away from the loop that serves everybody.
    pub(super) async fn judged(
        self: &Arc<Self>,
        record: ScanRecord,
        evidence: Evidence,
        bodies: BTreeMap<String, Bytes>,
        how: How,
        reading_id: Option<String>,
    ) -> Result<Fresh, ResolveError> {
        let service = Arc::clone(self);
        let judged = tokio::task::spawn_blocking(move || {
            let read = Read { evidence: &evidence, bodies: &bodies, record: &record, how };
            let place = service.place();
            let sections = sections(&read, service.settings.resolve.ranking(), &place);
            service.fresh(sections, &evidence, &bodies, &record, how, reading_id)
        });
        judged.await.map_err(|e| ResolveError::Internal(e.to_string()))?
    }

    fn fresh(
        &self,
        sections: Sections,
        evidence: &Evidence,
        bodies: &BTreeMap<String, Bytes>,
        record: &ScanRecord,
        how: How,
        reading_id: Option<String>,
    ) -> Result<Fresh, ResolveError> {
        let internal = |e: proof::ProofError| ResolveError::Internal(e.to_string());
        let fields = corroboration::fields(&sections);
        let fields = proof::canonical::to_vec(&fields).map_err(internal)?;
        let scan_id = record.id.clone().filter(|_| !matches!(how, How::Live { .. }));
        let kept_record = match scan_id {
            Some(_) => Vec::new(),
            None => proof::canonical::to_vec(record).map_err(internal)?,
        };
        let robots = record.checks.iter().find(|check| check.path == "/robots.txt");
        let robots = robots
            .filter(|check| check.verdict == CheckVerdict::Ok)
            .and_then(|check| check.body_sha256.as_ref())
            .and_then(|hex| Some((hex.parse().ok()?, bodies.get(hex)?.clone())));
        let reading = KeptReading {
            id: reading_id.or_else(|| scan_id.clone()).unwrap_or_default(),
            domain: record.domain.clone(),
            observed_at: record.scanned_at,
            network: evidence.observer.vantage.clone(),
            basis: match how {
                How::Live { .. } => "just_in_time",
                How::Scan => "scan",
                How::Census { .. } => "census",
            }
            .to_owned(),
            scan_id,
            completed: sections.delivery.body().is_some(),
            fields: fields.into(),
            record: kept_record.into(),
        };
        Ok(Fresh { sections, reading, robots })
    }

    pub(super) async fn keep_reading(
        &self,
        reading: KeptReading,
        robots: Option<(Digest, Bytes)>,
    ) -> Result<(), ResolveError> {
        if let Some((digest, body)) = robots {
            self.store.put_artifact(digest, body, reading.observed_at).await?;
        }
        Ok(self.store.put_reading(reading).await?)
    }

    pub(super) async fn seal_sections(
        self: &Arc<Self>,
        fresh: Fresh,
        told: Told,
        expected: Option<Timestamp>,
        before: Option<Box<ResolveAnswer>>,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let told = told.with(&fresh.reading);
        let now = self.clock.now();
        let kept = fresh.reading.scan_id.is_some();
        self.seal_moment(fresh.sections, told, kept, expected, before, now).await
    }

    /// Brings sections up to now, decides, logs, signs, keeps, and puts the answer into memory.
    async fn seal_moment(
        self: &Arc<Self>,
        mut sections: Sections,
        told: Told,
        kept: bool,
        expected: Option<Timestamp>,
        before: Option<Box<ResolveAnswer>>,
        now: Timestamp,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let place = self.place();
        let moment = told.moment(&sections, kept, expected, now, &place);
        bring_up(&mut sections, moment, &place);
        let good_until = good_until(&sections, kept, expected, now);
        let domain = sections.domain.clone();
        let made = answer(sections, self.code_now(), now, &place);
        let standing = self.store.standing(&domain).await?;
        let beside = self.beside(before, made.clone(), standing.as_ref());
        let Ok(Value::Object(document)) = serde_json::to_value(&made) else {
            return Err(ResolveError::Internal("an answer that is no object".to_owned()));
        };
        let sealed: KeptAnswer = self.seal_answer_with(document, domain, beside).await?;
        let hot = Arc::new(HotAnswer::new(&sealed, good_until));
        self.resolving.hot.put(Arc::clone(&hot));
        Ok(hot)
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { brand: &self.settings.brand, base_url: &self.settings.base_url }
    }

    pub(super) async fn last_answer(
        &self,
        domain: &Domain,
    ) -> Result<Option<Box<ResolveAnswer>>, ResolveError> {
        let Some(kept) = self.store.latest_answer(domain).await? else { return Ok(None) };
        // An answer of an earlier build may have another shape: then the domain is read anew.
        Ok(serde_json::from_slice(&kept.bytes)
            .inspect_err(|error| tracing::warn!(%error, "a kept answer cannot be read"))
            .ok()
            .map(Box::new))
    }

    /// A public scan that the last answer does not know of yet.
    async fn newer_scan(
        self: &Arc<Self>,
        domain: &Domain,
        before: Option<&ResolveAnswer>,
    ) -> Result<Option<Fresh>, ResolveError> {
        let rows = self.store.scans_of(domain, Scope::Listed, None, 1).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        let now = self.clock.now();
        let fresh_ms = i64::from(ANSWER_FRESH_HOURS) * HOUR_MS;
        let known = before.and_then(|answer| answer.freshness.observed_at);
        let is_newer = known.is_none_or(|known| row.scanned_at > known)
            || before.is_some_and(|answer| {
                // A scan made in the same second is the fuller reading.
                answer.status == AnswerStatus::Partial && Some(row.scanned_at) == known
            });
        if !is_newer || now.millis_since(row.scanned_at) > fresh_ms {
            return Ok(None);
        }
        self.fresh_from_scan(&row.id, None).await
    }

    /// A kept scan as a reading; nothing if its record or evidence cannot be read.
    pub(super) async fn fresh_from_scan(
        self: &Arc<Self>,
        id: &str,
        census: Option<(u64, u64)>,
    ) -> Result<Option<Fresh>, ResolveError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        let record: Result<ScanRecord, _> = serde_json::from_slice(&scan.record);
        let evidence: Result<Evidence, _> = serde_json::from_slice(&scan.evidence);
        let (Ok(record), Ok(evidence)) = (record, evidence) else {
            tracing::warn!(id, "a kept scan cannot be read: the domain is read anew");
            return Ok(None);
        };
        let mut bodies = BTreeMap::new();
        for check in record.checks.iter().filter(|check| check.verdict == CheckVerdict::Ok) {
            let Some(hex) = &check.body_sha256 else { continue };
            let Ok(digest) = hex.parse() else { continue };
            if let Some(body) = self.store.artifact(digest).await? {
                bodies.insert(hex.clone(), body);
            }
        }
        let how = census.map_or(How::Scan, |(run, rank)| How::Census { run, rank });
        self.judged(record, evidence, bodies, how, None).await.map(Some)
    }
}

/// What is left for reading. Readings that end together are judged and sealed together, so the more
/// there are, the sooner each of them ends.
fn read_budget(settings: &ResolveSettings, others: usize) -> Duration {
    let crowd = EACH_OTHER.saturating_mul(u32::try_from(others).unwrap_or(u32::MAX));
    let most = settings.live_budget / 2;
    settings.live_budget.saturating_sub((settings.reserve + crowd).min(most))
}

/// What one more reading costs all others that are under way.
const EACH_OTHER: Duration = Duration::from_millis(2);

/// Whether the reading behind an answer may still be given.
fn is_kept_still(answer: &ResolveAnswer, now: Timestamp) -> bool {
    let Some(observed_at) = answer.freshness.observed_at else {
        return was_read_just_now(answer, now);
    };
    let age = now.millis_since(observed_at);
    if age < -CLOCK_SLACK_MS {
        return false;
    }
    match answer.status {
        AnswerStatus::Measured => age <= i64::from(ANSWER_FRESH_HOURS) * HOUR_MS,
        _ if answer.delivery.body().is_none() => age < SHORT_WHILE_MS,
        _ => age < kept_ms(),
    }
}

/// Whether a live reading was made within the last minutes: a domain is not read more often.
fn was_read_just_now(answer: &ResolveAnswer, now: Timestamp) -> bool {
    let contract::records::Basis::JustInTime(basis) = &answer.basis else { return false };
    (-CLOCK_SLACK_MS..SHORT_WHILE_MS).contains(&now.millis_since(basis.measured_at))
}

fn kept_ms() -> i64 {
    i64::try_from(KEPT_READING.as_millis()).unwrap_or(i64::MAX)
}

/// Until when every word of the answer is so.
fn good_until(
    sections: &Sections,
    kept: bool,
    expected: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    if !kept {
        return now.plus_millis(JUST_NOW_MS);
    }
    let freshness = &sections.freshness;
    let Some((observed_at, age)) = freshness.observed_at.zip(freshness.age_hours) else {
        return now.plus_millis(JUST_NOW_MS);
    };
    let mut until = observed_at.plus_millis((i64::from(age) + 1) * HOUR_MS);
    let end = match sections.status {
        AnswerStatus::Measured => freshness.fresh_until,
        _ if sections.delivery.body().is_none() => Some(observed_at.plus_millis(SHORT_WHILE_MS)),
        _ => Some(observed_at.plus_millis(kept_ms())),
    };
    // The scan that was promised should be there by then.
    let promised = expected.filter(|at| *at > now).map(|at| at.plus_millis(2 * JUST_NOW_MS));
    for other in [end, promised].into_iter().flatten().filter(|other| *other > now) {
        until = until.min(other);
    }
    until
}
