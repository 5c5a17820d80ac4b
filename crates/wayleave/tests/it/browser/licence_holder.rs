//! The way of a licence holder, in a real browser: an operator makes a key; its holder signs in, makes a private
//! scan, sees the quota fall, and gets a webhook when the site changes. A stranger with the link gets 404.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::driver::Browser;
use super::{DESKTOP, wait_for_report};
use crate::lab_server::{Extension, LabServer};
use crate::server::wayleave;
use crate::tools;
use crate::webhooks::receiver::Receiver;

/// Redirects to another domain once somebody opened `/turn/away`.
const SITE: &str = "moves.lab";
const PLAN: &str = "[access]\nplans = [\"small quota=20 private webhooks\"]\n";

fn create_licence(started: &LabServer) -> String {
    let done = wayleave()
        .args(["licence", "create", "--domain", SITE, "--plan", "small", "--config"])
        .arg(started.configuration())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn sign_in(browser: &Browser, base: &str, key: &str) {
    browser.open(&format!("{base}/manage"));
    browser.type_into("#key", key);
    browser.click("form[action='/manage/sign-in'] button");
    browser.wait_until("the account", |browser| browser.text().contains("Calls this month"));
}

fn scan(browser: &Browser, base: &str, visibility: &str) -> String {
    browser.open(&format!("{base}/manage"));
    browser.type_into("#domain", SITE);
    browser.click(&format!("input[name=visibility][value={visibility}]"));
    browser.click("form[action='/manage/scans'] button");
    wait_for_report(browser);
    browser.address()
}

/// Makes the site redirect to another domain.
fn change_the_site(started: &LabServer) {
    let (address, port) = (started.lab.address(SITE).unwrap(), started.lab.network().https_port);
    let done = std::process::Command::new("curl")
        .args(["--insecure", "--silent", "--fail", "--resolve"])
        .arg(format!("{SITE}:{port}:{address}"))
        .arg(format!("https://{SITE}:{port}/turn/away"))
        .status();
    assert!(done.unwrap().success());
}

fn events(receiver: &Receiver, name: &str) -> Vec<Value> {
    let mut received = receiver.received_at("/hook");
    received.retain(|entry| entry["event"]["type"] == name);
    received
}

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_licence_holder_walks_from_the_key_to_the_webhook() {
    // A shell with curl, too.
    if tools::browser().is_none() || tools::shell().is_none() {
        return;
    }
    let Some(receiver) = Receiver::start() else { return };
    let extension = Extension { ports: vec![receiver.port], ..Extension::default() };
    let sections = format!("[targets]\nenabled = false\n\n{PLAN}");
    let started = LabServer::start_extended(&[], &sections, &extension);
    let base = started.server.base();
    receiver.trust(&base);
    let key = create_licence(&started);

    let browser = Browser::start(DESKTOP);
    // A wrong key first.
    browser.open(&format!("{base}/manage"));
    browser.type_into("#key", "wl_wrong");
    browser.click("form[action='/manage/sign-in'] button");
    browser.wait_until("the error", |browser| browser.has("[role=alert]"));
    sign_in(&browser, &base, &key);
    assert!(browser.text().contains("0 of 20 calls used, 20 left"), "{}", browser.text());

    // The webhook.
    browser.open(&format!("{base}/manage/webhooks"));
    browser.type_into("#url", &receiver.url("/hook"));
    browser.click("form[action='/manage/webhooks/add'] button");
    browser.wait_until("the webhook", |browser| browser.text().contains("Nothing was sent yet."));

    // A private scan, and what it costs.
    let report = scan(&browser, &base, "private");
    assert!(browser.text().contains(SITE));
    browser.open(&format!("{base}/manage"));
    let text = browser.text();
    assert!(text.contains("1 of 20 calls used, 19 left"), "{text}");
    assert!(text.contains("Only this licence"), "{text}");
    assert!(browser.has("svg rect"), "the chart");
    wait_for("the event of the scan", || !events(&receiver, "scan.finished").is_empty());

    // A stranger has the link, and gets what everybody gets for an unknown one.
    let stranger = Browser::start(DESKTOP);
    stranger.open(&report);
    assert!(stranger.text().contains("There is no report with this id."), "{}", stranger.text());
    let path = report.strip_prefix(&base).unwrap();
    assert_eq!(started.server.get(path).status, 404);

    // The site changes between two readings, and the second shows it.
    started.resolve(SITE).unwrap();
    change_the_site(&started);
    scan(&browser, &base, "public");
    let is_about_the_host = |entry: &Value| entry["event"]["data"]["field"] == "tls.final_host";
    wait_for("the event of the change", || {
        events(&receiver, "answer.changed").iter().any(is_about_the_host)
    });
    for entry in receiver.received_at("/hook") {
        assert!(entry["error"].is_null(), "the signature holds: {entry}");
    }
    browser.open(&format!("{base}/manage/webhooks"));
    assert!(browser.text().contains("Delivered"), "{}", browser.text());

    // Signing out.
    browser.open(&format!("{base}/manage"));
    browser.click("form[action='/manage/sign-out'] button");
    browser.wait_until("the form", |browser| browser.has("#key"));
    browser.open(&report);
    assert!(browser.text().contains("There is no report with this id."));
    // A page with an error has the status of the error; nothing else may be said.
    let console = browser.console();
    assert!(console.iter().all(|line| line.contains("status of 40")), "{console:?}");
}
