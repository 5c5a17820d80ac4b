//! A store whose verbs fail when the test says so: before they did anything, or after they did all.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use contract::{Domain, Timestamp};
use proof::Digest;
use proof::keys::LogMark;
use service::{SealError, Service};
use store::*;
use store_sqlite::SqliteStore;

use crate::answers::{answer, domain};
use crate::killed::{Told, check};
use crate::world::{HandClock, NOON, build_on, settings};

/// When a verb fails: the difference is whether the store has done what it says it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    After,
}

#[derive(Debug)]
struct Flaky {
    inner: SqliteStore,
    /// What the next call of a verb meets.
    fault: Mutex<Option<(&'static str, When, StoreError)>>,
}

impl Flaky {
    async fn call<T>(
        &self,
        verb: &'static str,
        work: BoxFuture<'_, Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let met = self.fault.lock().unwrap().take_if(|(which, ..)| *which == verb);
        match met {
            None => work.await,
            Some((_, When::Before, error)) => Err(error),
            Some((_, When::After, error)) => work.await.and(Err(error)),
        }
    }
}

impl Log for Flaky {
    fn take_log_lease<'a>(
        &'a self,
        holder: &'a str,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<Leasing, StoreError>> {
        Box::pin(self.call("take_log_lease", self.inner.take_log_lease(holder, now, until)))
    }
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.call("append", self.inner.append(append)))
    }
    fn last_batch(&self) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>> {
        self.inner.last_batch()
    }
    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>> {
        self.inner.batch(batch)
    }
    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>> {
        Box::pin(self.call("batch_at", self.inner.batch_at(log_index)))
    }
    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.inner.heads(from, limit)
    }
    fn leaf_places(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>> {
        Box::pin(self.call("leaf_places", self.inner.leaf_places(leaves)))
    }
    fn leaf_kinds(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<String>>, StoreError>> {
        self.inner.leaf_kinds(leaves)
    }
    fn log_entries(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.inner.log_entries(from, limit)
    }
    fn entries_of_kind<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<Vec<u64>, StoreError>> {
        self.inner.entries_of_kind(kind)
    }
    fn indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.indexed_leaves()
    }
    fn tile(&self, level: u8, index: u64) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        self.inner.tile(level, index)
    }
    fn put_cosignatures(
        &self,
        cosignatures: Vec<Cosignature>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_cosignatures(cosignatures)
    }
    fn cosignatures(&self, tree_size: u64) -> BoxFuture<'_, Result<Vec<Cosignature>, StoreError>> {
        self.inner.cosignatures(tree_size)
    }
    fn cosigned_sizes(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<u64>, StoreError>> {
        self.inner.cosigned_sizes(from, limit)
    }
    fn last_cosigned(&self) -> BoxFuture<'_, Result<Option<u64>, StoreError>> {
        self.inner.last_cosigned()
    }
    fn put_sighting(&self, sighting: Sighting) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_sighting(sighting)
    }
    fn sightings(&self) -> BoxFuture<'_, Result<Vec<Sighting>, StoreError>> {
        self.inner.sightings()
    }
}

impl Answers for Flaky {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<KeptAnswer>, StoreError>> {
        self.inner.answer(sha256)
    }
    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<KeptAnswer>, StoreError>> {
        self.inner.latest_answer(domain)
    }
    fn list_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AnswerCursor>, StoreError>> {
        self.inner.list_answers(after, limit)
    }
    fn export_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptAnswer>, StoreError>> {
        self.inner.export_answers(after, limit)
    }
    fn answers_by_prefix(
        &self,
        prefix: HexPrefix,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptAnswer>, StoreError>> {
        self.inner.answers_by_prefix(prefix, limit)
    }
    fn answered_domains(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.answered_domains()
    }
}

impl Readings for Flaky {
    fn put_reading(&self, reading: KeptReading) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_reading(reading)
    }
    fn reading<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeptReading>, StoreError>> {
        self.inner.reading(id)
    }
    fn readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptReading>, StoreError>> {
        self.inner.readings_of(domain, limit)
    }
    fn list_readings(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.list_readings(after, limit)
    }
}

impl Changes for Flaky {
    fn changes(&self, ask: ChangesAsk) -> BoxFuture<'_, Result<Vec<KeptChange>, StoreError>> {
        self.inner.changes(ask)
    }
    fn first_change(&self) -> BoxFuture<'_, Result<Option<KeptChange>, StoreError>> {
        self.inner.first_change()
    }
}

