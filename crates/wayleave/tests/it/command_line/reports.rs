//! The report and the files of `wayleave scan`.

use std::collections::BTreeSet;

use super::*;

struct Scans(LabRun);

impl Scans {
    fn scan(&self, domain: &str, more: &[&str]) -> CommandOutput {
        let mut arguments = vec!["scan", domain, "--config", &self.0.config];
        arguments.extend(more);
        run(&arguments)
    }
}

#[track_caller]
fn holds_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn a_report_shows_the_whole_record_in_order() {
    let lab = Scans(LabRun::start());
    let output = lab.scan("blocks-ai.lab", &[]).expect(PASSED);
    let record = lab.scan("blocks-ai.lab", &["--json"]).expect(PASSED).json();
    let headings = [
        "Sections\n",
        "Responses by identity (/)\n",
        "Declared policy\n",
        "Machine files\n",
        "Content without scripts\n",
        "Transport and caching\n",
        "Findings: ",
        "Record\n",
    ];
    let places: Vec<_> = headings
        .iter()
        .map(|heading| {
            output
                .out
                .find(&format!("\n{heading}"))
                .unwrap_or_else(|| panic!("{heading}: {}", output.out))
        })
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    holds_all(
        &output.out,
        &[
            "! GPTBot",
            "403  refused",
            "█",
            "seen ",
            "fix ",
            "evidence sha256 ",
            "This scan was not stored",
        ],
    );
    // Every finding, most severe first.
    let order = ["high", "medium", "low", "info"];
    let ranks: Vec<_> = output
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("  [")?.split(']').next())
        .map(|word| order.iter().position(|known| *known == word).unwrap())
        .collect();
    assert_eq!(ranks.len(), record["findings"].as_array().unwrap().len());
    assert!(ranks.is_sorted() && !ranks.is_empty(), "{ranks:?}");
    for section in record["section_scores"].as_array().unwrap() {
        holds_all(&output.out, &[section["title"].as_str().unwrap()]);
    }
    assert!(
        !output.out.contains('\u{1b}') && output.err.is_empty(),
        "{:?} {}",
        output.out,
        output.err
    );
    let too_wide = |line: &&str| line.chars().count() > 100 && !line.starts_with("        ");
    let wide: Vec<_> = output.out.lines().filter(too_wide).collect();
    assert!(wide.is_empty(), "{wide:?}");

    // The ledger is printed only on request.
    assert!(!output.out.contains("\nLedger\n"));
    let rules = record["score_ledger"]["rows"].as_array().unwrap();
    for flag in ["--ledger", "-v"] {
        let output = lab.scan("blocks-ai.lab", &[flag]).expect(PASSED);
        for row in rules {
            holds_all(&output.out, &["\nLedger\n", row["rule"].as_str().unwrap()]);
        }
        assert_eq!(output.out.contains("    curl "), flag == "-v", "{}", output.out);
    }
}

#[test]
fn a_contradiction_is_reported_once_for_all_its_subjects() {
    let lab = Scans(LabRun::start());
    let output = lab.scan("robots-closed.lab", &[]).expect(PASSED);
    holds_all(
        &output.out,
        &[
            "\nContradictions\n  gptbot, claudebot, ",
            "disallowed by line 2 of robots.txt",
            "/  disallowed  line 2: ",
        ],
    );
    let text = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text.matches("Only crawlers that obey robots.txt stay away.").count(), 1, "{text}");
}

