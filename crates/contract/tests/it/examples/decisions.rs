//! Examples of decision checks, revocations and the staple.

use std::collections::BTreeMap;

use contract::records::{
    Action, ActionCheck, ClearedDomain, Decision, DecisionCheck, DecisionLogPosition,
    DecisionState, RevocationCause, RevocationCoverage, RevocationEntry, RevocationHead,
    RevocationList, RevocationReason, RevocationTarget, RevocationTargetKind, RevocationType,
    RevokedDomain, RevokedState, RevokingEntry, StapleAnswer, StapleDecisions, StapleRecord,
    StapleTxt, SupersedingAnswer,
};

use super::preflight::receipt;
use super::{at, digest, domain, kind, schema, signature, some, texts, url};

pub(super) fn check() -> DecisionCheck {
    DecisionCheck {
        kind: kind("decision-check"),
        v: 1,
        schema: schema("decision-check"),
        checked_at: at("11:00:00"),
        accept: false,
        reason: "A newer answer is stricter. Request a new decision.".to_owned(),
        receipt: Some(serde_json::to_value(receipt()).unwrap()),
        decision_sha256: digest('c'),
        of_kind: kind("decision"),
        domain: domain(),
        issued_at: at("10:00:00"),
        state: DecisionState::Tightened,
        stands: false,
        means: "A newer answer is stricter. Request a new decision.".to_owned(),
        actions: BTreeMap::from([(
            "read".to_owned(),
            ActionCheck {
                then: Decision::Warn,
                now: Decision::Block,
                state: DecisionState::Tightened,
                stands: false,
            },
        )]),
        valid_until: Some(at("12:00:00")),
        superseded_by: Some(SupersedingAnswer {
            answer_sha256: digest('9'),
            at: at("10:40:11"),
            address: url("/api/v1/resolve?domain=shop.lab"),
        }),
        revoked: Some(RevokingEntry {
            at: at("10:40:11"),
            effective_from: at("10:40:11"),
            reason: RevocationReason::SiteChanged,
            entry_seq: 48_214,
            why: "A newer answer about shop.lab is stricter for: read, cite.".to_owned(),
        }),
        changed_sections: texts(&["crawl_policy"]),
        log: DecisionLogPosition {
            state: "included".to_owned(),
            batch: Some(912),
            index: Some(48),
            leaf_hash: some(&digest('a')),
            sth: some(&url("/api/v1/log/sth/912")),
        },
        this_update: at("11:00:00"),
        next_update: at("11:15:00"),
        sha256: some(&digest('d')),
        signature: Some(signature()),
    }
}

pub(super) fn revocations() -> RevocationList {
    RevocationList {
        kind: kind("revocations"),
        v: 1,
        schema: schema("revocations"),
        generated_at: at("11:00:00"),
        seq: 48_214,
        since: Some(at("10:00:00")),
        delta_complete: true,
        revoked: vec![RevokedDomain {
            domain: domain(),
            actions: vec![Action::Connect, Action::Transact, Action::Administer],
            causes: vec![RevocationCause::HighRiskPending],
            state: RevokedState::Suspended,
            since: at("10:40:11"),
            updated_at: at("10:40:11"),
        }],
        cleared: vec![ClearedDomain { domain: domain() }],
        this_update: at("11:00:00"),
        next_update: at("11:15:00"),
        from_cursor: some("r1-48213-0123456789abcdef"),
        cursor: "r1-48214-fedcba9876543210".to_owned(),
        has_more: false,
        head: Some(RevocationHead { seq: 48_214, entry_sha256: digest('e') }),
        coverage: RevocationCoverage {
            from: Some(at("00:00:00")),
            retained_days: Some(400),
            complete: true,
        },
        entries: vec![RevocationEntry {
            seq: 48_214,
            at: at("10:40:11"),
            effective_from: at("10:40:11"),
            entry_type: RevocationType::Tightened,
            target: RevocationTarget {
                kind: RevocationTargetKind::Answer,
                id: digest('5'),
                domain: Some(domain()),
            },
            actions: vec![Action::Read, Action::Cite],
            reason: RevocationReason::SiteChanged,
            why: "A newer answer about shop.lab is stricter for: read, cite.".to_owned(),
            replaced_by: some(&digest('9')),
            prev: some(&digest('7')),
            entry_sha256: digest('e'),
        }],
        sha256: some(&digest('f')),
        signature: Some(signature()),
    }
}

pub(super) fn staple() -> StapleRecord {
    let line = "v=ccr1;d=shop.lab;read=warn;cite=warn;connect=unsupported;\
                transact=require_confirmation;f=2026-11-16T09:12:00Z;k=kid;x=key;s=signature";
    StapleRecord {
        kind: kind("staple"),
        v: 1,
        schema: schema("staple"),
        domain: domain(),
        made_at: at("10:00:00"),
        staple: line.to_owned(),
        header: "Svc-Staple".to_owned(),
        txt: StapleTxt { name: "shop.lab._v.svc.example".to_owned(), value: format!("\"{line}\"") },
        decisions: StapleDecisions {
            read: Decision::Warn,
            cite: Decision::Warn,
            connect: Decision::Unsupported,
            transact: Decision::RequireConfirmation,
        },
        fresh_until: at("12:00:00"),
        reading: "The staple is valid until `fresh_until` and cannot be revoked before then."
            .to_owned(),
        answer: StapleAnswer {
            answer_sha256: digest('5'),
            address: url("/api/v1/resolve?domain=shop.lab"),
        },
        sha256: some(&digest('a')),
        signature: Some(signature()),
    }
}
