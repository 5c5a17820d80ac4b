//! Claims over several readings, with two times: when the site said so, and when we wrote it down.

use std::collections::BTreeMap;

use contract::Timestamp;
use contract::records::{
    CheckVerdict, Claim, ClaimCarrier, ClaimCheck, ClaimChecked, ClaimStanding, RobotsState,
    ScanRecord,
};

use super::said::{Said, said};

/// One reading of the series.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    pub record: &'a ScanRecord,
    /// When it was written down.
    pub recorded_at: Timestamp,
}

/// What a claim is known by from reading to reading: the line it stands in may move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    property: String,
    value: String,
    carrier: String,
    url: String,
}

impl Key {
    fn of(said: &Said) -> Self {
        Self {
            property: said.property.clone(),
            value: said.value.clone(),
            carrier: said.carrier.kind.clone(),
            url: said.carrier.url.clone(),
        }
    }
}

/// A claim that is being followed.
struct Open {
    said: Said,
    said_from: Timestamp,
    recorded_from: Timestamp,
    checked_at: Timestamp,
}

/// Every row of the two-timed table, the older rows first: a claim that ended has one row that we
/// believed until we knew, and one from then on. `readings` oldest first.
#[must_use]
pub(super) fn rows(domain: &str, readings: &[Heard<'_>]) -> Vec<Claim> {
    let mut open: BTreeMap<Key, Open> = BTreeMap::new();
    let mut rows = Vec::new();
    for heard in readings {
        let seen_at = heard.record.scanned_at;
        let now: BTreeMap<Key, Said> =
            said(heard.record).into_iter().map(|said| (Key::of(&said), said)).collect();
        let gone: Vec<Key> = open
            .keys()
            .filter(|key| !now.contains_key(key) && was_looked_at(heard.record, &key.carrier))
            .cloned()
            .collect();
        for key in gone {
            let Some(ended) = open.remove(&key) else { continue };
            let replaced = now.keys().any(|other| {
                other.property == key.property
                    && other.carrier == key.carrier
                    && other.url == key.url
            });
            let state = if replaced { ClaimStanding::Changed } else { ClaimStanding::Withdrawn };
            // What we believed until this reading …
            let mut believed = row(domain, &ended, ClaimStanding::Current);
            believed.recorded_to = Some(heard.recorded_at);
            rows.push(believed);
            // … and what we know since.
            let mut known = row(domain, &ended, state);
            known.said_to = Some(seen_at);
            known.recorded_from = heard.recorded_at;
            rows.push(known);
        }
        for (key, said) in now {
            open.entry(key)
                .and_modify(|known| {
                    known.said = said.clone();
                    known.checked_at = seen_at;
                })
                .or_insert_with(|| Open {
                    said: said.clone(),
                    said_from: seen_at,
                    recorded_from: heard.recorded_at,
                    checked_at: seen_at,
                });
        }
    }
    rows.extend(open.values().map(|open| row(domain, open, ClaimStanding::Current)));
    rows
}

fn row(domain: &str, open: &Open, state: ClaimStanding) -> Claim {
    let said = &open.said;
    let named = format!(
        "{domain}\n{}\n{}\n{}\n{}\n{}",
        said.property, said.carrier.kind, said.carrier.url, said.value, open.said_from
    );
    let id: String = proof::sha256(named.as_bytes()).to_string().chars().take(16).collect();
    Claim {
        id: format!("cl_{id}"),
        subject: said.subject.to_owned(),
        property: said.property.clone(),
        value_sha256: proof::sha256(said.value.as_bytes()).to_string(),
        untrusted_value: said.value.clone(),
        carrier: ClaimCarrier {
            kind: said.carrier.kind.clone(),
            url: said.carrier.url.clone(),
            pointer: said.carrier.pointer.clone(),
            evidence_sha256: said.carrier.evidence_sha256.clone(),
        },
        said_from: open.said_from,
        said_to: None,
        recorded_from: open.recorded_from,
        recorded_to: None,
        state,
        checked: ClaimChecked {
            state: match said.agrees {
                None => ClaimCheck::NotMeasured,
                Some(true) => ClaimCheck::Agrees,
                Some(false) => ClaimCheck::Disagrees,
            },
            against: said.agrees.map(|_| "other carriers of the same reading".to_owned()),
            at: said.agrees.map(|_| open.checked_at),
        },
    }
}

/// Whether a reading looked at a carrier to its end. One that was refused, or not reached, cannot
/// show that something is no longer said.
fn was_looked_at(record: &ScanRecord, carrier: &str) -> bool {
    match carrier {
        "robots" => {
            matches!(record.policy.robots.state, RobotsState::Declared | RobotsState::Absent)
        }
        "json_ld" | "microdata" | "meta" | "visible_text" | "http_header" => {
            record.content.reading.is_some()
        }
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
