//! A store whose operations fail or wait on demand. Everything else goes to a real store.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use contract::{Domain, Timestamp};
use proof::Digest;
use store::*;
use store_sqlite::SqliteStore;

/// When an operation fails: before or after it took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailurePoint {
    Before,
    After,
}

#[derive(Debug)]
pub(crate) struct FailingStore {
    pub(crate) inner: SqliteStore,
    /// The fault of the next call of an operation. Set by the test, taken by that call.
    pub(crate) fault: Mutex<Option<(&'static str, FailurePoint, StoreError)>>,
    /// How long every read about a domain takes, in milliseconds. Set by the test.
    pub(crate) read_delay_ms: AtomicU64,
    /// How long the revocations of a target take, in milliseconds. Set by the test.
    pub(crate) revocations_delay_ms: AtomicU64,
}

impl FailingStore {
    pub(crate) fn new(inner: SqliteStore) -> Self {
        Self {
            inner,
            fault: Mutex::new(None),
            read_delay_ms: AtomicU64::new(0),
            revocations_delay_ms: AtomicU64::new(0),
        }
    }

    /// The result of a read, after the delay.
    pub(crate) fn wait<'a, T: Send + 'a>(
        &'a self,
        read: BoxFuture<'a, Result<T, StoreError>>,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        let delay = Duration::from_millis(self.read_delay_ms.load(Ordering::SeqCst));
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            read.await
        })
    }

    pub(crate) async fn call<T>(
        &self,
        verb: &'static str,
        work: BoxFuture<'_, Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let met = self.fault.lock().unwrap().take_if(|(which, ..)| *which == verb);
        match met {
            None => work.await,
            Some((_, FailurePoint::Before, error)) => Err(error),
            Some((_, FailurePoint::After, error)) => work.await.and(Err(error)),
        }
    }
}

impl Log for FailingStore {
    fn acquire_log_lease<'a>(
        &'a self,
        holder: &'a str,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<LogLease, StoreError>> {
        Box::pin(self.call("take_log_lease", self.inner.acquire_log_lease(holder, now, until)))
    }
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.call("append", self.inner.append(append)))
    }
    fn last_batch(&self) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        self.inner.last_batch()
    }
    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        self.inner.batch(batch)
    }
    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        Box::pin(self.call("batch_at", self.inner.batch_at(log_index)))
    }
    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.inner.heads(from, limit)
    }
    fn leaf_indexes(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>> {
        Box::pin(self.call("leaf_places", self.inner.leaf_indexes(leaves)))
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
    fn count_indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_indexed_leaves()
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
    fn put_contradicting_head(
        &self,
        sighting: ContradictingHead,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_contradicting_head(sighting)
    }
    fn contradicting_heads(&self) -> BoxFuture<'_, Result<Vec<ContradictingHead>, StoreError>> {
        self.inner.contradicting_heads()
    }
}

impl Answers for FailingStore {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<StoredAnswer>, StoreError>> {
        self.wait(self.inner.answer(sha256))
    }
    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<StoredAnswer>, StoreError>> {
        self.wait(self.inner.latest_answer(domain))
    }
    fn latest_digests(
        &self,
        domains: Vec<Domain>,
    ) -> BoxFuture<'_, Result<Vec<Option<Digest>>, StoreError>> {
        self.inner.latest_digests(domains)
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
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>> {
        self.inner.export_answers(after, limit)
    }
    fn answers_by_prefix(
        &self,
        prefix: HexPrefix,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>> {
        self.inner.answers_by_prefix(prefix, limit)
    }
    fn count_answered_domains(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_answered_domains()
    }
}

/// Asks for each kind of data by itself, so that every fault and delay counts.
impl AnswerInputs for FailingStore {}

impl Readings for FailingStore {
    fn put_reading(&self, reading: StoredReading) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_reading(reading)
    }
    fn reading<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredReading>, StoreError>> {
        self.inner.reading(id)
    }
    fn readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredReading>, StoreError>> {
        self.wait(self.inner.readings_of(domain, limit))
    }
    fn list_readings(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.list_readings(after, limit)
    }
}

