//! The answer of `/api/v1/rights`.

use agents::Catalogue;
use contract::records::{
    ConflictRule, FaultWeight, RightsConflict, RightsDetail, RightsRecord, RightsRule,
    RightsSignal, RightsSource, RightsTerm, RightsValue, ScanRecord, SignalScope, TermKind,
};
use contract::{Domain, Issuer};
use declared::rights::{Carrier, ContentUse, Effect, Mechanism, Statement};

use super::collected::{
    self, CollectedStatements, DisallowRule, LocatedStatement, RightsQuery, signal_name,
};
use super::section::{self, READING, UNREAD, rights_use};
use crate::Bodies;
use crate::resolve::urls::{escape_query_value, is_home_path};
use crate::rights::{DecidedBy, conflicting_sources, decide_uses, strictest_effect};

const RULE: &str = "Each mechanism's own rules apply first. Then, across mechanisms and for each use: any prohibition decides, \
    else any condition, else any permission, else the value is unknown. Of equally strict statements the more \
    specific decides (header, meta element, path, group, site), then a fixed order of mechanisms. A statement \
    for some agents makes the value for all agents conditional. A robots.txt rule that disallows all agents of \
    a class counts as a prohibition by access. Permission to fetch a page permits no use.";
/// The most statements and the most conflicts in one answer.
const MAX_ITEMS: usize = 200;

/// Builds the answer for a path and, if given, an agent. Without a reading every value is unknown.
#[must_use]
pub fn answer(
    domain: &Domain,
    record: Option<&ScanRecord>,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    query: RightsQuery<'_>,
    issuer: &Issuer,
) -> RightsRecord {
    let observed = record.filter(|record| section::is_observed(record));
    let collected =
        record.map(|record| collected::collect_for_query(record, bodies, catalogue, query));
    let [train, ground, summarize, cite, transact] = match &collected {
        Some(collected) => details(collected),
        None => ContentUse::ALL.map(|_| unknown()),
    };
    RightsRecord {
        kind: issuer.kind("rights"),
        v: 1,
        schema: issuer.schema_url("rights"),
        domain: domain.clone(),
        path: query.path.to_owned(),
        agent: query.agent.map(ToOwned::to_owned),
        observed: observed.is_some(),
        read_at: observed.map(|record| record.scanned_at),
        train,
        ground,
        summarize,
        cite,
        transact,
        signals: match (&collected, record) {
            (Some(collected), Some(record)) => signals(collected, record, query),
            _ => Vec::new(),
        },
        conflicts: collected.as_ref().map(conflicts).unwrap_or_default(),
        rule: RightsRule {
            text: RULE.to_owned(),
            rule_sha256: proof::sha256(RULE.as_bytes()).to_string(),
        },
        not_read: match &collected {
            Some(collected) => collected.not_read.clone(),
            None => vec!["the site: there is no stored reading of it".to_owned()],
        },
        reading: if observed.is_some() { READING } else { UNREAD }.to_owned(),
        api: address(domain, query, &issuer.base_url),
        sha256: None,
        signature: None,
    }
}

fn address(domain: &Domain, query: RightsQuery<'_>, base_url: &str) -> String {
    let mut address = format!("{base_url}/api/v1/rights?domain={domain}");
    if !is_home_path(query.path) {
        address.push_str(&format!("&path={}", escape_query_value(query.path)));
    }
    if let Some(agent) = query.agent {
        address.push_str(&format!("&agent={}", escape_query_value(agent)));
    }
    address
}

fn unknown() -> RightsDetail {
    RightsDetail {
        value: RightsValue::Unknown,
        decided_by: RightsSource { signal: None, url: None, evidence: None },
        conflicts: 0,
        terms: Vec::new(),
    }
}

fn details(collected: &CollectedStatements) -> [RightsDetail; 5] {
    decide_uses(&collected.statements(), &collected.access).map(|(what, decided)| {
        let rights_use = rights_use(collected, &decided);
        RightsDetail {
            value: rights_use.value,
            decided_by: rights_use.decided_by,
            conflicts: rights_use.conflicts,
            terms: terms(collected, what),
        }
    })
}

/// The terms under which a use is allowed, each once.
fn terms(collected: &CollectedStatements, what: ContentUse) -> Vec<RightsTerm> {
    let mut terms: Vec<RightsTerm> = Vec::new();
    for signal in &collected.signals {
        if strictest_effect(&signal.statement, what) != Some(Effect::Conditional) {
            continue;
        }
        let term = term(&signal.statement);
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}

fn term(statement: &Statement) -> RightsTerm {
    let kind = match statement.mechanism {
        Mechanism::PayPerCrawl | Mechanism::X402 | Mechanism::PaymentRequired => TermKind::Pay,
        Mechanism::Rsl | Mechanism::License402 | Mechanism::Tdmrep => TermKind::License,
        _ => TermKind::Limit,
    };
    RightsTerm {
        kind,
        untrusted_address: first_address(&statement.raw),
        signal: signal_name(statement.mechanism).to_owned(),
    }
}

/// The first web address in a statement's text.
fn first_address(raw: &str) -> Option<String> {
    let at = raw.find("https://").or_else(|| raw.find("http://"))?;
    let rest = raw.get(at..)?;
    let end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ',' | ';' | '\\');
    Some(rest.split(end).next().unwrap_or_default().to_owned())
}

