//! `Content-Signal`: a line of a robots.txt group, or a response header.
//!
//! `yes` grants and `no` withholds; what is not named is neither. Comments that explain the signals
//! are no signals.

use super::{Carrier, Effect, Fault, Heard, Mechanism, Statement, Use, Weight, push_fault, word};
use crate::robots::{Reach, Robots};

/// Pairs read of one value.
const MAX_PAIRS: usize = 32;

/// The signals of one value.
#[must_use]
pub fn read(value: &str, carrier: Carrier) -> Heard {
    let mut heard = Heard { statements: Vec::new(), faults: check(value, field(carrier)) };
    let mut statement = Statement::new(Mechanism::ContentSignal, carrier, value);
    for (name, value) in pairs(value) {
        match (name.as_str(), value.as_str()) {
            ("ai-train", _) => say(&mut statement, &[Use::Train], &value),
            ("ai-input", _) => say(&mut statement, &[Use::Ground, Use::Summarize], &value),
            // Links and short excerpts: the convention itself leaves summaries out.
            ("search", _) => say(&mut statement, &[Use::Cite], &value),
            ("use", "immediate") => {
                statement.says_all(&[Use::Ground, Use::Cite], Effect::Conditional);
                statement.says(Use::Summarize, Effect::Disallow);
                statement.notes("use=immediate: nothing may be kept.");
            }
            ("use", "reference") => {
                statement.says(Use::Summarize, Effect::Disallow);
                statement.says(Use::Cite, Effect::Allow);
                statement.notes("use=reference: index, excerpt and link, no more.");
            }
            ("use", "full") => statement.says_all(&[Use::Summarize, Use::Cite], Effect::Allow),
            _ => {}
        }
    }
    if !statement.uses.is_empty() {
        heard.statements.push(statement);
    }
    heard
}

/// Every signal of a robots.txt file, each for the agents of its group. What is wrong with the lines
/// is told by [`Robots::faults`].
#[must_use]
pub fn robots(robots: &Robots) -> Heard {
    let mut heard = Heard::default();
    for record in robots.content_signals() {
        for mut statement in read(&record.value, Carrier::RobotsTxt).statements {
            statement.line = Some(record.line);
            statement.raw = super::quoted(&format!("{}: {}", record.name, record.value));
            match &record.reach {
                Reach::Agents(agents) => statement.agents.clone_from(agents),
                Reach::Site => {
                    statement.notes("It stands outside a group and is taken for the whole site.");
                }
            }
            heard.statements.push(statement);
        }
    }
    heard
}

/// What is wrong with a value.
pub(crate) fn check(value: &str, at: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if value.contains(';') {
        push_fault(
            &mut faults,
            "signal_separator",
            Weight::Warning,
            at,
            "The signals are separated by `;`; many readers take only commas and understand none of them.",
            format!("Content-Signal: {}", word(&value.replace(';', ","))),
        );
    }
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, value) in pairs(value) {
        let shown = word(&format!("{name}={value}"));
        let wanted = match name.as_str() {
            "search" | "ai-input" | "ai-train" => ["yes", "no", "no"],
            "use" => ["immediate", "reference", "full"],
            _ => {
                push_fault(
                    &mut faults,
                    "signal_unknown",
                    Weight::Warning,
                    at,
                    format!("`{}` is not a content signal; nobody reads it.", word(&name)),
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
                    "`{shown}` has no known value, so it neither grants nor withholds anything."
                ),
                format!("Write {name}= and one of: {}.", values.join(", ")),
            );
        }
        if seen.iter().any(|(other, held)| *other == name && *held != value) {
            push_fault(
                &mut faults,
                "signal_repeated",
                Weight::Warning,
                at,
                format!(
                    "`{}` is given twice with different values; the stricter is taken here.",
                    word(&name)
                ),
                "Name each signal once.",
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
            "The record holds no signal.",
            "Content-Signal: search=yes, ai-input=yes, ai-train=no",
        );
    }
    faults
}

/// Names and values in lower case. A `;` is legible, if not right.
fn pairs(value: &str) -> impl Iterator<Item = (String, String)> {
    value.split([',', ';']).map(str::trim).filter(|pair| !pair.is_empty()).take(MAX_PAIRS).map(
        |pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase())
        },
    )
}

fn say(statement: &mut Statement, uses: &[Use], value: &str) {
    match value {
        "yes" => statement.says_all(uses, Effect::Allow),
        "no" => statement.says_all(uses, Effect::Disallow),
        _ => {}
    }
}

fn field(carrier: Carrier) -> &'static str {
    if carrier == Carrier::Header { "Content-Signal" } else { "" }
}
