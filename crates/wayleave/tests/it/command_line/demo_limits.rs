//! The limits of the demo, the key that lifts them, and waiting for a new scan.

use super::*;

/// Scans a domain on a server, with this key in the environment.
fn scan_with_env(server: &Server, domain: &str, key: Option<&str>) -> CommandOutput {
    let mut command = wayleave();
    command.args(["scan", domain, "--url", &server.base()]);
    if let Some(key) = key {
        command.env("WAYLEAVE_KEY", key);
    }
    CommandOutput::of(command.output().unwrap())
}

/// Uses up the scans that one address may start within a minute.
fn use_up_scans(server: &Server) {
    // A site that the lab does not have is answered at once.
    let used_up = (0..12).any(|n| {
        let reply = server.post_scan(format!("{{\"domain\":\"none-{n}.lab\"}}").as_bytes());
        reply.status == 429
    });
    assert!(used_up, "twelve scans in a row are not limited");
}

#[test]
fn a_demo_has_limits_that_a_key_lifts() {
    let folder = Folder::new();
    let data = folder.path("data");
    let server = Server::start_demo_with_limits(&["--store-data-dir", &data]);
    within(10, "the banner", || server.stderr_so_far().contains("Press Ctrl-C"));
    let banner = server.stderr_so_far();
    assert!(banner.contains("`wayleave demo --no-limits` to switch them off"), "{banner}");
    let licence = ["licence", "create", "--json", "--all-domains", "--store-data-dir", &data];
    let key = run(&licence).expect(PASSED).json()["key"].as_str().unwrap().to_owned();
    use_up_scans(&server);
    let refused = scan_with_env(&server, "open.lab", None).expect(COULD_NOT_CHECK);
    // How long to wait is said in words.
    assert!(refused.err.contains("Try again in "), "{}", refused.err);
    let wrong = scan_with_env(&server, "open.lab", Some("svc_live_wrong")).expect(COULD_NOT_CHECK);
    assert!(wrong.err.contains("key"), "{}", wrong.err);
    scan_with_env(&server, "open.lab", Some(&key)).expect(PASSED);
    let flag = ["scan", "minimal.lab", "--url", &server.base(), "--key", &key];
    let output = run(&flag).expect(PASSED);
    assert!(!output.out.contains(&key) && !output.err.contains(&key), "the key is not printed");
}

#[test]
fn a_demo_without_limits_says_so_and_has_none() {
    let server = Server::start_demo_with_limits(&["--no-limits"]);
    within(10, "the banner", || server.stderr_so_far().contains("Press Ctrl-C"));
    let banner = server.stderr_so_far();
    assert!(banner.contains("Limits are switched off."), "{banner}");
    for n in 0..12 {
        let reply = server.post_scan(format!("{{\"domain\":\"none-{n}.lab\"}}").as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

#[test]
fn fresh_waits_until_the_server_scans_again() {
    let server = Server::start_demo(&[]);
    let before = server.scan("minimal.lab");
    let fresh = ["scan", "minimal.lab", "--fresh", "--json", "--url", &server.base()];
    let output = run(&fresh).expect(PASSED);
    output.assert_stderr_contains(&["The server has a report that is", "for a new scan."]);
    let after = output.json();
    assert_ne!(after["id"], before["id"]);
    assert_ne!(after["cached"], true);
}

#[test]
fn ctrl_c_says_what_the_server_waits_for() {
    let mut server = Server::start_demo(&[]);
    let interrupt = |pid: u32| Command::new("kill").args(["-INT", &pid.to_string()]).status();
    std::thread::scope(|scope| {
        // A scan that the server has to finish first.
        let scan = scope.spawn(|| server.post_scan(b"{\"domain\":\"stalls-before-head.lab\"}"));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(interrupt(server.child.id()).unwrap().success());
        within(10, "what it waits for", || {
            server.stderr_so_far().contains("Stopping: finishing open requests and scans")
        });
        assert_eq!(scan.join().unwrap().status, 200);
    });
    assert_eq!(server.child.wait().unwrap().code(), Some(PASSED));
}