impl Changes for FailingStore {
    fn changes(&self, ask: ChangesQuery) -> BoxFuture<'_, Result<Vec<StoredChange>, StoreError>> {
        self.inner.changes(ask)
    }
    fn first_change(&self) -> BoxFuture<'_, Result<Option<StoredChange>, StoreError>> {
        self.inner.first_change()
    }
    fn import_changes(&self, changes: Vec<StoredChange>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_changes(changes)
    }
}

impl Revocations for FailingStore {
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<WithheldActions>,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>> {
        self.inner.append_revocations(entries, standings)
    }
    fn import_revocations(
        &self,
        entries: Vec<StoredRevocation>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_revocations(entries)
    }
    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>> {
        self.inner.last_revocation()
    }
    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>> {
        self.inner.first_revocation()
    }
    fn revocations(
        &self,
        ask: RevocationsQuery,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>> {
        self.inner.revocations(ask)
    }
    fn revocations_of<'a>(
        &'a self,
        target_kind: &'a str,
        target_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredRevocation>, StoreError>> {
        let delay = Duration::from_millis(self.revocations_delay_ms.load(Ordering::SeqCst));
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            self.inner.revocations_of(target_kind, target_id).await
        })
    }
    fn withheld_actions(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<WithheldActions>, StoreError>> {
        self.inner.withheld_actions(since)
    }
    fn withheld_actions_for<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<WithheldActions>, StoreError>> {
        self.wait(self.inner.withheld_actions_for(domain))
    }
}

impl Pruning for FailingStore {
    fn prune_answers(
        &self,
        cutoffs: AnswerCutoffs,
        after: Option<PruningCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<PrunedAnswers, StoreError>> {
        self.inner.prune_answers(cutoffs, after, limit)
    }
    fn prune(
        &self,
        what: Prunable,
        before: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.prune(what, before, limit)
    }
    fn size(&self) -> BoxFuture<'_, Result<StoreSize, StoreError>> {
        self.inner.size()
    }
}

impl Decisions for FailingStore {
    fn put_decisions(
        &self,
        decisions: Vec<StoredDecision>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_decisions(decisions)
    }
    fn decision(
        &self,
        lookup: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredDecision>, StoreError>> {
        self.inner.decision(lookup)
    }
    fn list_decisions(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        self.inner.list_decisions(after, limit)
    }
}

impl Scans for FailingStore {
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
        scope: ScanScope,
    ) -> BoxFuture<'a, Result<Option<Scan>, StoreError>> {
        self.inner.latest_scan(domain, since, scope)
    }
    fn scans_of<'a>(
        &'a self,
        domain: &'a Domain,
        scope: ScanScope,
        before: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ScanRow>, StoreError>> {
        self.wait(self.inner.scans_of(domain, scope, before, limit))
    }
    fn export_scans(
        &self,
        after: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ScanRow>, StoreError>> {
        self.inner.export_scans(after, limit)
    }
}

impl Artifacts for FailingStore {
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
    fn remove_deleted_bodies(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.remove_deleted_bodies()
    }
    fn artifact_bytes_written(&self) -> u64 {
        self.inner.artifact_bytes_written()
    }
    fn export_artifacts(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ArtifactRow>, StoreError>> {
        self.inner.export_artifacts(after, limit)
    }
}

impl Deletions for FailingStore {
    fn delete_scan(
        &self,
        deletion: ScanDeletion,
    ) -> BoxFuture<'_, Result<DeletionOutcome, StoreError>> {
        self.inner.delete_scan(deletion)
    }
    fn deleted_scan<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeletedScan>, StoreError>> {
        self.inner.deleted_scan(id)
    }
    fn list_deleted_scans(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeletedScan>, StoreError>> {
        self.inner.list_deleted_scans(after, limit)
    }
    fn deleted_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        self.inner.deleted_digests(day)
    }
    fn first_deleted_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        self.inner.first_deleted_day()
    }
    fn put_deleted_scan(&self, deleted: DeletedScan) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_deleted_scan(deleted)
    }
    fn count_deleted_scans(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_deleted_scans()
    }
    fn count_bodies_to_remove(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_bodies_to_remove()
    }
}

