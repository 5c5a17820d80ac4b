//! Sections of an answer, from evidence made by hand.

use contract::records::{EquivalenceVerdict, Section};

use super::*;
use crate::scan::tests::{EvidenceBuilder, OTHER_PAGE, PAGE};

const BASE: &str = "https://svc.example";

#[test]
fn an_entity_is_observed_only_from_markup() {
    let named = entity(
        &EvidenceBuilder::new()
            .robots(404, "")
            .browser_and_control()
            .crawlers(200, PAGE)
            .build_record(),
    );
    let body = named.body().unwrap();
    assert_eq!(body.untrusted_name.as_deref(), Some("North Quay Ferry"));
    assert_eq!(body.types, ["Organization"]);
    assert_eq!(body.sources, ["https://ferry.lab/"]);

    let without =
        EvidenceBuilder::new().robots(404, "").home("browser", 200, OTHER_PAGE).build_record();
    let Section::NotMeasured { why, .. } = entity(&without) else { panic!("nobody is named") };
    assert!(why.contains("no_entity_markup"), "{why}");
    let refused = EvidenceBuilder::new().robots(404, "").home("browser", 403, "no").build_record();
    let Section::NotMeasured { why, .. } = entity(&refused) else { panic!("no page") };
    assert!(why.contains("no page"), "{why}");
}

#[test]
fn refused_identities_are_distinguished_from_a_page_not_compared() {
    let record = EvidenceBuilder::new()
        .robots(404, "")
        .browser_and_control()
        .crawlers(403, "no")
        .build_record();
    let section = equivalence::equivalence_section(&record, BASE, None);
    assert_eq!(section.verdict, EquivalenceVerdict::NotServed);
    assert!(section.observed && section.ai_identities_served.unwrap().starts_with("0 of "));
    assert_eq!(section.first_observed, Some(record.scanned_at));
    assert_eq!(
        section.api,
        "https://svc.example/api/v1/read-equivalence?url=https%3A%2F%2Fferry.lab%2F"
    );

    let same = EvidenceBuilder::new()
        .robots(404, "")
        .browser_and_control()
        .crawlers(200, PAGE)
        .build_record();
    let earlier = same.scanned_at.plus_millis(-86_400_000);
    let section = equivalence::equivalence_section(&same, BASE, Some(earlier));
    assert_eq!(section.verdict, EquivalenceVerdict::Equivalent);
    assert_eq!(
        (section.checked_at, section.first_observed),
        (Some(same.scanned_at), Some(earlier))
    );

    let other = EvidenceBuilder::new()
        .robots(404, "")
        .browser_and_control()
        .crawlers(200, OTHER_PAGE)
        .trial_of_all(PAGE, OTHER_PAGE)
        .build_record();
    assert_eq!(equivalence::verdict(&other), EquivalenceVerdict::Different);

    let unread = equivalence::equivalence_section(
        &EvidenceBuilder::new().robots(404, "").browser_and_control().build_record(),
        BASE,
        None,
    );
    assert_eq!(unread.verdict, EquivalenceVerdict::Unmeasured);
    assert_eq!(
        (unread.observed, unread.checked_at, unread.ai_identities_served),
        (false, None, None)
    );
}

#[test]
fn claims_are_observed_if_the_site_states_something() {
    let record = EvidenceBuilder::new()
        .robots(200, "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n")
        .browser_and_control()
        .crawlers(200, PAGE)
        .file(
            "/llms.txt",
            200,
            "# Ferry\n\n> Times and prices\n\n## Docs\n\n- [Times](/times.md): when\n",
        )
        .build_record();
    let statements = claims::site_statements(&record);
    let value = |property: &str| {
        statements
            .iter()
            .find(|statement| statement.property == property)
            .map(|statement| statement.value.as_str())
    };
    assert_eq!(value("organization.name"), Some("North Quay Ferry"));
    assert_eq!(value("policy.training"), Some("disallow for *"));
    assert_eq!(value("policy.crawl.*"), Some("allowed"));
    assert_eq!(value("file.llms_txt"), Some("/llms.txt"));
    assert_eq!(value("page.title"), Some("Ferry"));
    assert!(statements.iter().all(|one| one.carrier.evidence_sha256.is_some()), "{statements:#?}");
    assert!(claims::claims_section(&record, BASE).observed);
    assert!(
        !claims::claims_section(&EvidenceBuilder::new().robots(403, "").build_record(), BASE)
            .observed
    );
}

#[test]
fn contradictions_are_null_only_where_nothing_could_be_compared() {
    assert_eq!(contradictions(&EvidenceBuilder::new().robots(403, "").build_record()), None);
    let agrees = EvidenceBuilder::new()
        .robots(404, "")
        .browser_and_control()
        .crawlers(200, PAGE)
        .build_record();
    assert_eq!(contradictions(&agrees), Some(vec![]));

    let refused = EvidenceBuilder::new()
        .robots(200, "User-agent: *\nAllow: /\n")
        .browser_and_control()
        .crawlers(403, "no")
        .build_record();
    let found = contradictions(&refused).unwrap();
    assert_eq!(found.iter().map(|found| found.what.as_str()).collect::<Vec<_>>(), ["access"]);

    let torn = "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=y\nAllow: /\n";
    let torn = EvidenceBuilder::new()
        .robots(200, torn)
        .browser_and_control()
        .crawlers(200, PAGE)
        .build_record();
    let found = contradictions(&torn).unwrap();
    assert_eq!(found[0].what, "rights.train");
    assert_eq!(found[0].between, ["aipref (robots_txt)", "content_signal (robots_txt)"]);
}

#[test]
fn a_clock_is_observed_once_its_page_was_read() {
    let domain = EvidenceBuilder::new().evidence.domain;
    let none = clock::clock_section(&domain, None, BASE);
    assert!(!none.homepage.observed);
    assert_eq!(
        none.homepage.start,
        "https://svc.example/api/v1/content-clock?url=https%3A%2F%2Fferry.lab%2F"
    );
    let at = "2026-11-15T10:00:00Z".parse().unwrap();
    let mut facts = clock::ClockSummary {
        url: "https://ferry.lab/".to_owned(),
        observed: true,
        started_at: at,
        checks: 2,
        last_checked_at: Some(at),
        last_changed_at: None,
        why: None,
    };
    let runs = clock::clock_section(&domain, Some(&facts), BASE);
    assert!(runs.homepage.observed && runs.homepage.reading.contains("2 checks"));
    facts.why = Some("robots.txt keeps us out.".to_owned());
    facts.observed = false;
    let still = clock::clock_section(&domain, Some(&facts), BASE);
    assert!(!still.homepage.observed && still.homepage.reading.contains("is stopped"));
}
