//! The page about a domain: what the registry says, and what happened to it.

use askama::Template;
use contract::records::{DomainRecord, RegistryState, TimelineType};

use super::{
    dates::{minute, second},
    status::{Status, capitalise},
};

#[derive(Template)]
#[template(path = "registry.html")]
struct RegistryPage<'a> {
    record: &'a DomainRecord,
    state: Status,
    /// Names and values of the registration.
    facts: Vec<(&'static str, String)>,
    timeline: Vec<TimelineRow<'a>>,
    /// Where older entries are.
    older: Option<String>,
    /// A command to copy.
    fetch: String,
}

struct TimelineRow<'a> {
    at: String,
    what: Status,
    detail: &'a str,
    source: String,
}

pub(crate) fn render(record: &DomainRecord, base_url: &str) -> String {
    let registry = &record.registry;
    let date = |at: Option<contract::Timestamp>| at.map(minute);
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    let registrar = match (&registry.registrar, &registry.registrar_iana_id) {
        (Some(name), Some(id)) => Some(format!("{name} (IANA {id})")),
        (Some(name), None) => Some(name.clone()),
        (None, Some(id)) => Some(format!("IANA {id}")),
        (None, None) => None,
    };
    let dnssec = registry.dnssec.map(|signed| if signed { "on" } else { "off" }.to_owned());
    let facts = [
        ("Registrar", registrar),
        ("Registered", date(registry.created)),
        ("Expires", date(registry.expires)),
        ("Last changed", date(registry.changed)),
        ("Status", list(&registry.status)),
        ("Name servers", list(&registry.nameservers)),
        ("DNSSEC", dnssec),
        ("Read", date(registry.read_at)),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let timeline = record.timeline.iter().map(|entry| TimelineRow {
        at: second(entry.at),
        what: describe_event(&entry.event),
        detail: &entry.detail,
        source: match entry.source.as_str() {
            "registry" => String::from("Registry"),
            _ => String::from("Wayleave"),
        },
    });
    let older = record.cursor.as_ref().map(|cursor| {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("cursor", cursor)
            .finish();
        format!("/registry/{}?{query}", record.domain)
    });
    super::render(&RegistryPage {
        state: describe_state(&registry.state),
        facts,
        timeline: timeline.collect(),
        older,
        fetch: format!(
            "curl -s \"{base_url}/api/v1/domain?domain={domain}\" > domain.json\n\
             wayleave verify domain.json --keys {base_url}",
            domain = record.domain
        ),
        record,
    })
}

fn describe_state(state: &RegistryState) -> Status {
    match state {
        RegistryState::Observed => Status::ok("Read from the registry"),
        RegistryState::NotRegistered => Status::bad("Not registered"),
        RegistryState::NotAvailable => Status::off("No data from this registry"),
        RegistryState::NotMeasured => Status::warn("Not read"),
        RegistryState::Unrecognised(word) => Status::off(capitalise(word.as_str())),
    }
}

fn describe_event(event: &TimelineType) -> Status {
    match event {
        TimelineType::Registered => Status::off("Registered"),
        TimelineType::FirstRead => Status::off("First read"),
        TimelineType::RegistryChanged => Status::warn("Registry changed"),
        TimelineType::AnswerChanged => Status::new("off", "info", "Answer changed"),
        TimelineType::ControlChanged => Status::new("off", "key", "Control"),
        TimelineType::Unrecognised(word) => Status::off(capitalise(word.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use contract::records::{Registry, TimelineEntry};
    use contract::{Domain, NamePolicy, Timestamp};

    use super::*;

    fn record(state: RegistryState) -> DomainRecord {
        let domain = Domain::parse("shop.example.com", &NamePolicy::default()).unwrap();
        let at = Timestamp::from_millis(1_794_736_805_000);
        DomainRecord {
            kind: "svc-domain".into(),
            v: 1,
            schema: String::new(),
            generated_at: at,
            registry: Registry {
                state,
                why: Some("<b>why</b>".into()),
                registered_domain: domain.registered_domain(),
                read_at: Some(at),
                source: Some("https://rdap.example/domain/example.com".into()),
                registrar: Some("<script>A".into()),
                registrar_iana_id: Some("9999".into()),
                created: Some(at),
                expires: None,
                changed: None,
                nameservers: vec!["ns1.example.com".into()],
                dnssec: Some(false),
                status: vec!["active".into()],
            },
            timeline: vec![TimelineEntry {
                at,
                event: TimelineType::Registered,
                detail: "<i>Registered".into(),
                source: "registry".into(),
            }],
            cursor: Some("t1_0_1_-_".into()),
            has_more: true,
            domain,
            sha256: None,
            signature: None,
        }
    }

    #[test]
    fn the_page_shows_registration_and_timeline_and_escapes_them() {
        let page = render(&record(RegistryState::Observed), "https://svc.example");
        for part in [
            "shop.example.com",
            "part of <b>example.com</b>",
            "(IANA 9999)",
            "15 Nov 2026, 10:00 UTC",
            "ns1.example.com",
            "href=\"/registry/shop.example.com/claim\"",
            "href=\"/registry/shop.example.com?cursor=t1_0_1_-_\"",
            "curl -s",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for bad in ["<script>A", "<i>Registered", "<b>why"] {
            assert!(!page.contains(bad), "{bad}");
        }
    }

    #[test]
    fn every_state_has_its_words() {
        for (state, words) in [
            (RegistryState::NotRegistered, "Not registered"),
            (RegistryState::NotAvailable, "No data from this registry"),
            (RegistryState::NotMeasured, "Not read"),
        ] {
            let page = render(&record(state), "https://svc.example");
            assert!(page.contains(words) && page.contains("why"), "{words}");
        }
        let mut empty = record(RegistryState::Observed);
        empty.timeline.clear();
        empty.cursor = None;
        let page = render(&empty, "https://svc.example");
        assert!(page.contains("Nothing is known yet") && !page.contains("Older entries"));
    }
}
