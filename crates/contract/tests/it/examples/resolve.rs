//! Examples of 2.9, 2.10 and 3.3.

use std::collections::BTreeMap;

use contract::Quotient;
use contract::records::{
    Absence, AbsenceCheck, AbsenceObserver, AbsenceResult, ActionDecision, Actions, AgentPolicy,
    AnswerStatus, Assurance, AssuranceLadder, Basis, CallReading, CallResult, Capabilities,
    Capability, CapabilityCall, CapabilityMcpScan, CiteDecision, CiteScope, ClaimState,
    ClockHomepage, ContentClock, ContentState, Contradiction, ControlMethod, ControlProof,
    ControlSummary, CrawlPolicy, Decision, DeliveredContent, DeliveredPage, Delivery,
    DeliveryIdentity, Dns, Doubt, EquivalenceVerdict, EvidenceLinks, FindingsAccess, Freshness,
    FreshnessSource, HighRiskField, HighRiskFields, IdentityEquivalence, Impersonation,
    ImpersonationVerdict, Incident, JustInTimeBasis, LadderRung, Likeness, LikenessClass,
    MachineFile, MachineFiles, NetworkSamples, Observers, PrimaryObserver, ReadEquivalence,
    RescanBody, RescanRequest, ResolveAnswer, ResolveConfidence, ResolveFindings, Rights,
    RightsSource, RightsUse, RightsValue, Rung, RungState, SafetyClass, SampleWindow,
    SamplesByNetwork, Section, SelfClaims, StoredSections, Subject, Tls, Upgrade, UpgradeState,
    VantageState, VantageSummary,
};

use super::{at, code, digest, domain, kind, schema, signature, some, texts, transparency, url};

