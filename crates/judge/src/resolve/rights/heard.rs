//! The statements behind a decision, taken back out of a kept record.

use contract::records::{AccessRule, ScanRecord, SignalStatement};
use declared::rights::{Carrier, Effect, Mechanism, Statement, Use};

use crate::rights::{AccessFact, AgentClass};

/// How a robots rule is named where it decides a use: it says who may fetch, and is weak evidence
/// for what may be done.
pub(super) const ACCESS: &str = "access";

/// What is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Begins with `/`.
    pub path: &'a str,
    /// A robots token; nothing for everyone.
    pub agent: Option<&'a str>,
}

/// A statement and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    pub statement: Statement,
    /// Nothing for a file whose address the record does not tell.
    pub url: Option<String>,
    /// Ids of readings.
    pub readings: Vec<String>,
}

impl Signal {
    /// Where exactly it stands.
    #[must_use]
    pub fn evidence(&self) -> String {
        match self.statement.line {
            Some(line) => format!("line {line}"),
            None => format!("reading {}", self.readings.join(", ")),
        }
    }
}

/// All that speaks about uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub signals: Vec<Signal>,
    pub access: Vec<AccessFact>,
    pub robots_url: String,
    /// The deciding line for each agent in `access` that has one.
    pub(super) access_lines: Vec<(AgentClass, String, u32)>,
}

impl Heard {
    #[must_use]
    pub fn statements(&self) -> Vec<Statement> {
        self.signals.iter().map(|signal| signal.statement.clone()).collect()
    }

    /// The lines that keep agents of a class out.
    #[must_use]
    pub fn access_evidence(&self, class: AgentClass) -> String {
        let lines: Vec<String> = self
            .access_lines
            .iter()
            .filter(|(of, ..)| *of == class)
            .map(|(_, agent, line)| format!("line {line} for {agent}"))
            .collect();
        if lines.is_empty() { "no line is named".to_owned() } else { lines.join(", ") }
    }
}

/// The signal's name on the wire.
#[must_use]
pub fn signal_word(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::XRobotsTag => "x_robots",
        Mechanism::MetaRobots => "meta",
        other => other.as_str(),
    }
}

/// What a record keeps: for the home page, and for everyone.
pub(super) fn kept(record: &ScanRecord) -> Heard {
    let signals = record
        .policy
        .signals
        .iter()
        .filter_map(|kept| {
            Some(Signal {
                statement: statement(kept)?,
                url: address(record, kept),
                readings: kept.evidence.clone(),
            })
        })
        .collect();
    let mut access = Vec::new();
    let mut access_lines = Vec::new();
    for rule in &record.policy.access {
        let Some(class) = class(rule) else { continue };
        if let Some(line) = rule.line.filter(|_| !rule.allowed) {
            access_lines.push((class, rule.agent.clone(), line));
        }
        access.push(AccessFact { token: rule.agent.clone(), class, allowed: rule.allowed });
    }
    Heard { signals, access, robots_url: format!("{}/robots.txt", site(record)), access_lines }
}

/// Scheme and name under which the site was read.
pub(super) fn site(record: &ScanRecord) -> String {
    let scheme = if record.transport.https == Some(false) { "http" } else { "https" };
    format!("{scheme}://{}", record.domain)
}

fn class(rule: &AccessRule) -> Option<AgentClass> {
    match rule.purpose.as_deref()? {
        "training" => Some(AgentClass::Train),
        "search" => Some(AgentClass::Search),
        "user" => Some(AgentClass::User),
        _ => None,
    }
}

/// The address a signal was read from, as far as the record tells.
fn address(record: &ScanRecord, kept: &SignalStatement) -> Option<String> {
    let from = |id: &Option<String>| id.as_ref().is_some_and(|id| kept.evidence.contains(id));
    match kept.carrier.as_str() {
        "robots_txt" => Some(format!("{}/robots.txt", site(record))),
        "file" => {
            let check = record.checks.iter().find(|check| from(&check.reading));
            match check {
                Some(check) => Some(format!("{}{}", site(record), check.path)),
                // Written into the page itself.
                None => page(record, kept),
            }
        }
        _ => page(record, kept).or_else(|| Some(format!("{}/", site(record)))),
    }
}

fn page(record: &ScanRecord, kept: &SignalStatement) -> Option<String> {
    let row = record
        .agentview
        .rows
        .iter()
        .find(|row| row.reading.as_ref().is_some_and(|id| kept.evidence.contains(id)))?;
    row.final_url.clone()
}

/// A kept statement as it was read. Nothing for words of a later version: what cannot be
/// understood decides nothing.
fn statement(kept: &SignalStatement) -> Option<Statement> {
    Some(Statement {
        mechanism: mechanism(&kept.mechanism)?,
        carrier: carrier(&kept.carrier)?,
        uses: kept
            .uses
            .iter()
            .filter_map(|(what, said)| Some((the_use(what)?, effect(said)?)))
            .collect(),
        agents: kept.agents.clone(),
        path: kept.path.clone(),
        raw: kept.untrusted_raw.clone(),
        line: kept.line,
        note: kept.note.clone(),
    })
}

fn mechanism(word: &str) -> Option<Mechanism> {
    const ALL: [Mechanism; 11] = [
        Mechanism::Aipref,
        Mechanism::ContentSignal,
        Mechanism::Tdmrep,
        Mechanism::Rsl,
        Mechanism::XRobotsTag,
        Mechanism::MetaRobots,
        Mechanism::AiTxt,
        Mechanism::PayPerCrawl,
        Mechanism::License402,
        Mechanism::X402,
        Mechanism::PaymentRequired,
    ];
    ALL.into_iter().find(|known| known.as_str() == word)
}

fn carrier(word: &str) -> Option<Carrier> {
    const ALL: [Carrier; 5] =
        [Carrier::RobotsTxt, Carrier::Header, Carrier::Meta, Carrier::File, Carrier::Status];
    ALL.into_iter().find(|known| known.as_str() == word)
}

fn the_use(word: &str) -> Option<Use> {
    Use::ALL.into_iter().find(|known| known.as_str() == word)
}

fn effect(word: &str) -> Option<Effect> {
    const ALL: [Effect; 3] = [Effect::Allow, Effect::Conditional, Effect::Disallow];
    ALL.into_iter().find(|known| known.as_str() == word)
}
