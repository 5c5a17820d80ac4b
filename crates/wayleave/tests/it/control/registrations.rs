//! What becomes of a claim when the registration of its domain changes hands or ends.

use super::*;

/// The result of the last event's readings that is of the registry.
fn registry_evidence(record: &Value, event: &str) -> String {
    let events = record["events"].as_array().unwrap();
    let found = events.iter().rev().find(|one| one["type"] == event).unwrap();
    let readings = found["readings"].as_array().unwrap();
    let results = readings.iter().map(|reading| reading["result"].as_str().unwrap());
    results.filter(|result| result.starts_with("Registry")).collect()
}

#[test]
fn who_transfers_a_domain_away_and_back_must_prove_control_anew() {
    let demo = Demo::start();
    let claim = Challenge::prove(&demo, "yours.lab", "dns_txt");
    let scan = r#"{"domain":"yours.lab","visibility":"private"}"#;
    let private = demo.server().post_with("/api/scan", &claim.bearer(), scan).json();
    let report = format!("/r/{}.json", private["id"].as_str().unwrap());
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 200);

    // Sold: another registrar. The old proof is still published, as it often is.
    let moved = ["--registrar", "Other Names Inc.", "--iana-id", "9993"];
    let out = demo.lab(&[&["registration", "yours.lab"][..], &moved].concat()).expect(0).out;
    assert!(out.contains("Other Names Inc."), "{out}");
    demo.lab(&["clock", "+31d"]).expect(0);
    let suspended = wait_for_state(&demo, "yours.lab", "suspended_transfer");
    let seen = registry_evidence(&suspended, "transfer_seen");
    assert!(seen.contains("Other Names Inc.") && seen.contains("9993"), "{seen}");
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 404, "access has ended");
    let again = claim.verify(&demo);
    assert_eq!((again.status, again.error_code().as_str()), (409, "conflict"), "{}", again.text());
    let control = &answer(&demo, "yours.lab")["control"];
    assert_eq!(control["state"], "suspended_transfer");

    // Back at the first registrar: the old token and the old secret still count for nothing.
    demo.lab(&["registration", "yours.lab", "--state", "original"]).expect(0);
    demo.lab(&["clock", "+31d"]).expect(0);
    assert_eq!(demo.server().get("/api/v1/domain?domain=yours.lab").status, 200);
    assert_eq!(record(&demo, "yours.lab")["state"], "suspended_transfer");
    assert_eq!(claim.verify(&demo).status, 409);
    let fresh = Challenge::prove(&demo, "yours.lab", "dns_txt");
    assert_eq!(record(&demo, "yours.lab")["state"], "proven");
    assert_eq!(demo.server().get_with(&report, &fresh.bearer()).status, 200);
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 404);
}

#[test]
fn a_transfer_is_noticed_when_anybody_reads_the_registration() {
    let demo = Demo::start();
    Challenge::prove(&demo, "open.lab", "meta_tag");
    // Two days are less than the time to the next check.
    demo.lab(&["clock", "+2d"]).expect(0);
    let shown = demo.lab(&["clock", "--json"]).expect(0).json();
    let today = shown["now"].as_str().unwrap().to_owned();
    demo.lab(&["registration", "open.lab", "--transferred", &today]).expect(0);
    let domain = demo.server().get("/api/v1/domain?domain=open.lab");
    assert_eq!(domain.status, 200, "{}", domain.text());
    let suspended = wait_for_state(&demo, "open.lab", "suspended_transfer");
    let seen = registry_evidence(&suspended, "transfer_seen");
    assert!(seen.contains(&format!("transferred {today}")), "{seen}");
}

#[test]
fn a_registration_that_ends_suspends_and_one_that_is_silent_does_not() {
    let demo = Demo::start();
    Challenge::prove(&demo, "yours.lab", "dns_txt");
    Challenge::prove(&demo, "open.lab", "meta_tag");
    Challenge::prove(&demo, "minimal.lab", "well_known_file");
    demo.lab(&["registration", "yours.lab", "--status", "redemption period"]).expect(0);
    demo.lab(&["registration", "open.lab", "--state", "none"]).expect(0);
    demo.lab(&["registration", "minimal.lab", "--state", "silent"]).expect(0);
    demo.lab(&["clock", "+31d"]).expect(0);
    let ended = wait_for_state(&demo, "yours.lab", "suspended_expired");
    let seen = registry_evidence(&ended, "suspended");
    assert!(seen.contains("redemption period"), "{seen}");
    // A name that is gone is believed when it is gone a second time.
    wait_for("the first check without a registration", || {
        let record = record(&demo, "open.lab");
        if event_types(&record).len() > 2 { Ok(()) } else { Err(record) }
    });
    assert_eq!(record(&demo, "open.lab")["state"], "proven", "one reading accuses nobody");
    demo.lab(&["clock", "+25h"]).expect(0);
    wait_for_state(&demo, "open.lab", "suspended_expired");
    assert_eq!(record(&demo, "minimal.lab")["state"], "proven");
    demo.lab(&["registration", "nosuch.lab"]).expect_error("no site nosuch.lab");
    demo.lab(&["registration", "open.lab", "--expires", "soon"]).expect_error("A date is written");
}
