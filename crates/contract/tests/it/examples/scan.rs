//! Examples of 2.1 and 2.2.

use std::collections::BTreeMap;

use contract::evidence::{
    BodyFacts, DnsAnswer, DnsReading, Evidence, Exchange, ExchangeOutcome, Failure, FailureKind,
    FailurePhase, HeaderLine, Hop, Observer, ReadTarget, Reading, Response, SkipReason,
    SkippedRead,
};
use contract::records::{
    AccessConflict, AgentRow, AgentView, Bitemporal, BitemporalAxes, BitemporalFact, CacheSplit,
    Check, CheckVerdict, Confidence, EquivalenceVerdict, FactLineage, Finding, FindingsSummary,
    Grade, GradeDetail, Headroom, HistoryEntry, IdentitySplit, LedgerRow, LedgerState, LineageFact,
    LineageRead, LineageSubject, Links, Nap, NonObservation, Provenance, PublicGradeDetail,
    PublicReportV1, ReportProof, Role, RowCause, Rulepack, ScanRecord, ScoreLedger, SectionScore,
    SelfAudit, Severity, Share, SignatureEffect, SignedRequests, SplitEvidence, StatedFact,
    TextVariation, TreatmentScores, Vantage, Visibility,
};
use contract::{Quotient, Ratio};

use super::{at, digest, domain, kind, readings, schema, signature, some, texts, url};

