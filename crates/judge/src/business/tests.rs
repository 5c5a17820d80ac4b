use contract::records::{AccuracyVerdict, CheckedField, FieldVerdict};
use declared::engine_answer::EngineStatement;

use super::*;
use crate::scan::tests::EvidenceBuilder;

const CARD: &str = r#"{"@context":"https://schema.org","@type":"Restaurant","name":"North Quay",
    "url":"https://shop.lab/","telephone":["+44 1632 960123","+44 1632 960124"],
    "openingHours":["Mo-Fr 09:00-17:00","Sa 10:00-14:00","Su closed"],"priceRange":"££",
    "areaServed":"Bristol",
    "address":{"@type":"PostalAddress","streetAddress":"1 Quay Street","addressLocality":"Bristol",
    "postalCode":"BS1 4DJ","addressCountry":"GB"}}"#;

fn facts(card: &str) -> PublishedFacts {
    let page = format!(
        "<!doctype html><title>Quay</title><script type='application/ld+json'>{card}</script>\
         <main><p>The kitchen closes when the ferry leaves.</p></main>"
    );
    let site = EvidenceBuilder::new().robots(404, "").home("browser", 200, &page);
    PublishedFacts::of(&site.build_record())
}

fn statement(phone: &str, address: &str, website: &str, hours: &str) -> EngineStatement {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    EngineStatement {
        phone: some(phone),
        address: some(address),
        website: some(website),
        hours: some(hours),
        ..EngineStatement::default()
    }
}

fn verdicts(facts: &PublishedFacts, stated: &EngineStatement) -> [String; 4] {
    judge_statement(facts, stated).named().map(|(_, field)| field.verdict.to_string())
}

#[test]
fn statements_are_compared_by_meaning() {
    let facts = facts(CARD);
    assert_eq!(facts.country.as_deref(), Some("GB"));
    let home = format!("https://{}/", facts.domain);
    let right = statement(
        "01632 960124",
        "1 Quay St., Bristol BS1 4DJ, United Kingdom",
        &home,
        "Monday to Friday 9am-5pm, Saturday 10am-2pm, Sunday closed",
    );
    assert_eq!(verdicts(&facts, &right), ["correct"; 4]);
    let wrong = statement(
        "01632 960199",
        "7 Quay Street, Bristol BS1 4DJ",
        "https://other.example/",
        "Monday to Friday 8am-5pm, Saturday 10am-2pm, Sunday closed",
    );
    assert_eq!(verdicts(&facts, &wrong), ["wrong"; 4]);
    let fields = judge_statement(&facts, &wrong);
    assert_eq!(wrong_fields(&fields), ["phone", "address", "website", "hours"]);
    assert!(fields.named().iter().all(|(_, field)| field.why.is_none()));
}

#[test]
fn what_cannot_be_held_against_anything_is_recorded() {
    let nothing = facts("{}");
    let stated = statement("01632 960199", "7 Quay Street, Bristol", "", "weekends");
    let fields = judge_statement(&nothing, &stated);
    for (name, field) in fields.named() {
        assert_eq!(field.verdict, AccuracyVerdict::Recorded, "{name}");
        assert!(field.why.is_some(), "{name}");
    }
    // The site itself is a website, also if it names none.
    assert_eq!(fields.website.declared, Some(format!("https://{}/", nothing.domain)));
    let silent = judge_statement(&facts(CARD), &EngineStatement::default());
    assert!(silent.named().iter().all(|(_, field)| field.verdict == AccuracyVerdict::Recorded));
    assert_eq!(silent.phone.declared.as_deref(), Some("+44 1632 960123"));
    let vague = judge_statement(&facts(CARD), &statement("960", "Bristol", "", "mornings"));
    assert!(wrong_fields(&vague).is_empty(), "{vague:?}");
}

#[test]
fn hours_are_judged_by_full_weeks_alone() {
    let open = facts(CARD);
    for (hours, verdict) in [
        ("Mo-Fr 09:00-17:00, Sa 10:00-14:00, Su closed", AccuracyVerdict::Correct),
        ("Mo-Fr 09:00-18:00, Sa 10:00-14:00, Su closed", AccuracyVerdict::Wrong),
        ("Mo-Fr 09:00-17:00", AccuracyVerdict::Recorded),
        ("Mo-Fr 09:00-18:00", AccuracyVerdict::Recorded),
    ] {
        let judged = judge_statement(&open, &statement("", "", "", hours)).hours;
        assert_eq!(judged.verdict, verdict, "{hours}: {judged:?}");
        assert_eq!(judged.why.is_some(), verdict == AccuracyVerdict::Recorded);
    }
    let part = facts(&CARD.replace(r#","Su closed""#, ""));
    let week = statement("", "", "", "Mo-Fr 09:00-17:00, Sa 10:00-14:00, Su closed");
    assert_eq!(judge_statement(&part, &week).hours.verdict, AccuracyVerdict::Recorded);
}

#[test]
fn a_value_is_checked_against_every_published_one() {
    let facts = facts(CARD);
    for (field, value, verdict) in [
        (CheckedField::Phone, "+44 1632 960124", FieldVerdict::Matches),
        (CheckedField::Phone, "0044 1632 960123", FieldVerdict::Matches),
        (CheckedField::Phone, "+44 1632 960199", FieldVerdict::Differs),
        (CheckedField::Phone, "call us", FieldVerdict::NotMeasured),
        (CheckedField::Price, "££", FieldVerdict::Matches),
        (CheckedField::ServiceArea, "bristol", FieldVerdict::Matches),
        (CheckedField::Hours, "Mo-Fr 09:00-17:00; Sa 10:00-14:00; Su off", FieldVerdict::Matches),
    ] {
        let result = check_field(&facts, &field, value);
        assert_eq!(result.verdict, verdict, "{field} {value}: {result:?}");
    }
    let result = check_field(&facts, &CheckedField::Phone, "+44 1632 960124");
    let best = result.published.first().unwrap();
    assert_eq!(best.untrusted_value, "+44 1632 960124", "the matching one comes first");
    assert_eq!(best.carrier, "json_ld");
    assert!(best.pointer.is_some());
    let nothing = check_field(&super::tests::facts("{}"), &CheckedField::Phone, "1");
    assert_eq!(nothing.verdict, FieldVerdict::NotPublished);
}

#[test]
fn a_page_that_was_not_read_says_nothing() {
    let refused = EvidenceBuilder::new().robots(404, "").home("browser", 403, "no");
    let facts = PublishedFacts::of(&refused.build_record());
    let result = check_field(&facts, &CheckedField::Phone, "+44 1632 960124");
    assert_eq!(result.verdict, FieldVerdict::NotMeasured, "{result:?}");
}
