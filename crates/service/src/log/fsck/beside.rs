//! What rests on the log: answers, cosignatures, the mark.

use proof::tlog::{Checkpoint, NoteSignature, cosigned_at};
use proof::{Digest, canonical, verify_document};
use serde_json::Value;
use store::{Cosignature, KeptAnswer, StoreError};

use super::{End, FoundMark, Look, Part};

/// Answers and sizes that are listed at once.
const PAGE: usize = 256;

impl Look<'_> {
    pub(super) async fn answers(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            self.tell("answers", self.report.answers, None);
            let page = match self.ask.store.list_answers(after, PAGE).await {
                Ok(page) => page,
                Err(error) => {
                    self.fault(Part::Answers, None, error.to_string());
                    return Ok(());
                }
            };
            let Some(last) = page.last() else { return Ok(()) };
            if after.is_some_and(|after| *last <= after) {
                // A moment beyond all moments comes back as the last there is: it is at the end.
                let detail = format!("answer {} is kept under no moment there is", last.sha256);
                self.fault(Part::Answers, None, detail);
                return Ok(());
            }
            after = Some(*last);
            for cursor in page {
                self.report.answers += 1;
                match self.ask.store.answer(cursor.sha256).await {
                    Ok(Some(answer)) => self.answer(&answer),
                    Ok(None) => {
                        let detail = format!("answer {} is listed and not found", cursor.sha256);
                        self.fault(Part::Answers, None, detail);
                    }
                    Err(error) => self.fault(Part::Answers, None, error.to_string()),
                }
            }
        }
    }

    fn answer(&mut self, kept: &KeptAnswer) {
        let what = format!("answer {}", kept.sha256);
        let document = canonical::parse_strict(&kept.bytes).unwrap_or_default();
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let place = document.get("transparency");
        let number = |name: &str| place.and_then(|place| place.get(name)).and_then(Value::as_u64);
        let batch = number("batch");
        let verdict = verify_document(&kept.bytes, self.ask.policy, self.ask.brand);
        let mut wrong = self.failed_checks(&verdict, &what);
        if text("kind") != Some(&self.ask.brand.kind("resolve")) {
            wrong.push("it is no resolve answer".to_owned());
        }
        if text("sha256").and_then(|hex| hex.parse().ok()) != Some(kept.sha256) {
            wrong.push("it is kept under another digest than its own".to_owned());
        }
        if text("domain") != Some(kept.domain.as_str()) {
            wrong.push(format!("it is kept under {}, which is not its domain", kept.domain));
        }
        // Where it states no moment, it is kept under that of its sealing.
        if text("answered_at").is_some_and(|at| at.parse() != Ok(kept.answered_at)) {
            wrong.push("it is kept under another moment than its own".to_owned());
        }
        let state = place.and_then(|place| place.get("state")).and_then(Value::as_str);
        if state != Some("included") {
            wrong.push("it does not state its place in the log".to_owned());
        }
        if number("log_index") != Some(kept.log_index) {
            wrong.push("it is kept under another place of the log than its own".to_owned());
        }
        let head: Option<Digest> = place
            .and_then(|place| place.pointer("/sth/sha256"))
            .and_then(Value::as_str)
            .and_then(|hex| hex.parse().ok());
        let ours = batch.and_then(|batch| self.end_of_batch(batch));
        // Its head verified by itself; that it is this log's is told by its digest alone.
        match (ours.map(|end| end.sth_sha256), head) {
            (Some(ours), Some(head)) if ours == head => {}
            (None, _) => wrong.push("it rests on a batch that the log does not have".to_owned()),
            _ => wrong.push("it rests on another head than the log's of that batch".to_owned()),
        }
        for why in wrong {
            self.fault(Part::Answers, batch, format!("{what}: {why}"));
        }
    }

    fn end_of_batch(&self, batch: u64) -> Option<End> {
        let at = self.ends.binary_search_by_key(&batch, |end| end.batch).ok()?;
        self.ends.get(at).copied()
    }

    fn end_of_size(&self, size: u64) -> Option<End> {
        // Sizes grow with the batches, unless heads are wrong: then they were told.
        let at = self.ends.binary_search_by_key(&size, |end| end.tree_size).ok()?;
        self.ends.get(at).copied()
    }

    pub(super) async fn cosignatures(&mut self) {
        let mut from = 0;
        loop {
            self.tell("cosignatures", self.report.cosignatures, None);
            let sizes = match self.ask.store.cosigned_sizes(from, PAGE).await {
                Ok(sizes) => sizes,
                Err(error) => return self.fault(Part::Cosignatures, None, error.to_string()),
            };
            let Some(last) = sizes.last() else { return };
            from = last.saturating_add(1);
            for size in sizes {
                match self.ask.store.cosignatures(size).await {
                    Ok(said) => said.iter().for_each(|said| self.cosignature(said)),
                    Err(error) => self.fault(Part::Cosignatures, None, error.to_string()),
                }
            }
        }
    }

    fn cosignature(&mut self, said: &Cosignature) {
        self.report.cosignatures += 1;
        let end = self.end_of_size(said.tree_size);
        let batch = end.map(|end| end.batch);
        match self.cosignature_fault(said, end) {
            Ok(true) => {}
            Ok(false) => self.report.cosignatures_not_checked += 1,
            Err(why) => {
                let detail = format!("{} at {} leaves: {why}", said.witness, said.tree_size);
                self.fault(Part::Cosignatures, batch, detail);
            }
        }
    }

    /// Whether its witness's key was there to check it by.
    fn cosignature_fault(&self, said: &Cosignature, end: Option<End>) -> Result<bool, String> {
        let line = NoteSignature::parse(said.line.strip_suffix('\n').unwrap_or(&said.line))
            .map_err(|error| error.to_string())?;
        if line.name() != said.witness {
            return Err(format!("the line is of {}", line.name()));
        }
        let end = end.ok_or("no batch of the log ends there")?;
        let root = end.tree_root.ok_or("the head there states no root over the whole log")?;
        let by_name = self.ask.witnesses.iter().filter(|key| key.name() == said.witness);
        let mut keys = by_name.peekable();
        if keys.peek().is_none() {
            return Ok(false);
        }
        let key = keys.find(|key| key.id() == line.id());
        let key = key.ok_or("the line is of another key than the configured one")?;
        let checkpoint = Checkpoint::new(self.ask.origin, said.tree_size, root)
            .map_err(|error| error.to_string())?;
        let time = cosigned_at(&checkpoint.text(), key.public(), line.bytes())
            .ok_or("its signature is not good for the checkpoint of that size")?;
        let at = i64::try_from(time).ok().and_then(|time| time.checked_mul(1000));
        if at == Some(said.at.as_millis()) {
            Ok(true)
        } else {
            Err("it is kept under another time than was signed".to_owned())
        }
    }

    pub(super) fn mark(&mut self) {
        let marked = match self.ask.mark {
            FoundMark::Read(marked) => marked,
            FoundMark::Unreadable(why) => return self.fault(Part::Mark, None, why.clone()),
            FoundMark::Missing if self.report.batches == 0 => return,
            FoundMark::Missing => {
                let detail = "there is none in the key directory, so nobody can tell whether the \
                              log was put back from an old copy";
                return self.fault(Part::Mark, None, detail);
            }
        };
        if marked.log_id != self.report.log_id {
            let detail = format!("it is of another log, {}", marked.log_id);
            return self.fault(Part::Mark, None, detail);
        }
        let Some((batch, sth_sha256)) = marked.head else {
            if self.report.batches > 0 {
                self.report.notes.push("the mark is behind the log: it is of its begin".to_owned());
            }
            return;
        };
        match self.end_of_batch(batch) {
            Some(end) if end.sth_sha256 != sth_sha256 => {
                let detail = "it names another head of this batch: the log was replaced";
                self.fault(Part::Mark, Some(batch), detail);
            }
            Some(end) if end.tree_size != marked.tree_size => {
                let detail = format!("it states {} leaves at this batch", marked.tree_size);
                self.fault(Part::Mark, Some(batch), detail);
            }
            Some(_) => {
                let newest = self.ends.last().map_or(batch, |end| end.batch);
                if newest > batch {
                    self.report.notes.push(format!(
                        "the mark is at batch {batch}, the log at {newest}: what is behind the mark \
                         was kept and never acknowledged; the next start moves the mark"
                    ));
                }
            }
            None => {
                let detail = "it names this batch as acknowledged, and the log does not have it: \
                              the log was put back from an old copy, or cut";
                self.fault(Part::Mark, Some(batch), detail);
            }
        }
    }

    pub(super) async fn sightings(&mut self) {
        if let Ok(seen) = self.ask.store.sightings().await
            && !seen.is_empty()
        {
            self.report.notes.push(format!(
                "{} heads were shown to us that our key signed and that are not of this chain",
                seen.len()
            ));
        }
    }
}
