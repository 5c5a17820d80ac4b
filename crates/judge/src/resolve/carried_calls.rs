//! How long the result of a call counts. It is kept for as long as `connect` may rely on it, also when a
//! later reading of the site made no calls: a site is called at most three times a day, and a live reading
//! calls nothing and does not read descriptions.

use contract::Timestamp;
use contract::limits::CONNECT_MAX_AGE_HOURS;
use contract::records::{
    AnswerStatus, Capabilities, CapabilitiesSection, Capability, ResolveAnswer,
};
use declared::files::FILE_LOCATIONS;

use super::capability_calls::{NOTE, count_calls};
use super::sections::Sections;

const CARRIED_NOTE: &str = "Read from declarations. Results of earlier calls are shown with their time; they \
                            count for 72 hours.";
const EXPIRED_NOTE: &str = "Results of calls that are older than 72 hours no longer count.";

const HOUR_MS: i64 = 3_600_000;

/// Takes over the results of earlier calls for what is still declared the same way.
pub fn carry_calls(sections: &mut Sections, previous: &ResolveAnswer, now: Timestamp) {
    let Some(before) = previous.capabilities.body() else { return };
    let is_live = sections.status == AnswerStatus::Partial;
    if let CapabilitiesSection::Declared { body, .. } = &mut sections.capabilities {
        let mut is_carried = false;
        for item in body.items.iter_mut().filter(|item| item.as_declared.is_none()) {
            let earlier = before.items.iter().find(|earlier| is_same(earlier, item));
            if let Some(earlier) = earlier.filter(|earlier| counts(earlier, now)) {
                item.call.clone_from(&earlier.call);
                item.as_declared = earlier.as_declared;
                is_carried = true;
            }
        }
        if is_carried {
            body.note = body.note.replace(NOTE, CARRIED_NOTE);
            count_calls(body);
        }
    }
    if is_live && before.items.iter().any(|item| is_unread_by_live(item) && counts(item, now)) {
        add_unread_files(sections, previous, before);
    }
}

/// Removes the results of calls that are too old to rely on.
pub(super) fn expire_calls(section: &mut CapabilitiesSection, now: Timestamp) {
    let CapabilitiesSection::Declared { body, .. } = section else { return };
    let mut changed = false;
    for item in body.items.iter_mut().filter(|item| item.call.is_some()) {
        if !is_recent(item, now) {
            item.call = None;
            item.as_declared = None;
            changed = true;
        }
    }
    if changed {
        if !body.note.contains(EXPIRED_NOTE) {
            body.note = format!("{} {EXPIRED_NOTE}", body.note);
        }
        count_calls(body);
    }
}

/// Whether two answers speak of one operation in one version of its file.
fn is_same(one: &Capability, other: &Capability) -> bool {
    one.untrusted_name == other.untrusted_name
        && one.untrusted_endpoint == other.untrusted_endpoint
        && one.declared_in == other.declared_in
        && one.safety_class == other.safety_class
        && one.declaration_sha256.is_some()
        && one.declaration_sha256 == other.declaration_sha256
}

fn counts(item: &Capability, now: Timestamp) -> bool {
    item.as_declared.is_some() && is_recent(item, now)
}

fn is_recent(item: &Capability, now: Timestamp) -> bool {
    let most = i64::from(CONNECT_MAX_AGE_HOURS) * HOUR_MS;
    item.call.as_ref().is_some_and(|call| now.millis_since(call.called_at) <= most)
}

/// A live reading reads only the files that every answer names.
fn is_unread_by_live(item: &Capability) -> bool {
    !FILE_LOCATIONS.iter().any(|place| place.in_interface && place.path == item.declared_in)
}

/// Adds what files declared that a live reading does not read.
fn add_unread_files(sections: &mut Sections, previous: &ResolveAnswer, before: &Capabilities) {
    let read_at = previous.capabilities.observed_at();
    let (observed_at, mut body) = match &sections.capabilities {
        CapabilitiesSection::Declared { observed_at, body } => (*observed_at, body.clone()),
        // Nothing was found in the files that were read.
        _ => {
            let Some(observed_at) = sections.freshness.observed_at else { return };
            let empty = Capabilities {
                declared: 0,
                by_safety_class: Default::default(),
                verified: 0,
                mismatches: 0,
                items: Vec::new(),
                declared_files: Vec::new(),
                note: "The files that this reading could read declare nothing.".to_owned(),
                ..before.clone()
            };
            (observed_at, empty)
        }
    };
    for item in before.items.iter().filter(|item| is_unread_by_live(item)) {
        if body.items.iter().any(|known| is_same(known, item)) {
            continue;
        }
        body.declared = body.declared.saturating_add(1);
        *body.by_safety_class.entry(item.safety_class.as_str().to_owned()).or_insert(0) += 1;
        if !body.declared_files.contains(&item.declared_in) {
            body.declared_files.push(item.declared_in.clone());
        }
        body.items.push(item.clone());
    }
    body.note = body.note.replace(NOTE, CARRIED_NOTE);
    let at = read_at.map(|at| at.to_string()).unwrap_or_default();
    let remark = format!(
        "Descriptions of APIs are not read by a live reading; they are shown as a full scan read them at {at}."
    );
    if !body.note.contains(&remark) {
        body.note = format!("{} {remark}", body.note);
    }
    count_calls(&mut body);
    sections.capabilities = CapabilitiesSection::Declared { observed_at, body };
}

