//! AIPREF: `Content-Usage`, a structured field (RFC 9651 dictionary) in a header or a robots.txt rule.
//!
//! Working-group drafts (attach-05, vocab-07 and -08), no standard yet. Preferences are the tokens
//! `y` and `n`; anything else is no preference, and not an error.

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use super::{Carrier, Effect, Fault, Heard, Mechanism, Statement, Use, Weight, push_fault, word};
use crate::robots::{Reach, Robots, pattern};

/// A preference that was understood: label and whether it is `y`.
type Preference = (&'static str, bool);

/// Labels of earlier drafts, which no longer mean anything.
const WITHDRAWN: [&str; 7] = ["all", "bots", "train-genai", "ai-output", "ai", "tdm", "genai"];

/// The preferences of a response. Several field lines are one value.
#[must_use]
pub fn header(values: &[&str]) -> Heard {
    let mut heard = Heard::default();
    if values.is_empty() {
        return heard;
    }
    let joined = values.join(", ");
    heard.faults = check(&joined, "Content-Usage");
    let statement = Statement::new(Mechanism::Aipref, Carrier::Header, &joined);
    heard.statements.extend(filled(statement, &joined));
    heard
}

/// The preferences of a robots.txt file for one agent and one path. A path that the agent may not
/// fetch has none. What is wrong with the lines is told by [`Robots::faults`].
#[must_use]
pub fn robots(robots: &Robots, token: &str, path: &str) -> Heard {
    let mut heard = Heard::default();
    if !robots.access(token, path).allowed {
        return heard;
    }
    let rules = robots.usage_for(token);
    let mut matching: Vec<(usize, Statement, String)> = Vec::new();
    for (line, value, reach) in rules {
        let value = String::from_utf8_lossy(value);
        let (limit, preferences) = path_and_preferences(&value);
        let length = match limit {
            None => 0,
            Some(limit) => {
                let escaped = pattern::escaped(limit.as_bytes());
                let limit = escaped.as_deref().unwrap_or(limit.as_bytes());
                if !pattern::matches(limit, path.as_bytes()) {
                    continue;
                }
                limit.len()
            }
        };
        let raw = format!("Content-Usage: {value}");
        let mut statement = Statement::new(Mechanism::Aipref, Carrier::RobotsTxt, &raw);
        statement.line = Some(line);
        statement.path = limit.map(super::quoted);
        match reach {
            Reach::Agents(agents) => statement.agents = agents,
            Reach::Site => statement
                .notes("It stands before any group, where the drafts give it no effect; it is taken for the whole site here."),
        }
        matching.push((length, statement, preferences.to_owned()));
    }
    // The longest path counts; rules with equal ones all do, and the stricter decides later.
    let longest = matching.iter().map(|(length, ..)| *length).max();
    for (length, statement, preferences) in matching {
        if Some(length) == longest {
            heard.statements.extend(filled(statement, &preferences));
        }
    }
    heard
}

/// A rule's path (when its value begins with `/`) and its preferences.
pub(crate) fn path_and_preferences(value: &str) -> (Option<&str>, &str) {
    if !value.starts_with('/') {
        return (None, value);
    }
    let (path, rest) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    (Some(path), rest.trim_matches([' ', '\t']))
}

/// What is wrong with a value.
pub(crate) fn check(value: &str, at: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Ok(dictionary) = parsed(value) else {
        push_fault(
            &mut faults,
            "not_a_dictionary",
            Weight::Error,
            at,
            format!(
                "`{}` is not a structured field dictionary, so none of it counts (names are in lower case, no comma at the end).",
                word(value)
            ),
            "Content-Usage: train-ai=n, search=y",
        );
        return faults;
    };
    if dictionary.is_empty() {
        push_fault(
            &mut faults,
            "no_preference",
            Weight::Note,
            at,
            "The field states no preference.",
            "Content-Usage: train-ai=n, search=y",
        );
    }
    for (key, entry) in &dictionary {
        let key = key.as_str();
        if label(key).is_none() {
            let withdrawn = WITHDRAWN.contains(&key);
            let weight = if withdrawn { Weight::Warning } else { Weight::Note };
            let why =
                if withdrawn { "was dropped from the drafts" } else { "is no label of the drafts" };
            push_fault(
                &mut faults,
                if withdrawn { "withdrawn_label" } else { "unknown_label" },
                weight,
                at,
                format!("`{}` {why} and is passed over.", word(key)),
                "The labels are train-ai, ai-use and search.",
            );
        } else if answer(entry).is_none() {
            push_fault(
                &mut faults,
                "preference_value",
                Weight::Warning,
                at,
                format!(
                    "The value of `{key}` is neither the token y nor n, so it states no preference."
                ),
                format!("Content-Usage: {key}=n"),
            );
        }
    }
    faults
}

fn filled(mut statement: Statement, value: &str) -> Option<Statement> {
    for (label, yes) in preferences(value) {
        let effect = if yes { Effect::Allow } else { Effect::Disallow };
        match label {
            "train-ai" => statement.says(Use::Train, effect),
            "ai-use" => statement.says_all(&[Use::Ground, Use::Summarize], effect),
            // Summaries are outside the definition of search.
            _ => statement.says(Use::Cite, effect),
        }
    }
    (!statement.uses.is_empty()).then_some(statement)
}

fn preferences(value: &str) -> Vec<Preference> {
    let dictionary = parsed(value).unwrap_or_default();
    dictionary
        .iter()
        .filter_map(|(key, entry)| Some((label(key.as_str())?, answer(entry)?)))
        .collect()
}

fn parsed(value: &str) -> Result<Dictionary, sfv::Error> {
    Parser::new(value).parse::<Dictionary>()
}

fn label(key: &str) -> Option<&'static str> {
    ["train-ai", "ai-use", "search"].into_iter().find(|label| *label == key)
}

/// `y` and `n` as tokens; parameters are ignored.
fn answer(entry: &ListEntry) -> Option<bool> {
    let ListEntry::Item(item) = entry else { return None };
    let BareItem::Token(token) = &item.bare_item else { return None };
    match token.as_str() {
        "y" => Some(true),
        "n" => Some(false),
        _ => None,
    }
}
