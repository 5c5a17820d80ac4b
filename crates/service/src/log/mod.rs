//! The transparency log: what is sealed into it, and how it is read.
//!
//! One thread, the sequencer, extends the log. It takes all that is waiting, makes one batch of it
//! (`batch`), has it kept in one transaction, and hands it to a second thread (`acknowledge`) that
//! moves the high-water mark and only then tells the callers. `chain` looks at the log when it is
//! opened; `view` is what readers see; `read` and `absence` prove things from it, `shown` describes
//! it, and `gossip` holds what others were shown against it.

mod absence;
mod acknowledge;
mod batch;
mod chain;
pub mod export;
pub mod fsck;
mod gossip;
pub mod mark;
mod read;
mod sequencer;
mod shown;
mod view;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::{Domain, Timestamp};
use proof::keys::LogMark;
use proof::tlog::MAX_ENTRY_BYTES;
use proof::{Digest, KeyPurpose, ProofError};
use serde_json::{Map, Value};
use store::{Beside, KeptAnswer, LogEntry, StoreError};

pub use self::absence::{Absence, Neighbour, Place};
pub use self::chain::LogFault;
pub use self::read::{Consistency, Inclusion, LoggedEntry};
pub use self::shown::{LOG_FILES_PATH, RecordAsk, ShownBatch, VERIFIER_PATH};
pub use self::view::{LogView, SealedHead};

use self::sequencer::{Done, Finish, Running, Submission};
use crate::Service;
use crate::jobs::WitnessPeer;

/// What an operator may decide about the log.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// Batches follow each other no sooner than this, unless one is full.
    pub interval: Duration,
    /// A batch with this many leaves is closed at once.
    pub max_leaves: usize,
    /// Callers that may wait for their batch; further ones are turned away.
    pub max_waiting: usize,
    /// How long the right to extend the log is held without being renewed.
    pub lease: Duration,
    /// The log's name in checkpoints.
    pub origin: String,
    /// Asked to cosign every checkpoint.
    pub witnesses: Vec<WitnessPeer>,
}

impl LogSettings {
    #[must_use]
    pub fn new(origin: String) -> Self {
        Self {
            interval: Duration::from_millis(50),
            max_leaves: 1_024,
            max_waiting: 8_192,
            lease: Duration::from_secs(10),
            origin,
            witnesses: Vec::new(),
        }
    }

    /// The base address without its scheme, and the log's id.
    #[must_use]
    pub fn default_origin(base_url: &str, log_id: &str) -> String {
        let host = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
        format!("{}/{log_id}", host.trim_end_matches('/'))
    }
}

/// Why something was not sealed. Nothing that was told this was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("it is longer than the {MAX_ENTRY_BYTES} bytes that an entry of the log may have")]
    TooLarge,
    #[error("too many wait to be sealed")]
    Busy,
    /// May be tried again.
    #[error("it could not be kept: {0}")]
    NotKept(StoreError),
    #[error("it could not be signed: {0}")]
    NotSigned(ProofError),
    /// Nothing will be sealed until an operator has looked.
    #[error("the log takes nothing more: {0}")]
    Halted(String),
    #[error("the log is not open")]
    NotOpen,
}

/// What is in the log, where, and the way from it to a signed head.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    pub leaf: Digest,
    /// The place inside its batch.
    pub index: u64,
    pub log_index: u64,
    /// From the leaf to the batch's root.
    pub path: Vec<Digest>,
    pub head: Arc<SealedHead>,
}

/// Makes what is kept in one step with an answer, once the answer's digest is known.
pub(crate) type WriteBeside = Box<dyn FnOnce(&Digest) -> Beside + Send>;

/// The log of a service: not there until it was opened.
#[derive(Default)]
pub(crate) struct Log {
    running: tokio::sync::OnceCell<Result<Running, LogFault>>,
    sightings: gossip::Sightings,
}

impl Sealed {
    /// The `transparency` member of an answer.
    #[must_use]
    pub fn transparency(&self, base_url: &str) -> Value {
        let head = &self.head.chain;
        serde_json::json!({
            "state": "included",
            "log_id": head.log_id,
            "leaf_hash": self.leaf,
            "batch": head.batch,
            "index": self.index,
            "log_index": self.log_index,
            "batch_size": head.batch_size,
            "path": self.path,
            "sth": self.head.document,
            "witnesses": format!("{base_url}/api/v1/log/sth/{}", head.batch),
            "content_rule": proof::content::CONTENT_RULE,
        })
    }
}

