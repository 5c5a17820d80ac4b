//! Checks the path and the agent of a preflight request against robots.txt.

use contract::records::{
    Action, AssessedRobots, AssessedRobotsState, CrawlPolicySection, Doubt, PreflightAgent,
};
use declared::robots::{Robots, Scope};

use super::super::decision_rules::Effect;
use super::decision_steps::DecisionSteps;

/// The robots.txt behind an answer.
#[derive(Debug, Clone, Copy)]
pub enum RobotsFile<'a> {
    Read(&'a Robots),
    /// The site has none.
    Absent,
    /// It was read for the answer, but its text is no longer stored.
    NotStored,
    NotRead,
}

/// The most characters shown of an agent's name.
pub(super) const MAX_NAME: usize = 160;
/// The most words of a user agent that are looked up. Each look-up goes through all groups of the file.
const MAX_WORDS: usize = 32;
/// The robots.txt group for all agents without a group of their own.
const EVERYONE: &str = "*";

/// The result, for the receipt.
pub(super) struct RobotsCheck {
    pub(super) assessed: AssessedRobots,
    pub(super) matched_group: Option<String>,
}

/// The token to look up in robots.txt: the agent's name, or the product name from its user agent. Of the
/// words of a user agent this is the first that has a group in the file, else the first product name.
pub(super) fn robots_token(agent: Option<&PreflightAgent>, robots: RobotsFile<'_>) -> String {
    let user_agent = match agent {
        None => return EVERYONE.to_owned(),
        Some(PreflightAgent::Name(name)) => name,
        Some(PreflightAgent::Described(agent)) => match (&agent.name, &agent.user_agent) {
            (Some(name), _) => name,
            (None, Some(user_agent)) => user_agent,
            (None, None) => return EVERYONE.to_owned(),
        },
    };
    // A name may include a version, and some callers send a user agent as the name.
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut words = user_agent
        .split(|c: char| !word(c))
        .filter(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()))
        .take(MAX_WORDS);
    let named = |text: &&str| match robots {
        RobotsFile::Read(robots) => robots.has_group_for(text),
        _ => false,
    };
    words
        .clone()
        .find(named)
        .or_else(|| {
            words.find(|text| {
                !matches!(text.to_ascii_lowercase().as_str(), "mozilla" | "compatible")
            })
        })
        .unwrap_or(EVERYONE)
        .to_owned()
}

/// The effect of a disallowed path. robots.txt is about fetching pages, so it blocks only read and cite.
fn effect_when_disallowed(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Block,
        Action::Connect | Action::Transact => Effect::Confirm,
        Action::Administer | Action::Unrecognised(_) => Effect::Doubt,
    }
}

/// The effect of a robots.txt whose rules for this path are not available.
fn effect_when_unavailable(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Warn,
        _ => Effect::Doubt,
    }
}

pub(super) fn check_path(
    steps: &mut DecisionSteps,
    robots: RobotsFile<'_>,
    policy: &CrawlPolicySection,
    action: &Action,
    token: &str,
    path: &str,
) -> RobotsCheck {
    const RULE: &str = "robots.path";
    let mut verdict = RobotsCheck {
        assessed: AssessedRobots {
            state: AssessedRobotsState::NotRead,
            token: contract::text::display_safe(token, MAX_NAME),
            allowed: None,
            line: None,
            untrusted_rule: None,
        },
        matched_group: None,
    };
    let (allowed, line) = match robots {
        RobotsFile::Read(robots) => {
            let access = robots.access(token, path);
            verdict.assessed.state = AssessedRobotsState::Read;
            verdict.assessed.untrusted_rule = access.line.and_then(|line| robots.rule_text(line));
            verdict.matched_group = match access.scope {
                Scope::Named => Some(verdict.assessed.token.clone()),
                Scope::Everyone => Some(EVERYONE.to_owned()),
                Scope::Nobody => None,
            };
            (Some(access.allowed), access.line)
        }
        RobotsFile::Absent => {
            verdict.assessed.state = AssessedRobotsState::Absent;
            steps.record_passed(RULE, "The site has no robots.txt.");
            return verdict;
        }
        RobotsFile::NotStored | RobotsFile::NotRead => {
            if matches!(robots, RobotsFile::NotStored) {
                verdict.assessed.state = AssessedRobotsState::NotKept;
            }
            // The answer itself has the result for the home page and the agents that it lists.
            let listed = policy
                .body()
                .filter(|body| body.path_tested == path)
                .and_then(|body| {
                    body.agents.iter().find(|agent| agent.agent.eq_ignore_ascii_case(token))
                })
                .map(|agent| agent.allowed_homepage);
            (listed, None)
        }
    };
    verdict.assessed.allowed = allowed;
    verdict.assessed.line = line;
    match (allowed, line) {
        (Some(true), Some(line)) => {
            steps.record_passed(RULE, format!("robots.txt allows this path for this agent (line {line})."));
        }
        (Some(true), None) => {
            steps.record_passed(RULE, "robots.txt does not disallow this path for this agent.");
        }
        (Some(false), Some(line)) => steps.apply(
            RULE,
            effect_when_disallowed(action),
            &Doubt::RobotsDisallow,
            format!("robots.txt disallows this path for this agent (line {line})."),
        ),
        (Some(false), None) => steps.apply(
            RULE,
            effect_when_disallowed(action),
            &Doubt::RobotsDisallow,
            "robots.txt disallows this path for this agent.",
        ),
        // The answer's own decision is about the home page for all agents.
        (None, _) if token == EVERYONE && path == "/" => {
            steps.record_passed(
                RULE,
                "The request is about the home page, which the answer's own decision covers.",
            );
        }
        (None, _) => steps.apply(
            RULE,
            effect_when_unavailable(action),
            &Doubt::NotMeasured,
            "robots.txt is not available, so we do not know what it says about this path and agent.",
        ),
    }
    verdict
}
