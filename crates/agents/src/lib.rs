//! What is known about agents: the identities that a scan sends its requests as, and the agents that
//! a visitor may claim to be; the lists of addresses that their operators publish; and the verdict about a
//! visitor.
//!
//! No I/O: an operator's own catalogues and the content of lists are passed in. To verify visitors, load the
//! lists once and ask as often as you like:
//!
//! ```
//! use std::sync::Arc;
//!
//! use agents::feeds::{check_feed, parse_feed};
//! use agents::verdict::{LoadedFeed, ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
//! use agents::{KnownAgents, SearchableAgents};
//! use contract::{Timestamp, records::VisitorVerdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let agents = Arc::new(SearchableAgents::new(KnownAgents::built_in()?));
//! let now = Timestamp::from_rfc3339("2026-11-16T12:00:00Z")?;
//!
//! // Fetch the list of each feed from `feed.url`; here is one of them.
//! let index = agents.feed_index("openai-gptbot").ok_or("no such feed")?;
//! let feed = agents.feed(index).ok_or("no such feed")?;
//! let body = br#"{"creationTime": "2026-11-15T00:00:00Z", "prefixes": [{"ipv4Prefix": "44.10.0.0/24"}]}"#;
//! let content = parse_feed(feed.format, body)?;
//! check_feed(feed.proves, &content, None)?;
//! let loaded = LoadedFeed { prefixes: content.prefixes, fetched_at: now };
//!
//! let checker = VisitorChecker::new(Arc::clone(&agents), [(index, loaded)]);
//! let verdict = checker.check(&VisitorEvidence {
//!     user_agent: b"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)",
//!     address: Some("44.10.0.7".parse()?),
//!     reverse_dns: &ReverseDns::NotLookedUp,
//!     signature: &SignatureEvidence::NotGiven,
//!     now,
//! });
//! assert_eq!(verdict.verdict, VisitorVerdict::Verified);
//! println!("{}", checker.explain(&verdict));
//! # Ok(())
//! # }
//! ```

pub mod access_log;
mod catalogue;
mod client_hints;
mod feed_format;
mod feed_id;
pub mod feeds;
pub mod known_agents;
mod prefix_text;
pub mod ranges;
mod user_agent_words;
pub mod user_agents;
pub mod verdict;

pub use catalogue::{Catalogue, CatalogueError, Identity, Role, UserAgentEvidence};
pub use feed_format::FeedFormat;
pub use feed_id::{FeedIndex, FeedScope};
pub use known_agents::{AgentIndex, Feed, KnownAgent, KnownAgents};
pub use known_agents::{KnownAgentsError, TokenOnly};
pub use user_agents::{NamedAgents, SearchableAgents, UserAgentMatcher};
