//! Following a log from outside, without trusting it.
//!
//! Every head, every leaf and every entry is read and made anew, page by page, from where the last
//! look ended. What cannot be true of an honest log is an [`Alarm`]; what could not be read is not.
//! Not looked at: whether a leaf stands in two batches, which takes a memory of all leaves.

mod keys;
mod source;
mod state;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use contract::{Brand, Clock, Timestamp};
use proof::audit::{LogAudit, MAX_HEAD_BYTES, Shown};
use proof::head::ChainHead;
use proof::tlog::{
    Checkpoint, MAX_ENTRY_BYTES, MAX_NOTE_BYTES, Note, TILE_WIDTH, TileFile, TileKind, VerifierKey,
    decode_bundle,
};
use proof::{Digest, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::source::{HttpSource, LogSource, Unreachable};
pub use self::state::{HeldKeys, MonitorState, StateError};

use crate::log::fsck::entry_fault;

/// Heads that are asked for at once.
const PAGE: u64 = 200;
/// A batch with more leaves than this is not read: nobody's log has one.
const MAX_BATCH: u64 = 65_536;
const MAX_PAGE_BYTES: usize = PAGE as usize * MAX_HEAD_BYTES / 8;
/// A leaf is 64 hexadecimal digits, in quotes, with a comma.
const MAX_BATCH_BYTES: usize = MAX_BATCH as usize * 67 + 4 * MAX_HEAD_BYTES;
const MAX_BUNDLE_BYTES: usize = TILE_WIDTH as usize * (2 + MAX_ENTRY_BYTES);
const MAX_KEYS_BYTES: usize = 1 << 20;

/// What is to be said loudly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    pub kind: AlarmKind,
    pub batch: Option<u64>,
    pub detail: String,
    /// What the log showed, where it proves the matter to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// Two heads that cannot both be of one history.
    Fork,
    /// Something that was read before is not as it was.
    Rewritten,
    /// The log ends before where it ended.
    Shrunk,
    /// A head, a leaf or an entry that must be there is not given.
    Withheld,
    /// A head, its leaves, its roots or its signature do not hold.
    Broken,
    /// An entry that cannot be opened, or is not of this log.
    Entry,
    Checkpoint,
    /// A key that nothing explains.
    Keys,
    /// An answer that is not of its form.
    Form,
}

/// Why a look ended early.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MonitorError {
    #[error("{0}")]
    Unreachable(#[from] Unreachable),
    #[error("{}", .0.detail)]
    Alarm(Box<Alarm>),
    #[error("the state of the monitor cannot be used: {0}")]
    State(#[from] StateError),
}

/// What is told on the way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum Step {
    /// The first look at this log: from now on these keys and this name are held against it.
    Pinned { log_heads_keys: Vec<String>, origin: Option<String> },
    /// A key came, and directory and rotation record explain it.
    NewKey { kid: String },
    /// A page was read and holds.
    Page { from_batch: u64, to_batch: u64, tree_size: u64 },
    /// All there is was read and holds.
    Current {
        batch: Option<u64>,
        tree_size: u64,
        tree_root: Digest,
        head_at: Option<Timestamp>,
        /// How old the newest head is. A log that stands still may be withholding.
        age_seconds: Option<i64>,
    },
}

/// Somebody who keeps what the monitor must not forget. On the disk when it returns.
pub trait Keep: Send {
    fn keep(&mut self, state: &MonitorState) -> Result<(), StateError>;
}

/// A monitor of one log.
#[derive(Debug)]
pub struct Monitor<'a> {
    pub source: &'a dyn LogSource,
    pub clock: &'a dyn Clock,
    pub brand: Brand,
}

