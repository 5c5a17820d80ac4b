//! Combines the rights statements of a site into one decision for each of the five uses.
//!
//! The strictest statement decides: any prohibition prohibits, else any condition makes the use
//! conditional, else any permission allows it, else it is unknown. This is the combination rule of
//! the AIPREF drafts, with conditions added. A robots.txt rule that disallows crawlers is not a
//! statement about a use, but it counts too: crawlers cannot use what they may not fetch.

use std::cmp::Reverse;

use declared::rights::{Carrier, ContentUse, Effect, Mechanism, Statement};

/// What an agent fetches pages for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentClass {
    /// Collects training data.
    Train,
    /// Builds an index for AI search.
    Search,
    /// Fetches at a user's request.
    User,
}

impl AgentClass {
    pub const ALL: [Self; 3] = [Self::Train, Self::Search, Self::User];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Search => "search",
            Self::User => "user",
        }
    }

    /// The uses that agents of this class fetch for.
    #[must_use]
    pub fn uses(self) -> &'static [ContentUse] {
        match self {
            Self::Train => &[ContentUse::Train],
            Self::Search => &[ContentUse::Ground, ContentUse::Cite],
            Self::User => &[ContentUse::Ground],
        }
    }
}

/// Whether robots.txt lets one agent fetch the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessFact {
    pub token: String,
    pub class: AgentClass,
    pub allowed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RightsValue {
    Unknown,
    Allowed,
    Conditional,
    Disallowed,
}

impl RightsValue {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Allowed => "allowed",
            Self::Conditional => "conditional",
            Self::Disallowed => "disallowed",
        }
    }
}

/// The source that decided a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The statement at this index of the list.
    Statement(usize),
    /// The robots.txt rules for the agents of this class.
    Access(AgentClass),
}

/// The decision for one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseDecision {
    pub value: RightsValue,
    pub decided_by: Option<DecidedBy>,
    /// How many other sources state a different effect on the use.
    pub conflicts: usize,
    /// Whether one statement allows the use and another prohibits it.
    pub contradicted: bool,
    /// Whether the decision depends on a statement for some agents only (the doubt
    /// `agent_specific_robots`).
    pub agent_specific: bool,
}

/// The effect of one source on one use.
#[derive(Clone, Copy)]
struct UseEffect {
    effect: Effect,
    source: DecidedBy,
    agent_specific: bool,
    stated_effect: Effect,
}

/// Decides each use from the statements that apply to the path and from the robots.txt access of each
/// agent.
///
/// The parser of each mechanism has applied that mechanism's own precedence rules. Only the carriers of
/// TDMRep are ranked here, because they are parsed separately.
#[must_use]
pub fn decide_uses(
    statements: &[Statement],
    access: &[AccessFact],
) -> [(ContentUse, UseDecision); 5] {
    ContentUse::ALL.map(|what| (what, decide_use(what, statements, access)))
}

fn decide_use(what: ContentUse, statements: &[Statement], access: &[AccessFact]) -> UseDecision {
    let effects = effects_on_use(what, statements, access);
    let deciding = effects
        .iter()
        .max_by_key(|source| (source.effect, Reverse(source_rank(source, statements))));
    let Some(deciding) = deciding else {
        return UseDecision {
            value: RightsValue::Unknown,
            decided_by: None,
            conflicts: 0,
            contradicted: false,
            agent_specific: false,
        };
    };
    let value = match deciding.effect {
        Effect::Allow => RightsValue::Allowed,
        Effect::Conditional => RightsValue::Conditional,
        Effect::Disallow => RightsValue::Disallowed,
    };
    let says = |effect: Effect| {
        effects.iter().any(|source| {
            source.effect == effect && matches!(source.source, DecidedBy::Statement(_))
        })
    };
    UseDecision {
        value,
        decided_by: Some(deciding.source),
        conflicts: effects.iter().filter(|source| source.effect != deciding.effect).count(),
        contradicted: says(Effect::Allow) && says(Effect::Disallow),
        agent_specific: deciding.agent_specific,
    }
}

