//! AIPREF: `Content-Usage`, a structured field (RFC 9651 dictionary) in a header or a robots.txt rule.
//!
//! Working-group drafts (attach-05, vocab-07 and -08), not yet a standard. Preferences are the tokens
//! `y` and `n`; any other value states no preference and is not an error.

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use super::{
    Carrier, ContentUse, Effect, Fault, Mechanism, ParsedStatements, Statement, Weight, push_fault,
    short_quote,
};
use crate::evidence_excerpt::evidence_excerpt;
use crate::robots::{RecordAudience, Robots, pattern};

/// A preference: its label, and whether it is `y`.
type Preference = (&'static str, bool);

/// Labels of earlier drafts that have no meaning any more.
const WITHDRAWN: [&str; 7] = ["all", "bots", "train-genai", "ai-output", "ai", "tdm", "genai"];

/// The preferences in the headers of a response. Several field lines form one value.
#[must_use]
pub fn from_headers(values: &[&str]) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    if values.is_empty() {
        return parsed;
    }
    let joined = values.join(", ");
    parsed.faults = check_value(&joined, "Content-Usage");
    let statement = Statement::new(Mechanism::Aipref, Carrier::Header, &joined);
    parsed.statements.extend(with_preferences(statement, &joined));
    parsed
}

/// The preferences of a robots.txt file for one agent and one path. A path that the agent may not
/// fetch has none. Faults of the lines are reported by [`robots_lint`](crate::robots_lint).
#[must_use]
pub fn from_robots(robots: &Robots, token: &str, path: &str) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    if !robots.access(token, path).allowed {
        return parsed;
    }
    let rules = robots.content_usage_for(token);
    let mut matching: Vec<(usize, Statement, String)> = Vec::new();
    for (line, value, reach) in rules {
        let value = String::from_utf8_lossy(value);
        let (limit, preferences) = path_and_preferences(&value);
        let length = match limit {
            None => 0,
            Some(limit) => {
                let escaped = pattern::percent_encoded(limit.as_bytes());
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
        statement.path = limit.map(evidence_excerpt);
        match reach {
            RecordAudience::Agents(agents) => statement.agents = agents,
            RecordAudience::Site => statement
                .add_note("The line comes before any group, where the drafts give it no effect. We apply it to the whole site."),
        }
        matching.push((length, statement, preferences.to_owned()));
    }
    // The rules with the longest path count; of several the strictest decides later.
    let longest = matching.iter().map(|(length, ..)| *length).max();
    for (length, statement, preferences) in matching {
        if Some(length) == longest {
            parsed.statements.extend(with_preferences(statement, &preferences));
        }
    }
    parsed
}

/// A rule's path (if its value starts with `/`) and its preferences.
pub(crate) fn path_and_preferences(value: &str) -> (Option<&str>, &str) {
    if !value.starts_with('/') {
        return (None, value);
    }
    let (path, rest) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    (Some(path), rest.trim_matches([' ', '\t']))
}

/// The faults of a value.
pub(crate) fn check_value(value: &str, at: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Ok(dictionary) = parse_dictionary(value) else {
        push_fault(
            &mut faults,
            "not_a_dictionary",
            Weight::Error,
            at,
            format!(
                "`{}` is not a structured field dictionary, so readers ignore all of it. Names must be in lower case, without a comma at the end.",
                short_quote(value)
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
        if known_label(key).is_none() {
            let withdrawn = WITHDRAWN.contains(&key);
            let weight = if withdrawn { Weight::Warning } else { Weight::Note };
            let why = if withdrawn {
                "was removed from the drafts"
            } else {
                "is not a label of the drafts"
            };
            push_fault(
                &mut faults,
                if withdrawn { "withdrawn_label" } else { "unknown_label" },
                weight,
                at,
                format!("`{}` {why}. Readers ignore it.", short_quote(key)),
                "The labels are train-ai, ai-use and search.",
            );
        } else if yes_or_no(entry).is_none() {
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

fn with_preferences(mut statement: Statement, value: &str) -> Option<Statement> {
    for (label, yes) in preferences(value) {
        let effect = if yes { Effect::Allow } else { Effect::Disallow };
        match label {
            "train-ai" => statement.add_effect(ContentUse::Train, effect),
            "ai-use" => statement.add_effects(&[ContentUse::Ground, ContentUse::Summarize], effect),
            // The definition of search excludes summaries.
            _ => statement.add_effect(ContentUse::Cite, effect),
        }
    }
    (!statement.uses.is_empty()).then_some(statement)
}

fn preferences(value: &str) -> Vec<Preference> {
    let dictionary = parse_dictionary(value).unwrap_or_default();
    dictionary
        .iter()
        .filter_map(|(key, entry)| Some((known_label(key.as_str())?, yes_or_no(entry)?)))
        .collect()
}

fn parse_dictionary(value: &str) -> Result<Dictionary, sfv::Error> {
    Parser::new(value).parse::<Dictionary>()
}

fn known_label(key: &str) -> Option<&'static str> {
    ["train-ai", "ai-use", "search"].into_iter().find(|label| *label == key)
}

/// `y` and `n` as tokens; parameters are ignored.
fn yes_or_no(entry: &ListEntry) -> Option<bool> {
    let ListEntry::Item(item) = entry else { return None };
    let BareItem::Token(token) = &item.bare_item else { return None };
    match token.as_str() {
        "y" => Some(true),
        "n" => Some(false),
        _ => None,
    }
}
