//! Checks what depends on the log: answers, cosignatures, the mark.

use std::collections::BTreeSet;

use contract::Domain;
use proof::tlog::{Checkpoint, NoteSignature, verified_cosignature_time};
use proof::{Digest, canonical};
use serde_json::Value;
use store::{Cosignature, HexPrefix, Store, StoreError, StoredAnswer};

use super::parallel::{map_on_all_cores, read_all};
use super::{BatchEnd, FsckRequest, FsckRun, StorePart};
use crate::log::mark::FoundMark;

/// Answers and tree sizes per page.
const PAGE_SIZE: usize = 256;
const COUNTED_AT_ONCE: usize = 10_000;

/// What is wrong with an answer.
struct CheckedAnswer {
    batch: Option<u64>,
    faults: Vec<String>,
    wrong_time: Option<String>,
}

impl CheckedAnswer {
    fn unread(why: String) -> Self {
        Self { batch: None, faults: vec![why], wrong_time: None }
    }
}

impl FsckRun<'_> {
    pub(super) async fn check_answers(&mut self) -> Result<(), StoreError> {
        let total = self.count_answers().await;
        let mut domains = BTreeSet::new();
        let mut after = None;
        loop {
            self.report_progress("answers", self.report.answers, total);
            let page = match self.request.store.list_answers(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => {
                    self.add_fault(StorePart::Answers, None, error.to_string());
                    return Ok(());
                }
            };
            let Some(last) = page.last() else { break };
            if after.is_some_and(|after| *last <= after) {
                // A position out of range is read as the last possible one, so the listing does not
                // advance past it.
                let detail =
                    format!("answer {} is stored under an impossible position", last.sha256);
                self.add_fault(StorePart::Answers, None, detail);
                return Ok(());
            }
            after = Some(*last);
            let store = self.request.store;
            let read = read_all(page, |cursor| async move {
                (cursor.sha256, store.answer(cursor.sha256).await)
            });
            let read = read.await;
            let (request, ends) = (self.request, &self.ends);
            let checked = map_on_all_cores(&read, |(sha256, answer)| match answer {
                Ok(Some(answer)) => check_answer(&request, ends, answer),
                Ok(None) => {
                    CheckedAnswer::unread(format!("answer {sha256} is listed but not found"))
                }
                Err(error) => CheckedAnswer::unread(error.to_string()),
            });
            for checked in checked {
                self.report.answers += 1;
                self.count_wrong_time(checked.wrong_time);
                for detail in checked.faults {
                    self.add_fault(StorePart::Answers, checked.batch, detail);
                }
            }
            domains.extend(read.into_iter().filter_map(|(_, answer)| Some(answer.ok()??.domain)));
        }
        self.check_newest_answers(domains).await;
        Ok(())
    }

    /// Checks that each domain's newest answer is found by the prefix of its digest too.
    async fn check_newest_answers(&mut self, domains: BTreeSet<Domain>) {
        let store = self.request.store;
        match store.count_answered_domains().await {
            Ok(count) if count == domains.len() as u64 => {}
            Ok(count) => {
                let detail = format!(
                    "{count} domains are listed with their newest answer, but there are answers of {}",
                    domains.len()
                );
                self.add_fault(StorePart::Answers, None, detail);
            }
            Err(error) => self.add_fault(StorePart::Answers, None, error.to_string()),
        }
        let total = domains.len() as u64;
        let domains: Vec<Domain> = domains.into_iter().collect();
        for (done, page) in (0..).zip(domains.chunks(PAGE_SIZE)) {
            self.report_progress("newest answers", done * PAGE_SIZE as u64, Some(total));
            let found = read_all(page, |domain| find_newest(store, domain)).await;
            for fault in found.into_iter().filter_map(Result::err) {
                self.add_fault(StorePart::Answers, None, fault);
            }
        }
    }

    /// How many answers there are, for the progress.
    async fn count_answers(&self) -> Option<u64> {
        let (mut after, mut count) = (None, 0);
        loop {
            let page = self.request.store.list_answers(after, COUNTED_AT_ONCE).await.ok()?;
            let Some(last) = page.last().copied() else { return Some(count) };
            // Reported when the answers are checked.
            if after.is_some_and(|after| last <= after) {
                return None;
            }
            after = Some(last);
            count += page.len() as u64;
        }
    }

    fn find_end_by_batch(&self, batch: u64) -> Option<BatchEnd> {
        find_end(&self.ends, batch)
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
                    return self.add_fault(StorePart::Cosignatures, None, error.to_string());
                }
            };
            let Some(last) = sizes.last() else { return };
            from = last.saturating_add(1);
            for size in sizes {
                match self.request.store.cosignatures(size).await {
                    Ok(stored) => stored.iter().for_each(|one| self.check_cosignature(one)),
                    Err(error) => self.add_fault(StorePart::Cosignatures, None, error.to_string()),
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
                self.add_fault(StorePart::Cosignatures, batch, detail);
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
            FoundMark::Unreadable(why) => {
                return self.add_fault(StorePart::Mark, None, why.clone());
            }
            FoundMark::Missing if self.report.batches == 0 => return,
            FoundMark::Missing => {
                let detail = "the key directory has no mark, so a log restored from an old copy \
                              would go unnoticed";
                return self.add_fault(StorePart::Mark, None, detail);
            }
        };
        if marked.log_id != self.report.log_id {
            let detail = format!("the mark belongs to another log, {}", marked.log_id);
            return self.add_fault(StorePart::Mark, None, detail);
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
                self.add_fault(StorePart::Mark, Some(batch), detail);
            }
            Some(end) if end.tree_size != marked.tree_size => {
                let detail = format!("the mark states {} leaves at this batch", marked.tree_size);
                self.add_fault(StorePart::Mark, Some(batch), detail);
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
                self.add_fault(StorePart::Mark, Some(batch), detail);
            }
        }
    }

    /// Heads that are not of our chain are kept as evidence, so they must still be signed by our key.
    pub(super) async fn check_contradicting_heads(&mut self) {
        let heads = match self.request.store.contradicting_heads().await {
            Ok(heads) => heads,
            Err(error) => return self.add_fault(StorePart::Head, None, error.to_string()),
        };
        for head in &heads {
            let what = format!("the contradicting head {}", head.sth_sha256);
            let document = canonical::parse_strict(&head.sth).unwrap_or_default();
            let mut wrong = self.request.verify(&head.sth, &what).failed;
            let stated = document.get("sha256").and_then(Value::as_str);
            if stated.and_then(|hex| hex.parse().ok()) != Some(head.sth_sha256) {
                wrong.push("it is stored under a digest that is not its own".to_owned());
            }
            if document.get("batch").and_then(Value::as_u64).is_some_and(|n| n != head.batch) {
                wrong.push("it is stored under a batch that is not its own".to_owned());
            }
            for why in wrong {
                self.add_fault(StorePart::Head, None, format!("{what}: {why}"));
            }
        }
        if !heads.is_empty() {
            self.report.notes.push(format!(
                "we received {} heads that our key signed and that are not in this log",
                heads.len()
            ));
        }
    }
}

