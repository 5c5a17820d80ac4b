//! What the site declares about who may read it and for which uses.

use std::collections::BTreeMap;

use agents::Role;
use contract::evidence::{ReadTarget, Reading};
use contract::records::{AccessRule, AccessScope, PolicyReading, RightsDecision, RobotsReading};
use declared::robots::{Robots, Scope};

use super::convert::{saturating_u32, to_file_fault};
use super::parsed_evidence::{ParsedEvidence, is_success};
use super::rights_signals;
use crate::rights::{AccessFact, AgentClass, DecidedBy, decide_uses};

pub(super) fn build_policy_reading(parsed: &ParsedEvidence<'_>) -> PolicyReading {
    let (same, differs_for, as_each) = compare_robots_by_identity(parsed);
    let reading = parsed.robots.reading;
    let robots = parsed.robots.rules.as_ref();
    let signals = rights_signals::collect_signals(parsed);
    PolicyReading {
        robots: RobotsReading {
            state: parsed.robots.state.clone(),
            http_status: reading.and_then(|r| r.exchange.response()).map(|r| r.status),
            why: parsed.robots.why.clone(),
            same_for_every_identity: same,
            differs_for,
            crawl_delay: robots.map(|robots| crawl_delays(parsed, robots)).unwrap_or_default(),
            managed_blocks: robots
                .into_iter()
                .flat_map(Robots::managed_blocks)
                .map(|block| {
                    format!("lines {}-{}: {}", block.first_line, block.last_line, block.managed_by)
                })
                .collect(),
            faults: robots
                .into_iter()
                .flat_map(declared::robots_lint::find_faults)
                .map(to_file_fault)
                .take(100)
                .collect(),
            evidence: reading.map(|r| r.id.clone()).into_iter().chain(as_each).collect(),
        },
        access: robots.map(|robots| access_rules(parsed, robots)).unwrap_or_default(),
        rights: rights_decisions(parsed, &signals),
        signals: signals
            .statements
            .iter()
            .map(rights_signals::CollectedStatement::to_signal_statement)
            .collect(),
        signal_faults: signals.faults,
    }
}

/// Whether all identities got the same robots.txt, which did not, and the readings that show it.
fn compare_robots_by_identity(
    parsed: &ParsedEvidence<'_>,
) -> (Option<bool>, Vec<String>, Vec<String>) {
    // The file without comments (which may contain a timestamp), or None if it is missing. A busy server
    // or an incomplete body is not compared.
    let file = |reading: &Reading| {
        let response = reading.exchange.response().filter(|r| r.body.cut.is_none())?;
        match response.status {
            429 | 500..=599 => None,
            _ if is_success(response) => Some(Some(strip_comments(parsed.body(response)?))),
            _ => Some(None),
        }
    };
    let Some(own) = parsed.robots.reading.and_then(file) else {
        return (None, Vec::new(), Vec::new());
    };
    let others: Vec<(&Reading, Option<Vec<u8>>)> = parsed
        .readings(ReadTarget::RobotsAs)
        .filter_map(|reading| Some((reading, file(reading)?)))
        .collect();
    if others.is_empty() {
        return (None, Vec::new(), Vec::new());
    }
    let differing: Vec<&Reading> =
        others.iter().filter(|(_, other)| *other != own).map(|(reading, _)| *reading).collect();
    (
        Some(differing.is_empty()),
        differing.iter().map(|reading| reading.identity.clone()).collect(),
        differing.iter().map(|reading| reading.id.clone()).collect(),
    )
}

/// The lines of the file without comments, spaces and empty lines.
fn strip_comments(file: &[u8]) -> Vec<u8> {
    let lines = file.split(|byte| matches!(byte, b'\n' | b'\r'));
    let read = lines.map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default());
    read.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(&b'\n')
}

/// The robots.txt tokens of everyone (`*`) and of each AI crawler, with its class.
fn agent_tokens<'a>(
    parsed: &ParsedEvidence<'a>,
) -> impl Iterator<Item = (&'a str, Option<AgentClass>)> {
    let ai = parsed.catalogue.ai_identities().filter_map(|identity| {
        let class = match identity.role {
            Role::Train => AgentClass::Train,
            Role::Search => AgentClass::Search,
            _ => AgentClass::User,
        };
        Some((identity.robots_token.as_deref()?, Some(class)))
    });
    std::iter::once(("*", None)).chain(ai)
}

/// Whether everyone and each AI crawler may read the home page.
fn access_rules(parsed: &ParsedEvidence<'_>, robots: &Robots) -> Vec<AccessRule> {
    agent_tokens(parsed)
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

fn crawl_delays(parsed: &ParsedEvidence<'_>, robots: &Robots) -> BTreeMap<String, String> {
    agent_tokens(parsed)
        .filter_map(|(agent, _)| {
            Some((agent.to_owned(), robots.crawl_delay(agent)?.seconds.to_string()))
        })
        .collect()
}

/// The decision for each use from all signals.
fn rights_decisions(
    parsed: &ParsedEvidence<'_>,
    signals: &rights_signals::RightsSignals,
) -> BTreeMap<String, RightsDecision> {
    let statements: Vec<_> =
        signals.statements.iter().map(|collected| collected.statement.clone()).collect();
    let access: Vec<AccessFact> = parsed
        .robots
        .rules
        .iter()
        .flat_map(|robots| {
            agent_tokens(parsed).filter_map(|(agent, class)| {
                let allowed = robots.access(agent, "/").allowed;
                Some(AccessFact { token: agent.to_owned(), class: class?, allowed })
            })
        })
        .collect();
    decide_uses(&statements, &access)
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
                value: contract::records::RightsValue::from_word(decided.value.as_str())
                    .unwrap_or(contract::records::RightsValue::Unknown),
                decided_by: match decided.decided_by {
                    Some(DecidedBy::Statement(at)) => Some(saturating_u32(at)),
                    _ => None,
                },
                conflicts: saturating_u32(decided.conflicts),
                doubts,
            };
            (what.as_str().to_owned(), decision)
        })
        .collect()
}
