//! The one thread that extends the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc as std_mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use contract::{Brand, Clock};
use proof::head::HeadExtras;
use proof::keys::LogMark;
use proof::tree::BatchTree;
use proof::{Digest, ProofError};
use store::{Append, Beside, KeptAnswer, Leasing, LogEntry, Store, StoreError};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use super::acknowledge::{Acknowledger, Committed, Reply};
use super::batch::{Made, sealed};
use super::view::{LogView, SealedHead, Views};
use super::{LogFault, LogSettings, SealError, Sealed};
use crate::keys::Signer;

/// What turns a place in the log into an answer that is kept.
pub(super) type Finish =
    Box<dyn FnOnce(&Sealed) -> Result<(KeptAnswer, Beside), ProofError> + Send>;

pub(super) struct Submission {
    pub(super) entry: LogEntry,
    pub(super) finish: Option<Finish>,
    pub(super) reply: oneshot::Sender<Result<Done, SealError>>,
}

#[derive(Debug)]
pub(super) struct Done {
    pub(super) sealed: Sealed,
    pub(super) answer: Option<KeptAnswer>,
    /// Kept in the same step as the answer.
    pub(super) beside: Beside,
}

/// Why the log takes nothing more. Once set, it stays.
#[derive(Debug, Default)]
pub(super) struct Halt {
    why: OnceLock<String>,
    /// Told when only a new start can help.
    fatal: Notify,
}

impl Halt {
    pub(super) fn why(&self) -> Option<String> {
        self.why.get().cloned()
    }

    pub(super) fn stop(&self, why: String, fatal: bool) {
        tracing::error!(%why, "THE LOG IS NOT EXTENDED ANY MORE");
        let _ = self.why.set(why);
        if fatal {
            self.fatal.notify_one();
        }
    }
}

/// The open log. Dropping it lets the threads finish what is waiting.
pub(super) struct Running {
    queue: Mutex<Option<mpsc::Sender<Submission>>>,
    views: Arc<Views>,
    halt: Arc<Halt>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What the sequencer stands on.
pub(super) struct Parts {
    pub(super) store: Arc<dyn Store>,
    pub(super) signer: Signer,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) brand: Brand,
    pub(super) settings: LogSettings,
    pub(super) holder: String,
    pub(super) epoch: u64,
    pub(super) tip: Arc<LogView>,
    pub(super) mark: LogMark,
    pub(super) extras: Arc<OnceLock<HeadExtras>>,
}

impl Running {
    pub(super) fn start(parts: Parts) -> Result<Self, LogFault> {
        let (queue, waiting) = mpsc::channel(parts.settings.max_waiting.max(1));
        let (committed, steps) = std_mpsc::channel();
        let views = Arc::new(Views::new(Arc::clone(&parts.tip)));
        let halt = Arc::new(Halt::default());
        let acknowledger = Acknowledger {
            mark: parts.mark,
            views: Arc::clone(&views),
            halt: Arc::clone(&halt),
            queue: steps,
            unmarked: None,
        };
        let sequencer = Sequencer {
            store: parts.store,
            signer: parts.signer,
            clock: parts.clock,
            brand: parts.brand,
            settings: parts.settings,
            holder: parts.holder,
            epoch: parts.epoch,
            leased_at: Instant::now(),
            tip: parts.tip,
            last_batch: None,
            extras: parts.extras,
            waiting,
            left_over: Vec::new(),
            committed,
            halt: Arc::clone(&halt),
            runtime: Handle::current(),
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let threads = [
            thread("log-acknowledger").spawn(move || acknowledger.run()),
            thread("log-sequencer").spawn(move || sequencer.run()),
        ];
        let threads: Result<Vec<_>, _> = threads.into_iter().collect();
        let threads = threads.map_err(|e| LogFault::CannotStart { why: e.to_string() })?;
        Ok(Self { queue: Mutex::new(Some(queue)), views, halt, threads: Mutex::new(threads) })
    }

    pub(super) fn submit(&self, submission: Submission) -> Result<(), SealError> {
        if let Some(why) = self.halt.why() {
            return Err(SealError::Halted(why));
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = queue.as_ref() else {
            return Err(SealError::Halted("it is closed".to_owned()));
        };
        queue.try_send(submission).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => SealError::Busy,
            mpsc::error::TrySendError::Closed(_) => {
                SealError::Halted(self.halt.why().unwrap_or_else(|| "it is closed".to_owned()))
            }
        })
    }

    pub(super) fn view(&self) -> Arc<LogView> {
        self.views.newest()
    }

    pub(super) fn halt(&self, why: String) {
        self.halt.stop(why, false);
    }

    pub(super) fn halted(&self) -> Option<String> {
        self.halt.why()
    }

    pub(super) async fn failed(&self) -> String {
        self.halt.fatal.notified().await;
        self.halt.why().unwrap_or_default()
    }

