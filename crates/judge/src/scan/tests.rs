//! Tests of the rules on hand-made evidence, without a network.

use std::collections::BTreeMap;

use agents::Catalogue;
use contract::evidence::{
    BodyFacts, Evidence, Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, HeaderLine,
    Hop, Observer, ReadTarget, Reading, Response, SkipReason, SkippedRead, TlsFacts,
};
use contract::records::{
    CheckVerdict, EquivalenceVerdict, IdentitySplit, LedgerState, RowCause, ScanRecord, Severity,
    TextVariation, Visibility,
};
use contract::{Brand, Domain, Issuer, NamePolicy, Timestamp};

use super::*;

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
const NOT_FOUND_PAGE: &str = "<!doctype html><h1>Not found</h1>";

/// Builds evidence: each method adds a reading.
pub(crate) struct EvidenceBuilder {
    pub(crate) evidence: Evidence,
    pub(crate) bodies: BTreeMap<String, Vec<u8>>,
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
            url: format!("https://ferry.lab{path}"),
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
        assert_eq!(
            record,
            judge(&self.evidence, &self.bodies, &catalogue, &rules, &metadata),
            "the same evidence gives the same record"
        );
        record
    }

    /// The verdict on one file, read after a control path that is not found.
    pub(crate) fn file_verdict(path: &str, status: u16, body: &str) -> CheckVerdict {
        let record =
            Self::new().control_path(404, NOT_FOUND_PAGE).file(path, status, body).build_record();
        record.checks[0].verdict.clone()
    }
}

fn failure(kind: FailureKind, reason: &str) -> ExchangeOutcome {
    let detail = "It did not work.".into();
    ExchangeOutcome::Failed(Failure {
        kind,
        phase: FailurePhase::Connect,
        reason: reason.into(),
        detail,
    })
}

#[test]
fn an_open_site() {
    let record = EvidenceBuilder::new()
        .robots(200, "User-agent: *\nAllow: /\nSitemap: https://ferry.lab/sitemap.xml")
        .browser_and_control()
        .crawlers(200, PAGE)
        .file("/llms.txt", 200, "# Ferry\n")
        .file("/agents.md", 404, NOT_FOUND_PAGE)
        .control_path(404, NOT_FOUND_PAGE)
        .build_record();
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
fn a_site_that_blocks_crawlers_is_capped_at_reach() {
    let record =
        EvidenceBuilder::new().browser_and_control().crawlers(403, "<p>No.</p>").build_record();
    assert_eq!(record.overall, Some(30));
    assert!(record.grade_detail.capped && record.score_ledger.held_at_reach);
    assert!(record.grade_detail.cap_reason.as_ref().unwrap().contains("AI crawlers are kept out"));
    assert_eq!(record.agentview.split, IdentitySplit::Refused);
    assert_eq!(record.agentview.all_refused, Some(true));
    assert_eq!(record.agentview.answer_word_share.unwrap().get(), 0.0);
    assert_eq!(record.agentview.aimed_at, "named_agents");
    assert!(!record.confidence.refused, "the browser was served");
    let finding = &record.findings[0];
    assert_eq!(finding.severity, Severity::High);
    assert!(finding.seen.contains("The browser got the page."), "{}", finding.seen);
    assert!(
        finding.seen.contains("from our own network"),
        "the caveat is missing: {}",
        finding.seen
    );
}

#[test]
fn one_refused_crawler_costs_its_share_of_its_purpose() {
    let all = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE).build_record();
    let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    site.evidence.reads.retain(|reading| reading.identity != "gptbot");
    let record = site.home("gptbot", 403, "").build_record();
    assert_eq!(row(&record, "reach.training").state, LedgerState::Partial);
    assert_eq!(row(&record, "reach.search").state, LedgerState::Passed);
    assert!(record.overall < all.overall);
}

#[test]
fn a_busy_answer_counts_only_if_all_crawlers_get_it() {
    let whole = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE).build_record();
    for status in [429, 503] {
        let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
        site.evidence.reads.retain(|reading| reading.identity != "gptbot");
        let record = site.home("gptbot", status, "").build_record();
        let gptbot = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
        assert_eq!(gptbot.cause, RowCause::Busy);
        assert_eq!(record.overall, whole.overall, "which crawler is rate limited is chance");
        let record =
            EvidenceBuilder::new().browser_and_control().crawlers(status, "").build_record();
        assert_eq!(record.agentview.all_refused, Some(true), "{status}");
    }
}

