//! Doctor and scan, against a lab of their own.

use super::*;

#[test]
fn doctor_tells_a_good_set_up_from_a_bad_one() {
    let lab = LabRun::start();
    let data = lab.folder.path("data");
    let examine = |more: &[&str]| {
        let mut arguments = vec!["doctor", "--config", &lab.config, "--store-data-dir", &data];
        arguments.extend(["--server-listen", "127.0.0.1:0"]);
        arguments.extend(more);
        run(&arguments)
    };
    let checks = examine(&["--json", "--probe", "open.lab"]).expect(GOOD).json();
    let found = states(&checks);
    for check in [
        ("configuration", "good"),
        ("clock", "good"),
        ("agents.catalogue", "good"),
        ("network.resolver", "good"),
        // A lab is not what strangers should be served with, and is told so.
        ("network", "doubt"),
        ("store", "doubt"),
    ] {
        assert!(found.contains(&check), "{check:?} in {found:?}");
    }
    assert!(!Path::new(&data).exists(), "looking makes nothing");

    let said = examine(&["--probe", "open.lab"]).expect(GOOD);
    assert!(said.out.contains("good  network.resolver: "), "{}", said.out);
    assert!(!said.out.contains('\u{1b}') && said.err.is_empty(), "{} {}", said.out, said.err);

    let said = examine(&["--probe", "no-such-name.lab"]).expect(BAD);
    assert!(said.out.contains("BAD   network.resolver: "), "{}", said.out);
    assert!(said.out.contains("NXDOMAIN"), "{}", said.out);
    let said = examine(&["--probe", "open.lab", "--network-resolver", "127.0.0.1:1"]).expect(BAD);
    assert!(said.out.contains("BAD   network.resolver: "), "{}", said.out);
    let missing = lab.folder.path("none.json");
    let said = examine(&["--probe", "open.lab", "--agents-catalogue", &missing]).expect(BAD);
    assert!(said.out.contains("BAD   agents.catalogue: "), "{}", said.out);

    // A store that is no store, and keys that are no keys.
    let broken = lab.folder.path("broken");
    std::fs::create_dir_all(PathBuf::from(&broken).join("keys")).unwrap();
    std::fs::write(PathBuf::from(&broken).join("keys/documents-0001-x.json"), "{").unwrap();
    std::fs::create_dir(PathBuf::from(&broken).join("wayleave.db")).unwrap();
    let mut command = wayleave();
    command.args(["doctor", "--json", "--probe", "open.lab", "--config", &lab.config]);
    command.args(["--store-data-dir", &broken, "--server-listen", "127.0.0.1:0"]);
    let checks = Said::of(command.output().unwrap()).expect(BAD).json();
    for check in [("keys", "bad"), ("store", "bad"), ("network.resolver", "good")] {
        assert!(states(&checks).contains(&check), "{check:?} in {checks}");
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
    let said = scan("https://www.open.lab/x?y", &[]).expect(GOOD);
    assert!(said.out.starts_with("open.lab: A ("), "{}", said.out);
    for part in ["Who got what", "GPTBot", "Machine files", "/robots.txt", "Sections"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert!(!said.out.contains('\u{1b}'), "colours in a pipe: {:?}", said.out);
    assert_eq!(said.err, "", "a bar in a pipe");

    let record = scan("open.lab", &["--json"]).expect(GOOD).json();
    assert_eq!(record["kind"], "svc-scan");
    assert_eq!((&record["domain"], &record["grade"]), (&json!("open.lab"), &json!("A")));
    let checks = record["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["path"] == "/llms.txt"), "{checks:?}");
    // Nothing is kept, so nothing is signed and nothing pointed to.
    assert_eq!((&record["signature"], &record["links"]["report"]), (&Value::Null, &Value::Null));

    let said = scan("blocks-ai.lab", &[]).expect(GOOD);
    assert!(said.out.contains("AI search crawlers are turned away"), "{}", said.out);
    scan("open.lab", &["--fail-under", "A"]).expect(GOOD);
    let said = scan("blocks-ai.lab", &["--fail-under", "A"]).expect(BAD);
    assert!(said.out.starts_with("blocks-ai.lab: F"), "{}", said.out);
    scan("blocks-ai.lab", &["--fail-under", "f", "--json"]).expect(GOOD);
    scan("blocks-ai.lab", &["--fail-under", "d", "--json"]).expect(BAD);
    assert!(scan("open.lab", &["--fail-under", "E"]).expect(FAILED).err.contains("A, B, C, D, F"));

    let said = scan("no-such-site.lab", &[]).expect(BAD);
    assert!(said.out.starts_with("no-such-site.lab: nothing answered"), "{}", said.out);
    let record = scan("no-such-site.lab", &["--json"]).expect(BAD).json();
    assert_eq!((&record["unreachable"], &record["id"]), (&json!(true), &Value::Null));

    for (bad, why) in [
        ("127.0.0.1", "an IP address is not a domain"),
        ("lab", "a public suffix"),
        ("localhost", "reserved"),
        ("open.nosuchtld", "does not exist"),
        ("ftp://open.lab", "only http and https"),
        ("user@open.lab", "user name"),
        ("open.lab:22", "this port"),
        ("", "no domain was given"),
    ] {
        scan(bad, &[]).failed(why);
    }
}

#[test]
fn a_scan_by_a_server_is_shown_the_same() {
    let server = Server::shared();
    let base = server.base();
    // Made once, so that the next are answered with the report of the last two minutes.
    for domain in ["open.lab", "blocks-ai.lab"] {
        assert_eq!(ask(server, &json!(domain)).status, 200);
    }
    let said = run(&["scan", "open.lab", "--url", &base]).expect(GOOD);
    assert!(said.out.starts_with("open.lab: A"), "{}", said.out);
    assert!(said.out.contains(&format!("{base}/r/")), "{}", said.out);
    assert!(!said.out.contains('\u{1b}') && said.err.is_empty(), "{:?} {}", said.out, said.err);
    let said = run(&["scan", "open.lab", "--json", "--url", &format!("{base}/")]).expect(GOOD);
    let folder = Folder::new();
    let record = folder.write("record.json", &said.out);
    run(&["verify", "--keys", &base, &record]).expect(GOOD);
    run(&["scan", "blocks-ai.lab", "--fail-under", "A", "--url", &base]).expect(BAD);
    run(&["scan", "no-such-site.lab", "--url", &base]).expect(BAD);
    run(&["scan", "127.0.0.1", "--url", &base]).failed("An IP address is not a domain.");
    run(&["scan", "open.lab", "--url", "http://127.0.0.1:1"]).failed("Connection refused");
    run(&["scan", "open.lab", "--url", "file:///etc/passwd"]).failed("not an http or https one");
    run(&["scan", "open.lab", "--url", "ftp://127.0.0.1"]).failed("not an http or https one");
    run(&["scan", "open.lab", "--url", &format!("{base}/nowhere")]).failed("answered 404");
}