    pub(super) async fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = tokio::task::spawn_blocking(move || {
            // A panic in there has been reported by the panic hook.
            threads.into_iter().for_each(|thread| drop(thread.join()));
        });
        let _ = ended.await;
    }
}

/// The contents of one batch together: a store keeps them as one value.
const MAX_BATCH_BYTES: usize = 8 << 20;

struct Sequencer {
    store: Arc<dyn Store>,
    signer: Signer,
    clock: Arc<dyn Clock>,
    brand: Brand,
    settings: LogSettings,
    holder: String,
    epoch: u64,
    leased_at: Instant,
    /// The log as the store has it; readers see it a little later.
    tip: Arc<LogView>,
    last_batch: Option<Instant>,
    extras: Arc<OnceLock<HeadExtras>>,
    waiting: mpsc::Receiver<Submission>,
    /// What did not fit into the last batch.
    left_over: Vec<Submission>,
    committed: std_mpsc::Sender<Committed>,
    halt: Arc<Halt>,
    runtime: Handle,
}

impl Sequencer {
    fn run(mut self) {
        let runtime = self.runtime.clone();
        while let Some(group) = runtime.block_on(self.next_group()) {
            if let Some(why) = self.halt.why() {
                refuse(group, &SealError::Halted(why));
                continue;
            }
            self.last_batch = Some(Instant::now());
            let started = std::time::Instant::now();
            let leaves = group.len();
            self.seal(group);
            metrics::histogram!("log_batch_seconds").record(started.elapsed().as_secs_f64());
            metrics::counter!("log_submissions_total").increment(leaves as u64);
        }
    }

