//! Examples of the preflight request and the receipt.

use contract::Quotient;
use contract::records::{
    Action, AssessedRobots, AssessedRobotsState, AssessedScope, AssessedTool, CallerPolicy,
    Decision, DecisionReason, DecisionReceipt, DecisionState, DecisionStep, Doubt, EvidenceAge,
    HeldDecision, HeldDecisionRef, McpApproval, McpState, Obligation, ObligationType, PolicyEntry,
    PolicyList, PreflightAgent, PreflightBatch, PreflightCheck, PreflightInclude,
    PreflightItemError, PreflightRequest, PreflightResult, PreflightTemplate, PublishedFacts,
    ReasonClass, ReceiptAgent, ReceiptAnswer, ReceiptMcp, ReceiptResolve, ReceiptRevocation,
    ReceiptRules, ReceiptSubject, ReceiptTransparency, Remedy, Rung,
};
use contract::{ErrorCode, Timestamp};
use serde_json::{Map, Value, json};

use super::{at, digest, domain, kind, resolve_answer, schema, signature, some, texts, url};

fn operation() -> Map<String, Value> {
    let Value::Object(operation) = json!({"method": "GET", "url": "https://www.shop.lab/docs"})
    else {
        unreachable!()
    };
    operation
}

fn entries(words: &[&str]) -> PolicyList {
    words.iter().filter_map(|word| PolicyEntry::new(word)).collect()
}

pub(super) fn request() -> PreflightRequest {
    PreflightRequest {
        domain: some("shop.lab"),
        url: some("https://www.shop.lab/docs"),
        action: Some(Action::Connect),
        agent: Some(PreflightAgent::Name("ExampleBot".to_owned())),
        template: Some(PreflightTemplate::SafeMcpTool),
        policy: Some(CallerPolicy {
            max_age_hours: Some(24),
            on_warn: Some(Decision::RequireConfirmation),
            warn_as: Some(Decision::Block),
            require_entity: Some(true),
            human_approval: Some(entries(&["transact"])),
            allow: Some(entries(&["shop.lab"])),
            deny: Some(entries(&["other.lab"])),
            minimum_assurance: Some(Rung::Conformant),
            minimum_networks: Some(2),
        }),
        operation: Some(operation()),
        nonce: some("7f3a"),
        mcp: Some(McpApproval {
            url: "https://www.shop.lab/mcp".to_owned(),
            tools_sha256: Some(digest('a')),
            lock_sha256: None,
            surface_sha256: None,
        }),
        held: Some(HeldDecisionRef { decision_sha256: digest('b') }),
        live_ms: Some(800),
        include: Some([PreflightInclude::Evidence].into_iter().collect()),
        checks: Some(
            [PreflightCheck { action: Some(Action::Read), ..PreflightCheck::default() }]
                .into_iter()
                .collect(),
        ),
    }
}

fn duty(what: ObligationType, why: &str) -> Obligation {
    Obligation {
        obligation_type: what,
        why: why.to_owned(),
        seconds: None,
        user_agent: None,
        at: None,
        address: None,
        protocol: None,
    }
}