fn signals(
    collected: &CollectedStatements,
    record: &ScanRecord,
    query: RightsQuery<'_>,
) -> Vec<RightsSignal> {
    let read_at = record.scanned_at;
    let stated = collected.signals.iter().map(|signal| RightsSignal {
        signal: signal_name(signal.statement.mechanism).to_owned(),
        url: signal.url.clone(),
        scope: scope(&signal.statement),
        group: group(&signal.statement, query),
        line: signal.statement.line,
        untrusted_raw: signal.statement.raw.clone(),
        raw_sha256: proof::sha256(signal.statement.raw.as_bytes()).to_string(),
        effects: signal
            .statement
            .uses
            .iter()
            .map(|(what, effect)| (what.as_str().to_owned(), effect.as_str().to_owned()))
            .collect(),
        read_at,
        valid: true,
        why_invalid: None,
    });
    let access =
        collected.disallow_rules.iter().map(|rule| disallow_signal(collected, rule, read_at));
    let malformed = record
        .policy
        .signal_faults
        .iter()
        .filter(|fault| fault.fault.weight == FaultWeight::Error)
        .map(|fault| RightsSignal {
            signal: fault.mechanism.clone(),
            url: None,
            scope: match fault.carrier.as_str() {
                "header" | "meta" | "status" => SignalScope::Page,
                _ => SignalScope::Site,
            },
            group: None,
            line: None,
            untrusted_raw: fault.fault.at.clone(),
            raw_sha256: proof::sha256(fault.fault.at.as_bytes()).to_string(),
            effects: Default::default(),
            read_at,
            valid: false,
            why_invalid: Some(fault.fault.problem.clone()),
        });
    stated.chain(access).chain(malformed).take(MAX_ITEMS).collect()
}

fn disallow_signal(
    collected: &CollectedStatements,
    rule: &DisallowRule,
    read_at: contract::Timestamp,
) -> RightsSignal {
    let raw = rule.rule.clone().unwrap_or_default();
    RightsSignal {
        signal: collected::ACCESS.to_owned(),
        url: Some(collected.robots_url.clone()),
        scope: SignalScope::Group,
        group: Some(rule.agent.clone()),
        line: Some(rule.line),
        raw_sha256: proof::sha256(raw.as_bytes()).to_string(),
        untrusted_raw: raw,
        effects: rule
            .class
            .uses()
            .iter()
            .map(|what| (what.as_str().to_owned(), Effect::Disallow.as_str().to_owned()))
            .collect(),
        read_at,
        valid: true,
        why_invalid: None,
    }
}

fn scope(statement: &Statement) -> SignalScope {
    match statement.carrier {
        Carrier::Header | Carrier::Meta | Carrier::Status => SignalScope::Page,
        _ if statement.path.as_deref().is_some_and(|path| path != "/") => SignalScope::Path,
        Carrier::RobotsTxt if !statement.agents.is_empty() => SignalScope::Group,
        _ => SignalScope::Site,
    }
}

fn group(statement: &Statement, query: RightsQuery<'_>) -> Option<String> {
    if statement.carrier != Carrier::RobotsTxt {
        return None;
    }
    match (statement.agents.as_slice(), query.agent) {
        ([], Some(agent)) => Some(agent.to_owned()),
        ([], None) => None,
        (agents, _) => Some(agents.join(", ")),
    }
}

/// Which statement overrules which, for each use.
fn conflicts(collected: &CollectedStatements) -> Vec<RightsConflict> {
    let statements = collected.statements();
    let mut conflicts = Vec::new();
    for (what, decided) in decide_uses(&statements, &collected.access) {
        let Some(by) = decided.decided_by else { continue };
        let decider = signal_of(collected, by);
        for other in conflicting_sources(what, &statements, &collected.access) {
            conflicts.push(RightsConflict {
                content_use: what.as_str().to_owned(),
                signals: vec![decider.clone(), signal_of(collected, other)],
                resolved_by: ConflictRule::MostRestrictive,
            });
        }
        // TDMRep ranks its own carriers. An outranked statement does not count, but is listed.
        for (at, signal) in collected.signals.iter().enumerate() {
            if outranked(collected, at, signal, what) {
                conflicts.push(RightsConflict {
                    content_use: what.as_str().to_owned(),
                    signals: vec![decider.clone(), signal_of(collected, DecidedBy::Statement(at))],
                    resolved_by: ConflictRule::MoreSpecific,
                });
            }
        }
    }
    conflicts.truncate(MAX_ITEMS);
    conflicts
}

/// Whether a higher-ranked TDMRep carrier states something else about the use.
fn outranked(
    collected: &CollectedStatements,
    at: usize,
    signal: &LocatedStatement,
    what: ContentUse,
) -> bool {
    let rank = |carrier: Carrier| match carrier {
        Carrier::Meta => 2,
        Carrier::Header => 1,
        _ => 0,
    };
    let Some(effect) = strictest_effect(&signal.statement, what) else { return false };
    signal.statement.mechanism == Mechanism::Tdmrep
        && collected.signals.iter().enumerate().any(|(other_at, other)| {
            other_at != at
                && other.statement.mechanism == Mechanism::Tdmrep
                && rank(other.statement.carrier) > rank(signal.statement.carrier)
                && strictest_effect(&other.statement, what)
                    .is_some_and(|other_effect| other_effect != effect)
        })
}

fn signal_of(collected: &CollectedStatements, by: DecidedBy) -> String {
    match by {
        DecidedBy::Access(_) => collected::ACCESS.to_owned(),
        DecidedBy::Statement(at) => collected
            .signals
            .get(at)
            .map_or_else(String::new, |signal| signal_name(signal.statement.mechanism).to_owned()),
    }
}
