//! The record from the counts.

use contract::Timestamp;
use contract::ratio::Ratio;
use contract::records::{
    AgentConduct, ConductIdentity, ConductRecord, ConductThresholds, ConductVerdict, ConductWindow,
    Purpose, RateConduct, RateVerdict, Revalidation, RobotsConduct, RobotsVerdict, SiteChecks,
    UnassessedAgent,
};

use super::counts::{AgentCounts, Peak};

/// Agents with fewer verified requests are not assessed.
pub const MIN_VERIFIED_REQUESTS: u32 = 50;

/// What is known about an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFacts {
    pub agent: String,
    pub operator: String,
    pub purpose: Purpose,
    pub user_triggered: bool,
    /// Why its requests cannot be told from those of others, as a sentence; `None` if they can.
    pub why_unverifiable: Option<String>,
}

impl AgentFacts {
    /// The reason for agents whose operators publish no addresses.
    #[must_use]
    pub fn no_addresses(agent: &str, operator: &str) -> String {
        format!(
            "{operator} publishes no addresses of {agent}, so it cannot be told from an impersonator."
        )
    }
}

/// An agent, and what was counted of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedAgent {
    pub facts: AgentFacts,
    pub counts: AgentCounts,
    pub site_checks: SiteChecks,
}

/// What the record says besides the agents.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordInputs {
    pub kind: String,
    pub generated_at: Timestamp,
    pub population: String,
    /// Patterns that robots.txt disallows.
    pub disallowed_rules: Vec<String>,
    /// Whether it is known what robots.txt disallows.
    pub has_robots_txt: bool,
    /// Since when requests are counted.
    pub measured_since: Timestamp,
}

/// The record, not signed yet. Agents are in the order of their names.
#[must_use]
pub fn build_record(inputs: RecordInputs, mut agents: Vec<CountedAgent>) -> ConductRecord {
    agents.sort_by(|a, b| a.facts.agent.cmp(&b.facts.agent));
    let mut assessed = Vec::new();
    let mut not_assessed = Vec::new();
    for agent in agents {
        match why_not_assessed(&agent) {
            Some(_) if agent.counts.claimed() == 0 => {}
            Some(why) => not_assessed.push(UnassessedAgent {
                claimed_hits: agent.counts.claimed(),
                agent: agent.facts.agent,
                why,
            }),
            None => assessed.push(assess(agent, &inputs)),
        }
    }
    ConductRecord {
        kind: inputs.kind,
        v: 1,
        generated_at: inputs.generated_at,
        population: inputs.population,
        thresholds: ConductThresholds {
            min_verified_requests: MIN_VERIFIED_REQUESTS,
            published_rate_limit: None,
            disallowed_rules: inputs.disallowed_rules,
        },
        agents: assessed,
        not_assessed,
        sha256: None,
        signature: None,
    }
}

fn why_not_assessed(agent: &CountedAgent) -> Option<String> {
    if agent.facts.why_unverifiable.is_some() {
        return agent.facts.why_unverifiable.clone();
    }
    let verified = agent.counts.verified;
    if verified < u64::from(MIN_VERIFIED_REQUESTS) {
        let requests = if verified == 1 { "request" } else { "requests" };
        return Some(format!(
            "{verified} verified {requests}; at least {MIN_VERIFIED_REQUESTS} are needed."
        ));
    }
    None
}

fn assess(agent: CountedAgent, inputs: &RecordInputs) -> AgentConduct {
    let CountedAgent { facts, counts, site_checks } = agent;
    let robots = robots_verdict(&facts, &counts, inputs.has_robots_txt);
    let is_clean = robots != RobotsVerdict::NotRespected;
    let seen = |at: Option<Timestamp>| at.unwrap_or(inputs.measured_since).whole_seconds();
    let claims = counts.verified.saturating_add(counts.forged);
    AgentConduct {
        conduct: if is_clean {
            ConductVerdict::NoViolationsObserved
        } else {
            ConductVerdict::ViolationsObserved
        },
        window: ConductWindow {
            first_seen: seen(counts.first_seen),
            last_seen: seen(counts.last_seen),
        },
        identity: ConductIdentity {
            verified_requests: counts.verified,
            forged_claims: counts.forged,
            forgery_share: Ratio::of(counts.forged, claims).unwrap_or(Ratio::ZERO),
        },
        robots_txt: RobotsConduct {
            verdict: robots,
            robots_txt_fetches: counts.robots_txt_fetches,
            disallowed_fetches: counts.disallowed_fetches,
            disallowed_rules: counts.broken_rules.into_keys().collect(),
        },
        rate: rate(counts.peak, inputs.measured_since),
        revalidation: Revalidation {
            conditional_requests: counts.conditional,
            share_of_verified_since_measured: Ratio::of(counts.conditional, counts.verified),
            measured_since: inputs.measured_since.whole_seconds(),
        },
        site_checks_14d: site_checks,
        agent: facts.agent,
        operator: facts.operator,
        purpose: facts.purpose,
        user_triggered: facts.user_triggered,
    }
}

/// robots.txt speaks to programs that fetch by themselves. Fetches that a person asked for are counted, and not
/// judged by it.
fn robots_verdict(facts: &AgentFacts, counts: &AgentCounts, has_rules: bool) -> RobotsVerdict {
    if !has_rules || facts.user_triggered {
        RobotsVerdict::NotMeasured
    } else if counts.disallowed_fetches > 0 {
        RobotsVerdict::NotRespected
    } else {
        RobotsVerdict::Respected
    }
}

fn rate(peak: Option<Peak>, measured_since: Timestamp) -> RateConduct {
    RateConduct {
        verdict: if peak.is_some() { RateVerdict::Measured } else { RateVerdict::NotMeasured },
        peak_requests_per_minute: peak.map_or(0, |peak| peak.requests),
        peak_at: peak.map(|peak| peak.minute_text()),
        published_limit: None,
        measured_since: measured_since.whole_seconds(),
    }
}
