//! Whether a value is what a business publishes.

use contract::records::{CheckedField, FieldVerdict, PublishedValue};
use contract::text::display_safe;
use declared::entity::WrittenMatch;

use super::published::{ComparedFact, PublishedFacts, best_match};

/// Published values in an answer.
const MAX_PUBLISHED: usize = 10;
const MAX_VALUE: usize = 300;

/// The verdict on a value, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldCheckResult {
    pub verdict: FieldVerdict,
    pub why: String,
    pub published: Vec<PublishedValue>,
}

/// Compares a value with what the site publishes for the field.
#[must_use]
pub fn check_field(
    published: &PublishedFacts,
    field: &CheckedField,
    value: &str,
) -> FieldCheckResult {
    if !published.were_read {
        return not_measured(
            "The home page could not be read, so it is not known what the site publishes.",
        );
    }
    let compared = published.compare(field, value);
    let (verdict, why) = match best_match(&compared) {
        None => (
            FieldVerdict::NotPublished,
            "The home page of the site states no value for this field.",
        ),
        Some(WrittenMatch::Equal) => {
            (FieldVerdict::Matches, "It says the same as a value that the site publishes.")
        }
        Some(WrittenMatch::Different) => (
            FieldVerdict::Differs,
            "It says something else than every value that the site publishes.",
        ),
        Some(WrittenMatch::Undecidable) => (
            FieldVerdict::NotMeasured,
            "Whether it says the same as a published value cannot be decided with certainty.",
        ),
    };
    FieldCheckResult {
        verdict,
        why: why.to_owned(),
        published: compared.iter().take(MAX_PUBLISHED).map(to_published).collect(),
    }
}

/// The result for a site that was not read.
#[must_use]
pub fn not_measured(why: &str) -> FieldCheckResult {
    FieldCheckResult {
        verdict: FieldVerdict::NotMeasured,
        why: why.to_owned(),
        published: Vec::new(),
    }
}

fn to_published(fact: &ComparedFact<'_>) -> PublishedValue {
    PublishedValue {
        untrusted_value: display_safe(&fact.stated.untrusted_value, MAX_VALUE),
        verdict: match fact.result {
            WrittenMatch::Equal => FieldVerdict::Matches,
            WrittenMatch::Different => FieldVerdict::Differs,
            WrittenMatch::Undecidable => FieldVerdict::NotMeasured,
        },
        carrier: fact.stated.source.clone(),
        url: fact.stated.url.clone(),
        pointer: fact.stated.pointer.clone(),
        block: fact.stated.block,
        place: fact.stated.place.clone(),
    }
}
