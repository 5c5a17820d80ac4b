//! The timeline of a domain: what the registry says, what changed at the registry, and what changed in our
//! answers, in one list.

use contract::Timestamp;
use contract::records::{ChangeEntry, FieldValue, TimelineEntry, TimelineType};
use contract::text::display_safe;

/// The source of what the registry says.
const REGISTRY: &str = "registry";

/// The most characters of a value and of an entry's text.
const MAX_VALUE_CHARS: usize = 120;
const MAX_DETAIL_CHARS: usize = 600;

/// A field that differed between two readings of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryChange {
    /// When the new value was read first.
    pub at: Timestamp,
    /// When the old value was read last.
    pub since: Timestamp,
    pub field: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// Everything that the timeline is made of.
#[derive(Debug)]
pub struct TimelineSources<'a> {
    /// When the domain was registered, by the registry's word.
    pub registered_at: Option<Timestamp>,
    pub registrar: Option<&'a str>,
    /// When this service read the registration for the first time.
    pub first_read_at: Option<Timestamp>,
    pub registry_changes: &'a [RegistryChange],
    pub answer_changes: &'a [ChangeEntry],
    /// Events of control over the domain, as entries.
    pub control_events: Vec<TimelineEntry>,
    /// The brand of this service, which is the source of what it observed itself.
    pub brand: &'a str,
}

/// The entries, newest first. Entries of one time are in the order in which such things follow each other, latest
/// first; equal entries are listed once.
#[must_use]
pub fn build_timeline(sources: TimelineSources<'_>) -> Vec<TimelineEntry> {
    let TimelineSources { brand, .. } = sources;
    let mut entries = sources.control_events;
    entries.extend(sources.registered_at.map(|at| TimelineEntry {
        at: at.whole_seconds(),
        event: TimelineType::Registered,
        detail: match sources.registrar {
            Some(name) => format!("Registered, says the registry. The registrar is now {name}."),
            None => String::from("Registered, says the registry."),
        },
        source: REGISTRY.to_owned(),
    }));
    entries.extend(sources.first_read_at.map(|at| TimelineEntry {
        at: at.whole_seconds(),
        event: TimelineType::FirstRead,
        detail: String::from("First read of the registration by this service."),
        source: brand.to_owned(),
    }));
    entries.extend(sources.registry_changes.iter().map(|change| TimelineEntry {
        at: change.at.whole_seconds(),
        event: TimelineType::RegistryChanged,
        detail: describe_registry_change(change),
        source: REGISTRY.to_owned(),
    }));
    entries.extend(sources.answer_changes.iter().map(|change| TimelineEntry {
        at: change.at.whole_seconds(),
        event: TimelineType::AnswerChanged,
        detail: describe_answer_change(change),
        source: brand.to_owned(),
    }));
    let rank = |entry: &TimelineEntry| match &entry.event {
        TimelineType::Registered => 0,
        TimelineType::FirstRead => 1,
        TimelineType::RegistryChanged => 2,
        TimelineType::AnswerChanged => 3,
        _ => 4,
    };
    entries.sort_by(|one, other| {
        let by_time = other.at.cmp(&one.at);
        let by_rank = rank(other).cmp(&rank(one));
        by_time.then(by_rank).then_with(|| one.detail.cmp(&other.detail))
    });
    entries.dedup();
    entries
}

fn describe_registry_change(change: &RegistryChange) -> String {
    let since = change.since.whole_seconds();
    if change.field == "registration" {
        return match &change.to {
            Some(_) => format!(
                "The domain is registered again. The registry had no such domain on {since}."
            ),
            None => {
                format!("The registry has no such domain any more. It was registered on {since}.")
            }
        };
    }
    let name = match change.field.as_str() {
        "registrar" => "Registrar",
        "registrar_iana_id" => "IANA id of the registrar",
        "created" => "Date of registration",
        "reregistered_at" => "Date of a new registration",
        "transferred_at" => "Date of the last transfer",
        "expires" => "Date of expiry",
        "nameservers" => "Name servers",
        "dnssec" => "DNSSEC",
        "status" => "Status",
        "changed" => "Date of the last change",
        _ => "Registration data",
    };
    let value = |value: &Option<String>| match value {
        Some(value) => format!("“{}”", display_safe(value, MAX_VALUE_CHARS)),
        None => String::from("none"),
    };
    let text = format!(
        "{name} changed from {} (read on {since}) to {}.",
        value(&change.from),
        value(&change.to)
    );
    display_safe(&text, MAX_DETAIL_CHARS)
}

fn describe_answer_change(change: &ChangeEntry) -> String {
    let value = |value: &Option<FieldValue>| match value {
        None => String::from("none"),
        Some(FieldValue::Bool(value)) => value.to_string(),
        Some(FieldValue::Number(value)) => value.to_string(),
        Some(FieldValue::Text(value)) => format!("“{}”", display_safe(value, MAX_VALUE_CHARS)),
        Some(FieldValue::Digest(value)) => {
            let start: String = value.value_sha256.chars().take(12).collect();
            format!("a text with SHA-256 {start}…")
        }
    };
    let text = format!(
        "Answer: {} changed from {} to {} ({}, cause: {}).",
        change.field,
        value(&change.from),
        value(&change.to),
        change.direction,
        change.cause
    );
    display_safe(&text, MAX_DETAIL_CHARS)
}

