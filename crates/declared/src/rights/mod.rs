//! Rights signals: what a site states about the use of its content, one file per mechanism.
//!
//! Each parser applies the rules of its mechanism (which line counts, what a value means) and
//! translates the result to five uses. `judge::rights` decides what several mechanisms mean together.

pub mod ai_txt;
pub mod aipref;
pub mod content_signal;
pub mod payment;
pub mod rsl;
pub mod rsl_references;
pub mod tdmrep;
pub mod x_robots;

use crate::evidence_excerpt::{evidence_excerpt, marked_excerpt};
use crate::fault::{Fault, Weight};

/// The mechanism by which a statement is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mechanism {
    /// `Content-Usage`, IETF drafts.
    Aipref,
    /// `Content-Signal`, a convention.
    ContentSignal,
    /// Text and data mining reservation, a W3C community group's report.
    Tdmrep,
    /// Really Simple Licensing 1.0.
    Rsl,
    XRobotsTag,
    MetaRobots,
    /// `/ai.txt` as Spawning reads it.
    AiTxt,
    /// A price per request, in `crawler-price`.
    PayPerCrawl,
    /// An RSL challenge: `WWW-Authenticate: License`.
    License402,
    /// `PAYMENT-REQUIRED`.
    X402,
    /// Status 402 without any information on how to pay.
    PaymentRequired,
}

impl Mechanism {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Aipref => "aipref",
            Self::ContentSignal => "content_signal",
            Self::Tdmrep => "tdmrep",
            Self::Rsl => "rsl",
            Self::XRobotsTag => "x_robots_tag",
            Self::MetaRobots => "meta_robots",
            Self::AiTxt => "ai_txt",
            Self::PayPerCrawl => "pay_per_crawl",
            Self::License402 => "license_402",
            Self::X402 => "x402",
            Self::PaymentRequired => "payment_required_unknown",
        }
    }
}

/// A use of published content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentUse {
    Train,
    Ground,
    Summarize,
    Cite,
    Transact,
}

impl ContentUse {
    pub const ALL: [Self; 5] =
        [Self::Train, Self::Ground, Self::Summarize, Self::Cite, Self::Transact];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Ground => "ground",
            Self::Summarize => "summarize",
            Self::Cite => "cite",
            Self::Transact => "transact",
        }
    }
}

/// What a statement means for a use. Later variants are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Allow,
    /// Allowed under terms, at a price or within a limit.
    Conditional,
    Disallow,
}

impl Effect {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Conditional => "conditional",
            Self::Disallow => "disallow",
        }
    }
}

/// Where a statement was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    RobotsTxt,
    Header,
    Meta,
    File,
    Status,
}

impl Carrier {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots_txt",
            Self::Header => "header",
            Self::Meta => "meta",
            Self::File => "file",
            Self::Status => "status",
        }
    }
}

/// One statement of a site about the use of its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    pub mechanism: Mechanism,
    pub carrier: Carrier,
    /// Each use at most once; empty if the statement is about none of the five (see the note).
    pub uses: Vec<(ContentUse, Effect)>,
    /// The robots tokens it is for; empty means everyone.
    pub agents: Vec<String>,
    /// The path that it is limited to.
    pub path: Option<String>,
    /// The original text, truncated to 300 characters, control characters replaced.
    pub raw: String,
    pub line: Option<u32>,
    pub note: Option<String>,
}

impl Statement {
    fn new(mechanism: Mechanism, carrier: Carrier, raw: &str) -> Self {
        Self {
            mechanism,
            carrier,
            uses: Vec::new(),
            agents: Vec::new(),
            path: None,
            raw: evidence_excerpt(raw),
            line: None,
            note: None,
        }
    }

    /// Sets the effect on a use. An effect that is already set is replaced only by a stricter one.
    fn add_effect(&mut self, what: ContentUse, effect: Effect) {
        match self.uses.iter_mut().find(|(stated, _)| *stated == what) {
            Some((_, held)) => *held = (*held).max(effect),
            None => {
                self.uses.push((what, effect));
                self.uses.sort_unstable();
            }
        }
    }

    fn add_effects(&mut self, uses: &[ContentUse], effect: Effect) {
        for what in uses {
            self.add_effect(*what, effect);
        }
    }

    fn add_note(&mut self, text: &str) {
        match &mut self.note {
            Some(note) if note.len() < 1_000 => *note = format!("{note} {text}"),
            Some(_) => {}
            None => self.note = Some(text.to_owned()),
        }
    }
}

/// The statements of one header, file or page, and its faults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedStatements {
    pub statements: Vec<Statement>,
    pub faults: Vec<Fault>,
}

/// How many faults of one carrier are listed.
const MAX_FAULTS: usize = 100;

impl ParsedStatements {
    fn add_fault(
        &mut self,
        code: &'static str,
        weight: Weight,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        push_fault(&mut self.faults, code, weight, at, problem, fix);
    }
}

fn push_fault(
    faults: &mut Vec<Fault>,
    code: &'static str,
    weight: Weight,
    at: impl Into<String>,
    problem: impl Into<String>,
    fix: impl Into<String>,
) {
    if faults.len() < MAX_FAULTS {
        faults.push(Fault {
            code,
            weight,
            at: at.into(),
            problem: problem.into(),
            fix: fix.into(),
        });
    }
}

/// As [`evidence_excerpt`], truncated to 60 characters, for use within a sentence.
fn short_quote(text: &str) -> String {
    marked_excerpt(text, 60)
}

#[cfg(test)]
mod tests;
