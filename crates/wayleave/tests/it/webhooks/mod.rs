//! Webhooks: events reach a receiver that verifies them by a library of others, whatever other receivers do
//! and whenever the server ends.

pub(crate) mod receiver;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::receiver::Receiver;
use crate::lab_server::{Extension, LabServer};
use crate::server::{Server, wayleave};

/// A server and a receiver that it may send to.
struct Setup {
    started: LabServer,
    receiver: Receiver,
}

struct Licence {
    id: String,
    key: String,
}

impl Setup {
    fn new() -> Option<Self> {
        let receiver = Receiver::start()?;
        let extension = Extension { ports: vec![receiver.port], ..Extension::default() };
        let started = LabServer::start_extended(&[], "[targets]\nenabled = false\n", &extension);
        receiver.trust(&started.server.base());
        Some(Self { started, receiver })
    }

    /// Runs a command beside the server. It must succeed and print JSON.
    fn command(&self, arguments: &[&str]) -> Value {
        let (done, stdout, stderr) = self.try_command(arguments);
        assert_eq!(done, Some(0), "{arguments:?}: {stderr}");
        serde_json::from_str(&stdout).unwrap()
    }

    fn try_command(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let done = wayleave()
            .args(arguments)
            .args(["--json", "--config"])
            .arg(self.started.configuration())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    }

    fn licence(&self, arguments: &[&str]) -> Licence {
        let made = self.command(&[&["licence", "create"], arguments].concat());
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Licence { id: text("id"), key: text("key") }
    }

    fn add(&self, licence: &Licence, url: &str, events: &str) -> String {
        let arguments =
            ["webhook", "add", "--licence", &licence.id, "--url", url, "--events", events];
        self.command(&arguments)[0]["id"].as_str().unwrap().to_owned()
    }

    fn webhook(&self, licence: &Licence, id: &str) -> Value {
        let all = self.command(&["webhook", "list", "--licence", &licence.id]);
        let all = all.as_array().unwrap();
        all.iter().find(|webhook| webhook["id"] == id).unwrap().clone()
    }

    fn deliveries(&self, licence: &Licence, id: &str) -> Vec<Value> {
        let arguments = ["webhook", "deliveries", id, "--licence", &licence.id, "--limit", "1000"];
        self.command(&arguments).as_array().unwrap().clone()
    }

    /// The only delivery of a webhook, once it was tried.
    fn tried(&self, licence: &Licence, id: &str) -> Value {
        within(40, &format!("a try of {id}"), || {
            let one = self.deliveries(licence, id).pop()?;
            let is_tried = !one["last_error"].is_null() || one["state"] != "waiting";
            is_tried.then_some(one)
        })
    }

    fn scan(&self, licence: &Licence, domain: &str) -> String {
        let headers = format!("x-svc-key: {}\r\n", licence.key);
        let body = json!({ "domain": domain }).to_string();
        let reply = self.started.server.post_with("/api/v1/scan", &headers, &body);
        assert_eq!(reply.status, 200, "{domain}: {}", reply.text());
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    /// Ends the server at once and starts it again.
    fn kill_and_restart(&mut self) {
        self.started.server.child.kill().unwrap();
        self.started.server.child.wait().unwrap();
        self.restart();
    }

    fn restart(&mut self) {
        let configuration = self.started.configuration();
        // The old one stops when it is replaced, and must be gone before.
        let _ = std::process::Command::new("kill")
            .arg("-TERM")
            .arg(self.started.server.child.id().to_string())
            .stderr(std::process::Stdio::null())
            .status();
        let _ = self.started.server.child.wait();
        self.started.server = Server::start_serve(&configuration);
        self.receiver.trust(&self.started.server.base());
    }
}

/// What `look` finds within this many seconds.
fn within<T>(seconds: u64, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(seconds), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn events_of<'a>(received: &'a [Value], event: &str) -> Vec<&'a Value> {
    received.iter().map(|entry| &entry["event"]).filter(|body| body["type"] == event).collect()
}

