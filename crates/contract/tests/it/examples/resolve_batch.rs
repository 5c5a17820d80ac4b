//! Examples of batch resolve requests and responses.

use contract::errors::ErrorCode;
use contract::records::{
    AnswerMember, BatchError, BatchLiveReads, BatchResult, BatchState, DomainText, LiveReadMode,
    PrefixAnswer, PrefixBucket, ResolveBatch, ResolveBatchRequest,
};

use super::{at, digest, kind, resolve_answer, schema, signature, some};

pub(crate) fn request() -> ResolveBatchRequest {
    ResolveBatchRequest {
        domains: ["shop.lab", "10.0.0.1"].into_iter().filter_map(DomainText::new).collect(),
        live: Some(LiveReadMode::Auto),
        max_age_hours: Some(24),
        fields: Some([AnswerMember::Actions].into_iter().collect()),
    }
}

pub(crate) fn batch() -> ResolveBatch {
    let result = |index, domain: &str, state, answer_sha256| BatchResult {
        index,
        domain: domain.to_owned(),
        state,
        answer_sha256,
        excerpt: None,
        address: None,
    };
    ResolveBatch {
        kind: kind("resolve-batch"),
        v: 1,
        schema: schema("resolve-batch"),
        answered_at: at("03:00:00"),
        count: 2,
        answers: vec![serde_json::to_value(resolve_answer()).unwrap()],
        results: vec![
            result(0, "shop.lab", BatchState::Answered, some(&digest('a'))),
            result(1, "10.0.0.1", BatchState::Error, None),
        ],
        errors: vec![BatchError {
            index: 1,
            domain: "10.0.0.1".to_owned(),
            error: "An IP address is not a domain.".to_owned(),
            code: ErrorCode::BadDomain,
        }],
        live: BatchLiveReads { asked: 2, done: 1, budget_ms: 5000, not_read_in_budget: Vec::new() },
        sha256: some(&digest('b')),
        signature: Some(signature()),
    }
}

pub(crate) fn bucket() -> PrefixBucket {
    PrefixBucket {
        kind: kind("resolve-prefix"),
        v: 1,
        prefix: "ab".to_owned(),
        in_bucket: 1,
        answers: vec![PrefixAnswer {
            domain_sha256: digest('c'),
            answer: serde_json::to_value(resolve_answer()).unwrap(),
        }],
    }
}