impl Licences for FailingStore {
    fn put_licence(
        &self,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_licence(licence, first_key)
    }
    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<(Licence, StoredKey)>, StoreError>> {
        self.inner.licence_by_key(key_sha256)
    }
    fn licence<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.inner.licence(id)
    }
    fn licence_by_mailbox(
        &self,
        mailbox: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        self.inner.licence_by_mailbox(mailbox)
    }
    fn licences(
        &self,
        after: Option<LicenceCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        self.inner.licences(after, limit)
    }
    fn keys_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredKey>, StoreError>> {
        self.inner.keys_of(licence_id)
    }
    fn add_key(
        &self,
        key: StoredKey,
        end_others_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.inner.add_key(key, end_others_at)
    }
    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.inner.revoke_licence(id, at)
    }
    fn revoke_key(
        &self,
        key_sha256: Digest,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<Option<StoredKey>, StoreError>> {
        self.inner.revoke_key(key_sha256, at)
    }
    fn mark_licence_used<'a>(
        &'a self,
        id: &'a str,
        day: Day,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.mark_licence_used(id, day)
    }
    fn import_licence(
        &self,
        licence: Licence,
        keys: Vec<StoredKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_licence(licence, keys)
    }
}

impl Allowances for FailingStore {
    fn draw_allowances(
        &self,
        period: Period,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>> {
        self.inner.draw_allowances(period, draws)
    }
    fn allowance_used(
        &self,
        period: Period,
        what: Digest,
    ) -> BoxFuture<'_, Result<u32, StoreError>> {
        self.inner.allowance_used(period, what)
    }
    fn delete_past_allowances(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_past_allowances(now)
    }
}

impl Usage for FailingStore {
    fn count_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
        quota: Option<u64>,
    ) -> BoxFuture<'a, Result<QuotaOutcome, StoreError>> {
        self.inner.count_call(licence_id, at, operation, quota)
    }
    fn give_back_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.give_back_call(licence_id, at, operation)
    }
    fn used_in_month<'a>(
        &'a self,
        licence_id: &'a str,
        month: Month,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.used_in_month(licence_id, month)
    }
    fn usage_of<'a>(
        &'a self,
        licence_id: &'a str,
        first: Day,
        last: Day,
    ) -> BoxFuture<'a, Result<Vec<UsageRow>, StoreError>> {
        self.inner.usage_of(licence_id, first, last)
    }
    fn export_usage(
        &self,
        after: Option<UsageCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<UsageRow>, StoreError>> {
        self.inner.export_usage(after, limit)
    }
    fn import_usage(&self, rows: Vec<UsageRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_usage(rows)
    }
}

impl LicenceScans for FailingStore {
    fn put_scan_of_licence(
        &self,
        scan: Scan,
        licence_id: String,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_scan_of_licence(scan, licence_id)
    }
    fn scans_of_licence<'a>(
        &'a self,
        licence_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<LicenceScan>, StoreError>> {
        self.inner.scans_of_licence(licence_id, before, limit)
    }
    fn owner_of_scan<'a>(
        &'a self,
        scan_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, StoreError>> {
        self.inner.owner_of_scan(scan_id)
    }
    fn licence_scans_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<LicenceScan>, StoreError>> {
        self.inner.licence_scans_after(after, limit)
    }
    fn last_licence_scan(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.last_licence_scan()
    }
    fn import_licence_scans(
        &self,
        scans: Vec<LicenceScan>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_licence_scans(scans, last)
    }
}

