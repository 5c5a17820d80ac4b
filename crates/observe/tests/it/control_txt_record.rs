//! Proofs of control by a TXT record.

use std::time::Duration;

use contract::records::ControlMethod;
use lab::LabProof;
use observe::ProofResult::{Found, NotFound, Unreadable};

use crate::control_setup::{Checks, TOKEN};

async fn checks() -> Checks {
    Checks::by(ControlMethod::DnsTxt).await
}

fn value() -> String {
    format!("token={TOKEN}")
}

#[tokio::test]
async fn a_record_is_found_while_it_is_published() {
    let checks = checks().await;
    let before = checks.check("yours.lab").await;
    assert_eq!(before.result, NotFound);
    assert!(before.detail.contains("NXDOMAIN"), "{}", before.detail);
    assert_eq!(before.place, "_svc-challenge.yours.lab");
    checks.expect("yours.lab", Found, "expected value").await;
    assert_eq!(checks.check("yours.lab").await.dnssec_validated, Some(false));
    assert_eq!(checks.lab.unpublish("yours.lab", None, None), 1);
    assert_eq!(checks.check("yours.lab").await.result, NotFound);
    assert!(checks.lab.hits("yours.lab").is_empty(), "no page is read for a record");
}

#[tokio::test]
async fn a_validated_answer_says_so() {
    let checks = checks().await;
    checks.publish("open.lab");
    let outcome = checks.check("open.lab").await;
    assert_eq!((outcome.result, outcome.dnssec_validated), (Found, Some(true)));
}

#[tokio::test]
async fn one_of_several_claimants_is_found() {
    let checks = checks().await;
    for other in 0..199 {
        let other = LabProof::txt(&format!("token=other-{other:03}-{}", "x".repeat(30)));
        checks.lab.publish("yours.lab", other).unwrap();
    }
    let without = checks.check("yours.lab").await;
    assert_eq!(without.result, NotFound);
    assert!(without.detail.contains("199 TXT records"), "{}", without.detail);
    checks.expect("yours.lab", Found, "").await;
}

#[tokio::test]
async fn strings_of_one_record_are_joined_and_white_space_around_is_ignored() {
    let checks = checks().await;
    let value = value();
    let (start, end) = value.split_at(9);
    checks.lab.publish("yours.lab", LabProof::txt_strings(&["  ", start, end, " "])).unwrap();
    assert_eq!(checks.check("yours.lab").await.result, Found);
    // Two records are not one.
    checks.lab.publish("signed.lab", LabProof::txt(start)).unwrap();
    checks.lab.publish("signed.lab", LabProof::txt(end)).unwrap();
    assert_eq!(checks.check("signed.lab").await.result, NotFound);
}

#[tokio::test]
async fn values_are_compared_whole_and_with_their_case() {
    let checks = checks().await;
    for (domain, text) in [
        ("open.lab", value().to_uppercase()),
        ("signed.lab", value().to_lowercase()),
        ("yours.lab", format!("{}x", value())),
        ("bare-only.lab", TOKEN.to_owned()),
        ("dns-tcp.lab", format!("v=1 {}", value())),
    ] {
        checks.lab.publish(domain, LabProof::txt(&text)).unwrap();
        let outcome = checks.check(domain).await;
        assert_eq!(outcome.result, NotFound, "{domain}");
        assert!(outcome.detail.contains("one TXT record"), "{}", outcome.detail);
    }
}

#[tokio::test]
async fn names_in_answers_may_have_another_case() {
    checks().await.expect("txt-upper-case.lab", Found, "").await;
}

#[tokio::test]
async fn aliases_are_followed() {
    let checks = checks().await;
    let before = checks.check("txt-alias.lab").await;
    assert_eq!(before.result, NotFound);
    assert!(before.detail.contains("NODATA") && before.detail.contains("alias"));
    let proof = LabProof::txt(&value()).named("hop3._svc-challenge.txt-alias.lab");
    checks.lab.publish("txt-alias.lab", proof).unwrap();
    let outcome = checks.check("txt-alias.lab").await;
    assert_eq!(outcome.result, Found, "{}", outcome.detail);
    assert!(outcome.detail.contains("hop3._svc-challenge.txt-alias.lab"), "{}", outcome.detail);
}

#[tokio::test]
async fn a_wildcard_proves_what_it_says_and_nothing_else() {
    let checks = checks().await;
    let wildcard = |text: &str| LabProof::txt(text).named("*.yours.lab");
    checks.lab.publish("yours.lab", wildcard("v=spf1 -all")).unwrap();
    assert_eq!(checks.check("yours.lab").await.result, NotFound);
    checks.lab.publish("yours.lab", wildcard(&value())).unwrap();
    assert_eq!(checks.check("yours.lab").await.result, Found);
    // Records at the name itself hide the wildcard.
    checks.lab.publish("yours.lab", LabProof::txt("token=other")).unwrap();
    assert_eq!(checks.check("yours.lab").await.result, NotFound);
}

#[tokio::test]
async fn failures_of_dns_hide_the_record() {
    let checks = checks().await;
    checks.expect("txt-servfail.lab", Unreadable, "SERVFAIL").await;
    checks.expect("txt-refused.lab", Unreadable, "REFUSED").await;
    checks.expect("txt-truncated.lab", Unreadable, "only a part").await;
    let silent = checks.check_within("txt-silent.lab", Duration::from_secs(1)).await;
    assert_eq!(silent.result, Unreadable, "{}", silent.detail);
}
