//! What the site wishes for the use of its content, as content signals of robots.txt.

use contract::records::{ValueNotTaken, ValueSource};
use declared::rights::{Carrier, ContentUse, Effect, Mechanism, Statement};

use super::site::{line_at, source};
use crate::resolve::rights::{CollectedStatements, LocatedStatement};
use crate::rights::strictest_effect;

/// The signals of `Content-Signal`, and the uses that each is about. Search results are links and short
/// excerpts.
const SIGNALS: [(&str, &[ContentUse]); 3] = [
    ("search", &[ContentUse::Cite]),
    ("ai-input", &[ContentUse::Ground, ContentUse::Summarize]),
    ("ai-train", &[ContentUse::Train]),
];
/// The signal that says how long content may be used.
const USE: &str = "use";
/// Its values, strictest first.
const USE_VALUES: [&str; 3] = ["immediate", "reference", "full"];
/// A stored statement names at most this many agents. It may be for more.
const MAX_STATED_AGENTS: usize = 64;
/// A stored statement is cut after this many characters.
const MAX_RAW_CHARS: usize = 300;

/// One signal for some agents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ContentSignal {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    /// The indexes of the statements that decide it.
    pub(super) decided_by: Vec<usize>,
}

/// Whom signals are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Audience<'a> {
    /// `*` for everyone.
    pub(super) name: &'a str,
    /// Whether the site's robots.txt has a group that names it.
    pub(super) has_group: bool,
}

impl<'a> Audience<'a> {
    fn without_group(name: &'a str) -> Self {
        Self { name, has_group: false }
    }
}

/// What one statement says about one signal. Later variants are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Allow,
    /// Allowed under conditions that a signal cannot express, so that the file says neither yes nor no.
    Limit,
    Forbid,
}

/// All statements of the site about the use of its content.
pub(super) struct Wishes {
    statements: Vec<LocatedStatement>,
    robots_url: String,
}

impl Wishes {
    pub(super) fn new(collected: CollectedStatements) -> Self {
        Self { statements: collected.signals, robots_url: collected.robots_url }
    }

    pub(super) fn robots_url(&self) -> &str {
        &self.robots_url
    }

    /// Whether no statement can be expressed as a signal.
    pub(super) fn is_empty(&self) -> bool {
        let elsewhere = self.agents();
        let agents = elsewhere.iter().map(String::as_str).chain(["*"]);
        agents.map(Audience::without_group).all(|agent| self.signals_for(agent).is_empty())
    }

    /// The agents that statements outside robots.txt name.
    pub(super) fn agents(&self) -> Vec<String> {
        let elsewhere = self
            .statements
            .iter()
            .filter(|located| located.statement.carrier != Carrier::RobotsTxt);
        let mut agents: Vec<String> = Vec::new();
        for agent in elsewhere.flat_map(|located| &located.statement.agents) {
            let is_letter =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let is_token = (1..=64).contains(&agent.len()) && agent.bytes().all(is_letter);
            if is_token && !agents.iter().any(|known| known.eq_ignore_ascii_case(agent)) {
                agents.push(agent.clone());
            }
        }
        agents
    }

    /// The strictest of all statements that apply to an agent.
    pub(super) fn signals_for(&self, agent: Audience<'_>) -> Vec<ContentSignal> {
        let mut signals: Vec<ContentSignal> = SIGNALS
            .into_iter()
            .filter_map(|(name, uses)| {
                let wishes = self.wishes(agent, name, uses);
                let strictest = wishes.iter().map(|(_, wish)| *wish).max()?;
                let value = match strictest {
                    Wish::Allow => "yes",
                    Wish::Limit => return None,
                    Wish::Forbid => "no",
                };
                let deciding = wishes.iter().filter(|(_, wish)| *wish == strictest);
                let decided_by = deciding.map(|(index, _)| *index).collect();
                Some(ContentSignal { name, value, decided_by })
            })
            .collect();
        signals.extend(self.use_signal(agent));
        signals
    }