#[test]
fn a_different_text_for_crawlers_is_a_content_split() {
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, OTHER_PAGE);
    let record = site.trial_of_all(PAGE, OTHER_PAGE).build_record();
    assert_eq!(record.agentview.split, IdentitySplit::Content);
    assert_eq!(record.agentview.variation, TextVariation::FollowsIdentity);
    assert!(ids(&record).contains(&"other_text"));
    assert_eq!(record.overall, Some(35), "limited by its cap");
    assert!(!record.score_ledger.held_at_reach, "crawlers do get a page");
    let finding = record.findings.iter().find(|finding| finding.id == "other_text").unwrap();
    let texts = finding.side_by_side.as_ref().unwrap();
    assert!(texts.untrusted_left.contains("ferry") && texts.untrusted_right.contains("offer"));
}

/// The fewer crawlers get another text, the higher the cap; nobody else is accused.
#[test]
fn the_cap_follows_the_share_of_crawlers_that_get_another_text() {
    let mut last = 0;
    for few in [8, 3, 1] {
        let mut site = EvidenceBuilder::new().browser_and_control();
        let catalogue = Catalogue::built_in().unwrap();
        let all: Vec<&str> = catalogue.ai_identities().map(|one| one.id.as_str()).collect();
        for (at, who) in all.iter().enumerate() {
            site = site.home(who, 200, if at < few { OTHER_PAGE } else { PAGE });
        }
        let record = site.trial(&all[..few], PAGE, OTHER_PAGE).build_record();
        let different = record.agentview.rows.iter();
        let different = different.filter(|row| row.equivalence == EquivalenceVerdict::Different);
        assert_eq!(different.count(), few);
        let overall = record.overall.unwrap();
        assert!(overall > last && overall < 90, "{few}: {overall}");
        last = overall;
    }
}

/// A difference that was seen once and not tried accuses nobody.
#[test]
fn a_difference_without_a_trial_is_not_confirmed() {
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, OTHER_PAGE);
    let record = site.build_record();
    assert_eq!(record.agentview.variation, TextVariation::NotConfirmed);
    assert_eq!(record.agentview.split, IdentitySplit::None);
    assert_eq!(row(&record, "equivalence.same_text").state, LedgerState::NotAssessed);
    assert!(!ids(&record).contains(&"other_text"));
}

#[test]
fn the_same_words_with_other_prices_are_a_different_text() {
    let priced = |price: &str| format!("{PAGE}<p>A single ticket costs {price} these days.</p>");
    let (people, agents) = (priced("EUR 4.20"), priced("EUR 9.90"));
    let site = ["browser", "browser", "control"]
        .into_iter()
        .fold(EvidenceBuilder::new(), |site, who| site.home(who, 200, &people));
    let record = site.crawlers(200, &agents).trial_of_all(&people, &agents).build_record();
    let row = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
    assert_eq!(row.equivalence, EquivalenceVerdict::Different, "{row:#?}");
    assert!(ids(&record).contains(&"other_prices"));
}

#[test]
fn a_page_that_changes_by_itself_accuses_nobody() {
    let site = EvidenceBuilder::new().home("browser", 200, PAGE).home("browser", 200, OTHER_PAGE);
    let record = site.home("control", 200, PAGE).crawlers(200, OTHER_PAGE).build_record();
    assert_eq!(record.agentview.deterministic, Some(false));
    assert_eq!(record.agentview.split, IdentitySplit::None);
    assert_eq!(record.agentview.variation, TextVariation::Varies);
    assert_eq!(row(&record, "equivalence.same_text").state, LedgerState::Passed);
    assert!(ids(&record).contains(&"varies") && !ids(&record).contains(&"other_text"));
}

