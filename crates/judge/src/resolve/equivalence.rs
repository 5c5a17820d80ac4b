//! Whether AI identities are given the page that a browser is given: the block of a resolve answer,
//! and what `/api/v1/read-equivalence` adds to it.

use contract::Timestamp;
use contract::ratio::{Quotient, Ratio};
use contract::records::{
    AgentRow, ComparedWith, ComparisonMethod, ComparisonThresholds, EquivalenceHistory,
    EquivalenceVerdict, IdentityCompared, IdentityEquivalence, ReadEquivalence,
    ReadEquivalenceRecord, ReadingNoise, RowCause, ScanRecord,
};

use super::Letterhead;
use super::address::{home, query_value};
use crate::rulepack::Rulepack;
use crate::scan::served::{browser, is_ai, is_measured, is_served};

const READING: &str = "Compared is the text of the home page. Every identity is a name sent from our own network: \
    a refusal here is not proof of what the real agent gets, and no proof that it gets the same.";
const UNMEASURED: &str =
    "No AI identity was answered in a way that can be compared, so nothing is said.";

/// The block of a resolve answer. `first_observed` is when the domain was first compared.
#[must_use]
pub fn block(
    record: &ScanRecord,
    base_url: &str,
    first_observed: Option<Timestamp>,
) -> ReadEquivalence {
    let url = home(&record.domain);
    let verdict = verdict(record);
    let observed = verdict != EquivalenceVerdict::Unmeasured;
    ReadEquivalence {
        api: address(&url, base_url),
        url,
        observed,
        verdict,
        checked_at: observed.then_some(record.scanned_at),
        first_observed: observed.then(|| first_observed.unwrap_or(record.scanned_at)),
        ai_identities_served: observed.then(|| served(record)),
        identities: ai(record).map(identity).collect(),
        reading: if observed { READING } else { UNMEASURED }.to_owned(),
    }
}

/// Where more is said.
#[must_use]
pub fn address(url: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/read-equivalence?url={}", query_value(url))
}

/// The identities that name an AI agent.
pub fn ai(record: &ScanRecord) -> impl Iterator<Item = &AgentRow> {
    record.agentview.rows.iter().filter(|row| is_ai(row))
}

fn identity(row: &AgentRow) -> IdentityEquivalence {
    IdentityEquivalence {
        identity: row.id.clone(),
        verdict: row.equivalence.clone(),
        text_ratio: row.text_ratio,
        instruction_like_text: row.instruction_like_text == Some(true),
    }
}

/// `2 of 3`, of those whose answer shows how they are treated.
#[must_use]
pub fn served(record: &ScanRecord) -> String {
    let measured = ai(record).filter(|row| is_measured(row));
    let (served, of) = measured
        .fold((0, 0), |(served, of): (u32, u32), row| (served + u32::from(is_served(row)), of + 1));
    format!("{served} of {of}")
}

/// What the rows come to. Text that was served speaks before what was not served; of texts the one
/// furthest from the browser's; the same text counts only when nobody was given another.
#[must_use]
pub fn verdict(record: &ScanRecord) -> EquivalenceVerdict {
    const ORDER: [EquivalenceVerdict; 7] = [
        EquivalenceVerdict::Different,
        EquivalenceVerdict::Augmented,
        EquivalenceVerdict::Reduced,
        EquivalenceVerdict::NotDeterministic,
        EquivalenceVerdict::Equivalent,
        EquivalenceVerdict::NotServed,
        EquivalenceVerdict::Challenged,
    ];
    let verdicts: Vec<&EquivalenceVerdict> = ai(record).map(|row| &row.equivalence).collect();
    ORDER
        .into_iter()
        .find(|verdict| verdicts.contains(&verdict))
        .unwrap_or(EquivalenceVerdict::Unmeasured)
}

const BASIS: &str = "Every identity is a name sent by us from our own network; a site that checks addresses can \
    tell, and may treat the real agent otherwise.";
/// Characters of instruction-like text shown.
const MAX_EXCERPT: usize = 160;

/// What is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Without query and fragment.
    pub url: &'a str,
    /// Whether that is the home page, the one page that is compared.
    pub is_home: bool,
}

