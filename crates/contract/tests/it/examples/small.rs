//! Examples of the short records and of the requests.

use std::collections::BTreeMap;

use contract::records::{
    AcceptedOutcome, AgentConduct, AgentDayCounts, ClaimState, ConductDayRecord, ConductIdentity,
    ConductRecord, ConductThresholds, ConductVerdict, ConductWindow, ControlEvent,
    ControlEventType, ControlMethod, ControlReading, ControlRecord, DomainRecord, FreeKeyAccepted,
    FreeKeyRequest, OutcomeAccepted, OutcomeAction, OutcomeAgent, OutcomeClass, OutcomeDay,
    OutcomeDayRecord, OutcomeReport, OutcomeResult, OutcomeSummary, ProofSeen, Purpose,
    RateConduct, RateVerdict, RecentOutcome, Registry, RegistryAtClaim, RegistryState,
    ReportedChallenge, ResolveSaid, Revalidation, RobotsConduct, RobotsVerdict, ScanRequest,
    ScanRequestV1, SiteChecks, TimelineEntry, TimelineType, UnassessedAgent, Visibility,
    VisitorAnswer, VisitorBatch, VisitorBatchAnswer, VisitorQuery, VisitorResult, VisitorVerdict,
};
use contract::{ErrorCode, ErrorV1, Ratio};

use super::{at, digest, domain, kind, schema, signature, some, texts, url};

pub(super) fn scan_request() -> ScanRequest {
    ScanRequest { domain: "shop.lab".to_owned(), visibility: Some(Visibility::Unlisted) }
}

pub(super) fn scan_request_v1() -> ScanRequestV1 {
    ScanRequestV1 { domain: "https://shop.lab/start".to_owned() }
}

pub(super) fn free_key_request() -> FreeKeyRequest {
    FreeKeyRequest { email: "ada@shop.lab".to_owned() }
}

pub(super) fn free_key_accepted() -> FreeKeyAccepted {
    FreeKeyAccepted {
        accepted: true,
        link_valid_hours: 24,
        note: "If this mail address can have a key, a link was sent to it.".to_owned(),
    }
}

pub(super) fn outcome_report() -> OutcomeReport {
    OutcomeReport {
        domain: "shop.lab".to_owned(),
        action: OutcomeAction::Fetch,
        agent: Some(OutcomeAgent { name: "ExampleBot".to_owned() }),
        result: OutcomeResult {
            status: Some(403),
            blocked: Some(true),
            challenge: Some(ReportedChallenge::Named("turnstile".to_owned())),
        },
        resolve_said: Some(ResolveSaid::Open),
        resolve_sha256: Some(digest('a')),
    }
}

pub(super) fn outcome_accepted() -> OutcomeAccepted {
    OutcomeAccepted {
        ok: true,
        accepted: AcceptedOutcome {
            domain: domain(),
            action: OutcomeAction::Fetch,
            outcome: OutcomeClass::Blocked,
            disagreement: some("The resolve answer said open; the agent was blocked (status 403)."),
        },
        summary: url("/api/v1/outcomes?domain=shop.lab"),
        note: "Counted as reported, without verification.".to_owned(),
    }
}

pub(super) fn outcome_summary() -> OutcomeSummary {
    let counts = |name: &str, n| BTreeMap::from([(name.to_owned(), n)]);
    OutcomeSummary {
        kind: kind("agent-outcomes"),
        v: 1,
        domain: domain(),
        window_days: 30,
        n: 3,
        ok: 2,
        blocked: 1,
        challenged: 0,
        error: 0,
        disagree: 1,
        reporters: 2,
        by_action: counts("fetch", 3),
        by_agent: counts("ExampleBot", 3),
        by_status: counts("403", 1),
        days: vec![OutcomeDay {
            day: "2026-11-15".to_owned(),
            n: 3,
            ok: 2,
            blocked: 1,
            challenged: 0,
            error: 0,
            disagree: 1,
            reporters: 2,
            sha256: Some(digest('b')),
        }],
        recent: vec![RecentOutcome {
            at: at("02:00:00"),
            action: OutcomeAction::Fetch,
            outcome: OutcomeClass::Blocked,
            agent: some("ExampleBot"),
            status: Some(403),
            resolve_said: Some(ResolveSaid::Open),
        }],
        success_rate: Ratio::of(2, 3),
        sha256: None,
        signature: None,
    }
}

