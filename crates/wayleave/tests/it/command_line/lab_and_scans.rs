//! `doctor` and `scan` against a lab.

use super::*;

#[test]
fn doctor_distinguishes_a_good_setup_from_a_bad_one() {
    let lab = LabRun::start();
    let data = lab.folder.path("data");
    let examine = |more: &[&str]| {
        let mut arguments = vec!["doctor", "--config", &lab.config, "--store-data-dir", &data];
        arguments.extend(["--server-listen", "127.0.0.1:0"]);
        arguments.extend(more);
        run(&arguments)
    };
    let checks = examine(&["--json", "--probe", "open.lab"]).expect(PASSED).json();
    let found = doctor_states(&checks);
    for check in [
        ("configuration", "good"),
        ("clock", "good"),
        ("agents.catalogue", "good"),
        ("network.resolver", "good"),
        // A configuration for the lab must not be used in public, and doctor warns about it.
        ("network", "doubt"),
        ("store", "doubt"),
    ] {
        assert!(found.contains(&check), "{check:?} in {found:?}");
    }
    assert!(!Path::new(&data).exists(), "looking makes nothing");

    let output = examine(&["--probe", "open.lab"]).expect(PASSED);
    assert!(output.out.contains("ok      network.resolver: "), "{}", output.out);
    assert!(
        !output.out.contains('\u{1b}') && output.err.is_empty(),
        "{} {}",
        output.out,
        output.err
    );

    let output = examine(&["--probe", "no-such-name.lab"]).expect(CHECK_FAILED);
    assert!(output.out.contains("FAILED  network.resolver: "), "{}", output.out);
    assert!(output.out.contains("NXDOMAIN"), "{}", output.out);
    let output =
        examine(&["--probe", "open.lab", "--network-resolver", "127.0.0.1:1"]).expect(CHECK_FAILED);
    assert!(output.out.contains("FAILED  network.resolver: "), "{}", output.out);
    let missing = lab.folder.path("none.json");
    let output =
        examine(&["--probe", "open.lab", "--agents-catalogue", &missing]).expect(CHECK_FAILED);
    assert!(output.out.contains("FAILED  agents.catalogue: "), "{}", output.out);

    // A broken store and broken keys.
    let broken = lab.folder.path("broken");
    std::fs::create_dir_all(PathBuf::from(&broken).join("keys")).unwrap();
    std::fs::write(PathBuf::from(&broken).join("keys/documents-0001-x.json"), "{").unwrap();
    std::fs::create_dir(PathBuf::from(&broken).join("wayleave.db")).unwrap();
    let mut command = wayleave();
    command.args(["doctor", "--json", "--probe", "open.lab", "--config", &lab.config]);
    command.args(["--store-data-dir", &broken, "--server-listen", "127.0.0.1:0"]);
    let checks = CommandOutput::of(command.output().unwrap()).expect(CHECK_FAILED).json();
    for check in [("keys", "bad"), ("store", "bad"), ("network.resolver", "good")] {
        assert!(doctor_states(&checks).contains(&check), "{check:?} in {checks}");
    }
}

