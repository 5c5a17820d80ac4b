//! What the site declares about who may read it, and what for.

use std::collections::BTreeMap;

use agents::Role;
use contract::evidence::{Reading, Target};
use contract::records::{AccessRule, AccessScope, PolicyReading, RightsDecision, RobotsReading};
use declared::robots::{Robots, Scope};

use super::look::{Look, is_success};
use super::signals;
use crate::rights::{AccessFact, AgentClass, DecidedBy, decide};

pub(super) fn policy(look: &Look<'_>) -> PolicyReading {
    let (same, differs_for, as_each) = per_identity(look);
    let reading = look.robots.reading;
    let robots = look.robots.robots.as_ref();
    let signals = signals::signals(look);
    PolicyReading {
        robots: RobotsReading {
            state: look.robots.state.clone(),
            http_status: reading.and_then(|r| r.exchange.response()).map(|r| r.status),
            why: look.robots.why.clone(),
            same_for_every_identity: same,
            differs_for,
            crawl_delay: robots.map(|robots| crawl_delay(look, robots)).unwrap_or_default(),
            managed_blocks: robots
                .into_iter()
                .flat_map(Robots::managed_blocks)
                .map(|block| {
                    format!("lines {}-{}: {}", block.first_line, block.last_line, block.by)
                })
                .collect(),
            faults: robots
                .into_iter()
                .flat_map(Robots::faults)
                .map(super::checks::told)
                .take(100)
                .collect(),
            evidence: reading.map(|r| r.id.clone()).into_iter().chain(as_each).collect(),
        },
        access: robots.map(|robots| access(look, robots)).unwrap_or_default(),
        rights: rights(look, &signals),
        signals: signals.statements.iter().map(signals::Heard::told).collect(),
        signal_faults: signals.faults,
    }
}

/// Whether everyone was given the same robots.txt; who was not; and the readings that show it.
fn per_identity(look: &Look<'_>) -> (Option<bool>, Vec<String>, Vec<String>) {
    // A file without its comments (some carry the time they were made), or that there is none. A busy
    // server and a body that broke off show neither.
    let file = |reading: &Reading| {
        let response = reading.exchange.response().filter(|r| r.body.cut.is_none())?;
        match response.status {
            429 | 500..=599 => None,
            _ if is_success(response) => Some(Some(without_comments(look.body(response)?))),
            _ => Some(None),
        }
    };
    let Some(own) = look.robots.reading.and_then(file) else {
        return (None, Vec::new(), Vec::new());
    };
    let others: Vec<(&Reading, Option<Vec<u8>>)> = look
        .reads(Target::RobotsAs)
        .filter_map(|reading| Some((reading, file(reading)?)))
        .collect();
    if others.is_empty() {
        return (None, Vec::new(), Vec::new());
    }
    let differing: Vec<&Reading> =
        others.iter().filter(|(_, seen)| *seen != own).map(|(reading, _)| *reading).collect();
    (
        Some(differing.is_empty()),
        differing.iter().map(|reading| reading.identity.clone()).collect(),
        differing.iter().map(|reading| reading.id.clone()).collect(),
    )
}

/// What a crawler reads of each line.
fn without_comments(file: &[u8]) -> Vec<u8> {
    let lines = file.split(|byte| matches!(byte, b'\n' | b'\r'));
    let read = lines.map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default());
    read.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(&b'\n')
}

/// Everyone and each AI agent, with what it reads for.
fn agents<'a>(look: &Look<'a>) -> impl Iterator<Item = (&'a str, Option<AgentClass>)> {
    let ai = look.catalogue.ai().filter_map(|identity| {
        let class = match identity.role {
            Role::Train => AgentClass::Train,
            Role::Search => AgentClass::Search,
            _ => AgentClass::User,
        };
        Some((identity.robots_token.as_deref()?, Some(class)))
    });
    std::iter::once(("*", None)).chain(ai)
}

/// For everyone and for each AI agent: the home page.
fn access(look: &Look<'_>, robots: &Robots) -> Vec<AccessRule> {
    agents(look)
        .map(|(agent, class)| {
            let access = robots.access(agent, "/");
            AccessRule {
                agent: agent.to_owned(),
                purpose: class.map(|class| {
                    match class {
                        AgentClass::Train => "training",
                        AgentClass::Search => "search",
                        AgentClass::User => "user",
                    }
                    .to_owned()
                }),
                path: "/".to_owned(),
                allowed: access.allowed,
                scope: match access.scope {
                    Scope::Named => AccessScope::Named,
                    Scope::Everyone => AccessScope::Everyone,
                    Scope::Nobody => AccessScope::Nobody,
                },
                line: access.line,
                rule: access.line.and_then(|line| robots.rule_text(line)),
            }
        })
        .collect()
}

fn crawl_delay(look: &Look<'_>, robots: &Robots) -> BTreeMap<String, String> {
    agents(look)
        .filter_map(|(agent, _)| {
            Some((agent.to_owned(), robots.crawl_delay(agent)?.seconds.to_string()))
        })
        .collect()
}

/// What all signals come to, use by use.
fn rights(look: &Look<'_>, signals: &signals::Signals) -> BTreeMap<String, RightsDecision> {
    let statements: Vec<_> =
        signals.statements.iter().map(|heard| heard.statement.clone()).collect();
    let access: Vec<AccessFact> = look
        .robots
        .robots
        .iter()
        .flat_map(|robots| {
            agents(look).filter_map(|(agent, class)| {
                let allowed = robots.access(agent, "/").allowed;
                Some(AccessFact { token: agent.to_owned(), class: class?, allowed })
            })
        })
        .collect();
    decide(&statements, &access)
        .into_iter()
        .map(|(what, decided)| {
            let mut doubts = Vec::new();
            if decided.agent_specific {
                doubts.push("agent_specific_robots".to_owned());
            }
            if decided.contradicted {
                doubts.push("contradicted".to_owned());
            }
            let decision = RightsDecision {
                value: contract::records::RightsValue::known(decided.value.as_str())
                    .unwrap_or(contract::records::RightsValue::Unknown),
                decided_by: match decided.decided_by {
                    Some(DecidedBy::Statement(at)) => Some(super::count(at)),
                    _ => None,
                },
                conflicts: super::count(decided.conflicts),
                doubts,
            };
            (what.as_str().to_owned(), decision)
        })
        .collect()
}
