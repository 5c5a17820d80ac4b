//! The statements behind a decision, taken back out of a kept record.

use agents::{Catalogue, Role};
use contract::records::{AccessRule, CheckVerdict, RobotsState, ScanRecord, SignalStatement};
use declared::rights::{
    Carrier, Effect, Mechanism, Statement, Use, aipref, content_signal, tdmrep,
};
use declared::robots::{Robots, Scope};

use crate::Bodies;
use crate::resolve::address::is_home;
use crate::rights::{AccessFact, AgentClass};

/// How a robots rule is named where it decides a use: it says who may fetch, and is weak evidence
/// for what may be done.
pub(crate) const ACCESS: &str = "access";

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
    /// The deciding rule for each agent in `access` that is kept out by one.
    pub(super) kept_out: Vec<KeptOut>,
    /// What could carry a statement and was not read.
    pub not_read: Vec<String>,
}

/// A robots rule that keeps an agent out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptOut {
    pub(super) class: AgentClass,
    pub(super) agent: String,
    pub(super) line: u32,
    /// As it stands there.
    pub(super) rule: Option<String>,
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
            .kept_out
            .iter()
            .filter(|rule| rule.class == class)
            .map(|rule| format!("line {} for {}", rule.line, rule.agent))
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
    let mut kept_out = Vec::new();
    for rule in &record.policy.access {
        let Some(class) = class(rule) else { continue };
        if let Some(line) = rule.line.filter(|_| !rule.allowed) {
            let (agent, rule) = (rule.agent.clone(), rule.rule.clone());
            kept_out.push(KeptOut { class, agent, line, rule });
        }
        access.push(AccessFact { token: rule.agent.clone(), class, allowed: rule.allowed });
    }
    let robots_url = format!("{}/robots.txt", site(record));
    Heard { signals, access, robots_url, kept_out, not_read: never_read(record) }
}

/// What speaks about one path, or to one agent. Files are read again, as long as their bodies are
/// kept; what only the page itself says is known for the home page alone.
pub(super) fn asked(
    record: &ScanRecord,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    asked: Asked<'_>,
) -> Heard {
    let mut heard = kept(record);
    if is_home(asked.path) && asked.agent.is_none() {
        return heard;
    }
    let all = std::mem::take(&mut heard.signals);
    let reading_of = |carrier: Carrier, mechanism: Option<Mechanism>| {
        let found = all.iter().find(|signal| {
            signal.statement.carrier == carrier
                && mechanism.is_none_or(|wanted| signal.statement.mechanism == wanted)
        });
        found.map(|signal| signal.readings.clone()).unwrap_or_default()
    };
    // robots.txt, read again for this path and agent.
    heard.access.clear();
    heard.kept_out.clear();
    let mut scope = Scope::Nobody;
    match robots(record, bodies) {
        Robot::Read(robots) => {
            scope =
                asked.agent.map_or(Scope::Nobody, |agent| robots.access(agent, asked.path).scope);
            let readings = match reading_of(Carrier::RobotsTxt, None) {
                none if none.is_empty() => record.policy.robots.evidence.clone(),
                some => some,
            };
            let url = Some(heard.robots_url.clone());
            for statement in in_robots(&robots, catalogue, asked) {
                let (url, readings) = (url.clone(), readings.clone());
                let new = Signal { statement, url, readings };
                if !heard.signals.contains(&new) {
                    heard.signals.push(new);
                }
            }
            who_may_fetch(&robots, catalogue, asked, &mut heard);
        }
        Robot::None => {}
        Robot::Gone(why) => heard.not_read.push(why.to_owned()),
    }
    for signal in all {
        let statement = &signal.statement;
        match (statement.carrier, statement.mechanism) {
            (Carrier::RobotsTxt, _) => {}
            // Without a path of its own it is for the whole site.
            (Carrier::File, Mechanism::AiTxt) => heard.signals.push(signal),
            (Carrier::File, Mechanism::Tdmrep) if !is_home(asked.path) => {}
            (Carrier::File, _) if is_home(asked.path) => heard.signals.push(signal),
            (Carrier::File, mechanism) => {
                let what = format!("{} for this path", signal_word(mechanism));
                if !heard.not_read.contains(&what) {
                    heard.not_read.push(what);
                }
            }
            _ if is_home(asked.path) => heard.signals.push(signal),
            _ => {}
        }
    }
    if !is_home(asked.path) {
        heard.not_read.push("the header fields and meta elements of this page".to_owned());
        tdmrep_for(record, bodies, asked.path, &mut heard);
    }
    if let Some(agent) = asked.agent {
        heard.signals.retain(|signal| speaks_to(&signal.statement, agent, scope));
        for signal in &mut heard.signals {
            // What is left speaks to whoever asks.
            signal.statement.agents.clear();
        }
    }
    heard
}

