//! Scans every site of the lab through the API and compares the record with the expected one.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value;

use crate::server::Server;

const MACHINE_FILE_PATHS: [&str; 8] = [
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

/// The lab's catalogue, from `wayleave lab sites --json`.
fn catalogue() -> Vec<Value> {
    let output = crate::server::wayleave().args(["lab", "sites", "--json"]).output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_record_says_what_the_catalogue_promises() {
    // Decompression bombs of several sites at once slow down a small machine, so allow more time.
    let server = Server::start_demo(&["--scan-deadline-ms", "20000"]);
    let sites = catalogue();
    assert!(sites.len() >= 40, "{} sites", sites.len());
    let queue = Mutex::new(sites.iter());
    let wrong = Mutex::new(BTreeMap::new());
    let summaries = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(site) = { queue.lock().unwrap().next() } {
                    let name = site["name"].as_str().unwrap();
                    let record = server.scan(name);
                    summaries
                        .lock()
                        .unwrap()
                        .insert(name.to_owned(), owner_and_record(site, &record));
                    let faults = differences(&site["expect"], &record);
                    if !faults.is_empty() {
                        wrong.lock().unwrap().insert(name.to_owned(), faults);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} records are wrong: {wrong:#?}", wrong.len(), sites.len());
    let lines: Vec<String> = summaries.into_inner().unwrap().into_values().flatten().collect();
    insta::assert_snapshot!("what_records_say", lines.join("\n"));
}

/// The owner's description of the site and what the record says, for review side by side. Sites whose
/// result depends on timing are checked by `expect` only.
fn owner_and_record(site: &Value, record: &Value) -> Option<String> {
    let failure = site["expect"]["failure"]["kind"].as_str();
    let slow =
        ["late", "slow", "silent", "drip", "stall", "bomb", "endless", "flood", "alternates"];
    let name = site["name"].as_str().unwrap();
    if failure == Some("timeout") || slow.iter().any(|word| name.contains(word)) {
        return None;
    }
    let findings = record["findings"].as_array().unwrap().iter();
    let titles: Vec<String> = findings
        .map(|f| {
            format!("    {}: {}", f["severity"].as_str().unwrap(), f["title"].as_str().unwrap())
        })
        .collect();
    let unread = &record["non_observations"][0];
    let unread = match record["grade"].is_null() && !unread.is_null() {
        true => {
            vec![format!("    not seen: {}: {}", unread["what"], unread["why"]).replace('"', "")]
        }
        false => vec![],
    };
    let word = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(format!(
        "{name}\n  owner:  {}\n  record: grade {} ({}), cap {}, split {}, aimed at {}\n{}",
        site["says"].as_str().unwrap(),
        word(&record["grade"]),
        word(&record["overall"]),
        word(&record["grade_detail"]["cap"]),
        word(&record["agentview"]["split"]),
        word(&record["agentview"]["aimed_at"]),
        [titles, unread].concat().join("\n")
    ))
}

/// Differences between a record and what is expected.
fn differences(expect: &Value, record: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let hold = |faults: &mut Vec<String>, what: &str, promised: &Value, found: Value| {
        if !promised.is_null() && *promised != found {
            faults.push(format!("{what}: promised {promised}, found {found}"));
        }
    };
    let rows = record["agentview"]["rows"].as_array().unwrap();
    let row = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap();
    let browser = row("browser");
    let opted_out = expect["robots"] == "opts_us_out";
    if !opted_out {
        hold(
            &mut faults,
            "home_status_browser",
            &expect["home_status_browser"],
            browser["status"].clone(),
        );
        let ai: Vec<&Value> = rows
            .iter()
            .filter(|r| ["train", "search", "user"].iter().any(|role| r["role"] == *role))
            .collect();
        let held = &record["score_ledger"]["held_at_reach"];
        if expect["ai_refused"] == true && !record["overall"].is_null() && *held != true {
            faults.push(format!("no AI identity gets the page, and yet {}", record["overall"]));
        }
        let met = |member: &str, promised: &Value| {
            promised.is_null() || ai.iter().all(|row| row[member] == *promised)
        };
        if !met("blocker", &expect["wall"]) {
            faults.push(format!("wall: promised {}, found {:?}", expect["wall"], ai[0]["blocker"]));
        }
        let vendor = expect["vendor"].as_str();
        let named = |row: &&Value| {
            let word = row["vendor"].as_str().unwrap_or_default().to_lowercase();
            vendor.is_none_or(|vendor| word.contains(vendor.split('_').next().unwrap()))
        };
        if !ai.iter().all(named) {
            faults.push(format!("vendor: promised {vendor:?}, found {:?}", ai[0]["vendor"]));
        }
        if expect["ai_refused"] == false
            && !ai.iter().all(|row| row["cause"] == "served" || row["cause"] == "incomplete")
        {
            faults.push("every AI identity is given a page, and yet one is not".to_owned());
        }
        let checks = record["checks"].as_array().unwrap();
        // The expected number counts only the eight paths of the interface.
        let there = checks
            .iter()
            .filter(|check| MACHINE_FILE_PATHS.iter().any(|path| check["path"] == *path))
            .filter(|check| check["verdict"] == "ok" || check["verdict"] == "invalid");
        hold(
            &mut faults,
            "machine_files_present",
            &expect["machine_files_present"],
            there.count().into(),
        );
        let robots = checks.iter().rfind(|check| check["path"] == "/robots.txt").unwrap();
        let verdict = robots["verdict"].as_str().unwrap();
        let fits = match expect["robots"].as_str() {
            None => true,
            Some("none") => verdict == "absent",
            Some("refused") => verdict == "refused",
            Some("not_robots") => verdict == "invalid" || verdict == "soft_404",
            Some("error") => ["refused", "unreachable", "not_read", "invalid"].contains(&verdict),
            Some(_) => verdict == "ok",
        };
        if !fits {
            faults.push(format!("robots: promised {}, found {verdict}", expect["robots"]));
        }
        let failure = &expect["failure"];
        if !failure.is_null() {
            // If DNS fails, one read is tried and the others are skipped.
            let found = match browser["error"].is_null() {
                true => {
                    record["non_observations"][0]["why"].as_str().unwrap_or_default().to_owned()
                }
                false => format!(
                    "{}: {}",
                    browser["error"]["kind"].as_str().unwrap(),
                    browser["error"]["reason"].as_str().unwrap()
                ),
            };
            let kind = failure["kind"].as_str().unwrap();
            let reasons = failure["reasons"].as_array().unwrap();
            // The shared deadline may come before the timeout of a single read.
            let cut = kind == "timeout" && found == "timeout: deadline";
            let one_of =
                cut || reasons.iter().any(|r| found == format!("{kind}: {}", r.as_str().unwrap()));
            if !one_of {
                faults.push(format!("failure: promised {failure}, found {found:?}"));
            }
        }
    }
    let reached = record["unreachable"].is_null();
    if expect["reachable"] == true && !reached {
        faults.push("promised to be reachable".to_owned());
    }
    if !reached && (!record["id"].is_null() || !record["grade"].is_null()) {
        faults.push("unreachable, and yet it has an id or a grade".to_owned());
    }
    if record["self_audit"]["findings"] != 0 {
        faults.push(format!("contradicts itself: {}", record["self_audit"]));
    }
    if let Some(word) = expect["tls_error"].as_str() {
        let reported = record["findings"].as_array().unwrap().iter().any(|finding| {
            finding["id"] == "bad_certificate" && finding["seen"].as_str().unwrap().contains(word)
        });
        if !reported {
            faults.push(format!("the certificate error {word} is not told"));
        }
    }
    faults
}

#[test]
fn the_list_for_people_and_the_list_for_machines_agree() {
    let text = crate::server::wayleave().args(["lab", "sites"]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    for site in catalogue() {
        assert!(text.contains(site["name"].as_str().unwrap()), "{site}");
        assert!(text.contains(site["says"].as_str().unwrap()), "{site}");
    }
}
