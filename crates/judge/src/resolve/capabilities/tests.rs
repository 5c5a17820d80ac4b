//! Files in, section out, through the checks of a scan.

use agents::Catalogue;
use contract::evidence::{
    BodyFacts, Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, HeaderLine, Hop,
    Observer, ReadTarget, Reading, SkipReason, SkippedRead,
};
use contract::records::{SafetyClass, Visibility};
use contract::{Brand, Domain, Issuer, NamePolicy, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::rulepack::Rulepack;
use crate::scan::{RecordMetadata, StorageMetadata, judge};

const OPENAPI: &str = "/openapi.json";
const CARD: &str = "/.well-known/agent-card.json";
const SKILLS: &str = "/.well-known/agent-skills/index.json";
const RESOURCE: &str = "/.well-known/oauth-protected-resource";

struct SiteBuilder {
    evidence: Evidence,
    bodies: BTreeMap<String, Vec<u8>>,
}

impl SiteBuilder {
    fn new() -> Self {
        let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
        let at: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let observer =
            Observer { name: "wayleave".into(), version: "0.0.0".into(), vantage: "test".into() };
        let evidence = Evidence {
            v: 1,
            domain: Domain::parse("ferry.lab", &names).unwrap(),
            host: "ferry.lab".into(),
            started_at: at,
            finished_at: at,
            observer,
            dns: vec![],
            reads: vec![],
            not_read: vec![],
        };
        Self { evidence, bodies: BTreeMap::new() }
    }

    fn read(mut self, target: ReadTarget, path: &str, outcome: ExchangeOutcome) -> Self {
        let url = format!("https://ferry.lab{path}");
        let hop = Hop {
            url: url.clone(),
            address: None,
            status: None,
            location: None,
            took_ms: 1,
            reused_connection: false,
        };
        let exchange = Exchange {
            method: "GET".into(),
            url,
            request_headers: vec![],
            started_at: self.evidence.started_at,
            took_ms: 1,
            hops: vec![hop],
            outcome,
        };
        let id = format!("r{}", self.evidence.reads.len());
        let (path, identity) = (path.to_owned(), "wayleave".to_owned());
        let chosen_from = None;
        self.evidence.reads.push(Reading { id, target, path, identity, chosen_from, exchange });
        self
    }

    fn answer(
        mut self,
        target: ReadTarget,
        path: &str,
        status: u16,
        kind: &str,
        body: &str,
    ) -> Self {
        let sha256 = proof::sha256(body.as_bytes()).to_string();
        self.bodies.insert(sha256.clone(), body.as_bytes().to_vec());
        let response = Response {
            url: format!("https://ferry.lab{path}"),
            status,
            http: "2".into(),
            headers: vec![HeaderLine { name: "content-type".into(), value: kind.into() }],
            body: BodyFacts {
                sha256,
                bytes: body.len() as u64,
                wire_bytes: body.len() as u64,
                encoding: None,
                cut: None,
            },
            tls: None,
        };
        self.read(target, path, ExchangeOutcome::Response(Box::new(response)))
    }

    fn file(self, path: &str, body: &Value) -> Self {
        self.answer(ReadTarget::MachineFile, path, 200, "application/json", &body.to_string())
    }

    fn status(self, path: &str, status: u16) -> Self {
        self.answer(
            ReadTarget::MachineFile,
            path,
            status,
            "text/html",
            "<!doctype html><h1>No</h1>",
        )
    }

    fn unread(mut self, path: &str) -> Self {
        self.evidence.not_read.push(SkippedRead {
            target: ReadTarget::MachineFile,
            path: path.to_owned(),
            identity: "wayleave".into(),
            why: SkipReason::Deadline,
        });
        self
    }

    fn section(&self) -> CapabilitiesSection {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let metadata = RecordMetadata {
            issuer: &issuer,
            id: "abc",
            visibility: Visibility::Public,
            evidence_sha256: None,
            storage: StorageMetadata::default(),
        };
        let (catalogue, rules) = (Catalogue::built_in().unwrap(), Rulepack::current());
        let record = judge(&self.evidence, &self.bodies, &catalogue, &rules, &metadata);
        capabilities(&self.evidence, &self.bodies, &record)
    }

    fn declared(&self) -> Capabilities {
        match self.section() {
            CapabilitiesSection::Declared { body, .. } => body,
            other => panic!("{other:?}"),
        }
    }

    fn why_not(&self) -> String {
        match self.section() {
            CapabilitiesSection::NotMeasured { why, .. } => why,
            other => panic!("{other:?}"),
        }
    }
}

fn openapi(paths: &Value) -> Value {
    json!({"openapi": "3.1.0", "info": {"title": "Ferry", "version": "1"}, "paths": paths})
}

fn times() -> Value {
    openapi(&json!({
        "/times": {"get": {"operationId": "getTimes", "responses": {}}},
        "/bookings": {"post": {"operationId": "bookGroup", "responses": {}}},
    }))
}

fn card(skills: &Value) -> Value {
    json!({"name": "Ferry", "description": "Times.", "version": "1.0.0", "capabilities": {},
        "supportedInterfaces": [{"url": "https://ferry.lab/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": skills})
}

#[test]
fn declared_capabilities_have_a_safety_class() {
    let skill = json!([{"id": "times", "name": "Times", "description": "d", "tags": ["t"]}]);
    let section = SiteBuilder::new().file(OPENAPI, &times()).file(CARD, &card(&skill)).declared();
    let items: Vec<(&str, &str, &str)> = section
        .items
        .iter()
        .map(|item| {
            (item.untrusted_name.as_str(), item.declared_in.as_str(), item.safety_class.as_str())
        })
        .collect();
    assert_eq!(
        items,
        [
            ("bookGroup", OPENAPI, "transactional"),
            ("getTimes", OPENAPI, "read_only_public"),
            ("Times", CARD, "unknown"),
        ]
    );
    assert_eq!(section.declared, 3);
    assert_eq!(section.by_safety_class.values().sum::<u32>(), 3);
    assert_eq!(section.declared_files, [OPENAPI, CARD]);
    assert_eq!((section.verified, section.mismatches, &section.certificate), (0, 0, &None));
    assert_eq!(section.note, NOTE);
}

#[test]
fn none_declared_is_reported_only_if_the_files_were_read() {
    let section = SiteBuilder::new().status(OPENAPI, 404).status(CARD, 410).declared();
    assert_eq!((section.declared, section.items.len(), section.declared_files.len()), (0, 0, 0));
    assert!(SiteBuilder::new().why_not().contains("was requested"));
    let refused = SiteBuilder::new().status(OPENAPI, 403).status(CARD, 503);
    assert!(refused.why_not().contains("None of the files"));
    let half = SiteBuilder::new().status(OPENAPI, 404).unread(CARD);
    assert!(half.why_not().contains(CARD), "{}", half.why_not());
    let failed = ExchangeOutcome::Failed(Failure {
        kind: FailureKind::Timeout,
        phase: FailurePhase::Head,
        reason: "late".into(),
        detail: "Nothing came.".into(),
    });
    let late = SiteBuilder::new().read(ReadTarget::MachineFile, OPENAPI, failed).status(CARD, 404);
    assert!(late.why_not().contains(OPENAPI));
}

#[test]
fn found_capabilities_are_reported_with_the_unread_files() {
    let section = SiteBuilder::new().file(OPENAPI, &times()).status(CARD, 403).declared();
    assert_eq!(section.declared, 2);
    assert!(section.note.contains(CARD) && section.note.starts_with(NOTE), "{}", section.note);
}

#[test]
fn a_file_that_is_not_what_it_should_be_declares_nothing() {
    let invalid = SiteBuilder::new().file(CARD, &json!({"skills": [{"name": "x"}]})).declared();
    assert_eq!((invalid.declared, invalid.declared_files.len()), (0, 0));
    let page = times().to_string();
    let soft = SiteBuilder::new()
        .answer(ReadTarget::ControlPath, "/zzz.json", 200, "application/json", &page)
        .answer(ReadTarget::MachineFile, OPENAPI, 200, "application/json", &page)
        .declared();
    assert_eq!(soft.declared, 0, "the same bytes for a path that cannot exist");
    let wall = SiteBuilder::new().status(OPENAPI, 402).why_not();
    assert!(wall.contains("None of the files"));
}

#[test]
fn other_paths_do_not_count() {
    let elsewhere =
        SiteBuilder::new().file("/v1/openapi.json", &times()).status(CARD, 404).declared();
    assert_eq!(elsewhere.declared, 0);
}

#[test]
fn what_needs_a_token_is_not_public() {
    let resource = |address: &str| json!({"resource": address, "authorization_servers": ["https://ferry.lab"]});
    let class = |address: &str| {
        let section = SiteBuilder::new()
            .file(OPENAPI, &times())
            .file(RESOURCE, &resource(address))
            .declared();
        let item =
            section.items.into_iter().find(|item| item.untrusted_name == "getTimes").unwrap();
        item.safety_class
    };
    assert_eq!(class("https://ferry.lab"), SafetyClass::ReadOnlyAuthenticated);
    assert_eq!(class("https://ferry.lab/mcp"), SafetyClass::ReadOnlyPublic);
}

#[test]
fn the_same_thing_in_two_files_is_one() {
    let entry = |url: &str| {
        json!({"specVersion": "1.0", "entries": [{"identifier": "urn:air:ferry.lab:a:b",
            "displayName": "Desk", "type": "application/json", "url": url}]})
    };
    let (first, second) = ("/.well-known/ai-catalog.json", "/.well-known/ard.json");
    let same = entry("https://ferry.lab/desk");
    let section = SiteBuilder::new().file(first, &same).file(second, &same).declared();
    assert_eq!((section.declared, section.declared_files.len()), (1, 2));
    assert_eq!(section.items[0].declared_in, first);
    let other = SiteBuilder::new().file(first, &same).file(second, &entry("https://ferry.lab/two"));
    assert_eq!(other.declared().declared, 2);
    // One name at one address, and two opinions of it.
    let api = openapi(&json!({"/desk": {"get": {"operationId": "Desk", "responses": {}}}}));
    let section = SiteBuilder::new().file(OPENAPI, &api).file(first, &same).declared();
    assert_eq!((section.declared, &section.items[0].safety_class), (1, &SafetyClass::Unknown));
}

#[test]
fn many_are_counted_and_few_listed() {
    let skills: Vec<Value> = (0..=capability::MAX_ITEMS)
        .map(|n| {
            json!({"name": format!("s{n}"), "type": "skill-md", "description": "d", "url": "/s",
                        "digest": format!("sha256:{}", "0".repeat(64))})
        })
        .collect();
    let index = json!({"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills});
    let section = SiteBuilder::new().file(SKILLS, &index).declared();
    assert_eq!(section.declared, 200);
    assert_eq!(section.items.len(), CAPABILITY_ITEMS_MAX);
    assert_eq!(section.by_safety_class, BTreeMap::from([("unknown".to_owned(), 200)]));
    assert!(section.note.contains(SKILLS) && section.note.contains("first 50"), "{}", section.note);
}

#[test]
fn servers_of_an_mcp_card_say_that_no_scan_is_known_yet() {
    let path = "/.well-known/mcp/server-card.json";
    let card = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "lab.ferry/times", "version": "1.0.0", "description": "Times of ferries.",
        "remotes": [{"type": "streamable-http", "url": "https://ferry.lab/mcp"}],
    });
    let section = SiteBuilder::new().file(OPENAPI, &times()).file(path, &card).declared();
    for item in &section.items {
        let shown = item.mcp_scan.as_ref().map(|scan| (scan.state.as_str(), scan.why.is_some()));
        let expected = (item.declared_in == path).then_some(("not_measured", true));
        assert_eq!(shown, expected, "{item:?}");
    }
    assert!(section.items.iter().any(|item| item.declared_in == path), "{section:?}");
}

/// A description with one public operation that returns an object with a number.
fn ferries() -> Value {
    openapi(&json!({"/ferries": {"get": {"operationId": "getFerries", "responses": {"200": {
        "description": "d", "content": {"application/json": {"schema": {"type": "object",
        "required": ["count"], "properties": {"count": {"type": "integer"}}}}}}}}}}))
}

const FIT: (u16, &str, &str) = (200, "application/json", "{\"count\":3}");
const LIE: (u16, &str, &str) = (200, "application/json", "{\"count\":\"many\"}");
const FAULT: (u16, &str, &str) = (502, "text/html", "<h1>Bad gateway</h1>");
const LOCKED: (u16, &str, &str) = (401, "application/json", "{}");
/// A challenge with a success status, where JSON is declared.
const CHALLENGE: (u16, &str, &str) = (
    200,
    "text/html",
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>\
     <script>window._cf_chl_opt={cType:'managed'};</script>\
     <script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script></body></html>",
);

fn called(answers: &[(u16, &str, &str)]) -> Capabilities {
    let mut site = SiteBuilder::new().file(OPENAPI, &ferries());
    for (status, kind, body) in answers {
        site = site.answer(ReadTarget::CapabilityCall, "/ferries", *status, kind, body);
    }
    site.declared()
}

#[test]
fn calls_verify_or_accuse_and_noise_does_neither() {
    for (answers, result, counts) in [
        (&[FIT][..], "as_declared", (1, 0)),
        (&[LIE, LIE], "differs", (0, 1)),
        (&[LOCKED, LOCKED], "differs", (0, 1)),
        (&[LIE], "not_measured", (0, 0)),
        (&[LIE, FIT], "not_measured", (0, 0)),
        (&[LIE, FAULT], "not_measured", (0, 0)),
        (&[FAULT], "not_measured", (0, 0)),
        (&[CHALLENGE, CHALLENGE], "not_measured", (0, 0)),
    ] {
        let section = called(answers);
        let call = section.items[0].call.as_ref().unwrap();
        assert_eq!(call.result.as_str(), result, "{answers:?}: {call:?}");
        assert_eq!((section.verified, section.mismatches), counts, "{answers:?}");
        assert_eq!(call.readings.len(), answers.len());
        assert_eq!(call.difference.is_some(), result == "differs");
        assert!(!call.why.is_empty() && section.note.contains("1 operation was called"));
    }
    let uncalled = called(&[]);
    assert_eq!((&uncalled.items[0].call, uncalled.items[0].as_declared), (&None, None));
    assert!(uncalled.items[0].declaration_sha256.is_some());
}

#[test]
fn only_the_call_of_the_declared_url_counts() {
    let section = SiteBuilder::new()
        .file(OPENAPI, &ferries())
        .answer(ReadTarget::CapabilityCall, "/other", 200, "application/json", "{}")
        .answer(ReadTarget::Page, "/ferries", 200, "application/json", FIT.2)
        .declared();
    assert_eq!(
        (section.verified, section.mismatches, section.items[0].call.is_none()),
        (0, 0, true)
    );
}

#[test]
fn what_was_not_called_is_told_with_the_reason() {
    for (why, words) in [
        (SkipReason::Robots, "robots.txt does not permit"),
        (SkipReason::DailyLimit, "at most three times a day"),
        (SkipReason::Deadline, "time of the scan"),
    ] {
        let mut site = SiteBuilder::new().file(OPENAPI, &ferries());
        site.evidence.not_read.push(SkippedRead {
            target: ReadTarget::CapabilityCall,
            path: "/ferries".to_owned(),
            identity: "wayleave".into(),
            why,
        });
        let note = site.declared().note;
        assert!(note.starts_with(NOTE) && note.contains(words), "{note}");
    }
}

#[test]
fn a_linked_description_declares_like_one_at_its_usual_path() {
    let link = "/docs/api.json";
    let site = |body: &str| {
        SiteBuilder::new().status(CARD, 404).answer(
            ReadTarget::ServiceDescription,
            link,
            200,
            "application/json",
            body,
        )
    };
    let section = site(&ferries().to_string()).declared();
    assert_eq!((section.declared, section.items[0].declared_in.as_str()), (1, link));
    assert_eq!(section.items[0].safety_class, SafetyClass::ReadOnlyPublic);
    assert_eq!(site("<!doctype html><h1>Docs</h1>").declared().declared, 0);
}
