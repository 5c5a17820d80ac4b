//! Checks what depends on the log: answers, cosignatures, the mark.

use proof::tlog::{Checkpoint, NoteSignature, verified_cosignature_time};
use proof::{Digest, canonical, verify_document};
use serde_json::Value;
use store::{Cosignature, StoreError, StoredAnswer};

use super::{BatchEnd, FsckRun, LogPart};
use crate::log::mark::FoundMark;

/// Answers and tree sizes per page.
const PAGE_SIZE: usize = 256;

impl FsckRun<'_> {
    pub(super) async fn check_answers(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            self.report_progress("answers", self.report.answers, None);
            let page = match self.request.store.list_answers(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => {
                    self.add_fault(LogPart::Answers, None, error.to_string());
                    return Ok(());
                }
            };
            let Some(last) = page.last() else { return Ok(()) };
            if after.is_some_and(|after| *last <= after) {
                // A position out of range is read as the last possible one, so the listing does not
                // advance past it.
                let detail =
                    format!("answer {} is stored under an impossible position", last.sha256);
                self.add_fault(LogPart::Answers, None, detail);
                return Ok(());
            }
            after = Some(*last);
            for cursor in page {
                self.report.answers += 1;
                match self.request.store.answer(cursor.sha256).await {
                    Ok(Some(answer)) => self.check_answer(&answer),
                    Ok(None) => {
                        let detail = format!("answer {} is listed but not found", cursor.sha256);
                        self.add_fault(LogPart::Answers, None, detail);
                    }
                    Err(error) => self.add_fault(LogPart::Answers, None, error.to_string()),
                }
            }
        }
    }

    fn check_answer(&mut self, stored: &StoredAnswer) {
        let what = format!("answer {}", stored.sha256);
        let document = canonical::parse_strict(&stored.bytes).unwrap_or_default();
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let transparency = document.get("transparency");
        let member = |name: &str| transparency.and_then(|members| members.get(name));
        let number = |name: &str| member(name).and_then(Value::as_u64);
        let batch = number("batch");
        let verdict = verify_document(&stored.bytes, self.request.policy, self.request.brand);
        let mut wrong = self.failed_checks(&verdict, &what);
        if text("kind") != Some(&self.request.brand.kind("resolve")) {
            wrong.push("it is not a resolve answer".to_owned());
        }
        if text("sha256").and_then(|hex| hex.parse().ok()) != Some(stored.sha256) {
            wrong.push("it is stored under a digest that is not its own".to_owned());
        }
        if text("domain") != Some(stored.domain.as_str()) {
            wrong.push(format!("it is stored under {}, which is not its domain", stored.domain));
        }
        // An answer without a time is stored under the time of its sealing.
        if text("answered_at").is_some_and(|at| at.parse() != Ok(stored.answered_at)) {
            wrong.push("it is stored under a time that is not its own".to_owned());
        }
        if member("state").and_then(Value::as_str) != Some("included") {
            wrong.push("it does not state its position in the log".to_owned());
        }
        if number("log_index") != Some(stored.log_index) {
            wrong.push("it is stored under a log index that is not its own".to_owned());
        }
        let head: Option<Digest> = transparency
            .and_then(|members| members.pointer("/sth/sha256"))
            .and_then(Value::as_str)
            .and_then(|hex| hex.parse().ok());
        let ours = batch.and_then(|batch| self.find_end_by_batch(batch));
        // Its head was verified with the answer; the digest shows whether it is a head of this log.
        match (ours.map(|end| end.sth_sha256), head) {
            (Some(ours), Some(head)) if ours == head => {}
            (None, _) => wrong.push("it names a batch that the log does not have".to_owned()),
            _ => wrong.push("it contains a head of its batch that is not the log's".to_owned()),
        }
        for why in wrong {
            self.add_fault(LogPart::Answers, batch, format!("{what}: {why}"));
        }
    }

    fn find_end_by_batch(&self, batch: u64) -> Option<BatchEnd> {
        let at = self.ends.binary_search_by_key(&batch, |end| end.batch).ok()?;
        self.ends.get(at).copied()
    }

    fn find_end_by_size(&self, size: u64) -> Option<BatchEnd> {
        // Sizes grow with the batches. If a head is wrong and they do not, that is reported already.
        let at = self.ends.binary_search_by_key(&size, |end| end.tree_size).ok()?;
        self.ends.get(at).copied()
    }

    pub(super) async fn check_cosignatures(&mut self) {
        let mut from = 0;
        loop {
            self.report_progress("cosignatures", self.report.cosignatures, None);
            let sizes = match self.request.store.cosigned_sizes(from, PAGE_SIZE).await {
                Ok(sizes) => sizes,
                Err(error) => {
                    return self.add_fault(LogPart::Cosignatures, None, error.to_string());
                }
            };
            let Some(last) = sizes.last() else { return };
            from = last.saturating_add(1);
            for size in sizes {
                match self.request.store.cosignatures(size).await {
                    Ok(stored) => stored.iter().for_each(|one| self.check_cosignature(one)),
                    Err(error) => self.add_fault(LogPart::Cosignatures, None, error.to_string()),
                }
            }
        }
    }

    fn check_cosignature(&mut self, cosignature: &Cosignature) {
        self.report.cosignatures += 1;
        let end = self.find_end_by_size(cosignature.tree_size);
        let batch = end.map(|end| end.batch);
        match self.verify_cosignature(cosignature, end) {
            Ok(true) => {}
            Ok(false) => self.report.cosignatures_not_checked += 1,
            Err(why) => {
                let Cosignature { witness, tree_size, .. } = cosignature;
                let detail = format!("{witness} at {tree_size} leaves: {why}");
                self.add_fault(LogPart::Cosignatures, batch, detail);
            }
        }
    }

    /// Whether the witness's key is configured, so that the cosignature could be checked.
    fn verify_cosignature(
        &self,
        cosignature: &Cosignature,
        end: Option<BatchEnd>,
    ) -> Result<bool, String> {
        let Cosignature { tree_size, witness, line, at } = cosignature;
        let line = NoteSignature::parse(line.strip_suffix('\n').unwrap_or(line))
            .map_err(|error| error.to_string())?;
        if line.name() != witness {
            return Err(format!("the signature line is by {}", line.name()));
        }
        let end = end.ok_or("no batch of the log ends at that size")?;
        let root =
            end.tree_root.ok_or("the head at that size states no root over the whole log")?;
        let by_name = self.request.witnesses.iter().filter(|key| key.name() == witness);
        let mut keys = by_name.peekable();
        if keys.peek().is_none() {
            return Ok(false);
        }
        let key = keys.find(|key| key.id() == line.id());
        let key = key.ok_or("the signature line is by another key than the configured one")?;
        let checkpoint = Checkpoint::new(self.request.origin, *tree_size, root)
            .map_err(|error| error.to_string())?;
        let time = verified_cosignature_time(&checkpoint.text(), key.public(), line.bytes())
            .ok_or("its signature is not valid for the checkpoint of that size")?;
        let signed_at = i64::try_from(time).ok().and_then(|time| time.checked_mul(1000));
        if signed_at == Some(at.as_millis()) {
            Ok(true)
        } else {
            Err("it is stored under another time than was signed".to_owned())
        }
    }

    pub(super) fn check_mark(&mut self) {
        let marked = match self.request.mark {
            FoundMark::Read(marked) => marked,
            FoundMark::Unreadable(why) => return self.add_fault(LogPart::Mark, None, why.clone()),
            FoundMark::Missing if self.report.batches == 0 => return,
            FoundMark::Missing => {
                let detail = "the key directory has no mark, so a log restored from an old copy \
                              would go unnoticed";
                return self.add_fault(LogPart::Mark, None, detail);
            }
        };
        if marked.log_id != self.report.log_id {
            let detail = format!("the mark belongs to another log, {}", marked.log_id);
            return self.add_fault(LogPart::Mark, None, detail);
        }
        let Some((batch, sth_sha256)) = marked.head else {
            if self.report.batches > 0 {
                self.report.notes.push(
                    "the mark is behind the log: it was written when the log was empty".to_owned(),
                );
            }
            return;
        };
        match self.find_end_by_batch(batch) {
            Some(end) if end.sth_sha256 != sth_sha256 => {
                let detail = "the mark names another head of this batch: the log was replaced";
                self.add_fault(LogPart::Mark, Some(batch), detail);
            }
            Some(end) if end.tree_size != marked.tree_size => {
                let detail = format!("the mark states {} leaves at this batch", marked.tree_size);
                self.add_fault(LogPart::Mark, Some(batch), detail);
            }
            Some(_) => {
                let newest = self.ends.last().map_or(batch, |end| end.batch);
                if newest > batch {
                    self.report.notes.push(format!(
                        "the mark is at batch {batch}, the log at {newest}: the batches after the mark \
                         were stored but never acknowledged; the next start moves the mark"
                    ));
                }
            }
            None => {
                let detail = "the mark says that this batch was acknowledged, but the log does not \
                              have it: the log was restored from an old copy, or truncated";
                self.add_fault(LogPart::Mark, Some(batch), detail);
            }
        }
    }

    pub(super) async fn note_contradicting_heads(&mut self) {
        if let Ok(heads) = self.request.store.contradicting_heads().await
            && !heads.is_empty()
        {
            self.report.notes.push(format!(
                "we received {} heads that our key signed and that are not in this log",
                heads.len()
            ));
        }
    }
}
