//! The rules on evidence made by hand, without a network.

use std::collections::BTreeMap;

use agents::Catalogue;
use contract::evidence::{
    Body, Evidence, Exchange, Failure, FailureKind, HeaderLine, Hop, NotRead, NotReadWhy, Observer,
    Outcome, Phase, Reading, Response, Target, TlsFacts,
};
use contract::records::{CheckVerdict, RowCause, ScanRecord, Severity, Split, Visibility};
use contract::{Brand, Domain, NamePolicy, Timestamp};

use super::*;

const PAGE: &str = "<!doctype html><title>Ferry</title><p>The ferry leaves the north quay at seven, \
    at nine and at noon, and comes back an hour later each time.</p>";
const OTHER: &str = "<!doctype html><p>Please buy our newest subscription today because nothing else \
    on this page is meant for you at all.</p>";
const NOT_FOUND: &str = "<!doctype html><h1>Not found</h1>";

/// Evidence in the making: each method adds a reading.
struct Site {
    evidence: Evidence,
    bodies: BTreeMap<String, Vec<u8>>,
}

impl Site {
    fn new() -> Self {
        let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
        let at: Timestamp = "2026-11-15T10:00:00.250Z".parse().unwrap();
        let observer =
            Observer { name: "wayleave".into(), version: "0.0.0".into(), vantage: "test".into() };
        Self {
            evidence: Evidence {
                v: 1,
                domain: Domain::parse("ferry.lab", &names).unwrap(),
                host: "ferry.lab".into(),
                started_at: at,
                finished_at: at.plus_millis(40),
                observer,
                dns: vec![],
                reads: vec![],
                not_read: vec![],
            },
            bodies: BTreeMap::new(),
        }
    }

    fn read(mut self, target: Target, path: &str, identity: &str, outcome: Outcome) -> Self {
        let url = format!("https://ferry.lab{path}");
        let exchange = Exchange {
            method: "GET".into(),
            url: url.clone(),
            request_headers: vec![HeaderLine { name: "user-agent".into(), value: identity.into() }],
            started_at: self.evidence.started_at,
            took_ms: 5,
            hops: vec![Hop {
                url,
                address: Some("127.77.0.9:443".into()),
                status: None,
                location: None,
                took_ms: 5,
                reused_connection: false,
            }],
            outcome,
        };
        let id = format!("r{:02}", self.evidence.reads.len() + 1);
        let (path, identity) = (path.to_owned(), identity.to_owned());
        self.evidence.reads.push(Reading { id, target, path, identity, exchange });
        self
    }

    fn answer(self, target: Target, path: &str, identity: &str, status: u16, body: &str) -> Self {
        let sha256 = proof::sha256(body.as_bytes()).to_string();
        let response = Response {
            url: format!("https://ferry.lab{path}"),
            status,
            http: "2".into(),
            headers: vec![HeaderLine { name: "content-type".into(), value: "text/html".into() }],
            body: Body {
                sha256: sha256.clone(),
                bytes: body.len() as u64,
                wire_bytes: body.len() as u64,
                encoding: None,
                cut: None,
            },
            tls: None,
        };
        let mut site = self.read(target, path, identity, Outcome::Response(Box::new(response)));
        site.bodies.insert(sha256, body.as_bytes().to_vec());
        site
    }

    fn home(self, identity: &str, status: u16, body: &str) -> Self {
        self.answer(Target::Home, "/", identity, status, body)
    }

    /// The browser twice and the control, all served.
    fn people(self) -> Self {
        self.home("browser", 200, PAGE).home("browser", 200, PAGE).home("control", 200, PAGE)
    }

    fn agents(self, status: u16, body: &str) -> Self {
        ["gptbot", "claudebot", "oai-searchbot", "perplexitybot", "chatgpt-user"]
            .into_iter()
            .fold(self, |site, identity| site.home(identity, status, body))
    }

    fn file(self, path: &str, status: u16, body: &str) -> Self {
        self.answer(Target::MachineFile, path, "wayleave", status, body)
    }

    fn robots(self, status: u16, body: &str) -> Self {
        self.answer(Target::Robots, "/robots.txt", "wayleave", status, body)
    }

