//! Claiming, losing and proving again.

use super::*;

#[test]
fn a_domain_is_claimed_by_each_method_and_the_record_follows() {
    let demo = Demo::start();
    let server = demo.server();
    let offer = server.get_with("/registry/yours.lab/claim", "accept: application/json\r\n");
    let offer = offer.json();
    assert_eq!(
        (offer["state"].as_str(), offer["kind"].as_str()),
        (Some("unproven"), Some("svc-claim-offer"))
    );
    assert_eq!(offer["methods"].as_array().unwrap().len(), 3);
    let before = record(&demo, "yours.lab");
    assert_eq!((before["state"].as_str(), &before["method"]), (Some("unproven"), &Value::Null));
    for (domain, method) in
        [("yours.lab", "dns_txt"), ("open.lab", "meta_tag"), ("minimal.lab", "well_known_file")]
    {
        let claim = Challenge::begin(&demo, domain, method);
        // Not published yet: what was seen is told, and nothing is stored.
        let missing = claim.verify(&demo);
        assert_eq!((missing.status, missing.error_code().as_str()), (409, "proof_not_found"));
        assert_eq!(missing.json()["errors"].as_array().unwrap().len(), 1, "{}", missing.text());
        assert!(!missing.text().contains(&claim.secret));
        assert_eq!(record(&demo, domain)["events"], json!([]));
        claim.publish(&demo);
        let proven = claim.verify(&demo);
        assert_eq!(proven.status, 200, "{method}: {}", proven.text());
        let proven = proven.json();
        assert_eq!(
            (proven["state"].as_str(), proven["method"].as_str()),
            (Some("proven"), Some(method))
        );
        assert_eq!(proven["proof"]["readings"].as_array().unwrap().len(), 1);
        let record = record(&demo, domain);
        assert_eq!(event_types(&record), ["claimed", "verified"]);
        assert!(record["registry_at_claim"]["registrar"].is_string(), "{record}");
        assert_eq!(record["signature"]["alg"], "Ed25519");
        let answer = answer(&demo, domain);
        assert_eq!(answer["control"]["state"], "proven", "{method}");
        assert_eq!(answer["control"]["proofs"][0]["method"], method);
        assert_eq!(answer["control"]["organization"], "Example Shop");
        let rungs = answer["assurance_ladder"]["rungs"].as_array().unwrap();
        let owner = rungs.iter().find(|rung| rung["rung"] == "owner_verified").unwrap();
        assert_eq!(owner["state"], "reached");
    }
    let timeline = server.get("/api/v1/domain?domain=yours.lab").json();
    let types: Vec<&str> = timeline["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["type"].as_str().unwrap())
        .collect();
    assert!(types.contains(&"control_changed") && types.contains(&"registered"), "{types:?}");
}

#[test]
fn a_missing_proof_has_grace_lapses_and_only_a_new_token_brings_it_back() {
    let demo = Demo::start();
    let claim = Challenge::prove(&demo, "yours.lab", "dns_txt");
    let decisions = |answer: &Value| -> Vec<String> {
        ["read", "cite", "connect", "transact", "administer"]
            .map(|action| answer["actions"][action]["decision"].to_string())
            .to_vec()
    };
    let proven = answer(&demo, "yours.lab");
    claim.unpublish(&demo);
    demo.lab(&["clock", "+31d"]).expect(0);
    wait_for("the first check without a proof", || {
        let record = record(&demo, "yours.lab");
        if event_types(&record).contains(&"rechecked".to_owned()) { Ok(()) } else { Err(record) }
    });
    assert_eq!(record(&demo, "yours.lab")["state"], "proven", "one reading accuses nobody");
    demo.lab(&["clock", "+25h"]).expect(0);
    let missing = wait_for_state(&demo, "yours.lab", "proof_missing");
    assert!(missing["grace_ends_at"].is_string(), "{missing}");
    // The owner keeps access in the grace period.
    let scan = r#"{"domain":"yours.lab","visibility":"private"}"#;
    let private = demo.server().post_with("/api/scan", &claim.bearer(), scan);
    assert_eq!(private.status, 200, "{}", private.text());
    let id = private.json()["id"].as_str().unwrap().to_owned();
    let report = format!("/r/{id}.json");
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 200);
    assert_eq!(demo.server().get(&report).status, 404);
    demo.lab(&["clock", "+15d"]).expect(0);
    let lapsed = wait_for_state(&demo, "yours.lab", "lapsed");
    assert_eq!(lapsed["next_check_at"], Value::Null);
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 404, "access has ended");
    let after = answer(&demo, "yours.lab");
    assert_eq!(after["control"]["state"], "lapsed");
    assert_eq!(decisions(&after), decisions(&proven), "control changes no decision");
    // The old token does not count, also when it is published again.
    claim.publish(&demo);
    let again = claim.verify(&demo);
    assert_eq!((again.status, again.error_code().as_str()), (409, "conflict"), "{}", again.text());
    claim.unpublish(&demo);
    let fresh = Challenge::prove(&demo, "yours.lab", "dns_txt");
    let record = record(&demo, "yours.lab");
    assert_eq!(record["state"], "proven");
    let events = event_types(&record);
    assert!(events.ends_with(&["claimed".to_owned(), "reproven".to_owned()]), "{events:?}");
    assert_eq!(demo.server().get_with(&report, &fresh.bearer()).status, 200);
    assert_eq!(demo.server().get_with(&report, &claim.bearer()).status, 404);
}

#[test]
fn two_claimants_have_claims_of_their_own() {
    let demo = Demo::start();
    let one = Challenge::prove(&demo, "yours.lab", "dns_txt");
    let two = Challenge::prove(&demo, "yours.lab", "meta_tag");
    assert_eq!(answer(&demo, "yours.lab")["control"]["proofs"].as_array().unwrap().len(), 2);
    // Neither can use the id or the token of the other.
    let body = json!({ "claim_id": two.id }).to_string();
    let path = "/registry/yours.lab/claim/verify";
    let mixed = demo.server().post_with(path, &one.bearer(), &body);
    assert_eq!((mixed.status, mixed.error_code().as_str()), (401, "unauthorized"));
    let withdrawn = delete(demo.server(), "/registry/yours.lab/claim", &one.bearer());
    assert_eq!(withdrawn.status, 204, "{}", withdrawn.text());
    let again = delete(demo.server(), "/registry/yours.lab/claim", &one.bearer());
    assert_eq!(again.status, 401, "the claim is gone");
    let record = record(&demo, "yours.lab");
    assert_eq!(
        (record["state"].as_str(), record["method"].as_str()),
        (Some("proven"), Some("meta_tag"))
    );
    assert!(event_types(&record).contains(&"withdrawn".to_owned()));
    assert_eq!(two.verify(&demo).status, 200, "a proven claim is checked again");
    assert_eq!(answer(&demo, "yours.lab")["control"]["proofs"].as_array().unwrap().len(), 1);
}