#[test]
fn events_arrive_signed_at_those_who_follow_the_domain() {
    let Some(setup) = Setup::new() else { return };
    let business = setup.licence(&["--domain", "business.lab"]);
    let other = setup.licence(&["--domain", "minimal.lab"]);
    let all_events = "answer.changed,revocation,scan.finished";
    let hook = setup.add(&business, &setup.receiver.url("/in?token=a%20b"), all_events);
    setup.add(&other, &setup.receiver.url("/other"), all_events);
    let at_business = || setup.receiver.received_at("/in?token=a%20b");

    // A first, partial answer, which the scan replaces.
    assert_eq!(setup.started.resolve("business.lab").unwrap()["status"], "partial");
    let scan = setup.scan(&business, "business.lab");
    let received = within(20, "the events of the scan", || {
        let received = at_business();
        let is_there = |event| !events_of(&received, event).is_empty();
        (is_there("scan.finished") && is_there("answer.changed")).then_some(received)
    });
    for entry in &received {
        assert!(entry["error"].is_null(), "{entry}");
        assert_eq!(entry["changed_are_refused"], json!([true, true, true, true]), "{entry}");
        assert_eq!(entry["event"]["id"], entry["id"], "{entry}");
        assert_eq!(entry["content_type"], "application/json");
        assert!(entry["user_agent"].as_str().unwrap().contains('/'), "{entry}");
    }
    let finished = events_of(&received, "scan.finished");
    assert_eq!(finished.len(), 1, "{finished:?}");
    assert_eq!(finished[0]["data"]["scan_id"], scan.as_str());
    assert_eq!(finished[0]["data"]["domain"], "business.lab");
    let link = finished[0]["link"].as_str().unwrap().to_owned();
    let path = link.strip_prefix(&setup.started.server.base()).unwrap();
    assert_eq!(setup.started.server.get(path).json()["id"], scan.as_str(), "the link leads there");
    // The changes are those of the feed, each once.
    let feed = setup.started.server.get("/api/v1/changes?domain=business.lab").json();
    let numbers = |entries: Vec<&Value>| -> BTreeSet<u64> {
        entries.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect()
    };
    let expected = numbers(feed["entries"].as_array().unwrap().iter().collect());
    within(20, "every change", || {
        let received = at_business();
        let changes = events_of(&received, "answer.changed");
        let found = numbers(changes.iter().map(|change| &change["data"]).collect());
        (found == expected && changes.len() == expected.len()).then_some(())
    });
    assert!(setup.receiver.received_at("/other").is_empty(), "it follows another domain");

    // A compromised key concerns everybody.
    let keys = setup.command(&["key", "list"]);
    let keys = keys.as_array().unwrap();
    let decisions = keys.iter().find(|key| key["purpose"] == "decisions").unwrap();
    let kid = decisions["kid"].as_str().unwrap();
    setup.command(&["key", "compromised", kid, "2026-01-01T00:00:00Z"]);
    for path in ["/in?token=a%20b", "/other"] {
        let revocation = within(30, "the revocation", || {
            let received = setup.receiver.received_at(path);
            assert!(received.iter().all(|entry| entry["error"].is_null()), "{received:?}");
            events_of(&received, "revocation").first().map(|event| (*event).clone())
        });
        assert_eq!(revocation["data"]["target"]["id"], kid, "{revocation}");
    }

    // A key that is replaced: the receiver gets the new one from the directory.
    setup.command(&["key", "rotate", "requests", "--after", "0"]);
    let before = setup.receiver.received_at("/other").len();
    setup.scan(&other, "minimal.lab");
    let next = within(30, "an event with the new key", || {
        setup.receiver.received_at("/other").get(before).cloned()
    });
    assert!(next["error"].is_null(), "{next}");

    let deliveries = within(20, "what was recorded of them", || {
        let deliveries = setup.deliveries(&business, &hook);
        deliveries.iter().all(|one| one["state"] == "delivered").then_some(deliveries)
    });
    assert!(deliveries.iter().all(|one| one["last_status"] == 204), "{deliveries:?}");
    let metrics = setup.started.server.get("/metrics").text();
    assert!(metrics.contains("wayleave_webhook_deliveries_total{result=\"delivered\"}"));
    assert!(metrics.contains("# HELP wayleave_webhook_deliveries_waiting "), "{metrics}");
}