    fn control_path(self, status: u16, body: &str) -> Self {
        self.answer(Target::ControlPath, "/zzz.html", "wayleave", status, body)
    }

    fn record(&self) -> ScanRecord {
        let brand = Brand::default();
        let frame = Frame {
            brand: &brand,
            base_url: "https://svc.example",
            id: "abc",
            visibility: Visibility::Public,
            evidence_sha256: Some("00".repeat(32)),
            sealed: Sealed::default(),
        };
        // Of its own, so that counts in here do not change with who a scan asks as.
        let catalogue = Catalogue::read(include_str!("test_catalogue.json")).unwrap();
        let rules = Rulepack::current();
        let record = judge(&self.evidence, &self.bodies, &catalogue, &rules, &frame);
        assert_eq!(record.self_audit.findings, 0, "the record contradicts itself: {record:#?}");
        assert_eq!(
            record,
            judge(&self.evidence, &self.bodies, &catalogue, &rules, &frame),
            "the same evidence gives the same record"
        );
        record
    }

    /// The verdict on one file, read after a control path that is not found.
    fn verdict(path: &str, status: u16, body: &str) -> CheckVerdict {
        let record = Self::new().control_path(404, NOT_FOUND).file(path, status, body).record();
        record.checks[0].verdict.clone()
    }
}

fn failure(kind: FailureKind, reason: &str) -> Outcome {
    let detail = "It did not work.".into();
    Outcome::Failed(Failure { kind, phase: Phase::Connect, reason: reason.into(), detail })
}

#[test]
fn an_open_site() {
    let record = Site::new()
        .robots(200, "User-agent: *\nAllow: /\nSitemap: https://ferry.lab/sitemap.xml")
        .people()
        .agents(200, PAGE)
        .file("/llms.txt", 200, "# Ferry\n")
        .file("/agents.md", 404, NOT_FOUND)
        .control_path(404, NOT_FOUND)
        .record();
    insta::assert_json_snapshot!(record, { ".rulepack.sha256" => "[digest]" });
}

#[test]
fn a_site_that_refuses_agents_loses_its_reach() {
    let record = Site::new().people().agents(403, "<p>No.</p>").record();
    assert_eq!((record.overall, record.grade.unwrap().as_str()), (Some(0), "F"));
    assert_eq!(record.agentview.split, Split::Refused);
    assert_eq!(record.agentview.all_refused, Some(true));
    assert_eq!(record.agentview.answer_word_share.unwrap().get(), 0.0);
    assert!(!record.confidence.refused, "the browser was served");
    let finding = &record.findings[0];
    assert_eq!((finding.id.as_str(), &finding.severity), ("ai_refused", &Severity::High));
    assert!(
        finding.seen.contains("the unnamed control fared as the browser did"),
        "{}",
        finding.seen
    );
}

#[test]
fn one_refused_agent_of_five_costs_a_fifth() {
    let record = Site::new().people().agents(200, PAGE).home("browser", 200, PAGE);
    let mut site = record;
    site.evidence.reads.retain(|reading| reading.identity != "gptbot");
    let record = site.home("gptbot", 429, "").record();
    assert_eq!(record.overall, Some(80));
    assert_eq!(record.findings[0].severity, Severity::Medium);
    let row = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
    assert_eq!(row.cause, RowCause::RateLimited);
}

#[test]
fn other_text_for_agents_is_a_split_of_content() {
    let record = Site::new().people().agents(200, OTHER).record();
    assert_eq!(record.agentview.split, Split::Content);
    assert_eq!(record.findings[0].id, "ai_other_text");
    assert_eq!(record.overall, Some(0), "another text is not the page");
}

#[test]
fn a_site_that_differs_from_itself_does_not_discriminate() {
    let site = Site::new().home("browser", 200, PAGE).home("browser", 200, OTHER);
    let record = site.home("control", 200, PAGE).agents(200, OTHER).record();
    assert_eq!(record.agentview.deterministic, Some(false));
    assert_eq!(record.agentview.split, Split::None);
}