#[test]
fn a_scan_from_here_is_shown_and_its_exit_code_means_something() {
    let lab = LabRun::start();
    let scan = |domain: &str, more: &[&str]| {
        let mut arguments = vec!["scan", domain, "--config", &lab.config];
        arguments.extend(more);
        run(&arguments)
    };
    let output = scan("https://www.open.lab/x?y", &[]).expect(PASSED);
    assert!(output.out.starts_with("open.lab: A ("), "{}", output.out);
    for part in ["Responses by identity", "GPTBot", "Machine files", "/robots.txt", "Sections"] {
        assert!(output.out.contains(part), "{part}: {}", output.out);
    }
    assert!(!output.out.contains('\u{1b}'), "colours in a pipe: {:?}", output.out);
    assert_eq!(output.err, "", "a bar in a pipe");

    let record = scan("open.lab", &["--json"]).expect(PASSED).json();
    assert_eq!(record["kind"], "svc-scan");
    assert_eq!((&record["domain"], &record["grade"]), (&json!("open.lab"), &json!("A")));
    let checks = record["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["path"] == "/llms.txt"), "{checks:?}");
    // Nothing is stored, so there is no signature and there are no links.
    assert_eq!((&record["signature"], &record["links"]["report"]), (&Value::Null, &Value::Null));

    let output = scan("blocks-ai.lab", &[]).expect(PASSED);
    assert!(output.out.contains("AI search crawlers are blocked"), "{}", output.out);
    scan("open.lab", &["--fail-under", "A"]).expect(PASSED);
    let output = scan("blocks-ai.lab", &["--fail-under", "A"]).expect(CHECK_FAILED);
    assert!(output.out.starts_with("blocks-ai.lab: F"), "{}", output.out);
    output.assert_stderr_contains(&[
        "Failed by --fail-under A: the grade is F (30 of 100 points). The score is capped: All 10 AI crawlers",
    ]);
    scan("blocks-ai.lab", &["--fail-under", "f", "--json"]).expect(PASSED);
    scan("blocks-ai.lab", &["--fail-under", "d", "--json"]).expect(CHECK_FAILED);
    assert!(
        scan("open.lab", &["--fail-under", "E"])
            .expect(COULD_NOT_CHECK)
            .err
            .contains("A, B, C, D, F")
    );

    let output = scan("no-such-site.lab", &["--fail-under", "A"]).expect(COULD_NOT_CHECK);
    assert!(output.out.starts_with("no-such-site.lab: the site did not answer"), "{}", output.out);
    output.assert_stderr_contains(&["Nothing was checked: the site did not answer."]);
    let record = scan("no-such-site.lab", &["--json"]).expect(COULD_NOT_CHECK).json();
    assert_eq!((&record["unreachable"], &record["id"]), (&json!(true), &Value::Null));

    for (bad, why) in [
        ("127.0.0.1", "an IP address is not a domain"),
        ("lab", "a public suffix"),
        ("localhost", "reserved"),
        ("open.nosuchtld", "does not exist"),
        ("ftp://open.lab", "only http and https"),
        ("user@open.lab", "user name"),
        ("open.lab:22", "only ports 80"),
        ("", "the domain is missing"),
    ] {
        scan(bad, &[]).expect_error(why);
    }
}

#[test]
fn a_scan_by_a_server_is_shown_the_same() {
    let server = Server::shared();
    let base = server.base();
    // Scan once, so that the next requests get the stored report.
    for domain in ["open.lab", "blocks-ai.lab"] {
        assert_eq!(ask(server, &json!(domain)).status, 200);
    }
    let output = run(&["scan", "open.lab", "--url", &base]).expect(PASSED);
    assert!(output.out.starts_with("open.lab: A"), "{}", output.out);
    assert!(output.out.contains(&format!("{base}/r/")), "{}", output.out);
    assert!(!output.out.contains('\u{1b}'), "{:?}", output.out);
    // An earlier report is never returned silently.
    output.assert_stderr_contains(&[
        "The server did not scan again: this is its report of 2",
        " s old.",
    ]);
    let output = run(&["scan", "open.lab", "--json", "--url", &format!("{base}/")]).expect(PASSED);
    let folder = Folder::new();
    let record = folder.write("record.json", &output.out);
    run(&["verify", "--keys", &base, &record]).expect(PASSED);
    // A build does not pass or fail by a report from before it began.
    std::thread::sleep(Duration::from_millis(1100));
    let build = ["scan", "blocks-ai.lab", "--fail-under", "F", "--url", &base];
    let output = run(&build).expect(COULD_NOT_CHECK);
    output.assert_stderr_contains(&["Nothing was checked: the report is from 2", "Use --fresh"]);
    let since = ["--since", "2026-01-01T00:00:00Z"];
    run(&[&build[..], &since].concat()).expect(PASSED);
    let output = run(&[
        &["scan", "blocks-ai.lab", "--fail-under", "A", "--url", &base],
        &since[..],
    ]
    .concat());
    output
        .expect(CHECK_FAILED)
        .assert_stderr_contains(&["Failed by --fail-under A: the grade is F"]);
    run(&["scan", "no-such-site.lab", "--url", &base]).expect(COULD_NOT_CHECK);
    run(&["scan", "open.lab", "--fresh"]).expect(COULD_NOT_CHECK);
    run(&["scan", "127.0.0.1", "--url", &base]).expect_error("An IP address is not a domain.");
    run(&["scan", "open.lab", "--url", "http://127.0.0.1:1"]).expect_error("Connection refused");
    run(&["scan", "open.lab", "--url", "file:///etc/passwd"])
        .expect_error("not an http or https URL");
    run(&["scan", "open.lab", "--url", "ftp://127.0.0.1"]).expect_error("not an http or https URL");
    run(&["scan", "open.lab", "--url", &format!("{base}/nowhere")])
        .expect_error("answered with status 404");
}