#[test]
fn receivers_that_misbehave_are_bounded_and_harm_no_other() {
    let Some(setup) = Setup::new() else { return };
    let licence = setup.licence(&["--domain", "minimal.lab"]);
    let trap = *setup.started.lab.trap().addresses().first().unwrap();
    let add = |url: &str| setup.add(&licence, url, "scan.finished");
    let at = |path: &str| add(&setup.receiver.url(path));
    let redirect = at(&format!("/redirect?to=http://{trap}/"));
    let (silent, large, gone) = (at("/silent"), at("/large"), at("/gone"));
    let (fail, good) = (at("/fail"), at("/good"));
    // A name that leads to an address that is not public.
    let private = add("https://trap.lab/in");
    setup.scan(&licence, "minimal.lab");

    let start = Instant::now();
    let tried = |id: &str| setup.tried(&licence, id);
    assert_eq!(tried(&good)["state"], "delivered");
    assert!(start.elapsed() < Duration::from_secs(9), "it waited for others");
    let one = tried(&redirect);
    assert_eq!((&one["state"], &one["last_status"]), (&json!("waiting"), &json!(302)), "{one}");
    assert!(one["last_error"].as_str().unwrap().contains("redirect"), "{one}");
    let one = tried(&private);
    assert_eq!((&one["state"], &one["last_status"]), (&json!("waiting"), &json!(null)), "{one}");
    assert!(one["last_error"].as_str().unwrap().contains("address"), "{one}");
    let one = tried(&fail);
    assert_eq!((&one["state"], &one["last_status"]), (&json!("waiting"), &json!(500)), "{one}");
    assert!(!setup.webhook(&licence, &fail)["failing_since"].is_null());
    let one = tried(&gone);
    assert_eq!((&one["state"], &one["last_status"]), (&json!("dead"), &json!(410)), "{one}");
    let off = within(10, "it is switched off", || {
        let webhook = setup.webhook(&licence, &gone);
        (!webhook["disabled_at"].is_null()).then_some(webhook)
    });
    assert!(off["disabled_why"].as_str().unwrap().contains("410"), "{off}");
    assert_eq!(tried(&large)["state"], "delivered");
    let sent = within(20, "the large answer ends", || {
        setup.receiver.received_at("/large").into_iter().find(|entry| entry["sent"].is_u64())
    });
    assert!(sent["sent"].as_u64().unwrap() < 64 << 20, "{sent}");
    let one = tried(&silent);
    assert_eq!((&one["state"], &one["last_status"]), (&json!("waiting"), &json!(null)), "{one}");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
    assert_eq!(setup.started.lab.trap().connections(), 0, "a private address was asked");

    // What failed is tried again, with the same id.
    let ids = within(30, "the second try", || {
        let tries = setup.receiver.received_at("/fail");
        (tries.len() >= 2).then(|| tries.iter().map(|one| one["id"].clone()).collect::<Vec<_>>())
    });
    assert_eq!(ids[0], ids[1]);
    assert_eq!(setup.receiver.received_at("/good").len(), 1);
    assert_eq!(setup.receiver.received_at("/gone").len(), 1);

    setup.command(&["webhook", "delete", &good, "--licence", &licence.id]);
    let left = setup.command(&["webhook", "list", "--licence", &licence.id]);
    assert!(left.as_array().unwrap().iter().all(|webhook| webhook["id"] != good.as_str()));
    assert_eq!(left.as_array().unwrap().len(), 6);
}

