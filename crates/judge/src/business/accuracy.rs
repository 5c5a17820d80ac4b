//! Compares what an AI engine states about a business with what the business publishes (2.4).

use contract::records::{AccuracyField, AccuracyFields, AccuracyVerdict, CheckedField};
use contract::text::display_safe;
use declared::engine_answer::EngineStatement;
use declared::entity::{WrittenMatch, states_full_week};

use super::published::{PublishedFacts, best_match};

/// The most characters of a published value in a record.
const MAX_VALUE: usize = 300;

const NOTHING_PUBLISHED: &str = "The site publishes nothing to compare this with.";
const NOTHING_STATED: &str = "The engine stated nothing.";
const NOT_A_FULL_WEEK: &str =
    "Opening hours are judged only if both sides state the hours of all seven days.";
const UNCERTAIN: &str = "Whether both say the same cannot be decided with certainty.";

/// The verdict on every field.
#[must_use]
pub fn judge_statement(published: &PublishedFacts, stated: &EngineStatement) -> AccuracyFields {
    let judge = |field, ai: &Option<String>| judge_field(published, &field, ai.as_deref());
    AccuracyFields {
        phone: judge(CheckedField::Phone, &stated.phone),
        address: judge(CheckedField::Address, &stated.address),
        website: judge(CheckedField::Website, &stated.website),
        hours: judge(CheckedField::Hours, &stated.hours),
    }
}

/// The names of the fields that are wrong.
#[must_use]
pub fn wrong_fields(fields: &AccuracyFields) -> Vec<String> {
    let named = fields.named().into_iter();
    let wrong = named.filter(|(_, field)| field.verdict == AccuracyVerdict::Wrong);
    wrong.map(|(name, _)| name.to_owned()).collect()
}

fn judge_field(
    published: &PublishedFacts,
    field: &CheckedField,
    ai: Option<&str>,
) -> AccuracyField {
    let Some(ai) = ai else {
        let values = published.values(field);
        let declared = values.first().map(|stated| stated.untrusted_value.as_str());
        return to_field(declared, None, Err(NOTHING_STATED));
    };
    let compared = published.compare(field, ai);
    let declared = compared.first().map(|best| best.stated.untrusted_value.as_str());
    let is_judged = |value: &str| {
        *field != CheckedField::Hours || states_full_week(value, published.country.as_deref())
    };
    let result = match best_match(&compared) {
        None => Err(NOTHING_PUBLISHED),
        Some(_) if !(is_judged(ai) && declared.is_some_and(is_judged)) => Err(NOT_A_FULL_WEEK),
        Some(WrittenMatch::Equal) => Ok(AccuracyVerdict::Correct),
        Some(WrittenMatch::Different) => Ok(AccuracyVerdict::Wrong),
        Some(WrittenMatch::Undecidable) => Err(UNCERTAIN),
    };
    to_field(declared, Some(ai), result)
}

fn to_field(
    declared: Option<&str>,
    ai: Option<&str>,
    result: Result<AccuracyVerdict, &'static str>,
) -> AccuracyField {
    AccuracyField {
        declared: declared.map(|value| display_safe(value, MAX_VALUE)),
        // Bounded where it was read.
        ai: ai.map(str::to_owned),
        verdict: result.clone().unwrap_or(AccuracyVerdict::Recorded),
        why: result.err().map(str::to_owned),
    }
}
