//! What the site declares about who may read it, and what for.

use std::collections::BTreeMap;

use agents::Role;
use contract::evidence::Target;
use contract::records::{AccessRule, AccessScope, PolicyReading, RobotsReading};
use declared::robots::{Robots, Scope};

use super::look::{Look, is_success};

pub(super) fn policy(look: &Look<'_>) -> PolicyReading {
    let (same, differs_for, as_each) = per_identity(look);
    let reading = look.robots.reading;
    PolicyReading {
        robots: RobotsReading {
            state: look.robots.state.clone(),
            http_status: reading.and_then(|r| r.exchange.response()).map(|r| r.status),
            why: look.robots.why.clone(),
            same_for_every_identity: same,
            differs_for,
            crawl_delay: BTreeMap::new(),
            managed_blocks: Vec::new(),
            faults: Vec::new(),
            evidence: reading.map(|r| r.id.clone()).into_iter().chain(as_each).collect(),
        },
        access: look.robots.robots.as_ref().map(|robots| access(look, robots)).unwrap_or_default(),
        signals: Vec::new(),
        signal_faults: Vec::new(),
        rights: BTreeMap::new(),
    }
}

/// Whether everyone was given the same robots.txt; who was not; and the readings that show it.
fn per_identity(look: &Look<'_>) -> (Option<bool>, Vec<String>, Vec<String>) {
    let digest = |reading: &contract::evidence::Reading| {
        let response = reading.exchange.response()?;
        Some((is_success(response), is_success(response).then(|| response.body.sha256.clone())))
    };
    let Some(own) = look.robots.reading.and_then(digest) else {
        return (None, Vec::new(), Vec::new());
    };
    let others: Vec<_> = look
        .reads(Target::RobotsAs)
        .filter_map(|reading| Some((reading, digest(reading)?)))
        .collect();
    if others.is_empty() {
        return (None, Vec::new(), Vec::new());
    }
    let differing: Vec<_> = others.iter().filter(|(_, seen)| *seen != own).collect();
    (
        Some(differing.is_empty()),
        differing.iter().map(|(reading, _)| reading.identity.clone()).collect(),
        differing.iter().map(|(reading, _)| reading.id.clone()).collect(),
    )
}

/// For everyone and for each AI agent: the home page.
fn access(look: &Look<'_>, robots: &Robots) -> Vec<AccessRule> {
    let everyone = std::iter::once(("*", None));
    let agents = look.catalogue.ai().filter_map(|identity| {
        let purpose = match identity.role {
            Role::Train => "training",
            Role::Search => "search",
            _ => "user",
        };
        Some((identity.robots_token.as_deref()?, Some(purpose)))
    });
    everyone
        .chain(agents)
        .map(|(agent, purpose)| {
            let access = robots.access(agent, "/");
            AccessRule {
                agent: agent.to_owned(),
                purpose: purpose.map(str::to_owned),
                path: "/".to_owned(),
                allowed: access.allowed,
                scope: match access.scope {
                    Scope::Named => AccessScope::Named,
                    Scope::Everyone => AccessScope::Everyone,
                    Scope::Nobody => AccessScope::Nobody,
                },
                line: access.line,
                rule: None,
            }
        })
        .collect()
}
