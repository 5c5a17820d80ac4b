//! The published client's MCP calls, and its middleware around a session of the SDK with a real server.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::peer::{Certificate, Kind, Peer, Place, service_with};
use crate::lab_server::{Extension, LabServer};
use crate::tools::{self, McpPython};

/// A site to which a connection is possible after confirmation; the server runs at its address.
const HOST: &str = "open.lab";

const APPROVE: [&str; 6] = [
    "mcp_lock",
    "mcp_lock_check",
    "mcp_lock_check_of_another_list",
    "mcp_scan",
    "middleware",
    "middleware_asks_a_person",
];

const CHANGED: [&str; 3] = [
    "mcp_lock_check_after_an_edit",
    "middleware_refuses_after_an_edit",
    "middleware_refuses_the_session",
];

struct Session<'a> {
    python: McpPython,
    lab: &'a LabServer,
    peer: &'a Peer,
    certificate: &'a Certificate,
    lock: &'a Path,
}

impl Session<'_> {
    fn run(&self, phase: &str, expected: &[&str]) {
        let mut python = self.python.command().unwrap();
        python.arg(tools::script("mcp_client_calls.py"));
        python.args([phase, &self.lab.server.base(), &self.peer.url()]);
        python.arg(self.peer.place.address.to_string());
        let output = python.arg(&self.certificate.certificate).arg(self.lock).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let checks: BTreeMap<String, Value> = serde_json::from_slice(&output.stdout).unwrap();
        let wrong: Vec<_> = checks.iter().filter(|(_, one)| one["ok"] != true).collect();
        assert!(wrong.is_empty(), "{phase}: {wrong:#?}");
        assert_eq!(checks.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}

fn client_works(python: McpPython) {
    if python.command().is_none() {
        return;
    }
    let certificate = Certificate::new(HOST);
    let place = Place::new();
    let lab = service_with(Extension {
        brand: "crawlcheck",
        ports: vec![place.port],
        ca: certificate.pem(),
        ..Extension::default()
    });
    let place = Place { host: HOST, address: lab.lab.address(HOST).unwrap(), ..place };
    let kind = Kind::Python(python, "sdk");
    let Some(mut peer) = Peer::start_at(place, kind, Some(&certificate)) else { return };
    lab.scan(HOST, "public").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("mcp.lock.json");
    let run = |peer: &Peer, phase: &str, expected: &[&str]| {
        let (lab, certificate, lock) = (&lab, &certificate, lock.as_path());
        Session { python, lab, peer, certificate, lock }.run(phase, expected);
    };
    run(&peer, "approve", &APPROVE);
    // The client called a tool once per session that it was allowed; the service never did.
    let calls =
        |peer: &Peer| peer.asked().iter().filter(|[_, _, method]| method == "tools/call").count();
    assert_eq!(calls(&peer), 1);
    peer.redescribe("Adds two numbers and keeps them.");
    run(&peer, "changed", &CHANGED);
    assert_eq!(calls(&peer), 1, "a refused session sends no call");
}

#[test]
fn the_published_client_works_with_the_first_sdk() {
    client_works(McpPython::First);
}

#[test]
fn the_published_client_works_with_the_second_sdk() {
    client_works(McpPython::Second);
}