#[test]
fn without_a_served_browser_nothing_is_compared() {
    let site = Site::new().home("browser", 403, "").home("browser", 403, "");
    let record = site.home("control", 403, "").agents(403, "").record();
    assert_eq!(record.agentview.split, Split::NotMeasured);
    assert_eq!(record.agentview.deterministic, None);
    assert!(record.confidence.refused);
    assert_eq!((record.overall, record.findings[0].id.as_str()), (Some(0), "all_refused"));
}

#[test]
fn a_body_that_broke_off_is_neither_served_nor_compared() {
    let mut site = Site::new().people().agents(200, PAGE);
    for reading in &mut site.evidence.reads {
        if let Outcome::Response(response) = &mut reading.exchange.outcome {
            let Outcome::Failed(cut) = failure(FailureKind::Timeout, "deadline") else { panic!() };
            response.body.cut = Some(cut);
        }
    }
    let record = site.record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(
        (record.agentview.split, record.agentview.deterministic),
        (Split::NotMeasured, None)
    );
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::Incomplete));
    assert!(
        record.agentview.rows.iter().all(|row| row.words.is_none() && row.similarity.is_none())
    );
    assert_eq!(record.non_observations.len(), 8);
}

#[test]
fn a_page_without_text_cannot_be_told_from_a_challenge() {
    let shell = "<!doctype html><script>render()</script>";
    let site = Site::new().home("browser", 200, shell).home("browser", 200, shell);
    let record = site.home("control", 200, shell).agents(200, shell).record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(record.agentview.split, Split::None);
}

#[test]
fn what_our_own_guard_refused_was_not_tried() {
    let refused = || failure(FailureKind::RefusedByPolicy, "private_address");
    let record = Site::new().read(Target::Home, "/", "browser", refused()).record();
    assert_eq!(record.agentview.rows[0].cause, RowCause::NotRead);
    assert_eq!(record.confidence.non_observations_attempted, 0);
}

#[test]
fn a_network_failure_is_neither_a_refusal_nor_a_score() {
    let mut site = Site::new().people();
    for identity in ["gptbot", "claudebot", "oai-searchbot", "perplexitybot", "chatgpt-user"] {
        site = site.read(Target::Home, "/", identity, failure(FailureKind::Connect, "reset"));
    }
    let record = site.record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(record.agentview.all_refused, None);
    assert_eq!(record.agentview.split, Split::NotMeasured);
    assert_eq!(record.confidence.non_observations_attempted, 5);
    assert!(record.non_observations.iter().all(|unseen| unseen.why == "connect: reset"));
}

#[test]
fn where_nothing_answered_there_is_no_id_and_no_evidence_kept() {
    let record = Site::new()
        .read(Target::Robots, "/robots.txt", "wayleave", failure(FailureKind::Dns, "nxdomain"))
        .record();
    assert_eq!((record.id, record.unreachable, record.evidence_sha256), (None, Some(true), None));
    assert_eq!((record.links.report, record.grade), (None, None));
}

#[test]
fn files_are_judged_by_what_they_are() {
    for (path, status, body, verdict) in [
        ("/llms.txt", 200, "# Ferry", CheckVerdict::Ok),
        ("/llms.txt", 200, PAGE, CheckVerdict::Invalid),
        ("/llms.txt", 200, "  \n", CheckVerdict::Invalid),
        ("/llms.txt", 404, NOT_FOUND, CheckVerdict::Absent),
        ("/llms.txt", 410, "", CheckVerdict::Absent),
        ("/llms.txt", 403, "", CheckVerdict::Refused),
        ("/llms.txt", 429, "", CheckVerdict::Refused),
        ("/llms.txt", 402, "", CheckVerdict::Refused),
        ("/llms.txt", 503, "", CheckVerdict::Unreachable),
        ("/llms.txt", 300, "", CheckVerdict::Refused),
        ("/sitemap.xml", 200, "<?xml version='1.0'?><urlset/>", CheckVerdict::Ok),
        ("/sitemap.xml", 200, "https://ferry.lab/", CheckVerdict::Invalid),
        ("/.well-known/agent-card.json", 200, "{\"name\":\"Ferry\"}", CheckVerdict::Ok),
        ("/.well-known/agent-card.json", 200, "{\"name\":", CheckVerdict::Invalid),
        ("/.well-known/api-catalog", 200, "{\"linkset\":[]}", CheckVerdict::Ok),
        ("/.well-known/api-catalog", 200, "plain", CheckVerdict::Invalid),
    ] {
        assert_eq!(Site::verdict(path, status, body), verdict, "{path} {status} {body:?}");
    }
    assert_eq!(Site::new().robots(200, "").record().checks[0].verdict, CheckVerdict::Ok);
}

