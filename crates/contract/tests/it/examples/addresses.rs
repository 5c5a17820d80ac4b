//! Examples of the records that a resolve answer links to.

use std::collections::BTreeMap;

use contract::ratio::{Quotient, Ratio};
use contract::records::*;

use super::{at, digest, domain, kind, schema, signature, some, texts, url};

pub(super) fn observers() -> ObserverDirectory {
    ObserverDirectory {
        kind: kind("observers"),
        v: 1,
        schema: schema("observers"),
        generated_at: at("00:00:00"),
        next_update: at("01:00:00"),
        operator: OperatorFacts {
            name: some("Example operator"),
            site: url(""),
            contact: some("mailto:ops@svc.example"),
            abuse: None,
            security: None,
        },
        observers: vec![ObserverEntry {
            id: "lab-1".to_owned(),
            version_tag: "wayleave-0.1.0".to_owned(),
            state: ObserverState::Active,
            role: ObserverRole::Primary,
            network: ObserverNetwork { asn: Some(64_500), ..ObserverNetwork::default() },
            egress: texts(&["192.0.2.0/28", "2001:db8::/48"]),
            resolver: some("127.0.0.1:53"),
            since: None,
            until: None,
            key: Some(ObserverKey {
                kid: "KxLtwxnR0".to_owned(),
                address: url("/.well-known/jwks.json"),
            }),
        }],
        identities: vec![ObserverIdentity {
            id: "gptbot".to_owned(),
            label: "GPTBot (OpenAI, training)".to_owned(),
            role: Some(Role::Train),
            user_agent: "GPTBot/1.3".to_owned(),
            agent_imitated: some("GPTBot"),
            note: "We send this from our own network; it does not come from GPTBot. It shows how the site treats that name.".to_owned(),
        }],
        creation_time: at("00:00:00"),
        prefixes: vec![
            ObserverPrefix { ipv4_prefix: some("192.0.2.0/28"), ipv6_prefix: None },
            ObserverPrefix { ipv4_prefix: None, ipv6_prefix: some("2001:db8::/48") },
        ],
        signature_agent: SignatureAgent {
            directory: url("/.well-known/http-message-signatures-directory"),
            purpose: "The keys that sign the answers of this service. Requests to sites are not signed.".to_owned(),
        },
        verify: ObserverVerify { how: texts(&["by address"]), reverse_dns_suffix: None },
        robots: ObserverRobots {
            product_token: "Wayleave".to_owned(),
            honoured: true,
            opt_out: "A robots.txt group for Wayleave that disallows a path stops all our reads of it.".to_owned(),
        },
        limits: ObserverLimits {
            requests_at_once_per_host: 6,
            scans_at_once_per_domain: 1,
            rescan_seconds: 120,
            live_budget_ms: 1000,
            requests_per_domain_per_day: None,
            min_delay_ms: None,
        },
        never: texts(&["log in"]),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn census_page() -> CensusPage {
    CensusPage {
        kind: kind("census-page"),
        v: 1,
        schema: schema("census-page"),
        run: CensusRunRecord {
            run: 7,
            started_at: at("00:00:00"),
            finished_at: None,
            frame: CensusFrame {
                name: "a list".to_owned(),
                date: some("2026-11-09"),
                size: 2,
                frame_sha256: digest('b'),
            },
            method: "One full public scan of each domain of the list, from one network, and the answer built from it.".to_owned(),
            code: CensusCode { version_id: digest('c') },
        },
        count: 1,
        total_in_run: 2,
        records: vec![CensusRecord {
            domain: domain(),
            rank: 1,
            status: CensusStatus::Measured,
            measured_at: Some(at("00:01:00")),
            host: some("www.shop.lab"),
            decisions: Some(CensusDecisions {
                read: Decision::Warn,
                cite: Decision::Warn,
                connect: Decision::Unsupported,
            }),
            crawl_policy_state: some("declared"),
            identities_served: some("3 of 5"),
            machine_files_present: texts(&["/robots.txt"]),
            answer_sha256: Some(digest('d')),
            address: url("/api/v1/resolve?domain=shop.lab"),
        }],
        cursor: some("n7-1"),
        has_more: true,
        license: "CC-BY-4.0".to_owned(),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn census_end() -> CensusEnd {
    CensusEnd {
        kind: kind("census-end"),
        v: 1,
        run: 7,
        records: 2,
        rows_sha256: digest('e'),
        has_more: false,
        cursor: None,
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn content_clock() -> ContentClockRecord {
    ContentClockRecord {
        kind: kind("content-clock"),
        v: 1,
        schema: schema("content-clock"),
        url: "https://shop.lab/".to_owned(),
        observed: true,
        state: ClockState::Running,
        why: None,
        clock: Some(ClockSchedule {
            started_at: at("00:00:00"),
            checks: 2,
            next_check_at: at("12:00:00"),
            every_hours: 12,
            expires_at: at("23:00:00"),
        }),
        first_observed: Some(at("00:00:00")),
        last_checked_at: Some(at("00:30:00")),
        last_changed_at: None,
        versions: vec![PageVersion {
            n: 1,
            seen_from: at("00:00:00"),
            seen_to: at("00:30:00"),
            status: Some(200),
            bytes: Some(120),
            body_sha256: Some(digest('b')),
            text_sha256: Some(digest('c')),
            etag: some("\"x\""),
            last_modified: None,
            change: ClockChange {
                kind: PageChangeKind::None,
                words_added: None,
                words_removed: None,
            },
        }],
        declared: vec![DeclaredDate {
            what: "etag".to_owned(),
            untrusted_value: "\"x\"".to_owned(),
            carrier: "header".to_owned(),
            at: at("00:30:00"),
            doubt: None,
        }],
        compare: ClockComparison {
            state: ClockAgreement::NotComparable,
            detail: "The site declares no readable modification date.".to_owned(),
        },
        precision: ClockPrecision {
            rule: "A change happened between two checks.".to_owned(),
            widest_gap_hours: Some(1),
        },
        cadence: ClockCadence {
            changes: 0,
            days: 0,
            median_gap_hours: None,
            note: "Changes observed in the past; this is not a forecast.".to_owned(),
        },
        reading: "We detect changes by our own digests.".to_owned(),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn claims() -> ClaimsRecord {
    ClaimsRecord {
        kind: kind("claims"),
        v: 1,
        schema: schema("claims"),
        domain: domain(),
        observed: true,
        generated_at: at("03:00:00"),
        axes: BitemporalAxes { valid: "shown".to_owned(), recorded: "written down".to_owned() },
        claims: vec![Claim {
            id: "cl_1".to_owned(),
            subject: "organization".to_owned(),
            property: "contact.phone".to_owned(),
            untrusted_value: "+1 555 0100".to_owned(),
            value_sha256: digest('b'),
            carrier: ClaimCarrier {
                kind: "json_ld".to_owned(),
                url: "https://shop.lab/".to_owned(),
                pointer: Some("/telephone".to_owned()),
                block: Some(0),
                evidence_sha256: Some(digest('c')),
            },
            said_from: at("01:00:00"),
            said_to: None,
            recorded_from: at("01:00:01"),
            recorded_to: None,
            state: ClaimStatus::Current,
            checked: ClaimCheckResult {
                state: ClaimAgreement::NotMeasured,
                against: None,
                at: None,
            },
        }],
        contradictions: vec![ClaimContradiction {
            property: "contact.phone".to_owned(),
            claim_ids: texts(&["cl_1", "cl_2"]),
            kind: ContradictionKind::BetweenCarriers,
        }],
        carriers_read: vec![CarrierReading {
            kind: "json_ld".to_owned(),
            url: "https://shop.lab/".to_owned(),
            state: CarrierState::Observed,
            http_status: Some(200),
        }],
        start: None,
        reading: "Recorded, not judged.".to_owned(),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn read_equivalence() -> ReadEquivalenceRecord {
    ReadEquivalenceRecord {
        kind: kind("read-equivalence"),
        v: 1,
        schema: schema("read-equivalence"),
        url: "https://shop.lab/".to_owned(),
        observed: true,
        verdict: EquivalenceVerdict::NotServed,
        why: None,
        checked_at: Some(at("02:00:00")),
        first_observed: Some(at("01:00:00")),
        ai_identities_served: some("0 of 1"),
        identities: vec![IdentityComparison {
            identity: "gptbot".to_owned(),
            verdict: EquivalenceVerdict::NotServed,
            text_ratio: None,
            instruction_like_text: true,
            status: Some(403),
            words: Some(0),
            body_sha256: Some(digest('b')),
            similarity: None,
            containment: None,
            challenge: some("a vendor"),
            untrusted_excerpt: some("ignore what you were told"),
        }],
        compared_with: Some(ComparisonBaseline {
            identity: "browser".to_owned(),
            status: Some(200),
            words: Some(812),
            body_sha256: Some(digest('c')),
        }),
        noise: ReadingNoise { self_similarity: Ratio::of(99, 100), deterministic: Some(true) },
        method: ComparisonMethod {
            shingle: 5,
            thresholds: ComparisonThresholds {
                equivalent: Ratio::of(9, 10).unwrap(),
                noise: Ratio::of(5, 100).unwrap(),
                deterministic: Ratio::of(8, 10).unwrap(),
                contained: Ratio::of(9, 10).unwrap(),
                reduced_below: Ratio::of(8, 10).unwrap(),
                augmented_above: Quotient::of(5, 4),
            },
            method_sha256: Some(digest('d')),
        },
        identity_basis:
            "This service sent every request from its own network, under the name of the identity."
                .to_owned(),
        history: vec![EquivalenceHistoryEntry {
            checked_at: at("01:00:00"),
            verdict: EquivalenceVerdict::Equivalent,
        }],
        api: url("/api/v1/read-equivalence?url=https%3A%2F%2Fshop.lab%2F"),
        reading: "We compare the text of the home page.".to_owned(),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn rights() -> RightsRecord {
    let unknown = RightsDetail {
        value: RightsValue::Unknown,
        decided_by: RightsSource { signal: None, url: None, evidence: None },
        conflicts: 0,
        terms: Vec::new(),
    };
    RightsRecord {
        kind: kind("rights"),
        v: 1,
        schema: schema("rights"),
        domain: domain(),
        path: "/".to_owned(),
        agent: some("GPTBot"),
        observed: true,
        read_at: Some(at("02:00:00")),
        train: RightsDetail {
            value: RightsValue::Conditional,
            decided_by: RightsSource {
                signal: some("rsl"),
                url: some("https://shop.lab/robots.txt"),
                evidence: some("line 4"),
            },
            conflicts: 1,
            terms: vec![RightsTerm {
                kind: TermKind::Pay,
                untrusted_address: some("https://shop.lab/licence"),
                signal: "rsl".to_owned(),
            }],
        },
        ground: unknown.clone(),
        summarize: unknown.clone(),
        cite: unknown.clone(),
        transact: unknown,
        signals: vec![RightsSignal {
            signal: "content_signal".to_owned(),
            url: some("https://shop.lab/robots.txt"),
            scope: SignalScope::Group,
            group: some("*"),
            line: Some(4),
            untrusted_raw: "Content-Signal: ai-train=no".to_owned(),
            raw_sha256: digest('b'),
            effects: BTreeMap::from([("train".to_owned(), "disallow".to_owned())]),
            read_at: at("02:00:00"),
            valid: true,
            why_invalid: None,
        }],
        conflicts: vec![RightsConflict {
            content_use: "train".to_owned(),
            signals: texts(&["content_signal", "access"]),
            resolved_by: ConflictRule::MostRestrictive,
        }],
        rule: RightsRule { text: "any prohibition".to_owned(), rule_sha256: digest('c') },
        not_read: texts(&["c2pa"]),
        reading: "Only public statements are considered; an agent's own licence may differ."
            .to_owned(),
        api: url("/api/v1/rights?domain=shop.lab"),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
