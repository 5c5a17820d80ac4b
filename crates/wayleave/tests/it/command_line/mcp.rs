//! `wayleave mcp`, against the lab's servers and against processes.

use super::*;
use crate::lab_server::LabServer;

const NOT_READ: i32 = 3;
const SHOP: &str = "https://mcp-both.lab/mcp";

/// The command line of a server that behaves in this way.
fn server(how: &str, note: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/command_line/mcp_server.py");
    format!("python3 '{script}' {how} '{note}'")
}

fn scan(how: &str, more: &[&str]) -> CommandOutput {
    let command = server(how, "");
    let mut arguments = vec!["mcp", "scan", "--command", &command];
    arguments.extend(more);
    run(&arguments)
}

/// The configuration with which this program reads the lab.
fn lab_config(lab: &LabServer, folder: &Folder) -> String {
    let authority = folder.path("ca.pem");
    std::fs::write(&authority, &lab.lab.network().ca_pem).unwrap();
    let config = folder.path("lab.toml");
    std::fs::write(&config, lab.lab.network().to_toml(Path::new(&authority))).unwrap();
    config
}

#[test]
fn a_good_process_is_read_and_gets_no_more_than_it_needs() {
    let text = scan("good", &[]).expect(PASSED);
    assert!(text.out.contains("observed, 2 tools"), "{}", text.out);
    assert!(!text.out.contains('\u{1b}'), "colours in a pipe");
    let places: Vec<_> =
        ["\nFindings\n", "\nRules\n", "\nConnect: warn"].map(|part| text.out.find(part)).into();
    assert!(places.is_sorted() && places[0].is_some(), "{}", text.out);
    let record = scan("environment", &["--json"]).expect(PASSED).json();
    assert_eq!(record["transport"]["form"], "stdio");
    assert_eq!(record["url"], Value::Null);
    assert_eq!(record["transport"]["https"], Value::Null);
    assert_eq!(record["surface"]["complete"], true);
    assert_eq!(record["invocation"]["tools_called"], 0);
    let variables = CommandOutput::of(
        wayleave()
            .env("MCP_TEST_SECRET", "x")
            .args(["mcp", "lock", "-o", "-", "--command", &server("environment", "")])
            .output()
            .unwrap(),
    );
    let plain = run(&["mcp", "lock", "-o", "-", "--command", &server("environment", "")]);
    let digest = |output: CommandOutput| output.expect(PASSED).json()["surface_sha256"].clone();
    assert_eq!(digest(variables), digest(plain), "a variable was passed on");
}

