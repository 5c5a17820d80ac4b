//! The rules on evidence made by hand, without a network.

use std::collections::BTreeMap;

use agents::Catalogue;
use contract::evidence::{
    Body, Evidence, Exchange, Failure, FailureKind, HeaderLine, Hop, NotRead, NotReadWhy, Observer,
    Outcome, Phase, Reading, Response, Target, TlsFacts,
};
use contract::records::{
    CheckVerdict, EquivalenceVerdict, LedgerState, RowCause, ScanRecord, Severity, Split,
    Visibility,
};
use contract::{Brand, Domain, NamePolicy, Timestamp};

use super::*;

pub(crate) const PAGE: &str = "<!doctype html><html lang=en><title>Ferry</title><meta name=description content='Times and \
    prices of the ferry'><script type='application/ld+json'>{\"@context\":\"https://schema.org\",\
    \"@type\":\"Organization\",\"name\":\"North Quay Ferry\"}</script><main><p>The ferry leaves the north quay at \
    seven, at nine and at noon, and comes back an hour later each time. A crossing takes forty minutes when \
    the sea is calm and an hour when it is not. Tickets are sold on board, in coins or by card, and children \
    under six travel free with a grown-up who keeps hold of them.</p></main>";
pub(crate) const OTHER: &str = "<!doctype html><title>Offer</title><main><p>Please buy our newest subscription today \
    because nothing else on this page is meant for you at all, and whoever reads this far has already been \
    told that there is nothing more to be found here than the same offer over and over again in other words \
    until the very end of the page is reached at last and the offer is made once more.</p></main>";
const NOT_FOUND: &str = "<!doctype html><h1>Not found</h1>";

/// Evidence in the making: each method adds a reading.
pub(crate) struct Site {
    pub(crate) evidence: Evidence,
    pub(crate) bodies: BTreeMap<String, Vec<u8>>,
}

impl Site {
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

