//! Opening hours, compared as minutes of a week.

mod clock_phrases;
mod closing_words;
mod dates;
mod day_names;
mod days_before_closed;
mod east_asian;
mod items;
mod lexicon;
mod local_words;
mod meaning;
mod numerals;
mod phrases;
mod readings;
mod recognition;
mod services;
mod statements;
mod structured;
mod time_of_day;
mod token;
mod tokens;
mod week;
mod week_builder;
mod word_forms;
mod words;

use super::WrittenMatch;
use week::Week;

/// Compares two weeks. A day that both state decides; a day that only one states to be open does not
/// allow more than a doubt, and a day that only one states to be closed agrees with silence.
pub(super) fn compare_hours(published: &str, stated: &str, region: Option<&str>) -> WrittenMatch {
    let (ones, others) = (read_weeks(published, region), read_weeks(stated, region));
    let mut all = ones.iter().flat_map(|one| others.iter().map(|other| one.compare(other)));
    let Some(first) = all.next() else { return WrittenMatch::Undecidable };
    // An abbreviation may be a day in several languages. One reading that agrees is no accident.
    all.fold(first, |result, next| match (result, next) {
        (WrittenMatch::Equal, _) | (_, WrittenMatch::Equal) => WrittenMatch::Equal,
        (WrittenMatch::Different, WrittenMatch::Different) => WrittenMatch::Different,
        _ => WrittenMatch::Undecidable,
    })
}

/// Whether a text states the hours of all seven days.
pub(super) fn states_full_week(text: &str, region: Option<&str>) -> bool {
    read_weeks(text, region).iter().any(Week::is_full)
}

/// The weeks that a text may state, one for each language in which it can be read.
fn read_weeks(text: &str, region: Option<&str>) -> Vec<Week> {
    let structured = structured::as_text(text);
    let text = structured.as_deref().unwrap_or(text);
    let mut weeks: Vec<Week> = Vec::new();
    for tokens in tokens::tokenize(text, region) {
        if let Some(week) = statements::read_week(&tokens)
            && !weeks.contains(&week)
        {
            weeks.push(week);
        }
    }
    weeks
}

#[cfg(test)]
mod tests;
