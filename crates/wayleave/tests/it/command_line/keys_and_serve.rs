//! Key rotation, and starting servers.

use super::*;

#[test]
fn a_key_that_was_replaced_stays_published_and_what_it_signed_holds() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let list = || run(&["key", "list", "--json", flags[0], flags[1]]).expect(PASSED).json();
    let documents = |keys: &Value| -> Vec<(String, bool)> {
        let all = keys.as_array().unwrap().iter().filter(|key| key["purpose"] == "documents");
        all.map(|key| {
            (key["kid"].as_str().unwrap().to_owned(), key["stopped_signing_at"].is_null())
        })
        .collect()
    };
    let first = list();
    assert_eq!(first.as_array().map(Vec::len), Some(4), "one key for each purpose");
    let old = documents(&first)[0].0.clone();
    let table = run(&["key", "list", flags[0], flags[1]]).expect(PASSED).out;
    assert!(table.contains(&old) && table.contains("log heads"), "{table}");

    let server = Server::start_demo(&flags);
    let record = folder.write("record.json", ask(&server, &json!("open.lab")).body);
    drop(server);
    let output =
        run(&["key", "rotate", "documents", "--after", "0", flags[0], flags[1]]).expect(PASSED);
    assert!(output.err.contains("The new key for documents starts signing at"), "{}", output.err);
    assert!(output.out.contains(&old), "{}", output.out);
    let now = list();
    assert_eq!(now.as_array().map(Vec::len), Some(5));
    let found = documents(&now);
    assert_eq!(found.iter().filter(|(_, signs)| *signs).count(), 1, "{found:?}");
    assert!(found.contains(&(old.clone(), false)), "{found:?}");

    let server = Server::start_demo(&flags);
    let rotation = server.get("/.well-known/security-key-rotation.json").json();
    let retired = rotation["retired"].as_array().unwrap();
    assert_eq!(
        retired.iter().filter(|key| key["thumbprint"] == old.as_str()).count(),
        1,
        "{rotation}"
    );
    // Documents signed by the old and by the new key verify.
    let base = server.base();
    run(&["verify", "--keys", &base, &record]).expect(PASSED);
    let answer = ask(&server, &json!("minimal.lab"));
    let new = folder.write("new.json", &answer.body);
    assert_ne!(answer.json()["signature"]["kid"], old.as_str());
    run(&["verify", "--keys", &base, &new]).expect(PASSED);
    drop(server);

    // Signatures of a compromised key are refused.
    let since = "2020-01-01T00:00:00Z";
    run(&["key", "compromised", &old, since, flags[0], flags[1]]).expect(PASSED);
    let server = Server::start_demo(&flags);
    run(&["verify", "--keys", &server.base(), &record]).expect(CHECK_FAILED);
    run(&["verify", "--keys", &server.base(), &new]).expect(PASSED);

    let wrong = run(&["key", "rotate", "nonsense", flags[0], flags[1]]).expect(COULD_NOT_CHECK);
    assert!(wrong.err.contains("nonsense"), "{}", wrong.err);
    run(&["key", "compromised", "nobody", since, flags[0], flags[1]]).expect_error("nobody");
    assert_eq!(list().as_array().map(Vec::len), Some(5), "nothing was made by a mistake");
}

#[test]
fn a_data_directory_and_a_port_have_one_server() {
    let folder = Folder::new();
    let data = folder.path("data");
    let server = Server::start_demo(&["--store-data-dir", &data]);
    let id = ask(&server, &json!("minimal.lab")).json()["id"].as_str().unwrap().to_owned();
    for command in ["serve", "demo"] {
        let mut second = wayleave();
        second.args([command, "--server-listen", "127.0.0.1:0", "--store-data-dir", &data]);
        run_to_end(&mut second)
            .expect(COULD_NOT_CHECK)
            .assert_stderr_contains(&["in use by another process", &data]);
    }
    let mut second = wayleave();
    let other = folder.path("other");
    let taken = server.address.to_string();
    second.args(["serve", "--server-listen", &taken, "--store-data-dir", &other]);
    run_to_end(&mut second)
        .expect(COULD_NOT_CHECK)
        .assert_stderr_contains(&["server.listen", &taken]);
    assert!(!Path::new(&other).exists(), "a server that cannot serve makes nothing");
    // The first server still works.
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 200);
    let checks =
        run(&["doctor", "--json", "--store-data-dir", &data, "--network-resolver", "127.0.0.1:1"]);
    let checks = checks.expect(CHECK_FAILED).json();
    assert!(doctor_states(&checks).contains(&("store", "doubt")), "{checks}");
}

#[test]
fn a_log_in_a_pipe_is_plain() {
    let folder = Folder::new();
    for (format, part) in [("text", "serving"), ("json", "\"message\":\"serving\"")] {
        let mut server = wayleave();
        server.args(["serve", "--server-listen", "127.0.0.1:0", "--log-format", format]);
        server.args(["--network-resolver", "127.0.0.1:1"]);
        server.args(["--store-data-dir", &folder.path(format)]);
        let mut child = piped(&mut server).spawn().unwrap();
        let log = wait_for_line(&mut child, part);
        let _ = child.kill();
        let _ = child.wait();
        assert!(!log.contains('\u{1b}'), "colours in a pipe: {log:?}");
        if format == "json" {
            for line in log.lines() {
                assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
            }
        }
    }
}

/// `wayleave … | head -1` is not an error.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["lab", "sites", "--json"][..], &["config", "--keys"], &["lab", "sites"]] {
        let mut child = piped(&mut wayleave()).args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = CommandOutput::of(child.wait_with_output().unwrap());
        assert_eq!((output.code, output.err.as_str()), (PASSED, ""), "{arguments:?}");
    }
}
