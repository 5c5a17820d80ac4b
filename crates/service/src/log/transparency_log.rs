//! The transparency log as the rest of the service uses it: open, seal, close.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use contract::records::ResolveAnswer;
use contract::{Clock, Domain, Issuer, Timestamp};
use proof::canonical::KeptMembers;
use proof::keys::{LogMark, LogPosition, read_next_entry, remove_next_entry};
use proof::tlog::MAX_ENTRY_BYTES;
use proof::tree_head::HeadExtras;
use proof::{Digest, KeyPurpose, OpenRecord, ProofError};
use serde_json::{Map, Value};
use store::{AppendExtras, HashedBytes, LogEntry, LogLease, Predecessor, Store, StoredAnswer};
use supervisor::Supervisor;

use super::errors::{LogFault, SealError};
use super::open_log::{OpenLog, OpenLogParts};
use super::sealed_leaf::SealedLeaf;
use super::settings::LogSettings;
use super::snapshot::LogSnapshot;
use super::submission::{FinishAnswer, SealedAnswer, SealedSubmission, Submission};
use super::{contradictions, log_end};
use crate::random_ids::Ids;
use crate::signing_keys::SigningKeys;

/// Builds what is stored in the same transaction as an answer, once the answer's digest is known.
pub(crate) type ExtrasBuilder = Box<dyn FnOnce(&Digest) -> AppendExtras + Send>;

/// What belongs to an answer that is to be sealed.
#[derive(Default)]
pub(crate) struct AnswerContext {
    /// The answer that it must follow. If another one is sealed first, this one is refused with
    /// [`SealError::Superseded`], and nothing of it is stored.
    pub(crate) predecessor: Option<Predecessor>,
    /// What is stored in the same transaction.
    pub(crate) extras: Option<ExtrasBuilder>,
}

/// The digests of the stored contradicting heads, once they have been loaded. Every gossip request
/// may add to it; the lock is held for one lookup or insertion.
pub(super) type ContradictingHeads = tokio::sync::OnceCell<Mutex<BTreeSet<Digest>>>;

/// The transparency log of a deployment. `open_log` is set once, by the first call of `open`; the
/// sequencer behind it is the only writer of the log. `contradicting_heads` has its own lock.
pub struct TransparencyLog {
    pub(crate) settings: LogSettings,
    pub(crate) issuer: Issuer,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    /// Additional members of tree heads; set once, when the running build is known.
    head_extras: Arc<OnceLock<HeadExtras>>,
    supervisor: Supervisor,
    open_log: tokio::sync::OnceCell<Result<OpenLog, LogFault>>,
    pub(super) contradicting_heads: ContradictingHeads,
}