#[test]
fn without_a_served_browser_there_is_no_grade() {
    let site = EvidenceBuilder::new().home("browser", 403, "").home("browser", 403, "");
    let record = site.home("control", 403, "").crawlers(403, "").build_record();
    assert_eq!(record.agentview.split, IdentitySplit::NotMeasured);
    assert_eq!(record.agentview.deterministic, None);
    assert_eq!(record.agentview.aimed_at, "network");
    assert!(record.confidence.refused);
    assert_eq!((record.overall, record.grade.clone()), (None, None));
    assert!(ids(&record).contains(&"all_refused"));
}

#[test]
fn an_incomplete_body_is_neither_served_nor_compared() {
    let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    for reading in &mut site.evidence.reads {
        if let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome {
            let ExchangeOutcome::Failed(cut) = failure(FailureKind::Timeout, "deadline") else {
                panic!()
            };
            response.body.cut = Some(cut);
        }
    }
    let reads = site.evidence.reads.len();
    let record = site.build_record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(
        (record.agentview.split, record.agentview.deterministic),
        (IdentitySplit::NotMeasured, None)
    );
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::Incomplete));
    assert!(
        record.agentview.rows.iter().all(|row| row.words.is_none() && row.similarity.is_none())
    );
    assert_eq!(record.non_observations.len(), reads);
}

#[test]
fn a_script_shell_passes_reach_and_fails_content() {
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let site = EvidenceBuilder::new().home("browser", 200, shell).home("browser", 200, shell);
    let record = site.home("control", 200, shell).crawlers(200, shell).build_record();
    assert_eq!(record.content.script_shell, Some(true));
    assert_eq!(row(&record, "reach.search").state, LedgerState::Passed);
    assert_eq!(row(&record, "content.words").state, LedgerState::Failed);
    assert_eq!((record.overall, record.grade_detail.cap), (Some(40), Some(40)));
    assert_eq!(record.agentview.split, IdentitySplit::None);
}

/// The same content with six different treatments of crawlers.
fn six_treatments() -> [EvidenceBuilder; 6] {
    let challenge =
        "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={};</script>";
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let site = || {
        EvidenceBuilder::new()
            .robots(200, "User-agent: *\nAllow: /\n")
            .control_path(404, NOT_FOUND_PAGE)
    };
    let all_shell = ["browser", "browser", "control"]
        .into_iter()
        .fold(site(), |site, who| site.home(who, 200, shell))
        .crawlers(200, shell);
    let everything = EvidenceBuilder::new()
        .robots(200, "User-agent: *\nAllow: /\n")
        .control_path(200, PAGE)
        .file("/llms.txt", 200, PAGE)
        .browser_and_control()
        .crawlers(200, PAGE);
    [
        site().browser_and_control().crawlers(200, PAGE),
        site().browser_and_control().crawlers(403, "<p>No.</p>"),
        site().browser_and_control().crawlers(200, challenge),
        site().browser_and_control().crawlers(402, ""),
        everything,
        all_shell,
    ]
}

/// The results of the rules cannot change unnoticed either: whoever changes a rule's code or texts
/// raises `score_version` and updates the digest here.
#[test]
fn the_results_belong_to_the_version() {
    let results: Vec<_> = six_treatments()
        .iter()
        .map(|site| {
            let record = site.build_record();
            let causes: Vec<_> =
                record.agentview.rows.iter().map(|row| row.cause.clone()).collect();
            let findings: Vec<_> = ids(&record).into_iter().map(str::to_owned).collect();
            (record.score_ledger, causes, findings)
        })
        .collect();
    let digest = proof::sha256(&proof::canonical::to_vec(&results).unwrap()).to_string();
    assert_eq!(
        (Rulepack::current().score_version, digest.as_str()),
        (4, "27c221848d0111fbaa07f23bc0e189f236627648e998a776065ab1006935cf8f")
    );
}

#[test]
fn six_treatments_give_six_different_outcomes() {
    let outcomes: Vec<(Option<u32>, Option<u32>, IdentitySplit)> = six_treatments()
        .iter()
        .map(|site| {
            let record = site.build_record();
            (record.overall, record.grade_detail.cap, record.agentview.split)
        })
        .collect();
    let mut scores: Vec<_> = outcomes.iter().map(|outcome| outcome.0.unwrap()).collect();
    assert_eq!(outcomes[1], (Some(30), Some(30), IdentitySplit::Refused));
    assert_eq!(outcomes[2], (Some(35), Some(35), IdentitySplit::Challenged));
    assert_eq!(outcomes[3], (Some(50), Some(50), IdentitySplit::Payment));
    assert_eq!(outcomes[5], (Some(40), Some(40), IdentitySplit::None));
    assert!(scores[0] > scores[4] && scores[4] > 60, "{scores:?}");
    scores.sort_unstable();
    scores.dedup();
    assert_eq!(scores.len(), 6, "{outcomes:?}");
}