pub(crate) fn scan_record() -> ScanRecord {
    ScanRecord {
        kind: kind("scan"),
        v: 1,
        schema: schema("scan"),
        id: some("0Zk3vQ8mYb5tR1nW7cXe2a"),
        domain: domain(),
        scanned_host: "shop.lab".to_owned(),
        path: "/".to_owned(),
        scanned_at: at("02:56:20"),
        visibility: Visibility::Public,
        cached: Some(true),
        unreachable: None,
        score_version: 1,
        rulepack: rulepack(),
        grade: Some(Grade::B),
        overall: Some(71),
        grade_detail: GradeDetail {
            capped: true,
            cap: Some(79),
            cap_reason: some("All AI crawlers are blocked while the browser gets the page."),
            unscored_affects_grade: false,
            unscored: texts(&["Identity"]),
        },
        treatment: TreatmentScores {
            usable: Some(80),
            usable_why: "8 of 10 AI crawlers may read the home page by robots.txt, get it, and get the same text as people.".into(),
            consistent: Some(90),
            consistent_why: "For 1 of 10 AI crawlers the server does something else than robots.txt says.".into(),
        },
        signed_requests: SignedRequests {
            effect: SignatureEffect::OnlySignedServed,
            means: "The home page is served to our own crawler if it signs its request, and refused if it does not.".into(),
            readings: vec!["r80".into(), "r81".into(), "r82".into(), "r83".into()],
        },
        section_scores: section_scores(),
        score_ledger: ledger(),
        headroom: Some(Headroom { gain: 29, failing: 2 }),
        findings: vec![finding()],
        findings_summary: FindingsSummary { high: 1, medium: 0, low: 0, info: 0 },
        checks: vec![check()],
        agentview: AgentView {
            rows: vec![row_served(), row_failed()],
            deterministic: Some(true),
            self_similarity: Some(Ratio::ONE),
            variation: TextVariation::Same,
            variation_why: "Every client that got the page got the same text.".into(),
            trial: None,
            split: IdentitySplit::Refused,
            split_evidence: Some(SplitEvidence {
                identities: texts(&["gptbot"]),
                detail: "The browser got the page. 1 of 3 AI crawlers did not.".to_owned(),
                readings: texts(&["home-gptbot"]),
            }),
            all_refused: Some(false),
            answer_word_share: Ratio::of(2, 3),
            claims_unverified: true,
            evidence: texts(&["home-browser", "home-gptbot"]),
            conflicts: vec![AccessConflict {
                identity: "gptbot".to_owned(),
                declared: "allowed".to_owned(),
                served: "refused".to_owned(),
                why: "robots.txt allows this crawler, but the server refused it.".to_owned(),
                evidence: texts(&["robots", "home-gptbot"]),
            }],
            aimed_at: "one_agent".to_owned(),
            aimed_at_why:
                "Of 3 AI crawlers, only GPTBot was refused. This points to a rule for this crawler."
                    .to_owned(),
            vendors_present: texts(&["Cloudflare"]),
        },
        policy: readings::policy(),
        content: readings::content(),
        pages: readings::pages(),
        paywall: Some(contract::records::PaywallReading {
            declared: true,
            visible: false,
            marks: texts(&["structured data: isAccessibleForFree is false"]),
            evidence: texts(&["home-browser"]),
        }),
        nap: Some(nap()),
        fact_lineage: Some(fact_lineage()),
        caching: readings::caching(),
        transport: readings::transport(),
        confidence: confidence(),
        non_observations: vec![non_observation()],
        self_audit: SelfAudit { checked: 41, findings: 0, worst: 0 },
        proof_overall: Some(100),
        provenance: provenance(),
        bitemporal: bitemporal(),
        evidence_sha256: Some(digest('1')),
        links: links(),
        replaced_signature: None,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

/// The record of a domain where nothing answered.
pub(crate) fn unreachable_scan() -> ScanRecord {
    ScanRecord {
        id: None,
        cached: None,
        unreachable: Some(true),
        grade: None,
        overall: None,
        headroom: None,
        paywall: None,
        nap: None,
        fact_lineage: None,
        findings: Vec::new(),
        agentview: AgentView {
            rows: vec![row_failed()],
            deterministic: None,
            self_similarity: None,
            variation: TextVariation::Same,
            variation_why: "Every client that got the page got the same text.".into(),
            trial: None,
            split: IdentitySplit::NotMeasured,
            split_evidence: None,
            all_refused: None,
            answer_word_share: None,
            claims_unverified: true,
            evidence: Vec::new(),
            conflicts: Vec::new(),
            aimed_at: "unknown".to_owned(),
            aimed_at_why: "Nothing answered.".to_owned(),
            vendors_present: Vec::new(),
        },
        proof_overall: None,
        evidence_sha256: None,
        links: Links { report: None, graph: None, raw: None, schema: None, docs: None },
        replaced_signature: None,
        sha256: None,
        signature: None,
        ..scan_record()
    }
}

pub(crate) fn public_report() -> PublicReportV1 {
    PublicReportV1 {
        schema: schema("report"),
        version: PublicReportV1::VERSION.to_owned(),
        id: some("0Zk3vQ8mYb5tR1nW7cXe2a"),
        domain: domain(),
        path: "/".to_owned(),
        scanned_host: "shop.lab".to_owned(),
        scanned_at: at("02:56:20"),
        score_version: 1,
        overall: Some(71),
        grade: Some(Grade::B),
        grade_detail: PublicGradeDetail { capped: false, cap: None, cap_reason: None },
        sections: section_scores(),
        findings: vec![finding()],
        findings_withheld: None,
        score_ledger: ledger(),
        findings_summary: Some(FindingsSummary { high: 1, medium: 0, low: 0, info: 0 }),
        provenance: provenance(),
        confidence: confidence(),
        bitemporal: bitemporal(),
        non_observations: vec![non_observation()],
        checks: vec![check()],
        agentview: vec![row_served()],
        nap: Some(nap()),
        fact_lineage: Some(fact_lineage()),
        headroom: Some(Headroom { gain: 29, failing: 2 }),
        history: vec![HistoryEntry {
            id: "9Yk3vQ8mYb5tR1nW7cXe2a".to_owned(),
            scanned_at: at("01:00:00"),
            score_version: 1,
            overall: None,
            grade: None,
        }],
        proof: ReportProof {
            digest: Some(digest('a')),
            algorithm: "sha-256".to_owned(),
            anchored: "sealed in 2026-11-15; no calendar has accepted the seal yet".to_owned(),
            verify: url("/proof"),
        },
        links: links(),
    }
}

pub(super) fn evidence() -> Evidence {
    Evidence {
        v: 1,
        domain: domain(),
        host: "shop.lab".to_owned(),
        started_at: at("02:56:20"),
        finished_at: at("02:56:22"),
        observer: Observer {
            name: "wayleave".to_owned(),
            version: "0.1.0".to_owned(),
            vantage: "lab-1".to_owned(),
        },
        dns: vec![DnsReading {
            name: "shop.lab".to_owned(),
            resolver: "127.0.0.1:5300".to_owned(),
            asked_at: at("02:56:20"),
            took_ms: 2,
            answers: vec![DnsAnswer {
                record_type: "A".to_owned(),
                rcode: some("NOERROR"),
                authenticated_data: true,
                records: texts(&["127.0.0.10"]),
                cnames: Vec::new(),
                failure: None,
            }],
        }],
        reads: vec![
            Reading {
                id: "home-browser".to_owned(),
                target: ReadTarget::Home,
                path: "/".to_owned(),
                identity: "browser".to_owned(),
                chosen_from: None,
                exchange: exchange(ExchangeOutcome::Response(Box::new(Response {
                    url: "https://shop.lab/".to_owned(),
                    status: 200,
                    http: "1.1".to_owned(),
                    headers: vec![HeaderLine {
                        name: "content-type".to_owned(),
                        value: "text/html".to_owned(),
                    }],
                    body: BodyFacts {
                        sha256: digest('2'),
                        bytes: 1800,
                        wire_bytes: 700,
                        encoding: some("gzip"),
                        cut: None,
                    },
                    tls: None,
                }))),
            },
            Reading {
                id: "home-gptbot".to_owned(),
                target: ReadTarget::Home,
                path: "/".to_owned(),
                identity: "gptbot".to_owned(),
                chosen_from: None,
                exchange: exchange(ExchangeOutcome::Failed(failure())),
            },
        ],
        not_read: vec![SkippedRead {
            target: ReadTarget::MachineFile,
            path: "/llms.txt".to_owned(),
            identity: "control".to_owned(),
            why: SkipReason::Deadline,
        }],
    }
}

fn exchange(outcome: ExchangeOutcome) -> Exchange {
    Exchange {
        method: "GET".to_owned(),
        url: "https://shop.lab/".to_owned(),
        request_headers: vec![HeaderLine {
            name: "accept".to_owned(),
            value: "text/html".to_owned(),
        }],
        started_at: at("02:56:20"),
        took_ms: 41,
        hops: vec![Hop {
            url: "https://shop.lab/".to_owned(),
            address: some("127.0.0.10:8443"),
            status: Some(200),
            location: None,
            took_ms: 41,
            reused_connection: false,
        }],
        outcome,
    }
}

fn failure() -> Failure {
    Failure {
        kind: FailureKind::Timeout,
        phase: FailurePhase::Head,
        reason: "read_timeout".to_owned(),
        detail: "The server did not answer in time.".to_owned(),
    }
}

fn rulepack() -> Rulepack {
    Rulepack { version: 1, sha256: digest('b') }
}

fn section_scores() -> Vec<SectionScore> {
    vec![
        SectionScore {
            id: "reach".to_owned(),
            title: "Reach".to_owned(),
            score: Some(71),
            points: 10,
            of: 14,
            why: None,
        },
        SectionScore {
            id: "identity".to_owned(),
            title: "Identity".to_owned(),
            score: None,
            points: 0,
            of: 0,
            why: some("No readable HTML page was served."),
        },
    ]
}

fn ledger() -> ScoreLedger {
    ScoreLedger {
        score: Some(71),
        letter: Some(Grade::B),
        cap: Some(79),
        capped: false,
        held_at_reach: false,
        matches_record: true,
        rows: vec![LedgerRow {
            rule: "reach.home".to_owned(),
            section: "reach".to_owned(),
            title: "Training crawlers get the page".to_owned(),
            state: LedgerState::Partial,
            points: Some(10),
            of: 14,
            weight: 14,
            why: "2 of 3 training crawlers got the page.".to_owned(),
            evidence: texts(&["home-gptbot"]),
        }],
        rows_withheld: 0,
        method: "The rules that could be applied share 100 points by weight.".to_owned(),
    }
}

fn finding() -> Finding {
    Finding {
        id: "ai-refused".to_owned(),
        severity: Severity::High,
        section: "reach".to_owned(),
        title: "Training crawlers are blocked".to_owned(),
        seen: "The browser got the page. 1 of 3 training crawlers did not: GPTBot (403)."
            .to_owned(),
        why: "Models cannot learn from pages that training crawlers cannot read.".to_owned(),
        fix: some(
            "If this is not intended, find the rule that matches these user agents. If it is intended, also disallow them in robots.txt.",
        ),
        matters_to: texts(&["agents", "site_owner"]),
        paste: some("User-agent: GPTBot\nAllow: /"),
        rule: some("reach.training"),
        standard: None,
        side_by_side: None,
        evidence: texts(&["home-gptbot"]),
    }
}

fn check() -> Check {
    Check {
        path: "/robots.txt".to_owned(),
        file: "robots_txt".to_owned(),
        standard: some("RFC 9309"),
        optional: false,
        identity: "control".to_owned(),
        status: Some(200),
        content_type: some("text/plain"),
        bytes: Some(64),
        cache_control: some("max-age=60"),
        cf_cache_status: None,
        ms: Some(12),
        excerpt: some("User-agent: *\nAllow: /"),
        sitemap_lines: some("Sitemap: https://shop.lab/sitemap.xml"),
        verdict: CheckVerdict::Ok,
        why: None,
        summary: some("1 group, 1 rule"),
        version: None,
        faults: vec![readings::fault()],
        body_sha256: Some(digest('3')),
        reading: some("robots"),
        cache_split: Some(CacheSplit {
            bare_status: Some(200),
            fresh_status: Some(404),
            bare_html: Some(false),
            fresh_html: Some(true),
            bare_cf: some("HIT"),
            diverged: true,
            bare_bytes: Some(64),
            fresh_bytes: Some(900),
        }),
    }
}

fn row_served() -> AgentRow {
    AgentRow {
        id: "browser".to_owned(),
        label: "Browser".to_owned(),
        role: Role::Browser,
        user_agent: "Mozilla/5.0".to_owned(),
        status: Some(200),
        bytes: Some(1800),
        words: Some(212),
        xrobots: some("noarchive"),
        redirected_to: some("https://www.shop.lab/"),
        final_url: some("https://www.shop.lab/"),
        blocker: None,
        vendor: None,
        repro: "curl -A 'Mozilla/5.0' https://shop.lab/".to_owned(),
        similarity: Some(Ratio::ONE),
        containment: Some(Ratio::ONE),
        text_ratio: Quotient::of(1, 1),
        equivalence: EquivalenceVerdict::Equivalent,
        instruction_like_text: Some(false),
        blocker_marks: Vec::new(),
        price: None,
        asked_at: Some(at("02:56:20")),
        ms: Some(41),
        http: some("2"),
        address: some("127.0.0.10:8443"),
        cause: RowCause::Served,
        body_sha256: Some(digest('2')),
        error: None,
        reading: some("home-browser"),
    }
}

fn row_failed() -> AgentRow {
    AgentRow {
        id: "gptbot".to_owned(),
        label: "GPTBot (OpenAI, training)".to_owned(),
        role: Role::Train,
        user_agent: "GPTBot/1.3".to_owned(),
        status: None,
        bytes: None,
        words: None,
        xrobots: None,
        redirected_to: None,
        final_url: None,
        blocker: None,
        vendor: None,
        repro: "curl -A 'GPTBot/1.3' https://shop.lab/".to_owned(),
        similarity: None,
        containment: None,
        text_ratio: None,
        equivalence: EquivalenceVerdict::Unmeasured,
        instruction_like_text: None,
        blocker_marks: Vec::new(),
        price: None,
        asked_at: Some(at("02:56:20")),
        ms: Some(3000),
        http: None,
        address: some("127.0.0.10:8443"),
        cause: RowCause::Unreachable,
        body_sha256: None,
        error: Some(failure()),
        reading: some("home-gptbot"),
    }
}

fn confidence() -> Confidence {
    Confidence {
        v: 1,
        sections_scored: Share::of(1, 2),
        identities_answered: Share::of(2, 3),
        fetches_kept: Share::of(0, 0),
        stage_failures: 0,
        non_observations: 1,
        non_observations_attempted: 0,
        vantages: 1,
        refused: false,
        note: "One network, one time.".to_owned(),
    }
}

fn non_observation() -> NonObservation {
    NonObservation {
        what: "machine_file".to_owned(),
        path: "/llms.txt".to_owned(),
        identity: "control".to_owned(),
        why: "deadline".to_owned(),
    }
}

fn links() -> Links {
    Links {
        report: Some(url("/r/0Zk3vQ8mYb5tR1nW7cXe2a")),
        graph: None,
        raw: Some(url("/r/0Zk3vQ8mYb5tR1nW7cXe2a.raw.json")),
        schema: Some(schema("scan")),
        docs: Some(url("/docs")),
    }
}

fn stated(value: &str) -> StatedFact {
    StatedFact {
        untrusted_value: value.to_owned(),
        source: "json_ld".to_owned(),
        url: "https://shop.lab/".to_owned(),
        evidence: texts(&["home-browser"]),
        pointer: Some("/telephone".to_owned()),
        block: Some(0),
        place: Some("header or footer".to_owned()),
    }
}

fn provenance() -> Provenance {
    Provenance {
        v: 1,
        observer: "wayleave".to_owned(),
        observer_build: "0.1.0".to_owned(),
        observer_tag: "lab".to_owned(),
        vantage: Vantage { name: "lab-1".to_owned(), directory: None },
        rulepack: rulepack(),
        catalogue_sha256: digest('c'),
        audit_version: 1,
        meg_v: 1,
        scope: "The home page, robots.txt and the machine files.".to_owned(),
        observed_at: at("02:56:20"),
        stored_at: Some(at("02:56:23")),
        artifacts: some("manifest of 12 bodies"),
        findings: 1,
        decisions: 0,
        manifest_signature: Some(signature()),
    }
}

fn bitemporal() -> Bitemporal {
    Bitemporal {
        v: 1,
        recorded_at: at("02:56:23"),
        axes: BitemporalAxes {
            valid: "When the site stated the fact.".to_owned(),
            recorded: "When we recorded the fact.".to_owned(),
        },
        facts: vec![BitemporalFact {
            fact: "phone".to_owned(),
            untrusted_value: "+1 555 0100".to_owned(),
            valid_from: at("02:56:20"),
            valid_to: None,
            recorded_from: at("02:56:23"),
            recorded_to: None,
            evidence: texts(&["home-browser"]),
        }],
    }
}

fn nap() -> Nap {
    Nap {
        phones: vec![stated("+1 555 0100")],
        addresses: vec![stated("1 Quay Street")],
        citations: Vec::new(),
        verified: Vec::new(),
        hours: vec![stated("Mo-Fr 09:00-17:00")],
        conflicts: BTreeMap::from([("phone".to_owned(), texts(&["json_ld", "visible_text"]))]),
        lineage: BTreeMap::from([("phone".to_owned(), texts(&["json_ld"]))]),
    }
}

fn fact_lineage() -> FactLineage {
    FactLineage {
        v: 1,
        scored: false,
        facts: vec![LineageFact {
            fact: "phone".to_owned(),
            stated: vec![stated("+1 555 0100")],
            agrees: false,
        }],
        disagree: texts(&["phone"]),
        single_source: texts(&["hours"]),
        subject: LineageSubject {
            domain: domain(),
            untrusted_name: some("Shop"),
            types: texts(&["Organization"]),
            country: some("US"),
        },
        read: LineageRead { pages: texts(&["/"]), carriers: texts(&["json_ld"]) },
        faults: vec![readings::fault()],
    }
}
