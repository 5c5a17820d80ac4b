//! Finds the tokens of all known agents in one pass over a user agent.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::known_agents::{AgentIndex, KnownAgents};
use crate::user_agent_words::{UserAgentToken, UserAgentWords, names};

/// The most agents that are reported for one user agent.
const MAX_NAMED: usize = 8;

/// No token is longer; a catalogue is refused otherwise.
const MAX_NAME_BYTES: usize = 64;

/// Finds the agents that a user agent names. The time is linear in the length of the user agent.
///
/// A token counts only as a whole name, so each name of the user agent is looked up, instead of
/// searching for every token at every byte as an automaton would, which takes longer.
#[derive(Debug, Clone)]
pub struct UserAgentMatcher {
    /// By the length of the name. Several agents may use one name with and without `+` and `/`.
    names: Vec<Vec<Name>>,
    /// For each first byte, in both cases, the lengths that the names have, a bit each. Most names
    /// of a browser are dismissed by this alone.
    lengths: Vec<u64>,
}

#[derive(Debug, Clone)]
struct Name {
    lower_case: Vec<u8>,
    /// The longest first.
    tokens: Vec<Token>,
}

#[derive(Debug, Clone)]
struct Token {
    agent: AgentIndex,
    plus: bool,
    slash: bool,
}

impl UserAgentMatcher {
    #[must_use]
    pub fn new(known: &KnownAgents) -> Self {
        let mut tokens: BTreeMap<Vec<u8>, Vec<Token>> = BTreeMap::new();
        let mut lengths = vec![0; 256];
        for (agent, known) in known.agent_indexes() {
            for token in
                known.user_agent_tokens.iter().filter_map(|text| UserAgentToken::parse(text))
            {
                let name = token.name.to_ascii_lowercase().into_bytes();
                let first = name.first().copied().unwrap_or_default();
                for byte in [first, first.to_ascii_uppercase()] {
                    if let Some(lengths) = lengths.get_mut(usize::from(byte)) {
                        *lengths |= length_bit(name.len());
                    }
                }
                let token = Token { agent, plus: token.plus, slash: token.slash };
                tokens.entry(name).or_default().push(token);
            }
        }
        let mut names = vec![Vec::new(); MAX_NAME_BYTES + 1];
        for (lower_case, mut tokens) in tokens {
            tokens.sort_by_key(|token| Reverse(token.extra_bytes()));
            if let Some(names) = names.get_mut(lower_case.len()) {
                names.push(Name { lower_case, tokens });
            }
        }
        Self { names, lengths }
    }

    /// The agents that this user agent names, the most specific first: the one with the longest
    /// token, of equally long ones the first in the text. The bytes need not be UTF-8.
    #[must_use]
    pub fn find(&self, user_agent: &[u8]) -> NamedAgents {
        let mut named = NamedAgents::default();
        let mut words = UserAgentWords::new(user_agent);
        for (place, name) in names(user_agent) {
            let Some(tokens) = self.look_up(name) else { continue };
            let plus = user_agent.get(..place.start).is_some_and(|before| before.ends_with(b"+"));
            let slash = user_agent.get(place.end..).is_some_and(|after| after.starts_with(b"/"));
            // The longest come first.
            let fits = |token: &&Token| (plus || !token.plus) && (slash || !token.slash);
            let Some(token) = tokens.iter().find(fits) else { continue };
            let length = name.len() + token.extra_bytes();
            let mention = Mention { agent: token.agent, length, start: place.start };
            if named.lacks(&mention)
                && words.name_product(&place)
                && !is_comparison(user_agent, place.start)
            {
                named.add(mention);
            }
        }
        named
    }

    fn look_up(&self, name: &[u8]) -> Option<&[Token]> {
        let lengths = self.lengths.get(usize::from(*name.first()?))?;
        if lengths & length_bit(name.len()) == 0 {
            return None;
        }
        // Few names have the same length, so comparing them takes less time than a hash would.
        let names = self.names.get(name.len())?;
        let found = names.iter().find(|known| known.lower_case.eq_ignore_ascii_case(name));
        found.map(|known| known.tokens.as_slice())
    }
}

/// Whether `like` stands before a name: `TelegramBot (like TwitterBot)` is not TwitterBot.
fn is_comparison(user_agent: &[u8], start: usize) -> bool {
    let before = user_agent.get(..start).unwrap_or_default().trim_ascii_end();
    let is_apart = before.len() < start;
    let Some(word) = before.len().checked_sub(b"like".len()) else { return false };
    let (before, last) = before.split_at_checked(word).unwrap_or_default();
    let is_word = before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    is_apart && is_word && last.eq_ignore_ascii_case(b"like")
}

/// Lengths that differ by 64 share a bit. No token is that long, so the look-up tells them apart.
fn length_bit(length: usize) -> u64 {
    1_u64.wrapping_shl(length as u32)
}

impl Token {
    fn extra_bytes(&self) -> usize {
        usize::from(self.plus) + usize::from(self.slash)
    }
}

/// The agents that a user agent names, each once, the most specific first, at most eight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedAgents {
    mentions: Vec<Mention>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mention {
    agent: AgentIndex,
    /// Of the token.
    length: usize,
    start: usize,
}

impl NamedAgents {
    /// The most specific one.
    #[must_use]
    pub fn first(&self) -> Option<AgentIndex> {
        self.iter().next()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = AgentIndex> + '_ {
        self.mentions.iter().map(|mention| mention.agent)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.mentions.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mentions.is_empty()
    }

    /// Whether there is no mention of the same agent that is as specific.
    fn lacks(&self, new: &Mention) -> bool {
        !self.mentions.iter().any(|known| known.agent == new.agent && known.rank() <= new.rank())
    }

    fn add(&mut self, new: Mention) {
        self.mentions.retain(|known| known.agent != new.agent);
        let at = self.mentions.partition_point(|known| known.rank() < new.rank());
        if at < MAX_NAMED {
            self.mentions.truncate(MAX_NAMED - 1);
            self.mentions.insert(at, new);
        }
    }
}

impl Mention {
    /// Lower is more specific.
    fn rank(&self) -> (Reverse<usize>, usize) {
        (Reverse(self.length), self.start)
    }
}