impl Revocations for Flaky {
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<Standing>,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>> {
        self.inner.append_revocations(entries, standings)
    }
    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>> {
        self.inner.last_revocation()
    }
    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>> {
        self.inner.first_revocation()
    }
    fn revocations(
        &self,
        ask: RevocationsAsk,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>> {
        self.inner.revocations(ask)
    }
    fn revocations_of<'a>(
        &'a self,
        target_kind: &'a str,
        target_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<KeptRevocation>, StoreError>> {
        self.inner.revocations_of(target_kind, target_id)
    }
    fn standings(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<Standing>, StoreError>> {
        self.inner.standings(since)
    }
    fn standing<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>> {
        self.inner.standing(domain)
    }
}

impl Decisions for Flaky {
    fn put_decisions(&self, decisions: Vec<KeptDecision>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_decisions(decisions)
    }
    fn decision(&self, lookup: Digest) -> BoxFuture<'_, Result<Option<KeptDecision>, StoreError>> {
        self.inner.decision(lookup)
    }
    fn forget_decisions(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.forget_decisions(before)
    }
    fn list_decisions(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        self.inner.list_decisions(after, limit)
    }
}

impl Scans for Flaky {
    fn put_scan(&self, scan: Scan) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_scan(scan)
    }
    fn scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Scan>, StoreError>> {
        self.inner.scan(id)
    }
    fn latest_scan<'a>(
        &'a self,
        domain: &'a Domain,
        since: Option<Timestamp>,
        scope: Scope,
    ) -> BoxFuture<'a, Result<Option<Scan>, StoreError>> {
        self.inner.latest_scan(domain, since, scope)
    }
    fn scans_of<'a>(
        &'a self,
        domain: &'a Domain,
        scope: Scope,
        before: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ScanRow>, StoreError>> {
        self.inner.scans_of(domain, scope, before, limit)
    }
    fn export_scans(
        &self,
        after: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ScanRow>, StoreError>> {
        self.inner.export_scans(after, limit)
    }
}

impl Artifacts for Flaky {
    fn put_artifact(
        &self,
        sha256: Digest,
        bytes: Bytes,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_artifact(sha256, bytes, at)
    }
    fn artifact(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        self.inner.artifact(sha256)
    }
    fn sweep_artifacts(
        &self,
        older_than: Timestamp,
    ) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
        self.inner.sweep_artifacts(older_than)
    }
    fn export_artifacts(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ArtifactRow>, StoreError>> {
        self.inner.export_artifacts(after, limit)
    }
}

impl Licences for Flaky {
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_licence(licence)
    }
    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        self.inner.licence_by_key(key_sha256)
    }
    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        self.inner.licences()
    }
    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.inner.revoke_licence(id, at)
    }
}

impl Limits for Flaky {
    fn take(&self, day: Day, draws: Vec<Draw>) -> BoxFuture<'_, Result<Taking, StoreError>> {
        self.inner.take(day, draws)
    }
    fn taken(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>> {
        self.inner.taken(day, what)
    }
    fn forget_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.forget_before(day)
    }
}

impl Switches for Flaky {
    fn set_switch(&self, switch: Switch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.set_switch(switch)
    }
    fn switch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Switch>, StoreError>> {
        self.inner.switch(name)
    }
    fn switches(&self) -> BoxFuture<'_, Result<Vec<Switch>, StoreError>> {
        self.inner.switches()
    }
}

impl Seals for Flaky {
    fn put_seal(&self, seal: KeptSeal) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_seal(seal)
    }
    fn seal(&self, day: Day) -> BoxFuture<'_, Result<Option<KeptSeal>, StoreError>> {
        self.inner.seal(day)
    }
    fn seals(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<SealRow>, StoreError>> {
        self.inner.seals(before, limit)
    }
    fn first_sealed_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        self.inner.first_sealed_day()
    }
    fn sealed_place(
        &self,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<SealedPlace>, StoreError>> {
        self.inner.sealed_place(digest)
    }
    fn put_anchor(&self, anchor: Anchor) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_anchor(anchor)
    }
    fn anchors(&self, day: Day) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>> {
        self.inner.anchors(day)
    }
    fn due_anchors(
        &self,
        stages: Vec<AnchorStage>,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>> {
        self.inner.due_anchors(stages, now, limit)
    }
}

