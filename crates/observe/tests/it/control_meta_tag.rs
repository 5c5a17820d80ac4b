//! Proofs of control by a meta element.

use std::time::Duration;

use contract::records::ControlMethod;
use lab::LabProof;
use observe::ProofResult::{Found, NotFound, Unreadable};

use crate::control_setup::{Checks, TOKEN};

async fn checks() -> Checks {
    Checks::by(ControlMethod::MetaTag).await
}

#[tokio::test]
async fn an_element_is_found_while_it_is_published() {
    let checks = checks().await;
    let before = checks.check("yours.lab").await;
    assert_eq!((before.result, before.place.as_str()), (NotFound, "https://yours.lab/"));
    assert!(before.detail.contains("svc-verification"), "{}", before.detail);
    checks.expect("yours.lab", Found, "has the meta element").await;
    assert_eq!(checks.check("yours.lab").await.dnssec_validated, None);
    assert_eq!(checks.lab.unpublish("yours.lab", None, Some(TOKEN)), 1);
    assert_eq!(checks.check("yours.lab").await.result, NotFound);
    checks.expect("open.lab", Found, "").await;
}

#[tokio::test]
async fn one_of_two_claimants_is_found() {
    let checks = checks().await;
    checks.lab.publish("yours.lab", LabProof::meta("another-claimant")).unwrap();
    let other = checks.check("yours.lab").await;
    assert_eq!(other.result, NotFound);
    assert!(other.detail.contains("its content is not the expected one"), "{}", other.detail);
    checks.expect("yours.lab", Found, "").await;
}

#[tokio::test]
async fn the_page_is_read_twice_and_past_caches_and_robots_txt_is_not() {
    let checks = checks().await;
    checks.publish("yours.lab");
    checks.check("yours.lab").await;
    let hits = checks.lab.hits("yours.lab");
    let mut agents: Vec<&str> = hits.iter().map(|hit| hit.user_agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    assert_eq!((hits.len(), agents.len()), (2, 2), "{agents:?}");
    for hit in &hits {
        assert_eq!((hit.path.as_str(), hit.query.as_deref()), ("/", None));
        assert!(hit.headers.contains(&("cache-control".to_owned(), "no-cache".to_owned())));
    }
    // An opt-out for crawlers does not stop an owner.
    checks.expect("robots-opt-out.lab", Found, "").await;
}

#[tokio::test]
async fn values_are_compared_whole_and_with_their_case() {
    let checks = checks().await;
    for (domain, content) in [
        ("yours.lab", TOKEN.to_uppercase()),
        ("open.lab", format!("{TOKEN}x")),
        ("signed.lab", format!("token={TOKEN}")),
    ] {
        checks.lab.publish(domain, LabProof::meta(&content)).unwrap();
        assert_eq!(checks.check(domain).await.result, NotFound, "{domain}");
    }
    let other_name = LabProof::meta(TOKEN).named("other-verification");
    checks.lab.publish("bare-only.lab", other_name).unwrap();
    assert_eq!(checks.check("bare-only.lab").await.result, NotFound);
}

#[tokio::test]
async fn nothing_outside_of_the_head_counts() {
    let checks = checks().await;
    for domain in [
        "proof-in-comment.lab",
        "proof-in-body.lab",
        "proof-in-template.lab",
        "proof-in-noscript.lab",
        "proof-in-script.lab",
        "proof-in-svg.lab",
    ] {
        checks.expect(domain, NotFound, "has no meta element").await;
        // It is on the page all the same.
        let page = checks.lab.hits(domain);
        assert_eq!(page.len(), 2, "{domain}");
    }
}

#[tokio::test]
async fn what_only_browsers_get_proves_nothing() {
    let checks = checks().await;
    checks.expect("proof-browsers-only.lab", NotFound, "to a browser but not to a client").await;
}

#[tokio::test]
async fn a_site_that_repeats_the_request_proves_nothing() {
    checks().await.expect("proof-search.lab", NotFound, "none has the expected content").await;
}

#[tokio::test]
async fn old_copies_of_caches_are_not_read() {
    let checks = checks().await;
    checks.expect("proof-cached.lab", Unreadable, "came from a cache").await;
    checks.expect("proof-fresh-cache.lab", Found, "").await;
}

#[tokio::test]
async fn redirects_are_followed_only_within_the_domain() {
    let checks = checks().await;
    checks.publish("yours.lab");
    checks.expect("proof-to-www.lab", Found, "").await;
    for (domain, words) in [
        ("proof-moved.lab", "https://yours.lab. The redirect leads to another host"),
        ("proof-open-redirect.lab", "https://yours.lab. The redirect leads to another host"),
        ("proof-to-subdomain.lab", "another host"),
        ("proof-to-http.lab", "away from https"),
        ("proof-to-port.lab", "another host"),
    ] {
        checks.expect(domain, NotFound, words).await;
    }
    // The two readings of its own, and none for a redirect.
    assert_eq!(checks.lab.hits("yours.lab").len(), 0);
}

#[tokio::test]
async fn the_www_name_is_read_if_only_it_has_an_address() {
    let checks = checks().await;
    checks.publish("proof-www-only.lab");
    let outcome = checks.check("proof-www-only.lab").await;
    assert_eq!(outcome.result, Found, "{}", outcome.detail);
    assert_eq!(outcome.place, "https://www.proof-www-only.lab/");
    assert!(outcome.detail.contains("proof-www-only.lab has no address."), "{}", outcome.detail);
}

#[tokio::test]
async fn only_a_missing_page_says_that_nothing_is_there() {
    let checks = checks().await;
    for (domain, result, words) in [
        ("proof-gone.lab", NotFound, "answered 410"),
        ("proof-forbidden.lab", Unreadable, "answered 403"),
        ("proof-busy.lab", Unreadable, "answered 429"),
        ("proof-accepted.lab", Unreadable, "answered 202"),
    ] {
        checks.expect(domain, result, words).await;
    }
    for (domain, result, words) in [
        ("challenges-all.lab", Unreadable, "challenge"),
        ("nowhere.lab", NotFound, "has an address"),
        ("no-address.lab", NotFound, "has an address"),
        ("servfail.lab", Unreadable, "SERVFAIL"),
        ("at-private.lab", Unreadable, "not public"),
    ] {
        let outcome = checks.check(domain).await;
        assert_eq!(outcome.result, result, "{domain}: {}", outcome.detail);
        assert!(outcome.detail.contains(words), "{domain}: {}", outcome.detail);
    }
}

#[tokio::test]
async fn broken_servers_hide_the_page() {
    let checks = checks().await;
    let is_broken = |site: &&lab::LabSite| {
        let is_failing = site.expect.failure.is_some_and(|failure| {
            matches!(failure.kind, "tls" | "connect" | "timeout" | "too_large" | "protocol")
        });
        site.expect.tls_error.is_some() || is_failing
    };
    let readings = lab::catalogue().iter().filter(is_broken).map(async |site| {
        (site.name, checks.check_within(site.name, Duration::from_secs(3)).await)
    });
    let readings = futures_util::future::join_all(readings).await;
    assert!(readings.len() > 20, "{}", readings.len());
    for (name, outcome) in readings {
        assert_eq!(outcome.result, Unreadable, "{name}: {}", outcome.detail);
    }
}
