//! Examples of changes and of readings from several networks.

use std::collections::BTreeMap;

use contract::records::{
    Action, AnswerRef, ChangeCause, ChangeDirection, ChangeEntry, Changes, ChangesCoverage,
    CorroboratedField, CorroboratedValue, CorroboratingReading, Corroboration, CorroborationWindow,
    CoverageGap, FieldAgreement, FieldValue, FreshnessSource, IncompleteReading, Independence,
    Quorum, ReadingNetwork, SpreadCause, ValueDigest, ValueSpread, VantageState, VantageSummary,
};

use super::{at, digest, domain, kind, schema, signature, some, texts, url};

pub(super) fn changes() -> Changes {
    let entry = |seq, section: &str, field: &str, from, to, cause, direction| ChangeEntry {
        seq: Some(seq),
        domain: domain(),
        at: at("03:00:10"),
        section: section.to_owned(),
        field: field.to_owned(),
        from,
        to,
        happened_between: vec![at("02:40:00"), at("02:59:58")],
        cause,
        direction,
        actions_affected: vec![Action::Connect],
        before: AnswerRef { answer_sha256: Some(digest('5')) },
        after: AnswerRef { answer_sha256: None },
        evidence: Some(url("/r/abc123")),
    };
    let text = |word: &str| Some(FieldValue::Text(word.to_owned()));
    let long = FieldValue::Digest(ValueDigest { value_sha256: digest('6'), bytes: 812 });
    Changes {
        kind: kind("changes"),
        v: 1,
        schema: schema("changes"),
        domain: Some(domain()),
        generated_at: at("03:00:20"),
        entries: vec![
            entry(
                13,
                "capabilities",
                "capabilities.items",
                Some(long),
                None,
                ChangeCause::Site,
                ChangeDirection::Neutral,
            ),
            entry(
                12,
                "assurance",
                "assurance",
                text("partial"),
                text("full"),
                ChangeCause::Upgrade,
                ChangeDirection::Neutral,
            ),
            entry(
                11,
                "delivery",
                "delivery.identities.gptbot.status",
                Some(FieldValue::Number(200)),
                Some(FieldValue::Number(403)),
                ChangeCause::Site,
                ChangeDirection::Tightened,
            ),
        ],
        cursor: some("c1-13"),
        has_more: false,
        coverage: ChangesCoverage {
            from: Some(at("00:00:00")),
            readings: Some(12),
            gaps: vec![CoverageGap {
                from: at("01:00:00"),
                to: at("02:00:00"),
                why: "The service was not running.".to_owned(),
            }],
        },
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn corroboration() -> Corroboration {
    let network = |name: &str, region: &str| ReadingNetwork {
        name: name.to_owned(),
        asn: Some(64_500),
        country: None,
        region: some(region),
        rir: None,
    };
    let reading = |id: &str, time, network, completed| CorroboratingReading {
        reading_id: id.to_owned(),
        observed_at: at(time),
        observer: "obs-1".to_owned(),
        network,
        basis: FreshnessSource::JustInTime,
        completed,
        counted: completed,
        reading_sha256: digest('7'),
    };
    let value = |value, value_sha256, id: &str, time| CorroboratedValue {
        value,
        value_sha256,
        readings: texts(&[id]),
        networks: 1,
        first: at(time),
        last: at(time),
    };
    Corroboration {
        kind: kind("corroboration"),
        v: 1,
        schema: schema("corroboration"),
        domain: domain(),
        generated_at: at("03:00:00"),
        window: CorroborationWindow {
            from: Some(at("01:00:00")),
            to: Some(at("02:59:58")),
            kept_max: 12,
        },
        vantage_state: VantageSummary {
            state: VantageState::NetworkDivergence,
            means: "Different networks received different content at the same time.".to_owned(),
            networks: 2,
            readings: 2,
            states: BTreeMap::from([(
                "network_divergence".to_owned(),
                "Different networks received different content at the same time.".to_owned(),
            )]),
            from: texts(&["lab-1", "lab-2"]),
        },
        readings: vec![
            reading("rd_3", "02:59:58", network("lab-1", "north"), true),
            reading("rd_2", "02:00:00", network("lab-2", "north"), true),
            reading("rd_1", "01:00:00", network("lab-2", "north"), false),
        ],
        fields: vec![
            CorroboratedField {
                field: "delivery.identities.gptbot.status".to_owned(),
                values: vec![
                    value(Some(FieldValue::Number(200)), None, "rd_3", "02:59:58"),
                    value(Some(FieldValue::Number(403)), None, "rd_2", "02:00:00"),
                ],
                agreement: FieldAgreement::Split,
                contested: true,
                spread: ValueSpread { by: SpreadCause::Network },
                note: "The value differs by network.".to_owned(),
            },
            CorroboratedField {
                field: "entity.untrusted_name".to_owned(),
                values: vec![value(None, Some(digest('8')), "rd_3", "02:59:58")],
                agreement: FieldAgreement::Single,
                contested: false,
                spread: ValueSpread { by: SpreadCause::None },
                note: "Only one reading has this field.".to_owned(),
            },
        ],
        quorum: Quorum {
            rule: "At least three readings from at least two networks, and no field is contested."
                .to_owned(),
            networks_needed: 2,
            readings_needed: 3,
            met: false,
            result: "1/2".to_owned(),
        },
        not_completed: vec![IncompleteReading {
            reading_id: "rd_1".to_owned(),
            why: "The reading was not completed.".to_owned(),
        }],
        independence: Independence {
            same_operator: true,
            shared_resolver: false,
            note: "One operator made all readings.".to_owned(),
        },
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