#[test]
fn findings_decide_the_exit_code_and_become_sarif() {
    let folder = Folder::new();
    let file = folder.path("out.sarif");
    let output = scan("poisoned", &["--sarif", &file]).expect(CHECK_FAILED);
    assert!(output.out.contains("[hard, "), "{}", output.out);
    assert!(output.out.contains("Connect: block"), "{}", output.out);
    let log: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["level"] == "error"), "{log}");
    let place = &results[0]["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "stdio:small");
    let name = place["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap();
    assert!(name.starts_with("tool search, description"), "{name}");
    scan("good", &["--fail-on", "soft"]).expect(PASSED);
    let shown = scan("poisoned", &["--sarif", "-", "--sarif-file", "mcp.lock.json"]);
    let log = shown.expect(CHECK_FAILED).json();
    let at = log.pointer("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri");
    assert_eq!(at.unwrap(), "mcp.lock.json");
}

#[test]
fn bad_processes_end_in_time_and_are_told_apart() {
    for (how, why) in [
        ("silent", "unreachable"),
        ("ends", "unreachable"),
        ("garbage", "not_mcp"),
        ("endless", "not_mcp"),
        ("big_line", "not_mcp"),
    ] {
        let start = Instant::now();
        let output = scan(how, &[]).expect(NOT_READ);
        output.assert_stderr_contains(&[why]);
        assert!(start.elapsed() < Duration::from_secs(25), "{how}: {:?}", start.elapsed());
    }
    run(&["mcp", "scan", "--command", "/nowhere/server x"]).expect_error("cannot be started");
    for wrong in [
        &["mcp", "scan"][..],
        &["mcp", "scan", "--command", "'a"],
        &["mcp", "scan", "--command", "a", "--server", "http://127.0.0.1:1"],
        &["mcp", "scan", SHOP, "--command", "a"],
        &["mcp", "scan", SHOP, "--json", "--sarif", "-"],
        &["mcp", "check", "/nowhere/mcp.lock.json"],
    ] {
        run(wrong).expect(COULD_NOT_CHECK);
    }
}

#[test]
fn a_process_that_ignores_the_request_to_end_is_ended_with_what_it_started() {
    let folder = Folder::new();
    let note = folder.path("pids");
    let command = server("stubborn", &note);
    run(&["mcp", "scan", "--command", &command]).expect(PASSED);
    let pids = std::fs::read_to_string(&note).unwrap();
    for pid in pids.split_whitespace() {
        // The second process is collected by whoever adopts it.
        let until = Instant::now() + Duration::from_secs(5);
        let runs = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        while runs() {
            assert!(Instant::now() < until, "{pid} still runs");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_changed_description_of_a_process_is_drift() {
    let folder = Folder::new();
    let file = folder.path("mcp.lock.json");
    run(&["mcp", "lock", "--command", &server("good", ""), "-o", &file]).expect(PASSED);
    let lock = std::fs::read(&file).unwrap();
    let check = |how: &str, more: &[&str]| {
        let command = server(how, "");
        let mut arguments = vec!["mcp", "check", &file, "--command", &command];
        arguments.extend(more);
        run(&arguments)
    };
    let same = check("good", &["--json"]).expect(PASSED).json();
    assert_eq!((&same["state"], &same["lock"]["origin"]), (&json!("match"), &json!("unsigned")));
    let output = check("changed", &[]).expect(CHECK_FAILED);
    let line = "[confirm] tool search: description changed (fields: description)";
    assert!(output.out.contains(line), "{}", output.out);
    let output = check("changed", &["--policy", "prose=block"]).expect(CHECK_FAILED);
    assert!(output.out.contains("[block] tool search"), "{}", output.out);
    let log = check("changed", &["--sarif", "-"]).expect(CHECK_FAILED).json();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "mcp_lock_description_changed");
    check("silent", &[]).expect(NOT_READ);
    run(&["mcp", "check", &file]).expect_error("names no address");
    let bad = folder.write("bad.json", "{}");
    run(&["mcp", "check", &bad, "--command", "a"]).expect_error("not a lock that can be used");
    // A lock is never replaced by that of a server that could not be read.
    run(&["mcp", "lock", "--command", &server("silent", ""), "-o", &file]).expect(NOT_READ);
    assert_eq!(std::fs::read(&file).unwrap(), lock);
}

#[test]
fn a_server_is_read_from_here_and_by_a_service() {
    let lab = LabServer::start(&[]);
    let folder = Folder::new();
    let config = lab_config(&lab, &folder);
    let here = |more: &[&str]| {
        let mut arguments = vec!["mcp"];
        arguments.extend(more);
        arguments.extend(["--config", &config]);
        run(&arguments)
    };
    let base = format!("http://{}", lab.server.address);
    let poisoned = here(&["scan", "https://mcp-poisoned.lab/mcp"]).expect(CHECK_FAILED);
    assert!(!poisoned.out.chars().any(|c| c != '\n' && contract::text::is_hidden(c)));
    here(&["scan", "https://minimal.lab/mcp"]).expect(NOT_READ);
    here(&["scan", "http://127.0.0.1:9/mcp"]).expect_error("not a public one");
    here(&["scan", SHOP, "--server", &base]).expect(PASSED);
    let unsigned = folder.path("unsigned.json");
    let signed = folder.path("signed.json");
    here(&["lock", SHOP, "-o", &unsigned]).expect(PASSED);
    here(&["lock", SHOP, "-o", &signed, "--server", &base]).expect(PASSED);
    run(&["verify", "--keys", &base, &signed]).expect(PASSED);
    for lock in [&unsigned, &signed] {
        here(&["check", lock]).expect(PASSED);
        here(&["check", lock, "--server", &base]).expect(PASSED);
    }
    let lock: Value = serde_json::from_slice(&std::fs::read(&signed).unwrap()).unwrap();
    let name = lock["tools"][0]["name"].as_str().unwrap().to_owned();
    assert!(lab.lab.edit_mcp("mcp-both.lab", |mcp| {
        mcp.describe_tool(&name, "Something else.");
    }));
    for lock in [&unsigned, &signed] {
        for more in [&[][..], &["--server", &base]] {
            let mut arguments = vec!["check", lock];
            arguments.extend(more);
            let output = here(&arguments).expect(CHECK_FAILED);
            let line = format!("[confirm] tool {name}: description changed (fields: description)");
            assert!(output.out.contains(&line), "{}", output.out);
        }
    }
}
