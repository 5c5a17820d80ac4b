//! A path and an agent, held against robots.txt.

use contract::records::{
    Action, AgentAsked, AssessedRobots, AssessedRobotsState, CrawlPolicySection, Doubt,
};
use declared::robots::{Robots, Scope};

use super::super::rules::Effect;
use super::steps::Steps;

/// The robots.txt behind an answer.
#[derive(Debug, Clone, Copy)]
pub enum RobotsKnown<'a> {
    Read(&'a Robots),
    /// There is none.
    Absent,
    /// It was read for the answer, and its text is no longer kept.
    NotKept,
    NotRead,
}

/// Characters shown of an agent's own name.
pub(super) const MAX_NAME: usize = 160;
/// Words of a user agent that are looked up: each costs a walk through the file.
const MAX_WORDS: usize = 32;
/// The name of everyone.
const EVERYONE: &str = "*";

/// What was found: for the receipt.
pub(super) struct Judged {
    pub(super) assessed: AssessedRobots,
    pub(super) matched_group: Option<String>,
}

/// Whom robots.txt is to be asked for: a name as it is, or the product that a user agent names. Of a
/// user agent's words the first that a group names is taken, else its first product.
pub(super) fn token(agent: Option<&AgentAsked>, robots: RobotsKnown<'_>) -> String {
    let user_agent = match agent {
        None => return EVERYONE.to_owned(),
        Some(AgentAsked::Name(name)) => name,
        Some(AgentAsked::Described(agent)) => match (&agent.name, &agent.user_agent) {
            (Some(name), _) => name,
            (None, Some(user_agent)) => user_agent,
            (None, None) => return EVERYONE.to_owned(),
        },
    };
    // A name may come with its version, and a user agent as a name.
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut words = user_agent
        .split(|c: char| !word(c))
        .filter(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()))
        .take(MAX_WORDS);
    let named = |text: &&str| match robots {
        RobotsKnown::Read(robots) => robots.access(text, "/").scope == Scope::Named,
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

/// What a disallowed path means for an action: robots.txt speaks of fetching pages.
fn when_disallowed(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Block,
        Action::Connect | Action::Transact => Effect::Confirm,
        Action::Administer | Action::Unrecognised(_) => Effect::Doubt,
    }
}

fn when_not_at_hand(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Warn,
        _ => Effect::Doubt,
    }
}

pub(super) fn judge(
    steps: &mut Steps,
    known: RobotsKnown<'_>,
    policy: &CrawlPolicySection,
    action: &Action,
    token: &str,
    path: &str,
) -> Judged {
    const RULE: &str = "robots.path";
    let mut judged = Judged {
        assessed: AssessedRobots {
            state: AssessedRobotsState::NotRead,
            token: declared::shown(token, MAX_NAME),
            allowed: None,
            line: None,
            untrusted_rule: None,
        },
        matched_group: None,
    };
    let (allowed, line) = match known {
        RobotsKnown::Read(robots) => {
            let access = robots.access(token, path);
            judged.assessed.state = AssessedRobotsState::Read;
            judged.assessed.untrusted_rule = access.line.and_then(|line| robots.rule_text(line));
            judged.matched_group = match access.scope {
                Scope::Named => Some(judged.assessed.token.clone()),
                Scope::Everyone => Some(EVERYONE.to_owned()),
                Scope::Nobody => None,
            };
            (Some(access.allowed), access.line)
        }
        RobotsKnown::Absent => {
            judged.assessed.state = AssessedRobotsState::Absent;
            steps.passed(RULE, "There is no robots.txt that could forbid the path.");
            return judged;
        }
        RobotsKnown::NotKept | RobotsKnown::NotRead => {
            if matches!(known, RobotsKnown::NotKept) {
                judged.assessed.state = AssessedRobotsState::NotKept;
            }
            // The answer itself says what the file has for the home page and the agents it lists.
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
    judged.assessed.allowed = allowed;
    judged.assessed.line = line;
    match (allowed, line) {
        (Some(true), Some(line)) => {
            steps.passed(RULE, format!("robots.txt allows the path, by its line {line}."));
        }
        (Some(true), None) => {
            steps.passed(RULE, "robots.txt has nothing against the path for this agent.");
        }
        (Some(false), Some(line)) => steps.apply(
            RULE,
            when_disallowed(action),
            &Doubt::RobotsDisallow,
            format!("robots.txt keeps this agent from the path, by its line {line}."),
        ),
        (Some(false), None) => steps.apply(
            RULE,
            when_disallowed(action),
            &Doubt::RobotsDisallow,
            "robots.txt keeps this agent from the path.",
        ),
        // The home page for everyone is what the answer's own decision is about.
        (None, _) if token == EVERYONE && path == "/" => {
            steps.passed(
                RULE,
                "Only the home page is asked about; the answer's own decision covers it.",
            );
        }
        (None, _) => steps.apply(
            RULE,
            when_not_at_hand(action),
            &Doubt::NotMeasured,
            "robots.txt is not at hand, so what it says of this path and agent is not known.",
        ),
    }
    judged
}
