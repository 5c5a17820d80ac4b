//! Read equivalence: whether AI identities receive the same page as a browser. The section of a resolve
//! answer, and the answer of `/api/v1/read-equivalence`.

use contract::ratio::{Quotient, Ratio};
use contract::records::{
    AgentRow, ComparisonBaseline, ComparisonMethod, ComparisonThresholds, EquivalenceHistoryEntry,
    EquivalenceVerdict, IdentityComparison, IdentityEquivalence, ReadEquivalence,
    ReadEquivalenceRecord, ReadingNoise, RowCause, ScanRecord,
};
use contract::{Issuer, Timestamp};

use super::urls::{escape_query_value, home_url};
use crate::rulepack::Rulepack;
use crate::scan::agent_rows::{browser_row, is_ai, is_measured, is_served};

const READING: &str = "We compare the text of the home page. We send every request from our own network under the \
    identity's name, so the real agent may get a different response.";
const UNMEASURED: &str = "No AI identity received a response that can be compared.";

/// The section of a resolve answer. `first_observed` is when the domain was first compared.
#[must_use]
pub fn equivalence_section(
    record: &ScanRecord,
    base_url: &str,
    first_observed: Option<Timestamp>,
) -> ReadEquivalence {
    let url = home_url(&record.domain);
    let verdict = verdict(record);
    let observed = verdict != EquivalenceVerdict::Unmeasured;
    ReadEquivalence {
        api: equivalence_url(&url, base_url),
        url,
        observed,
        verdict,
        checked_at: observed.then_some(record.scanned_at),
        first_observed: observed.then(|| first_observed.unwrap_or(record.scanned_at)),
        ai_identities_served: observed.then(|| served_count(record)),
        identities: ai_rows(record).map(identity).collect(),
        reading: if observed { READING } else { UNMEASURED }.to_owned(),
    }
}

/// The address of the full answer.
#[must_use]
pub fn equivalence_url(url: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/read-equivalence?url={}", escape_query_value(url))
}

/// The rows of identities that stand for AI agents.
pub fn ai_rows(record: &ScanRecord) -> impl Iterator<Item = &AgentRow> {
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

/// How many AI identities were served, such as `2 of 3`. Identities that were not measured do not count.
#[must_use]
pub fn served_count(record: &ScanRecord) -> String {
    let measured = ai_rows(record).filter(|row| is_measured(row));
    let (served, of) = measured
        .fold((0, 0), |(served, of): (u32, u32), row| (served + u32::from(is_served(row)), of + 1));
    format!("{served} of {of}")
}

/// The verdict over all AI identities. Served text counts before refusals. Of several texts the one that
/// differs most from the browser's decides, so `equivalent` means that no identity got a different text.
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
    let verdicts: Vec<&EquivalenceVerdict> = ai_rows(record).map(|row| &row.equivalence).collect();
    ORDER
        .into_iter()
        .find(|verdict| verdicts.contains(&verdict))
        .unwrap_or(EquivalenceVerdict::Unmeasured)
}

const BASIS: &str = "We sent every request from our own network under the identity's name. A site that verifies \
    addresses may treat the real agent differently.";
/// The most characters shown of instruction-like text.
const MAX_EXCERPT: usize = 160;

/// The page that a request is about.
#[derive(Debug, Clone, Copy)]
pub struct EquivalenceQuery<'a> {
    /// Without query and fragment.
    pub url: &'a str,
    /// Whether it is the home page, the only page that is compared.
    pub is_home: bool,
}

/// The whole answer, from the readings of a domain, newest first.
#[must_use]
pub fn answer(
    query: EquivalenceQuery<'_>,
    readings: &[&ScanRecord],
    rules: &Rulepack,
    issuer: &Issuer,
) -> ReadEquivalenceRecord {
    let compared: Vec<&ScanRecord> = readings
        .iter()
        .copied()
        .filter(|record| query.is_home && verdict(record) != EquivalenceVerdict::Unmeasured)
        .collect();
    let newest = compared.first().copied();
    let why = match (newest, query.is_home, readings.first()) {
        (Some(_), ..) => None,
        (None, false, _) => Some("This build compares only the home page."),
        (None, true, None) => Some("There is no stored reading of this site."),
        (None, true, Some(_)) => {
            Some("No stored reading has an AI identity that could be compared.")
        }
    };
    ReadEquivalenceRecord {
        kind: issuer.kind("read-equivalence"),
        v: 1,
        schema: issuer.schema_url("read-equivalence"),
        url: query.url.to_owned(),
        observed: newest.is_some(),
        verdict: newest.map_or(EquivalenceVerdict::Unmeasured, verdict),
        why: why.map(ToOwned::to_owned),
        checked_at: newest.map(|record| record.scanned_at),
        first_observed: compared.last().map(|record| record.scanned_at),
        ai_identities_served: newest.map(served_count),
        identities: newest
            .map(|record| ai_rows(record).map(|row| compared_identity(record, row)).collect())
            .unwrap_or_default(),
        compared_with: newest
            .and_then(|record| browser_row(&record.agentview.rows))
            .filter(|row| is_served(row))
            .map(|row| ComparisonBaseline {
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
            .map(|record| EquivalenceHistoryEntry {
                checked_at: record.scanned_at,
                verdict: verdict(record),
            })
            .collect(),
        api: equivalence_url(query.url, &issuer.base_url),
        reading: if newest.is_some() { READING } else { UNMEASURED }.to_owned(),
        sha256: None,
        signature: None,
    }
}

fn compared_identity(record: &ScanRecord, row: &AgentRow) -> IdentityComparison {
    let excerpt = record
        .content
        .instruction_like
        .iter()
        .find(|found| row.instruction_like_text == Some(true) && found.identities.contains(&row.id))
        .map(|found| contract::text::display_safe(&found.untrusted_excerpt, MAX_EXCERPT));
    IdentityComparison {
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

/// The thresholds are those of this build. The digest is that of the rules the reading was judged with.
fn method(newest: Option<&ScanRecord>, rules: &Rulepack) -> ComparisonMethod {
    let t = &rules.thresholds;
    let share = |hundredths: u32| Ratio::of(u64::from(hundredths), 100).unwrap_or(Ratio::ONE);
    ComparisonMethod {
        shingle: crate::scan::saturating_u32(declared::page::SHINGLE_WORDS),
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