pub(super) fn receipt() -> DecisionReceipt {
    let decided_at: Timestamp = at("03:00:00");
    let answer = resolve_answer();
    DecisionReceipt {
        kind: kind("decision"),
        v: 1,
        schema: schema("decision"),
        domain: domain(),
        subject: ReceiptSubject {
            domain: domain(),
            host: some("www.shop.lab"),
            path: some("/docs"),
            url_without_query: some("https://www.shop.lab/docs"),
        },
        agent: Some(ReceiptAgent {
            claimed: "ExampleBot".to_owned(),
            matched_group: some("*"),
            basis: "claimed".to_owned(),
        }),
        action: Action::Connect,
        template: Some(PreflightTemplate::SafeMcpTool),
        nonce: some("7f3a"),
        operation: Some(operation()),
        decided_at,
        expires_at: at("04:00:00"),
        valid_until: at("04:00:00"),
        clock_skew_s: 60,
        decision: Decision::RequireConfirmation,
        meaning: "Connecting must wait until a person agrees.".to_owned(),
        base_decision: Decision::Warn,
        tightened_by: vec![Doubt::Template],
        why: "The template turns a warning into require_confirmation.".to_owned(),
        needs: "A declared capability that was called read-only and matched its declaration."
            .to_owned(),
        doubts: vec![Doubt::Template],
        reason_codes: vec![Doubt::Template],
        reasons: vec![DecisionReason {
            code: Doubt::Template,
            class: ReasonClass::Caller,
            effect: "require_confirmation".to_owned(),
            retryable: false,
            remedy: Remedy::Agent,
            detail: "The template turns a warning into require_confirmation.".to_owned(),
        }],
        steps: vec![DecisionStep {
            rule: "answer.connect".to_owned(),
            effect: "warn".to_owned(),
            why: "No declared capability was called.".to_owned(),
        }],
        obligations: vec![
            Obligation {
                seconds: Quotient::of(10, 1),
                ..duty(
                    ObligationType::CrawlDelay,
                    "robots.txt sets this delay between two requests.",
                )
            },
            Obligation {
                user_agent: some("ExampleBot"),
                ..duty(
                    ObligationType::Identify,
                    "The decision is only for the agent named in the request.",
                )
            },
            Obligation {
                at: Some(at("04:00:00")),
                ..duty(
                    ObligationType::Recheck,
                    "The decision expires at this time. Request a new one then.",
                )
            },
            Obligation {
                address: some("https://www.shop.lab/docs"),
                protocol: some("http_402"),
                ..duty(ObligationType::Pay, "The site asked AI identities to pay.")
            },
        ],
        alternatives: texts(&["Request read instead: this answer's decision for it is allow."]),
        facts: Some(PublishedFacts {
            untrusted_name: some("North Quay Shop"),
            untrusted_types: texts(&["Organization"]),
            untrusted_url: some("https://www.shop.lab/"),
            untrusted_same_as: Vec::new(),
            read_from: texts(&["https://www.shop.lab/"]),
            observed_at: Some(at("02:59:58")),
        }),
        assessed: AssessedScope {
            endpoint: some("https://www.shop.lab/mcp"),
            path: "/docs".to_owned(),
            with_query: false,
            robots: AssessedRobots {
                state: AssessedRobotsState::Read,
                token: "ExampleBot".to_owned(),
                allowed: Some(true),
                line: Some(2),
                untrusted_rule: some("Allow: /"),
            },
            tool: Some(AssessedTool {
                untrusted_name: "search".to_owned(),
                state: McpState::Match,
            }),
            operation_sha256: Some(digest('c')),
            does_not_cover: "other paths".to_owned(),
        },
        minimum_assurance: "conformant".to_owned(),
        assurance_found: vec![Rung::Declared, Rung::Discovered],
        max_age_hours: 24,
        evidence_age: EvidenceAge {
            observed_at: Some(at("02:59:58")),
            age_hours: Some(0),
            stale: false,
        },
        basis: answer.basis,
        answer: ReceiptAnswer {
            answer_sha256: digest('a'),
            address: url("/api/v1/resolve?domain=shop.lab"),
            transparency: ReceiptTransparency {
                state: "included".to_owned(),
                leaf_hash: Some(digest('e')),
                batch: Some(0),
            },
        },
        resolve: ReceiptResolve { sha256: digest('a'), kid: signature().kid },
        held: Some(HeldDecision {
            decision_sha256: digest('b'),
            state: DecisionState::Superseded,
            stands: true,
        }),
        mcp: Some(ReceiptMcp {
            url: "https://www.shop.lab/mcp".to_owned(),
            state: McpState::Match,
            surface_sha256: Some(digest('d')),
            tools_sha256: Some(digest('a')),
        }),
        revocation: ReceiptRevocation {
            feed: url("/api/v1/revocations"),
            cursor: some("r1-7"),
            next_update: at("03:15:00"),
        },
        rules: ReceiptRules { decision_rules_sha256: digest('c'), version_id: "0.1.0".to_owned() },
        replaced_signature: None,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn batch() -> PreflightBatch {
    PreflightBatch {
        kind: kind("preflight-batch"),
        v: 1,
        schema: schema("preflight-batch"),
        checked_at: at("03:00:00"),
        count: 2,
        results: vec![
            PreflightResult { index: 0, result: Some(Box::new(receipt())), error: None },
            PreflightResult {
                index: 1,
                result: None,
                error: Some(PreflightItemError {
                    code: ErrorCode::BadDomain,
                    error: "not a public domain".to_owned(),
                    param: some("domain"),
                }),
            },
        ],
        worst: Some(Decision::RequireConfirmation),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
