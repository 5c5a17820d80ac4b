//! The one thread that extends the log.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock, mpsc as std_mpsc};

use contract::{Brand, Clock, Domain};
use proof::tree_head::HeadExtras;
use proof::{Digest, ProofError};
use store::{Append, AppendExtras, LogEntry, LogLease, Store, StoreError, StoredAnswer};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::errors::SealError;
use super::halt_switch::HaltSwitch;
use super::known_batches::{KnownBatch, KnownBatches};
use super::open_log::SEQUENCER_THREAD;
use super::sealed_leaf::SealedLeaf;
use super::settings::LogSettings;
use super::signed_batch::SignedBatch;
use super::snapshot::LogSnapshot;
use super::submission::{CommittedBatch, PendingReply, SealedSubmission, Submission};
use crate::signing_keys::SigningKeys;

/// Limit for all contents of one batch together: a store saves them as one value.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Owned by its thread, so it needs no locks. `head_extras` is set once by another thread; `halt` may be
/// set by others at any time and is read before each batch.
pub(super) struct Sequencer {
    pub(super) store: Arc<dyn Store>,
    pub(super) keys: Arc<SigningKeys>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) brand: Brand,
    pub(super) settings: LogSettings,
    pub(super) lease_holder: String,
    pub(super) epoch: u64,
    pub(super) leased_at: Instant,
    /// The log as the store has it; readers see it a little later.
    pub(super) tip: Arc<LogSnapshot>,
    pub(super) last_batch: Option<Instant>,
    pub(super) known: KnownBatches,
    pub(super) head_extras: Arc<OnceLock<HeadExtras>>,
    pub(super) waiting: mpsc::Receiver<Submission>,
    /// What did not fit into the last batch.
    pub(super) left_over: Vec<Submission>,
    pub(super) committed: std_mpsc::Sender<CommittedBatch>,
    pub(super) halt: Arc<HaltSwitch>,
    pub(super) runtime: Handle,
}

impl Sequencer {
    /// Returns once the queue is closed and empty; that is its only end.
    pub(super) fn run(mut self) -> Result<(), String> {
        let runtime = self.runtime.clone();
        while let Some(group) = runtime.block_on(self.next_group()) {
            supervisor::fault_point(SEQUENCER_THREAD);
            if let Some(why) = self.halt.reason() {
                refuse_all(group, &SealError::Halted(why));
                continue;
            }
            let started = std::time::Instant::now();
            let leaves = group.len();
            self.seal_group(group);
            metrics::histogram!("log_batch_seconds").record(started.elapsed().as_secs_f64());
            metrics::counter!("log_submissions_total").increment(leaves as u64);
        }
        Ok(())
    }

