//! Proofs of control by a file.

use contract::records::ControlMethod;
use lab::LabProof;
use observe::ProofResult::{Found, NotFound, Unreadable};

use crate::control_setup::{Checks, TOKEN};

async fn checks() -> Checks {
    Checks::by(ControlMethod::WellKnownFile).await
}

#[tokio::test]
async fn a_file_is_found_while_it_is_published() {
    let checks = checks().await;
    let before = checks.check("yours.lab").await;
    assert_eq!(before.result, NotFound);
    assert_eq!(before.place, "https://yours.lab/.well-known/svc-challenge.txt");
    assert!(before.detail.contains("answered 404"), "{}", before.detail);
    checks.expect("yours.lab", Found, "has the expected value").await;
    let hits = checks.lab.hits("yours.lab");
    let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    let [_, file, sibling] = paths.as_slice() else { panic!("{paths:?}") };
    assert_eq!(*file, "/.well-known/svc-challenge.txt");
    assert!(sibling.starts_with("/.well-known/svc-challenge-"), "{sibling}");
    assert_eq!(checks.lab.unpublish("yours.lab", None, None), 1);
    assert_eq!(checks.check("yours.lab").await.result, NotFound);
}

#[tokio::test]
async fn one_of_two_claimants_is_found_by_a_whole_line() {
    let checks = checks().await;
    for other in ["another-claimant", &TOKEN.to_lowercase(), &format!("{TOKEN} {TOKEN}")] {
        checks.lab.publish("yours.lab", LabProof::file(other)).unwrap();
    }
    let without = checks.check("yours.lab").await;
    assert_eq!(without.result, NotFound);
    assert!(without.detail.contains("No line"), "{}", without.detail);
    checks.expect("yours.lab", Found, "").await;
}

#[tokio::test]
async fn a_site_that_answers_everything_proves_nothing() {
    let checks = checks().await;
    checks.expect("proof-echo.lab", NotFound, "No line").await;
    checks.expect("proof-everywhere.lab", NotFound, "a path that does not exist").await;
    checks.expect("proof-search.lab", NotFound, "HTML").await;
}

#[tokio::test]
async fn a_page_is_not_a_file() {
    let checks = checks().await;
    checks.expect("proof-html-file.lab", NotFound, "HTML").await;
    checks.expect("proof-html-text.lab", NotFound, "HTML").await;
}

#[tokio::test]
async fn redirects_are_followed_only_within_the_domain() {
    let checks = checks().await;
    checks.publish("yours.lab");
    checks.expect("proof-to-www.lab", Found, "").await;
    for (domain, words) in [
        ("proof-moved.lab", "another host"),
        ("proof-open-redirect.lab", "another host"),
        ("proof-to-subdomain.lab", "another host"),
        ("proof-to-http.lab", "away from https"),
        ("proof-to-port.lab", "another host"),
    ] {
        checks.expect(domain, NotFound, words).await;
    }
    assert_eq!(checks.lab.hits("yours.lab").len(), 0);
}

#[tokio::test]
async fn the_www_name_is_read_if_only_it_has_an_address() {
    let checks = checks().await;
    checks.publish("proof-www-only.lab");
    let outcome = checks.check("proof-www-only.lab").await;
    assert_eq!(outcome.result, Found, "{}", outcome.detail);
    let place = "https://www.proof-www-only.lab/.well-known/svc-challenge.txt";
    assert_eq!(outcome.place, place);
    assert!(outcome.detail.starts_with("proof-www-only.lab has no address."));
}

#[tokio::test]
async fn what_hides_the_file_is_not_its_absence() {
    let checks = checks().await;
    for (domain, result, words) in [
        ("proof-cached.lab", Unreadable, "came from a cache"),
        ("proof-fresh-cache.lab", Found, ""),
        ("proof-gone.lab", NotFound, "answered 410"),
        ("proof-forbidden.lab", Unreadable, "answered 403"),
        ("proof-busy.lab", Unreadable, "answered 429"),
        ("proof-accepted.lab", Unreadable, "answered 202"),
    ] {
        checks.expect(domain, result, words).await;
    }
}
