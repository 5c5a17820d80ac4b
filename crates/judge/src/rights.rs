//! What several statements mean together, for each of the five uses.
//!
//! Any prohibition prohibits; else any condition makes it conditional; else any permission allows;
//! else nothing is known. This is the combination rule of the AIPREF drafts, with conditions added.
//! A robots rule that keeps agents out is no statement about a use. It counts as weak evidence: what
//! all agents of a kind may not fetch they cannot use.

use std::cmp::Reverse;

use declared::rights::{Carrier, Effect, Mechanism, Statement, Use};

/// What an agent fetches pages for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentClass {
    /// Collects for training.
    Train,
    /// Builds an index that answers are made from.
    Search,
    /// Fetches because a person asked just now.
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
    pub fn uses(self) -> &'static [Use] {
        match self {
            Self::Train => &[Use::Train],
            Self::Search => &[Use::Ground, Use::Cite],
            Self::User => &[Use::Ground],
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

/// What decided a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The statement at this place of the list.
    Statement(usize),
    /// Robots rules for the agents of this class.
    Access(AgentClass),
}

/// The outcome for one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided {
    pub value: RightsValue,
    pub decided_by: Option<DecidedBy>,
    /// How many others speak of the use with a different effect.
    pub conflicts: usize,
    /// Whether a permission stands against a prohibition: a contradiction worth telling.
    pub contradicted: bool,
    /// Whether the outcome rests on what is said to some agents and not to all
    /// (the doubt `agent_specific_robots`).
    pub agent_specific: bool,
}

/// One voice on one use.
#[derive(Clone, Copy)]
struct Voice {
    effect: Effect,
    by: DecidedBy,
    agent_specific: bool,
    said: Effect,
}

/// Decides each use from the statements that apply to the path and what robots.txt lets agents fetch.
///
/// Each mechanism's own rules were applied where it was read; only TDMRep's carriers are ranked here,
/// because they are read apart.
#[must_use]
pub fn decide(statements: &[Statement], access: &[AccessFact]) -> [(Use, Decided); 5] {
    Use::ALL.map(|what| (what, decide_one(what, statements, access)))
}

fn decide_one(what: Use, statements: &[Statement], access: &[AccessFact]) -> Decided {
    let voices = voices(what, statements, access);
    let deciding =
        voices.iter().max_by_key(|voice| (voice.effect, Reverse(rank(voice, statements))));
    let Some(deciding) = deciding else {
        return Decided {
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
        voices
            .iter()
            .any(|voice| voice.effect == effect && matches!(voice.by, DecidedBy::Statement(_)))
    };
    Decided {
        value,
        decided_by: Some(deciding.by),
        conflicts: voices.iter().filter(|voice| voice.effect != deciding.effect).count(),
        contradicted: says(Effect::Allow) && says(Effect::Disallow),
        agent_specific: deciding.agent_specific,
    }
}

/// Everything that speaks of a use, and counts.
fn voices(what: Use, statements: &[Statement], access: &[AccessFact]) -> Vec<Voice> {
    let tdmrep = statements
        .iter()
        .filter(|statement| {
            statement.mechanism == Mechanism::Tdmrep && effect_on(statement, what).is_some()
        })
        .map(|statement| tdmrep_rank(statement.carrier))
        .max();
    let in_force = |statement: &Statement| {
        statement.mechanism != Mechanism::Tdmrep || Some(tdmrep_rank(statement.carrier)) == tdmrep
    };
    let mut voices: Vec<Voice> = statements
        .iter()
        .enumerate()
        .filter(|(_, statement)| in_force(statement))
        .filter_map(|(at, statement)| {
            let said = effect_on(statement, what)?;
            let agent_specific = !for_everyone(statement);
            // Said to some agents alone, it makes the answer depend on who asks.
            let effect = if agent_specific { Effect::Conditional } else { said };
            Some(Voice { effect, by: DecidedBy::Statement(at), agent_specific, said })
        })
        .collect();
    // What some agents are granted adds nothing where everyone is.
    let granted = voices.iter().any(|voice| !voice.agent_specific && voice.said == Effect::Allow);
    for voice in &mut voices {
        if granted && voice.agent_specific && voice.said == Effect::Allow {
            voice.effect = Effect::Allow;
            voice.agent_specific = false;
        }
    }
    voices
        .extend(AgentClass::ALL.into_iter().filter_map(|class| access_voice(what, class, access)));
    voices
}

/// Those that speak of a use with another effect than the one that decides: as many as
/// [`Decided::conflicts`] says.
#[must_use]
pub fn against(what: Use, statements: &[Statement], access: &[AccessFact]) -> Vec<DecidedBy> {
    let voices = voices(what, statements, access);
    let strictest = voices.iter().map(|voice| voice.effect).max();
    voices.iter().filter(|voice| Some(voice.effect) != strictest).map(|voice| voice.by).collect()
}

/// What a statement says of a use, at its strictest.
pub(crate) fn effect_on(statement: &Statement, what: Use) -> Option<Effect> {
    statement.uses.iter().filter(|(said, _)| *said == what).map(|(_, effect)| *effect).max()
}

fn for_everyone(statement: &Statement) -> bool {
    statement.agents.is_empty() || statement.agents.iter().any(|agent| agent == "*")
}

/// All agents of a class kept out: prohibited by access. Some: it depends on the agent. None: that a
/// page may be fetched grants no use.
fn access_voice(what: Use, class: AgentClass, access: &[AccessFact]) -> Option<Voice> {
    if !class.uses().contains(&what) {
        return None;
    }
    let mut asked = 0;
    let mut refused = 0;
    for fact in access.iter().filter(|fact| fact.class == class) {
        asked += 1;
        refused += usize::from(!fact.allowed);
    }
    let effect = match refused {
        0 => return None,
        all if all == asked => Effect::Disallow,
        _ => Effect::Conditional,
    };
    let agent_specific = effect == Effect::Conditional;
    Some(Voice { effect, by: DecidedBy::Access(class), agent_specific, said: effect })
}

/// A later carrier stands before an earlier one.
fn tdmrep_rank(carrier: Carrier) -> u8 {
    match carrier {
        Carrier::Meta => 2,
        Carrier::Header => 1,
        _ => 0,
    }
}

/// Of equally strict voices the lowest decides: the more specific place, then a fixed order of
/// mechanisms, then the text itself, then what is said to all before what is said to some, so that
/// the order of the list does not matter.
type Rank<'a> = (u8, u8, Option<u32>, &'a str, bool, usize);

fn rank<'a>(voice: &Voice, statements: &'a [Statement]) -> Rank<'a> {
    let access = (u8::MAX, u8::MAX, None, "", false, 0);
    let DecidedBy::Statement(at) = voice.by else {
        let DecidedBy::Access(class) = voice.by else { return access };
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
    (place, mechanism, statement.line, statement.raw.as_str(), voice.agent_specific, at)
}

#[cfg(test)]
mod tests;
