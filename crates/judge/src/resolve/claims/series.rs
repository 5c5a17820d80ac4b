//! Claims over several readings (bitemporal): when the site said something, and when we recorded it.

use std::collections::BTreeMap;

use contract::Timestamp;
use contract::records::{
    CheckVerdict, Claim, ClaimAgreement, ClaimCarrier, ClaimCheckResult, ClaimStatus, RobotsState,
    ScanRecord,
};

use super::statements::{SiteStatement, site_statements};

/// One reading of the series, with the time it was recorded.
#[derive(Debug, Clone, Copy)]
pub struct RecordedReading<'a> {
    pub record: &'a ScanRecord,
    /// When this service recorded it.
    pub recorded_at: Timestamp,
}

/// What identifies a claim in successive readings. The line it is found in may change, so it is not part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ClaimKey {
    property: String,
    value: String,
    carrier: String,
    url: String,
}

impl ClaimKey {
    fn from_statement(statement: &SiteStatement) -> Self {
        Self {
            property: statement.property.clone(),
            value: statement.value.clone(),
            carrier: statement.carrier.kind.clone(),
            url: statement.carrier.url.clone(),
        }
    }
}

/// A claim that the latest reading still found.
struct OpenClaim {
    statement: SiteStatement,
    said_from: Timestamp,
    recorded_from: Timestamp,
    checked_at: Timestamp,
}

/// All rows of the bitemporal table, ended claims first. A claim that ended has two rows: the record from
/// before we knew of its end, and the record since. `readings`: oldest first.
#[must_use]
pub(super) fn claim_rows(domain: &str, readings: &[RecordedReading<'_>]) -> Vec<Claim> {
    let mut open: BTreeMap<ClaimKey, OpenClaim> = BTreeMap::new();
    let mut rows = Vec::new();
    for reading in readings {
        let seen_at = reading.record.scanned_at;
        let now: BTreeMap<ClaimKey, SiteStatement> = site_statements(reading.record)
            .into_iter()
            .map(|statement| (ClaimKey::from_statement(&statement), statement))
            .collect();
        let gone: Vec<ClaimKey> = open
            .keys()
            .filter(|key| !now.contains_key(key) && was_carrier_read(reading.record, &key.carrier))
            .cloned()
            .collect();
        for key in gone {
            let Some(ended) = open.remove(&key) else { continue };
            let replaced = now.keys().any(|other| {
                other.property == key.property
                    && other.carrier == key.carrier
                    && other.url == key.url
            });
            let state = if replaced { ClaimStatus::Changed } else { ClaimStatus::Withdrawn };
            // The record until this reading …
            let mut earlier = claim_row(domain, &ended, ClaimStatus::Current);
            earlier.recorded_to = Some(reading.recorded_at);
            rows.push(earlier);
            // … and the record since.
            let mut current = claim_row(domain, &ended, state);
            current.said_to = Some(seen_at);
            current.recorded_from = reading.recorded_at;
            rows.push(current);
        }
        for (key, statement) in now {
            open.entry(key)
                .and_modify(|known| {
                    known.statement = statement.clone();
                    known.checked_at = seen_at;
                })
                .or_insert_with(|| OpenClaim {
                    statement: statement.clone(),
                    said_from: seen_at,
                    recorded_from: reading.recorded_at,
                    checked_at: seen_at,
                });
        }
    }
    rows.extend(open.values().map(|open| claim_row(domain, open, ClaimStatus::Current)));
    rows
}

fn claim_row(domain: &str, open: &OpenClaim, state: ClaimStatus) -> Claim {
    let statement = &open.statement;
    let named = format!(
        "{domain}\n{}\n{}\n{}\n{}\n{}",
        statement.property,
        statement.carrier.kind,
        statement.carrier.url,
        statement.value,
        open.said_from
    );
    let id: String = proof::sha256(named.as_bytes()).to_string().chars().take(16).collect();
    Claim {
        id: format!("cl_{id}"),
        subject: statement.subject.to_owned(),
        property: statement.property.clone(),
        value_sha256: proof::sha256(statement.value.as_bytes()).to_string(),
        untrusted_value: statement.value.clone(),
        carrier: ClaimCarrier {
            kind: statement.carrier.kind.clone(),
            url: statement.carrier.url.clone(),
            pointer: statement.carrier.pointer.clone(),
            block: statement.carrier.block,
            evidence_sha256: statement.carrier.evidence_sha256.clone(),
        },
        said_from: open.said_from,
        said_to: None,
        recorded_from: open.recorded_from,
        recorded_to: None,
        state,
        checked: ClaimCheckResult {
            state: match statement.agrees {
                None => ClaimAgreement::NotMeasured,
                Some(true) => ClaimAgreement::Agrees,
                Some(false) => ClaimAgreement::Disagrees,
            },
            against: statement.agrees.map(|_| "other carriers of the same reading".to_owned()),
            at: statement.agrees.map(|_| open.checked_at),
        },
    }
}

/// Whether a reading received the carrier completely. A carrier that was refused or not reached cannot
/// show that a claim ended.
fn was_carrier_read(record: &ScanRecord, carrier: &str) -> bool {
    match carrier {
        "robots" => {
            matches!(record.policy.robots.state, RobotsState::Declared | RobotsState::Absent)
        }
        "json_ld" | "microdata" | "rdfa" | "h_card" | "rel_me" | "meta" | "visible_text"
        | "http_header" => record.content.reading.is_some(),
        file => {
            let file = if file == "server_card" { "mcp_server_card" } else { file };
            let mut checks = record.checks.iter().filter(|check| check.file == file).peekable();
            checks.peek().is_some()
                && checks.all(|check| {
                    !matches!(
                        check.verdict,
                        CheckVerdict::NotRead | CheckVerdict::Refused | CheckVerdict::Unreachable
                    )
                })
        }
    }
}