    /// The signal `use`, which only content signals have.
    fn use_signal(&self, agent: Audience<'_>) -> Option<ContentSignal> {
        let stated: Vec<(usize, usize)> = self
            .statements
            .iter()
            .enumerate()
            .filter_map(|(index, located)| {
                let value = stated_signal(&located.statement, USE)?;
                let wish = if value == "full" { Wish::Allow } else { Wish::Forbid };
                let rank = USE_VALUES.iter().position(|known| *known == value)?;
                self.applies(&located.statement, agent, wish, USE).then_some((index, rank))
            })
            .collect();
        let strictest = stated.iter().map(|(_, rank)| *rank).min()?;
        let value = *USE_VALUES.get(strictest)?;
        let is_strict = |(name, uses): (&str, &[ContentUse])| {
            self.wishes(agent, name, uses).iter().any(|(_, wish)| *wish != Wish::Allow)
        };
        if value == "full" && SIGNALS.into_iter().any(is_strict) {
            return None;
        }
        let deciding = stated.iter().filter(|(_, rank)| *rank == strictest);
        let decided_by = deciding.map(|(index, _)| *index).collect();
        Some(ContentSignal { name: USE, value, decided_by })
    }

    /// What the statements that apply to an agent say about a signal, with their indexes.
    fn wishes(&self, agent: Audience<'_>, name: &str, uses: &[ContentUse]) -> Vec<(usize, Wish)> {
        self.statements
            .iter()
            .enumerate()
            .filter_map(|(index, located)| {
                let wish = wish_of(&located.statement, name, uses)?;
                self.applies(&located.statement, agent, wish, name).then_some((index, wish))
            })
            .collect()
    }

    /// Whether a statement about a signal applies to an agent.
    fn applies(
        &self,
        statement: &Statement,
        agent: Audience<'_>,
        wish: Wish,
        signal: &str,
    ) -> bool {
        if statement.agents.is_empty() || names(statement, agent.name) {
            return true;
        }
        if statement.agents.len() >= MAX_STATED_AGENTS && wish != Wish::Allow {
            return true;
        }
        let everyone = statement.agents.iter().any(|name| name == "*");
        // A group that names the agent takes the place of the group for everyone. Where it says nothing
        // about a use, we carry over what forbids it, and not what allows it.
        let replaced = statement.carrier == Carrier::RobotsTxt
            && agent.has_group
            && (wish == Wish::Allow || self.has_own(agent.name, signal));
        everyone && !replaced
    }

    /// Whether a group of robots.txt that names the agent says something about a signal.
    fn has_own(&self, agent: &str, signal: &str) -> bool {
        let uses =
            SIGNALS.iter().find(|(name, _)| *name == signal).map_or(&[][..], |(_, uses)| uses);
        self.statements.iter().any(|located| {
            let statement = &located.statement;
            statement.carrier == Carrier::RobotsTxt
                && names(statement, agent)
                && (wish_of(statement, signal, uses).is_some()
                    || stated_signal(statement, signal).is_some())
        })
    }

    /// Where the statements that decide signals were found.
    pub(super) fn sources(&self, signals: &[ContentSignal]) -> Vec<ValueSource> {
        let mut indexes: Vec<usize> =
            signals.iter().flat_map(|signal| signal.decided_by.iter().copied()).collect();
        indexes.sort_unstable();
        indexes.dedup();
        let located = indexes.into_iter().filter_map(|index| self.statements.get(index));
        located.map(|located| self.source_of(located)).collect()
    }

    /// Where the statements that name an agent were found.
    pub(super) fn naming_sources(&self, agent: &str) -> Vec<ValueSource> {
        let naming = self.statements.iter().filter(|located| names(&located.statement, agent));
        naming.map(|located| self.source_of(located)).collect()
    }

    fn source_of(&self, located: &LocatedStatement) -> ValueSource {
        let statement = &located.statement;
        let url = located.url.as_deref().unwrap_or(&self.robots_url);
        let line = statement.line.and_then(|line| usize::try_from(line).ok());
        source("", statement.carrier.as_str(), url, line.map(line_at))
    }