pub(crate) fn resolve_answer() -> ResolveAnswer {
    let observed_at = at("02:59:58");
    ResolveAnswer {
        kind: kind("resolve"),
        v: 1,
        schema: schema("resolve"),
        domain: domain(),
        answered_at: at("03:00:00"),
        reading: "Each section shows what the site declares, what we observed, or why we did not measure it.".to_owned(),
        status: AnswerStatus::Partial,
        basis: Basis::JustInTime(JustInTimeBasis {
            measured_at: observed_at,
            budget_ms: 1000,
            took_ms: 412,
            not_read_in_budget: texts(&["tls"]),
            scope: "robots.txt, home page, machine files".to_owned(),
        }),
        subject: Subject { domain: domain(), host: some("www.shop.lab") },
        freshness: Freshness {
            observed_at: Some(observed_at),
            age_hours: Some(0),
            source: FreshnessSource::JustInTime,
            last_verified_at: Some(observed_at),
            fresh_until: Some(observed_at.plus_millis(168 * 3_600_000)),
            stale: false,
            fresh_policy: "An answer is fresh for 168 hours after observed_at.".to_owned(),
        },
        observers: observers(),
        crawl_policy: Section::Declared { observed_at, body: crawl_policy() },
        delivery: Section::Observed { observed_at, body: delivery() },
        machine_files: Section::Observed { observed_at, body: machine_files() },
        capabilities: Section::Declared { observed_at, body: capabilities() },
        entity: Section::NotMeasured {
            observed_at: Some(observed_at),
            why: "No readable HTML page was served.".to_owned(),
        },
        findings: ResolveFindings {
            access: FindingsAccess::Public,
            rule: "Findings come from a full scan and are free of charge.".to_owned(),
            items: Vec::new(),
            summary: None,
            withheld: None,
            note: "This answer has no findings. A full scan has them.".to_owned(),
        },
        confidence: ResolveConfidence {
            identities_answered: 3,
            vantages: 1,
            note: "One network.".to_owned(),
            sample: Some(3),
            sample_note: some("three readings"),
            vantage_state: Some(VantageSummary {
                state: VantageState::SingleVantage,
                means: "All readings come from one network.".to_owned(),
                networks: 1,
                readings: 3,
                states: BTreeMap::from([(
                    "single_vantage".to_owned(),
                    "All readings come from one network.".to_owned(),
                )]),
                from: texts(&["lab-1"]),
            }),
        },
        contradictions: Some(vec![Contradiction {
            what: "content_signal".to_owned(),
            between: texts(&["robots.txt", "header"]),
            why: "One signal permits this use and another prohibits it. The prohibition decides.".to_owned(),
        }]),
        evidence: EvidenceLinks {
            report: None,
            record: Some(url("/api/v1/resolve?domain=shop.lab")),
            rescan: RescanRequest {
                method: "POST".to_owned(),
                url: url("/api/scan"),
                body: RescanBody { domain: domain() },
            },
            verifier: url("/crawlcheck-verify.mjs"),
            verify: "Save this answer to a file and run: node crawlcheck-verify.mjs FILE".to_owned(),
        },
        assurance: Assurance::Partial,
        impersonation: Section::Observed {
            observed_at,
            body: Impersonation {
                verdict: ImpersonationVerdict::Lookalike,
                brand_frame: "a public list of 10,000 names".to_owned(),
                likeness: vec![Likeness {
                    of: "shops.lab".to_owned(),
                    rank: 7,
                    class: LikenessClass::Omission,
                    why: "It leaves out one letter of that name.".to_owned(),
                }],
            },
        },
        dns: Section::Observed { observed_at, body: dns() },
        tls: Section::Observed { observed_at, body: tls() },
        upgrade: Some(Upgrade {
            state: UpgradeState::Queued,
            to: Assurance::Full,
            expected: "within 30 minutes".to_owned(),
            how: "A full scan is queued. When it is finished, it replaces this answer.".to_owned(),
            scan_now: url("/api/scan"),
        }),
        content_clock: ContentClock {
            homepage: ClockHomepage {
                url: "https://www.shop.lab/".to_owned(),
                observed: false,
                start: url("/api/v1/content-clock?url=https%3A%2F%2Fwww.shop.lab%2F"),
                reading: "No content clock runs for this page.".to_owned(),
            },
            reading: "We detect changes by our own digests.".to_owned(),
        },
        self_claims: SelfClaims {
            observed: false,
            start: url("/api/v1/claims?domain=shop.lab"),
            reading: "There is no stored reading of this site.".to_owned(),
        },
        read_equivalence: read_equivalence(),
        rights: rights(),
        stored_sections: Some(StoredSections {
            sections: texts(&["impersonation"]),
            as_of: at("02:00:00"),
            reading: "These sections could not be refreshed in time.".to_owned(),
        }),
        served_from: some("a live reading from 2026-11-15T02:00:00Z, 1 hour old; it is reused for up to 6 hours"),
        incident: Some(Incident { since: at("01:00:00"), ends_at: Some(at("02:00:00")), why: "The owner of this domain reported an incident.".to_owned() }),
        high_risk_fields: Some(HighRiskFields {
            pending: vec![HighRiskField { field: "payment".to_owned(), seen_at: at("01:00:00") }],
        }),
        actions: actions(),
        absences: vec![Absence {
            what: "llms.txt".to_owned(),
            path: "/llms.txt".to_owned(),
            result: AbsenceResult::Absent,
            at: observed_at,
            from: AbsenceObserver {
                observer: "obs-1".to_owned(),
                network: "lab-1".to_owned(),
                directory: url("/.well-known/crawlcheck-observers.json"),
            },
            checked: vec![AbsenceCheck {
                method: "GET".to_owned(),
                url: "https://www.shop.lab/llms.txt".to_owned(),
                status: 404,
                redirects: 0,
            }],
            scope: "Only this path, at this time, as this service under its own name.".to_owned(),
        }],
        control: ControlSummary {
            state: ClaimState::Unproven,
            proofs: vec![ControlProof {
                method: ControlMethod::MetaTag,
                last_verified_at: at("00:00:00"),
            }],
            organization: None,
            claim: url("/registry/shop.lab/claim"),
            why: "Nobody has proven control of this domain to this service.".to_owned(),
            note: "Control changes no decision.".to_owned(),
        },
        assurance_ladder: ladder(),
        code: code(),
        transparency: Some(transparency()),
        replaced_signature: None,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn actions() -> Actions {
    let action =
        |decision, minimum: &str, needs: &str, why: &str, doubts: &[Doubt], hours| ActionDecision {
            decision,
            minimum_assurance: minimum.to_owned(),
            assurance_found: vec![Rung::Declared, Rung::Discovered, Rung::Reachable],
            needs: needs.to_owned(),
            why: why.to_owned(),
            doubts: doubts.to_vec(),
            max_age_hours: hours,
        };
    Actions {
        v: 1,
        decisions: Decision::WORDS.join(", "),
        rule: "Each decision follows from this answer's own sections at signing time.".to_owned(),
        read: action(
            Decision::Allow,
            "reachable",
            "A robots.txt that allows AI agents to read the path, and the page served to at least one AI identity.",
            "No rule restricts it.",
            &[],
            168,
        ),
        cite: CiteDecision {
            decision: Decision::Warn,
            minimum_assurance: "reachable plus entity observed".to_owned(),
            assurance_found: vec![Rung::Declared],
            needs: "Everything that read needs, a page that says who runs the site, and no contradiction within the site.".to_owned(),
            why: "We found no statement of who runs the site.".to_owned(),
            doubts: vec![Doubt::EntityUnobserved, Doubt::NoPolicy],
            max_age_hours: 168,
            scope: CiteScope {
                covers: texts(&["the home page"]),
                does_not_cover: "What the site does after this time, other paths, other agents, and whether its content is true.".to_owned(),
            },
        },
        connect: action(
            Decision::Unsupported,
            "conformant",
            "A declared capability that was called read-only and matched its declaration.",
            "The site declares no capability to connect to.",
            &[Doubt::NoneDeclared],
            72,
        ),
        transact: action(
            Decision::RequireConfirmation,
            "action_ready",
            "An owner who has proven control of the domain, and a capability that is ready for action.",
            "A person must confirm every transaction. This service certifies none.",
            &[Doubt::HumanConfirms],
            24,
        ),
        administer: action(
            Decision::Block,
            "never automatic",
            "The owner's own authority. A public record cannot give it.",
            "A public record cannot authorise administration.",
            &[Doubt::NeverAutomatic],
            0,
        ),
    }
}

pub(super) fn ladder() -> AssuranceLadder {
    AssuranceLadder {
        v: 1,
        level: Some(Rung::Reachable),
        order: Rung::ORDER.to_vec(),
        rungs: vec![
            LadderRung {
                rung: Rung::Declared,
                state: RungState::Reached,
                why: "robots.txt was read.".to_owned(),
            },
            LadderRung {
                rung: Rung::Conformant,
                state: RungState::NotMeasured,
                why: "The site declares no capability, so there is nothing to measure.".to_owned(),
            },
        ],
        rule: "The level is the highest rung that is reached together with every rung below it."
            .to_owned(),
    }
}

fn observers() -> Observers {
    Observers {
        primary: PrimaryObserver { version_tag: "0.1.0".to_owned(), vantage: "lab-1".to_owned() },
        independent_readings: 1,
        by_field: url("/api/corroboration?domain=shop.lab"),
        directory: url("/.well-known/crawlcheck-observers.json"),
        samples_by_network: SamplesByNetwork {
            networks: 1,
            samples: 1,
            groups: vec![NetworkSamples { network: "lab-1".to_owned(), samples: 1 }],
            window: SampleWindow { from: Some(at("02:00:00")), to: Some(at("02:59:58")) },
        },
    }
}

fn crawl_policy() -> CrawlPolicy {
    CrawlPolicy {
        source: "https://www.shop.lab/robots.txt".to_owned(),
        http_status: Some(200),
        path_tested: "/".to_owned(),
        agents: vec![AgentPolicy { agent: "GPTBot".to_owned(), allowed_homepage: true }],
        content_signal: Some(BTreeMap::from([("ai-train".to_owned(), "no".to_owned())])),
        note: "What robots.txt says about the home page. It is a statement; the site may enforce something else.".to_owned(),
    }
}

fn delivery() -> Delivery {
    Delivery {
        url: "https://shop.lab/".to_owned(),
        identity_basis:
            "This service sent every request from its own network, under the name of the identity."
                .to_owned(),
        identities: vec![DeliveryIdentity {
            identity: "gptbot".to_owned(),
            label: "GPTBot (OpenAI, training)".to_owned(),
            status: Some(200),
            bytes: Some(1800),
            html: Some(true),
            final_host: some("www.shop.lab"),
            blocker: None,
            sha256: Some(digest('2')),
        }],
        same_bytes_for_every_identity: None,
        content: Some(DeliveredContent {
            state: ContentState::Text,
            kind: some("html"),
            words: Some(240),
            cut: false,
            paywall: false,
        }),
        further_pages: vec![DeliveredPage {
            path: "/prices".to_owned(),
            browser_served: true,
            ai_requested: 3,
            ai_kept_out: 0,
            instruction_like_text: false,
        }],
    }
}

fn machine_files() -> MachineFiles {
    MachineFiles {
        files: vec![MachineFile {
            path: "/llms.txt".to_owned(),
            status: Some(404),
            content_type: None,
            bytes: Some(0),
            present: Some(false),
            sha256: None,
        }],
        hashes: "SHA-256 of the decoded body, as far as it was read.".to_owned(),
    }
}

fn capabilities() -> Capabilities {
    Capabilities {
        declared: 2,
        by_safety_class: BTreeMap::from([
            ("read_only_public".to_owned(), 1),
            ("unknown".to_owned(), 1),
        ]),
        verified: 0,
        mismatches: 0,
        invocation_rule: "Only capabilities of the class read_only_public are ever called."
            .to_owned(),
        certificate: None,
        items: vec![
            Capability {
                untrusted_name: "search".to_owned(),
                untrusted_endpoint: some("https://shop.example/mcp"),
                declared_in: "/.well-known/mcp/server-card.json".to_owned(),
                safety_class: SafetyClass::Unknown,
                as_declared: None,
                declaration_sha256: None,
                call: None,
                mcp_scan: Some(CapabilityMcpScan::not_measured(
                    "No scan of this server is stored.",
                )),
            },
            called_operation(),
        ],
        declared_files: texts(&["/.well-known/mcp/server-card.json", "/openapi.json"]),
        note: "Read from declarations. 1 operation was called.".to_owned(),
    }
}

fn called_operation() -> Capability {
    let reading = |reading: &str, at: contract::Timestamp, result| CallReading {
        reading: reading.to_owned(),
        at,
        method: "GET".to_owned(),
        untrusted_url: "https://shop.example/api/hours".to_owned(),
        status: Some(200),
        untrusted_content_type: some("application/json"),
        body_sha256: Some(digest('5')),
        result,
    };
    Capability {
        untrusted_name: "getHours".to_owned(),
        untrusted_endpoint: some("https://shop.example/api/hours"),
        declared_in: "/openapi.json".to_owned(),
        safety_class: SafetyClass::ReadOnlyPublic,
        as_declared: None,
        declaration_sha256: Some(digest('5')),
        call: Some(CapabilityCall {
            result: CallResult::NotMeasured,
            why: "One response matched the declaration and another did not.".to_owned(),
            called_at: at("02:59:56"),
            compared: Vec::new(),
            not_compared: Vec::new(),
            difference: None,
            readings: vec![
                reading("r71", at("02:59:56"), CallResult::Differs),
                reading("r72", at("02:59:57"), CallResult::AsDeclared),
            ],
        }),
        mcp_scan: None,
    }
}

fn dns() -> Dns {
    Dns {
        resolver: "127.0.0.1:5300".to_owned(),
        exists: Some(true),
        a: texts(&["127.0.0.10"]),
        aaaa: Vec::new(),
        cname: Vec::new(),
        rcode: some("NOERROR"),
        dnssec_validated: Some(false),
        note: "The answer of our resolver.".to_owned(),
    }
}

fn tls() -> Tls {
    Tls {
        https: true,
        url: "https://shop.lab/".to_owned(),
        final_host: some("www.shop.lab"),
        http_status: Some(200),
        hsts: some("max-age=31536000"),
        certificate: some("TLS 1.3, certificate from Example CA, valid until 2027-02-01T00:00:00Z; valid for this name."),
        certificate_holds: Some(true),
        redirects_to_http: false,
        note: "How the home page was delivered to the browser identity, or to the first identity that got a response.".to_owned(),
    }
}

fn read_equivalence() -> ReadEquivalence {
    ReadEquivalence {
        url: "https://www.shop.lab/".to_owned(),
        observed: true,
        verdict: EquivalenceVerdict::Augmented,
        checked_at: Some(at("02:59:58")),
        first_observed: Some(at("02:59:58")),
        ai_identities_served: some("1 of 1"),
        identities: vec![IdentityEquivalence {
            identity: "gptbot".to_owned(),
            verdict: EquivalenceVerdict::Augmented,
            text_ratio: Quotient::of(5, 4),
            instruction_like_text: false,
        }],
        api: url("/api/v1/read-equivalence?url=https%3A%2F%2Fwww.shop.lab%2F"),
        reading: "We compare the text of the home page.".to_owned(),
    }
}

fn rights() -> Rights {
    let unknown = RightsUse {
        value: RightsValue::Unknown,
        decided_by: RightsSource { signal: None, url: None, evidence: None },
        conflicts: 0,
    };
    Rights {
        observed: true,
        path: "/".to_owned(),
        read_at: Some(at("02:59:58")),
        api: url("/api/v1/rights?domain=shop.lab"),
        reading: "Only public statements are considered; an agent's own licence may differ."
            .to_owned(),
        train: RightsUse {
            value: RightsValue::Disallowed,
            decided_by: RightsSource {
                signal: some("content_signal"),
                url: some("https://www.shop.lab/robots.txt"),
                evidence: some("line 4"),
            },
            conflicts: 1,
        },
        ground: unknown.clone(),
        summarize: unknown.clone(),
        cite: unknown.clone(),
        transact: unknown,
    }
}
