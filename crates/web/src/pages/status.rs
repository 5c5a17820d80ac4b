//! The status language of the pages: icon, word and colour always come together.

use contract::records::{CheckVerdict, Decision, LedgerState, RowCause, Severity};
use contract::text::record_words::{explain_outcome, spaced};

/// A word with its colour (the class `ok`, `warn`, `bad` or `off`) and its icon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) tone: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) words: String,
}

impl Status {
    pub(crate) fn new(tone: &'static str, icon: &'static str, words: impl Into<String>) -> Self {
        Self { tone, icon, words: words.into() }
    }

    pub(crate) fn ok(words: impl Into<String>) -> Self {
        Self::new("ok", "ok", words)
    }

    pub(crate) fn warn(words: impl Into<String>) -> Self {
        Self::new("warn", "warn", words)
    }

    pub(crate) fn bad(words: impl Into<String>) -> Self {
        Self::new("bad", "bad", words)
    }

    pub(crate) fn off(words: impl Into<String>) -> Self {
        Self::new("off", "off", words)
    }
}

/// The outcome of a request for a page, with its HTTP status: `Refused 403`.
pub(crate) fn outcome(cause: &RowCause, blocker: Option<&str>, status: Option<u16>) -> Status {
    let label = capitalise(&explain_outcome(cause, blocker).label);
    let words = match status {
        Some(status) => format!("{label} {status}"),
        None => label,
    };
    match cause {
        RowCause::Served => Status::ok(words),
        RowCause::Refused => Status::bad(words),
        RowCause::PaymentRequired
        | RowCause::Challenge
        | RowCause::RateLimited
        | RowCause::Gated
        | RowCause::Empty
        | RowCause::Stalled => Status::warn(words),
        _ => Status::off(words),
    }
}

pub(crate) fn decision(decision: &Decision) -> Status {
    match decision {
        Decision::Allow => Status::ok("Allow"),
        Decision::Warn => Status::warn("Warn"),
        Decision::RequireConfirmation => Status::new("warn", "ask", "Ask a person"),
        Decision::Block => Status::bad("Block"),
        Decision::Unsupported => Status::off("Unsupported"),
        // Agents treat an unknown decision as a refusal.
        Decision::Unrecognised(word) => Status::bad(capitalise(&spaced(word.as_str()))),
    }
}

pub(crate) fn severity(severity: &Severity) -> Status {
    match severity {
        Severity::High => Status::bad("High"),
        Severity::Medium => Status::warn("Medium"),
        Severity::Low => Status::new("off", "info", "Low"),
        Severity::Info => Status::new("off", "info", "Note"),
        Severity::Unrecognised(word) => {
            Status::new("off", "info", capitalise(&spaced(word.as_str())))
        }
    }
}

pub(crate) fn rule_state(state: &LedgerState) -> Status {
    let words = capitalise(&spaced(state.as_str()));
    match state {
        LedgerState::Passed => Status::ok(words),
        LedgerState::Partial => Status::warn(words),
        LedgerState::Failed => Status::bad(words),
        _ => Status::off(words),
    }
}

pub(crate) fn check_verdict(verdict: &CheckVerdict) -> Status {
    match verdict {
        CheckVerdict::Ok => Status::ok("Found"),
        CheckVerdict::Absent => Status::off("Not found"),
        CheckVerdict::Refused => Status::bad("Refused"),
        CheckVerdict::Soft404 => Status::off("Not found, but answered with success"),
        CheckVerdict::Invalid => Status::bad("Invalid"),
        CheckVerdict::NotRead => Status::off("Not read"),
        CheckVerdict::Unreachable => Status::off("No answer"),
        CheckVerdict::Unrecognised(word) => Status::off(capitalise(&spaced(word.as_str()))),
    }
}

/// The class of a score: green from 80, amber from 60.
pub(crate) fn score_tone(score: Option<u32>) -> &'static str {
    match score {
        Some(80..) => "ok",
        Some(60..) => "warn",
        Some(_) => "bad",
        None => "off",
    }
}

/// The text with a capital first letter.
pub(crate) fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_has_its_words_and_colour() {
        let of = |cause, blocker, status| outcome(&cause, blocker, status);
        assert_eq!(of(RowCause::Served, None, Some(200)), Status::ok("Served 200"));
        assert_eq!(of(RowCause::Refused, Some("block"), Some(403)), Status::bad("Refused 403"));
        assert_eq!(of(RowCause::Gated, Some("age"), None), Status::warn("Age gate"));
        assert_eq!(of(RowCause::Unreachable, None, None), Status::off("No answer"));
    }

    /// An agent that does not know a decision must not read it as permission.
    #[test]
    fn an_unknown_decision_looks_like_a_refusal() {
        let unknown = Decision::from_word("perhaps_later").unwrap_or(Decision::Block);
        assert_eq!(decision(&unknown).tone, "bad");
        assert_eq!(decision(&Decision::RequireConfirmation).words, "Ask a person");
    }
}
