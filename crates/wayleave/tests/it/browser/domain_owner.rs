//! The way of a domain's owner, in a real browser: claims by each method, breaks the proof, and watches grace,
//! lapse and the new proof while the clock of the demo is moved.

use super::DESKTOP;
use super::driver::{Browser, Look};
use super::looks::{faults_of_page, store_picture};
use crate::command_line::lab_control::Demo;
use crate::tools;

/// Begins a claim by this method, and returns what the page says to publish.
fn begin(browser: &Browser, base: &str, domain: &str, method: &str) -> String {
    browser.open(&format!("{base}/registry/{domain}/claim"));
    browser.click(&format!("input[name=method][value={method}]"));
    browser.click(&format!("form[action='/registry/{domain}/claim/begin'] button"));
    browser.wait_until("the token", |browser| browser.text().contains("1. Publish this"));
    let paste = browser.run("return document.querySelectorAll('pre.copy')[1].textContent");
    paste.as_str().unwrap().to_owned()
}

fn look_for_it(browser: &Browser, domain: &str) {
    browser.click(&format!("form[action='/registry/{domain}/claim/check'] button"));
}

/// Loads the page of the claim until it has this state.
fn wait_for_state(browser: &Browser, base: &str, domain: &str, words: &str) {
    browser.wait_until(words, |browser| {
        browser.open(&format!("{base}/registry/{domain}/claim"));
        let shown = browser.run("return document.querySelector('.say.big').textContent");
        shown.as_str().is_some_and(|shown| shown.contains(words))
    });
}

const DARK_PHONE: Look = Look { width: 390, dark: true, scripts: true };

#[test]
fn an_owner_claims_by_each_method_loses_the_proof_and_proves_again() {
    if tools::browser().is_none() {
        return;
    }
    let demo = Demo::start();
    let base = demo.server().base();
    for (domain, method, flag) in [
        ("open.lab", "meta_tag", "--meta"),
        ("minimal.lab", "well_known_file", "--file"),
        ("yours.lab", "dns_txt", "--txt"),
    ] {
        // The pages of owners are checked where they fit with more difficulty.
        let browser = Browser::start(if domain == "yours.lab" { DARK_PHONE } else { DESKTOP });
        let paste = begin(&browser, &base, domain, method);
        // Too early: the page says what was seen, and shows the token again.
        look_for_it(&browser, domain);
        browser.wait_until("the error", |browser| browser.has("[role=alert]"));
        assert!(
            browser.text().contains("19 more times") || browser.text().contains("20 more times")
        );
        demo.lab(&["publish", domain, flag, &paste]).expect(0);
        browser.type_into("#organization", "Example Shop");
        look_for_it(&browser, domain);
        browser.wait_until("the page of the owner", |browser| {
            browser.text().contains("You have proven control of this domain.")
        });
        browser.open(&format!("{base}/registry/{domain}/claim"));
        assert!(browser.text().contains("Proven"), "{}", browser.text());
        let console = browser.console();
        assert!(console.iter().all(|line| line.contains("status of 40")), "{console:?}");
        if domain != "yours.lab" {
            continue;
        }
        // As the owner: a private scan, an incident and its end.
        browser.open(&format!("{base}/registry/{domain}/owner"));
        browser.type_into("#what", "Somebody changed our checkout.");
        browser.click(&format!("form[action='/registry/{domain}/owner/incident'] button"));
        browser.wait_until("the incident", |browser| {
            browser.text().contains("You reported an incident since")
        });
        browser.click(&format!("form[action='/registry/{domain}/owner/incident/end'] button"));
        browser.wait_until("the end", |browser| browser.has("#what"));
        browser.click(&format!("form[action='/registry/{domain}/owner/scan'] button"));
        super::wait_for_report(&browser);
        let report = browser.address();
        let stranger = Browser::start(DESKTOP);
        stranger.open(&report);
        assert!(stranger.text().contains("There is no report with this id."));

        // An objection, and how all of it looks.
        let scan = demo.scan(domain);
        browser.open(&format!("{base}/registry/{domain}/owner"));
        browser.type_into("#reason", "Our firewall was being replaced.");
        browser.click(&format!("form[action='/registry/{domain}/owner/dispute'] button"));
        browser.wait_until("the dispute", |browser| browser.text().contains("To be read again"));
        demo.lab(&["clock", "+5m"]).expect(0);
        browser.wait_until("the second reading", |browser| {
            browser.open(&format!("{base}/registry/{domain}/owner"));
            browser.text().contains("Verdict stands")
        });
        assert!(scan["id"].is_string());
        let axe = std::fs::read_to_string(tools::browser().unwrap()).unwrap();
        let mut wrong = Vec::new();
        for (name, address) in [
            ("owner", format!("{base}/registry/{domain}/owner")),
            ("claim-proven", format!("{base}/registry/{domain}/claim")),
        ] {
            browser.open(&address);
            store_picture(&browser, "phone-dark", name);
            wrong.extend(faults_of_page(&browser, &base, &axe));
        }
        browser.open(&format!("{base}/registry/{domain}/owner"));
        browser.click("a[href*='/dispute/']");
        browser.wait_until("both reports", |browser| browser.text().contains("Read again"));
        store_picture(&browser, "phone-dark", "dispute");
        wrong.extend(faults_of_page(&browser, &base, &axe));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));

        // The proof goes, and time passes.
        demo.lab(&["unpublish", domain]).expect(0);
        demo.lab(&["clock", "+31d"]).expect(0);
        browser.wait_until("the check", |browser| {
            browser.open(&format!("{base}/registry/{domain}/claim"));
            browser.text().contains("Rechecked")
        });
        demo.lab(&["clock", "+25h"]).expect(0);
        wait_for_state(&browser, &base, domain, "Proof missing");
        assert!(browser.text().contains("Grace ends"), "{}", browser.text());
        demo.lab(&["clock", "+15d"]).expect(0);
        wait_for_state(&browser, &base, domain, "Lapsed");
        browser.open(&format!("{base}/registry/{domain}/owner"));
        assert!(
            browser.text().contains("Prove that you control it"),
            "the session gives nothing now"
        );
        let fresh = begin(&browser, &base, domain, "dns_txt");
        assert_ne!(fresh, paste);
        demo.lab(&["publish", domain, flag, &fresh]).expect(0);
        look_for_it(&browser, domain);
        browser.wait_until("the page of the owner", |browser| {
            browser.text().contains("You have proven control of this domain.")
        });
        wait_for_state(&browser, &base, domain, "Proven");
        assert!(browser.text().contains("Reproven"), "{}", browser.text());
    }
}
