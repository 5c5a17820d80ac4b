//! Following a log from outside, without trusting it.
//!
//! The monitor reads every head, leaf and entry page by page, from where the last check ended, and
//! recomputes the log from them. What an honest log can never serve is an [`Alarm`]; what could not
//! be read is not. Not checked: whether a leaf is in two batches, because that needs all leaves in
//! memory.

mod accepted_keys;
mod checkpoint_check;
mod compare;
mod events;
mod source;
mod state;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use contract::{Brand, Clock};
use proof::audit::{HeadComparison, LogAudit, MAX_HEAD_BYTES};
use proof::tlog::{
    MAX_ENTRY_BYTES, MAX_NOTE_BYTES, TILE_WIDTH, TileFile, TileKind, decode_entry_bundle,
};
use proof::tree_head::ChainHead;
use proof::{Digest, canonical};
use serde_json::Value;

pub use self::compare::CheckedAddress;
pub use self::events::{Alarm, AlarmKind, MonitorError, MonitorStateError, MonitorStep};
pub use self::source::{HttpLogSource, LogSource, LogUnreachable};
pub use self::state::{AcceptedKeys, MonitorState};

use self::checkpoint_check::CheckpointCheck;
use self::events::{alarm_error, malformed};
use super::fsck::check_entry;

/// Heads per request.
const HEADS_PER_PAGE: u64 = 200;
/// A batch with more leaves than this is not read: no real log has one.
const MAX_BATCH_LEAVES: u64 = 65_536;
const MAX_PAGE_BYTES: usize = HEADS_PER_PAGE as usize * MAX_HEAD_BYTES / 8;
/// A leaf is 64 hexadecimal digits, in quotes, with a comma.
const MAX_BATCH_BYTES: usize = MAX_BATCH_LEAVES as usize * 67 + 4 * MAX_HEAD_BYTES;
const MAX_BUNDLE_BYTES: usize = TILE_WIDTH as usize * (2 + MAX_ENTRY_BYTES);

/// Saves the state of a monitor. The state is on disk when `save` returns.
pub trait StateStore: Send {
    fn save(&mut self, state: &MonitorState) -> Result<(), MonitorStateError>;
}

/// A monitor of one log.
#[derive(Debug)]
pub struct Monitor<'a> {
    pub source: &'a dyn LogSource,
    pub clock: &'a dyn Clock,
    pub brand: Brand,
}