impl Outcomes for Flaky {
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<Draw>,
    ) -> BoxFuture<'_, Result<Taking, StoreError>> {
        self.inner.put_outcome(outcome, draws)
    }
    fn outcome_summary<'a>(
        &'a self,
        domain: &'a Domain,
        from: Day,
        to: Day,
    ) -> BoxFuture<'a, Result<OutcomeCounts, StoreError>> {
        self.inner.outcome_summary(domain, from, to)
    }
    fn outcome_days(
        &self,
        day: Day,
        after: Option<Domain>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(Domain, OutcomeTally)>, StoreError>> {
        self.inner.outcome_days(day, after, limit)
    }
    fn first_outcome_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        self.inner.first_outcome_day()
    }
    fn forget_outcomes(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.forget_outcomes(before)
    }
    fn export_outcomes(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptOutcome>, StoreError>> {
        self.inner.export_outcomes(after, limit)
    }
    fn import_outcomes(&self, outcomes: Vec<KeptOutcome>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_outcomes(outcomes)
    }
}

impl Jobs for Flaky {
    fn queue_job(&self, job: NewJob, now: Timestamp) -> BoxFuture<'_, Result<Job, StoreError>> {
        self.inner.queue_job(job, now)
    }
    fn job<'a>(
        &'a self,
        kind: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        self.inner.job(kind, key)
    }
    fn claim_job<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        self.inner.claim_job(kind, now, lease_until)
    }
    fn finish_job(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.finish_job(id)
    }
    fn put_off_job<'a>(
        &'a self,
        id: u64,
        due_at: Timestamp,
        why: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.put_off_job(id, due_at, why)
    }
    fn jobs_waiting<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.jobs_waiting(kind)
    }
    fn export_jobs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Job>, StoreError>> {
        self.inner.export_jobs(after, limit)
    }
}

impl Once for Flaky {
    fn begin_once(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<Begun, StoreError>> {
        self.inner.begin_once(key, request, now, until)
    }
    fn end_once(
        &self,
        key: Digest,
        reply: KeptReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.end_once(key, reply, until)
    }
    fn abandon_once(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.abandon_once(key)
    }
    fn forget_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.forget_replies(now)
    }
}

impl Clocks for Flaky {
    fn clock<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClockAndVersions>, StoreError>> {
        self.inner.clock(url)
    }
    fn put_clock(
        &self,
        clock: KeptClock,
        version: Option<ClockVersion>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_clock(clock, version)
    }
    fn due_clocks(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptClock>, StoreError>> {
        self.inner.due_clocks(now, limit)
    }
    fn clocks_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptClock>, StoreError>> {
        self.inner.clocks_of(domain, limit)
    }
    fn clocks_kept(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.clocks_kept()
    }
    fn forget_clocks(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.forget_clocks(now)
    }
    fn export_clocks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptClock>, StoreError>> {
        self.inner.export_clocks(after, limit)
    }
}

impl Census for Flaky {
    fn begin_census(
        &self,
        started_at: Timestamp,
        frame: Bytes,
        method: String,
        version_id: String,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.begin_census(started_at, frame, method, version_id)
    }
    fn put_census(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_census(rows)
    }
    fn finish_census(&self, run: u64, at: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.finish_census(run, at)
    }
    fn census_run(
        &self,
        run: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<(CensusRun, u64)>, StoreError>> {
        self.inner.census_run(run)
    }
    fn census_rows(
        &self,
        run: u64,
        ask: CensusAsk,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>> {
        self.inner.census_rows(run, ask)
    }
    fn census_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>> {
        self.inner.census_of(domain)
    }
    fn census_runs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CensusRun>, StoreError>> {
        self.inner.census_runs(after, limit)
    }
    fn import_census_run(&self, run: CensusRun) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_census_run(run)
    }
}

impl Store for Flaky {
    fn engine(&self) -> &'static str {
        self.inner.engine()
    }
    fn schema_version(&self) -> u32 {
        self.inner.schema_version()
    }
    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.check()
    }
    fn inspect(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.inspect()
    }
}

/// What the log does after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The next answer is sealed.
    GoesOn,
    /// Nothing more is sealed.
    Halts,
    /// The next answer finds that the log is another than was thought, and then nothing is sealed.
    HaltsAtTheNext,
}

fn failed() -> StoreError {
    StoreError::Failed { doing: "a test", why: "it was told to".to_owned() }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable { why: "the disk is gone".to_owned() }
}

