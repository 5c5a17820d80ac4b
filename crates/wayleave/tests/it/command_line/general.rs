//! Help, canonical and verify.

use super::*;

#[test]
fn every_command_explains_itself() {
    let commands: &[&[&str]] = &[
        &[],
        &["serve"],
        &["demo"],
        &["lab"],
        &["lab", "sites"],
        &["lab", "run"],
        &["lab", "clock"],
        &["lab", "publish"],
        &["lab", "unpublish"],
        &["lab", "proofs"],
        &["scan"],
        &["verify"],
        &["replay"],
        &["robots"],
        &["canonical"],
        &["key"],
        &["key", "list"],
        &["key", "rotate"],
        &["key", "compromised"],
        &["log"],
        &["log", "fsck"],
        &["log", "export"],
        &["log", "mark"],
        &["log", "monitor"],
        &["witness"],
        &["config"],
        &["doctor"],
    ];
    for command in commands {
        let output = run(&[command, &["--help"][..]].concat()).expect(PASSED);
        assert!(
            output.out.contains("Usage:") && output.err.is_empty(),
            "{command:?}: {}",
            output.out
        );
        // Commands for scripts document their exit codes.
        if matches!(*command, [] | ["scan"] | ["verify"] | ["replay"] | ["robots"] | ["doctor"]) {
            assert!(output.out.contains("Exit codes: 0 "), "{command:?}: {}", output.out);
        }
        // Every command that reads the configuration lists its keys.
        let takes_keys = ["serve", "demo", "scan", "replay", "config", "doctor", "list", "rotate"];
        if command.last().is_some_and(|last| takes_keys.contains(last)) {
            assert!(output.out.contains("--network-allow-names"), "{command:?}: {}", output.out);
        }
        assert!(run(&[command, &["-h"][..]].concat()).expect(PASSED).out.contains("Usage:"));
    }
    let version = run(&["--version"]).expect(PASSED).out;
    assert_eq!(version.trim(), concat!("wayleave ", env!("CARGO_PKG_VERSION")));
    for usage in [&["frobnicate"][..], &[], &["scan"], &["config", "--no-such-flag"], &["verify"]] {
        let output = run(usage).expect(COULD_NOT_CHECK);
        assert!(
            output.out.is_empty() && output.err.contains("Usage:"),
            "{usage:?}: {}",
            output.err
        );
    }
}

#[test]
fn canonical_writes_the_bytes_that_are_hashed() {
    let folder = Folder::new();
    let text = r#" { "b" : 1.0, "a" : [ 1e2, "é\u000a", { } ] , "\u00e9" : null } "#;
    let canonical = r#"{"a":[100,"é\n",{}],"b":1,"é":null}"#;
    let file = folder.write("in.json", text);
    assert_eq!(run(&["canonical", &file]).expect(PASSED).out, canonical);
    assert_eq!(run_with_input(&["canonical", "-"], text.as_bytes()).expect(PASSED).out, canonical);
    // Canonical already: nothing changes.
    assert_eq!(run_with_input(&["canonical", "-"], canonical.as_bytes()).out, canonical);

    let digest = run(&["canonical", "--sha256", &file]).expect(PASSED).out;
    let by_others = Command::new("sha256sum").arg(folder.write("out", canonical)).output().unwrap();
    let by_others = String::from_utf8(by_others.stdout).unwrap();
    assert_eq!(digest.trim(), by_others.split(' ').next().unwrap());
    let both = run(&["canonical", "--json", &file]).expect(PASSED).json();
    assert_eq!(both, json!({ "canonical": canonical, "sha256": digest.trim() }));

    for (broken, why) in [
        ("", "unexpected end"),
        ("{", "not strict JSON"),
        ("{\"a\":1} x", "unexpected data after"),
        ("{\"a\":1,\"a\":2}", "repeated member name"),
        ("\"\\ud800\"", "surrogate"),
        ("1e999", "too large"),
        ("[1,]", "not strict JSON"),
        ("\u{feff}{}", "not strict JSON"),
    ] {
        run_with_input(&["canonical", "-"], broken.as_bytes()).expect_error(why);
    }
    run_with_input(&["canonical", "-"], b"\"\xff\"").expect_error("not strict JSON");
    run_with_input(&["canonical", "-"], "[".repeat(200_000).as_bytes())
        .expect_error("not strict JSON");
    run(&["canonical", &folder.path("nowhere.json")]).expect_error("nowhere.json cannot be read");
    run(&["canonical", folder.0.path().to_str().unwrap()]).expect_error("cannot be read");
}