impl Monitor<'_> {
    /// Reads and verifies everything that is new since the saved state. The state advances and is
    /// saved with every verified page; after an alarm it stays before the page that raised it.
    pub async fn check(
        &self,
        state: &mut MonitorState,
        state_store: &mut dyn StateStore,
        report: &mut (dyn FnMut(MonitorStep) + Send),
    ) -> Result<(), MonitorError> {
        let result = self.check_once(state, state_store, report).await;
        if let Err(MonitorError::Alarm(alarm)) = &result {
            state.add_alarm(alarm);
            state_store.save(state)?;
        }
        result
    }

    async fn check_once(
        &self,
        state: &mut MonitorState,
        state_store: &mut dyn StateStore,
        report: &mut (dyn FnMut(MonitorStep) + Send),
    ) -> Result<(), MonitorError> {
        // Read before the head, so that the head cannot be older than the checkpoint.
        let checkpoint = self.source.fetch("/log/checkpoint", MAX_NOTE_BYTES).await?;
        let newest = self.fetch_newest_head().await?;
        // Read after the head, so that the key that signed it is known.
        let is_first_check = state.keys.is_none();
        let policy =
            accepted_keys::fetch_accepted_keys(self.source, state, &self.brand, report).await?;
        let audit = state
            .audit
            .clone()
            .map(|saved| LogAudit::resume(policy.clone(), self.brand.clone(), saved));
        let mut audit = match audit {
            None => LogAudit::new(policy, self.brand.clone()),
            Some(resumed) => resumed.map_err(|e| MonitorStateError(e.to_string()))?,
        };
        let mut checkpoint = CheckpointCheck::parse(checkpoint, state, &self.brand)?;
        if is_first_check {
            let pinned = state.head_key_ids(&self.brand);
            report(MonitorStep::Pinned { log_heads_keys: pinned, origin: state.origin.clone() });
            state_store.save(state)?;
        }
        let size_before = audit.right_edge().size();
        self.check_known_history(&audit, newest.as_ref(), &checkpoint).await?;
        checkpoint.compare_if_reached(&audit)?;
        if let Some((newest, _)) = &newest {
            let mut bundle = None;
            while next_batch(&audit) <= newest.batch {
                let from = next_batch(&audit);
                self.check_page(&mut audit, newest, &mut checkpoint, &mut bundle).await?;
                state.audit = Some(audit.state());
                state_store.save(state)?;
                let to = next_batch(&audit) - 1;
                let tree_size = audit.right_edge().size();
                report(MonitorStep::Page { from_batch: from, to_batch: to, tree_size });
            }
        }
        checkpoint.require_compared(&audit, size_before)?;
        if let (Some((newest, shown)), Some(last)) = (&newest, audit.last_head())
            && newest.batch == last.batch
            && newest.sha256 != last.sha256
        {
            let detail = "the newest head differs from the head listed for its batch";
            return Err(alarm_error(
                AlarmKind::Fork,
                Some(last.batch),
                detail,
                Some(shown.clone()),
            ));
        }
        let head_at = audit.last_head().map(|head| head.created_at);
        let now = self.clock.now();
        report(MonitorStep::Current {
            batch: audit.last_head().map(|head| head.batch),
            tree_size: audit.right_edge().size(),
            tree_root: audit.right_edge().root(),
            head_at,
            age_seconds: head_at.map(|at| (now.as_millis() - at.as_millis()) / 1000),
        });
        Ok(())
    }

    /// Fetches the newest head that the log states.
    async fn fetch_newest_head(&self) -> Result<Option<(ChainHead, Value)>, MonitorError> {
        let answer = self.fetch_json("/api/v1/log", 4 * MAX_HEAD_BYTES).await?;
        let Some(answer) = answer else {
            return Err(LogUnreachable("there is no log at this URL".to_owned()).into());
        };
        match answer.get("head") {
            None => Err(malformed("/api/v1/log has no head")),
            Some(Value::Null) => Ok(None),
            Some(head) => {
                let read = ChainHead::parse(head)
                    .map_err(|e| malformed(&format!("the newest head cannot be read: {e}")))?;
                Ok(Some((read, head.clone())))
            }
        }
    }

    /// Checks that what was read before is unchanged and that the newest head does not contradict it.
    async fn check_known_history(
        &self,
        audit: &LogAudit,
        newest: Option<&(ChainHead, Value)>,
        checkpoint: &CheckpointCheck,
    ) -> Result<(), MonitorError> {
        let size = audit.right_edge().size();
        if let Some(stated) = checkpoint.size().filter(|stated| *stated < size) {
            let detail =
                format!("the checkpoint states {stated} leaves, but the log had {size} before");
            return Err(alarm_error(AlarmKind::Shrunk, None, &detail, checkpoint.evidence()));
        }
        let Some(known) = audit.last_head() else { return Ok(()) };
        let batch = Some(known.batch);
        let Some((head, shown)) = newest else {
            let detail = format!("the log is empty, but had {size} leaves before");
            return Err(alarm_error(AlarmKind::Shrunk, batch, &detail, None));
        };
        let bytes = canonical::value_to_vec(shown).unwrap_or_default();
        match audit.compare_head(&bytes) {
            Ok(HeadComparison::Forked(why)) => {
                return Err(alarm_error(
                    AlarmKind::Fork,
                    Some(head.batch),
                    &why,
                    Some(shown.clone()),
                ));
            }
            Ok(_) if head.batch < known.batch => {
                let detail = format!(
                    "the newest head is of batch {}, but batch {} was read before",
                    head.batch, known.batch
                );
                return Err(alarm_error(
                    AlarmKind::Shrunk,
                    Some(head.batch),
                    &detail,
                    Some(shown.clone()),
                ));
            }
            Ok(_) => {}
            Err(fault) => {
                let detail = fault.to_string();
                return Err(alarm_error(
                    AlarmKind::Broken,
                    Some(head.batch),
                    &detail,
                    Some(shown.clone()),
                ));
            }
        }
        // Fetches again the head that was read last.
        let heads = self.fetch_heads(known.batch, 1).await?;
        let again = heads.first().map(ChainHead::parse);
        match again {
            Some(Ok(again)) if again.sha256 == known.sha256 => Ok(()),
            _ => {
                let detail =
                    format!("its head has changed: it was {} when it was read", known.sha256);
                Err(alarm_error(AlarmKind::Rewritten, batch, &detail, heads.into_iter().next()))
            }
        }
    }

    /// Fetches exactly `count` heads from batch `from` on, oldest first.
    async fn fetch_heads(&self, from: u64, count: u64) -> Result<Vec<Value>, MonitorError> {
        let to = from + count - 1;
        let path = format!("/api/v1/log/sths?to={to}&n={count}");
        let withheld = |detail: &str| alarm_error(AlarmKind::Withheld, Some(to), detail, None);
        let mut answer = self
            .fetch_json(&path, MAX_PAGE_BYTES)
            .await?
            .ok_or_else(|| withheld("the log does not serve it"))?;
        let heads = answer.get_mut("sths").and_then(Value::as_array_mut).map(std::mem::take);
        let mut heads = heads.ok_or_else(|| malformed(&format!("{path} has no list of heads")))?;
        heads.reverse();
        if heads.len() as u64 != count {
            let detail =
                format!("the log serves only {} of the {count} heads up to it", heads.len());
            return Err(withheld(&detail));
        }
        for (head, number) in heads.iter().zip(from..) {
            if head.get("batch").and_then(Value::as_u64) != Some(number) {
                let detail = "the log serves the head of another batch instead";
                return Err(alarm_error(
                    AlarmKind::Withheld,
                    Some(number),
                    detail,
                    Some(head.clone()),
                ));
            }
        }
        Ok(heads)
    }

    /// Reads and verifies the next page of batches, each with its leaves and entries.
    async fn check_page(
        &self,
        audit: &mut LogAudit,
        newest: &ChainHead,
        checkpoint: &mut CheckpointCheck,
        bundle: &mut Option<EntryBundle>,
    ) -> Result<(), MonitorError> {
        let from = next_batch(audit);
        let count = HEADS_PER_PAGE.min(newest.batch - from + 1);
        for head in self.fetch_heads(from, count).await? {
            let read = ChainHead::parse(&head);
            let batch = head.get("batch").and_then(Value::as_u64);
            let broken =
                |detail: &str| alarm_error(AlarmKind::Broken, batch, detail, Some(head.clone()));
            let read = read.map_err(|e| broken(&e.to_string()))?;
            let leaves = self.fetch_leaves(&read, &head).await?;
            // Verified before its entries are fetched, so that a made-up head causes no requests.
            let bytes = canonical::value_to_vec(&head).unwrap_or_default();
            let mut ahead = audit.clone();
            ahead
                .check_batch::<Bytes>(&bytes, &leaves, None)
                .map_err(|f| broken(&f.to_string()))?;
            let entries = self.fetch_entries(&read, newest.tree_size, bundle).await?;
            let log_id = self.brand.log_id();
            for (index, (entry, leaf)) in entries.iter().zip(&leaves).enumerate() {
                check_entry(entry, leaf, &log_id).map_err(|why| {
                    alarm_error(AlarmKind::Entry, batch, &format!("entry {index} {why}"), None)
                })?;
            }
            audit
                .check_batch(&bytes, &leaves, Some(&entries))
                .map_err(|f| broken(&f.to_string()))?;
            checkpoint.compare_if_reached(audit)?;
        }
        Ok(())
    }

    async fn fetch_leaves(
        &self,
        head: &ChainHead,
        listed: &Value,
    ) -> Result<Vec<Digest>, MonitorError> {
        let batch = Some(head.batch);
        if head.batch_size > MAX_BATCH_LEAVES {
            let detail = format!(
                "it states {} leaves; a batch has at most {MAX_BATCH_LEAVES}",
                head.batch_size
            );
            return Err(alarm_error(AlarmKind::Form, batch, &detail, Some(listed.clone())));
        }
        let path = format!("/api/v1/log/sth/{}", head.batch);
        let answer = self.fetch_json(&path, MAX_BATCH_BYTES).await?;
        let withheld = |detail: &str| alarm_error(AlarmKind::Withheld, batch, detail, None);
        let answer = answer.ok_or_else(|| withheld("the log does not serve its leaves"))?;
        if answer.get("sth") != Some(listed) {
            let detail = "its head differs from the one in the list of heads";
            let both = serde_json::json!([listed, answer.get("sth")]);
            return Err(alarm_error(AlarmKind::Fork, batch, detail, Some(both)));
        }
        let leaves = answer.get("leaves").and_then(Value::as_array);
        let leaves = leaves.ok_or_else(|| withheld("the log does not serve its leaves"))?;
        let digest = |leaf: &Value| leaf.as_str()?.parse().ok();
        let leaves: Option<Vec<Digest>> = leaves.iter().map(digest).collect();
        leaves.ok_or_else(|| malformed(&format!("{path} has a leaf that is not a digest")))
    }

    /// Fetches the entries of a batch from the bundles that contain them.
    async fn fetch_entries(
        &self,
        head: &ChainHead,
        log_size: u64,
        bundle: &mut Option<EntryBundle>,
    ) -> Result<Vec<Bytes>, MonitorError> {
        let mut entries = Vec::new();
        for log_index in head.first_index..head.tree_size {
            let tile = log_index / TILE_WIDTH;
            if bundle.as_ref().is_none_or(|bundle| !bundle.contains(log_index)) {
                *bundle = Some(self.fetch_bundle(tile, log_size, head.batch).await?);
            }
            let entry = bundle.as_ref().and_then(|bundle| bundle.entry(log_index));
            let entry = entry.ok_or_else(|| {
                let detail = format!("the log does not serve entry {log_index}");
                alarm_error(AlarmKind::Withheld, Some(head.batch), &detail, None)
            })?;
            entries.push(entry);
        }
        Ok(entries)
    }

    async fn fetch_bundle(
        &self,
        index: u64,
        size: u64,
        batch: u64,
    ) -> Result<EntryBundle, MonitorError> {
        let width = size.saturating_sub(index * TILE_WIDTH).min(TILE_WIDTH) as u16;
        let file = TileFile { kind: TileKind::Entries, index, width };
        // A log that has grown since may have only the complete bundle.
        for file in [file, file.full()] {
            let path = format!("/log/{file}");
            let Some(bytes) = self.source.fetch(&path, MAX_BUNDLE_BYTES).await? else { continue };
            let Some(entries) = decode_entry_bundle(&bytes, file.width) else {
                let detail = format!("{path} is not a bundle of {} entries", file.width);
                return Err(alarm_error(AlarmKind::Entry, Some(batch), &detail, None));
            };
            let entries = entries.into_iter().map(Bytes::copy_from_slice).collect();
            return Ok(EntryBundle { index, entries });
        }
        let detail = format!("the log does not serve /log/{file}: its entries cannot be read");
        Err(alarm_error(AlarmKind::Withheld, Some(batch), &detail, None))
    }

    async fn fetch_json(
        &self,
        path: &str,
        max_bytes: usize,
    ) -> Result<Option<Value>, MonitorError> {
        let Some(bytes) = self.source.fetch(path, max_bytes).await? else { return Ok(None) };
        let value = canonical::parse_strict(&bytes);
        value.map(Some).map_err(|e| malformed(&format!("{path} is not valid JSON: {e}")))
    }
}

/// Entries that were fetched together.
struct EntryBundle {
    index: u64,
    entries: Vec<Bytes>,
}

impl EntryBundle {
    fn contains(&self, log_index: u64) -> bool {
        self.entry(log_index).is_some()
    }

    fn entry(&self, log_index: u64) -> Option<Bytes> {
        let inside = log_index.checked_sub(self.index * TILE_WIDTH)?;
        self.entries.get(usize::try_from(inside).ok()?).cloned()
    }
}

/// The number of the batch that is to be verified next.
fn next_batch(audit: &LogAudit) -> u64 {
    audit.last_head().map_or(0, |head| head.batch.saturating_add(1))
}
