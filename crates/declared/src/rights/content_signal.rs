//! `Content-Signal`: a line of a robots.txt group, or a response header.
//!
//! `yes` allows and `no` forbids; a signal that is not named does neither. Comments that explain the
//! signals have no effect.

use super::{
    Carrier, ContentUse, Effect, Fault, Mechanism, ParsedStatements, Statement, Weight, push_fault,
    short_quote,
};
use crate::evidence_excerpt::evidence_excerpt;
use crate::robots::{RecordAudience, Robots};

/// How many pairs of one value are read.
const MAX_PAIRS: usize = 32;

/// The signals of one value.
#[must_use]
pub fn parse_value(value: &str, carrier: Carrier) -> ParsedStatements {
    let mut parsed = ParsedStatements {
        statements: Vec::new(),
        faults: check_value(value, field_name(carrier)),
    };
    let mut statement = Statement::new(Mechanism::ContentSignal, carrier, value);
    for (name, value) in pairs(value) {
        match (name.as_str(), value.as_str()) {
            ("ai-train", _) => add_yes_no(&mut statement, &[ContentUse::Train], &value),
            ("ai-input", _) => {
                add_yes_no(&mut statement, &[ContentUse::Ground, ContentUse::Summarize], &value)
            }
            // Links and short excerpts; the convention excludes summaries.
            ("search", _) => add_yes_no(&mut statement, &[ContentUse::Cite], &value),
            ("use", "immediate") => {
                statement.add_effects(&[ContentUse::Ground, ContentUse::Cite], Effect::Conditional);
                statement.add_effect(ContentUse::Summarize, Effect::Disallow);
                statement
                    .add_note("use=immediate: the content may be used at once but not stored.");
            }
            ("use", "reference") => {
                statement.add_effect(ContentUse::Summarize, Effect::Disallow);
                statement.add_effect(ContentUse::Cite, Effect::Allow);
                statement.add_note("use=reference: only indexing, excerpts and links are allowed.");
            }
            ("use", "full") => {
                statement.add_effects(&[ContentUse::Summarize, ContentUse::Cite], Effect::Allow)
            }
            _ => {}
        }
    }
    if !statement.uses.is_empty() {
        parsed.statements.push(statement);
    }
    parsed
}

/// Every signal of a robots.txt file, each for the agents of its group. Faults of the lines are
/// reported by [`robots_lint`](crate::robots_lint).
#[must_use]
pub fn from_robots(robots: &Robots) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    for record in robots.content_signals() {
        for mut statement in parse_value(&record.value, Carrier::RobotsTxt).statements {
            statement.line = Some(record.line);
            statement.raw = evidence_excerpt(&format!("{}: {}", record.name, record.value));
            match &record.audience {
                RecordAudience::Agents(agents) => statement.agents.clone_from(agents),
                RecordAudience::Site => {
                    statement
                        .add_note("The line is outside any group; we apply it to the whole site.");
                }
            }
            parsed.statements.push(statement);
        }
    }
    parsed
}

/// The faults of a value.
pub(crate) fn check_value(value: &str, at: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if value.contains(';') {
        push_fault(
            &mut faults,
            "signal_separator",
            Weight::Warning,
            at,
            "The signals are separated by `;`. Many readers accept only commas and ignore all of them.",
            format!("Content-Signal: {}", short_quote(&value.replace(';', ","))),
        );
    }
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, value) in pairs(value) {
        let shown = short_quote(&format!("{name}={value}"));
        let wanted = match name.as_str() {
            "search" | "ai-input" | "ai-train" => ["yes", "no", "no"],
            "use" => ["immediate", "reference", "full"],
            _ => {
                push_fault(
                    &mut faults,
                    "signal_unknown",
                    Weight::Warning,
                    at,
                    format!(
                        "`{}` is not a content signal. No crawler reads it.",
                        short_quote(&name)
                    ),
                    "The signals are search, ai-input and ai-train (yes or no), and use (immediate, reference or full).",
                );
                continue;
            }
        };
        if !wanted.contains(&value.as_str()) {
            let mut values = wanted.to_vec();
            values.dedup();
            push_fault(
                &mut faults,
                "signal_value",
                Weight::Error,
                at,
                format!(
                    "`{shown}` has an unknown value, so it neither allows nor forbids anything."
                ),
                format!("Write {name}= followed by one of: {}.", values.join(", ")),
            );
        }
        if seen.iter().any(|(other, held)| *other == name && *held != value) {
            push_fault(
                &mut faults,
                "signal_repeated",
                Weight::Warning,
                at,
                format!(
                    "`{}` is given twice with different values. We use the stricter one; other readers may not.",
                    short_quote(&name)
                ),
                "State each signal once.",
            );
        }
        seen.push((name, value));
    }
    if seen.is_empty() && faults.is_empty() {
        push_fault(
            &mut faults,
            "signal_empty",
            Weight::Warning,
            at,
            "The record contains no signal.",
            "Content-Signal: search=yes, ai-input=yes, ai-train=no",
        );
    }
    faults
}

/// Names and values in lower case. `;` is accepted as a separator, although it is wrong.
fn pairs(value: &str) -> impl Iterator<Item = (String, String)> {
    value.split([',', ';']).map(str::trim).filter(|pair| !pair.is_empty()).take(MAX_PAIRS).map(
        |pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase())
        },
    )
}

fn add_yes_no(statement: &mut Statement, uses: &[ContentUse], value: &str) {
    match value {
        "yes" => statement.add_effects(uses, Effect::Allow),
        "no" => statement.add_effects(uses, Effect::Disallow),
        _ => {}
    }
}

fn field_name(carrier: Carrier) -> &'static str {
    if carrier == Carrier::Header { "Content-Signal" } else { "" }
}
