//! A robots.txt group for our own token stops us, here and where we are led to.

use std::time::Duration;

use contract::evidence::{NotReadWhy, Outcome, Target};

use crate::setup::{all_reads, answer, door, lab, of, scan};

const TIME: Duration = Duration::from_secs(10);

#[tokio::test]
async fn an_opt_out_stops_everything_but_the_policy_file() {
    let lab = lab().await;
    let read = scan(&door(&lab), "robots-opt-out.lab", TIME).await;
    assert_eq!(read.evidence.reads.len(), 1);
    assert_eq!(read.evidence.not_read.len(), all_reads() - 1);
    assert!(read.evidence.not_read.iter().all(|unread| unread.why == NotReadWhy::OptOut));
    let asked: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt"]);
}

#[tokio::test]
async fn an_opt_out_of_the_place_a_redirect_leads_to_counts_as_well() {
    let lab = lab().await;
    let read = scan(&door(&lab), "to-opted-out.lab", TIME).await;
    for home in of(&read, Target::Home) {
        let Outcome::Failed(failure) = &home.exchange.outcome else { panic!("it was followed") };
        assert_eq!((failure.kind.as_str(), &*failure.reason), ("refused_by_policy", "opt_out"));
        let [first, last] = home.exchange.hops.as_slice() else { panic!("two hops") };
        assert_eq!((first.status, last.address.as_deref()), (Some(302), None));
    }
    // Asked once for all, and written down as what it is.
    let [policy] = of(&read, Target::RobotsElsewhere)[..] else { panic!("one reading") };
    assert_eq!(answer(policy).url, "https://robots-opt-out.lab/robots.txt");
    let asked: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt"]);
    // The site itself asked for nothing.
    let files = of(&read, Target::MachineFile);
    assert!(files.iter().all(|reading| reading.exchange.response().is_some()));
}

#[tokio::test]
async fn a_redirect_to_a_site_that_minds_nothing_is_followed() {
    let lab = lab().await;
    let read = scan(&door(&lab), "to-another.lab", TIME).await;
    for home in of(&read, Target::Home) {
        assert_eq!(answer(home).url, "https://open.lab/");
    }
    let own = of(&read, Target::Robots);
    assert!(own.iter().all(|reading| reading.exchange.url.contains("to-another.lab")));
    assert_eq!(of(&read, Target::RobotsElsewhere).len(), 1);
}
