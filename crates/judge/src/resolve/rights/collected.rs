//! Collects the rights statements of a site from a stored record.

use agents::{Catalogue, Role};
use contract::records::{AccessRule, CheckVerdict, RobotsState, ScanRecord, SignalStatement};
use declared::rights::{
    Carrier, ContentUse, Effect, Mechanism, Statement, aipref, content_signal, tdmrep,
};
use declared::robots::{Robots, Scope};

use crate::Bodies;
use crate::resolve::urls::is_home_path;
use crate::rights::{AccessFact, AgentClass};

/// The signal name of a robots.txt rule that decides a use. Such a rule says who may fetch, which is only
/// weak evidence for what may be done with the content.
pub(crate) const ACCESS: &str = "access";

/// The path and agent that a request is about.
#[derive(Debug, Clone, Copy)]
pub struct RightsQuery<'a> {
    /// Begins with `/`.
    pub path: &'a str,
    /// A robots.txt token; `None` for all agents.
    pub agent: Option<&'a str>,
}

/// A statement and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedStatement {
    pub statement: Statement,
    /// `None` for a file whose address is not in the record.
    pub url: Option<String>,
    /// Ids of readings.
    pub readings: Vec<String>,
}

impl LocatedStatement {
    /// The exact location: line or readings.
    #[must_use]
    pub fn evidence(&self) -> String {
        match self.statement.line {
            Some(line) => format!("line {line}"),
            None => format!("reading {}", self.readings.join(", ")),
        }
    }
}

/// All statements about uses of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedStatements {
    pub signals: Vec<LocatedStatement>,
    pub access: Vec<AccessFact>,
    pub robots_url: String,
    /// For each disallowed agent in `access`: the robots.txt rule that disallows it.
    pub(super) disallow_rules: Vec<DisallowRule>,
    /// What may contain a statement and was not read.
    pub not_read: Vec<String>,
}

/// A robots.txt rule that disallows an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DisallowRule {
    pub(super) class: AgentClass,
    pub(super) agent: String,
    pub(super) line: u32,
    /// The text of the rule.
    pub(super) rule: Option<String>,
}

impl CollectedStatements {
    #[must_use]
    pub fn statements(&self) -> Vec<Statement> {
        self.signals.iter().map(|signal| signal.statement.clone()).collect()
    }

    /// The robots.txt lines that disallow agents of a class.
    #[must_use]
    pub fn access_evidence(&self, class: AgentClass) -> String {
        let lines: Vec<String> = self
            .disallow_rules
            .iter()
            .filter(|rule| rule.class == class)
            .map(|rule| format!("line {} for {}", rule.line, rule.agent))
            .collect();
        if lines.is_empty() { "no line known".to_owned() } else { lines.join(", ") }
    }
}

/// The signal's name on the wire.
#[must_use]
pub fn signal_name(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::XRobotsTag => "x_robots",
        Mechanism::MetaRobots => "meta",
        other => other.as_str(),
    }
}

/// The statements in a record: for the home page and all agents.
pub(crate) fn collect_stored(record: &ScanRecord) -> CollectedStatements {
    let signals = record
        .policy
        .signals
        .iter()
        .filter_map(|kept| {
            Some(LocatedStatement {
                statement: from_stored(kept)?,
                url: address(record, kept),
                readings: kept.evidence.clone(),
            })
        })
        .collect();
    let mut access = Vec::new();
    let mut kept_out = Vec::new();
    for rule in &record.policy.access {
        let Some(class) = agent_class(rule) else { continue };
        if let Some(line) = rule.line.filter(|_| !rule.allowed) {
            let (agent, rule) = (rule.agent.clone(), rule.rule.clone());
            kept_out.push(DisallowRule { class, agent, line, rule });
        }
        access.push(AccessFact { token: rule.agent.clone(), class, allowed: rule.allowed });
    }
    let robots_url = format!("{}/robots.txt", origin(record));
    CollectedStatements {
        signals,
        access,
        robots_url,
        disallow_rules: kept_out,
        not_read: unread_sources(record),
    }
}