#[test]
fn sarif_has_what_its_standard_requires() {
    let lab = Scans(LabRun::start());
    let record = lab.scan("blocks-ai.lab", &["--json"]).expect(PASSED).json();
    let log = lab.scan("blocks-ai.lab", &["--sarif"]).expect(PASSED).json();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("/sarif-schema-2.1.0.json"));
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(
        (&driver["name"], &driver["version"]),
        (&json!("wayleave"), &json!(env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(run["automationDetails"]["id"], "wayleave/blocks-ai.lab/");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);

    let rules = driver["rules"].as_array().unwrap();
    let ids: BTreeSet<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "rule ids are unique");
    for rule in rules {
        for text in
            ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"]
        {
            assert!(!rule.pointer(text).unwrap().as_str().unwrap().is_empty(), "{text}: {rule}");
        }
        for text in ["/shortDescription/text", "/fullDescription/text"] {
            let characters = rule.pointer(text).unwrap().as_str().unwrap().chars().count();
            assert!(characters <= 1024, "{text}: {rule}");
        }
        assert!(
            rule["id"].as_str().unwrap().len() <= 255
                && rule["properties"]["tags"].as_array().unwrap().len() <= 10
        );
    }
    let findings = record["findings"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    let mut prints = BTreeSet::new();
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["id"]);
        let at = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[at]["id"], finding["id"]);
        let level = match finding["severity"].as_str().unwrap() {
            "high" => "error",
            "medium" => "warning",
            _ => "note",
        };
        assert_eq!(result["level"], level);
        assert!(
            result["message"]["text"].as_str().unwrap().contains(finding["seen"].as_str().unwrap())
        );
        assert_eq!(result["properties"]["severity"], finding["severity"]);
        assert_eq!(result["properties"]["evidence"], finding["evidence"]);
        let locations = result["locations"].as_array().unwrap();
        // Code hosts refuse results without a place in the repository: a relative path and a line.
        assert_eq!(locations.len(), 1, "{result}");
        let place = &locations[0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "robots.txt", "{result}");
        assert_eq!(place["region"]["startLine"], 1, "{result}");
        assert!(place["region"]["endColumn"].as_u64() > place["region"]["startColumn"].as_u64());
        for url in result["properties"]["urls"].as_array().unwrap() {
            assert!(url.as_str().unwrap().starts_with("https://blocks-ai.lab/"), "{url}");
        }
        let print = result["partialFingerprints"]["wayleaveFinding/v1"].as_str().unwrap();
        assert!(prints.insert(print.to_owned()), "{result}");
        assert!(result.get("baselineState").is_none(), "{result}");
    }
    // The same fingerprints in the next run, here written to a file.
    let file = lab.0.folder.path("out.sarif");
    let output = lab.scan("blocks-ai.lab", &["--sarif", &file]).expect(PASSED);
    assert!(output.out.starts_with("blocks-ai.lab: "), "{}", output.out);
    let again: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let prints_again = again["runs"][0]["results"].as_array().unwrap().iter();
    let prints_again: BTreeSet<_> = prints_again
        .map(|result| {
            result["partialFingerprints"]["wayleaveFinding/v1"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(prints, prints_again);

    // The file of the repository can be named; anything but a relative path is refused.
    let named = ["--sarif", "--sarif-file", "public/robots.txt"];
    let log = lab.scan("blocks-ai.lab", &named).expect(PASSED).json();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "public/robots.txt");
    for bad in ["https://blocks-ai.lab/robots.txt", "/robots.txt", "../robots.txt"] {
        let output = lab.scan("blocks-ai.lab", &["--sarif", &file, "--sarif-file", bad]);
        assert!(output.expect(COULD_NOT_CHECK).err.contains("from the root of the repository"));
    }

    // A run that checked nothing must not look like a clean one, which would close all alerts.
    let output = lab.scan("no-such-site.lab", &["--sarif"]).expect(COULD_NOT_CHECK);
    assert_eq!(output.out, "");
    assert!(output.err.contains("--sarif and --fixes wrote nothing"), "{}", output.err);
    lab.scan("open.lab", &["--sarif", "--json"]).expect_error("give --sarif a file");
    let output = lab.scan("open.lab", &["--sarif", &lab.0.folder.path("none/x")]);
    assert!(output.expect(COULD_NOT_CHECK).err.contains("cannot be written"));
}

#[test]
fn a_build_fails_for_what_is_new() {
    let lab = Scans(LabRun::start());
    let folder = &lab.0.folder;
    let output = lab.scan("blocks-ai.lab", &["--fail-on", "high"]).expect(CHECK_FAILED);
    holds_all(&output.err, &["Failed by --fail-on: ", "are blocked"]);
    lab.scan("blocks-ai.lab", &["--fail-on", "worst"]).expect(COULD_NOT_CHECK);

    let known =
        folder.write("known.json", lab.scan("blocks-ai.lab", &["--json"]).expect(PASSED).out);
    let sarif = folder.path("known.sarif");
    lab.scan("blocks-ai.lab", &["--sarif", &sarif]).expect(PASSED);
    for baseline in [&known, &sarif] {
        let with = ["--fail-on", "info", "--baseline", baseline];
        let output = lab.scan("blocks-ai.lab", &with).expect(PASSED);
        holds_all(&output.out, &["Compared with the baseline: 0 new, 0 gone\n"]);
    }
    // One that was not known, and one that is known and no longer there.
    let mut record: Value = serde_json::from_slice(&std::fs::read(&known).unwrap()).unwrap();
    let findings = record["findings"].as_array_mut().unwrap();
    let grave = findings.iter().position(|finding| finding["severity"] == "high").unwrap();
    let removed = findings.remove(grave);
    findings.push(json!({ "id": "was_there", "title": "It was there" }));
    let earlier = folder.write("earlier.json", record.to_string());
    let with = ["--fail-on", "high", "--baseline", &earlier];
    let output = lab.scan("blocks-ai.lab", &with).expect(CHECK_FAILED);
    let title = removed["title"].as_str().unwrap();
    holds_all(
        &output.out,
        &["1 new, 1 gone\n", &format!("new  [high] {title}\n"), "gone It was there\n"],
    );
    assert_eq!(output.err, format!("Failed by --fail-on: {title}.\n"));
    // With a machine-readable result the comparison goes to standard error.
    let output =
        lab.scan("blocks-ai.lab", &[&with[..], &["--sarif"]].concat()).expect(CHECK_FAILED);
    holds_all(&output.err, &["1 new, 1 gone"]);
    let states: Vec<Value> = output.json()["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["baselineState"].clone())
        .collect();
    assert_eq!(states.iter().filter(|state| **state == "new").count(), 1, "{states:?}");
    assert!(states.iter().all(|state| *state == "new" || *state == "unchanged"), "{states:?}");

    lab.scan("open.lab", &["--baseline", &known])
        .expect_error("a scan of blocks-ai.lab, not of open.lab");
    lab.scan("open.lab", &["--baseline", &folder.path("none")]).expect_error("cannot be read");
    let broken = folder.write("broken.json", "{}");
    lab.scan("open.lab", &["--baseline", &broken]).expect_error("neither a scan record nor SARIF");
}

#[test]
fn what_can_be_copied_is_written_as_files() {
    let lab = Scans(LabRun::start());
    let record = lab.scan("minimal.lab", &["--json"]).expect(PASSED).json();
    let pastes: BTreeSet<String> = record["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| Some(finding["paste"].as_str()?.trim_end().to_owned()))
        .collect();
    assert!(!pastes.is_empty(), "{record}");
    let fixes = lab.0.folder.path("fixes");
    let output = lab.scan("minimal.lab", &["--fixes", &fixes, "--json"]).expect(PASSED);
    assert!(output.err.contains(&fixes), "{}", output.err);
    let mut written = BTreeSet::new();
    for entry in std::fs::read_dir(&fixes).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if path.ends_with("README.md") {
            holds_all(&text, &["# Fixes for minimal.lab", "Text: `"]);
        } else {
            written.insert(text.trim_end().to_owned());
        }
    }
    assert_eq!(written, pastes);
}