pub(super) fn outcome_day() -> OutcomeDayRecord {
    OutcomeDayRecord {
        kind: kind("agent-outcomes-day"),
        v: 1,
        domain: domain(),
        day: contract::Day::of(at("02:00:00")),
        n: 3,
        ok: 2,
        blocked: 1,
        challenged: 0,
        error: 0,
        disagree: 1,
        reporters: 2,
    }
}

pub(super) fn control() -> ControlRecord {
    ControlRecord {
        kind: kind("domain-control"),
        v: 1,
        domain: domain(),
        state: ClaimState::ProofMissing,
        means: "The proof of control is currently missing.".to_owned(),
        method: Some(ControlMethod::MetaTag),
        claimed_at: Some(at("00:00:00")),
        last_verified_at: Some(at("00:00:05")),
        last_check_at: Some(at("01:00:00")),
        next_check_at: Some(at("02:00:00")),
        grace_ends_at: Some(at("23:00:00")),
        registry_at_claim: Some(RegistryAtClaim {
            created: some("2020-01-01T00:00:00Z"),
            expires: None,
            registrar: some("Example Registrar"),
        }),
        events: vec![ControlEvent {
            at: at("01:00:00"),
            claim: "claim1".to_owned(),
            event: ControlEventType::ProofMissing,
            from_state: ClaimState::Proven,
            to_state: ClaimState::ProofMissing,
            method: Some(ControlMethod::MetaTag),
            why: "The meta tag was not found.".to_owned(),
            readings: vec![ControlReading {
                observer: "obs-1".to_owned(),
                network: "lab-1".to_owned(),
                result: "absent".to_owned(),
            }],
            event_sha256: digest('4'),
        }],
        proof: Some(ProofSeen {
            readings: vec![ControlReading {
                observer: "obs-1".to_owned(),
                network: "lab-1".to_owned(),
                result: "The token is there.".to_owned(),
            }],
            seen_at: at("01:00:00"),
        }),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn domain_record() -> DomainRecord {
    DomainRecord {
        kind: kind("domain"),
        v: 1,
        schema: schema("domain"),
        domain: domain(),
        generated_at: at("00:00:02"),
        registry: Registry {
            state: RegistryState::Observed,
            why: None,
            registered_domain: domain(),
            read_at: Some(at("00:00:01")),
            source: some("https://rdap.lab/domain/shop.lab"),
            registrar: some("Example Registrar"),
            registrar_iana_id: some("9999"),
            created: Some(at("00:00:00")),
            expires: None,
            changed: None,
            nameservers: texts(&["ns1.shop.lab"]),
            dnssec: Some(true),
            status: texts(&["active"]),
        },
        timeline: vec![TimelineEntry {
            at: at("00:00:00"),
            event: TimelineType::Registered,
            detail: "Registered, says the registry.".to_owned(),
            source: "registry".to_owned(),
        }],
        cursor: some("t1-0-1-AA"),
        has_more: true,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn visitor_batch() -> VisitorBatch {
    VisitorBatch {
        visitors: [
            VisitorQuery {
                ip: some("192.0.2.7"),
                ua: "GPTBot/1.3".to_owned(),
                headers: Some(
                    [("signature".to_owned(), "sig1=:AA==:".to_owned())].into_iter().collect(),
                ),
                authority: some("shop.example"),
            },
            VisitorQuery { ip: None, ua: "curl/8".to_owned(), headers: None, authority: None },
        ]
        .into_iter()
        .collect(),
    }
}

pub(super) fn visitor_answer() -> VisitorAnswer {
    VisitorAnswer {
        kind: kind("visitor"),
        v: 1,
        checked_at: at("02:00:00"),
        ranges_as_of: Some(at("00:00:00")),
        reading: "The verdict is about the address and the user agent only.".to_owned(),
        spec: url("/spec/visitor-resolve"),
        claimed: some("GPTBot"),
        operator: some("OpenAI"),
        purpose: Some(Purpose::Training),
        verdict: VisitorVerdict::Spoofed,
        verified_by: None,
        why: "The address is not in any published range of the operator.".to_owned(),
        feeds: texts(&["https://feeds.lab/gptbot.json"]),
        sha256: None,
        signature: None,
    }
}

pub(super) fn visitor_batch_answer() -> VisitorBatchAnswer {
    VisitorBatchAnswer {
        kind: kind("visitor"),
        v: 1,
        checked_at: at("02:00:00"),
        ranges_as_of: None,
        spec: url("/spec/visitor-resolve"),
        count: 1,
        results: vec![VisitorResult {
            claimed: None,
            operator: None,
            purpose: None,
            verdict: VisitorVerdict::NotAKnownAgent,
            verified_by: None,
            why: "The user agent names no known agent.".to_owned(),
            feeds: Vec::new(),
        }],
        sha256: None,
        signature: None,
    }
}

pub(super) fn conduct() -> ConductRecord {
    ConductRecord {
        kind: kind("conduct"),
        v: 1,
        generated_at: at("02:00:00"),
        population: "Requests to our own site.".to_owned(),
        thresholds: ConductThresholds {
            min_verified_requests: 50,
            published_rate_limit: None,
            disallowed_rules: texts(&["/private"]),
        },
        agents: vec![AgentConduct {
            agent: "GPTBot".to_owned(),
            operator: "OpenAI".to_owned(),
            purpose: Purpose::Training,
            user_triggered: false,
            conduct: ConductVerdict::NoViolationsObserved,
            window: ConductWindow { first_seen: at("00:00:00"), last_seen: at("01:00:00") },
            identity: ConductIdentity {
                verified_requests: 120,
                forged_claims: 30,
                forgery_share: Ratio::of(30, 150).unwrap(),
            },
            robots_txt: RobotsConduct {
                verdict: RobotsVerdict::Respected,
                robots_txt_fetches: 3,
                disallowed_fetches: 0,
                disallowed_rules: Vec::new(),
            },
            rate: RateConduct {
                verdict: RateVerdict::Measured,
                peak_requests_per_minute: 9,
                peak_at: some("2026-11-15T00:30Z"),
                published_limit: None,
                measured_since: at("00:00:00"),
            },
            revalidation: Revalidation {
                conditional_requests: 12,
                share_of_verified_since_measured: Ratio::of(12, 120),
                measured_since: at("00:00:00"),
            },
            site_checks_14d: SiteChecks { checked: 5, verified: 4, spoofed: 1 },
        }],
        not_assessed: vec![UnassessedAgent {
            agent: "OtherBot".to_owned(),
            claimed_hits: 7,
            why: "The operator publishes no address ranges.".to_owned(),
        }],
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn conduct_day() -> ConductDayRecord {
    ConductDayRecord {
        kind: kind("conduct-day"),
        v: 1,
        day: "2026-11-15".parse().unwrap(),
        measured_since: at("00:00:00"),
        agents: vec![AgentDayCounts {
            agent: "GPTBot".to_owned(),
            verified_requests: 120,
            forged_claims: 30,
            unverifiable_claims: 1,
            robots_txt_fetches: 3,
            disallowed_fetches: 2,
            disallowed_rules: BTreeMap::from([("/private".to_owned(), 2)]),
            conditional_requests: 12,
            peak_requests_per_minute: 9,
            peak_at: some("2026-11-15T00:30Z"),
            first_seen: Some(at("00:00:00")),
            last_seen: Some(at("01:00:00")),
            site_checks: SiteChecks { checked: 5, verified: 4, spoofed: 1 },
        }],
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn error() -> ErrorV1 {
    ErrorV1 {
        errors: texts(&["Member `domain` is missing.", "Unknown member `visibilty`."]),
        param: some("domain"),
        retry_after_s: Some(7),
        request_id: some("01J9Z3K8"),
        docs: Some(url("/docs/errors#rate_limited")),
        ..ErrorV1::new(ErrorCode::RateLimited, "Too many scans from this address.")
    }
}
