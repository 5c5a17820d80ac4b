//! The pages in a real browser: a visitor's way through them, without scripts too, on a phone and in the dark,
//! checked by axe-core. Skipped if Chromium, its driver or axe-core is missing (`tools.rs`).
//!
//! `WAYLEAVE_SCREENSHOTS=DIR` stores a picture of every page in every look.

mod domain_owner;
mod driver;
mod licence_holder;
mod looks;

use std::time::{Duration, Instant};

use self::driver::{Browser, Look};
use crate::server::Server;
use crate::tools;

const DESKTOP: Look = Look { width: 1200, dark: false, scripts: true };

/// Not the shared server: other tests ask that one about sites that it has not scanned.
fn start_server() -> Server {
    Server::start_demo(&[])
}

/// Types a domain into the form of the home page and sends it.
fn scan(browser: &Browser, base: &str, domain: &str) {
    browser.open(&format!("{base}/"));
    browser.type_into("#domain", domain);
    browser.click("form[action='/scan'] button");
}

fn wait_for_report(browser: &Browser) {
    browser.wait_until("the report", |browser| browser.address().contains("/r/"));
}

#[test]
fn a_visitor_walks_from_home_to_the_history() {
    if tools::browser().is_none() {
        return;
    }
    let server = start_server();
    let browser = Browser::start(DESKTOP);
    // Live progress. This site answers slowly, so that there is some.
    scan(&browser, &server.base(), "slow.lab");
    browser.wait_until("the progress", |browser| browser.address().contains("/scan/"));
    assert!(browser.text().contains("Scanning slow.lab"), "{}", browser.text());
    browser.wait_until("an answer on the board", |browser| {
        browser.text().contains("Answered 200") || browser.address().contains("/r/")
    });
    wait_for_report(&browser);

    // The report of a site that refuses AI agents.
    scan(&browser, &server.base(), "blocks-ai.lab");
    wait_for_report(&browser);
    let first_scan = Instant::now();
    let first_report = browser.address();
    let text = browser.text();
    for shown in [
        // Not `10 of 10`.
        "\n0 of 10 AI agents got the page.",
        "capped at 30",
        "0 of 4 served",
        "Refused 403",
        "What an agent should do here",
        "How to let them in",
        "If you want them out",
        "This is the first public scan of this domain.",
    ] {
        assert!(text.contains(shown), "{shown}\n{text}");
    }
    assert!(text.find("How to let them in") < text.find("If you want them out"));
    // A fix: the tab of a product, and its text to copy.
    browser.click("#f1 .tabs summary");
    browser.run("document.querySelector('#f1 .tabs details:nth-of-type(10) summary').click()");
    browser.wait_until("the tab of nginx", |browser| browser.text().contains("nginx -T"));
    browser.click("#f1 .tabs details[open] .copy-button");
    browser.wait_until("the copy", |browser| {
        let text = browser.text();
        text.contains("Copied") || text.contains("Selected")
    });

    // Scanning again at once gives the same report, and the page says so.
    browser.click("form[action='/scan'] button");
    wait_for_report(&browser);
    assert_eq!(browser.address(), first_report);
    assert!(browser.text().contains("A new scan is possible in"), "{}", browser.text());

    // After two minutes there is a new one, and a history.
    let window = Duration::from_secs(122);
    std::thread::sleep(window.saturating_sub(first_scan.elapsed()));
    browser.click("form[action='/scan'] button");
    browser.wait_until("another report", |browser| {
        // Asked once: between two questions the page may change.
        let address = browser.address();
        address.contains("/r/") && address != first_report
    });
    let text = browser.text();
    assert!(text.contains("The score has not changed since"), "{text}");
    assert_eq!(browser.run("return document.querySelectorAll('.spark circle').length"), 2);
}