impl Sessions for FailingStore {
    fn put_session(&self, session: Session) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_session(session)
    }
    fn session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<Option<Session>, StoreError>> {
        self.inner.session(token_sha256)
    }
    fn touch_session(
        &self,
        token_sha256: Digest,
        last_seen_at: Timestamp,
        idle_until: Timestamp,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.inner.touch_session(token_sha256, last_seen_at, idle_until)
    }
    fn end_session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.inner.end_session(token_sha256)
    }
    fn end_sessions<'a>(
        &'a self,
        licence_id: &'a str,
        except: Option<Digest>,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.end_sessions(licence_id, except)
    }
    fn sessions_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Session>, StoreError>> {
        self.inner.sessions_of(licence_id)
    }
    fn delete_expired_sessions(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_expired_sessions(now)
    }
}

impl Audit for FailingStore {
    fn append_audit(&self, entry: NewAuditEntry) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.append_audit(entry)
    }
    fn audit_entries(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        self.inner.audit_entries(before, limit)
    }
    fn export_audit(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        self.inner.export_audit(after, limit)
    }
    fn import_audit(&self, entries: Vec<AuditEntry>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_audit(entries)
    }
}

impl Webhooks for FailingStore {
    fn put_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_webhook(webhook)
    }
    fn webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Webhook>, StoreError>> {
        self.inner.webhook(id)
    }
    fn webhooks_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        self.inner.webhooks_of(licence_id)
    }
    fn active_webhooks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Webhook>, StoreError>> {
        self.inner.active_webhooks(after, limit)
    }
    fn set_webhook_state(&self, webhook: Webhook) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.inner.set_webhook_state(webhook)
    }
    fn delete_webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.delete_webhook(id)
    }
    fn import_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_webhook(webhook)
    }
}

impl Deliveries for FailingStore {
    fn fan_out_cursor<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.fan_out_cursor(source)
    }
    fn fan_out_cursors(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, StoreError>> {
        self.inner.fan_out_cursors()
    }
    fn fan_out<'a>(
        &'a self,
        source: &'a str,
        expected: u64,
        new: u64,
        deliveries: Vec<NewDelivery>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.fan_out(source, expected, new, deliveries)
    }
    fn claim_deliveries(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Delivery>, StoreError>> {
        self.inner.claim_deliveries(now, lease_until, limit)
    }
    fn record_delivery<'a>(
        &'a self,
        id: &'a str,
        tried: DeliveryTry,
    ) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        self.inner.record_delivery(id, tried)
    }
    fn delivery<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        self.inner.delivery(id)
    }
    fn deliveries_of<'a>(
        &'a self,
        webhook_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Delivery>, StoreError>> {
        self.inner.deliveries_of(webhook_id, before, limit)
    }
    fn count_waiting_deliveries(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_waiting_deliveries()
    }
    fn retry_delivery<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.retry_delivery(id, now)
    }
}

