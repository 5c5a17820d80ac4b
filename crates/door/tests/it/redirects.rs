//! Redirects: every hop passes all checks, and the whole chain is recorded.

use std::sync::{Arc, Mutex};

use contract::evidence::{ExchangeOutcome, FailurePhase};
use door::{ReadKind, RedirectGate, RedirectPolicy, RedirectRefusal, Visit};
use futures_util::future::BoxFuture;

use crate::setup::{door, lab, page, policy, read, response, visit, why};

#[tokio::test]
async fn the_whole_chain_is_recorded() {
    let lab = lab().await;
    let read = read(&lab, "http://to-www.lab/").await;
    let hops = &read.exchange.hops;
    let urls: Vec<&str> = hops.iter().map(|hop| hop.url.as_str()).collect();
    assert_eq!(urls, ["http://to-www.lab/", "https://to-www.lab/", "https://www.to-www.lab/"]);
    assert!(hops[0].location.as_deref() == Some("https://to-www.lab/"));
    assert!(hops.iter().all(|hop| hop.address.is_some() && hop.status.is_some()));
    let answer = response(&read.exchange);
    assert_eq!((answer.url.as_str(), answer.status), ("https://www.to-www.lab/", 200));
}

#[tokio::test]
async fn a_downgrade_to_http_is_followed_and_recorded() {
    let lab = lab().await;
    let read = read(&lab, "https://to-http.lab/").await;
    assert!(read.exchange.hops[0].url.starts_with("https://"));
    let answer = response(&read.exchange);
    assert!(answer.url.starts_with("http://") && answer.tls.is_none());
}

#[tokio::test]
async fn redirects_to_refused_targets_are_recorded_and_not_followed() {
    let lab = lab().await;
    for (host, reason) in [
        ("to-trap-address.lab", "ip_address"),
        ("to-trap-name.lab", "loopback_address"),
        ("to-metadata.lab", "ip_address"),
        ("to-localhost.lab", "reserved_name"),
        ("to-ipv6.lab", "ip_address"),
        ("to-integer.lab", "ip_address"),
        ("redirect-to-port.lab", "port"),
        ("to-file.lab", "scheme"),
        ("to-userinfo.lab", "userinfo"),
        ("to-far.lab", "url_too_long"),
    ] {
        let read = read(&lab, &format!("https://{host}/")).await;
        assert_eq!(why(&read.exchange), ("refused_by_policy", reason), "{host}");
        let ExchangeOutcome::Failed(failure) = &read.exchange.outcome else { panic!("{host}") };
        assert_eq!(failure.phase, FailurePhase::Redirect, "{host}");
        let [first, last] = read.exchange.hops.as_slice() else { panic!("{host}") };
        assert!(first.address.is_some() && first.status.is_some(), "{host}");
        assert!(last.address.is_none() && last.status.is_none(), "{host}");
        assert!(last.url.len() <= 2048, "{host}");
    }
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn loops_and_long_chains_end_and_robots_txt_has_its_own_limit() {
    let lab = lab().await;
    let looped = read(&lab, "https://redirect-loop.lab/").await;
    assert_eq!(why(&looped.exchange), ("protocol", "redirect_loop"));
    assert_eq!(looped.exchange.hops.len(), 3);
    let twelve = read(&lab, "https://redirect-twelve.lab/").await;
    assert_eq!(why(&twelve.exchange), ("protocol", "too_many_redirects"));
    assert_eq!(twelve.exchange.hops.len(), 11, "the first request and ten redirects");
    // From step seven on five redirects are left; from step six it is one too many.
    for (step, served) in [(7, true), (6, false)] {
        let mut request = page(&format!("https://redirect-twelve.lab/step/{step}"));
        request.kind = ReadKind::Robots;
        let robots = visit(&lab).fetch(request).await;
        assert_eq!(robots.exchange.response().is_some(), served, "step {step}");
    }
}

#[tokio::test]
async fn a_redirect_without_a_target_is_the_response() {
    let lab = lab().await;
    let read = read(&lab, "https://to-nowhere.lab/").await;
    assert_eq!(response(&read.exchange).status, 302);
    assert_eq!(read.exchange.hops.len(), 1);
}

#[tokio::test]
async fn a_redirect_that_must_not_be_followed_is_the_response() {
    let lab = lab().await;
    let mut request = page("http://open.lab/");
    request.redirects = RedirectPolicy::Never;
    let read = visit(&lab).fetch(request).await;
    let answer = response(&read.exchange);
    assert_eq!((answer.status, answer.url.as_str()), (301, "http://open.lab/"));
    assert_eq!(answer.header("location"), Some("https://open.lab/"));
    assert!(!read.body.is_empty(), "its body is read like any other");
    let [hop] = read.exchange.hops.as_slice() else { panic!("one hop") };
    assert_eq!(hop.location.as_deref(), Some("https://open.lab/"));
    assert!(lab.hits("open.lab").iter().all(|hit| hit.scheme == "http"));
}

/// Reads robots.txt of every host that a redirect leads to, and refuses the www hosts.
#[derive(Debug)]
struct TestGate {
    visit: Visit,
    checked_urls: Mutex<Vec<String>>,
}

impl RedirectGate for TestGate {
    fn check_redirect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<RedirectRefusal>> {
        Box::pin(async move {
            self.checked_urls.lock().unwrap().push(url.to_owned());
            let robots = self.visit.fetch(page(&format!("{url}robots.txt"))).await;
            assert_eq!(response(&robots.exchange).status, 200);
            let refusal = RedirectRefusal { reason: "not_wanted", detail: "Somebody said no." };
            url.contains("//www.").then_some(refusal)
        })
    }
}

#[tokio::test]
async fn the_gate_is_called_before_each_redirect_and_may_fetch() {
    let lab = lab().await;
    let mut policy = policy(&lab);
    // If a read held its slot while the gate decides, the gate's own reads would never start.
    policy.limits.requests_per_host = 1;
    let visit = door(policy).visit(std::time::Duration::from_secs(10));
    let gate = Arc::new(TestGate { visit: visit.clone(), checked_urls: Mutex::default() });
    let mut request = page("http://to-www.lab/");
    request.redirects = RedirectPolicy::IfAllowed(gate.clone());
    let read = visit.fetch(request).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", "not_wanted"));
    let hops: Vec<(&str, bool)> =
        read.exchange.hops.iter().map(|hop| (hop.url.as_str(), hop.address.is_some())).collect();
    let expected = [
        ("http://to-www.lab/", true),
        ("https://to-www.lab/", true),
        ("https://www.to-www.lab/", false),
    ];
    assert_eq!(hops, expected);
    assert_eq!(
        *gate.checked_urls.lock().unwrap(),
        ["https://to-www.lab/", "https://www.to-www.lab/"]
    );
    // A target that our own guard refuses never reaches the gate.
    let mut request = page("https://to-metadata.lab/");
    request.redirects = RedirectPolicy::IfAllowed(gate.clone());
    let read = visit.fetch(request).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", "ip_address"));
    assert_eq!(gate.checked_urls.lock().unwrap().len(), 2);
}
