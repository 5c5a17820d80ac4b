//! Hand-made evidence: a small site, read by every identity.

use std::collections::BTreeMap;

use agents::Catalogue;
use contract::evidence::{
    BodyFacts, Evidence, Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, HeaderLine,
    Hop, Observer, ReadTarget, Reading, Response,
};
use contract::records::{CheckVerdict, ScanRecord, Visibility};
use contract::{Brand, Domain, Issuer, NamePolicy, Timestamp};

use crate::parallel::on_one_thread;
use crate::rulepack::Rulepack;
use crate::scan::{RecordMetadata, StorageMetadata, judge};

pub(crate) const PAGE: &str = "<!doctype html><html lang=en><title>Ferry</title><meta name=description content='Times and \
    prices of the ferry'><script type='application/ld+json'>{\"@context\":\"https://schema.org\",\
    \"@type\":\"Organization\",\"name\":\"North Quay Ferry\"}</script><main><p>The ferry leaves the north quay at \
    seven, at nine and at noon, and comes back an hour later each time. A crossing takes forty minutes when \
    the sea is calm and an hour when it is not. Tickets are sold on board, in coins or by card, and children \
    under six travel free with a grown-up who keeps hold of them.</p></main>";

pub(crate) const OTHER_PAGE: &str = "<!doctype html><title>Offer</title><main><p>Please buy our newest subscription today \
    because nothing else on this page is meant for you at all, and whoever reads this far has already been \
    told that there is nothing more to be found here than the same offer over and over again in other words \
    until the very end of the page is reached at last and the offer is made once more.</p></main>";

pub(super) const NOT_FOUND_PAGE: &str = "<!doctype html><h1>Not found</h1>";

/// Builds evidence: each method adds a reading.
pub(crate) struct EvidenceBuilder {
    pub(crate) evidence: Evidence,
    pub(crate) bodies: BTreeMap<String, Vec<u8>>,
}

/// The address of a path. Files that another one names are recorded with their whole address.
fn url_of(path: &str) -> String {
    if path.contains("://") { path.to_owned() } else { format!("https://ferry.lab{path}") }
}

impl EvidenceBuilder {
    pub(crate) fn new() -> Self {
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

    pub(crate) fn add_reading(
        mut self,
        target: ReadTarget,
        path: &str,
        identity: &str,
        outcome: ExchangeOutcome,
    ) -> Self {
        let url = url_of(path);
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
        // Tests remove readings, so the number of readings may belong to another one.
        let last = self.evidence.reads.iter().filter_map(|r| r.id.get(1..)?.parse::<u32>().ok());
        let id = format!("r{:02}", last.max().unwrap_or_default() + 1);
        let (path, identity) = (path.to_owned(), identity.to_owned());
        let chosen_from = None;
        self.evidence.reads.push(Reading { id, target, path, identity, chosen_from, exchange });
        self
    }

    pub(crate) fn add_response(
        self,
        target: ReadTarget,
        path: &str,
        identity: &str,
        status: u16,
        body: &str,
    ) -> Self {
        let sha256 = proof::sha256(body.as_bytes()).to_string();
        let response = Response {
            url: url_of(path),
            status,
            http: "2".into(),
            headers: vec![HeaderLine { name: "content-type".into(), value: "text/html".into() }],
            body: BodyFacts {
                sha256: sha256.clone(),
                bytes: body.len() as u64,
                wire_bytes: body.len() as u64,
                encoding: None,
                cut: None,
            },
            tls: None,
        };
        let mut site =
            self.add_reading(target, path, identity, ExchangeOutcome::Response(Box::new(response)));
        site.bodies.insert(sha256, body.as_bytes().to_vec());
        site
    }

    pub(crate) fn home(self, identity: &str, status: u16, body: &str) -> Self {
        self.add_response(ReadTarget::Home, "/", identity, status, body)
    }

    /// The browser twice and the control client, all served.
    pub(crate) fn browser_and_control(self) -> Self {
        self.home("browser", 200, PAGE).home("browser", 200, PAGE).home("control", 200, PAGE)
    }

    pub(crate) fn crawlers(self, status: u16, body: &str) -> Self {
        let catalogue = Catalogue::built_in().unwrap();
        catalogue.ai_identities().fold(self, |site, identity| site.home(&identity.id, status, body))
    }

    /// The second readings and the trial of a site that gives these crawlers another page.
    pub(crate) fn trial(self, suspects: &[&str], people: &str, crawlers: &str) -> Self {
        let add = |site: Self, target: ReadTarget, who: &str, body: &str| {
            site.add_response(target, "/", who, 200, body)
        };
        let site = ["browser", "control", "browser"]
            .into_iter()
            .fold(self, |site, who| add(site, ReadTarget::HomeAgain, who, people));
        let site =
            suspects.iter().fold(site, |site, who| add(site, ReadTarget::HomeAgain, who, crawlers));
        let asked = suspects.len().max(7);
        let site = suspects
            .iter()
            .cycle()
            .take(asked)
            .fold(site, |site, who| add(site, ReadTarget::HomeTrial, who, crawlers));
        ["browser", "control"]
            .iter()
            .cycle()
            .take(8)
            .fold(site, |site, who| add(site, ReadTarget::HomeTrial, who, people))
    }

    /// The same for all crawlers.
    pub(crate) fn trial_of_all(self, people: &str, crawlers: &str) -> Self {
        let catalogue = Catalogue::built_in().unwrap();
        let all: Vec<&str> = catalogue.ai_identities().map(|one| one.id.as_str()).collect();
        self.trial(&all, people, crawlers)
    }

    pub(crate) fn file(self, path: &str, status: u16, body: &str) -> Self {
        self.add_response(ReadTarget::MachineFile, path, "wayleave", status, body)
    }

    pub(crate) fn robots(self, status: u16, body: &str) -> Self {
        self.add_response(ReadTarget::Robots, "/robots.txt", "wayleave", status, body)
    }

    pub(crate) fn control_path(self, status: u16, body: &str) -> Self {
        self.add_response(ReadTarget::ControlPath, "/zzz.html", "wayleave", status, body)
    }

    pub(crate) fn build_record(&self) -> ScanRecord {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let metadata = RecordMetadata {
            issuer: &issuer,
            id: "abc",
            visibility: Visibility::Public,
            evidence_sha256: Some("00".repeat(32)),
            storage: StorageMetadata::default(),
        };
        let catalogue = Catalogue::built_in().unwrap();
        let rules = Rulepack::current();
        let record = judge(&self.evidence, &self.bodies, &catalogue, &rules, &metadata);
        assert_eq!(record.self_audit.findings, 0, "the record contradicts itself: {record:#?}");
        let again =
            on_one_thread(|| judge(&self.evidence, &self.bodies, &catalogue, &rules, &metadata));
        assert_eq!(record, again, "the same evidence gives the same record");
        record
    }

    /// The verdict on one file, read after a control path that is not found.
    pub(crate) fn file_verdict(path: &str, status: u16, body: &str) -> CheckVerdict {
        let record =
            Self::new().control_path(404, NOT_FOUND_PAGE).file(path, status, body).build_record();
        record.checks[0].verdict.clone()
    }
}

pub(super) fn failure(kind: FailureKind, reason: &str) -> ExchangeOutcome {
    let detail = "It did not work.".into();
    ExchangeOutcome::Failed(Failure {
        kind,
        phase: FailurePhase::Connect,
        reason: reason.into(),
        detail,
    })
}