impl KeyRequests for FailingStore {
    fn put_key_request(&self, request: KeyRequest) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_key_request(request)
    }
    fn key_request(
        &self,
        token_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<KeyRequest>, StoreError>> {
        self.inner.key_request(token_sha256)
    }
    fn take_key_request(
        &self,
        token_sha256: Digest,
        now: Timestamp,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<KeyRequestOutcome, StoreError>> {
        self.inner.take_key_request(token_sha256, now, licence, first_key)
    }
    fn delete_expired_key_requests(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_expired_key_requests(now)
    }
}

impl LicenceData for FailingStore {
    fn delete_licence_data<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<DeletedLicenceData>, StoreError>> {
        self.inner.delete_licence_data(licence_id, at)
    }
}

impl Switches for FailingStore {
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

impl Seals for FailingStore {
    fn put_seal(&self, seal: StoredSeal) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_seal(seal)
    }
    fn seal(&self, day: Day) -> BoxFuture<'_, Result<Option<StoredSeal>, StoreError>> {
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
    fn seal_position(
        &self,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<SealPosition>, StoreError>> {
        self.inner.seal_position(digest)
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

impl Outcomes for FailingStore {
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>> {
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
    fn delete_outcomes_before(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_outcomes_before(before)
    }
    fn export_outcomes(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredOutcome>, StoreError>> {
        self.inner.export_outcomes(after, limit)
    }
    fn import_outcomes(
        &self,
        outcomes: Vec<StoredOutcome>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_outcomes(outcomes)
    }
}

impl Conduct for FailingStore {
    fn put_conduct_day(&self, day: ConductDay) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_conduct_day(day)
    }
    fn conduct_day(&self, day: Day) -> BoxFuture<'_, Result<Option<ConductDay>, StoreError>> {
        self.inner.conduct_day(day)
    }
    fn list_conduct_days(
        &self,
        after: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Day>, StoreError>> {
        self.inner.list_conduct_days(after, limit)
    }
}

impl Jobs for FailingStore {
    fn queue_job(&self, job: NewJob, now: Timestamp) -> BoxFuture<'_, Result<Job, StoreError>> {
        self.inner.queue_job(job, now)
    }
    fn job<'a>(
        &'a self,
        kind: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        self.wait(self.inner.job(kind, key))
    }
    fn claim_job<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        self.inner.claim_job(kind, now, lease_until)
    }
    fn due_jobs<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Job>, StoreError>> {
        self.inner.due_jobs(kind, now, limit)
    }
    fn claim_job_by_id(
        &self,
        id: u64,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'_, Result<Option<Job>, StoreError>> {
        self.inner.claim_job_by_id(id, now, lease_until)
    }
    fn finish_job(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.finish_job(id)
    }
    fn postpone_job<'a>(
        &'a self,
        id: u64,
        due_at: Timestamp,
        why: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.postpone_job(id, due_at, why)
    }
    fn count_jobs<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.count_jobs(kind)
    }
    fn export_jobs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Job>, StoreError>> {
        self.inner.export_jobs(after, limit)
    }
}

impl Idempotency for FailingStore {
    fn begin_idempotent(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<IdempotencyStart, StoreError>> {
        self.inner.begin_idempotent(key, request, now, until)
    }
    fn finish_idempotent(
        &self,
        key: Digest,
        reply: StoredReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.finish_idempotent(key, reply, until)
    }
    fn abandon_idempotent(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.abandon_idempotent(key)
    }
    fn delete_expired_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_expired_replies(now)
    }
}

impl Clocks for FailingStore {
    fn clock<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClockAndVersions>, StoreError>> {
        self.wait(self.inner.clock(url))
    }
    fn put_clock(
        &self,
        clock: StoredClock,
        version: Option<ClockVersion>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_clock(clock, version)
    }
    fn due_clocks(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>> {
        self.inner.due_clocks(now, limit)
    }
    fn clocks_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredClock>, StoreError>> {
        self.inner.clocks_of(domain, limit)
    }
    fn count_clocks(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.count_clocks()
    }
    fn delete_expired_clocks(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.delete_expired_clocks(now)
    }
    fn export_clocks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>> {
        self.inner.export_clocks(after, limit)
    }
}

impl Feeds for FailingStore {
    fn put_feed(&self, feed: StoredFeed) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.call("put_feed", self.inner.put_feed(feed)))
    }
    fn feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredFeed>, StoreError>> {
        self.inner.feed(id)
    }
    fn feeds(&self) -> BoxFuture<'_, Result<Vec<StoredFeed>, StoreError>> {
        self.inner.feeds()
    }
    fn feed_ids(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.feed_ids()
    }
    fn delete_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.delete_feed(id)
    }
}

impl Registrations for FailingStore {
    fn put_registration(
        &self,
        registration: StoredRegistration,
        changes: Vec<RegistrationChange>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let put = self.inner.put_registration(registration, changes);
        Box::pin(self.call("put_registration", put))
    }
    fn registration<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredRegistration>, StoreError>> {
        Box::pin(self.call("registration", self.inner.registration(domain)))
    }
    fn registration_changes<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RegistrationChange>, StoreError>> {
        self.inner.registration_changes(domain)
    }
    fn list_registrations(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.list_registrations(after, limit)
    }
}