#[test]
fn a_host_that_answers_everything_has_no_files() {
    let record = Site::new()
        .robots(200, "<!doctype html><p>Another page of the same kind.</p>")
        .file("/llms.txt", 200, PAGE)
        .file("/agents.md", 200, "# Really here")
        .control_path(200, PAGE)
        .record();
    let verdicts: Vec<_> = record.checks.iter().map(|check| check.verdict.as_str()).collect();
    assert_eq!(verdicts, ["soft_404", "soft_404", "ok"]);
    assert_eq!(record.findings.iter().filter(|f| f.id == "soft_404").count(), 1);
}

#[test]
fn robots_txt_and_the_server_are_held_against_each_other() {
    let file = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /";
    let mut site = Site::new().robots(200, file).people().agents(200, PAGE);
    site.evidence.reads.retain(|reading| reading.identity != "claudebot");
    let record = site.home("claudebot", 403, "").record();
    let conflicts: Vec<_> = record
        .agentview
        .conflicts
        .iter()
        .map(|c| (c.identity.as_str(), c.declared.as_str(), c.served.as_str()))
        .collect();
    assert_eq!(
        conflicts,
        [
            ("gptbot", "disallowed by line 2 of robots.txt", "answered 200"),
            ("claudebot", "allowed by line 5 of robots.txt", "answered 403"),
        ]
    );
}

#[test]
fn a_policy_that_is_a_page_or_an_error_declares_nothing() {
    for (status, body) in [(200, PAGE), (500, "User-agent: *\nDisallow: /"), (404, NOT_FOUND)] {
        let record = Site::new().robots(status, body).people().agents(200, PAGE).record();
        assert!(record.agentview.conflicts.is_empty(), "{status}");
    }
}

#[test]
fn an_opt_out_is_told_and_nothing_is_reported_absent() {
    let mut site = Site::new().robots(200, "User-agent: Wayleave\nDisallow: /");
    for (target, path, identity) in
        [(Target::Home, "/", "browser"), (Target::MachineFile, "/llms.txt", "wayleave")]
    {
        let why = NotReadWhy::OptOut;
        site.evidence.not_read.push(NotRead {
            target,
            path: path.into(),
            identity: identity.into(),
            why,
        });
    }
    let record = site.record();
    assert_eq!(record.findings[0].id, "opted_out");
    assert_eq!(record.checks[1].verdict, CheckVerdict::NotRead);
    assert_eq!(record.unreachable, None);
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::NotRead));
}

#[test]
fn a_bad_certificate_is_a_finding_not_an_end() {
    let mut site = Site::new().people();
    if let Outcome::Response(response) = &mut site.evidence.reads[0].exchange.outcome {
        response.tls = Some(TlsFacts {
            version: "TLS1.3".into(),
            cipher: "TLS13_AES_128_GCM_SHA256".into(),
            alpn: None,
            certificate: None,
            chain_length: 1,
            trusted: false,
            errors: vec!["expired".into(), "wrong_name".into()],
        });
    }
    let record = site.record();
    assert!(record.findings[0].seen.contains("expired, wrong_name"));
    assert_eq!(record.agentview.rows[0].cause, RowCause::Served);
}

#[test]
fn excerpts_cannot_hide_or_reorder_text() {
    let record =
        Site::new().file("/llms.txt", 200, "a\u{202e}b\u{200b}c\n\u{1b}[2Jd\u{e0041}").record();
    assert_eq!(
        record.checks[0].excerpt.as_deref(),
        Some("a\u{fffd}b\u{fffd}c \u{fffd}[2Jd\u{fffd}")
    );
}
