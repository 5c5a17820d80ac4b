//! Examples of the records about MCP servers.

use super::{at, code, digest, domain, kind, schema, signature, some, texts, url};
use contract::Ratio;
use contract::records::{
    Decision, DecisionReason, Doubt, McpAuth, McpAuthState, McpBasisKind, McpCardComparison,
    McpChange, McpCheckBasis, McpCheckState, McpConditions, McpConnect, McpCurrentSurface,
    McpDeclaredEndpoint, McpDomainScans, McpDomainState, McpDrift, McpDriftLevel, McpDriftSummary,
    McpEndpointState, McpEra, McpFieldDigests, McpFinding, McpHints, McpHistory, McpInput,
    McpInstructions, McpInvocation, McpItem, McpItemEntry, McpKnown, McpLocation, McpLock,
    McpLockCheck, McpLockDecision, McpLockFacts, McpLockForm, McpLockItem, McpLockOrigin,
    McpLockServer, McpLockTool, McpLockVerdict, McpResourceMetadata, McpResponseForm, McpRuleCheck,
    McpRuleState, McpRulepack, McpScan, McpScanBasis, McpScanReference, McpScanState, McpServer,
    McpSeverity, McpSurface, McpTextComparison, McpTexts, McpTier, McpToolEntry, McpTransport,
    McpTransportForm, McpWordChange, McpWordDiff, McpWordDiffPart, ReasonClass, Remedy,
    SafetyClass,
};

const ENDPOINT: &str = "https://shop.lab/mcp";

fn conditions() -> McpConditions {
    McpConditions {
        client_capabilities: Default::default(),
        client_name: some("svc"),
        auth_context: "anonymous".to_owned(),
        protocol_version: some("2026-07-28"),
    }
}

fn fields() -> McpFieldDigests {
    McpFieldDigests {
        title: None,
        description: Some(digest('1')),
        input_schema: Some(digest('2')),
        output_schema: None,
        annotations: Some(digest('3')),
        other: None,
    }
}

fn finding() -> McpFinding {
    McpFinding {
        id: "f1".to_owned(),
        rule: "unicode_tag_text".to_owned(),
        tier: McpTier::Hard,
        severity: McpSeverity::Critical,
        location: McpLocation {
            item: McpItem::Tool,
            name: some("add"),
            index: Some(0),
            field: "description".to_owned(),
            pointer: "/description".to_owned(),
            start: 17,
            length: 1,
        },
        why: "The text contains characters of the Unicode TAG block that form no flag.".to_owned(),
        untrusted_excerpt: "Adds two numbers.\\u{E0041}".to_owned(),
        untrusted_decoded: some("A"),
        codepoints: texts(&["U+E0041"]),
        confidence: Ratio::new(0.99).unwrap(),
        references: texts(&["MCP03:2025"]),
        first_observed: Some(at("02:00:00")),
    }
}