#[cfg(test)]
mod tests {
    use contract::records::{AnswerRef, ChangeCause, ChangeDirection, ValueDigest};
    use contract::{Domain, NamePolicy};
    use proptest::prelude::*;

    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(1_794_700_800_000 + day * 86_400_000)
    }

    fn answer_change(day: i64, field: &str, to: FieldValue) -> ChangeEntry {
        ChangeEntry {
            seq: None,
            domain: Domain::parse("shop.example.com", &NamePolicy::default()).unwrap(),
            at: at(day),
            section: "crawl_policy".into(),
            field: field.into(),
            from: None,
            to: Some(to),
            happened_between: vec![],
            cause: ChangeCause::Site,
            direction: ChangeDirection::Tightened,
            actions_affected: vec![],
            before: AnswerRef { answer_sha256: None },
            after: AnswerRef { answer_sha256: None },
            evidence: None,
        }
    }

    fn registry_change(
        day: i64,
        field: &str,
        from: Option<&str>,
        to: Option<&str>,
    ) -> RegistryChange {
        let text = |value: Option<&str>| value.map(str::to_owned);
        RegistryChange {
            at: at(day),
            since: at(day - 1),
            field: field.into(),
            from: text(from),
            to: text(to),
        }
    }

    fn sources<'a>(
        registry_changes: &'a [RegistryChange],
        answer_changes: &'a [ChangeEntry],
    ) -> TimelineSources<'a> {
        TimelineSources {
            registered_at: Some(at(-2_000)),
            registrar: Some("A"),
            first_read_at: Some(at(0)),
            registry_changes,
            answer_changes,
            control_events: vec![],
            brand: "svc",
        }
    }

    #[test]
    fn everything_is_in_order_with_its_source() {
        let registry = [
            registry_change(3, "registrar", Some("A"), Some("B")),
            registry_change(5, "registration", Some("registered"), None),
            registry_change(6, "registration", None, Some("registered")),
        ];
        let answers = [
            answer_change(4, "crawl_policy.read", FieldValue::Text("disallowed".into())),
            answer_change(3, "dns.signed", FieldValue::Bool(true)),
        ];
        let control = TimelineEntry {
            at: at(4),
            event: TimelineType::ControlChanged,
            detail: "Control was proven.".into(),
            source: "svc".into(),
        };
        let all = TimelineSources {
            control_events: vec![control.clone()],
            ..sources(&registry, &answers)
        };
        let entries = build_timeline(all);
        let shown: Vec<(String, &str, &str)> = entries
            .iter()
            .map(|entry| (entry.at.day(), entry.event.as_str(), entry.source.as_str()))
            .collect();
        let day = |number: i64| at(number).day();
        assert_eq!(
            shown,
            [
                (day(6), "registry_changed", "registry"),
                (day(5), "registry_changed", "registry"),
                (day(4), "control_changed", "svc"),
                (day(4), "answer_changed", "svc"),
                (day(3), "answer_changed", "svc"),
                (day(3), "registry_changed", "registry"),
                (day(0), "first_read", "svc"),
                (day(-2_000), "registered", "registry"),
            ]
        );
        assert_eq!(
            entries[5].detail,
            format!("Registrar changed from “A” (read on {}) to “B”.", at(2))
        );
        assert_eq!(
            entries[3].detail,
            "Answer: crawl_policy.read changed from none to “disallowed” (tightened, cause: site)."
        );
    }

    #[test]
    fn a_domain_without_anything_has_an_empty_timeline() {
        let nothing = TimelineSources {
            registered_at: None,
            registrar: None,
            first_read_at: None,
            ..sources(&[], &[])
        };
        assert_eq!(build_timeline(nothing), []);
    }

    #[test]
    fn equal_entries_are_listed_once_and_texts_are_bounded() {
        let long = "x\u{202e}".repeat(2_000);
        let one = registry_change(3, "status", Some(&long), Some("active"));
        let digest = FieldValue::Digest(ValueDigest { value_sha256: "ab".repeat(32), bytes: 9 });
        let answers = [answer_change(1, "entity.untrusted_name", digest)];
        let registry = [one.clone(), one];
        let entries = build_timeline(sources(&registry, &answers));
        assert_eq!(entries.len(), 4);
        assert!(
            entries[0].detail.chars().count() <= 600 && !entries[0].detail.contains('\u{202e}')
        );
        assert!(entries[1].detail.contains("abababababab…"), "{}", entries[1].detail);
    }

    proptest! {
        /// The order of the sources does not matter, and nothing is lost.
        #[test]
        fn the_timeline_is_a_function_of_what_happened(days in prop::collection::vec(0_i64..5, 0..12)) {
            let fields = ["registrar", "status", "expires"];
            let changes: Vec<RegistryChange> = days
                .iter()
                .enumerate()
                .map(|(n, day)| registry_change(*day, fields[n % 3], Some(&n.to_string()), None))
                .collect();
            let mut turned = changes.clone();
            turned.reverse();
            let entries = build_timeline(sources(&changes, &[]));
            prop_assert_eq!(&entries, &build_timeline(sources(&turned, &[])));
            prop_assert_eq!(entries.len(), changes.len() + 2);
            prop_assert!(entries.windows(2).all(|pair| pair[0].at >= pair[1].at));
        }
    }
}
