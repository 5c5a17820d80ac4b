//! The answer of `/api/v1/claims`.

use std::collections::BTreeMap;

use contract::records::{
    BitemporalAxes, CarrierReading, CarrierState, CheckVerdict, Claim, ClaimAgreement,
    ClaimContradiction, ClaimStatus, ClaimsRecord, ContradictionKind, RobotsState, ScanRecord,
};
use contract::{Domain, Issuer, Timestamp};

use super::series::{RecordedReading, claim_rows};
use super::statements::file_url;
use crate::resolve::urls::home_url;
use crate::scan::agent_rows::is_served;

const READING: &str = "A claim is what the site said about itself. We record claims and do not judge whether they are true. \
    We do not know what happened between two readings: said_to is the time of the first reading that no \
    longer found the claim.";
const UNREAD: &str =
    "There is no stored reading of this site. Request the address in `start` to have it read.";
/// The most claims in one answer.
const MAX_CLAIMS: usize = 500;

/// Which claims to return.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaimsQuery<'a> {
    /// A property, with all properties below it (`contact` also gives `contact.phone`).
    pub property: Option<&'a str>,
    /// What this service had recorded at that time.
    pub as_of: Option<Timestamp>,
    /// What the site said at that time.
    pub valid_at: Option<Timestamp>,
}

/// Builds the answer. `readings`: oldest first.
#[must_use]
pub fn answer(
    domain: &Domain,
    readings: &[RecordedReading<'_>],
    query: ClaimsQuery<'_>,
    issuer: &Issuer,
    now: Timestamp,
) -> ClaimsRecord {
    let all = claim_rows(domain.as_str(), readings);
    let mut claims: Vec<Claim> =
        all.iter().filter(|claim| matches_query(claim, query)).cloned().collect();
    claims.sort_by(|one, other| {
        (&one.property, one.said_from, &one.id).cmp(&(&other.property, other.said_from, &other.id))
    });
    let contradictions = contradictions(&claims);
    claims.truncate(MAX_CLAIMS);
    let newest = readings.last().map(|reading| reading.record);
    ClaimsRecord {
        kind: issuer.kind("claims"),
        v: 1,
        schema: issuer.schema_url("claims"),
        domain: domain.clone(),
        observed: newest.is_some(),
        generated_at: now,
        axes: BitemporalAxes {
            valid: "When the site showed the claim.".to_owned(),
            recorded: "When we recorded the claim.".to_owned(),
        },
        claims,
        contradictions,
        carriers_read: newest.map(carriers_read).unwrap_or_default(),
        start: newest
            .is_none()
            .then(|| format!("{}/api/v1/resolve?domain={domain}", &issuer.base_url)),
        reading: if newest.is_some() { READING } else { UNREAD }.to_owned(),
        sha256: None,
        signature: None,
    }
}

fn matches_query(claim: &Claim, query: ClaimsQuery<'_>) -> bool {
    let property = query.property.is_none_or(|property| {
        claim.property == property
            || claim.property.strip_prefix(property).is_some_and(|rest| rest.starts_with('.'))
    });
    let within = |from: Timestamp, to: Option<Timestamp>, at: Timestamp| {
        from <= at && to.is_none_or(|to| at < to)
    };
    let known = match query.as_of {
        // The current records.
        None => claim.recorded_to.is_none(),
        Some(at) => within(claim.recorded_from, claim.recorded_to, at),
    };
    property && known && query.valid_at.is_none_or(|at| within(claim.said_from, claim.said_to, at))
}

/// Current claims that disagree with each other, and values that were withdrawn and came back.
fn contradictions(claims: &[Claim]) -> Vec<ClaimContradiction> {
    let mut by_property: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        by_property.entry(&claim.property).or_default().push(claim);
    }
    let mut contradictions = Vec::new();
    for (property, claims) in by_property {
        let disagreeing: Vec<&&Claim> = claims
            .iter()
            .filter(|claim| {
                claim.state == ClaimStatus::Current
                    && claim.checked.state == ClaimAgreement::Disagrees
            })
            .collect();
        if let [first, rest @ ..] = disagreeing.as_slice()
            && !rest.is_empty()
        {
            let same_carrier = |other: &&&Claim| {
                other.carrier.kind == first.carrier.kind && other.carrier.url == first.carrier.url
            };
            contradictions.push(ClaimContradiction {
                property: property.to_owned(),
                claim_ids: disagreeing.iter().map(|claim| claim.id.clone()).collect(),
                kind: if rest.iter().all(same_carrier) {
                    ContradictionKind::SamePage
                } else {
                    ContradictionKind::BetweenCarriers
                },
            });
        }
        let returned: Vec<&&Claim> = claims
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
        if !returned.is_empty() {
            contradictions.push(ClaimContradiction {
                property: property.to_owned(),
                claim_ids: returned.iter().map(|claim| claim.id.clone()).collect(),
                kind: ContradictionKind::OverTime,
            });
        }
    }
    contradictions
}

/// The files and pages that the newest reading requested.
fn carriers_read(record: &ScanRecord) -> Vec<CarrierReading> {
    let robots = &record.policy.robots;
    let mut read = vec![CarrierReading {
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
    read.push(CarrierReading {
        kind: "home_page".to_owned(),
        url: row.and_then(|row| row.final_url.clone()).unwrap_or_else(|| home_url(&record.domain)),
        state: match row {
            Some(row) if is_served(row) => CarrierState::Observed,
            Some(row) if row.status.is_some() => CarrierState::Refused,
            _ => CarrierState::NotMeasured,
        },
        http_status: row.and_then(|row| row.status),
    });
    read.extend(record.checks.iter().filter(|check| check.file != "robots_txt").map(|check| {
        CarrierReading {
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