pub(super) fn lock() -> McpLock {
    McpLock {
        kind: kind("mcp-lock"),
        v: 1,
        schema: schema("mcp-lock"),
        locked_at: at("02:00:00"),
        server: McpLockServer {
            url: some(ENDPOINT),
            untrusted_name: some("shop"),
            untrusted_version: some("1.0"),
        },
        hash: "mcp-def-v1".to_owned(),
        conditions: conditions(),
        tools: vec![McpLockTool {
            name: "add".to_owned(),
            sha256: digest('a'),
            definition_sha256: digest('b'),
            contract_sha256: digest('c'),
            fields: fields(),
            inputs: vec![McpInput {
                name: "a".to_owned(),
                required: true,
                types: texts(&["number"]),
            }],
        }],
        tools_sha256: Some(digest('d')),
        count: 1,
        surface_sha256: digest('e'),
        instructions_sha256: Some(digest('f')),
        prompts: vec![item("greet")],
        resources: vec![item("shop://list")],
        resource_templates: vec![item("shop://item/{id}")],
        scan: Some(McpScanReference {
            scan_sha256: Some(digest('9')),
            address: url("/api/v1/mcp/scan?url=https%3A%2F%2Fshop.lab%2Fmcp"),
        }),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

fn item(name: &str) -> McpLockItem {
    McpLockItem {
        name: name.to_owned(),
        definition_sha256: digest('4'),
        contract_sha256: digest('5'),
    }
}

pub(super) fn lock_check() -> McpLockCheck {
    McpLockCheck {
        kind: kind("mcp-lock-check"),
        v: 1,
        schema: schema("mcp-lock-check"),
        checked_at: at("03:00:00"),
        url: some(ENDPOINT),
        verdict: McpLockVerdict::Changed,
        decision: McpLockDecision::Block,
        approved_tools_sha256: Some(digest('d')),
        current_tools_sha256: Some(digest('0')),
        added: texts(&["sub"]),
        removed: texts(&["mul"]),
        modified: texts(&["add"]),
        state: McpCheckState::Drift,
        why: "The lists of the server changed since the lock was made.".to_owned(),
        basis: McpCheckBasis {
            kind: McpBasisKind::Live,
            observed_at: Some(at("03:00:00")),
            conditions: conditions(),
        },
        lock: McpLockFacts {
            lock_sha256: digest('a'),
            locked_at: Some(at("02:00:00")),
            age_days: Some(0),
            origin: McpLockOrigin::SignedByUs,
            signature_valid: McpKnown::Measured(true),
            form: McpLockForm::Full,
        },
        current: McpCurrentSurface {
            surface_sha256: Some(digest('7')),
            complete: true,
            scan_sha256: Some(digest('9')),
            address: Some(url("/api/v1/mcp/scan?url=https%3A%2F%2Fshop.lab%2Fmcp")),
        },
        summary: McpDriftSummary { prose_changed: 1, ..McpDriftSummary::default() },
        drift: vec![McpDrift {
            first_seen: None,
            item: McpItem::Tool,
            name: some("add"),
            change: McpChange::DescriptionChanged,
            fields: texts(&["description"]),
            locked_sha256: Some(digest('b')),
            current_sha256: Some(digest('8')),
            renamed_from: some("plus"),
            breaking: false,
            level: McpDriftLevel::Confirm,
            why: "The text that the model reads changed. The contract did not.".to_owned(),
            untrusted_diff: Some(McpWordDiff {
                parts: vec![
                    McpWordDiffPart {
                        change: McpWordChange::Kept,
                        untrusted_text: "Adds two ".to_owned(),
                    },
                    McpWordDiffPart {
                        change: McpWordChange::Added,
                        untrusted_text: "whole ".to_owned(),
                    },
                ],
                cut: false,
            }),
        }],
        new_findings: vec![finding()],
        connect: Decision::Block,
        exit_code: 1,
        next_lock: Some(Box::new(lock())),
        text_comparison: Some(McpTextComparison {
            state: "observed".to_owned(),
            why: some("One of the texts is not stored."),
            compared: 1,
            left_out: 1,
        }),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn scan() -> McpScan {
    McpScan {
        kind: kind("mcp-scan"),
        v: 1,
        schema: schema("mcp-scan"),
        scanned_at: at("02:00:00"),
        url: some(ENDPOINT),
        final_url: some(ENDPOINT),
        domain: Some(domain()),
        host: some("shop.lab"),
        state: McpScanState::Observed,
        why: some("All lists were read."),
        basis: McpScanBasis {
            kind: McpBasisKind::Live,
            age_seconds: 0,
            budget_ms: 10_000,
            took_ms: 611,
            not_read_in_budget: vec![],
            scan_sha256: None,
        },
        transport: McpTransport {
            form: McpTransportForm::StreamableHttp,
            era: McpEra::Both,
            protocol_version: some("2026-07-28"),
            supported_versions: texts(&["2026-07-28"]),
            response_form: Some(McpResponseForm::Json),
            session_issued: false,
            https: Some(true),
            redirects: vec![],
        },
        auth: McpAuth {
            state: McpAuthState::Nothing,
            http_status: Some(200),
            scheme: None,
            scopes: vec![],
            resource_metadata: McpResourceMetadata {
                state: "not_measured".to_owned(),
                why: some("The server sent no challenge."),
                url: None,
                source: None,
                resource: None,
                authorization_servers: vec![],
                issuer_match: McpKnown::NOT_MEASURED,
            },
        },
        server: McpServer {
            untrusted_name: some("shop"),
            untrusted_version: some("1.0"),
            untrusted_title: None,
            instructions: McpInstructions {
                present: true,
                bytes: 21,
                instructions_sha256: Some(digest('f')),
                untrusted_text: some("Adds numbers for you."),
                text_cut: Some(false),
            },
            capabilities: [("tools".to_owned(), [("listChanged".to_owned(), true)].into())].into(),
            basis: "self_reported".to_owned(),
        },
        conditions: conditions(),
        surface: McpSurface {
            state: "observed".to_owned(),
            complete: true,
            why: some("All pages were read."),
            tools: 1,
            prompts: 1,
            resources: 1,
            resource_templates: 1,
            pages: 4,
            stable_content: Some(true),
            stable_order: Some(true),
            ttl_ms: Some(0),
            cache_scope: some("private"),
            surface_sha256: Some(digest('e')),
            tools_sha256: Some(digest('d')),
        },
        tools: vec![McpToolEntry {
            name: "add".to_owned(),
            untrusted_title: some("Add"),
            tool_sha256: Some(digest('a')),
            definition_sha256: Some(digest('b')),
            contract_sha256: Some(digest('c')),
            fields: fields(),
            description_bytes: 141,
            annotations: Some(McpHints { read_only: Some(true), ..McpHints::default() }),
            safety_class: SafetyClass::Unknown,
            required_inputs: texts(&["a"]),
            findings: texts(&["f1"]),
            untrusted_description: some("Adds two numbers.\\u{E0041}"),
            untrusted_input_schema: some("{\"type\":\"object\"}"),
            untrusted_output_schema: some("{\"type\":\"object…"),
            cut: Some(texts(&["untrusted_output_schema"])),
        }],
        prompts: vec![McpItemEntry {
            name: "greet".to_owned(),
            definition_sha256: Some(digest('4')),
            findings: vec![],
            untrusted_description: some("Greets somebody."),
            cut: Some(vec![]),
        }],
        resources: vec![],
        resource_templates: vec![],
        findings: vec![finding()],
        findings_left_out: 0,
        checks: vec![McpRuleCheck {
            rule: "cross_server_reference".to_owned(),
            tier: McpTier::Soft,
            state: McpRuleState::NotMeasured,
            why: some("No other server was named."),
        }],
        connect: McpConnect {
            decision: Decision::Block,
            why: "A rule found hidden text.".to_owned(),
            doubts: vec![Doubt::McpHardFinding],
            reasons: vec![DecisionReason {
                code: Doubt::McpHardFinding,
                class: ReasonClass::Capability,
                effect: "block".to_owned(),
                retryable: false,
                remedy: Remedy::Human,
                detail: "f1".to_owned(),
            }],
        },
        card: McpCardComparison {
            state: "not_measured".to_owned(),
            why: some("The server has no card at either known address."),
            source: None,
            matches_live: McpKnown::NOT_MEASURED,
            differences: vec![],
        },
        history: McpHistory {
            first_observed: Some(at("02:00:00")),
            last_changed_at: None,
            changes: 0,
            address: Some(url("/api/v1/changes?domain=shop.lab")),
        },
        lock: Some(Box::new(lock())),
        texts: Some(McpTexts {
            included: texts(&["text", "schemas"]),
            bytes: 88,
            limit_bytes: 524_288,
            shortened: 1,
            left_out: 0,
        }),
        invocation: McpInvocation { tools_called: 0, rule: "lists only".to_owned() },
        rulepack: McpRulepack { id: "mcp-1".to_owned(), rulepack_sha256: digest('6') },
        code: Some(code()),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn domain_scans() -> McpDomainScans {
    McpDomainScans {
        kind: kind("mcp-domain-scans"),
        v: 1,
        schema: schema("mcp-domain-scans"),
        domain: domain(),
        scanned_at: at("02:00:00"),
        state: McpDomainState::Observed,
        why: some("The domain declares more servers than are scanned at once."),
        declared_at: Some(at("01:00:00")),
        endpoints: vec![
            McpDeclaredEndpoint {
                url: some(ENDPOINT),
                untrusted_url: None,
                source: "/.well-known/mcp/server-card.json".to_owned(),
                state: McpEndpointState::Observed,
                why: None,
                scan: Some(Box::new(scan())),
            },
            McpDeclaredEndpoint {
                url: None,
                untrusted_url: some("https://localhost/mcp"),
                source: "/.well-known/mcp/server-card.json".to_owned(),
                state: McpEndpointState::NotMeasured,
                why: some("The host is not a public one."),
                scan: None,
            },
        ],
        left_out: 1,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