/// All sources that have an effect on a use.
fn effects_on_use(
    what: ContentUse,
    statements: &[Statement],
    access: &[AccessFact],
) -> Vec<UseEffect> {
    let tdmrep = statements
        .iter()
        .filter(|statement| {
            statement.mechanism == Mechanism::Tdmrep && strictest_effect(statement, what).is_some()
        })
        .map(|statement| tdmrep_rank(statement.carrier))
        .max();
    let in_force = |statement: &Statement| {
        statement.mechanism != Mechanism::Tdmrep || Some(tdmrep_rank(statement.carrier)) == tdmrep
    };
    let mut effects: Vec<UseEffect> = statements
        .iter()
        .enumerate()
        .filter(|(_, statement)| in_force(statement))
        .filter_map(|(at, statement)| {
            let stated = strictest_effect(statement, what)?;
            let agent_specific = !applies_to_everyone(statement);
            // A statement for some agents only makes the use depend on the agent.
            let effect = if agent_specific { Effect::Conditional } else { stated };
            Some(UseEffect {
                effect,
                source: DecidedBy::Statement(at),
                agent_specific,
                stated_effect: stated,
            })
        })
        .collect();
    // A permission for some agents adds nothing if everyone has it.
    let granted = effects
        .iter()
        .any(|source| !source.agent_specific && source.stated_effect == Effect::Allow);
    for source in &mut effects {
        if granted && source.agent_specific && source.stated_effect == Effect::Allow {
            source.effect = Effect::Allow;
            source.agent_specific = false;
        }
    }
    effects
        .extend(AgentClass::ALL.into_iter().filter_map(|class| access_effect(what, class, access)));
    effects
}

/// The sources whose effect on a use differs from the deciding one. Their number is
/// `UseDecision::conflicts`.
#[must_use]
pub fn conflicting_sources(
    what: ContentUse,
    statements: &[Statement],
    access: &[AccessFact],
) -> Vec<DecidedBy> {
    let effects = effects_on_use(what, statements, access);
    let strictest = effects.iter().map(|source| source.effect).max();
    effects
        .iter()
        .filter(|source| Some(source.effect) != strictest)
        .map(|source| source.source)
        .collect()
}

/// The strictest effect that a statement has on a use.
pub(crate) fn strictest_effect(statement: &Statement, what: ContentUse) -> Option<Effect> {
    statement
        .uses
        .iter()
        .filter(|(stated_use, _)| *stated_use == what)
        .map(|(_, effect)| *effect)
        .max()
}

fn applies_to_everyone(statement: &Statement) -> bool {
    statement.agents.is_empty() || statement.agents.iter().any(|agent| agent == "*")
}

/// The effect of robots.txt access on a use. If all agents of the class are disallowed, the use is
/// prohibited; if some are, it is conditional. Permission to fetch a page does not allow any use.
fn access_effect(what: ContentUse, class: AgentClass, access: &[AccessFact]) -> Option<UseEffect> {
    if !class.uses().contains(&what) {
        return None;
    }
    let mut total = 0;
    let mut refused = 0;
    for fact in access.iter().filter(|fact| fact.class == class) {
        total += 1;
        refused += usize::from(!fact.allowed);
    }
    let effect = match refused {
        0 => return None,
        all if all == total => Effect::Disallow,
        _ => Effect::Conditional,
    };
    let agent_specific = effect == Effect::Conditional;
    Some(UseEffect {
        effect,
        source: DecidedBy::Access(class),
        agent_specific,
        stated_effect: effect,
    })
}

/// A higher rank takes precedence.
fn tdmrep_rank(carrier: Carrier) -> u8 {
    match carrier {
        Carrier::Meta => 2,
        Carrier::Header => 1,
        _ => 0,
    }
}

/// Among equally strict sources the one with the lowest rank decides. The rank compares, in this order:
/// how specific the carrier is, a fixed order of mechanisms, line and text, and statements for everyone
/// before statements for some agents. The order of the list does not matter.
type SourceRank<'a> = (u8, u8, Option<u32>, &'a str, bool, usize);

fn source_rank<'a>(source: &UseEffect, statements: &'a [Statement]) -> SourceRank<'a> {
    let access = (u8::MAX, u8::MAX, None, "", false, 0);
    let DecidedBy::Statement(at) = source.source else {
        let DecidedBy::Access(class) = source.source else { return access };
        return (u8::MAX, u8::MAX, None, class.as_str(), false, 0);
    };
    let Some(statement) = statements.get(at) else { return access };
    let place = match statement.carrier {
        Carrier::Header | Carrier::Status => 0,
        Carrier::Meta => 1,
        _ if statement.path.as_deref().is_some_and(|path| path != "/") => 2,
        Carrier::RobotsTxt if !statement.agents.is_empty() => 3,
        Carrier::RobotsTxt | Carrier::File => 4,
    };
    let mechanism = match statement.mechanism {
        Mechanism::Aipref => 0,
        Mechanism::Rsl => 1,
        Mechanism::Tdmrep => 2,
        Mechanism::ContentSignal => 3,
        Mechanism::XRobotsTag => 4,
        Mechanism::MetaRobots => 5,
        Mechanism::AiTxt => 6,
        Mechanism::PayPerCrawl => 7,
        Mechanism::License402 => 8,
        Mechanism::X402 => 9,
        Mechanism::PaymentRequired => 10,
    };
    (place, mechanism, statement.line, statement.raw.as_str(), source.agent_specific, at)
}

#[cfg(test)]
mod tests;
