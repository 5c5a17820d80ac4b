//! One check of a content clock.

use std::time::Duration;

use observe::{ContentClockCheck, ContentClockOutcome};

use crate::setup::{catalogue, door, lab};

async fn check(door: &door::Door, url: &str, etag: Option<&str>) -> ContentClockOutcome {
    let catalogue = catalogue();
    let deadline = Duration::from_secs(10);
    let plan =
        ContentClockCheck { url, door, catalogue: &catalogue, deadline, etag, last_modified: None };
    plan.run().await
}

#[tokio::test]
async fn the_page_is_requested_once_after_robots_txt() {
    let lab = lab().await;
    let ContentClockOutcome::Fetched { page: fetched, sitemap } =
        check(&door(&lab), "https://open.lab/", Some("\"x\"")).await
    else {
        panic!("it may be read")
    };
    // The sitemap that robots.txt names may date the page.
    assert!(sitemap.is_some_and(|body| body.starts_with(b"<?xml")));
    assert_eq!(fetched.exchange.response().unwrap().status, 200);
    let sent = &fetched.exchange.request_headers;
    assert!(sent.iter().any(|line| line.name == "if-none-match" && line.value == "\"x\""));
    let paths: Vec<String> = lab.hits("open.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/robots.txt", "/", "/sitemap.xml"]);
}

#[tokio::test]
async fn only_robots_txt_is_read_if_it_disallows_us() {
    let lab = lab().await;
    let read = check(&door(&lab), "https://robots-opt-out.lab/", None).await;
    assert!(matches!(read, ContentClockOutcome::Disallowed), "{read:?}");
    let paths: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/robots.txt"]);
    // This also applies to the target of a redirect.
    let led = check(&door(&lab), "https://to-opted-out.lab/", None).await;
    assert!(matches!(led, ContentClockOutcome::Disallowed), "{led:?}");
}
