//! Checks visitors without a store and without a server: the lists are fetched when they are needed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use agents::feeds::{FeedContent, check_feed, parse_feed};
use agents::verdict::{LoadedFeed, ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
use agents::{Feed, FeedIndex, SearchableAgents};
use contract::Clock;
use futures_util::StreamExt;

use super::reverse_dns::confirm_name;
use super::{CheckedVisitor, VisitorDescription};
use crate::scanner::Scanner;

const LOOK_UP_TIME: Duration = Duration::from_secs(3);
/// Lists that are fetched at once.
const FETCHED_AT_ONCE: usize = 6;

/// A checker whose lists were fetched by this process.
#[derive(Debug)]
pub struct LocalChecker {
    scanner: Scanner,
    checker: Arc<VisitorChecker>,
    clock: Arc<dyn Clock>,
    /// The feeds that could not be fetched, and why.
    pub faults: Vec<(String, String)>,
}

impl LocalChecker {
    /// Fetches the lists of the agents that these user agents name.
    pub async fn fetch<'a>(
        agents: Arc<SearchableAgents>,
        scanner: Scanner,
        clock: Arc<dyn Clock>,
        user_agents: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let empty = VisitorChecker::new(Arc::clone(&agents), []);
        let mut wanted: BTreeSet<FeedIndex> = BTreeSet::new();
        for user_agent in user_agents {
            for agent in empty.named_agents(user_agent).iter() {
                let feeds = agents.agent(agent).into_iter().flat_map(|agent| &agent.feeds);
                wanted.extend(feeds.filter_map(|id| agents.feed_index(id)));
            }
        }
        Self::fetch_lists(agents, scanner, clock, wanted).await
    }

    /// Fetches the lists of all known agents that can be fetched over HTTP.
    pub async fn fetch_all(
        agents: Arc<SearchableAgents>,
        scanner: Scanner,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let over_http = agents.feeds().iter().filter(|feed| feed.url.starts_with("http"));
        let feeds = over_http.filter_map(|feed| agents.feed_index(&feed.id)).collect();
        Self::fetch_lists(agents, scanner, clock, feeds).await
    }

    async fn fetch_lists(
        agents: Arc<SearchableAgents>,
        scanner: Scanner,
        clock: Arc<dyn Clock>,
        wanted: BTreeSet<FeedIndex>,
    ) -> Self {
        let feeds = wanted.into_iter().filter_map(|index| Some((index, agents.feed(index)?)));
        let reads = feeds.map(|(index, feed)| {
            let scanner = &scanner;
            async move { (index, feed, read_list(scanner, feed).await) }
        });
        let reads: Vec<_> =
            futures_util::stream::iter(reads).buffered(FETCHED_AT_ONCE).collect().await;
        let (mut loaded, mut faults) = (Vec::new(), Vec::new());
        for (index, feed, content) in reads {
            match content {
                Ok(content) => {
                    let fetched_at = clock.now();
                    loaded.push((index, LoadedFeed { prefixes: content.prefixes, fetched_at }));
                }
                Err(why) => faults.push((feed.url.clone(), why)),
            }
        }
        let checker = Arc::new(VisitorChecker::new(agents, loaded));
        Self { scanner, checker, clock, faults }
    }

    /// Checks visitors by their address alone.
    #[must_use]
    pub fn checker(&self) -> &VisitorChecker {
        &self.checker
    }

    /// The verdict about a visitor. Signatures are not checked here.
    pub async fn check(&self, visitor: VisitorDescription<'_>) -> CheckedVisitor {
        let named = self.checker.named_agents(visitor.user_agent);
        let agent =
            visitor.address.and_then(|address| self.checker.agent_to_look_up(&named, address));
        let reverse_dns = match (agent, visitor.address) {
            (Some(agent), Some(address)) => {
                let door = self.scanner.door();
                let look_up = confirm_name(door, LOOK_UP_TIME, &self.checker, agent, address);
                let found = tokio::time::timeout(LOOK_UP_TIME, look_up).await;
                found.unwrap_or(ReverseDns::Failed { why: "took too long" })
            }
            _ => ReverseDns::NotLookedUp,
        };
        let evidence = VisitorEvidence {
            user_agent: visitor.user_agent,
            address: visitor.address,
            reverse_dns: &reverse_dns,
            signature: &SignatureEvidence::NotGiven,
            now: self.clock.now(),
        };
        let verdict = self.checker.check_named(&evidence, &named);
        let checker = Arc::clone(&self.checker);
        CheckedVisitor { verdict, checker, reverse_dns, signature: SignatureEvidence::NotGiven }
    }
}

async fn read_list(scanner: &Scanner, feed: &Feed) -> Result<FeedContent, String> {
    let body = scanner.read_file(&feed.url).await?;
    parse_feed(feed.format, &body)
        .and_then(|content| check_feed(feed.proves, &content, None).map(|()| content))
        .map_err(|fault| fault.to_string())
}
