//! robots.txt: the site's own rules, with all wishes about the use of its content as content signals.
//!
//! The file is never looser than what the site declares. Without a complete robots.txt of the site there
//! is none, because rules that we did not read would be lost.

use contract::records::RobotsState;
use declared::robots::{Robots, Scope};

use super::file_draft::FileDraft;
use super::robots_writer::{AgentSection, licence_lines, write_robots};
use super::site::SiteReading;
use super::wishes::{Audience, Wishes};
use crate::resolve::rights::collect_stored;

/// The most agents of a file.
const MAX_AGENTS: usize = 200;
/// The most statements that a scan record lists. There may be more.
const MAX_STATEMENTS: usize = 100;
/// The most rules of all agents together. A rule that is for several agents counts for each.
const MAX_RULES: usize = 100_000;
/// The longest pattern of a rule.
const MAX_PATTERN_CHARS: usize = 2_048;

pub(super) fn build(site: &SiteReading<'_>) -> Result<FileDraft, String> {
    let policy = &site.record.policy;
    if policy.signals.len() >= MAX_STATEMENTS {
        return Err(
            "The site makes more statements about its content than we list, so the file could \
                    be looser than what the site declares."
                .to_owned(),
        );
    }
    let wishes = Wishes::new(collect_stored(site.record));
    let robots = own_robots(site)?;
    if robots.is_none() && wishes.is_empty() {
        return Err(
            "The site has no robots.txt and states no wish about the use of its content, so \
                    there is nothing to express."
                .to_owned(),
        );
    }
    let reading = reading(robots.is_some(), &wishes);
    let robots = robots.unwrap_or_default();
    let mut agents = robots
        .agents(MAX_AGENTS)
        .ok_or_else(|| format!("The site's robots.txt names more than {MAX_AGENTS} agents."))?;
    for agent in wishes.agents() {
        if !agents.iter().any(|known| known.eq_ignore_ascii_case(&agent)) {
            agents.push(agent);
        }
    }
    let (mut sections, mut rules) = (Vec::new(), 0);
    for agent in std::iter::once("*".to_owned()).chain(agents) {
        let section = section(&robots, &wishes, agent)?;
        rules += section.rules.len();
        if rules > MAX_RULES {
            return Err("The site's robots.txt has too many rules to be written anew.".to_owned());
        }
        sections.push(section);
    }
    let mut draft = write_robots(&robots, &wishes, sections);
    draft.reading = reading;
    Ok(draft)
}

fn reading(has_own: bool, wishes: &Wishes) -> String {
    let mut reading = if has_own {
        "The rules are those of the site's own robots.txt, for every agent that it names. Comments and \
         lines that no standard defines are left out."
    } else {
        "The site has no robots.txt, so nothing is disallowed to anybody."
    }
    .to_owned();
    if !wishes.is_empty() {
        reading.push_str(
            " The content signals express every wish that the site states in robots.txt, in files, in \
             header fields and on its home page. Of contradicting wishes the stricter one counts, and a \
             wish that the home page states counts for the whole site.",
        );
    }
    reading
}

/// The site's robots.txt. `None` if the site has none; an error if it may have one that we do not know.
fn own_robots(site: &SiteReading<'_>) -> Result<Option<Robots>, String> {
    let reading = &site.record.policy.robots;
    if !reading.differs_for.is_empty() {
        return Err(format!(
            "The site serves another robots.txt to {}. One file for all of them would change what some \
             of them are told. Serve the same file to everybody first.",
            reading.differs_for.join(", ")
        ));
    }
    let unknown = "so we do not know its rules";
    match reading.state {
        RobotsState::Declared => {}
        RobotsState::Absent | RobotsState::NotAPolicy => return Ok(None),
        RobotsState::Refused => {
            return Err(format!("The server refused the request for robots.txt, {unknown}."));
        }
        _ => return Err(format!("We could not read the site's robots.txt, {unknown}.")),
    }
    let check = site.check("/robots.txt");
    let body = check
        .and_then(|check| check.body_sha256.as_deref())
        .and_then(|digest| site.bodies.body(digest));
    let Some(body) = body else {
        return Err(format!(
            "The text of the site's robots.txt is no longer stored here, {unknown}."
        ));
    };
    let robots = Robots::parse(body);
    let cut = robots.truncated || reading.faults.iter().any(|fault| fault.code == "truncated");
    if cut {
        return Err(format!("The site's robots.txt was not read completely, {unknown}."));
    }
    Ok(Some(robots))
}

/// What the file says to one agent.
fn section(robots: &Robots, wishes: &Wishes, agent: String) -> Result<AgentSection, String> {
    let rules = robots.rules_for(&agent);
    if rules.iter().any(|rule| rule.pattern.len() > MAX_PATTERN_CHARS) {
        return Err(format!(
            "A rule of the site's robots.txt is longer than {MAX_PATTERN_CHARS} characters."
        ));
    }
    let delay = robots.crawl_delay(&agent);
    let has_group = robots.access(&agent, "/").scope == Scope::Named;
    let licensee = if has_group { agent.as_str() } else { "*" };
    Ok(AgentSection {
        in_robots: has_group || agent == "*",
        licences: licence_lines(robots, Some(licensee)),
        signals: wishes.signals_for(Audience { name: &agent, has_group }),
        usage: robots.content_usage_rules(&agent),
        crawl_delay: delay.map(|delay| (delay.line, delay.seconds.to_string())),
        rules,
        agent,
    })
}
