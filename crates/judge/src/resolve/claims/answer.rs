//! The whole answer of `/api/v1/claims`.

use std::collections::BTreeMap;

use contract::records::{
    BitemporalAxes, CarrierRead, CarrierState, CheckVerdict, Claim, ClaimCheck, ClaimContradiction,
    ClaimStanding, ClaimsRecord, ContradictionKind, RobotsState, ScanRecord,
};
use contract::{Domain, Timestamp};

use super::said::file_url;
use super::series::{Heard, rows};
use crate::resolve::Letterhead;
use crate::resolve::address::home;
use crate::scan::served::is_served;

const READING: &str = "Recorded, not judged: a claim is what the site said of itself, and no more. Nothing is known \
    between two readings, so an end is the first reading that no longer found it.";
const UNREAD: &str = "No reading of this site is kept. Reading the address in `start` makes one.";
/// Claims told in one answer.
const MAX_CLAIMS: usize = 500;

/// Which claims are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// A property, or all that begin with it and a dot.
    pub property: Option<&'a str>,
    /// As we knew it then.
    pub as_of: Option<Timestamp>,
    /// What the site said at that time.
    pub valid_at: Option<Timestamp>,
}

/// The whole answer. `readings` oldest first.
#[must_use]
pub fn answer(
    domain: &Domain,
    readings: &[Heard<'_>],
    wanted: Wanted<'_>,
    head: &Letterhead<'_>,
) -> ClaimsRecord {
    let all = rows(domain.as_str(), readings);
    let mut claims: Vec<Claim> =
        all.iter().filter(|claim| is_wanted(claim, wanted)).cloned().collect();
    claims.sort_by(|one, other| {
        (&one.property, one.said_from, &one.id).cmp(&(&other.property, other.said_from, &other.id))
    });
    let contradictions = contradictions(&claims);
    claims.truncate(MAX_CLAIMS);
    let newest = readings.last().map(|heard| heard.record);
    ClaimsRecord {
        kind: head.kind("claims"),
        v: 1,
        schema: head.schema("claims"),
        domain: domain.clone(),
        observed: newest.is_some(),
        generated_at: head.now,
        axes: BitemporalAxes {
            valid: "When the site showed it.".to_owned(),
            recorded: "When we wrote it down.".to_owned(),
        },
        claims,
        contradictions,
        carriers_read: newest.map(carriers_read).unwrap_or_default(),
        start: newest
            .is_none()
            .then(|| format!("{}/api/v1/resolve?domain={domain}", head.base_url)),
        reading: if newest.is_some() { READING } else { UNREAD }.to_owned(),
        sha256: None,
        signature: None,
    }
}

fn is_wanted(claim: &Claim, wanted: Wanted<'_>) -> bool {
    let property = wanted.property.is_none_or(|property| {
        claim.property == property
            || claim.property.strip_prefix(property).is_some_and(|rest| rest.starts_with('.'))
    });
    let within = |from: Timestamp, to: Option<Timestamp>, at: Timestamp| {
        from <= at && to.is_none_or(|to| at < to)
    };
    let known = match wanted.as_of {
        // What we believe now.
        None => claim.recorded_to.is_none(),
        Some(at) => within(claim.recorded_from, claim.recorded_to, at),
    };
    property && known && wanted.valid_at.is_none_or(|at| within(claim.said_from, claim.said_to, at))
}

/// Claims that are said at the same time and disagree, and values that were given up and came back.
fn contradictions(claims: &[Claim]) -> Vec<ClaimContradiction> {
    let mut by_property: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        by_property.entry(&claim.property).or_default().push(claim);
    }
    let mut told = Vec::new();
    for (property, claims) in by_property {
        let torn: Vec<&&Claim> = claims
            .iter()
            .filter(|claim| {
                claim.state == ClaimStanding::Current
                    && claim.checked.state == ClaimCheck::Disagrees
            })
            .collect();
        if let [first, rest @ ..] = torn.as_slice()
            && !rest.is_empty()
        {
            let alike = |other: &&&Claim| {
                other.carrier.kind == first.carrier.kind && other.carrier.url == first.carrier.url
            };
            told.push(ClaimContradiction {
                property: property.to_owned(),
                claim_ids: torn.iter().map(|claim| claim.id.clone()).collect(),
                kind: if rest.iter().all(alike) {
                    ContradictionKind::SamePage
                } else {
                    ContradictionKind::BetweenCarriers
                },
            });
        }
        let back: Vec<&&Claim> = claims
            .iter()
            .filter(|one| {
                claims.iter().any(|other| {
                    other.id != one.id
                        && other.untrusted_value == one.untrusted_value
                        && other.carrier.kind == one.carrier.kind
                        && other.carrier.url == one.carrier.url
                })
            })
            .collect();
        if !back.is_empty() {
            told.push(ClaimContradiction {
                property: property.to_owned(),
                claim_ids: back.iter().map(|claim| claim.id.clone()).collect(),
                kind: ContradictionKind::OverTime,
            });
        }
    }
    told
}

/// What the newest reading looked at.
fn carriers_read(record: &ScanRecord) -> Vec<CarrierRead> {
    let robots = &record.policy.robots;
    let mut read = vec![CarrierRead {
        kind: "robots".to_owned(),
        url: file_url(record, "/robots.txt"),
        state: match robots.state {
            RobotsState::Declared => CarrierState::Observed,
            RobotsState::Absent => CarrierState::Absent,
            RobotsState::Refused => CarrierState::Refused,
            _ => CarrierState::NotMeasured,
        },
        http_status: robots.http_status,
    }];
    let row = record
        .agentview
        .rows
        .iter()
        .find(|row| row.reading.is_some() && row.reading == record.content.reading)
        .or_else(|| record.agentview.rows.first());
    read.push(CarrierRead {
        kind: "home_page".to_owned(),
        url: row.and_then(|row| row.final_url.clone()).unwrap_or_else(|| home(&record.domain)),
        state: match row {
            Some(row) if is_served(row) => CarrierState::Observed,
            Some(row) if row.status.is_some() => CarrierState::Refused,
            _ => CarrierState::NotMeasured,
        },
        http_status: row.and_then(|row| row.status),
    });
    read.extend(record.checks.iter().filter(|check| check.file != "robots_txt").map(|check| {
        CarrierRead {
            kind: check.file.clone(),
            url: file_url(record, &check.path),
            state: match check.verdict {
                CheckVerdict::Ok | CheckVerdict::Invalid => CarrierState::Observed,
                CheckVerdict::Absent | CheckVerdict::Soft404 => CarrierState::Absent,
                CheckVerdict::Refused => CarrierState::Refused,
                _ => CarrierState::NotMeasured,
            },
            http_status: check.status,
        }
    }));
    read
}