impl TransparencyLog {
    pub(crate) fn new(
        settings: LogSettings,
        issuer: Issuer,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            settings,
            issuer,
            store,
            keys,
            clock,
            ids,
            head_extras: Arc::default(),
            supervisor,
            open_log: tokio::sync::OnceCell::new(),
            contradicting_heads: ContradictingHeads::default(),
        }
    }

    /// Sets the additional members of every later tree head. Only the first call has an effect.
    pub(crate) fn set_head_extras(&self, extras: HeadExtras) {
        let _ = self.head_extras.set(extras);
    }

    /// Opens the log: verifies its end, compares it with the mark, and starts to accept entries. A
    /// log that fails these checks is neither extended nor shown; the fault is returned here and by
    /// every later use of the log.
    pub async fn open(&self, mark: LogMark, marked: Option<LogPosition>) -> Result<(), LogFault> {
        let opened = self.open_log.get_or_init(async || {
            let opened = self.start_threads(mark, marked).await;
            if let Err(fault) = &opened {
                tracing::error!(%fault, "THE LOG IS NOT EXTENDED: it failed its checks when it was opened");
            }
            opened
        });
        opened.await.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    async fn start_threads(
        &self,
        mut mark: LogMark,
        marked: Option<LogPosition>,
    ) -> Result<OpenLog, LogFault> {
        let store = self.store.as_ref();
        let holder = self.ids.random_id();
        let holder = holder.map_err(|e| LogFault::CannotStart { why: e.to_string() })?;
        let now = self.clock.now();
        let until = now.plus_millis(self.settings.lease_millis());
        let epoch = match store.acquire_log_lease(&holder, now, until).await? {
            LogLease::Granted { epoch } => epoch,
            LogLease::HeldByOther { until } => return Err(LogFault::LeasedByOther(until)),
        };
        let brand = &self.issuer.brand;
        let policy = self.keys.key_policy().map_err(LogFault::MarkUnusable)?;
        let tip = log_end::verify_log_end(store, &policy, brand).await?;
        let end = tip.head.as_deref().map(|head| &head.chain);
        let marked_now = log_end::check_mark(store, end, marked, &brand.log_id()).await?;
        log_end::check_place(&mark)?;
        contradictions::check_undecided(store, &policy, brand).await?;
        self.ask_witnesses(&tip).await?;
        let keys_dir = mark.directory().to_owned();
        let next_entry = read_next_entry(&keys_dir).map_err(LogFault::MarkUnusable)?;
        mark.write(&marked_now).map_err(LogFault::MarkUnusable)?;
        mark.record_place().map_err(LogFault::MarkUnusable)?;
        let opened = OpenLog::start(OpenLogParts {
            store: Arc::clone(&self.store),
            keys: Arc::clone(&self.keys),
            clock: Arc::clone(&self.clock),
            brand: brand.clone(),
            settings: self.settings.clone(),
            lease_holder: holder,
            epoch,
            tip: Arc::new(tip),
            mark,
            head_extras: Arc::clone(&self.head_extras),
            supervisor: self.supervisor.clone(),
        })?;
        if let Some(content) = next_entry
            && let Err(fault) = self.seal_next_entry(&opened, content, &keys_dir).await
        {
            opened.close().await;
            return Err(fault);
        }
        Ok(opened)
    }

    /// Seals the entry that must come before all others. Nobody else can seal anything yet. If it was
    /// sealed before a crash, it is not added again, because its content is the same.
    async fn seal_next_entry(
        &self,
        opened: &OpenLog,
        content: Vec<u8>,
        keys_dir: &Path,
    ) -> Result<(), LogFault> {
        let failed = |why: String| LogFault::CannotStart {
            why: format!("the entry that must be the next one in the log was not sealed: {why}"),
        };
        let document: Value =
            serde_json::from_slice(&content).map_err(|error| failed(error.to_string()))?;
        let kind = document.get("kind").and_then(Value::as_str).map(str::to_owned);
        let sealed = submit_to(opened, kind, Bytes::from(content), None, None).await;
        sealed.map_err(|error| failed(error.to_string()))?;
        remove_next_entry(keys_dir).map_err(LogFault::MarkUnusable)
    }

    /// Seals what is waiting and ends the log's threads. Later callers are refused.
    pub async fn close(&self) {
        if let Some(Ok(running)) = self.open_log.get() {
            running.close().await;
        }
    }

    /// Why nothing is sealed; `None` while the log accepts entries.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match self.open_log.get() {
            None => Some(SealError::NotOpen.to_string()),
            Some(Err(fault)) => Some(fault.to_string()),
            Some(Ok(running)) => running.halt_reason(),
        }
    }

    /// Whether the log has not been opened yet.
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.open_log.get().is_none()
    }

    /// Stops the log: nothing is sealed from now on, and every caller gets this reason. Used when
    /// further entries would contradict what was signed before.
    pub fn halt(&self, why: String) {
        if let Some(Ok(running)) = self.open_log.get() {
            running.halt(why);
        }
    }

    /// The log as far as it is acknowledged: what readers see.
    pub(crate) fn snapshot(&self) -> Result<Arc<LogSnapshot>, SealError> {
        Ok(self.require_open()?.snapshot())
    }

    fn require_open(&self) -> Result<&OpenLog, SealError> {
        match self.open_log.get() {
            Some(Ok(running)) => Ok(running),
            Some(Err(fault)) => Err(SealError::Halted(fault.to_string())),
            None => Err(SealError::NotOpen),
        }
    }

    /// Seals every event in the life of our keys. An event that is in the log already is not added
    /// again.
    pub async fn seal_key_events(&self) -> Result<(), SealError> {
        let kind = proof::keys::events::event_kind(&self.issuer.brand);
        let events = self.keys.key_events().map_err(SealError::NotSigned)?;
        let sealed = events.into_iter().map(|e| self.seal_entry(&kind, Bytes::from(e.content)));
        futures_util::future::try_join_all(sealed).await.map(|_| ())
    }

    /// Seals an entry that is not a decision, under its kind. The same content has the same leaf: it
    /// is not added twice.
    pub async fn seal_entry(&self, kind: &str, content: Bytes) -> Result<SealedLeaf, SealError> {
        Ok(self.submit(Some(kind.to_owned()), content, None, None).await?.sealed)
    }

    /// Seals a resolve answer. Its decision becomes a log entry; the answer gets its `transparency`
    /// member, its digest and its signature. Both are on disk when this returns.
    pub async fn seal_answer(
        &self,
        answer: Map<String, Value>,
        domain: Domain,
    ) -> Result<StoredAnswer, SealError> {
        let sealed =
            self.seal_document_in_context(answer, domain, AnswerContext::default()).await?;
        Ok(sealed.stored)
    }

    /// Like `seal_answer`, in a context.
    pub(crate) async fn seal_document_in_context(
        &self,
        answer: Map<String, Value>,
        domain: Domain,
        context: AnswerContext,
    ) -> Result<SealedAnswer, SealError> {
        let answered_at = answer.get("answered_at").and_then(Value::as_str);
        let answered_at = answered_at.and_then(|text| text.parse().ok());
        let answered_at = answered_at.unwrap_or_else(|| self.clock.now());
        let content = proof::decision_content::decision_content(&answer, &self.issuer.brand);
        let content = content.and_then(|content| proof::canonical::value_to_vec(&content));
        let content = content.map_err(SealError::NotSigned)?;
        let open = OpenRecord::new(&answer).map_err(SealError::NotSigned)?;
        self.seal_open_answer(content, open, domain, answered_at, context).await
    }

    /// Like `seal_answer`, after the answer that it names and with records to store in the same
    /// transaction. `kept`: the members that are the same in the answer before.
    pub(crate) async fn seal_answer_in_context(
        &self,
        answer: &ResolveAnswer,
        kept: Option<&KeptMembers<'_>>,
        context: AnswerContext,
    ) -> Result<SealedAnswer, SealError> {
        let content = proof::decision_content::answer_content(answer, &self.issuer.brand);
        let content = content.map_err(SealError::NotSigned)?;
        // Written here, where answers are made at the same time, and not by the one thread that seals them.
        let open = match kept {
            Some(kept) => OpenRecord::following(answer, kept),
            None => OpenRecord::new(answer),
        };
        let open = open.map_err(SealError::NotSigned)?;
        let (domain, answered_at) = (answer.domain.clone(), answer.answered_at);
        self.seal_open_answer(content, open, domain, answered_at, context).await
    }

    /// `content` is the decision of the answer, as it goes into the log.
    async fn seal_open_answer(
        &self,
        content: Vec<u8>,
        open: OpenRecord,
        domain: Domain,
        answered_at: Timestamp,
        context: AnswerContext,
    ) -> Result<SealedAnswer, SealError> {
        let AnswerContext { predecessor, extras } = context;
        let finish = self.answer_finisher(open, domain, answered_at, extras);
        let done = self.submit(None, Bytes::from(content), Some(finish), predecessor).await?;
        done.answer.ok_or_else(|| {
            SealError::NotSigned(ProofError::Document("the answer was not finished".to_owned()))
        })
    }

    /// Completes and signs an answer once its position in the log is known.
    fn answer_finisher(
        &self,
        open: OpenRecord,
        domain: Domain,
        answered_at: Timestamp,
        beside: Option<ExtrasBuilder>,
    ) -> FinishAnswer {
        let signer = Arc::clone(&self.keys);
        let base_url = self.issuer.base_url.clone();
        Box::new(move |sealed| {
            let transparency = sealed.transparency(&base_url);
            let signed = signer.sign_open_record(
                open,
                "transparency",
                &transparency,
                KeyPurpose::Documents,
            )?;
            let beside = beside.map(|beside| beside(&signed.digest)).unwrap_or_default();
            let stored = StoredAnswer {
                sha256: signed.digest,
                domain,
                answered_at,
                log_index: sealed.log_index,
                bytes: HashedBytes::with_digest(signed.bytes.into(), signed.content_digest),
            };
            let (signature, places) = (signed.signature, signed.places);
            Ok((SealedAnswer { stored, transparency, signature, places }, beside))
        })
    }

    async fn submit(
        &self,
        kind: Option<String>,
        content: Bytes,
        finish: Option<FinishAnswer>,
        predecessor: Option<Predecessor>,
    ) -> Result<SealedSubmission, SealError> {
        submit_to(self.require_open()?, kind, content, finish, predecessor).await
    }
}

async fn submit_to(
    running: &OpenLog,
    kind: Option<String>,
    content: Bytes,
    finish: Option<FinishAnswer>,
    predecessor: Option<Predecessor>,
) -> Result<SealedSubmission, SealError> {
    if content.len() > MAX_ENTRY_BYTES {
        return Err(SealError::TooLarge);
    }
    let leaf = proof::merkle_tree::leaf_hash(&content);
    let (reply, result) = tokio::sync::oneshot::channel();
    let entry = LogEntry { leaf, kind, content };
    running.submit(Submission { entry, finish, predecessor, reply })?;
    tokio::select! {
        biased;
        result = result => result.unwrap_or_else(|_| Err(running.dropped_error())),
        error = running.wait_for_failed_thread() => Err(error),
    }
}
