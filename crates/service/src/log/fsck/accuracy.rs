//! Checks AI-accuracy records: each against its fingerprint, its signature, and the values it is stored under.

use contract::Timestamp;
use proof::canonical;
use serde::de::IgnoredAny;
use serde_json::Value;
use store::StoredAccuracy;

use super::parallel::{map_on_all_cores, read_all};
use super::stored_records::LARGE_PAGE_SIZE;
use super::{FsckRequest, FsckRun, StorePart, VerifiedDocument};

impl FsckRun<'_> {
    pub(super) async fn check_accuracy_records(&mut self) {
        let (store, part) = (self.request.store, StorePart::Accuracy);
        let mut after = None;
        loop {
            let done = self.report.records.get(&part).copied().unwrap_or(0);
            self.report_progress("AI-accuracy records", done, None);
            let page = match store.list_accuracy(after, LARGE_PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(part, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.position);
            self.count_records(part, page.len());
            let read = read_all(&page, |listed| store.accuracy_by_digest(listed.sha256)).await;
            let read: Vec<_> = page.iter().map(|listed| listed.sha256).zip(read).collect();
            let request = self.request;
            let checked = map_on_all_cores(&read, |(sha256, accuracy)| match accuracy {
                Ok(Some(accuracy)) => request.check_accuracy_record(accuracy),
                Ok(None) => VerifiedDocument::failed(format!(
                    "the AI-accuracy record {sha256} is listed but not found"
                )),
                Err(error) => VerifiedDocument::failed(error.to_string()),
            });
            for checked in checked {
                self.count_wrong_time(checked.wrong_time);
                for fault in checked.failed {
                    self.add_fault(part, None, fault);
                }
            }
        }
    }
}

impl FsckRequest<'_> {
    fn check_accuracy_record(&self, accuracy: &StoredAccuracy) -> VerifiedDocument {
        let what = format!("the AI-accuracy record {}", accuracy.sha256);
        let VerifiedDocument { failed: mut wrong, wrong_time } =
            self.verify(&accuracy.record, &what);
        let record = canonical::parse_strict(&accuracy.record).unwrap_or_default();
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        let time = |name: &str| text(name)?.parse::<Timestamp>().ok();
        if text("kind") != Some(&self.brand.kind("ai-accuracy")) {
            wrong.push("it is a record of another kind".to_owned());
        }
        // Records have whole seconds.
        if text("sha256") != Some(&accuracy.sha256.to_string())
            || text("domain") != Some(accuracy.domain.as_str())
            || text("engine") != Some(&accuracy.engine)
            || time("checked_at").map(Timestamp::whole_seconds)
                != Some(accuracy.checked_at.whole_seconds())
        {
            wrong.push("it is stored under values that are not its own".to_owned());
        }
        // Evidence is not always stored.
        if !accuracy.evidence.is_empty()
            && let Err(error) = serde_json::from_slice::<IgnoredAny>(&accuracy.evidence)
        {
            wrong.push(format!("its evidence cannot be parsed: {error}"));
        }
        let failed = wrong.into_iter().map(|why| format!("{what}: {why}")).collect();
        VerifiedDocument { failed, wrong_time }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use bytes::Bytes;
    use proof::Digest;
    use serde_json::json;
    use store::Accuracy;

    use super::super::every_column::{run_fsck, sign_record};
    use super::*;
    use crate::testing;

    /// What an engine says about a domain, signed with the keys in `dir`.
    pub(in super::super) fn signed_accuracy(dir: &Path, name: &str) -> StoredAccuracy {
        let at = testing::now();
        let field = json!({"declared": null, "ai": "x", "verdict": "not_measured"});
        let record = json!({
            "kind": "svc-ai-accuracy", "v": 1, "domain": name, "engine": "oracle",
            "checked_at": at.whole_seconds(), "wrong": [], "sources": [],
            "seal": "https://old.example/api/v1/seal",
            "fields": {"phone": field, "address": field, "website": field,
                "hours": {"ai": null, "verdict": "recorded"}},
        });
        let signed = sign_record(dir, &record);
        StoredAccuracy {
            domain: store::scans::parse_stored_domain(name).unwrap(),
            engine: "oracle".to_owned(),
            checked_at: at,
            sha256: signed.digest,
            record: signed.bytes.into(),
            evidence: Bytes::from(format!("{{\"asked\":\"{name}\"}}")),
        }
    }

    /// Content that no flipped byte explains: every fingerprint is right, and the record is not.
    #[tokio::test(flavor = "multi_thread")]
    async fn an_accuracy_record_that_is_not_what_it_says_is_found() {
        type Change = fn(&mut StoredAccuracy);
        let cases: [(&str, Change); 10] = [
            ("", |_| {}),
            ("", |accuracy| accuracy.evidence = Bytes::new()),
            ("evidence cannot be parsed", |accuracy| accuracy.evidence = "{".into()),
            ("not its own", |accuracy| accuracy.engine.push('x')),
            ("not its own", |accuracy| accuracy.sha256 = Digest::of(b"another")),
            ("not its own", |accuracy| {
                accuracy.domain = store::scans::parse_stored_domain("b.lab").unwrap();
            }),
            ("not its own", |accuracy| {
                accuracy.checked_at = accuracy.checked_at.plus_millis(-1_000);
            }),
            ("another kind", |accuracy| accuracy.record = Bytes::from_static(b"{}")),
            ("digest", |accuracy| {
                let record = String::from_utf8(accuracy.record.to_vec()).unwrap();
                accuracy.record = record.replace("recorded", "recordet").into();
            }),
            ("signature", |accuracy| {
                let record = String::from_utf8(accuracy.record.to_vec()).unwrap();
                accuracy.record = record.replace("\"signature\"", "\"signatures\"").into();
            }),
        ];
        for (expected, change) in cases {
            let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            let store = testing::open_store(dir.path());
            let mut accuracy = signed_accuracy(dir.path(), "a.lab");
            change(&mut accuracy);
            assert_eq!(store.put_accuracy(accuracy, Vec::new()).await, Ok(true));
            drop(store);
            let report = run_fsck(dir.path()).await.unwrap();
            assert_eq!(report.records.get(&StorePart::Accuracy), Some(&1));
            let faults = report.faults;
            assert!(faults.iter().all(|fault| fault.part == StorePart::Accuracy), "{faults:?}");
            let found = faults.iter().any(|fault| fault.detail.contains(expected));
            assert_eq!(faults.is_empty(), expected.is_empty(), "{expected}: {faults:?}");
            assert!(expected.is_empty() || found, "{expected}: {faults:?}");
        }
    }
}
