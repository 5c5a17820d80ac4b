//! A robots.txt group for our own token stops us, on the site itself and on redirect targets.

use std::time::Duration;

use contract::evidence::{ExchangeOutcome, ReadTarget, SkipReason};

use crate::setup::{all_reads, answer, door, lab, of, scan};

const TIME: Duration = Duration::from_secs(10);

#[tokio::test]
async fn an_opt_out_stops_everything_but_the_policy_file() {
    let lab = lab().await;
    let read = scan(&door(&lab), "robots-opt-out.lab", TIME).await;
    assert_eq!(read.evidence.reads.len(), 1);
    assert_eq!(read.evidence.not_read.len(), all_reads() - 1);
    assert!(read.evidence.not_read.iter().all(|unread| unread.why == SkipReason::OptOut));
    let paths: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/robots.txt"]);
}

#[tokio::test]
async fn an_opt_out_of_a_redirect_target_applies_too() {
    let lab = lab().await;
    let read = scan(&door(&lab), "to-opted-out.lab", TIME).await;
    for home in of(&read, ReadTarget::Home) {
        let ExchangeOutcome::Failed(failure) = &home.exchange.outcome else {
            panic!("it was followed")
        };
        assert_eq!((failure.kind.as_str(), &*failure.reason), ("refused_by_policy", "opt_out"));
        let [first, last] = home.exchange.hops.as_slice() else { panic!("two hops") };
        assert_eq!((first.status, last.address.as_deref()), (Some(302), None));
    }
    // Read once for all reads, and recorded as another host's robots.txt.
    let [policy] = of(&read, ReadTarget::RobotsElsewhere)[..] else { panic!("one reading") };
    assert_eq!(answer(policy).url, "https://robots-opt-out.lab/robots.txt");
    let paths: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/robots.txt"]);
    // The site itself disallows nothing.
    let files = of(&read, ReadTarget::MachineFile);
    assert!(files.iter().all(|reading| reading.exchange.response().is_some()));
}

#[tokio::test]
async fn a_redirect_to_a_site_without_an_opt_out_is_followed() {
    let lab = lab().await;
    let read = scan(&door(&lab), "to-another.lab", TIME).await;
    for home in of(&read, ReadTarget::Home) {
        assert_eq!(answer(home).url, "https://open.lab/");
    }
    let own = of(&read, ReadTarget::Robots);
    assert!(own.iter().all(|reading| reading.exchange.url.contains("to-another.lab")));
    assert_eq!(of(&read, ReadTarget::RobotsElsewhere).len(), 1);
}
