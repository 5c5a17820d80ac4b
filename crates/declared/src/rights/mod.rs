//! What a site says about the uses of what it publishes, one file per way of saying it.
//!
//! Each reader applies its own mechanism's rules (which line counts, what a value means) and says
//! the outcome in five uses. What several mechanisms mean together is decided in `judge::rights`.

pub mod ai_txt;
pub mod aipref;
pub mod content_signal;
pub mod payment;
pub mod rsl;
pub mod tdmrep;
pub mod x_robots;

use crate::fault::{Fault, Weight};

/// Where a statement's vocabulary comes from.
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
    /// Status 402, and nothing that says how to pay.
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

/// What somebody may want to do with what is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    Train,
    Ground,
    Summarize,
    Cite,
    Transact,
}

impl Use {
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

/// What a statement means for a use. Later is more restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Allow,
    /// Under terms, at a price, or within a limit.
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

/// What a statement was carried by.
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

/// One thing a site says about uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    pub mechanism: Mechanism,
    pub carrier: Carrier,
    /// Each use at most once; none when the statement speaks of none of the five (see the note).
    pub uses: Vec<(Use, Effect)>,
    /// The robots tokens it is for; empty means everyone.
    pub agents: Vec<String>,
    /// The path it is limited to.
    pub path: Option<String>,
    /// The very text, cut at 300 characters, control characters replaced.
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
            raw: quoted(raw),
            line: None,
            note: None,
        }
    }

    /// Says an effect on a use; what was said of it already gives way only to something stricter.
    fn says(&mut self, what: Use, effect: Effect) {
        match self.uses.iter_mut().find(|(said, _)| *said == what) {
            Some((_, held)) => *held = (*held).max(effect),
            None => {
                self.uses.push((what, effect));
                self.uses.sort_unstable();
            }
        }
    }

    fn says_all(&mut self, uses: &[Use], effect: Effect) {
        for what in uses {
            self.says(*what, effect);
        }
    }

    fn notes(&mut self, text: &str) {
        match &mut self.note {
            Some(note) if note.len() < 1_000 => *note = format!("{note} {text}"),
            Some(_) => {}
            None => self.note = Some(text.to_owned()),
        }
    }
}

/// What was understood of one carrier, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    pub statements: Vec<Statement>,
    pub faults: Vec<Fault>,
}

/// Faults told of one carrier.
const MAX_FAULTS: usize = 100;

impl Heard {
    fn fault(
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

/// A site's own text, fit to be shown: at most 300 characters, none that hides, reorders or controls.
pub(crate) fn quoted(text: &str) -> String {
    text.chars().take(300).map(|c| if harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// As [`quoted`], for the middle of a sentence.
fn word(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", quoted(&short))
}

fn harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests;
