use std::collections::BTreeMap;

use contract::records::RightsValue as Value;
use proptest::prelude::*;

use super::*;
use crate::scan::tests::Site;

fn decided(robots: &str) -> (ScanRecord, Rights) {
    let record =
        Site::new().robots(200, robots).people().agents(200, crate::scan::tests::PAGE).record();
    let block = block(&record, "https://svc.example");
    (record, block)
}

#[test]
fn a_prohibition_decides_and_names_its_line() {
    let (_, rights) = decided("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");
    assert!(rights.observed);
    assert_eq!(rights.train.value, Value::Disallowed);
    assert_eq!(rights.train.decided_by.signal.as_deref(), Some("content_signal"));
    assert_eq!(rights.train.decided_by.url.as_deref(), Some("https://ferry.lab/robots.txt"));
    assert_eq!(rights.train.decided_by.evidence.as_deref(), Some("line 2"));
    assert_eq!(rights.cite.value, Value::Allowed);
    assert_eq!((rights.ground.value, rights.ground.decided_by.signal), (Value::Unknown, None));
    assert_eq!(rights.api, "https://svc.example/api/v1/rights?domain=ferry.lab");
}

#[test]
fn a_robots_rule_decides_as_access_and_names_its_lines() {
    let (_, rights) = decided("User-agent: *\nDisallow: /\n");
    assert_eq!(rights.train.value, Value::Disallowed);
    assert_eq!(rights.train.decided_by.signal.as_deref(), Some("access"));
    assert!(rights.train.decided_by.evidence.unwrap().contains("line 2 for GPTBot"));
    // No robots rule says anything about these.
    assert_eq!(rights.summarize.value, Value::Unknown);
    assert_eq!(rights.transact.value, Value::Unknown);
}

#[test]
fn nothing_is_said_where_nothing_was_read() {
    let record = Site::new().robots(403, "no").record();
    let rights = block(&record, "https://svc.example");
    assert!(!rights.observed);
    assert_eq!((rights.read_at, rights.train.value), (None, Value::Unknown));
    // That there is no robots.txt is a reading.
    assert!(block(&Site::new().robots(404, "").record(), "https://svc.example").observed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The block is taken from the kept statements again, and must not come to another end than
    /// the record did.
    #[test]
    fn the_block_says_what_the_record_says(lines in proptest::collection::vec(prop_oneof![
        Just("User-agent: *"), Just("User-agent: GPTBot"), Just("User-agent: CCBot"),
        Just("Allow: /"), Just("Disallow: /"), Just(""),
        Just("Content-Signal: ai-train=no"), Just("Content-Signal: ai-train=yes, search=no, use=immediate"),
        Just("Content-Usage: train-ai=n"), Just("Content-Usage: / train-ai=y, search=n"),
    ], 0..14)) {
        let (record, rights) = decided(&lines.join("\n"));
        let said = BTreeMap::from([
            ("train", &rights.train), ("ground", &rights.ground), ("summarize", &rights.summarize),
            ("cite", &rights.cite), ("transact", &rights.transact),
        ]);
        for (name, told) in said {
            let kept = &record.policy.rights[name];
            prop_assert_eq!(&told.value, &kept.value);
            prop_assert_eq!(told.conflicts, kept.conflicts);
            prop_assert_eq!(told.decided_by.signal.is_some(), kept.value != Value::Unknown);
        }
    }
}
