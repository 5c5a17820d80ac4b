//! Every page in every look: no fault found by axe-core, no sideways scrolling, no word broken in a cell,
//! nothing loaded from elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::driver::{Browser, Look};
use crate::licence_api::{DataDir, licence};
use crate::server::Server;
use crate::tools;

/// Words that a cell broke: those whose letters are on two lines. Long texts of strangers may break.
const BROKEN_WORDS: &str = "
const broken = [];
for (const cell of document.querySelectorAll('td, th')) {
  // Headers that only a screen reader sees have no width.
  if (cell.getBoundingClientRect().width < 2) continue;
  if (cell.closest('.wild') || cell.querySelector('.hash') || cell.classList.contains('hash')) continue;
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest('.wild, .hash, .vh')) continue;
    for (const match of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      if (match[0].length > 24) continue;
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) broken.push(match[0]);
    }
  }
}
return broken;";

/// Both widths and both sets of colours. Colours do not depend on the width, so two looks show all.
const LOOKS: [(&str, Look); 2] = [
    ("desktop-light", Look { width: 1200, dark: false, scripts: true }),
    ("phone-dark", Look { width: 390, dark: true, scripts: true }),
];

/// Sites whose scan takes longer than opening a page: one for each look.
const SLOW_SITES: [&str; 2] = ["stalls-before-head.lab", "stalls-in-head.lab"];