fn damaged() -> StoreError {
    StoreError::Damaged { what: "a page".to_owned(), why: "it was told to".to_owned() }
}

async fn seal(service: &Service, number: u64, told: &mut Vec<Told>) -> Result<(), SealError> {
    let kept = service.seal_answer(answer(number), domain(number)).await?;
    told.push(Told { number, log_index: kept.log_index, sha256: kept.sha256 });
    Ok(())
}

async fn try_one(verb: &'static str, when: When, error: StoreError, then: Then) {
    let dir = tempfile::tempdir().unwrap();
    let inner = crate::world::store(dir.path());
    let store = Arc::new(Flaky { inner, fault: Mutex::new(None) });
    let mut settings = settings();
    settings.log.interval = Duration::from_millis(1);
    // Renewed for every batch, so that this can fail too.
    settings.log.lease = Duration::ZERO;
    let service = build_on(dir.path(), settings, HandClock::new(NOON), store.clone());
    let (mark, marked) = LogMark::open(&dir.path().join("keys")).unwrap();
    service.open_log(mark, marked).await.unwrap();
    let mut told = Vec::new();
    seal(&service, 0, &mut told).await.unwrap();
    seal(&service, 1, &mut told).await.unwrap();

    *store.fault.lock().unwrap() = Some((verb, when, error.clone()));
    // The place of a batch is looked up for a leaf that is known.
    let number = if verb == "batch_at" { 0 } else { 2 };
    let about = format!("{verb} {when:?} {error}");
    let refused = seal(&service, number, &mut told).await;
    assert_eq!(refused, Err(SealError::NotKept(error.clone())), "{about}");
    assert!(store.fault.lock().unwrap().is_none(), "{about}: it was not met");
    let head = service.log_head().unwrap().unwrap();
    assert_eq!(head.chain.tree_size, 2, "{about}: shown and not acknowledged");

    let next = seal(&service, 3, &mut told).await;
    match then {
        Then::GoesOn => {
            next.unwrap();
            seal(&service, 2, &mut told).await.unwrap();
            assert_eq!(service.log_fault(), None, "{about}");
        }
        Then::Halts => assert!(matches!(next, Err(SealError::Halted(_))), "{about}: {next:?}"),
        Then::HaltsAtTheNext => {
            let moved = matches!(next, Err(SealError::NotKept(StoreError::Moved { .. })));
            assert!(moved, "{about}: {next:?}");
            let next = seal(&service, 2, &mut told).await;
            assert!(matches!(next, Err(SealError::Halted(_))), "{about}: {next:?}");
        }
    }
    assert_eq!(service.log_fault().is_some(), then != Then::GoesOn, "{about}");
    let fatal = tokio::time::timeout(Duration::ZERO, service.log_failed()).await.is_ok();
    let wanted = matches!(error, StoreError::Unavailable { .. });
    assert_eq!(fatal, wanted, "{about}: whether only a new start helps");
    service.close_log().await;
    drop((service, store));

    // A new start goes on from what is there, and nothing is in the log twice.
    check(dir.path(), &told, true).await;
    let service = crate::world::open_sound(dir.path()).await;
    for number in 0..5 {
        seal(&service, number, &mut told).await.unwrap();
    }
    assert_eq!(service.log_head().unwrap().unwrap().chain.tree_size, 5, "{about}");
    service.close_log().await;
    drop(service);
    check(dir.path(), &told, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_store_says_of_an_append_the_log_is_not_forked() {
    for error in [failed(), StoreError::Full] {
        try_one("append", When::Before, error.clone(), Then::GoesOn).await;
        try_one("append", When::After, error, Then::HaltsAtTheNext).await;
    }
    for when in [When::Before, When::After] {
        try_one("append", when, unavailable(), Then::Halts).await;
    }
    let moved = StoreError::Moved { why: "it was told to".to_owned() };
    try_one("append", When::Before, moved, Then::Halts).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_before_an_append_is_told_and_ends_only_what_it_must() {
    for verb in ["take_log_lease", "leaf_places", "batch_at"] {
        for when in [When::Before, When::After] {
            try_one(verb, when, failed(), Then::GoesOn).await;
            try_one(verb, when, StoreError::Full, Then::GoesOn).await;
            try_one(verb, when, unavailable(), Then::Halts).await;
            try_one(verb, when, damaged(), Then::Halts).await;
        }
    }
}