#[test]
fn a_kill_loses_no_event_and_a_restart_sends_none_under_two_ids() {
    let Some(mut setup) = Setup::new() else { return };
    let licence = setup.licence(&["--domain", "minimal.lab", "--domain", "business.lab"]);
    let held = setup.add(&licence, &setup.receiver.url("/hold"), "scan.finished,answer.changed");
    let good = setup.add(&licence, &setup.receiver.url("/good"), "scan.finished");
    let scan = setup.scan(&licence, "minimal.lab");
    // Stored, sent, and not answered.
    within(20, "the first try", || setup.receiver.received_at("/hold").first().cloned());
    within(20, "the good one", || {
        (setup.deliveries(&licence, &good).first()?["state"] == "delivered").then_some(())
    });
    setup.kill_and_restart();
    // What happens now waits behind it.
    setup.scan(&licence, "business.lab");
    setup.receiver.answer_held();
    let deliveries = within(90, "everything arrives", || {
        let deliveries = setup.deliveries(&licence, &held);
        let has_both = deliveries.len() >= 2;
        let done = deliveries.iter().all(|one| one["state"] == "delivered");
        (has_both && done).then_some(deliveries)
    });
    let received = setup.receiver.received_at("/hold");
    let ids = |all: &[Value]| -> BTreeSet<String> {
        all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&received), ids(&deliveries), "each event has one id");
    let of_scan: Vec<Value> = received
        .iter()
        .filter(|one| one["event"]["data"]["scan_id"] == scan.as_str())
        .cloned()
        .collect();
    assert!(of_scan.len() >= 2, "it was sent again after the kill");
    assert_eq!(ids(&of_scan).len(), 1);
    assert!(received.iter().all(|one| one["error"].is_null()), "{received:?}");
    let at_good = setup.receiver.received_at("/good").len();
    assert_eq!(at_good, 2, "one for each scan");

    setup.restart();
    std::thread::sleep(Duration::from_secs(6));
    assert_eq!(setup.receiver.received_at("/hold").len(), received.len(), "nothing comes again");
    assert_eq!(setup.receiver.received_at("/good").len(), at_good);
    assert_eq!(setup.deliveries(&licence, &held).len(), deliveries.len());
}

#[test]
fn the_command_refuses_what_cannot_be_a_webhook() {
    let Some(setup) = Setup::new() else { return };
    let licence = setup.licence(&["--domain", "minimal.lab"]);
    let other = setup.licence(&["--all-domains"]);
    let good = setup.receiver.url("/good");
    let refused = |licence: &str, url: &str, events: &str, why: &str| {
        let arguments = ["webhook", "add", "--licence", licence, "--url", url, "--events", events];
        let (code, _, stderr) = setup.try_command(&arguments);
        assert_eq!(code, Some(2), "{url}: {stderr}");
        assert!(stderr.contains(why), "{url}: {stderr}");
    };
    refused("nobody", &good, "revocation", "there is no such licence");
    refused(&licence.id, "http://wikipedia.org/in", "revocation", "https://");
    refused(&licence.id, "https://127.0.0.1/in", "revocation", "IP address");
    refused(&licence.id, "https://user:pw@wikipedia.org/", "revocation", "user name");
    refused(&licence.id, "https://peer.lab:6379/", "revocation", "port");
    refused(&licence.id, "https://peer.lab/#a", "revocation", "fragment");
    refused(&licence.id, &good, "control.change", "no such event");
    let id = setup.add(&licence, &good, "revocation");
    for command in ["delete", "deliveries"] {
        let (code, _, stderr) =
            setup.try_command(&["webhook", command, &id, "--licence", &other.id]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("no such webhook"), "{stderr}");
    }
    let shown = setup.command(&["webhook", "list", "--licence", &licence.id]);
    assert_eq!(shown[0]["url"], good.as_str());
    let page = setup.started.server.get("/docs/webhooks");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("def verify_event("), "the page shows the program");
}
