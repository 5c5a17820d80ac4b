//! The position of a feed in the catalogue, and what an address in a feed proves.

use serde::{Deserialize, Serialize};

/// The position of a feed in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedIndex(pub u16);

/// What it proves that an address is in a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedScope {
    /// The list of one agent.
    Agent,
    /// One list for several agents of an operator: it does not tell them apart.
    Operator,
    /// All networks of a company. It proves nothing about an agent.
    Network,
}