impl Monitor<'_> {
    /// Reads all that is new and holds it against what is known. The state moves with every page
    /// that holds, and is kept then; after an alarm it stands before what raised it.
    pub async fn look(
        &self,
        state: &mut MonitorState,
        keep: &mut dyn Keep,
        tell: &mut (dyn FnMut(Step) + Send),
    ) -> Result<(), MonitorError> {
        let looked = self.look_once(state, keep, tell).await;
        if let Err(MonitorError::Alarm(alarm)) = &looked {
            state.remember(alarm);
            keep.keep(state)?;
        }
        looked
    }

    async fn look_once(
        &self,
        state: &mut MonitorState,
        keep: &mut dyn Keep,
        tell: &mut (dyn FnMut(Step) + Send),
    ) -> Result<(), MonitorError> {
        // Before the head, so that the head is not of a smaller log.
        let checkpoint = self.source.get("/log/checkpoint", MAX_NOTE_BYTES).await?;
        let newest = self.newest().await?;
        // After the head, so that a key that came with it is known.
        let first_sight = state.keys.is_none();
        let policy = keys::held(self.source, state, &self.brand, tell).await?;
        let audit = state
            .audit
            .clone()
            .map(|kept| LogAudit::resume(policy.clone(), self.brand.clone(), kept));
        let mut audit = match audit {
            None => LogAudit::new(policy, self.brand.clone()),
            Some(resumed) => resumed.map_err(|e| StateError(e.to_string()))?,
        };
        let mut checkpoint = Claim::read(checkpoint, state, &self.brand)?;
        if first_sight {
            let pinned = state.log_heads_keys(&self.brand);
            tell(Step::Pinned { log_heads_keys: pinned, origin: state.origin.clone() });
            keep.keep(state)?;
        }
        let size_before = audit.edge().size();
        self.against_known(&audit, newest.as_ref(), &checkpoint).await?;
        checkpoint.compare(&audit)?;
        if let Some((newest, _)) = &newest {
            let mut bundle = None;
            while next(&audit) <= newest.batch {
                let from = next(&audit);
                self.page(&mut audit, newest, &mut checkpoint, &mut bundle).await?;
                state.audit = Some(audit.state());
                keep.keep(state)?;
                let to = next(&audit) - 1;
                let tree_size = audit.edge().size();
                tell(Step::Page { from_batch: from, to_batch: to, tree_size });
            }
        }
        checkpoint.must_have_been_compared(&audit, size_before)?;
        if let (Some((newest, shown)), Some(last)) = (&newest, audit.last())
            && newest.batch == last.batch
            && newest.sha256 != last.sha256
        {
            let detail = "the newest head is another than the one listed for its batch";
            return Err(alarm(AlarmKind::Fork, Some(last.batch), detail, Some(shown.clone())));
        }
        let head_at = audit.last().map(|head| head.created_at);
        let now = self.clock.now();
        tell(Step::Current {
            batch: audit.last().map(|head| head.batch),
            tree_size: audit.edge().size(),
            tree_root: audit.edge().root(),
            head_at,
            age_seconds: head_at.map(|at| (now.as_millis() - at.as_millis()) / 1000),
        });
        Ok(())
    }

    /// The newest head, as the log states it.
    async fn newest(&self) -> Result<Option<(ChainHead, Value)>, MonitorError> {
        let answer = self.json("/api/v1/log", 4 * MAX_HEAD_BYTES).await?;
        let Some(answer) = answer else {
            return Err(Unreachable("there is no log at this address".to_owned()).into());
        };
        match answer.get("head") {
            None => Err(form("/api/v1/log has no head")),
            Some(Value::Null) => Ok(None),
            Some(head) => {
                let read = ChainHead::read(head)
                    .map_err(|e| form(&format!("the newest head cannot be read: {e}")))?;
                Ok(Some((read, head.clone())))
            }
        }
    }

    /// What was read before must still be there, and the newest head must not contradict it.
    async fn against_known(
        &self,
        audit: &LogAudit,
        newest: Option<&(ChainHead, Value)>,
        checkpoint: &Claim,
    ) -> Result<(), MonitorError> {
        let size = audit.edge().size();
        if let Some(stated) = checkpoint.size().filter(|stated| *stated < size) {
            let detail = format!("the checkpoint states {stated} leaves, there were {size}");
            return Err(alarm(AlarmKind::Shrunk, None, &detail, checkpoint.evidence()));
        }
        let Some(known) = audit.last() else { return Ok(()) };
        let batch = Some(known.batch);
        let Some((head, shown)) = newest else {
            let detail = format!("the log is empty, and had {size} leaves");
            return Err(alarm(AlarmKind::Shrunk, batch, &detail, None));
        };
        let bytes = canonical::value_to_vec(shown).unwrap_or_default();
        match audit.fork(&bytes) {
            Ok(Shown::Forked(why)) => {
                return Err(alarm(AlarmKind::Fork, Some(head.batch), &why, Some(shown.clone())));
            }
            Ok(_) if head.batch < known.batch => {
                let detail = format!(
                    "the newest head is of batch {}, batch {} was read before",
                    head.batch, known.batch
                );
                return Err(alarm(
                    AlarmKind::Shrunk,
                    Some(head.batch),
                    &detail,
                    Some(shown.clone()),
                ));
            }
            Ok(_) => {}
            Err(fault) => {
                let detail = fault.to_string();
                return Err(alarm(
                    AlarmKind::Broken,
                    Some(head.batch),
                    &detail,
                    Some(shown.clone()),
                ));
            }
        }
        // The head that was read last, as the log shows it now.
        let heads = self.heads(known.batch, 1).await?;
        let again = heads.first().map(ChainHead::read);
        match again {
            Some(Ok(again)) if again.sha256 == known.sha256 => Ok(()),
            _ => {
                let detail = format!("it was {} when it was read", known.sha256);
                Err(alarm(AlarmKind::Rewritten, batch, &detail, heads.into_iter().next()))
            }
        }
    }

    /// Heads from `from` on, oldest first: exactly `count`.
    async fn heads(&self, from: u64, count: u64) -> Result<Vec<Value>, MonitorError> {
        let to = from + count - 1;
        let path = format!("/api/v1/log/sths?to={to}&n={count}");
        let withheld = |detail: &str| alarm(AlarmKind::Withheld, Some(to), detail, None);
        let mut answer =
            self.json(&path, MAX_PAGE_BYTES).await?.ok_or_else(|| withheld("it is not given"))?;
        let heads = answer.get_mut("sths").and_then(Value::as_array_mut).map(std::mem::take);
        let mut heads = heads.ok_or_else(|| form(&format!("{path} has no list of heads")))?;
        heads.reverse();
        if heads.len() as u64 != count {
            let detail = format!("{} of {count} heads up to it are given", heads.len());
            return Err(withheld(&detail));
        }
        for (head, number) in heads.iter().zip(from..) {
            if head.get("batch").and_then(Value::as_u64) != Some(number) {
                let detail = "another batch's head stands in its place";
                return Err(alarm(AlarmKind::Withheld, Some(number), detail, Some(head.clone())));
            }
        }
        Ok(heads)
    }

    /// The next page of batches, each with its leaves and entries.
    async fn page(
        &self,
        audit: &mut LogAudit,
        newest: &ChainHead,
        checkpoint: &mut Claim,
        bundle: &mut Option<Bundle>,
    ) -> Result<(), MonitorError> {
        let from = next(audit);
        let count = PAGE.min(newest.batch - from + 1);
        for head in self.heads(from, count).await? {
            let read = ChainHead::read(&head);
            let batch = head.get("batch").and_then(Value::as_u64);
            let broken = |detail: &str| alarm(AlarmKind::Broken, batch, detail, Some(head.clone()));
            let read = read.map_err(|e| broken(&e.to_string()))?;
            let leaves = self.leaves(&read, &head).await?;
            // Before what it names is fetched, so that a made-up head sends nobody anywhere.
            let bytes = canonical::value_to_vec(&head).unwrap_or_default();
            let mut ahead = audit.clone();
            ahead.next::<Bytes>(&bytes, &leaves, None).map_err(|f| broken(&f.to_string()))?;
            let entries = self.entries(&read, newest.tree_size, bundle).await?;
            let log_id = self.brand.log_id();
            for (place, (entry, leaf)) in entries.iter().zip(&leaves).enumerate() {
                entry_fault(entry, leaf, &log_id).map_err(|why| {
                    alarm(AlarmKind::Entry, batch, &format!("entry {place} {why}"), None)
                })?;
            }
            audit.next(&bytes, &leaves, Some(&entries)).map_err(|f| broken(&f.to_string()))?;
            checkpoint.compare(audit)?;
        }
        Ok(())
    }

    async fn leaves(&self, head: &ChainHead, listed: &Value) -> Result<Vec<Digest>, MonitorError> {
        let batch = Some(head.batch);
        if head.batch_size > MAX_BATCH {
            let detail = format!("it states {} leaves, which are too many", head.batch_size);
            return Err(alarm(AlarmKind::Form, batch, &detail, Some(listed.clone())));
        }
        let path = format!("/api/v1/log/sth/{}", head.batch);
        let answer = self.json(&path, MAX_BATCH_BYTES).await?;
        let withheld = |detail: &str| alarm(AlarmKind::Withheld, batch, detail, None);
        let answer = answer.ok_or_else(|| withheld("its leaves are not given"))?;
        if answer.get("sth") != Some(listed) {
            let detail = "its head is another here than in the list";
            let both = serde_json::json!([listed, answer.get("sth")]);
            return Err(alarm(AlarmKind::Fork, batch, detail, Some(both)));
        }
        let leaves = answer.get("leaves").and_then(Value::as_array);
        let leaves = leaves.ok_or_else(|| withheld("its leaves are not given"))?;
        let digest = |leaf: &Value| leaf.as_str()?.parse().ok();
        let leaves: Option<Vec<Digest>> = leaves.iter().map(digest).collect();
        leaves.ok_or_else(|| form(&format!("{path} has a leaf that is no digest")))
    }

    /// The entries of a batch, from the bundles that hold them.
    async fn entries(
        &self,
        head: &ChainHead,
        log_size: u64,
        bundle: &mut Option<Bundle>,
    ) -> Result<Vec<Bytes>, MonitorError> {
        let mut entries = Vec::new();
        for place in head.first_index..head.tree_size {
            let index = place / TILE_WIDTH;
            if bundle.as_ref().is_none_or(|held| !held.has(place)) {
                *bundle = Some(self.bundle(index, log_size, head.batch).await?);
            }
            let entry = bundle.as_ref().and_then(|held| held.entry(place));
            let entry = entry.ok_or_else(|| {
                alarm(AlarmKind::Withheld, Some(head.batch), "an entry is not given", None)
            })?;
            entries.push(entry);
        }
        Ok(entries)
    }

    async fn bundle(&self, index: u64, size: u64, batch: u64) -> Result<Bundle, MonitorError> {
        let width = size.saturating_sub(index * TILE_WIDTH).min(TILE_WIDTH) as u16;
        let file = TileFile { kind: TileKind::Entries, index, width };
        // A log that has grown since may have the whole bundle only.
        for file in [file, file.full()] {
            let path = format!("/log/{file}");
            let Some(bytes) = self.source.get(&path, MAX_BUNDLE_BYTES).await? else { continue };
            let Some(entries) = decode_bundle(&bytes, file.width) else {
                let detail = format!("{path} is no bundle of {} entries", file.width);
                return Err(alarm(AlarmKind::Entry, Some(batch), &detail, None));
            };
            let entries = entries.into_iter().map(Bytes::copy_from_slice).collect();
            return Ok(Bundle { index, entries });
        }
        let detail = format!("/log/{file} is not given: its entries cannot be opened");
        Err(alarm(AlarmKind::Withheld, Some(batch), &detail, None))
    }

    async fn json(&self, path: &str, most: usize) -> Result<Option<Value>, MonitorError> {
        let Some(bytes) = self.source.get(path, most).await? else { return Ok(None) };
        let value = canonical::parse_strict(&bytes);
        value.map(Some).map_err(|e| form(&format!("{path} is not JSON that can be used: {e}")))
    }
}