    /// Waits for a submission and takes with it what comes until the batch may be closed.
    async fn next_group(&mut self) -> Option<Vec<Submission>> {
        let mut group = std::mem::take(&mut self.left_over);
        if group.is_empty() {
            group.push(self.waiting.recv().await?);
        }
        let close_at = match self.last_batch {
            Some(last) => last + self.settings.interval,
            None => Instant::now(),
        };
        while group.len() < self.settings.max_leaves {
            let room = self.settings.max_leaves - group.len();
            let more = self.waiting.recv_many(&mut group, room);
            match tokio::time::timeout_at(close_at, more).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        self.left_over = group.split_off(that_fit(&group));
        Some(group)
    }

    fn seal(&mut self, group: Vec<Submission>) {
        let runtime = self.runtime.clone();
        if let Err(error) = runtime.block_on(self.keep_lease()) {
            return self.give_up(group, error);
        }
        let leaves: Vec<Digest> = group.iter().map(|waiting| waiting.entry.leaf).collect();
        let known = match runtime.block_on(self.known_places(&leaves)) {
            Ok(known) => known,
            Err(error) => return self.give_up(group, error),
        };
        let new: Vec<LogEntry> = group
            .iter()
            .filter(|waiting| !known.contains_key(&waiting.entry.leaf))
            .map(|waiting| waiting.entry.clone())
            .collect();
        let made = match self.make(new) {
            Ok(made) => made,
            Err(error) => return refuse(group, &SealError::NotSigned(error)),
        };
        let place = |leaf: &Digest| match known.get(leaf) {
            Some(sealed) => Some(sealed.clone()),
            None => made.as_ref().and_then(|made| made.place(leaf)),
        };
        let mut replies = finish_all(group, &place);
        let answers: Vec<KeptAnswer> =
            replies.iter().filter_map(|(_, result)| result.as_ref().ok()?.answer.clone()).collect();
        let mut beside = Beside::default();
        for done in replies.iter_mut().filter_map(|(_, result)| result.as_mut().ok()) {
            beside.add(std::mem::take(&mut done.beside));
        }
        let view = made.as_ref().map(|made| Arc::clone(&made.view));
        let batch = made.map(|made| made.batch);
        if batch.is_some() || !answers.is_empty() {
            let append = Append {
                epoch: self.epoch,
                after: self.tip.head.as_ref().map(|head| head.chain.sha256),
                batch,
                answers,
                beside,
            };
            if let Err(error) = runtime.block_on(self.store.append(append)) {
                for (_, result) in &mut replies {
                    *result = Err(SealError::NotKept(error.clone()));
                }
                self.note(&error);
                return replies.into_iter().for_each(|(reply, result)| drop(reply.send(result)));
            }
        }
        if let Some(view) = &view {
            self.tip = Arc::clone(view);
        }
        if let Err(lost) = self.committed.send(Committed { view, replies }) {
            let error = SealError::Halted("nobody is left to acknowledge".to_owned());
            lost.0.replies.into_iter().for_each(|(reply, _)| drop(reply.send(Err(error.clone()))));
        }
    }

    fn make(&self, new: Vec<LogEntry>) -> Result<Option<Made>, ProofError> {
        if new.is_empty() {
            return Ok(None);
        }
        let extras = self.extras.get().cloned().unwrap_or_default();
        let now = self.clock.now();
        Made::new(new, &self.tip, now, &self.brand, &self.signer, extras).map(Some)
    }

    /// Renews the lease when a third of it is over. If it went through other hands meanwhile, what
    /// is known of the log may be old, and only a new start looks at it again.
    async fn keep_lease(&mut self) -> Result<(), StoreError> {
        if self.leased_at.elapsed() < self.settings.lease / 3 {
            return Ok(());
        }
        let (now, lease) = (self.clock.now(), millis(self.settings.lease));
        let moved = |why: String| Err(StoreError::Moved { why });
        match self.store.take_log_lease(&self.holder, now, now.plus_millis(lease)).await? {
            Leasing::Taken { epoch } if epoch == self.epoch => {
                self.leased_at = Instant::now();
                Ok(())
            }
            Leasing::Taken { .. } => moved("somebody else had its lease meanwhile".to_owned()),
            Leasing::Held { until } => moved(format!("somebody else has its lease until {until}")),
        }
    }

    /// The places of leaves that are in the log already.
    async fn known_places(&self, leaves: &[Digest]) -> Result<HashMap<Digest, Sealed>, StoreError> {
        let mut known = HashMap::new();
        let places = self.store.leaf_places(leaves.to_vec()).await?;
        for (leaf, place) in leaves.iter().zip(places) {
            if let Some(place) = place
                && !known.contains_key(leaf)
            {
                known.insert(*leaf, kept_place(self.store.as_ref(), leaf, place).await?);
            }
        }
        Ok(known)
    }

    fn give_up(&self, group: Vec<Submission>, error: StoreError) {
        self.note(&error);
        refuse(group, &SealError::NotKept(error));
    }

    /// Stops for what must not be tried again.
    fn note(&self, error: &StoreError) {
        match error {
            StoreError::Unavailable { .. } => self.halt.stop(error.to_string(), true),
            StoreError::Moved { .. } | StoreError::Damaged { .. } => {
                self.halt.stop(error.to_string(), false);
            }
            error => tracing::warn!(%error, "a batch could not be kept"),
        }
    }
}

/// The place of a leaf that is kept, read and checked.
pub(super) async fn kept_place(
    store: &dyn Store,
    leaf: &Digest,
    place: u64,
) -> Result<Sealed, StoreError> {
    let damaged = |why: &str| StoreError::Damaged {
        what: format!("the place of the leaf {leaf}"),
        why: why.to_owned(),
    };
    let batch = store.batch_at(place).await?.ok_or_else(|| damaged("there is no such place"))?;
    let tree = BatchTree::new(batch.leaves.iter().copied());
    let head = SealedHead::read(batch.sth).map_err(|e| damaged(&e.to_string()))?;
    let found = sealed(leaf, &tree, &Arc::new(head));
    found.filter(|found| found.log_index == place).ok_or_else(|| damaged("another leaf is there"))
}

/// Gives each its place, and has the answers finished: on all cores where there are many.
fn finish_all(
    group: Vec<Submission>,
    place: &(impl Fn(&Digest) -> Option<Sealed> + Sync),
) -> Vec<Reply> {
    /// Below this, starting a thread costs more than it saves.
    const WORTH_A_THREAD: usize = 16;
    let answers = group.iter().filter(|waiting| waiting.finish.is_some()).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let parts = (answers / WORTH_A_THREAD).clamp(1, cores);
    if parts == 1 {
        return group.into_iter().map(|waiting| finish(waiting, place)).collect();
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
        let work = |share: Vec<Submission>| -> Vec<Reply> {
            share.into_iter().map(|waiting| finish(waiting, place)).collect()
        };
        let threads: Vec<_> =
            shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
        // A thread that panicked dropped its callers' replies, and they learn of it by that.
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn finish(waiting: Submission, place: &impl Fn(&Digest) -> Option<Sealed>) -> Reply {
    let Submission { entry, finish, reply } = waiting;
    let result = match place(&entry.leaf) {
        None => Err(ProofError::Content("its leaf is not in the batch".to_owned())),
        Some(sealed) => finish.map(|finish| finish(&sealed)).transpose().map(|finished| {
            let (answer, beside) = finished.unzip();
            Done { sealed, answer, beside: beside.unwrap_or_default() }
        }),
    };
    (reply, result.map_err(SealError::NotSigned))
}

/// How many of these make a batch of bearable size: always one, and no more than a store takes.
fn that_fit(group: &[Submission]) -> usize {
    let mut bytes = 0_usize;
    let fit = group.iter().take_while(|waiting| {
        bytes = bytes.saturating_add(waiting.entry.content.len());
        bytes <= MAX_BATCH_BYTES
    });
    fit.count().max(1)
}

fn refuse(group: Vec<Submission>, error: &SealError) {
    group.into_iter().for_each(|waiting| drop(waiting.reply.send(Err(error.clone()))));
}

pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