#[test]
fn a_request_refused_by_our_policy_was_not_attempted() {
    let refused = || failure(FailureKind::RefusedByPolicy, "private_address");
    let record = EvidenceBuilder::new()
        .add_reading(ReadTarget::Home, "/", "browser", refused())
        .build_record();
    assert_eq!(record.agentview.rows[0].cause, RowCause::NotRead);
    assert_eq!(record.confidence.non_observations_attempted, 0);
}

#[test]
fn a_network_failure_is_neither_a_refusal_nor_a_score() {
    let mut site = EvidenceBuilder::new().browser_and_control();
    let catalogue = Catalogue::built_in().unwrap();
    for identity in catalogue.ai_identities().map(|identity| identity.id.as_str()) {
        site = site.add_reading(
            ReadTarget::Home,
            "/",
            identity,
            failure(FailureKind::Timeout, "head"),
        );
    }
    let record = site.build_record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(record.agentview.all_refused, None);
    assert_eq!(record.agentview.split, IdentitySplit::NotMeasured);
    assert_eq!(record.confidence.non_observations_attempted, 10);
    assert!(record.non_observations.iter().all(|unseen| unseen.why == "timeout: head"));
}

#[test]
fn dropped_connections_are_a_refusal_only_if_all_crawlers_get_them() {
    let catalogue = Catalogue::built_in().unwrap();
    let drop = || failure(FailureKind::Connect, "reset");
    let all = catalogue
        .ai_identities()
        .fold(EvidenceBuilder::new().browser_and_control(), |site, who| {
            site.add_reading(ReadTarget::Home, "/", &who.id, drop())
        });
    let record = all.build_record();
    assert_eq!((record.agentview.all_refused, record.overall), (Some(true), Some(30)));
    assert_eq!(record.agentview.aimed_at, "named_agents");
    let mut some = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    some.evidence.reads.retain(|reading| reading.identity != "gptbot");
    let record = some.add_reading(ReadTarget::Home, "/", "gptbot", drop()).build_record();
    assert_eq!(record.agentview.all_refused, Some(false));
    assert_eq!(
        row(&record, "reach.training").state,
        LedgerState::Passed,
        "one dropped connection shows nothing"
    );
}

