//! The whole answer of `/api/v1/rights`.

use agents::Catalogue;
use contract::Domain;
use contract::records::{
    ConflictRule, FaultWeight, RightsConflict, RightsDetail, RightsRecord, RightsRule,
    RightsSignal, RightsSource, RightsTerm, RightsValue, ScanRecord, SignalScope, TermKind,
};
use declared::rights::{Carrier, Effect, Mechanism, Statement, Use};

use super::heard::{self, Asked, Heard, KeptOut, Signal, signal_word};
use crate::Bodies;
use crate::resolve::Letterhead;
use crate::resolve::address::{is_home, query_value};
use crate::rights::{DecidedBy, against, decide, effect_on};

const RULE: &str = "Each mechanism's own rules first. Then, across mechanisms and for each use: any prohibition, \
    else any condition, else any permission, else unknown. Of equally strict statements the more specific \
    decides (header, meta element, path, group, site), then a fixed order of mechanisms. What is said to some \
    agents makes the answer for everyone conditional. A robots.txt rule that keeps all agents of a kind out \
    counts as a prohibition by access; that a page may be fetched grants no use.";
/// Statements and conflicts told in one answer.
const MAX_TOLD: usize = 200;

/// What the signals say about a path, and to an agent. Nothing is known without a reading.
#[must_use]
pub fn answer(
    domain: &Domain,
    record: Option<&ScanRecord>,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    asked: Asked<'_>,
    head: &Letterhead<'_>,
) -> RightsRecord {
    let observed = record.filter(|record| super::observed(record));
    let heard = record.map(|record| heard::asked(record, bodies, catalogue, asked));
    let [train, ground, summarize, cite, transact] = match &heard {
        Some(heard) => details(heard),
        None => Use::ALL.map(|_| unknown()),
    };
    RightsRecord {
        kind: head.kind("rights"),
        v: 1,
        schema: head.schema("rights"),
        domain: domain.clone(),
        path: asked.path.to_owned(),
        agent: asked.agent.map(ToOwned::to_owned),
        observed: observed.is_some(),
        read_at: observed.map(|record| record.scanned_at),
        train,
        ground,
        summarize,
        cite,
        transact,
        signals: match (&heard, record) {
            (Some(heard), Some(record)) => signals(heard, record, asked),
            _ => Vec::new(),
        },
        conflicts: heard.as_ref().map(conflicts).unwrap_or_default(),
        rule: RightsRule {
            text: RULE.to_owned(),
            rule_sha256: proof::sha256(RULE.as_bytes()).to_string(),
        },
        not_read: match &heard {
            Some(heard) => heard.not_read.clone(),
            None => vec!["the site: no reading of it is kept".to_owned()],
        },
        reading: if observed.is_some() { super::READING } else { super::UNREAD }.to_owned(),
        api: address(domain, asked, head.base_url),
        sha256: None,
        signature: None,
    }
}

