//! One check of a content clock.

use std::time::Duration;

use observe::{ClockPlan, ClockRead};

use crate::setup::{catalogue, door, lab};

async fn check(door: &door::Door, url: &str, etag: Option<&str>) -> ClockRead {
    let catalogue = catalogue();
    let deadline = Duration::from_secs(10);
    let plan = ClockPlan { url, door, catalogue: &catalogue, deadline, etag, last_modified: None };
    plan.run().await
}

#[tokio::test]
async fn a_page_is_asked_for_once_behind_its_policy() {
    let lab = lab().await;
    let ClockRead::Asked(fetched) = check(&door(&lab), "https://open.lab/", Some("\"x\"")).await
    else {
        panic!("it may be read")
    };
    assert_eq!(fetched.exchange.response().unwrap().status, 200);
    let sent = &fetched.exchange.request_headers;
    assert!(sent.iter().any(|line| line.name == "if-none-match" && line.value == "\"x\""));
    let asked: Vec<String> = lab.hits("open.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt", "/"]);
}

#[tokio::test]
async fn a_policy_that_asks_us_away_is_all_that_is_read() {
    let lab = lab().await;
    let read = check(&door(&lab), "https://robots-opt-out.lab/", None).await;
    assert!(matches!(read, ClockRead::Unwelcome), "{read:?}");
    let asked: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt"]);
    // Also where a redirect leads.
    let led = check(&door(&lab), "https://to-opted-out.lab/", None).await;
    assert!(matches!(led, ClockRead::Unwelcome), "{led:?}");
}
