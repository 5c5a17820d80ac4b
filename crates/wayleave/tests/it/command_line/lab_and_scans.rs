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
    scan("blocks-ai.lab", &["--fail-under", "f", "--json"]).expect(PASSED);
    scan("blocks-ai.lab", &["--fail-under", "d", "--json"]).expect(CHECK_FAILED);
    assert!(
        scan("open.lab", &["--fail-under", "E"])
            .expect(COULD_NOT_CHECK)
            .err
            .contains("A, B, C, D, F")
    );

    let output = scan("no-such-site.lab", &[]).expect(CHECK_FAILED);
    assert!(output.out.starts_with("no-such-site.lab: the site did not answer"), "{}", output.out);
    let record = scan("no-such-site.lab", &["--json"]).expect(CHECK_FAILED).json();
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
    assert!(
        !output.out.contains('\u{1b}') && output.err.is_empty(),
        "{:?} {}",
        output.out,
        output.err
    );
    let output = run(&["scan", "open.lab", "--json", "--url", &format!("{base}/")]).expect(PASSED);
    let folder = Folder::new();
    let record = folder.write("record.json", &output.out);
    run(&["verify", "--keys", &base, &record]).expect(PASSED);
    run(&["scan", "blocks-ai.lab", "--fail-under", "A", "--url", &base]).expect(CHECK_FAILED);
    run(&["scan", "no-such-site.lab", "--url", &base]).expect(CHECK_FAILED);
    run(&["scan", "127.0.0.1", "--url", &base]).expect_error("An IP address is not a domain.");
    run(&["scan", "open.lab", "--url", "http://127.0.0.1:1"]).expect_error("Connection refused");
    run(&["scan", "open.lab", "--url", "file:///etc/passwd"])
        .expect_error("not an http or https URL");
    run(&["scan", "open.lab", "--url", "ftp://127.0.0.1"]).expect_error("not an http or https URL");
    run(&["scan", "open.lab", "--url", &format!("{base}/nowhere")])
        .expect_error("answered with status 404");
}