#[test]
fn every_page_is_accessible_fits_and_loads_nothing_from_elsewhere() {
    let Some(axe) = tools::browser() else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let data = DataDir::new();
    let server = &Server::start_demo(&data.flags());
    let key = licence(&data, &["--all-domains", "--plan", "standard"]);
    // So that its account has something to show.
    let keyed = format!("x-svc-key: {key}\r\n");
    for domain in ["open.lab", "blocks-ai.lab"] {
        let scan = format!("{{\"domain\":\"{domain}\"}}");
        assert_eq!(server.post_with("/api/v1/scan", &keyed, &scan).status, 200);
    }
    let pages = pages(server);
    let mut wrong = Vec::new();
    for ((look_name, look), slow_site) in LOOKS.into_iter().zip(SLOW_SITES) {
        let browser = Browser::start(look);
        let mut check = |name: &str| {
            let dark = browser.run("return matchMedia('(prefers-color-scheme: dark)').matches");
            assert_eq!(dark, look.dark, "{look_name}");
            store_picture(&browser, look_name, name);
            let faults = faults_of_page(&browser, &server.base(), &axe);
            wrong.extend(faults.into_iter().map(|fault| format!("{look_name} {name}: {fault}")));
        };
        for (name, path) in &pages {
            browser.open(&format!("{}{path}", server.base()));
            check(name);
        }
        // Pages that are the answer to a form.
        super::scan(&browser, &server.base(), "closed.lab");
        browser
            .wait_until("the reason", |browser| browser.text().contains("refused the connection"));
        check("unreachable");
        super::scan(&browser, &server.base(), "192.0.2.1");
        browser.wait_until("the error", |browser| browser.has("[role=alert]"));
        check("home-with-error");
        browser.open(&format!("{}/preflight", server.base()));
        browser.type_into("#url", "https://blocks-ai.lab/");
        browser.click("form[action='/preflight'] button");
        browser.wait_until("the decision", |browser| browser.has(".receipt"));
        check("receipt");
        browser.open(&format!("{}/visitor", server.base()));
        browser.type_into("#ua", "Mozilla/5.0 (compatible; Googlebot/2.1)");
        browser.type_into("#ip", "8.8.4.4");
        browser.click("form[action='/visitor'] button");
        browser.wait_until("the verdict", |browser| browser.has(".receipt"));
        check("visitor-verdict");
        browser.open(&format!("{}/registry/open.lab/claim", server.base()));
        browser.click("form[action='/registry/open.lab/claim/begin'] button");
        browser.wait_until("the token", |browser| browser.text().contains("Publish this"));
        check("claim-challenge");
        browser.open(&format!("{}/manage", server.base()));
        browser.type_into("#key", &key);
        browser.click("form[action='/manage/sign-in'] button");
        browser.wait_until("the account", |browser| browser.has("form[action='/manage/scans']"));
        check("manage");
        browser.open(&format!("{}/manage/webhooks", server.base()));
        check("manage-webhooks");
        browser.type_into("#url", "http://127.0.0.1/");
        browser.click("form[action='/manage/webhooks/add'] button");
        browser.wait_until("the error", |browser| browser.has("[role=alert]"));
        check("manage-webhooks-with-error");
        browser.open(&format!("{}/manage", server.base()));
        browser.click("form[action='/manage/keys/rotate'] button");
        browser.wait_until("the key", |browser| browser.text().contains("Your new key"));
        check("manage-new-key");
        // A second scan of the same site would show the first one's report.
        super::scan(&browser, &server.base(), slow_site);
        browser.wait_until("the progress", |browser| browser.address().contains("/scan/"));
        // Without this the page would leave for the report while it is checked.
        browser.run("if (window.stop) stop()");
        check("running-scan");
        assert!(browser.address().contains("/scan/"), "{} was checked", browser.address());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the page that the browser shows.
pub(super) fn faults_of_page(browser: &Browser, base: &str, axe: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // Folds are opened, so that what they hold is checked too.
    browser
        .run("for (const one of document.querySelectorAll('details:not([name])')) one.open = true");
    let width = browser.run(
        "return [document.scrollingElement.scrollWidth, document.documentElement.clientWidth]",
    );
    if width[0].as_u64() > width[1].as_u64() {
        faults.push(format!("scrolls sideways: {width}"));
    }
    let broken = browser.run(BROKEN_WORDS);
    if !broken.as_array().unwrap().is_empty() {
        faults.push(format!("breaks words: {broken}"));
    }
    browser.run(axe);
    let found = browser.run_async(
        "const done = arguments[arguments.length - 1];
         axe.run(document, { resultTypes: ['violations'] }).then((result) => done(
           result.violations.map((one) => one.id + ': ' + one.nodes.map((node) =>
             node.html.slice(0, 160) + ' (' + (node.any[0]?.message ?? '') + ')').slice(0, 3).join(' | '))),
           (error) => done([String(error)]));",
    );
    faults.extend(found.as_array().unwrap().iter().map(ToString::to_string));
    // The page of a new tab is the browser's own.
    let own = [base, "data:", "chrome:"];
    let is_elsewhere = |address: &String| !own.iter().any(|own| address.starts_with(own));
    let elsewhere: Vec<String> = browser.requested().into_iter().filter(is_elsewhere).collect();
    if !elsewhere.is_empty() {
        faults.push(format!("loads {elsewhere:?}"));
    }
    let console = browser.console();
    // A page with an error has the status of the error.
    let is_status =
        |line: &String| ["404", "400", "status of"].iter().any(|status| line.contains(status));
    if !console.iter().all(is_status) {
        faults.push(format!("the console says {console:?}"));
    }
    faults
}

/// Names and paths of all pages.
fn pages(server: &Server) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for (name, path) in [
        ("home", "/"),
        ("preflight", "/preflight"),
        ("visitor", "/visitor"),
        ("agents", "/agents"),
        ("conduct", "/conduct"),
        ("not-for-agents", "/not-for-agents/page"),
        ("registry", "/registry/open.lab"),
        ("registry-unregistered", "/registry/nobody-has-this.lab"),
        ("registry-long", "/registry/rdap-long-names.lab"),
        ("visitor-spec", "/spec/visitor-resolve"),
        ("method", "/method"),
        ("log", "/log"),
        ("seals", "/proof"),
        ("docs", "/docs"),
        ("docs-scans", "/docs/scans"),
        ("docs-decisions", "/docs/decisions"),
        ("docs-errors", "/docs/errors"),
        ("docs-records", "/docs/records"),
        ("docs-webhooks", "/docs/webhooks"),
        ("docs-reader", "/docs/reader"),
        ("claim", "/registry/open.lab/claim"),
        ("manage-sign-in", "/manage"),
        ("missing", "/nothing-here"),
    ] {
        pages.insert(name.to_owned(), path.to_owned());
    }
    for domain in ["open.lab", "blocks-ai.lab", "blocks-training.lab", "challenge.lab", "cloak.lab"]
    {
        let scan = server.post_scan(format!("{{\"domain\":\"{domain}\"}}").as_bytes());
        if let Some(id) = scan.json()["id"].as_str() {
            pages.insert(format!("report-{domain}"), format!("/r/{id}"));
        }
    }
    assert!(pages.len() >= 14, "{pages:?}");
    pages
}

pub(super) fn store_picture(browser: &Browser, look: &str, page: &str) {
    let Some(folder) = std::env::var_os("WAYLEAVE_SCREENSHOTS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{page}-{look}.png")), browser.picture()).unwrap();
}
