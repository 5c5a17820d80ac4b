//! SIGHUP: what is applied, what needs a restart, and what changes nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

/// A route with the limit of feeds.
const FEED: &str = "/api/v1/log";

fn feed_policy(server: &Server, headers: &str) -> String {
    let reply = server.get_with(FEED, headers);
    assert!([200, 429].contains(&reply.status), "{}", reply.text());
    reply.header("ratelimit-policy").unwrap_or_default().to_owned()
}

#[test]
fn limits_filter_and_proxies_are_applied_and_the_rest_is_named() {
    let place = Installation::new();
    let json = "[log]\nformat = \"json\"\n";
    place.configure("", &format!("{json}[limits]\nfeed_per_minute = 5"));
    let server = place.start();
    assert!(feed_policy(&server, "").contains("q=5"));
    for _ in 0..4 {
        assert_eq!(server.get(FEED).status, 200);
    }
    assert_eq!(server.get(FEED).status, 429);

    // Unchanged: nothing is applied, and what was counted stays counted.
    send_hangup(&server);
    place.wait_for_lines("nothing to apply", 1);
    assert_eq!(server.get(FEED).status, 429);

    // Another filter alone leaves the counts alone, too.
    let requests = || {
        std::thread::sleep(Duration::from_millis(500));
        place.log().matches("\"message\":\"request\"").count()
    };
    place.configure(
        "",
        &format!("{json}filter = \"info,web=error\"\n[limits]\nfeed_per_minute = 5"),
    );
    send_hangup(&server);
    place.wait_for_lines("configuration reloaded and applied", 1);
    let before = requests();
    assert_eq!(server.get(FEED).status, 429);
    assert_eq!(requests(), before, "requests are no longer logged");

    // Other limits and proxies, and keys that need a restart.
    place.configure(
        "trusted_proxies = [\"127.0.0.0/8\"]\nbrand = \"other\"\nmax_requests = 7",
        &format!("{json}[limits]\nfeed_per_minute = 2\nscans_paused = true"),
    );
    send_hangup(&server);
    place.wait_for_lines("configuration reloaded and applied", 2);
    place.wait_for_lines("\"keys\":\"server.brand, server.max_requests\"", 1);
    place.wait_for_lines("needs a restart", 1);
    place.wait_for_lines("free scans are paused by the configuration", 1);
    for client in ["192.0.2.1", "192.0.2.2"] {
        let from = format!("x-forwarded-for: {client}\r\n");
        assert!(feed_policy(&server, &from).contains("q=2"));
        assert_eq!(server.get_with(FEED, &from).status, 200);
        assert_eq!(server.get_with(FEED, &from).status, 429, "each client has its own count");
    }
    let scan = server.post_scan(b"{\"domain\":\"example.com\"}");
    assert_eq!((scan.status, scan.error_code().as_str()), (503, "scans_paused"), "{}", scan.text());
    assert!(requests() > before, "the filter is the default again");

    // A configuration that cannot be read changes nothing and says why.
    for (number, (text, why)) in
        [("not toml", "is not valid TOML"), ("[server]\nlisten_on = 1\n", "listen_on")]
            .into_iter()
            .enumerate()
    {
        place.write_config(text);
        send_hangup(&server);
        place.wait_for_lines("the configuration was not reloaded", number + 1);
        assert!(place.log().contains(why), "{}", place.log());
    }
    fs::remove_file(place.file("wayleave.toml")).unwrap();
    send_hangup(&server);
    place.wait_for_lines("cannot be read", 1);
    let from = "x-forwarded-for: 192.0.2.1\r\n";
    assert_eq!(server.get_with(FEED, from).status, 429, "limits and counts are as they were");
    let metrics = server.get_with("/metrics", "x-forwarded-for: 192.0.2.9\r\n").text();
    for (result, count) in [("applied", 2), ("unchanged", 1), ("refused", 3)] {
        let line = format!("wayleave_reloads_total{{result=\"{result}\"}} {count}");
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
}

#[test]
fn reloads_under_load_lose_no_request() {
    let place = Installation::new();
    let limits =
        |feed: u32| format!("[limits]\nfeed_per_minute = {feed}\nread_per_minute = 1000000");
    place.configure("", &limits(1_000_000));
    let server = place.start();
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let reply = server.get(FEED);
                    assert_eq!(reply.status, 200, "{}", reply.text());
                    let policy = reply.header("ratelimit-policy").unwrap();
                    assert!(policy.contains("q=10000"), "{policy}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 1..=20 {
            match number % 3 {
                0 => place.write_config("not toml"),
                _ => place.configure("", &limits(1_000_000 + number)),
            }
            send_hangup(&server);
            std::thread::sleep(Duration::from_millis(100));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(answered.load(Ordering::Relaxed) > 50);
    // Signals that come together may be one; the last configuration is in force in any case.
    let until = Instant::now() + Duration::from_secs(10);
    while !feed_policy(&server, "").contains("q=1000020") {
        assert!(Instant::now() < until, "{}", place.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A service manager may send the signal as soon as the process exists.
#[test]
fn a_signal_during_the_start_does_not_end_the_server() {
    let place = Installation::new();
    place.configure("", "");
    let child = place.command().spawn().unwrap();
    let pid = child.id().to_string();
    let data = place.file("data");
    let sender = std::thread::spawn(move || {
        // Not in the first moments: no program can catch a signal before it runs.
        while !data.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..300 {
            let _ = Command::new("kill").args(["-HUP", &pid]).status();
        }
    });
    let server = Server::wait_until_ready(child);
    sender.join().unwrap();
    assert_eq!(server.get("/healthz").status, 200);
}
