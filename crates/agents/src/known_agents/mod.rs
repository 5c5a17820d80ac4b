//! The agents that a visitor may claim to be, and the lists of addresses that their operators
//! publish.

mod agent;
mod checks;
mod error;
mod suffix;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use contract::Day;
use serde::Deserialize;

pub use agent::{AgentEvidence, AgentStatus, Feed, KnownAgent, TokenOnly};
pub use error::KnownAgentsError;

use crate::catalogue::Version;
use crate::feed_id::FeedIndex;

const BUILT_IN: &str = include_str!("../../data/known_agents.json");

/// The largest file that is read.
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The position of an agent in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentIndex(pub u16);

/// The catalogue of known agents, in file order. Every value of this type is valid: it was checked
/// when it was read or changed.
#[derive(Debug, Clone)]
pub struct KnownAgents {
    as_of: Day,
    agents: Vec<KnownAgent>,
    feeds: Vec<Feed>,
    /// The feeds of each agent, by the position of the agent.
    feeds_of_agents: Vec<Vec<FeedIndex>>,
}

/// The file: our own, or an operator's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    #[expect(dead_code, reason = "deserialised so that a file of another version is refused")]
    v: Version,
    as_of: Day,
    #[serde(default)]
    agents: Vec<KnownAgent>,
    #[serde(default)]
    feeds: Vec<Feed>,
}

impl KnownAgents {
    /// The catalogue that comes with this crate.
    pub fn built_in() -> Result<Self, KnownAgentsError> {
        Self::parse(BUILT_IN)
    }

    /// Reads a complete catalogue.
    pub fn parse(text: &str) -> Result<Self, KnownAgentsError> {
        let file = read_file(text)?;
        Self::build(file.as_of, file.agents, file.feeds)
    }

    /// This catalogue with the agents and feeds of a second file, which may name feeds of this one.
    /// An agent or a feed with an id of this catalogue replaces it and keeps its position.
    pub fn extended_with(&self, text: &str) -> Result<Self, KnownAgentsError> {
        let addition = read_file(text)?;
        // Two entries of the file with one id must be refused, not replace each other.
        checks::check_ids(&addition.agents, &addition.feeds)?;
        Self::build(
            self.as_of.max(addition.as_of),
            merge(self.agents.clone(), addition.agents, |agent| &agent.id),
            merge(self.feeds.clone(), addition.feeds, |feed| &feed.id),
        )
    }

    /// This catalogue with one feed read from another address, such as a mirror.
    pub fn with_feed_url(&self, id: &str, url: &str) -> Result<Self, KnownAgentsError> {
        let mut feeds = self.feeds.clone();
        let Some(feed) = feeds.iter_mut().find(|feed| feed.id == id) else {
            return Err(KnownAgentsError::UnknownFeed(id.to_owned()));
        };
        url.clone_into(&mut feed.url);
        Self::build(self.as_of, self.agents.clone(), feeds)
    }

    fn build(
        as_of: Day,
        agents: Vec<KnownAgent>,
        feeds: Vec<Feed>,
    ) -> Result<Self, KnownAgentsError> {
        let feeds_of_agents = checks::check(&agents, &feeds)?;
        Ok(Self { as_of, agents, feeds, feeds_of_agents })
    }

    /// The day on which the catalogue was last reviewed.
    #[must_use]
    pub fn as_of(&self) -> Day {
        self.as_of
    }

    #[must_use]
    pub fn agents(&self) -> &[KnownAgent] {
        &self.agents
    }

    #[must_use]
    pub fn feeds(&self) -> &[Feed] {
        &self.feeds
    }

    /// `None` for an index of another catalogue.
    #[must_use]
    pub fn agent(&self, index: AgentIndex) -> Option<&KnownAgent> {
        self.agents.get(usize::from(index.0))
    }

    /// `None` for an index of another catalogue.
    #[must_use]
    pub fn feed(&self, index: FeedIndex) -> Option<&Feed> {
        self.feeds.get(usize::from(index.0))
    }

    #[must_use]
    pub fn agent_index(&self, id: &str) -> Option<AgentIndex> {
        self.agent_indexes().find(|(_, agent)| agent.id == id).map(|(index, _)| index)
    }

    #[must_use]
    pub fn feed_index(&self, id: &str) -> Option<FeedIndex> {
        self.feed_indexes().find(|(_, feed)| feed.id == id).map(|(index, _)| index)
    }

    pub fn agent_indexes(&self) -> impl Iterator<Item = (AgentIndex, &KnownAgent)> {
        (0..).map(AgentIndex).zip(&self.agents)
    }

    pub fn feed_indexes(&self) -> impl Iterator<Item = (FeedIndex, &Feed)> {
        (0..).map(FeedIndex).zip(&self.feeds)
    }

    /// The feeds that hold the addresses of an agent.
    #[must_use]
    pub fn feeds_of(&self, agent: AgentIndex) -> &[FeedIndex] {
        self.feeds_of_agents.get(usize::from(agent.0)).map_or(&[], Vec::as_slice)
    }

    /// The agents that sign with the keys of this origin (`https://chatgpt.com`).
    pub fn agents_with_keys_at<'a>(
        &'a self,
        origin: &'a str,
    ) -> impl Iterator<Item = AgentIndex> + 'a {
        self.agent_indexes()
            .filter(move |(_, agent)| agent.key_directories.iter().any(|keys| keys == origin))
            .map(|(index, _)| index)
    }
}

fn read_file(text: &str) -> Result<CatalogueFile, KnownAgentsError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(KnownAgentsError::FileTooLarge { bytes: text.len(), limit: MAX_FILE_BYTES });
    }
    Ok(serde_json::from_str(text)?)
}

fn merge<T>(mut entries: Vec<T>, additions: Vec<T>, id_of: impl Fn(&T) -> &str) -> Vec<T> {
    let positions: HashMap<String, usize> =
        entries.iter().enumerate().map(|(at, entry)| (id_of(entry).to_owned(), at)).collect();
    for addition in additions {
        match positions.get(id_of(&addition)).and_then(|at| entries.get_mut(*at)) {
            Some(entry) => *entry = addition,
            None => entries.push(addition),
        }
    }
    entries
}