#[test]
fn an_unreachable_site_gets_no_id_and_no_stored_evidence() {
    let record = EvidenceBuilder::new()
        .add_reading(
            ReadTarget::Robots,
            "/robots.txt",
            "wayleave",
            failure(FailureKind::Dns, "nxdomain"),
        )
        .build_record();
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
        ("/llms.txt", 404, NOT_FOUND_PAGE, CheckVerdict::Absent),
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
        let actual = EvidenceBuilder::file_verdict(path, status, body);
        if actual != verdict {
            wrong.push(format!("{path} {status} {body:?}: {actual}, not {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        EvidenceBuilder::new().robots(200, "").build_record().checks[0].verdict,
        CheckVerdict::Ok
    );
}

#[test]
fn a_host_with_soft_404s_has_no_files() {
    let record = EvidenceBuilder::new()
        .robots(200, "<!doctype html><p>Another page of the same kind.</p>")
        .file("/llms.txt", 200, PAGE)
        .file("/agents.md", 200, "# Really here")
        .control_path(200, PAGE)
        .build_record();
    let verdicts: Vec<_> = record.checks.iter().map(|check| check.verdict.as_str()).collect();
    assert_eq!(verdicts, ["soft_404", "soft_404", "ok"]);
    assert_eq!(record.findings.iter().filter(|f| f.id == "soft_404").count(), 1);
}

#[test]
fn conflicts_between_robots_txt_and_the_server_are_reported() {
    let file = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /";
    let mut site =
        EvidenceBuilder::new().robots(200, file).browser_and_control().crawlers(200, PAGE);
    site.evidence.reads.retain(|reading| reading.identity != "claudebot");
    let record = site.home("claudebot", 403, "").build_record();
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
fn a_robots_txt_that_is_a_page_or_an_error_declares_nothing() {
    for (status, body) in [(200, PAGE), (500, "User-agent: *\nDisallow: /"), (404, NOT_FOUND_PAGE)]
    {
        let record = EvidenceBuilder::new()
            .robots(status, body)
            .browser_and_control()
            .crawlers(200, PAGE)
            .build_record();
        assert!(record.agentview.conflicts.is_empty(), "{status}");
    }
}

#[test]
fn an_opt_out_is_reported_and_nothing_is_reported_absent() {
    let mut site = EvidenceBuilder::new().robots(200, "User-agent: Wayleave\nDisallow: /");
    for (target, path, identity) in
        [(ReadTarget::Home, "/", "browser"), (ReadTarget::MachineFile, "/llms.txt", "wayleave")]
    {
        let why = SkipReason::OptOut;
        site.evidence.not_read.push(SkippedRead {
            target,
            path: path.into(),
            identity: identity.into(),
            why,
        });
    }
    let record = site.build_record();
    assert_eq!(record.findings[0].id, "opted_out");
    assert_eq!(record.checks[1].verdict, CheckVerdict::NotRead);
    assert_eq!(record.unreachable, None);
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::NotRead));
}

#[test]
fn a_bad_certificate_is_a_finding_and_does_not_end_the_scan() {
    let mut site = EvidenceBuilder::new().browser_and_control();
    if let ExchangeOutcome::Response(response) = &mut site.evidence.reads[0].exchange.outcome {
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
    let record = site.build_record();
    assert!(record.findings[0].seen.contains("expired, wrong_name"));
    assert_eq!(record.agentview.rows[0].cause, RowCause::Served);
}

#[test]
fn excerpts_cannot_hide_or_reorder_text() {
    let record = EvidenceBuilder::new()
        .file("/llms.txt", 200, "a\u{202e}b\u{200b}c\n\u{1b}[2Jd\u{e0041}")
        .build_record();
    assert_eq!(
        record.checks[0].excerpt.as_deref(),
        Some("a\u{fffd}b\u{fffd}c \u{fffd}[2Jd\u{fffd}")
    );
}

#[test]
fn the_certificate_of_another_host_is_ignored() {
    let mut site = an_open_site_with_certificates();
    let sitemap = "https://cdn.ferry.lab/sitemap.xml";
    site = site.add_response(ReadTarget::Sitemap, sitemap, "wayleave", 200, "<urlset/>");
    set_tls(&mut site, ReadTarget::Sitemap, false);
    let record = site.build_record();
    assert_eq!(record.transport.tls.as_ref().map(|tls| tls.trusted), Some(true));
    assert!(!ids(&record).contains(&"bad_certificate"));
    set_tls(&mut site, ReadTarget::Home, false);
    assert!(ids(&site.build_record()).contains(&"bad_certificate"));
}

fn an_open_site_with_certificates() -> EvidenceBuilder {
    let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    set_tls(&mut site, ReadTarget::Home, true);
    site
}

fn set_tls(site: &mut EvidenceBuilder, target: ReadTarget, trusted: bool) {
    for reading in site.evidence.reads.iter_mut().filter(|reading| reading.target == target) {
        let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome else { continue };
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

/// A challenge with status 200 and a decisive mark.
const CHALLENGE_PAGE: &str = "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={};\
    </script><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script></body></html>";

#[test]
fn a_wall_with_a_success_status_refuses_files_too() {
    let site = EvidenceBuilder::new()
        .browser_and_control()
        .crawlers(200, PAGE)
        .control_path(200, CHALLENGE_PAGE)
        .file("/llms.txt", 200, CHALLENGE_PAGE);
    let record = site.build_record();
    let check = record.checks.iter().find(|check| check.path == "/llms.txt").unwrap();
    assert_eq!(check.verdict, CheckVerdict::Refused);
    assert_eq!(row(&record, "machine_files.honest_404").state, LedgerState::NotAssessed);
    assert!(!ids(&record).contains(&"soft_404"));
}

#[test]
fn a_challenge_for_every_client_is_not_aimed_at_crawlers() {
    let page = |n: u32| {
        format!(
            "<html><body><script>x()</script><p>Verify you are human. Request {n}</p></body></html>"
        )
    };
    let mut site =
        EvidenceBuilder::new().home("browser", 200, &page(1)).home("browser", 200, &page(2));
    site = site.home("control", 200, &page(3));
    for (n, identity) in Catalogue::built_in().unwrap().ai_identities().enumerate() {
        site = site.home(&identity.id, 200, &page(10 + n as u32));
    }
    let record = site.build_record();
    assert_ne!(record.agentview.split, IdentitySplit::Challenged);
    let causes: Vec<_> = record.agentview.rows.iter().map(|row| row.cause.clone()).collect();
    assert!(causes.windows(2).all(|pair| pair[0] == pair[1]), "{causes:?}");
    // The same page for crawlers only is aimed at them.
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, &page(7));
    assert_eq!(site.build_record().agentview.split, IdentitySplit::Challenged);
}

#[test]
fn a_busy_server_or_a_comment_is_not_a_different_robots_txt() {
    let own = "# made at 10:00\nUser-agent: *\nAllow: /\n";
    let later = "# made at 10:01\nUser-agent: *\r\nAllow: /\n";
    let closed = "User-agent: *\nDisallow: /\n";
    let given = |status, body| {
        let site =
            EvidenceBuilder::new().robots(200, own).browser_and_control().crawlers(200, PAGE);
        let site = site.add_response(ReadTarget::RobotsAs, "/robots.txt", "browser", 200, own);
        site.add_response(ReadTarget::RobotsAs, "/robots.txt", "gptbot", status, body)
            .build_record()
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
fn a_refused_fresh_request_does_not_show_a_stale_copy() {
    for (status, stale) in [(403, false), (429, false), (503, false), (404, true)] {
        let record = EvidenceBuilder::new()
            .browser_and_control()
            .crawlers(200, PAGE)
            .file("/llms.txt", 200, "# Ferry\n\n> Times.\n")
            .add_response(ReadTarget::Fresh, "/llms.txt", "wayleave", status, "no")
            .build_record();
        assert_eq!(ids(&record).contains(&"stale_file:/llms.txt"), stale, "{status}");
    }
}

#[test]
fn a_browser_that_alone_is_blocked_is_reported() {
    let record =
        EvidenceBuilder::new().home("browser", 403, "no").crawlers(200, PAGE).build_record();
    assert_eq!(record.overall, None);
    assert!(ids(&record).contains(&"browser_kept_out"));
    assert_eq!(record.self_audit.findings, 0);
}

#[test]
fn only_a_server_error_at_robots_txt_caps_the_score() {
    for (status, capped) in [(429, false), (503, true)] {
        let record = EvidenceBuilder::new()
            .robots(status, "")
            .browser_and_control()
            .crawlers(200, PAGE)
            .build_record();
        assert_eq!(record.grade_detail.cap, capped.then_some(70), "{status}");
        assert_eq!(row(&record, "policy.robots_readable").state, LedgerState::Failed);
    }
}

#[test]
fn a_sitemap_url_is_cut_and_cleaned() {
    let address = format!("https://ferry.lab/\u{202e}{}.xml", "a".repeat(2_000));
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    let record =
        site.add_response(ReadTarget::Sitemap, &address, "wayleave", 200, "no").build_record();
    let check = record.checks.iter().find(|check| check.file == "sitemap").unwrap();
    assert!(check.path.chars().count() == 300 && !check.path.contains('\u{202e}'));
}

#[test]
fn one_busy_answer_is_not_a_rule_for_that_crawler() {
    for (status, aimed) in [(429, "none"), (500, "none"), (403, "one_agent")] {
        let mut site = EvidenceBuilder::new().browser_and_control();
        for (n, identity) in Catalogue::built_in().unwrap().ai_identities().enumerate() {
            let (status, body) = if n == 0 { (status, "no") } else { (200, PAGE) };
            site = site.home(&identity.id, status, body);
        }
        let view = site.build_record().agentview;
        assert_eq!(view.aimed_at, aimed, "{status}");
        assert!(!view.aimed_at_why.contains("All measured clients"), "{status}");
    }
}