    pub(crate) fn read(
        mut self,
        target: Target,
        path: &str,
        identity: &str,
        outcome: Outcome,
    ) -> Self {
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

    pub(crate) fn answer(
        self,
        target: Target,
        path: &str,
        identity: &str,
        status: u16,
        body: &str,
    ) -> Self {
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

    pub(crate) fn home(self, identity: &str, status: u16, body: &str) -> Self {
        self.answer(Target::Home, "/", identity, status, body)
    }

    /// The browser twice and the control, all served.
    pub(crate) fn people(self) -> Self {
        self.home("browser", 200, PAGE).home("browser", 200, PAGE).home("control", 200, PAGE)
    }

    pub(crate) fn agents(self, status: u16, body: &str) -> Self {
        let catalogue = Catalogue::built_in().unwrap();
        catalogue.ai().fold(self, |site, identity| site.home(&identity.id, status, body))
    }

    pub(crate) fn file(self, path: &str, status: u16, body: &str) -> Self {
        self.answer(Target::MachineFile, path, "wayleave", status, body)
    }

    pub(crate) fn robots(self, status: u16, body: &str) -> Self {
        self.answer(Target::Robots, "/robots.txt", "wayleave", status, body)
    }

    pub(crate) fn control_path(self, status: u16, body: &str) -> Self {
        self.answer(Target::ControlPath, "/zzz.html", "wayleave", status, body)
    }

    pub(crate) fn record(&self) -> ScanRecord {
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
        let catalogue = Catalogue::built_in().unwrap();
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
    pub(crate) fn verdict(path: &str, status: u16, body: &str) -> CheckVerdict {
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
    assert_eq!(record.grade.as_ref().unwrap().as_str(), "A", "{:#?}", record.findings);
    insta::assert_json_snapshot!(record, {
        ".rulepack.sha256" => "[digest]",
        ".provenance.rulepack.sha256" => "[digest]",
    });
}

/// Looks the row of a rule up.
fn row<'a>(record: &'a ScanRecord, rule: &str) -> &'a contract::records::LedgerRow {
    record.score_ledger.rows.iter().find(|row| row.rule == rule).unwrap()
}

fn ids(record: &ScanRecord) -> Vec<&str> {
    record.findings.iter().map(|finding| finding.id.as_str()).collect()
}

#[test]
fn a_site_that_refuses_agents_is_held_at_reach() {
    let record = Site::new().people().agents(403, "<p>No.</p>").record();
    assert_eq!(record.overall, Some(30));
    assert!(record.grade_detail.capped && record.score_ledger.held_at_reach);
    assert!(record.grade_detail.cap_reason.as_ref().unwrap().contains("turned away"));
    assert_eq!(record.agentview.split, Split::Refused);
    assert_eq!(record.agentview.all_refused, Some(true));
    assert_eq!(record.agentview.answer_word_share.unwrap().get(), 0.0);
    assert_eq!(record.agentview.aimed_at, "named_agents");
    assert!(!record.confidence.refused, "the browser was served");
    let finding = &record.findings[0];
    assert_eq!(finding.severity, Severity::High);
    assert!(finding.seen.contains("The browser was given the page."), "{}", finding.seen);
    assert!(finding.seen.contains("copies"), "a copy of a bot is not the bot: {}", finding.seen);
}

#[test]
fn one_refused_agent_costs_its_share_of_its_purpose() {
    let all = Site::new().people().agents(200, PAGE).record();
    let mut site = Site::new().people().agents(200, PAGE);
    site.evidence.reads.retain(|reading| reading.identity != "gptbot");
    let record = site.home("gptbot", 403, "").record();
    assert_eq!(row(&record, "reach.training").state, LedgerState::Partial);
    assert_eq!(row(&record, "reach.search").state, LedgerState::Passed);
    assert!(record.overall < all.overall);
}

#[test]
fn a_busy_answer_to_some_is_perhaps_our_own_haste_and_to_all_agents_it_is_not() {
    let whole = Site::new().people().agents(200, PAGE).record();
    for status in [429, 503] {
        let mut site = Site::new().people().agents(200, PAGE);
        site.evidence.reads.retain(|reading| reading.identity != "gptbot");
        let record = site.home("gptbot", status, "").record();
        let gptbot = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
        assert_eq!(gptbot.cause, RowCause::Busy);
        assert_eq!(record.overall, whole.overall, "which of them is told to wait is chance");
        let record = Site::new().people().agents(status, "").record();
        assert_eq!(record.agentview.all_refused, Some(true), "{status}");
    }
}

#[test]
fn other_text_for_agents_is_a_split_of_content() {
    let record = Site::new().people().agents(200, OTHER).record();
    assert_eq!(record.agentview.split, Split::Content);
    assert!(ids(&record).contains(&"other_text"));
    assert_eq!(record.overall, Some(60), "held by its cap");
    assert!(!record.score_ledger.held_at_reach, "agents do get a page");
}

#[test]
fn the_same_words_with_other_prices_are_another_text() {
    let priced = |price: &str| format!("{PAGE}<p>A single ticket costs {price} these days.</p>");
    let (people, agents) = (priced("EUR 4.20"), priced("EUR 9.90"));
    let site = ["browser", "browser", "control"]
        .into_iter()
        .fold(Site::new(), |site, who| site.home(who, 200, &people));
    let record = site.agents(200, &agents).record();
    let row = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
    assert_eq!(row.equivalence, EquivalenceVerdict::Different, "{row:#?}");
}

#[test]
fn a_site_that_differs_from_itself_does_not_discriminate() {
    let site = Site::new().home("browser", 200, PAGE).home("browser", 200, OTHER);
    let record = site.home("control", 200, PAGE).agents(200, OTHER).record();
    assert_eq!(record.agentview.deterministic, Some(false));
    assert_eq!(record.agentview.split, Split::None);
    assert_eq!(row(&record, "equivalence.same_text").state, LedgerState::NotAssessed);
}

#[test]
fn without_a_served_browser_there_is_no_grade() {
    let site = Site::new().home("browser", 403, "").home("browser", 403, "");
    let record = site.home("control", 403, "").agents(403, "").record();
    assert_eq!(record.agentview.split, Split::NotMeasured);
    assert_eq!(record.agentview.deterministic, None);
    assert_eq!(record.agentview.aimed_at, "network");
    assert!(record.confidence.refused);
    assert_eq!((record.overall, record.grade.clone()), (None, None));
    assert!(ids(&record).contains(&"all_refused"));
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
    let reads = site.evidence.reads.len();
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
    assert_eq!(record.non_observations.len(), reads);
}

#[test]
fn a_shell_for_everybody_reaches_agents_and_tells_them_nothing() {
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let site = Site::new().home("browser", 200, shell).home("browser", 200, shell);
    let record = site.home("control", 200, shell).agents(200, shell).record();
    assert_eq!(record.content.script_shell, Some(true));
    assert_eq!(row(&record, "reach.search").state, LedgerState::Passed);
    assert_eq!(row(&record, "content.words").state, LedgerState::Failed);
    assert_eq!((record.overall, record.grade_detail.cap), (Some(40), Some(40)));
    assert_eq!(record.agentview.split, Split::None);
}

/// The same content, treated in six ways.
fn six_treatments() -> [Site; 6] {
    let challenge =
        "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={};</script>";
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let site = || Site::new().robots(200, "User-agent: *\nAllow: /\n").control_path(404, NOT_FOUND);
    let all_shell = ["browser", "browser", "control"]
        .into_iter()
        .fold(site(), |site, who| site.home(who, 200, shell))
        .agents(200, shell);
    let everything = Site::new()
        .robots(200, "User-agent: *\nAllow: /\n")
        .control_path(200, PAGE)
        .file("/llms.txt", 200, PAGE)
        .people()
        .agents(200, PAGE);
    [
        site().people().agents(200, PAGE),
        site().people().agents(403, "<p>No.</p>"),
        site().people().agents(200, challenge),
        site().people().agents(402, ""),
        everything,
        all_shell,
    ]
}

/// What the rules come to cannot change unseen either: whoever changes a rule's code raises
/// `score_version` and writes the new digest down here.
#[test]
fn what_the_rules_come_to_belongs_to_the_version() {
    let told: Vec<_> = six_treatments()
        .iter()
        .map(|site| {
            let record = site.record();
            let causes: Vec<_> =
                record.agentview.rows.iter().map(|row| row.cause.clone()).collect();
            let findings: Vec<_> = ids(&record).into_iter().map(str::to_owned).collect();
            (record.score_ledger, causes, findings)
        })
        .collect();
    let digest = proof::sha256(&proof::canonical::to_vec(&told).unwrap()).to_string();
    assert_eq!(
        (Rulepack::current().score_version, digest.as_str()),
        (2, "17c543bfda12a632a9bc12130f288d670cca9259654392a387bc06128dd5cc37")
    );
}

#[test]
fn six_treatments_are_six_outcomes_that_say_what_was_done() {
    let outcomes: Vec<(Option<u32>, Option<u32>, Split)> = six_treatments()
        .iter()
        .map(|site| {
            let record = site.record();
            (record.overall, record.grade_detail.cap, record.agentview.split)
        })
        .collect();
    let mut scores: Vec<_> = outcomes.iter().map(|outcome| outcome.0.unwrap()).collect();
    assert_eq!(outcomes[1], (Some(30), Some(30), Split::Refused));
    assert_eq!(outcomes[2], (Some(35), Some(35), Split::Challenged));
    assert_eq!(outcomes[3], (Some(50), Some(50), Split::Payment));
    assert_eq!(outcomes[5], (Some(40), Some(40), Split::None));
    assert!(scores[0] > scores[4] && scores[4] > 60, "{scores:?}");
    scores.sort_unstable();
    scores.dedup();
    assert_eq!(scores.len(), 6, "{outcomes:?}");
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
    let catalogue = Catalogue::built_in().unwrap();
    for identity in catalogue.ai().map(|identity| identity.id.as_str()) {
        site = site.read(Target::Home, "/", identity, failure(FailureKind::Timeout, "head"));
    }
    let record = site.record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(record.agentview.all_refused, None);
    assert_eq!(record.agentview.split, Split::NotMeasured);
    assert_eq!(record.confidence.non_observations_attempted, 10);
    assert!(record.non_observations.iter().all(|unseen| unseen.why == "timeout: head"));
}

#[test]
fn a_connection_dropped_for_agents_alone_is_a_refusal_and_for_some_it_is_not() {
    let catalogue = Catalogue::built_in().unwrap();
    let drop = || failure(FailureKind::Connect, "reset");
    let all = catalogue
        .ai()
        .fold(Site::new().people(), |site, who| site.read(Target::Home, "/", &who.id, drop()));
    let record = all.record();
    assert_eq!((record.agentview.all_refused, record.overall), (Some(true), Some(30)));
    assert_eq!(record.agentview.aimed_at, "named_agents");
    let mut some = Site::new().people().agents(200, PAGE);
    some.evidence.reads.retain(|reading| reading.identity != "gptbot");
    let record = some.read(Target::Home, "/", "gptbot", drop()).record();
    assert_eq!(record.agentview.all_refused, Some(false));
    assert_eq!(row(&record, "reach.training").state, LedgerState::Passed, "one drop shows nothing");
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
    let mut wrong = Vec::new();
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
        ("/sitemap.xml", 200, "https://ferry.lab/", CheckVerdict::Ok),
        ("/sitemap.xml", 200, "Nothing here.", CheckVerdict::Invalid),
        ("/.well-known/agent-card.json", 200, "{\"name\":\"Ferry\"}", CheckVerdict::Invalid),
        ("/.well-known/agent-card.json", 200, "{\"name\":", CheckVerdict::Invalid),
        ("/.well-known/api-catalog", 200, "{\"linkset\":[]}", CheckVerdict::Invalid),
        ("/.well-known/api-catalog", 200, "plain", CheckVerdict::Invalid),
    ] {
        let told = Site::verdict(path, status, body);
        if told != verdict {
            wrong.push(format!("{path} {status} {body:?}: {told}, not {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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

#[test]
fn another_hosts_certificate_is_not_this_pages() {
    let mut site = an_open_site_with_certificates();
    let sitemap = "https://cdn.ferry.lab/sitemap.xml";
    site = site.answer(Target::Sitemap, sitemap, "wayleave", 200, "<urlset/>");
    set_tls(&mut site, Target::Sitemap, false);
    let record = site.record();
    assert_eq!(record.transport.tls.as_ref().map(|tls| tls.trusted), Some(true));
    assert!(!ids(&record).contains(&"bad_certificate"));
    set_tls(&mut site, Target::Home, false);
    assert!(ids(&site.record()).contains(&"bad_certificate"));
}

fn an_open_site_with_certificates() -> Site {
    let mut site = Site::new().people().agents(200, PAGE);
    set_tls(&mut site, Target::Home, true);
    site
}

fn set_tls(site: &mut Site, target: Target, trusted: bool) {
    for reading in site.evidence.reads.iter_mut().filter(|reading| reading.target == target) {
        let Outcome::Response(response) = &mut reading.exchange.outcome else { continue };
        response.tls = Some(TlsFacts {
            version: "TLS1.3".into(),
            cipher: "x".into(),
            alpn: None,
            certificate: None,
            chain_length: 1,
            trusted,
            errors: if trusted { vec![] } else { vec!["expired".into()] },
        });
    }
}

/// Sent with status 200 by a vendor that leaves no doubt.
const CHALLENGE: &str = "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={};\
    </script><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script></body></html>";

#[test]
fn a_wall_with_a_success_status_is_a_refusal_of_files_too() {
    let site = Site::new().people().agents(200, PAGE).control_path(200, CHALLENGE).file(
        "/llms.txt",
        200,
        CHALLENGE,
    );
    let record = site.record();
    let check = record.checks.iter().find(|check| check.path == "/llms.txt").unwrap();
    assert_eq!(check.verdict, CheckVerdict::Refused);
    assert_eq!(row(&record, "machine_files.honest_404").state, LedgerState::NotAssessed);
    assert!(!ids(&record).contains(&"soft_404"));
}

#[test]
fn a_challenge_for_everybody_with_a_number_on_it_is_not_aimed_at_agents() {
    let page = |n: u32| {
        format!(
            "<html><body><script>x()</script><p>Verify you are human. Request {n}</p></body></html>"
        )
    };
    let mut site = Site::new().home("browser", 200, &page(1)).home("browser", 200, &page(2));
    site = site.home("control", 200, &page(3));
    for (n, identity) in Catalogue::built_in().unwrap().ai().enumerate() {
        site = site.home(&identity.id, 200, &page(10 + n as u32));
    }
    let record = site.record();
    assert_ne!(record.agentview.split, Split::Challenged);
    let causes: Vec<_> = record.agentview.rows.iter().map(|row| row.cause.clone()).collect();
    assert!(causes.windows(2).all(|pair| pair[0] == pair[1]), "{causes:?}");
    // The same page for agents alone is one.
    let site = Site::new().people().agents(200, &page(7));
    assert_eq!(site.record().agentview.split, Split::Challenged);
}

#[test]
fn a_busy_server_and_a_comment_are_no_other_robots_txt() {
    let own = "# made at 10:00\nUser-agent: *\nAllow: /\n";
    let later = "# made at 10:01\nUser-agent: *\r\nAllow: /\n";
    let closed = "User-agent: *\nDisallow: /\n";
    let given = |status, body| {
        let site = Site::new().robots(200, own).people().agents(200, PAGE);
        let site = site.answer(Target::RobotsAs, "/robots.txt", "browser", 200, own);
        site.answer(Target::RobotsAs, "/robots.txt", "gptbot", status, body).record()
    };
    for (status, body, same) in [
        (200, later, true),
        (429, "", true),
        (503, "", true),
        (403, "", false),
        (200, closed, false),
    ] {
        let record = given(status, body);
        assert_eq!(record.policy.robots.same_for_every_identity, Some(same), "{status} {body}");
        assert_eq!(ids(&record).contains(&"robots_by_reader"), !same, "{status} {body}");
    }
}

#[test]
fn a_refusal_past_the_cache_is_no_stale_copy() {
    for (status, stale) in [(403, false), (429, false), (503, false), (404, true)] {
        let record = Site::new()
            .people()
            .agents(200, PAGE)
            .file("/llms.txt", 200, "# Ferry\n\n> Times.\n")
            .answer(Target::Fresh, "/llms.txt", "wayleave", status, "no")
            .record();
        assert_eq!(ids(&record).contains(&"stale_file:/llms.txt"), stale, "{status}");
    }
}

#[test]
fn a_browser_that_alone_is_kept_out_is_told_of() {
    let record = Site::new().home("browser", 403, "no").agents(200, PAGE).record();
    assert_eq!(record.overall, None);
    assert!(ids(&record).contains(&"browser_kept_out"));
    assert_eq!(record.self_audit.findings, 0);
}

#[test]
fn only_a_server_error_at_robots_txt_closes_the_site() {
    for (status, capped) in [(429, false), (503, true)] {
        let record = Site::new().robots(status, "").people().agents(200, PAGE).record();
        assert_eq!(record.grade_detail.cap, capped.then_some(70), "{status}");
        assert_eq!(row(&record, "policy.robots_readable").state, LedgerState::Failed);
    }
}

#[test]
fn the_address_of_a_sitemap_is_cut_and_cleaned() {
    let address = format!("https://ferry.lab/\u{202e}{}.xml", "a".repeat(2_000));
    let site = Site::new().people().agents(200, PAGE);
    let record = site.answer(Target::Sitemap, &address, "wayleave", 200, "no").record();
    let check = record.checks.iter().find(|check| check.file == "sitemap").unwrap();
    assert!(check.path.chars().count() == 300 && !check.path.contains('\u{202e}'));
}

#[test]
fn one_busy_answer_is_not_called_a_rule_for_that_agent() {
    for (status, aimed) in [(429, "none"), (500, "none"), (403, "one_agent")] {
        let mut site = Site::new().people();
        for (n, identity) in Catalogue::built_in().unwrap().ai().enumerate() {
            let (status, body) = if n == 0 { (status, "no") } else { (200, PAGE) };
            site = site.home(&identity.id, status, body);
        }
        let view = site.record().agentview;
        assert_eq!(view.aimed_at, aimed, "{status}");
        assert!(!view.aimed_at_why.contains("Everybody"), "{status}");
    }
}
