//! Scans every site of the lab through the API and compares the record with the expected one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::judgements::expectations::JudgedSite;
use crate::lab_server::run_all;
use crate::machine_record::machine_record_faults;
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
    let mut results = run_all(&sites, 6, |site| check_site(&server, site));
    let too_slow = |checked: &CheckedSite| checked.timed_out && !checked.faults.is_empty();
    if results.iter().any(too_slow) {
        // The machine did something else for seconds. One site at a time, on a server that has not read them.
        let idle_server = Server::start_demo(&["--scan-deadline-ms", "20000"]);
        for (site, checked) in sites.iter().zip(&mut results).filter(|(_, c)| too_slow(c)) {
            println!("again, because reads timed out: {}: {:?}", checked.name, checked.faults);
            *checked = check_site(&idle_server, site);
        }
    }
    let wrong: BTreeMap<_, _> = results
        .iter()
        .filter(|checked| !checked.faults.is_empty())
        .map(|checked| (&checked.name, &checked.faults))
        .collect();
    assert!(wrong.is_empty(), "{} of {} records are wrong: {wrong:#?}", wrong.len(), sites.len());
    let lines: BTreeMap<String, String> =
        results.into_iter().filter_map(|checked| Some((checked.name, checked.line?))).collect();
    insta::assert_snapshot!("what_records_say", lines.into_values().collect::<Vec<_>>().join("\n"));
}

struct CheckedSite {
    name: String,
    /// Where the record is not as promised.
    faults: Vec<String>,
    /// For the snapshot.
    line: Option<String>,
    /// Whether reads ended by a time limit although the site does not promise that.
    timed_out: bool,
}

fn check_site(server: &Server, site: &Value) -> CheckedSite {
    let name = site["name"].as_str().unwrap();
    let record = server.scan(name);
    let answer = server.get(&format!("/api/v1/resolve?domain={name}")).json();
    let mut faults = differences(&site["expect"], &record);
    let judged = JudgedSite { record: &record, answer: &answer };
    let broken_promises = [promises(&site["expect"], &judged), disagreements(&judged)].concat();
    faults.extend(broken_promises);
    faults.extend(machine_record_faults(server, &record));
    let errors: Vec<&Value> = record["agentview"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["error"])
        .filter(|error| !error.is_null())
        .collect();
    let promises_failure = !site["expect"]["failure"].is_null();
    if !faults.is_empty() && !promises_failure && !errors.is_empty() {
        faults.push(format!("errors of reads: {errors:?}"));
    }
    CheckedSite {
        name: name.to_owned(),
        faults,
        line: owner_and_record(site, &record),
        timed_out: !promises_failure && errors.iter().any(|error| error["kind"] == "timeout"),
    }
}

/// What the site promises about findings, gates, decisions and the grade, and the record or answer
/// does not say.
fn promises(expect: &Value, judged: &JudgedSite<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let record = judged.record;
    let words = |list: &Value| -> Vec<String> {
        let items = list.as_array().into_iter().flatten();
        items.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    for id in words(&expect["finding"]) {
        if !judged.has_finding(&id) {
            faults.push(format!("the finding {id} is missing ({})", judged.finding_ids()));
        }
    }
    for id in words(&expect["no_finding"]) {
        if judged.has_finding(&id) {
            faults.push(format!("the finding {id} is wrong"));
        }
    }
    let mut compare = |what: &str, promised: &Value, found: Value| {
        if !promised.is_null() && *promised != found {
            faults.push(format!("{what}: promised {promised}, found {found}"));
        }
    };
    let view = &record["agentview"];
    compare("split", &expect["split"], view["split"].clone());
    compare("variation", &expect["variation"], view["variation"].clone());
    compare("gate", &expect["gate"], judged.gate().into());
    compare("paywall", &expect["paywall"], (!record["paywall"].is_null()).into());
    for file in expect["files"].as_array().into_iter().flatten() {
        let path = file[0].as_str().unwrap();
        compare(path, &file[1], judged.file_state(path).into());
    }
    for action in ["read", "cite"] {
        let promised = words(&expect[action]);
        let decision = judged.decision(action);
        if !promised.is_empty() && !promised.contains(&decision) {
            faults.push(format!("{action}: promised one of {promised:?}, found {decision}"));
        }
    }
    let grade = grade_rank(record["grade"].as_str());
    let most = expect["grade_at_most"].as_str();
    let least = expect["grade_at_least"].as_str();
    if most.is_some() && grade > grade_rank(most) || least.is_some() && grade < grade_rank(least) {
        let (grade, score) = (&record["grade"], &record["overall"]);
        faults.push(format!("grade: at most {most:?}, at least {least:?}, found {grade} {score}"));
    }
    faults
}

/// Where the answer is careful, the record has a finding, and the grade is not the best one.
fn disagreements(judged: &JudgedSite<'_>) -> Vec<String> {
    let decision = judged.decision("read");
    let grade = judged.record["grade"].as_str();
    let findings = judged.record["findings"].as_array().unwrap();
    let mut faults = Vec::new();
    let careful = ["warn", "require_confirmation", "block"].contains(&decision.as_str());
    if careful && grade.is_some() && findings.iter().all(|finding| finding["severity"] == "info") {
        faults.push(format!("resolve says {decision} for read, and the record has no finding"));
    }
    let asks = ["require_confirmation", "block"].contains(&decision.as_str());
    if asks && grade_rank(grade) == grade_rank(Some("A")) {
        faults.push(format!("resolve says {decision} for read, and the grade is A"));
    }
    if decision == "allow" && grade == Some("F") {
        faults.push("resolve allows to read, and the grade is F".to_owned());
    }
    faults
}

/// No grade is worse than every grade.
fn grade_rank(grade: Option<&str>) -> usize {
    ["F", "D", "C", "B", "A"].iter().position(|known| Some(*known) == grade).map_or(0, |at| at + 1)
}

/// The owner's description of the site and what the record says, for review side by side. Sites whose
/// result depends on timing are checked by `expect` only.
fn owner_and_record(site: &Value, record: &Value) -> Option<String> {
    let failure = site["expect"]["failure"]["kind"].as_str();
    let slow = [
        "late",
        "slow",
        "silent",
        "drip",
        "stall",
        "bomb",
        "endless",
        "flood",
        "alternates",
        "tarpit",
        "long-page-varies",
    ];
    let name = site["name"].as_str().unwrap();
    if failure == Some("timeout") || slow.iter().any(|word| name.contains(word)) {
        return None;
    }
    // A site that varies by chance may look the same in all reads of a scan.
    let findings = record["findings"].as_array().unwrap().iter().filter(|f| f["id"] != "varies");
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
        // A page that is cut takes long on a busy machine: some reads may not be made in time.
        let given = match expect["failure"].is_null() {
            true => ["served", "incomplete"].as_slice(),
            false => ["served", "incomplete", "not_read"].as_slice(),
        };
        if expect["ai_refused"] == false
            && !ai.iter().all(|row| given.iter().any(|cause| row["cause"] == *cause))
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