#[test]
fn the_preflight_form_shows_the_decision() {
    if tools::browser().is_none() {
        return;
    }
    let server = &start_server();
    // A live reading has one second, and a busy machine may not finish it.
    for domain in ["open.lab", "blocks-ai.lab"] {
        server.scan(domain);
    }
    let browser = Browser::start(DESKTOP);
    for (address, decision) in
        [("https://open.lab/visit", "Allow"), ("https://blocks-ai.lab/", "Block")]
    {
        browser.open(&format!("{}/", server.base()));
        browser.type_into("#url", address);
        browser.click("input[value='read']");
        browser.type_into("#agent", "Claude-User");
        browser.click("form[action='/preflight'] button");
        browser.wait_until("the decision", |browser| browser.has(".receipt"));
        let shown =
            browser.run("return document.querySelector('.receipt .big').textContent.trim()");
        assert_eq!(shown, decision, "{address}: {}", browser.text());
        assert!(
            browser.text().contains("How we decided") && browser.text().contains("Valid until")
        );
    }
    browser.open(&format!("{}/preflight", server.base()));
    browser.type_into("#url", "not an address at all");
    browser.click("form[action='/preflight'] button");
    browser.wait_until("the error", |browser| browser.has("[role=alert]"));
}

#[test]
fn the_visitor_form_shows_the_verdict() {
    if tools::browser().is_none() {
        return;
    }
    let server = &start_server();
    crate::visitor_api::wait_for_lists(server);
    let genuine = lab::feed_addresses("openai-gptbot")[0].to_string();
    let browser = Browser::start(DESKTOP);
    browser.open(&format!("{}/", server.base()));
    browser.click("a[href='/visitor']");
    for (address, agent, verdict) in [
        (genuine.as_str(), "GPTBot/1.3", "Verified"),
        ("8.8.4.4", "GPTBot/1.3", "Spoofed"),
        ("", "GPTBot/1.3", "Unverifiable"),
        ("8.8.4.4", "Mozilla/5.0 Firefox/158.0", "Not a known agent"),
    ] {
        browser.open(&format!("{}/visitor", server.base()));
        browser.type_into("#ua", agent);
        browser.type_into("#ip", address);
        browser.click("form[action='/visitor'] button");
        browser.wait_until("the verdict", |browser| browser.has(".receipt"));
        let shown =
            browser.run("return document.querySelector('.receipt .big').textContent.trim()");
        assert_eq!(shown, verdict, "{agent} {address}: {}", browser.text());
        assert_eq!(browser.text().contains("How we checked"), verdict != "Not a known agent");
        // The visitor is in no address of ours.
        assert!(browser.address().ends_with("/visitor"), "{}", browser.address());
    }
    browser.open(&format!("{}/visitor", server.base()));
    browser.type_into("#ua", "GPTBot/1.3");
    browser.type_into("#ip", "8.8.4.4:443");
    browser.click("form[action='/visitor'] button");
    browser.wait_until("the error", |browser| browser.has("[role=alert]"));
    assert!(browser.text().contains("port"), "{}", browser.text());
}

/// Without scripts the forms, the progress and the report work, by loading the page again.
#[test]
fn pages_work_without_scripts() {
    if tools::browser().is_none() {
        return;
    }
    let server = &start_server();
    let browser = Browser::start(Look { scripts: false, ..DESKTOP });
    scan(&browser, &server.base(), "slow.lab");
    wait_for_report(&browser);
    assert!(browser.text().contains("10 of 10 AI agents got the page."), "{}", browser.text());
    assert!(!browser.has(".copy-button"));
    browser.open(&format!("{}/", server.base()));
    browser.type_into("#url", "https://open.lab/");
    browser.click("form[action='/preflight'] button");
    browser.wait_until("the decision", |browser| browser.has(".receipt"));
}

/// A missing name, a refused connection and a server that does not answer in time are told apart.
#[test]
fn what_went_wrong_is_said_in_words() {
    if tools::browser().is_none() {
        return;
    }
    let server = &start_server();
    let browser = Browser::start(DESKTOP);
    for (domain, words) in [
        ("nowhere.lab", "This name does not exist"),
        ("no-address.lab", "This name has no address"),
        ("dns-silent.lab", "The name could not be looked up"),
        ("stalls-before-head.lab", "The time limit for this read passed"),
        ("192.0.2.1", "An IP address is not a domain."),
    ] {
        scan(&browser, &server.base(), domain);
        browser.wait_until(domain, |browser| browser.text().contains(words));
    }
}
