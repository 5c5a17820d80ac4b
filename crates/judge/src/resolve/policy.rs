//! What robots.txt says, as a section.

use std::collections::BTreeMap;

use contract::evidence::Target;
use contract::records::{AgentPolicy, CrawlPolicy, CrawlPolicySection, RobotsState, Section};

use super::read::Read;

pub(super) fn crawl_policy(read: &Read<'_>) -> CrawlPolicySection {
    let policy = &read.record.policy;
    // Of two reads (https failed, http tried) the later one counts.
    let reading = read.reads(Target::Robots).last();
    let at = read.at(reading);
    let note = match policy.robots.state {
        RobotsState::Declared => match policy.robots.same_for_every_identity {
            Some(false) => {
                "What the policy file says about the home page. Some identities were given another \
                 file than our own reader."
            }
            _ => "What the policy file says about the home page. It is a statement, not a lock.",
        },
        RobotsState::Absent => {
            "There is no policy file: nothing is forbidden by one, and nothing is said."
        }
        _ => {
            let observed_at = reading.map(|_| at);
            let why = match reading {
                Some(_) => policy.robots.why.clone(),
                None => read.why_not(Target::Robots),
            };
            return Section::NotMeasured { observed_at, why };
        }
    };
    let response = reading.and_then(|reading| reading.exchange.response());
    let asked = reading.map(|reading| reading.exchange.url.clone());
    let body = CrawlPolicy {
        source: response.map(|response| response.url.clone()).or(asked).unwrap_or_default(),
        http_status: policy.robots.http_status,
        path_tested: read.record.path.clone(),
        agents: policy
            .access
            .iter()
            .map(|rule| AgentPolicy { agent: rule.agent.clone(), allowed_homepage: rule.allowed })
            .collect(),
        content_signal: content_signal(read),
        note: note.to_owned(),
    };
    Section::Declared { observed_at: at, body }
}

/// The content signals of the file for everyone, use by use.
fn content_signal(read: &Read<'_>) -> Option<BTreeMap<String, String>> {
    let mut said = BTreeMap::new();
    let signals = &read.record.policy.signals;
    let in_file = signals.iter().filter(|signal| {
        signal.mechanism == "content_signal"
            && signal.carrier == "robots_txt"
            && (signal.agents.is_empty() || signal.agents.iter().any(|agent| agent == "*"))
    });
    for signal in in_file {
        said.extend(signal.uses.clone());
    }
    (!said.is_empty()).then_some(said)
}