impl Service {
    /// Opens the log: looks at its end, compares it with the mark, and begins to take entries. What
    /// is wrong is told here and whenever the log is used: a log that was not found sound is neither
    /// extended nor shown.
    pub async fn open_log(
        &self,
        mark: LogMark,
        marked: Option<proof::keys::Marked>,
    ) -> Result<(), LogFault> {
        let opened = self.log.running.get_or_init(async || {
            let opened = chain::open(self, mark, marked).await;
            if let Err(fault) = &opened {
                tracing::error!(%fault, "THE LOG IS NOT EXTENDED");
            }
            opened
        });
        opened.await.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Seals what is waiting and ends the log's threads. Later callers are turned away.
    pub async fn close_log(&self) {
        if let Some(Ok(running)) = self.log.running.get() {
            running.close().await;
        }
    }

    /// Why nothing is sealed, if so.
    #[must_use]
    pub fn log_fault(&self) -> Option<String> {
        match self.log.running.get() {
            None => Some(SealError::NotOpen.to_string()),
            Some(Err(fault)) => Some(fault.to_string()),
            Some(Ok(running)) => running.halted(),
        }
    }

    /// Stops the log: nothing is sealed from now on, and why is told to whoever asks. For what shows
    /// that going on would contradict what was signed before.
    pub fn halt_log(&self, why: String) {
        if let Some(Ok(running)) = self.log.running.get() {
            running.halt(why);
        }
    }

    /// Waits until the disk failed under the log in a way that only a new start can mend.
    pub async fn log_failed(&self) -> String {
        match self.log.running.get() {
            Some(Ok(running)) => running.failed().await,
            _ => std::future::pending().await,
        }
    }

    /// What readers see: the log as far as it was acknowledged.
    pub(crate) fn log_view(&self) -> Result<Arc<LogView>, SealError> {
        match self.log.running.get() {
            Some(Ok(running)) => Ok(running.view()),
            Some(Err(fault)) => Err(SealError::Halted(fault.to_string())),
            None => Err(SealError::NotOpen),
        }
    }

    /// Seals what is no decision, under its kind. The same content again has the same place.
    pub async fn seal_entry(&self, kind: &str, content: Bytes) -> Result<Sealed, SealError> {
        Ok(self.submit(Some(kind.to_owned()), content, None).await?.sealed)
    }

    /// Seals a resolve answer: its decision goes into the log, the answer gets its place there, its
    /// digest and signature, and both are on the disk when this returns.
    pub async fn seal_answer(
        &self,
        answer: Map<String, Value>,
        domain: Domain,
    ) -> Result<KeptAnswer, SealError> {
        self.seal_answer_with(answer, domain, None).await
    }

    /// The same, with what is to be kept in one step with the answer.
    pub(crate) async fn seal_answer_with(
        &self,
        answer: Map<String, Value>,
        domain: Domain,
        beside: Option<WriteBeside>,
    ) -> Result<KeptAnswer, SealError> {
        let brand = self.settings.brand.clone();
        let content = proof::content::decision_content(&answer, &brand);
        let content = content.and_then(|content| proof::canonical::value_to_vec(&content));
        let content = content.map_err(SealError::NotSigned)?;
        let finish = self.finish_answer(answer, domain, beside);
        let done = self.submit(None, Bytes::from(content), Some(finish)).await?;
        done.answer.ok_or_else(|| {
            SealError::NotSigned(ProofError::Document("the answer was not finished".to_owned()))
        })
    }

    /// What is done with an answer once its place is known.
    fn finish_answer(
        &self,
        mut answer: Map<String, Value>,
        domain: Domain,
        beside: Option<WriteBeside>,
    ) -> Finish {
        let signer = self.signer();
        let (clock, base_url) = (Arc::clone(&self.clock), self.settings.base_url.clone());
        Box::new(move |sealed| {
            answer.insert("transparency".to_owned(), sealed.transparency(&base_url));
            let answered_at: Option<Timestamp> = answer
                .get("answered_at")
                .and_then(Value::as_str)
                .and_then(|text| text.parse().ok());
            let answered_at = answered_at.unwrap_or_else(|| clock.now());
            let signed = signer.sign_value(Value::Object(answer), KeyPurpose::Documents)?;
            let beside = beside.map(|beside| beside(&signed.digest)).unwrap_or_default();
            let kept = KeptAnswer {
                sha256: signed.digest,
                domain,
                answered_at,
                log_index: sealed.log_index,
                bytes: Bytes::from(signed.bytes),
            };
            Ok((kept, beside))
        })
    }

    async fn submit(
        &self,
        kind: Option<String>,
        content: Bytes,
        finish: Option<Finish>,
    ) -> Result<Done, SealError> {
        if content.len() > MAX_ENTRY_BYTES {
            return Err(SealError::TooLarge);
        }
        let running = match self.log.running.get() {
            Some(Ok(running)) => running,
            Some(Err(fault)) => return Err(SealError::Halted(fault.to_string())),
            None => return Err(SealError::NotOpen),
        };
        let leaf = proof::tree::leaf_hash(&content);
        let (reply, answer) = tokio::sync::oneshot::channel();
        running.submit(Submission { entry: LogEntry { leaf, kind, content }, finish, reply })?;
        answer.await.unwrap_or_else(|_| {
            Err(SealError::Halted(running.halted().unwrap_or_else(|| "it is closed".to_owned())))
        })
    }
}