fn address(domain: &Domain, asked: Asked<'_>, base_url: &str) -> String {
    let mut address = format!("{base_url}/api/v1/rights?domain={domain}");
    if !is_home(asked.path) {
        address.push_str(&format!("&path={}", query_value(asked.path)));
    }
    if let Some(agent) = asked.agent {
        address.push_str(&format!("&agent={}", query_value(agent)));
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

fn details(heard: &Heard) -> [RightsDetail; 5] {
    decide(&heard.statements(), &heard.access).map(|(what, decided)| {
        let told = super::told(heard, &decided);
        RightsDetail {
            value: told.value,
            decided_by: told.decided_by,
            conflicts: told.conflicts,
            terms: terms(heard, what),
        }
    })
}

/// The terms under which a use is allowed, each once.
fn terms(heard: &Heard, what: Use) -> Vec<RightsTerm> {
    let mut terms: Vec<RightsTerm> = Vec::new();
    for signal in &heard.signals {
        if effect_on(&signal.statement, what) != Some(Effect::Conditional) {
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
        signal: signal_word(statement.mechanism).to_owned(),
    }
}

/// The first web address in a statement's text.
fn first_address(raw: &str) -> Option<String> {
    let at = raw.find("https://").or_else(|| raw.find("http://"))?;
    let rest = raw.get(at..)?;
    let end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ',' | ';' | '\\');
    Some(rest.split(end).next().unwrap_or_default().to_owned())
}

fn signals(heard: &Heard, record: &ScanRecord, asked: Asked<'_>) -> Vec<RightsSignal> {
    let read_at = record.scanned_at;
    let said = heard.signals.iter().map(|signal| RightsSignal {
        signal: signal_word(signal.statement.mechanism).to_owned(),
        url: signal.url.clone(),
        scope: scope(&signal.statement),
        group: group(&signal.statement, asked),
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
    let access = heard.kept_out.iter().map(|rule| kept_out(heard, rule, read_at));
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
    said.chain(access).chain(malformed).take(MAX_TOLD).collect()
}

fn kept_out(heard: &Heard, rule: &KeptOut, read_at: contract::Timestamp) -> RightsSignal {
    let raw = rule.rule.clone().unwrap_or_default();
    RightsSignal {
        signal: heard::ACCESS.to_owned(),
        url: Some(heard.robots_url.clone()),
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

fn group(statement: &Statement, asked: Asked<'_>) -> Option<String> {
    if statement.carrier != Carrier::RobotsTxt {
        return None;
    }
    match (statement.agents.as_slice(), asked.agent) {
        ([], Some(agent)) => Some(agent.to_owned()),
        ([], None) => None,
        (agents, _) => Some(agents.join(", ")),
    }
}

/// Who is overruled by whom, use by use.
fn conflicts(heard: &Heard) -> Vec<RightsConflict> {
    let statements = heard.statements();
    let mut told = Vec::new();
    for (what, decided) in decide(&statements, &heard.access) {
        let Some(by) = decided.decided_by else { continue };
        let decider = word(heard, by);
        for other in against(what, &statements, &heard.access) {
            told.push(RightsConflict {
                about: what.as_str().to_owned(),
                signals: vec![decider.clone(), word(heard, other)],
                resolved_by: ConflictRule::MostRestrictive,
            });
        }
        // TDMRep ranks its own carriers; what is outranked is no voice, and worth telling.
        for (at, signal) in heard.signals.iter().enumerate() {
            if outranked(heard, at, signal, what) {
                told.push(RightsConflict {
                    about: what.as_str().to_owned(),
                    signals: vec![decider.clone(), word(heard, DecidedBy::Statement(at))],
                    resolved_by: ConflictRule::MoreSpecific,
                });
            }
        }
    }
    told.truncate(MAX_TOLD);
    told
}

/// Whether a later carrier of the same mechanism says something else of the use.
fn outranked(heard: &Heard, at: usize, signal: &Signal, what: Use) -> bool {
    let rank = |carrier: Carrier| match carrier {
        Carrier::Meta => 2,
        Carrier::Header => 1,
        _ => 0,
    };
    let Some(effect) = effect_on(&signal.statement, what) else { return false };
    signal.statement.mechanism == Mechanism::Tdmrep
        && heard.signals.iter().enumerate().any(|(other_at, other)| {
            other_at != at
                && other.statement.mechanism == Mechanism::Tdmrep
                && rank(other.statement.carrier) > rank(signal.statement.carrier)
                && effect_on(&other.statement, what).is_some_and(|said| said != effect)
        })
}

fn word(heard: &Heard, by: DecidedBy) -> String {
    match by {
        DecidedBy::Access(_) => heard::ACCESS.to_owned(),
        DecidedBy::Statement(at) => heard
            .signals
            .get(at)
            .map_or_else(String::new, |signal| signal_word(signal.statement.mechanism).to_owned()),
    }
}