#[cfg(test)]
mod tests {
    use contract::records::{CallResult, CapabilityCall, SafetyClass};

    use super::*;
    use crate::resolve::testing;

    fn item(path: &str, digest: &str, called_at: Option<Timestamp>) -> Capability {
        Capability {
            untrusted_name: "getTimes".to_owned(),
            untrusted_endpoint: Some("https://ferry.lab/times".to_owned()),
            declared_in: path.to_owned(),
            safety_class: SafetyClass::ReadOnlyPublic,
            as_declared: called_at.map(|_| true),
            declaration_sha256: Some(digest.to_owned()),
            call: called_at.map(|called_at| CapabilityCall {
                result: CallResult::AsDeclared,
                why: "It matched.".to_owned(),
                called_at,
                compared: vec![],
                not_compared: vec![],
                difference: None,
                readings: vec![],
            }),
            mcp_scan: None,
        }
    }

    fn section(items: Vec<Capability>, at: Timestamp) -> CapabilitiesSection {
        let mut body = Capabilities {
            declared: u32::try_from(items.len()).unwrap(),
            by_safety_class: Default::default(),
            verified: 0,
            mismatches: 0,
            invocation_rule: String::new(),
            certificate: None,
            declared_files: items.iter().map(|item| item.declared_in.clone()).collect(),
            items,
            note: "Note.".to_owned(),
        };
        count_calls(&mut body);
        CapabilitiesSection::Declared { observed_at: at, body }
    }

    fn now() -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000)
    }

    /// How many operations are verified after a reading that follows an answer with one that is.
    fn verified(status: AnswerStatus, read: Capability, hours_ago: i64) -> (u32, u32) {
        let at = now().plus_millis(-hours_ago * HOUR_MS);
        let mut previous = testing::answer();
        previous.capabilities = section(vec![item("/openapi.json", "a", Some(at))], at);
        let mut sections = Sections::from_answer(testing::answer());
        sections.status = status;
        sections.capabilities = section(vec![read], now());
        carry_calls(&mut sections, &previous, now());
        expire_calls(&mut sections.capabilities, now());
        let body = sections.capabilities.body().unwrap();
        (body.verified, body.declared)
    }

    #[test]
    fn a_result_is_kept_for_72_hours_while_the_declaration_is_the_same() {
        let same = item("/openapi.json", "a", None);
        let measured = AnswerStatus::Measured;
        assert_eq!(verified(measured.clone(), same.clone(), 1), (1, 1));
        assert_eq!(verified(measured.clone(), same.clone(), 72), (1, 1));
        assert_eq!(verified(measured.clone(), same.clone(), 73), (0, 1));
        assert_eq!(verified(measured.clone(), item("/openapi.json", "b", None), 1), (0, 1));
        let other = item("/.well-known/agent-card.json", "c", None);
        assert_eq!(verified(measured, other.clone(), 1), (0, 1), "a full scan read it all");
        // A live reading does not read descriptions.
        assert_eq!(verified(AnswerStatus::Partial, other.clone(), 1), (1, 2));
        assert_eq!(verified(AnswerStatus::Partial, other, 73), (0, 1));
    }

    #[test]
    fn a_result_of_this_reading_is_not_replaced_and_grows_old() {
        let mut differs = item("/openapi.json", "a", Some(now()));
        differs.as_declared = Some(false);
        assert_eq!(verified(AnswerStatus::Measured, differs, 1), (0, 1));
        let mut old = section(vec![item("/openapi.json", "a", Some(now()))], now());
        expire_calls(&mut old, now().plus_millis(72 * HOUR_MS));
        assert_eq!(old.body().unwrap().verified, 1);
        expire_calls(&mut old, now().plus_millis(72 * HOUR_MS + 1));
        assert_eq!(old.body().unwrap().verified, 0);
        assert_eq!(old.body().unwrap().items[0].call, None);
        assert!(old.body().unwrap().note.contains("no longer count"));
    }
}