enum Robot {
    Read(Box<Robots>),
    /// It says nothing.
    None,
    /// It could not be read, now or then.
    Gone(&'static str),
}

fn robots(record: &ScanRecord, bodies: &dyn Bodies) -> Robot {
    match record.policy.robots.state {
        RobotsState::Declared => {}
        RobotsState::Absent | RobotsState::NotAPolicy => return Robot::None,
        _ => return Robot::Gone("robots.txt"),
    }
    let body = body(record, bodies, "/robots.txt");
    match body {
        Some(body) => Robot::Read(Box::new(Robots::parse(body))),
        None => Robot::Gone("robots.txt for this path and agent: its body is no longer kept"),
    }
}

/// The body of a file that was served.
fn body<'b>(record: &ScanRecord, bodies: &'b dyn Bodies, path: &str) -> Option<&'b [u8]> {
    let check = record
        .checks
        .iter()
        .find(|check| check.path == path && check.verdict == CheckVerdict::Ok)
        .or_else(|| record.checks.iter().find(|check| check.path == path))?;
    bodies.body(check.body_sha256.as_deref()?)
}

fn in_robots(robots: &Robots, catalogue: &Catalogue, asked: Asked<'_>) -> Vec<Statement> {
    let mut statements = content_signal::robots(robots).statements;
    match asked.agent {
        Some(agent) => {
            statements.extend(aipref::robots(robots, agent, asked.path).statements);
        }
        None => {
            let tokens = catalogue.ai().filter_map(|identity| identity.robots_token.as_deref());
            for token in std::iter::once("*").chain(tokens) {
                statements.extend(aipref::robots(robots, token, asked.path).statements);
            }
        }
    }
    statements
}

/// For one agent its own rule stands for every purpose: what it may not fetch it cannot use.
fn who_may_fetch(robots: &Robots, catalogue: &Catalogue, asked: Asked<'_>, heard: &mut Heard) {
    let mut note = |token: &str, class: AgentClass| {
        let access = robots.access(token, asked.path);
        heard.access.push(AccessFact { token: token.to_owned(), class, allowed: access.allowed });
        if let Some(line) = access.line.filter(|_| !access.allowed) {
            let rule = robots.rule_text(line);
            heard.kept_out.push(KeptOut { class, agent: token.to_owned(), line, rule });
        }
    };
    match asked.agent {
        Some(agent) => AgentClass::ALL.into_iter().for_each(|class| note(agent, class)),
        None => {
            for identity in catalogue.ai() {
                let Some(token) = identity.robots_token.as_deref() else { continue };
                let class = match identity.role {
                    Role::Train => AgentClass::Train,
                    Role::Search => AgentClass::Search,
                    _ => AgentClass::User,
                };
                note(token, class);
            }
        }
    }
}

fn tdmrep_for(record: &ScanRecord, bodies: &dyn Bodies, path: &str, heard: &mut Heard) {
    const FILE: &str = "/.well-known/tdmrep.json";
    let served =
        record.checks.iter().find(|check| check.path == FILE && check.verdict == CheckVerdict::Ok);
    let Some(check) = served else { return };
    let Some(body) = body(record, bodies, FILE) else {
        heard.not_read.push("tdmrep for this path: its body is no longer kept".to_owned());
        return;
    };
    for statement in tdmrep::file(body, path).statements {
        heard.signals.push(Signal {
            statement,
            url: Some(format!("{}{FILE}", site(record))),
            readings: check.reading.clone().into_iter().collect(),
        });
    }
}

/// Whether a statement is meant for an agent. Its own robots.txt group stands in place of the one
/// for everyone.
fn speaks_to(statement: &Statement, agent: &str, scope: Scope) -> bool {
    if statement.agents.is_empty() {
        return true;
    }
    let named = statement.agents.iter().any(|name| name.eq_ignore_ascii_case(agent));
    let everyone = statement.agents.iter().any(|name| name == "*");
    let has_group = statement.carrier == Carrier::RobotsTxt && scope == Scope::Named;
    named || (everyone && !has_group)
}

/// What no scan reads, and what this one could not.
fn never_read(record: &ScanRecord) -> Vec<String> {
    let mut unread = vec!["c2pa".to_owned(), "terms of service in prose".to_owned()];
    if matches!(
        record.policy.robots.state,
        RobotsState::NotRead | RobotsState::Refused | RobotsState::Unreachable
    ) {
        unread.push("robots.txt".to_owned());
    }
    if record.content.reading.is_none() {
        unread.push("the header fields and meta elements of the home page".to_owned());
    }
    for path in ["/.well-known/tdmrep.json", "/ai.txt"] {
        let check = record.checks.iter().find(|check| check.path == path);
        let answered = check.is_some_and(|check| {
            !matches!(
                check.verdict,
                CheckVerdict::NotRead | CheckVerdict::Refused | CheckVerdict::Unreachable
            )
        });
        if !answered {
            unread.push(path.to_owned());
        }
    }
    unread
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
