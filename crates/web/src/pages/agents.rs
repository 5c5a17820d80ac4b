//! The page with the known agents and the lists of their addresses.

use askama::Template;
use contract::records::{AgentFeedEntry, FeedState, KnownAgentEntry, KnownAgentsRecord};

use super::{
    dates::second,
    status::{Status, capitalise},
};

#[derive(Template)]
#[template(path = "agents.html")]
struct AgentsPage<'a> {
    agents: Vec<AgentRow<'a>>,
    feeds: Vec<FeedRow<'a>>,
}

struct AgentRow<'a> {
    agent: &'a KnownAgentEntry,
    purpose: String,
    verified_by: String,
}

struct FeedRow<'a> {
    feed: &'a AgentFeedEntry,
    status: Status,
    fetched: String,
}

pub(crate) fn render(record: &KnownAgentsRecord) -> String {
    let agents = record.agents.iter().map(|agent| {
        let methods: Vec<&str> = agent
            .verified_by
            .iter()
            .map(|method| match method.as_str() {
                "address_list" => "addresses",
                "reverse_dns" => "DNS names",
                "signature" => "signatures",
                other => other,
            })
            .collect();
        let verified_by =
            if methods.is_empty() { "nothing published".to_owned() } else { methods.join(", ") };
        let purpose = capitalise(&agent.purpose.as_str().replace('_', " "));
        AgentRow { agent, purpose, verified_by }
    });
    let feeds = record.feeds.iter().map(|feed| FeedRow {
        feed,
        status: match feed.state {
            FeedState::Fresh => Status::ok("Fresh"),
            FeedState::Old => Status::warn("Old"),
            FeedState::NeverFetched => Status::off("Not fetched yet"),
            _ => Status::off("Not fetched"),
        },
        fetched: feed.fetched_at.map(second).unwrap_or_default(),
    });
    super::render(&AgentsPage { agents: agents.collect(), feeds: feeds.collect() })
}
