//! Whether AI identities are given the page that a browser is given: the block of a resolve answer,
//! and what `/api/v1/read-equivalence` adds to it.

use contract::Timestamp;
use contract::records::{
    AgentRow, EquivalenceVerdict, IdentityEquivalence, ReadEquivalence, ScanRecord,
};

use super::address::{home, query_value};
use crate::scan::served::{is_ai, is_measured, is_served};

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