/// The whole answer, from the readings of a domain, newest first.
#[must_use]
pub fn answer(
    asked: Asked<'_>,
    readings: &[&ScanRecord],
    rules: &Rulepack,
    head: &Letterhead<'_>,
) -> ReadEquivalenceRecord {
    let compared: Vec<&ScanRecord> = readings
        .iter()
        .copied()
        .filter(|record| asked.is_home && verdict(record) != EquivalenceVerdict::Unmeasured)
        .collect();
    let newest = compared.first().copied();
    let why = match (newest, asked.is_home, readings.first()) {
        (Some(_), ..) => None,
        (None, false, _) => Some("Only the home page is compared by this build."),
        (None, true, None) => Some("No reading of this site is kept."),
        (None, true, Some(_)) => Some("No kept reading has an AI identity that could be compared."),
    };
    ReadEquivalenceRecord {
        kind: head.kind("read-equivalence"),
        v: 1,
        schema: head.schema("read-equivalence"),
        url: asked.url.to_owned(),
        observed: newest.is_some(),
        verdict: newest.map_or(EquivalenceVerdict::Unmeasured, verdict),
        why: why.map(ToOwned::to_owned),
        checked_at: newest.map(|record| record.scanned_at),
        first_observed: compared.last().map(|record| record.scanned_at),
        ai_identities_served: newest.map(served),
        identities: newest
            .map(|record| ai(record).map(|row| compared_identity(record, row)).collect())
            .unwrap_or_default(),
        compared_with: newest
            .and_then(|record| browser(&record.agentview.rows))
            .filter(|row| is_served(row))
            .map(|row| ComparedWith {
                identity: row.id.clone(),
                status: row.status,
                words: row.words,
                body_sha256: row.body_sha256.clone(),
            }),
        noise: ReadingNoise {
            self_similarity: newest.and_then(|record| record.agentview.self_similarity),
            deterministic: newest.and_then(|record| record.agentview.deterministic),
        },
        method: method(newest, rules),
        identity_basis: BASIS.to_owned(),
        history: compared
            .iter()
            .skip(1)
            .map(|record| EquivalenceHistory {
                checked_at: record.scanned_at,
                verdict: verdict(record),
            })
            .collect(),
        api: address(asked.url, head.base_url),
        reading: if newest.is_some() { READING } else { UNMEASURED }.to_owned(),
        sha256: None,
        signature: None,
    }
}

fn compared_identity(record: &ScanRecord, row: &AgentRow) -> IdentityCompared {
    let excerpt = record
        .content
        .instruction_like
        .iter()
        .find(|found| row.instruction_like_text == Some(true) && found.identities.contains(&row.id))
        .map(|found| declared::shown(&found.untrusted_excerpt, MAX_EXCERPT));
    IdentityCompared {
        identity: row.id.clone(),
        verdict: row.equivalence.clone(),
        text_ratio: row.text_ratio,
        instruction_like_text: row.instruction_like_text == Some(true),
        status: row.status,
        words: row.words,
        body_sha256: row.body_sha256.clone(),
        similarity: row.similarity,
        containment: row.containment,
        challenge: row.vendor.clone().filter(|_| row.cause == RowCause::Challenge),
        untrusted_excerpt: excerpt,
    }
}

/// The thresholds are those of this build; the digest is that of the rules that judged.
fn method(newest: Option<&ScanRecord>, rules: &Rulepack) -> ComparisonMethod {
    let t = &rules.thresholds;
    let share = |hundredths: u32| Ratio::of(u64::from(hundredths), 100).unwrap_or(Ratio::ONE);
    ComparisonMethod {
        shingle: crate::scan::count(declared::page::SHINGLE_WORDS),
        thresholds: ComparisonThresholds {
            equivalent: share(t.equivalent_percent),
            noise: share(t.noise_percent),
            deterministic: share(t.deterministic_percent),
            contained: share(t.contained_percent),
            reduced_below: share(t.reduced_below_percent),
            augmented_above: Quotient::of(u64::from(t.augmented_above_percent), 100),
        },
        method_sha256: newest.map(|record| record.rulepack.sha256.clone()),
    }
}
