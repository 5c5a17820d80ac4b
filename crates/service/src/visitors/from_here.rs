//! Checks visitors without a store and without a server: the lists are fetched when they are needed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use agents::feeds::{check_feed, parse_feed};
use agents::verdict::{LoadedFeed, ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
use agents::{FeedIndex, SearchableAgents};
use contract::Clock;
use observe::{FeedRead, FeedReadOutcome};

use super::reverse_dns::confirm_name;
use super::{CheckedVisitor, VisitorDescription};
use crate::scanner::Scanner;

const READ_TIME: Duration = Duration::from_secs(20);
const LOOK_UP_TIME: Duration = Duration::from_secs(3);

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
        let (mut loaded, mut faults) = (Vec::new(), Vec::new());
        for index in wanted {
            let Some(feed) = agents.feed(index) else { continue };
            let read = FeedRead {
                url: &feed.url,
                door: scanner.door(),
                catalogue: scanner.catalogue(),
                deadline: READ_TIME,
                etag: None,
                last_modified: None,
            };
            let content = match read.run().await {
                FeedReadOutcome::Content { body, .. } => parse_feed(feed.format, &body)
                    .and_then(|content| check_feed(feed.proves, &content, None).map(|()| content))
                    .map_err(|fault| fault.to_string()),
                FeedReadOutcome::Failed(why) => Err(why),
                FeedReadOutcome::NotModified => Err("The server sent no content.".to_owned()),
            };
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

    /// The verdict about a visitor. Signatures are not checked here.
    pub async fn check(&self, visitor: VisitorDescription<'_>) -> CheckedVisitor {
        let agent = visitor
            .address
            .and_then(|address| self.checker.agent_to_look_up(visitor.user_agent, address));
        let reverse_dns = match (agent, visitor.address) {
            (Some(agent), Some(address)) => {
                let door = self.scanner.door();
                let look_up = confirm_name(door, LOOK_UP_TIME, &self.checker, agent, address);
                let found = tokio::time::timeout(LOOK_UP_TIME, look_up).await;
                found.unwrap_or(ReverseDns::Failed { why: "took too long" })
            }
            _ => ReverseDns::NotLookedUp,
        };
        let verdict = self.checker.check(&VisitorEvidence {
            user_agent: visitor.user_agent,
            address: visitor.address,
            reverse_dns: &reverse_dns,
            signature: &SignatureEvidence::NotGiven,
            now: self.clock.now(),
        });
        let checker = Arc::clone(&self.checker);
        CheckedVisitor { verdict, checker, reverse_dns, signature: SignatureEvidence::NotGiven }
    }
}