/// Entries that were fetched together.
struct Bundle {
    index: u64,
    entries: Vec<Bytes>,
}

impl Bundle {
    fn has(&self, place: u64) -> bool {
        self.entry(place).is_some()
    }

    fn entry(&self, place: u64) -> Option<Bytes> {
        let inside = place.checked_sub(self.index * TILE_WIDTH)?;
        self.entries.get(usize::try_from(inside).ok()?).cloned()
    }
}

/// What the log's checkpoint states, until the walk comes to that size.
struct Claim {
    note: Option<(Vec<u8>, Checkpoint)>,
    keys: Vec<VerifierKey>,
    compared: bool,
}

impl Claim {
    /// Reads the checkpoint and holds its name against the one seen first.
    fn read(
        note: Option<Vec<u8>>,
        state: &mut MonitorState,
        brand: &Brand,
    ) -> Result<Self, MonitorError> {
        let Some(bytes) = note else {
            return Ok(Self { note: None, keys: Vec::new(), compared: false });
        };
        let said = String::from_utf8_lossy(&bytes).into_owned();
        let bad = |detail: String| {
            alarm(AlarmKind::Checkpoint, None, &detail, Some(Value::String(said.clone())))
        };
        let note = Note::parse(&bytes).map_err(|e| bad(e.to_string()))?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|e| bad(e.to_string()))?;
        let origin = state.origin.get_or_insert_with(|| checkpoint.origin().to_owned()).clone();
        if origin != checkpoint.origin() {
            let now = checkpoint.origin();
            return Err(bad(format!("it is of {now}, and was of {origin}")));
        }
        let keys = state.checkpoint_keys(&origin, brand);
        Ok(Self { note: Some((bytes, checkpoint)), keys, compared: false })
    }

    fn size(&self) -> Option<u64> {
        self.note.as_ref().map(|(_, checkpoint)| checkpoint.size())
    }

    fn evidence(&self) -> Option<Value> {
        let (bytes, _) = self.note.as_ref()?;
        Some(Value::String(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn compare(&mut self, audit: &LogAudit) -> Result<(), MonitorError> {
        if self.compared || self.size() != Some(audit.edge().size()) {
            return Ok(());
        }
        let Some((bytes, checkpoint)) = &self.note else { return Ok(()) };
        audit.check_checkpoint(bytes, checkpoint.origin(), &self.keys).map_err(|fault| {
            alarm(AlarmKind::Checkpoint, fault.batch, &fault.to_string(), self.evidence())
        })?;
        self.compared = true;
        Ok(())
    }

    /// Everything there is was read: a checkpoint that was not come by is of no batch of this log.
    fn must_have_been_compared(
        &self,
        audit: &LogAudit,
        size_before: u64,
    ) -> Result<(), MonitorError> {
        let size = audit.edge().size();
        match self.size() {
            Some(stated) if !self.compared => {
                let detail = format!(
                    "the checkpoint states {stated} leaves, and no batch of the log ({size} leaves) \
                     ends there"
                );
                Err(alarm(AlarmKind::Checkpoint, None, &detail, self.evidence()))
            }
            // A log that was empty may have begun since the checkpoint was asked for.
            None if size_before > 0 => {
                let detail = "the log has leaves and gives no checkpoint";
                Err(alarm(AlarmKind::Withheld, None, detail, None))
            }
            _ => Ok(()),
        }
    }
}

fn next(audit: &LogAudit) -> u64 {
    audit.last().map_or(0, |head| head.batch.saturating_add(1))
}

fn alarm(
    kind: AlarmKind,
    batch: Option<u64>,
    detail: &str,
    evidence: Option<Value>,
) -> MonitorError {
    let detail = detail.to_owned();
    MonitorError::Alarm(Box::new(Alarm { kind, batch, detail, evidence }))
}

fn form(detail: &str) -> MonitorError {
    alarm(AlarmKind::Form, None, detail, None)
}
