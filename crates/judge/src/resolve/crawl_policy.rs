//! The `crawl_policy` section: what robots.txt says about the home page.

use std::collections::BTreeMap;

use contract::evidence::ReadTarget;
use contract::records::{AgentPolicy, CrawlPolicy, CrawlPolicySection, RobotsState, Section};

use super::judged_reading::JudgedReading;

pub(super) fn crawl_policy(judged: &JudgedReading<'_>) -> CrawlPolicySection {
    let policy = &judged.record.policy;
    // If HTTPS failed and HTTP was tried, the later read counts.
    let reading = judged.reads(ReadTarget::Robots).last();
    let at = judged.time_of(reading);
    let note = match policy.robots.state {
        RobotsState::Declared => match policy.robots.same_for_every_identity {
            Some(false) => {
                "What robots.txt says about the home page. Some identities received a different \
                 robots.txt than this service under its own name."
            }
            _ => {
                "What robots.txt says about the home page. It is a statement; the site may enforce something else."
            }
        },
        RobotsState::Absent => {
            "The site has no robots.txt. It forbids nothing and permits nothing explicitly."
        }
        _ => {
            let observed_at = reading.map(|_| at);
            let why = match reading {
                Some(_) => policy.robots.why.clone(),
                None => judged.why_not(ReadTarget::Robots),
            };
            return Section::NotMeasured { observed_at, why };
        }
    };
    let response = reading.and_then(|reading| reading.exchange.response());
    let requested_url = reading.map(|reading| reading.exchange.url.clone());
    let body = CrawlPolicy {
        source: response.map(|response| response.url.clone()).or(requested_url).unwrap_or_default(),
        http_status: policy.robots.http_status,
        path_tested: judged.record.path.clone(),
        agents: policy
            .access
            .iter()
            .map(|rule| AgentPolicy { agent: rule.agent.clone(), allowed_homepage: rule.allowed })
            .collect(),
        content_signal: content_signal(judged),
        note: note.to_owned(),
    };
    Section::Declared { observed_at: at, body }
}

/// The content signals in robots.txt that apply to all agents, by use.
fn content_signal(judged: &JudgedReading<'_>) -> Option<BTreeMap<String, String>> {
    let mut effects = BTreeMap::new();
    let signals = &judged.record.policy.signals;
    let in_file = signals.iter().filter(|signal| {
        signal.mechanism == "content_signal"
            && signal.carrier == "robots_txt"
            && (signal.agents.is_empty() || signal.agents.iter().any(|agent| agent == "*"))
    });
    for signal in in_file {
        effects.extend(signal.uses.clone());
    }
    (!effects.is_empty()).then_some(effects)
}