impl Accuracy for FailingStore {
    fn put_accuracy(
        &self,
        accuracy: StoredAccuracy,
        changes: Vec<NewChange>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.call("put_accuracy", self.inner.put_accuracy(accuracy, changes)))
    }
    fn newest_accuracy<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<StoredAccuracy>, StoreError>> {
        Box::pin(self.call("newest_accuracy", self.inner.newest_accuracy(domain, engine)))
    }
    fn accuracy_of<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
        since: Day,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredAccuracy>, StoreError>> {
        let read = self.inner.accuracy_of(domain, engine, since, limit);
        Box::pin(self.call("accuracy_of", read))
    }
    fn accuracy_by_digest(
        &self,
        sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredAccuracy>, StoreError>> {
        Box::pin(self.call("accuracy_by_digest", self.inner.accuracy_by_digest(sha256)))
    }
    fn accuracy_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        Box::pin(self.call("accuracy_digests", self.inner.accuracy_digests(day)))
    }
    fn first_accuracy_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        self.inner.first_accuracy_day()
    }
    fn list_accuracy(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AccuracyPosition>, StoreError>> {
        self.inner.list_accuracy(after, limit)
    }
}

impl McpScans for FailingStore {
    fn put_mcp_scan(
        &self,
        scan: StoredMcpScan,
        extras: McpScanExtras,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.call("put_mcp_scan", self.inner.put_mcp_scan(scan, extras)))
    }
    fn latest_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>> {
        Box::pin(self.call("latest_mcp_scan", self.inner.latest_mcp_scan(url)))
    }
    fn latest_complete_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>> {
        Box::pin(self.call("latest_complete_mcp_scan", self.inner.latest_complete_mcp_scan(url)))
    }
    fn mcp_scan(
        &self,
        scan_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredMcpScan>, StoreError>> {
        Box::pin(self.call("mcp_scan", self.inner.mcp_scan(scan_sha256)))
    }
    fn mcp_surfaces<'a>(
        &'a self,
        url: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpSurface>, StoreError>> {
        Box::pin(self.call("mcp_surfaces", self.inner.mcp_surfaces(url, limit)))
    }
    fn mcp_scans_of_domain<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpScanSummary>, StoreError>> {
        self.wait(self.inner.mcp_scans_of_domain(domain, limit))
    }
    fn put_mcp_lock(&self, lock: IssuedMcpLock) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.call("put_mcp_lock", self.inner.put_mcp_lock(lock)))
    }
    fn mcp_lock(
        &self,
        lock_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<IssuedMcpLock>, StoreError>> {
        Box::pin(self.call("mcp_lock", self.inner.mcp_lock(lock_sha256)))
    }
    fn list_mcp_scans(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>> {
        self.inner.list_mcp_scans(after, limit)
    }
    fn import_mcp_scan(&self, scan: StoredMcpScan) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_mcp_scan(scan)
    }
    fn list_mcp_surface_urls(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.inner.list_mcp_surface_urls(after, limit)
    }
    fn import_mcp_surfaces(
        &self,
        url: String,
        surfaces: Vec<McpSurface>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_mcp_surfaces(url, surfaces)
    }
    fn list_mcp_locks(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>> {
        self.inner.list_mcp_locks(after, limit)
    }
}

impl Census for FailingStore {
    fn begin_census(
        &self,
        started_at: Timestamp,
        frame: Bytes,
        method: String,
        version_id: String,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.begin_census(started_at, frame, method, version_id)
    }
    fn put_census_rows(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_census_rows(rows)
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
        ask: CensusQuery,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>> {
        self.inner.census_rows(run, ask)
    }
    fn latest_census_row<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>> {
        self.inner.latest_census_row(domain)
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

impl Store for FailingStore {
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