#[test]
fn verify_accepts_only_what_it_could_check_to_the_end() {
    let server = Server::shared();
    let folder = Folder::new();
    let record = ask(server, &json!("open.lab"));
    let file = folder.write("record.json", &record.body);
    let get = |path| server.get(path).body;
    let keys = folder.write("keys.json", get("/.well-known/http-message-signatures-directory"));
    let rotation = folder.write("rotation.json", get("/.well-known/security-key-rotation.json"));

    // Without a key directory nobody knows whose key it is.
    let output = run(&["verify", &file]).expect(CHECK_FAILED);
    assert!(output.out.contains(": not fully checked (svc-scan)"), "{}", output.out);
    assert!(
        output.out.contains("not checked  key published: no key directory was given"),
        "{}",
        output.out
    );
    assert!(!output.out.contains("failed"), "{}", output.out);
    let report = run(&["verify", "--json", &file]).expect(CHECK_FAILED).json();
    assert_eq!(report[0]["conclusion"], "incomplete");

    let output = run(&["verify", "--keys", &keys, "--rotation", &rotation, &file]).expect(PASSED);
    assert!(output.out.contains(": accepted (svc-scan)"), "{}", output.out);
    assert!(!output.out.contains('\u{1b}'), "colours in a pipe");
    run_with_input(&["verify", "--keys", &keys, "-"], &record.body).expect(PASSED);
    run(&["verify", "--keys", &server.base(), &file]).expect(PASSED);
    // The signature of another brand does not count.
    run(&["verify", "--keys", &keys, "--brand", "other", &file]).expect(CHECK_FAILED);

    let tampered = record.text().replace("\"domain\":\"open.lab\"", "\"domain\":\"0pen.lab\"");
    assert_ne!(tampered, record.text());
    let tampered = folder.write("tampered.json", tampered);
    let mut unsigned = record.json();
    unsigned.as_object_mut().unwrap().remove("signature");
    let unsigned = folder.write("unsigned.json", unsigned.to_string());
    let not_json = folder.write("broken.json", "{");
    for bad in [&tampered, &unsigned, &not_json] {
        for with_keys in [true, false] {
            let mut arguments = vec!["verify", bad];
            if with_keys {
                arguments.extend(["--keys", &keys]);
            }
            let output = run(&arguments).expect(CHECK_FAILED);
            assert!(output.out.contains(": refused ("), "{}", output.out);
            assert!(output.out.contains("failed "), "{}", output.out);
        }
    }
    // One bad file decides the exit code, and every file is reported.
    let report =
        run(&["verify", "--json", "--keys", &keys, &file, &tampered, &file]).expect(CHECK_FAILED);
    let conclusions: Vec<Value> =
        report.json().as_array().unwrap().iter().map(|one| one["conclusion"].clone()).collect();
    assert_eq!(conclusions, ["accepted", "refused", "accepted"]);

    let nowhere = folder.path("nowhere.json");
    run(&["verify", "--keys", &keys, &nowhere]).expect_error("nowhere.json cannot be read");
    run(&["verify", "--keys", &nowhere, &file]).expect_error("nowhere.json cannot be read");
    run(&["verify", "--keys", &not_json, &file]).expect_error("the key directory is not valid");
    run(&["verify", "--keys", "http://127.0.0.1:1", &file]).expect_error("cannot be read");
    run(&["verify", "--brand", "Not Good", &file]).expect_error("--brand");
}

#[test]
fn shells_get_completions_and_people_get_manual_pages() {
    for (shell, mark) in
        [("bash", "complete -F"), ("zsh", "#compdef wayleave"), ("fish", "complete -c")]
    {
        let script = run(&["completions", shell]).expect(PASSED).out;
        assert!(script.contains(mark) && script.contains("preflight"), "{shell}");
    }
    assert!(run(&["completions", "cmd"]).expect(COULD_NOT_CHECK).err.contains("possible values"));
    let folder = Folder::new();
    let pages = folder.path("pages");
    let output = run(&["man", &pages]).expect(PASSED);
    assert!(output.out.contains("manual pages in"), "{}", output.out);
    let page = std::fs::read_to_string(format!("{pages}/wayleave-scan.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("fail") && page.contains("Exit codes"), "{page}");
}
