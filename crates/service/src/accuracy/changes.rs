//! What is published when the verdict on a field is another one than the time before.

use contract::Issuer;
use contract::records::{
    AccuracyRecord, AnswerRef, ChangeCause, ChangeDirection, ChangeEntry, FieldValue,
};
use store::NewChange;

use super::record::record_url;

/// The section of these entries.
pub(crate) const SECTION: &str = "accuracy";

/// One entry for each field whose verdict changed.
pub(super) fn verdict_changes(
    issuer: &Issuer,
    before: &AccuracyRecord,
    after: &AccuracyRecord,
    after_sha256: &str,
) -> Vec<NewChange> {
    let pairs = before.fields.named().into_iter().zip(after.fields.named());
    let changed = pairs.filter(|((_, before), (_, after))| before.verdict != after.verdict);
    let entries = changed.map(|((field, old), (_, new))| ChangeEntry {
        seq: None,
        domain: after.domain.clone(),
        at: after.checked_at,
        section: SECTION.to_owned(),
        field: format!("{SECTION}.{}.{field}", after.engine),
        from: Some(FieldValue::Text(old.verdict.to_string())),
        to: Some(FieldValue::Text(new.verdict.to_string())),
        happened_between: vec![before.checked_at, after.checked_at],
        // If what the site publishes changed too, nobody can tell which of them it was.
        cause: match old.declared == new.declared {
            true => ChangeCause::Engine,
            false => ChangeCause::Site,
        },
        direction: ChangeDirection::Neutral,
        actions_affected: Vec::new(),
        before: AnswerRef { answer_sha256: before.sha256.clone() },
        after: AnswerRef { answer_sha256: Some(after_sha256.to_owned()) },
        evidence: Some(record_url(issuer, &after.domain, &after.engine, after.checked_at)),
    });
    entries.filter_map(to_stored).collect()
}

fn to_stored(entry: ChangeEntry) -> Option<NewChange> {
    let body = proof::canonical::to_vec(&entry)
        .inspect_err(|error| tracing::error!(%error, "a change of a verdict cannot be serialised"))
        .ok()?;
    Some(NewChange {
        domain: entry.domain,
        at: entry.at,
        section: entry.section,
        direction: entry.direction.as_str().to_owned(),
        body: body.into(),
    })
}