    /// Waits for a submission, and collects further ones until the batch may be closed.
    async fn next_group(&mut self) -> Option<Vec<Submission>> {
        let mut group = std::mem::take(&mut self.left_over);
        if group.is_empty() {
            group.push(self.waiting.recv().await?);
        }
        let close_at = match self.last_batch {
            Some(last) => last + self.settings.interval,
            None => Instant::now(),
        };
        self.known.follow_keys(self.keys.compromise_mark());
        let mut known = 0;
        while group.len() < self.settings.max_leaves {
            // What is in the log already makes no batch, so it need not wait for others.
            let others = group.iter().skip(known);
            known += others.take_while(|one| self.known.contains(&one.entry.leaf)).count();
            let until = if known == group.len() { Instant::now() } else { close_at };
            let room = self.settings.max_leaves - group.len();
            let more = self.waiting.recv_many(&mut group, room);
            match tokio::time::timeout_at(until, more).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        self.left_over = group.split_off(count_that_fit(&group));
        Some(group)
    }

    fn seal_group(&mut self, group: Vec<Submission>) {
        let runtime = self.runtime.clone();
        if let Err(error) = runtime.block_on(self.renew_lease_if_due()) {
            return self.refuse_with_store_error(group, error);
        }
        let predecessors = match runtime.block_on(self.find_latest_answers(&group)) {
            Ok(latest) => latest,
            Err(error) => return self.refuse_with_store_error(group, error),
        };
        let (mut group, superseded) = split_superseded(group, predecessors);
        refuse_all(superseded, &SealError::Superseded);
        let named = group.iter_mut().filter_map(|waiting| waiting.predecessor.take()).collect();
        let leaves: Vec<Digest> = group.iter().map(|waiting| waiting.entry.leaf).collect();
        let known = match runtime.block_on(self.find_known_leaves(&leaves)) {
            Ok(known) => known,
            Err(error) => return self.refuse_with_store_error(group, error),
        };
        let new: Vec<LogEntry> = group
            .iter()
            .filter(|waiting| !known.contains_key(&waiting.entry.leaf))
            .map(|waiting| waiting.entry.clone())
            .collect();
        let made = match self.build_batch(new) {
            Ok(made) => made,
            Err(error) => return refuse_all(group, &SealError::NotSigned(error)),
        };
        if made.is_some() {
            self.last_batch = Some(Instant::now());
        }
        let find_leaf = |leaf: &Digest| match known.get(leaf) {
            Some(sealed) => Some(sealed.clone()),
            None => made.as_ref().and_then(|made| made.sealed_leaf(leaf)),
        };
        let mut replies = finish_submissions(group, &find_leaf);
        let finished =
            replies.iter().filter_map(|(_, result)| result.as_ref().ok()?.answer.as_ref());
        let answers: Vec<StoredAnswer> = finished.map(|answer| answer.stored.clone()).collect();
        let mut beside = AppendExtras { predecessors: named, ..AppendExtras::default() };
        for done in replies.iter_mut().filter_map(|(_, result)| result.as_mut().ok()) {
            beside.add(std::mem::take(&mut done.extras));
        }
        let view = made.as_ref().map(|made| Arc::clone(&made.snapshot));
        let (batch, made) = made.map(SignedBatch::into_parts).unzip();
        if batch.is_some() || !answers.is_empty() {
            let append = Append {
                epoch: self.epoch,
                previous_head: self.tip.head.as_ref().map(|head| head.chain.sha256),
                batch,
                answers,
                extras: beside,
            };
            if let Err(error) = runtime.block_on(self.store.append(append)) {
                for (_, result) in &mut replies {
                    *result = Err(SealError::NotStored(error.clone()));
                }
                self.halt_if_permanent(&error);
                return replies.into_iter().for_each(|(reply, result)| drop(reply.send(result)));
            }
        }
        if let Some(view) = &view {
            self.tip = Arc::clone(view);
        }
        if let Some(made) = made.flatten() {
            self.known.keep(Arc::new(made));
        }
        if let Err(lost) = self.committed.send(CommittedBatch { snapshot: view, replies }) {
            let error =
                SealError::Halted("the thread that acknowledges batches has ended".to_owned());
            lost.0.replies.into_iter().for_each(|(reply, _)| drop(reply.send(Err(error.clone()))));
        }
    }

    fn build_batch(&self, new: Vec<LogEntry>) -> Result<Option<SignedBatch>, ProofError> {
        if new.is_empty() {
            return Ok(None);
        }
        let extras = self.head_extras.get().cloned().unwrap_or_default();
        let now = self.clock.now();
        SignedBatch::new(new, &self.tip, now, &self.brand, &self.keys, extras).map(Some)
    }

    /// Renews the lease when a third of it has passed. If another process held it in between, our
    /// view of the log may be out of date, and only a restart reads the log again.
    async fn renew_lease_if_due(&mut self) -> Result<(), StoreError> {
        if self.leased_at.elapsed() < self.settings.lease / 3 {
            return Ok(());
        }
        let (now, lease) = (self.clock.now(), self.settings.lease_millis());
        let moved = |why: String| Err(StoreError::LogConflict { why });
        match self.store.acquire_log_lease(&self.lease_holder, now, now.plus_millis(lease)).await? {
            LogLease::Granted { epoch } if epoch == self.epoch => {
                self.leased_at = Instant::now();
                Ok(())
            }
            LogLease::Granted { .. } => {
                moved("another process held its lease in between".to_owned())
            }
            LogLease::HeldByOther { until } => {
                moved(format!("another process holds its lease until {until}"))
            }
        }
    }

    /// The digests of the latest answers about the domains whose answers name a predecessor.
    async fn find_latest_answers(
        &self,
        group: &[Submission],
    ) -> Result<HashMap<Domain, Option<Digest>>, StoreError> {
        let named = group.iter().filter_map(|waiting| waiting.predecessor.as_ref());
        let domains: HashSet<Domain> = named.map(|named| named.domain.clone()).collect();
        if domains.is_empty() {
            return Ok(HashMap::new());
        }
        let domains: Vec<Domain> = domains.into_iter().collect();
        let latest = self.store.latest_digests(domains.clone()).await?;
        Ok(domains.into_iter().zip(latest).collect())
    }

    /// Those of the leaves that are in the log already.
    async fn find_known_leaves(
        &mut self,
        leaves: &[Digest],
    ) -> Result<HashMap<Digest, SealedLeaf>, StoreError> {
        let find = |leaf: &Digest| Some((*leaf, self.known.sealed_leaf(leaf)?));
        let mut known: HashMap<Digest, SealedLeaf> = leaves.iter().filter_map(find).collect();
        let others: Vec<Digest> =
            leaves.iter().filter(|leaf| !known.contains_key(leaf)).copied().collect();
        if others.is_empty() {
            return Ok(known);
        }
        let indexes = self.store.leaf_indexes(others.clone()).await?;
        for (leaf, log_index) in others.into_iter().zip(indexes) {
            let Some(log_index) = log_index.filter(|_| !known.contains_key(&leaf)) else {
                continue;
            };
            let sealed = match self.known.sealed_leaf(&leaf) {
                // Its batch was read for another one of the leaves.
                Some(sealed) => sealed,
                None => {
                    let batch = KnownBatch::load(self.store.as_ref(), &self.keys, &leaf, log_index);
                    let batch = Arc::new(batch.await?);
                    self.known.keep(Arc::clone(&batch));
                    batch.leaf_at(&leaf, log_index)?
                }
            };
            known.insert(leaf, sealed);
        }
        Ok(known)
    }

    /// Replies to all callers with a store error.
    fn refuse_with_store_error(&self, group: Vec<Submission>, error: StoreError) {
        self.halt_if_permanent(&error);
        refuse_all(group, &SealError::NotStored(error));
    }

    /// Halts the log for an error after which no batch may be tried.
    fn halt_if_permanent(&self, error: &StoreError) {
        match error {
            StoreError::Unavailable { .. } => self.halt.halt(error.to_string(), true),
            StoreError::LogConflict { .. } | StoreError::Damaged { .. } => {
                self.halt.halt(error.to_string(), false);
            }
            error => tracing::warn!(%error, "a batch could not be stored"),
        }
    }
}

/// Separates the answers that do not follow the latest one about their domain. Of two in one group that
/// follow the same answer, the first is sealed. The store compares again in its transaction.
fn split_superseded(
    group: Vec<Submission>,
    mut latest: HashMap<Domain, Option<Digest>>,
) -> (Vec<Submission>, Vec<Submission>) {
    group.into_iter().partition(|waiting| match &waiting.predecessor {
        None => true,
        Some(named) => {
            latest.get(&named.domain) == Some(&named.answer)
                && latest.remove(&named.domain).is_some()
        }
    })
}

/// Builds the reply of each submission and finishes the answers, on several cores if there are many.
fn finish_submissions(
    group: Vec<Submission>,
    find_leaf: &(impl Fn(&Digest) -> Option<SealedLeaf> + Sync),
) -> Vec<PendingReply> {
    /// With fewer answers than this, starting a thread costs more than it saves.
    const WORTH_A_THREAD: usize = 16;
    let answers = group.iter().filter(|waiting| waiting.finish.is_some()).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let parts = (answers / WORTH_A_THREAD).clamp(1, cores);
    if parts == 1 {
        return group.into_iter().map(|waiting| finish_submission(waiting, find_leaf)).collect();
    }
    let share = group.len().div_ceil(parts);
    let mut rest = group;
    let mut shares = Vec::new();
    while rest.len() > share {
        let tail = rest.split_off(share);
        shares.push(std::mem::replace(&mut rest, tail));
    }
    shares.push(rest);
    std::thread::scope(|scope| {
        let work = |share: Vec<Submission>| -> Vec<PendingReply> {
            share.into_iter().map(|waiting| finish_submission(waiting, find_leaf)).collect()
        };
        let threads: Vec<_> =
            shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
        // A thread that panicked has dropped its reply channels, which its callers notice.
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn finish_submission(
    waiting: Submission,
    find_leaf: &impl Fn(&Digest) -> Option<SealedLeaf>,
) -> PendingReply {
    let Submission { entry, finish, reply, .. } = waiting;
    let result = match find_leaf(&entry.leaf) {
        None => Err(ProofError::Content("its leaf is not in the batch".to_owned())),
        Some(sealed) => finish.map(|finish| finish(&sealed)).transpose().map(|finished| {
            let (answer, beside) = finished.unzip();
            SealedSubmission { sealed, answer, extras: beside.unwrap_or_default() }
        }),
    };
    (reply, result.map_err(SealError::NotSigned))
}

/// How many of these fit into a batch that a store accepts; at least one.
fn count_that_fit(group: &[Submission]) -> usize {
    let mut bytes = 0_usize;
    let fit = group.iter().take_while(|waiting| {
        bytes = bytes.saturating_add(waiting.entry.content.len());
        bytes <= MAX_BATCH_BYTES
    });
    fit.count().max(1)
}

fn refuse_all(group: Vec<Submission>, error: &SealError) {
    group.into_iter().for_each(|waiting| drop(waiting.reply.send(Err(error.clone()))));
}