/// The batch with this number. They are in order.
fn find_end(ends: &[BatchEnd], batch: u64) -> Option<BatchEnd> {
    let at = ends.binary_search_by_key(&batch, |end| end.batch).ok()?;
    ends.get(at).copied()
}

fn check_answer(
    request: &FsckRequest<'_>,
    ends: &[BatchEnd],
    stored: &StoredAnswer,
) -> CheckedAnswer {
    let what = format!("answer {}", stored.sha256);
    let document = canonical::parse_strict(&stored.bytes).unwrap_or_default();
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    let transparency = document.get("transparency");
    let member = |name: &str| transparency.and_then(|members| members.get(name));
    let number = |name: &str| member(name).and_then(Value::as_u64);
    let batch = number("batch");
    let verified = request.verify(&stored.bytes, &what);
    let mut wrong = verified.failed;
    if text("kind") != Some(&request.brand.kind("resolve")) {
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
    let ours = batch.and_then(|batch| find_end(ends, batch));
    // Its head was verified with the answer; the digest shows whether it is a head of this log.
    match (ours.map(|end| end.sth_sha256), head) {
        (Some(ours), Some(head)) if ours == head => {}
        (None, _) => wrong.push("it names a batch that the log does not have".to_owned()),
        _ => wrong.push("it contains a head of its batch that is not the log's".to_owned()),
    }
    let faults = wrong.into_iter().map(|why| format!("{what}: {why}")).collect();
    CheckedAnswer { batch, faults, wrong_time: verified.wrong_time }
}

/// Checks that the newest answer of a domain is also the one found by the domain's hash prefix.
async fn find_newest(store: &dyn Store, domain: &Domain) -> Result<(), String> {
    let failed = |error: StoreError| format!("{domain}: {error}");
    let newest = store.latest_answer(domain).await.map_err(failed)?;
    let hex = store::answers::domain_digest(domain).to_hex();
    let prefix = hex.get(..HexPrefix::LONGEST).and_then(HexPrefix::parse);
    let prefix = prefix.ok_or_else(|| format!("{domain} has no hash prefix"))?;
    let bucket = store.answers_by_prefix(prefix, PAGE_SIZE).await.map_err(failed)?;
    let found = bucket.into_iter().find(|answer| answer.domain == *domain);
    if found.map(|answer| answer.sha256) == newest.map(|answer| answer.sha256) {
        Ok(())
    } else {
        Err(format!("the newest answer of {domain} is not the one found by its hash prefix"))
    }
}
