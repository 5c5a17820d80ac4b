use contract::records::{ClaimStatus, ContradictionKind, ScanRecord};
use contract::{Brand, Issuer, Timestamp};

use super::*;
use crate::scan::tests::EvidenceBuilder;

fn at(hour: i64) -> Timestamp {
    let start: Timestamp = "2026-11-15T00:00:00Z".parse().unwrap();
    start.plus_millis(hour * 3_600_000)
}

/// A page whose markup gives this telephone number; none when it is empty.
fn reading(hour: i64, phone: &str) -> ScanRecord {
    let phone =
        if phone.is_empty() { String::new() } else { format!(",\"telephone\":\"{phone}\"") };
    let page = format!(
        "<!doctype html><title>Quay</title><script type='application/ld+json'>{{\"@context\":\
         \"https://schema.org\",\"@type\":\"Organization\",\"name\":\"North Quay\"{phone}}}</script>\
         <main><p>The ferry leaves at seven.</p></main>"
    );
    let mut site = EvidenceBuilder::new().robots(404, "").home("browser", 200, &page);
    site.evidence.started_at = at(hour);
    site.build_record()
}

fn refused(hour: i64) -> ScanRecord {
    let mut site = EvidenceBuilder::new().robots(404, "").home("browser", 403, "no");
    site.evidence.started_at = at(hour);
    site.build_record()
}

fn ask(readings: &[ScanRecord], query: ClaimsQuery<'_>) -> contract::records::ClaimsRecord {
    let issuer = Issuer::new(Brand::default(), "https://svc.example");
    let recorded: Vec<RecordedReading<'_>> = readings
        .iter()
        // Recorded five seconds after it was observed.
        .map(|record| RecordedReading { record, recorded_at: record.scanned_at.plus_millis(5_000) })
        .collect();
    answer(&EvidenceBuilder::new().evidence.domain, &recorded, query, &issuer, at(100))
}

const PHONE: ClaimsQuery<'static> =
    ClaimsQuery { property: Some("contact.phone"), as_of: None, valid_at: None };

#[test]
fn a_change_closes_one_claim_and_begins_another() {
    let readings =
        [reading(0, "+1 555 0100"), reading(10, "+1 555 0100"), reading(20, "+1 555 0199")];
    let record = ask(&readings, PHONE);
    let [old, new] = record.claims.as_slice() else { panic!("{record:#?}") };
    assert_eq!(
        (old.state.clone(), old.said_from, old.said_to),
        (ClaimStatus::Changed, at(0), Some(at(20)))
    );
    assert_eq!(old.recorded_from, at(20).plus_millis(5_000));
    assert_eq!(
        (new.state.clone(), new.said_from, new.said_to),
        (ClaimStatus::Current, at(20), None)
    );
    // As we knew it before the last reading, the old number was still said.
    let then = ask(&readings, ClaimsQuery { as_of: Some(at(15)), ..PHONE });
    let [only] = then.claims.as_slice() else { panic!("{then:#?}") };
    assert_eq!((only.state.clone(), only.said_to), (ClaimStatus::Current, None));
    assert_eq!(only.recorded_to, Some(at(20).plus_millis(5_000)));
    // Half-open: at the very moment of the change only the new one is said.
    let valid = |hour| ask(&readings, ClaimsQuery { valid_at: Some(at(hour)), ..PHONE }).claims;
    assert_eq!(valid(20).len(), 1);
    assert_eq!(valid(20)[0].id, new.id);
    assert_eq!(valid(19)[0].id, old.id);
    assert!(ask(&readings, ClaimsQuery { valid_at: Some(at(-1)), ..PHONE }).claims.is_empty());
}

#[test]
fn a_page_that_was_refused_withdraws_nothing() {
    let record = ask(&[reading(0, "+1 555 0100"), refused(10)], PHONE);
    assert_eq!(record.claims.len(), 1);
    assert_eq!(
        (record.claims[0].state.clone(), record.claims[0].said_to),
        (ClaimStatus::Current, None)
    );
    let gone = ask(&[reading(0, "+1 555 0100"), reading(10, "")], PHONE);
    assert_eq!(gone.claims[0].state, ClaimStatus::Withdrawn);
}

#[test]
fn a_value_that_came_back_is_reported() {
    let record = ask(
        &[reading(0, "+1 555 0100"), reading(10, "+1 555 0199"), reading(20, "+1 555 0100")],
        PHONE,
    );
    assert_eq!(record.contradictions.len(), 1, "{record:#?}");
    assert_eq!(record.contradictions[0].kind, ContradictionKind::OverTime);
    assert_eq!(record.contradictions[0].claim_ids.len(), 2);
}

#[test]
fn a_site_that_was_never_read_gets_a_start_url() {
    let record = ask(&[], ClaimsQuery::default());
    assert!(!record.observed && record.claims.is_empty());
    assert_eq!(
        record.start.as_deref(),
        Some("https://svc.example/api/v1/resolve?domain=ferry.lab")
    );
    let read = ask(&[refused(0)], ClaimsQuery::default());
    assert!(read.observed && read.start.is_none());
    assert!(read.carriers_read.iter().any(|carrier| carrier.kind == "home_page"
        && carrier.state == contract::records::CarrierState::Refused));
}

#[test]
fn a_property_is_queried_by_name_or_prefix() {
    let readings = [reading(0, "+1 555 0100")];
    let count =
        |property| ask(&readings, ClaimsQuery { property: Some(property), ..PHONE }).claims.len();
    assert_eq!(count("contact.phone"), 1);
    assert_eq!(count("contact"), 1);
    assert_eq!(count("cont"), 0);
}