/// The statements for one path or one agent. The stored bodies of files are parsed again. Statements in
/// headers and meta elements are known only for the home page.
pub(super) fn collect_for_query(
    record: &ScanRecord,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    query: RightsQuery<'_>,
) -> CollectedStatements {
    let mut collected = collect_stored(record);
    if is_home_path(query.path) && query.agent.is_none() {
        return collected;
    }
    let all = std::mem::take(&mut collected.signals);
    let reading_of = |carrier: Carrier, mechanism: Option<Mechanism>| {
        let found = all.iter().find(|signal| {
            signal.statement.carrier == carrier
                && mechanism.is_none_or(|wanted| signal.statement.mechanism == wanted)
        });
        found.map(|signal| signal.readings.clone()).unwrap_or_default()
    };
    // Parse robots.txt again for this path and agent.
    collected.access.clear();
    collected.disallow_rules.clear();
    let mut scope = Scope::Nobody;
    match robots(record, bodies) {
        StoredRobots::Read(robots) => {
            scope =
                query.agent.map_or(Scope::Nobody, |agent| robots.access(agent, query.path).scope);
            let readings = match reading_of(Carrier::RobotsTxt, None) {
                none if none.is_empty() => record.policy.robots.evidence.clone(),
                some => some,
            };
            let url = Some(collected.robots_url.clone());
            for statement in robots_statements(&robots, catalogue, query) {
                let (url, readings) = (url.clone(), readings.clone());
                let new = LocatedStatement { statement, url, readings };
                if !collected.signals.contains(&new) {
                    collected.signals.push(new);
                }
            }
            collect_access(&robots, catalogue, query, &mut collected);
        }
        StoredRobots::None => {}
        StoredRobots::Unavailable(why) => collected.not_read.push(why.to_owned()),
    }
    for signal in all {
        let statement = &signal.statement;
        match (statement.carrier, statement.mechanism) {
            (Carrier::RobotsTxt, _) => {}
            // ai.txt applies to the whole site.
            (Carrier::File, Mechanism::AiTxt) => collected.signals.push(signal),
            (Carrier::File, Mechanism::Tdmrep) if !is_home_path(query.path) => {}
            (Carrier::File, _) if is_home_path(query.path) => collected.signals.push(signal),
            (Carrier::File, mechanism) => {
                let what = format!("{} for this path", signal_name(mechanism));
                if !collected.not_read.contains(&what) {
                    collected.not_read.push(what);
                }
            }
            _ if is_home_path(query.path) => collected.signals.push(signal),
            _ => {}
        }
    }
    if !is_home_path(query.path) {
        collected.not_read.push("the header fields and meta elements of this page".to_owned());
        collect_tdmrep(record, bodies, query.path, &mut collected);
    }
    if let Some(agent) = query.agent {
        collected.signals.retain(|signal| applies_to(&signal.statement, agent, scope));
        for signal in &mut collected.signals {
            // The remaining statements apply to this agent.
            signal.statement.agents.clear();
        }
    }
    collected
}