    /// The statements that a stricter one overrules, and those that a signal cannot express.
    pub(super) fn not_taken(&self) -> Vec<ValueNotTaken> {
        let mut left_out = Vec::new();
        for (name, uses) in SIGNALS {
            let stated: Vec<(&Statement, Wish)> = self
                .statements
                .iter()
                .filter_map(|located| {
                    Some((&located.statement, wish_of(&located.statement, name, uses)?))
                })
                .collect();
            let Some(strictest) = stated.iter().map(|(_, wish)| *wish).max() else { continue };
            for (wish, why) in [
                (
                    Wish::Allow,
                    "Another statement of the site is stricter, and the stricter one counts.",
                ),
                (
                    Wish::Limit,
                    "The site states conditions for this use, which a content signal cannot express. They \
                     stay in force where the site states them.",
                ),
            ] {
                let overruled = wish < strictest || wish == Wish::Limit;
                let raw = stated.iter().filter(|(_, stated)| *stated == wish && overruled);
                let mut values: Vec<String> =
                    raw.map(|(statement, _)| statement.raw.clone()).collect();
                values.sort();
                values.dedup();
                values.truncate(20);
                if !values.is_empty() {
                    let (what, why) = (name.to_owned(), why.to_owned());
                    left_out.push(ValueNotTaken { what, why, untrusted_values: values });
                }
            }
        }
        left_out
    }
}

fn names(statement: &Statement, agent: &str) -> bool {
    statement.agents.iter().any(|name| name.eq_ignore_ascii_case(agent))
}

/// What a statement says about a signal.
fn wish_of(statement: &Statement, name: &str, uses: &[ContentUse]) -> Option<Wish> {
    if is_whole_content_signal(statement) {
        return match stated_signal(statement, name)?.as_str() {
            "yes" => Some(Wish::Allow),
            "no" => Some(Wish::Forbid),
            _ => None,
        };
    }
    let effects: Vec<Option<Effect>> =
        uses.iter().map(|what| strictest_effect(statement, *what)).collect();
    match effects.iter().copied().flatten().max()? {
        Effect::Disallow => Some(Wish::Forbid),
        // The right is reserved; the conditions are those of a licence.
        Effect::Conditional if statement.mechanism == Mechanism::Tdmrep => Some(Wish::Forbid),
        Effect::Conditional => Some(Wish::Limit),
        Effect::Allow => effects.iter().all(Option::is_some).then_some(Wish::Allow),
    }
}

/// The value of a signal in a `Content-Signal` statement, in lower case. Of several the strictest.
fn stated_signal(statement: &Statement, name: &str) -> Option<String> {
    if !is_whole_content_signal(statement) {
        return None;
    }
    let values: Vec<String> = stated_pairs(statement)
        .into_iter()
        .filter(|(known, _)| known == name)
        .map(|(_, value)| value)
        .collect();
    let strictest = ["no"].iter().chain(&USE_VALUES);
    let found = strictest.into_iter().find(|word| values.iter().any(|value| value == *word));
    found.map(|word| (*word).to_owned()).or_else(|| values.into_iter().next())
}

/// Names and values of a `Content-Signal` statement, in lower case.
fn stated_pairs(statement: &Statement) -> Vec<(String, String)> {
    let raw = statement.raw.to_ascii_lowercase();
    let pairs = raw.strip_prefix("content-signal:").unwrap_or(&raw);
    let pairs = pairs.split([',', ';']).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

/// Whether the statement is a content signal whose text was stored completely. Otherwise only its effects
/// on the uses are known.
fn is_whole_content_signal(statement: &Statement) -> bool {
    let is_signal = |name: &str| name == USE || SIGNALS.iter().any(|(known, _)| *known == name);
    statement.mechanism == Mechanism::ContentSignal
        && statement.raw.chars().count() < MAX_RAW_CHARS
        && stated_pairs(statement).iter().any(|(name, _)| is_signal(name))
}

/// The value of a `Content-Signal` line.
pub(super) fn signal_value(signals: &[ContentSignal]) -> String {
    let pairs: Vec<String> =
        signals.iter().map(|signal| format!("{}={}", signal.name, signal.value)).collect();
    pairs.join(", ")
}
