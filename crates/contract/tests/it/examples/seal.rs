//! Examples of daily seals.

use std::collections::BTreeMap;

use contract::records::{
    AnchorDetail, AnchorState, AnchorType, DaySeal, PreviousSeal, ProofDay, ProofIndex,
    ProofIndexDay, Seal, SealAnchor, SealLeaf, SealState, SealedLogHead,
};

use super::{at, digest, kind, schema, signature, some, texts, url};

fn previous() -> PreviousSeal {
    PreviousSeal { day: "2026-11-13".parse().unwrap(), root: digest('b'), seal_sha256: digest('c') }
}

pub(super) fn day_seal() -> DaySeal {
    DaySeal {
        kind: kind("day-seal"),
        v: 1,
        day: "2026-11-14".parse().unwrap(),
        root: digest('d'),
        leaves: 412,
        streams: BTreeMap::from([("scans".to_owned(), 412)]),
        log: Some(SealedLogHead {
            batch: 31,
            tree_size: 900,
            sth_sha256: digest('e'),
            tree_root: some(&digest('f')),
        }),
        previous: Some(previous()),
        sealed_at: at("00:05:00"),
        sha256: some(&digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn proof_day() -> ProofDay {
    ProofDay {
        kind: kind("proof-day"),
        v: 1,
        schema: schema("proof-day"),
        statement: day_seal(),
        digests: vec![digest('1'), digest('2')],
        replaced_signature: None,
    }
}

fn anchor() -> SealAnchor {
    SealAnchor {
        kind: AnchorType::Opentimestamps,
        state: AnchorState::Confirmed,
        calendar: "https://calendar.example".to_owned(),
        submitted_at: Some(at("00:05:01")),
        confirmed_at: Some(at("03:10:00")),
        proof: some(&url("/proof/2026-11-14.ots")),
        detail: AnchorDetail { block_height: Some(923_118), why: None },
    }
}

pub(super) fn seal() -> Seal {
    Seal {
        kind: kind("seal"),
        v: 1,
        schema: schema("seal"),
        subject_sha256: some(&digest('1')),
        day: Some("2026-11-14".parse().unwrap()),
        state: SealState::Sealed,
        sealed_from: None,
        searched: None,
        leaf: Some(SealLeaf {
            index: 17,
            leaf_hash: digest('2'),
            content_rule: SealLeaf::CONTENT_RULE.to_owned(),
        }),
        path: vec![digest('3'), digest('4')],
        root: some(&digest('d')),
        leaves: Some(412),
        seal_sha256: some(&digest('a')),
        previous: Some(previous()),
        anchors: vec![anchor()],
        statement: some(&url("/proof/2026-11-14.json")),
        verify: texts(&[
            "leaf = SHA-256 of a zero byte followed by the 32 bytes of that digest.",
            "Verify the path from the leaf to the root with index and leaves (RFC 9162, 2.1.3.2).",
        ]),
        sha256: some(&digest('9')),
        signature: Some(signature()),
    }
}

pub(super) fn proof_index() -> ProofIndex {
    ProofIndex {
        kind: kind("proof-index"),
        v: 1,
        schema: schema("proof-index"),
        days: vec![ProofIndexDay {
            day: "2026-11-14".parse().unwrap(),
            root: digest('d'),
            leaves: 412,
            seal_sha256: digest('a'),
            statement: url("/proof/2026-11-14.json"),
            anchors: vec![anchor()],
        }],
        cursor: Some("2026-11-14".parse().unwrap()),
        has_more: true,
        keys: url("/.well-known/http-message-signatures-directory"),
        verifier: url("/proof"),
        how: texts(&[
            "Fetch the day's statement.",
            "Verify the timestamp file against seal_sha256 with any OpenTimestamps client.",
        ]),
        sha256: some(&digest('9')),
        signature: Some(signature()),
    }
}