enum StoredRobots {
    Read(Box<Robots>),
    /// The site has none, or it is not a policy.
    None,
    /// It was not readable at the time, or its body is no longer stored.
    Unavailable(&'static str),
}

fn robots(record: &ScanRecord, bodies: &dyn Bodies) -> StoredRobots {
    match record.policy.robots.state {
        RobotsState::Declared => {}
        RobotsState::Absent | RobotsState::NotAPolicy => return StoredRobots::None,
        _ => return StoredRobots::Unavailable("robots.txt"),
    }
    let body = body(record, bodies, "/robots.txt");
    match body {
        Some(body) => StoredRobots::Read(Box::new(Robots::parse(body))),
        None => StoredRobots::Unavailable(
            "robots.txt for this path and agent: its body is no longer stored",
        ),
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

fn robots_statements(
    robots: &Robots,
    catalogue: &Catalogue,
    query: RightsQuery<'_>,
) -> Vec<Statement> {
    let mut statements = content_signal::from_robots(robots).statements;
    match query.agent {
        Some(agent) => {
            statements.extend(aipref::from_robots(robots, agent, query.path).statements);
        }
        None => {
            let tokens =
                catalogue.ai_identities().filter_map(|identity| identity.robots_token.as_deref());
            for token in std::iter::once("*").chain(tokens) {
                statements.extend(aipref::from_robots(robots, token, query.path).statements);
            }
        }
    }
    statements
}

/// Collects who may fetch the path. For one agent its rule counts for every class: it cannot use what it
/// may not fetch.
fn collect_access(
    robots: &Robots,
    catalogue: &Catalogue,
    query: RightsQuery<'_>,
    collected: &mut CollectedStatements,
) {
    let mut note = |token: &str, class: AgentClass| {
        let access = robots.access(token, query.path);
        collected.access.push(AccessFact {
            token: token.to_owned(),
            class,
            allowed: access.allowed,
        });
        if let Some(line) = access.line.filter(|_| !access.allowed) {
            let rule = robots.rule_text(line);
            collected.disallow_rules.push(DisallowRule {
                class,
                agent: token.to_owned(),
                line,
                rule,
            });
        }
    };
    match query.agent {
        Some(agent) => AgentClass::ALL.into_iter().for_each(|class| note(agent, class)),
        None => {
            for identity in catalogue.ai_identities() {
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

fn collect_tdmrep(
    record: &ScanRecord,
    bodies: &dyn Bodies,
    path: &str,
    collected: &mut CollectedStatements,
) {
    const FILE: &str = "/.well-known/tdmrep.json";
    let served =
        record.checks.iter().find(|check| check.path == FILE && check.verdict == CheckVerdict::Ok);
    let Some(check) = served else { return };
    let Some(body) = body(record, bodies, FILE) else {
        collected.not_read.push("tdmrep for this path: its body is no longer stored".to_owned());
        return;
    };
    for statement in tdmrep::from_file(body, path).statements {
        collected.signals.push(LocatedStatement {
            statement,
            url: Some(format!("{}{FILE}", origin(record))),
            readings: check.reading.clone().into_iter().collect(),
        });
    }
}

/// Whether a statement applies to an agent. If the agent has its own robots.txt group, the group for all
/// agents does not apply.
fn applies_to(statement: &Statement, agent: &str, scope: Scope) -> bool {
    if statement.agents.is_empty() {
        return true;
    }
    let named = statement.agents.iter().any(|name| name.eq_ignore_ascii_case(agent));
    let everyone = statement.agents.iter().any(|name| name == "*");
    let has_group = statement.carrier == Carrier::RobotsTxt && scope == Scope::Named;
    named || (everyone && !has_group)
}

/// What no scan reads, and what this scan could not read.
fn unread_sources(record: &ScanRecord) -> Vec<String> {
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

/// The origin under which the site was read.
pub(super) fn origin(record: &ScanRecord) -> String {
    let scheme = if record.transport.https == Some(false) { "http" } else { "https" };
    format!("{scheme}://{}", record.domain)
}

fn agent_class(rule: &AccessRule) -> Option<AgentClass> {
    match rule.purpose.as_deref()? {
        "training" => Some(AgentClass::Train),
        "search" => Some(AgentClass::Search),
        "user" => Some(AgentClass::User),
        _ => None,
    }
}

/// The address that a signal was read from, if it is in the record.
fn address(record: &ScanRecord, kept: &SignalStatement) -> Option<String> {
    let from = |id: &Option<String>| id.as_ref().is_some_and(|id| kept.evidence.contains(id));
    match kept.carrier.as_str() {
        "robots_txt" => Some(format!("{}/robots.txt", origin(record))),
        "file" => {
            let check = record.checks.iter().find(|check| from(&check.reading));
            match check {
                // Files that another one names are listed with their whole address.
                Some(check) if check.path.contains("://") => Some(check.path.clone()),
                Some(check) => Some(format!("{}{}", origin(record), check.path)),
                // A statement inside the page itself.
                None => page(record, kept),
            }
        }
        _ => page(record, kept).or_else(|| Some(format!("{}/", origin(record)))),
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

/// A stored statement as the parser gave it. `None` for words of a later version, so that an unknown
/// statement decides nothing.
fn from_stored(kept: &SignalStatement) -> Option<Statement> {
    Some(Statement {
        mechanism: parse_mechanism(&kept.mechanism)?,
        carrier: parse_carrier(&kept.carrier)?,
        uses: kept
            .uses
            .iter()
            .filter_map(|(what, said)| Some((parse_use(what)?, parse_effect(said)?)))
            .collect(),
        agents: kept.agents.clone(),
        path: kept.path.clone(),
        raw: kept.untrusted_raw.clone(),
        line: kept.line,
        note: kept.note.clone(),
    })
}

fn parse_mechanism(word: &str) -> Option<Mechanism> {
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

fn parse_carrier(word: &str) -> Option<Carrier> {
    const ALL: [Carrier; 5] =
        [Carrier::RobotsTxt, Carrier::Header, Carrier::Meta, Carrier::File, Carrier::Status];
    ALL.into_iter().find(|known| known.as_str() == word)
}

fn parse_use(word: &str) -> Option<ContentUse> {
    ContentUse::ALL.into_iter().find(|known| known.as_str() == word)
}

fn parse_effect(word: &str) -> Option<Effect> {
    const ALL: [Effect; 3] = [Effect::Allow, Effect::Conditional, Effect::Disallow];
    ALL.into_iter().find(|known| known.as_str() == word)
}
