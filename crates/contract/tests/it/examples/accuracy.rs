//! What AI engines say about a business, and checks of single values.

use contract::records::{
    AccuracyCheck, AccuracyField, AccuracyFields, AccuracyHistory, AccuracyPrompt, AccuracyRecord,
    AccuracyVerdict, CheckedField, FieldCheck, FieldVerdict, PublishedValue,
};

use super::{at, digest, domain, kind, schema, signature, some, texts, url};

pub(super) fn accuracy() -> AccuracyRecord {
    let field = |declared: &str, ai: &str, verdict| AccuracyField {
        declared: some(declared),
        ai: some(ai),
        verdict,
        why: None,
    };
    AccuracyRecord {
        kind: kind("ai-accuracy"),
        v: 1,
        domain: domain(),
        engine: "engine-1".to_owned(),
        model: "large-2".to_owned(),
        checked_at: at("02:00:00"),
        fields: AccuracyFields {
            phone: field("+1 555 0100", "+1 555 0199", AccuracyVerdict::Wrong),
            address: field("1 Quay Street", "1 Quay Street", AccuracyVerdict::Correct),
            website: AccuracyField {
                declared: some("https://shop.lab/"),
                ai: None,
                verdict: AccuracyVerdict::Recorded,
                why: some("The engine stated nothing."),
            },
            hours: AccuracyField {
                declared: None,
                ai: some("9 to 5"),
                verdict: AccuracyVerdict::Recorded,
                why: some("The site publishes nothing to compare this with."),
            },
        },
        wrong: texts(&["phone"]),
        sources: texts(&["https://directory.lab/shop"]),
        prompt: AccuracyPrompt { version: 1, sha256: digest('b') },
        declared_at: at("01:00:00"),
        answer_sha256: digest('c'),
        seal: url("/api/seal/lookup?day=2026-11-15"),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn history() -> AccuracyHistory {
    AccuracyHistory {
        kind: kind("ai-accuracy-history"),
        v: 1,
        domain: domain(),
        engine: None,
        from: "2026-11-14".parse().unwrap(),
        generated_at: at("02:00:00"),
        checks: vec![AccuracyCheck {
            engine: "engine-1".to_owned(),
            checked_at: at("02:00:00"),
            phone: AccuracyVerdict::Wrong,
            address: AccuracyVerdict::Correct,
            website: AccuracyVerdict::Recorded,
            hours: AccuracyVerdict::Recorded,
            record_sha256: digest('a'),
            record: url("/api/v1/accuracy?domain=shop.lab&engine=engine-1&day=2026-11-15"),
        }],
        has_more: false,
        sha256: Some(digest('d')),
        signature: Some(signature()),
    }
}

pub(super) fn field_check() -> FieldCheck {
    FieldCheck {
        kind: kind("field-check"),
        v: 1,
        schema: schema("field-check"),
        domain: domain(),
        field: CheckedField::Phone,
        asked_value: "+1 555 0199".to_owned(),
        verdict: FieldVerdict::Differs,
        why: "It says something else than every value that the site publishes.".to_owned(),
        published: vec![PublishedValue {
            untrusted_value: "+1 555 0100".to_owned(),
            verdict: FieldVerdict::Differs,
            carrier: "json_ld".to_owned(),
            url: "https://shop.lab/".to_owned(),
            pointer: some("/telephone"),
            block: Some(0),
            place: some("header or footer"),
        }],
        read_at: Some(at("01:00:00")),
        age_s: Some(3600),
        answered_at: at("02:00:00"),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
