//! Control of domains, through the API of a demo whose clock is moved and whose sites publish proofs.

mod claims;
mod owners;
mod refusals;
mod registrations;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command_line::lab_control::Demo;
use crate::server::{HttpReply, Server};

/// A claim that was begun.
pub(crate) struct Challenge {
    domain: &'static str,
    id: String,
    secret: String,
    paste: String,
    method: &'static str,
}

impl Challenge {
    fn begin(demo: &Demo, domain: &'static str, method: &'static str) -> Self {
        let body = json!({ "method": method }).to_string();
        let begun = demo.server().post_with(&format!("/registry/{domain}/claim"), "", &body);
        assert_eq!(begun.status, 201, "{}", begun.text());
        assert_eq!(begun.header("cache-control"), Some("no-store"));
        let challenge = begun.json();
        let text = |name: &str| challenge[name].as_str().unwrap().to_owned();
        assert_eq!(text("kind"), "svc-claim-challenge");
        Self {
            domain,
            id: text("claim_id"),
            secret: text("claim_secret"),
            paste: text("paste"),
            method,
        }
    }

    fn flag(&self) -> &'static str {
        match self.method {
            "dns_txt" => "--txt",
            "meta_tag" => "--meta",
            _ => "--file",
        }
    }

    fn publish(&self, demo: &Demo) {
        demo.lab(&["publish", self.domain, self.flag(), &self.paste]).expect(0);
    }

    fn unpublish(&self, demo: &Demo) {
        demo.lab(&["unpublish", self.domain, self.flag()]).expect(0);
    }

    pub(crate) fn bearer(&self) -> String {
        format!("authorization: Bearer {}\r\n", self.secret)
    }

    fn verify(&self, demo: &Demo) -> HttpReply {
        let body = json!({ "claim_id": self.id, "organization": "Example Shop" }).to_string();
        let path = format!("/registry/{}/claim/verify", self.domain);
        demo.server().post_with(&path, &self.bearer(), &body)
    }

    /// Begins, publishes and proves a claim.
    pub(crate) fn prove(demo: &Demo, domain: &'static str, method: &'static str) -> Self {
        let claim = Self::begin(demo, domain, method);
        claim.publish(demo);
        let proven = claim.verify(demo);
        assert_eq!(proven.status, 200, "{method}: {}", proven.text());
        claim
    }
}

fn delete(server: &Server, path: &str, headers: &str) -> HttpReply {
    let host = server.base().replace("http://", "");
    server.send(
        format!("DELETE {path} HTTP/1.1\r\nhost: {host}\r\n{headers}connection: close\r\n\r\n")
            .as_bytes(),
    )
}

fn record(demo: &Demo, domain: &str) -> Value {
    let reply = demo.server().get(&format!("/api/v1/domain/control?domain={domain}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn answer(demo: &Demo, domain: &str) -> Value {
    let reply = demo.server().get(&format!("/api/v1/resolve?domain={domain}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// Waits until a value is as expected, for two minutes at most: a busy machine takes long.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Result<T, Value>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(seen) if start.elapsed() > Duration::from_secs(120) => panic!("{what}: {seen}"),
            Err(_) => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

/// The record, once it has this state.
fn wait_for_state(demo: &Demo, domain: &str, state: &str) -> Value {
    wait_for(state, || {
        let record = record(demo, domain);
        if record["state"] == state { Ok(record) } else { Err(record) }
    })
}

fn event_types(record: &Value) -> Vec<String> {
    let events = record["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}
