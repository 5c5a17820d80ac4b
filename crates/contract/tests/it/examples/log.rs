//! Examples of the log's responses.

use contract::Brand;
use contract::records::{
    AbsenceState, FirstBatchRef, GossipAnswer, GossipRequest, GossipResult, GossipState,
    LatestBatchRef, LogAbsence, LogBatchEntry, LogCheckpoint, LogConsistency, LogInclusion,
    LogLeaves, LogLookup, LogNeighbour, LogPromise, LogRecord, LogSize, LogSth, LogSths, LogVerify,
    LogWitnessedHead, LookupState, WitnessCosignature,
};
use serde_json::Value;

use super::{at, digest, kind, replaced_signature, schema, signature, some, tree_head, url};

fn head() -> Value {
    serde_json::to_value(tree_head()).unwrap()
}

fn latest() -> LatestBatchRef {
    LatestBatchRef {
        batch: 0,
        sth_sha256: digest('a'),
        created_at: at("03:00:00"),
        address: url("/api/v1/log/sth/0"),
    }
}

fn witness() -> WitnessCosignature {
    WitnessCosignature {
        token: "\u{2014} witness.example/w1 c2lnbmF0dXJl".to_owned(),
        at: at("03:00:05"),
        run: some("witness.example/w1"),
        name: "witness.example/w1".to_owned(),
    }
}

pub(super) fn record() -> LogRecord {
    LogRecord {
        kind: kind("log"),
        v: 1,
        schema: schema("log"),
        log_id: Brand::default().log_id(),
        generated_at: at("03:01:00"),
        tree_size: 2,
        batches: 1,
        head: Some(head()),
        latest: Some(latest()),
        first: Some(FirstBatchRef { batch: 0, address: url("/api/v1/log/sth/0") }),
        rules: tree_head().rules,
        content_rule: "The content is an object with nine members.".to_owned(),
        key: signature().key,
        witnesses: url("/api/v1/log/witness/latest"),
        promise: LogPromise { max_batch_interval_s: 1, max_delay_s: 0 },
        checkpoint: LogCheckpoint {
            origin: "svc.example/svc-resolve-log-v1".to_owned(),
            vkey: "svc.example/svc-resolve-log-v1+01234567+AQ==".to_owned(),
            address: url("/log/checkpoint"),
        },
        tiles: url("/log/tile/"),
        files: url("/log/"),
        contradictions: 0,
        list: vec![LogBatchEntry {
            batch: 0,
            first_index: 0,
            batch_size: 2,
            tree_size: 2,
            batch_root: digest('d'),
            sth_sha256: digest('a'),
            created_at: at("03:00:00"),
        }],
        cursor: None,
        has_more: false,
        lookup: Some(LogLookup {
            state: LookupState::Included,
            leaf_hash: digest('e'),
            batch: Some(0),
            index: Some(1),
            log_index: Some(1),
            path: Some(vec![digest('f')]),
            sth: Some(head()),
        }),
        verify: LogVerify {
            how: "Fetch the heads and follow prev_sth_sha256 from the newest to batch 0."
                .to_owned(),
            verifier: url("/crawlcheck-verify.mjs"),
        },
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn batch() -> LogSth {
    LogSth {
        sth: head(),
        witnesses: vec![witness()],
        leaves: vec![digest('e'), digest('f')],
        replaced_signature: Some(replaced_signature()),
    }
}

pub(super) fn heads() -> LogSths {
    LogSths { sths: vec![head()], to: Some(0), n: 1 }
}

pub(super) fn leaves() -> LogLeaves {
    LogLeaves {
        log_id: Brand::default().log_id(),
        batch: 0,
        first_index: 0,
        batch_size: 2,
        batch_root: digest('d'),
        sth_sha256: digest('a'),
        leaves: vec![digest('e'), digest('f')],
    }
}

pub(super) fn inclusion() -> LogInclusion {
    LogInclusion {
        log_id: Brand::default().log_id(),
        leaf_hash: digest('e'),
        batch: 0,
        index: 0,
        log_index: 0,
        batch_size: 2,
        path: vec![digest('f')],
        sth: head(),
        tree_size: 2,
        tree_root: digest('d'),
        tree_path: vec![digest('f')],
    }
}

pub(super) fn consistency() -> LogConsistency {
    LogConsistency {
        log_id: Brand::default().log_id(),
        from: LogSize { tree_size: 1, tree_root: digest('e') },
        to: LogSize { tree_size: 2, tree_root: digest('d') },
        proof: vec![digest('f')],
    }
}

pub(super) fn absence() -> LogAbsence {
    LogAbsence {
        log_id: Brand::default().log_id(),
        leaf_hash: digest('9'),
        batch: 0,
        state: AbsenceState::Absent,
        found: None,
        left: None,
        right: Some(LogNeighbour { leaf_hash: digest('e'), index: 0, path: vec![digest('f')] }),
        sth: head(),
    }
}

pub(super) fn witnessed() -> LogWitnessedHead {
    LogWitnessedHead {
        batch: 0,
        tree_size: 2,
        sth_sha256: digest('a'),
        checkpoint: "svc.example/svc-resolve-log-v1\n2\nZGRk\n".to_owned(),
        witnesses: vec![witness()],
    }
}

pub(super) fn gossip_request() -> GossipRequest {
    let Value::Object(head) = head() else { panic!("a head is an object") };
    GossipRequest { sths: [head].into_iter().collect() }
}

pub(super) fn gossip_answer() -> GossipAnswer {
    GossipAnswer {
        log_id: Brand::default().log_id(),
        checked: 1,
        contradictions: 0,
        results: vec![GossipResult {
            state: GossipState::Known,
            batch: Some(0),
            sth_sha256: some(&digest('a')),
            why: "This is the head of our batch 0.".to_owned(),
        }],
        head: Some(latest()),
        note: "Every head that our key signed and that is not in our log is stored.".to_owned(),
    }
}
