//! The page about agents on this site, and the page that robots.txt disallows.

use askama::Template;
use contract::Day;
use contract::records::{AgentConduct, ConductRecord, RobotsVerdict};

use super::{
    dates::{minute, second},
    status::{Status, capitalise},
};

#[derive(Template)]
#[template(path = "conduct.html")]
struct ConductPage<'a> {
    record: &'a ConductRecord,
    agents: Vec<AgentRow<'a>>,
    generated: String,
    /// The last day that has a file of its own.
    last_day: Option<Day>,
    /// Commands to copy.
    fetch: String,
    own_log: String,
}

struct AgentRow<'a> {
    agent: &'a AgentConduct,
    purpose: String,
    verdict: Status,
    peak: String,
    seen: String,
}

pub(crate) fn render(record: &ConductRecord, last_day: Option<Day>, base_url: &str) -> String {
    let agents = record.agents.iter().map(|agent| AgentRow {
        agent,
        purpose: capitalise(&agent.purpose.as_str().replace('_', " ")),
        verdict: verdict(agent),
        peak: match &agent.rate.peak_at {
            Some(at) => format!(
                "{} at {}",
                agent.rate.peak_requests_per_minute,
                at.replace('T', " ").replace('Z', " UTC")
            ),
            None => "not measured".to_owned(),
        },
        seen: minute(agent.window.last_seen),
    });
    super::render(&ConductPage {
        record,
        agents: agents.collect(),
        generated: second(record.generated_at),
        last_day,
        fetch: format!(
            "curl -s {base_url}/api/v1/conduct > conduct.json\n\
             wayleave verify conduct.json --keys {base_url}"
        ),
        own_log: "wayleave conduct access.log --site example.com".to_owned(),
    })
}

fn verdict(agent: &AgentConduct) -> Status {
    match agent.robots_txt.verdict {
        RobotsVerdict::Respected => Status::ok("Followed"),
        RobotsVerdict::NotRespected => Status::bad("Not followed"),
        _ if agent.user_triggered => Status::off("Fetches for people"),
        _ => Status::off("Not measured"),
    }
}

#[derive(Template)]
#[template(path = "disallowed.html")]
struct DisallowedPage;

pub(crate) fn render_disallowed() -> String {
    super::render(&DisallowedPage)
}

#[cfg(test)]
mod tests {
    use contract::records::{ConductThresholds, UnassessedAgent};

    use super::*;

    #[test]
    fn a_page_without_agents_says_so_and_reasons_are_escaped() {
        let mut record = ConductRecord {
            kind: "svc-conduct".to_owned(),
            v: 1,
            generated_at: contract::Timestamp::from_millis(1_794_736_805_000),
            population: "Requests to svc.example.".to_owned(),
            thresholds: ConductThresholds {
                min_verified_requests: 50,
                published_rate_limit: None,
                disallowed_rules: vec!["/not-for-agents/".to_owned()],
            },
            agents: Vec::new(),
            not_assessed: Vec::new(),
            sha256: None,
            signature: None,
        };
        let empty = render(&record, None, "https://svc.example");
        assert!(empty.contains("No agent has made 50 verified requests yet."));
        assert!(empty.contains("href=\"/not-for-agents/page\" rel=\"nofollow\""));
        assert!(!empty.contains("counts of the last day"));
        record.not_assessed.push(UnassessedAgent {
            agent: "<b>Bot".to_owned(),
            claimed_hits: 7,
            why: "<script>".to_owned(),
        });
        let page = render(&record, Some("2026-11-16".parse().unwrap()), "https://svc.example");
        assert!(!page.contains("<script>x") && !page.contains("<b>Bot"));
        assert!(page.contains("/conduct/2026-11-16.json"));
    }

    #[test]
    fn the_disallowed_page_says_what_it_is() {
        let page = render_disallowed();
        assert!(page.contains("robots.txt disallows this page"));
        assert!(page.contains("noindex"));
    }
}
