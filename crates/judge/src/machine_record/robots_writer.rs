//! Writes robots.txt: one group for all agents that are told the same.

use contract::records::{ValueNotTaken, ValueSource};
use contract::text::{display_safe, is_hidden};
use declared::robots::{AgentRule, RecordAudience, Robots};

use super::file_draft::{FileDraft, LineWriter};
use super::safe_text::web_url;
use super::site::{line_at, source};
use super::wishes::{ContentSignal, Wishes, signal_value};

const CARRIER: &str = "robots_txt";

/// What the file says to one agent.
#[derive(Debug)]
pub(super) struct AgentSection {
    /// `*` for everyone.
    pub(super) agent: String,
    /// Whether the site's robots.txt has a group for the agent. Otherwise another statement names it.
    pub(super) in_robots: bool,
    pub(super) signals: Vec<ContentSignal>,
    /// Lines and values of `Content-Usage` rules.
    pub(super) usage: Vec<(u32, String)>,
    pub(super) crawl_delay: Option<(u32, String)>,
    /// Lines and values of `License` records.
    pub(super) licences: Vec<(u32, String)>,
    pub(super) rules: Vec<AgentRule>,
}

impl AgentSection {
    fn says_the_same(&self, other: &Self) -> bool {
        self.signals == other.signals
            && self.usage == other.usage
            && self.crawl_delay == other.crawl_delay
            && self.licences == other.licences
            && self.rules == other.rules
    }
}

/// Writes the file. The first section is that for everyone.
pub(super) fn write_robots(
    robots: &Robots,
    wishes: &Wishes,
    sections: Vec<AgentSection>,
) -> FileDraft {
    let mut file = RobotsFile { lines: LineWriter::default(), url: wishes.robots_url() };
    file.add_licences(&licence_lines(robots, None));
    let mut groups: Vec<Vec<&AgentSection>> = Vec::new();
    for section in &sections {
        let same = |group: &&mut Vec<&AgentSection>| {
            group.first().is_some_and(|first| first.says_the_same(section))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(section),
            None => groups.push(vec![section]),
        }
    }
    for group in &groups {
        file.add_group(group, wishes);
    }
    file.add_sitemaps(robots);
    file.note_other_records(robots);
    let mut draft = file.lines.draft;
    draft.not_taken.extend(wishes.not_taken());
    draft
}

struct RobotsFile<'a> {
    lines: LineWriter,
    url: &'a str,
}

impl RobotsFile<'_> {
    fn add_group(&mut self, group: &[&AgentSection], wishes: &Wishes) {
        let Some(first) = group.first() else { return };
        if !self.lines.is_empty() {
            self.add("", Vec::new());
        }
        for section in group {
            let sources = match section.in_robots {
                true => vec![self.own_source(None)],
                false => wishes.naming_sources(&section.agent),
            };
            self.add(&format!("User-agent: {}", section.agent), sources);
        }
        if !first.signals.is_empty() {
            let line = format!("Content-Signal: {}", signal_value(&first.signals));
            self.add(&line, wishes.sources(&first.signals));
        }
        self.add_licences(&first.licences);
        for (line, value) in &first.usage {
            if value.chars().any(is_hidden) {
                self.leave_out("Content-Usage", UNREADABLE, value);
                continue;
            }
            self.add(&format!("Content-Usage: {value}"), vec![self.own_source(Some(*line))]);
        }
        if let Some((line, seconds)) = &first.crawl_delay {
            self.add(&format!("Crawl-delay: {seconds}"), vec![self.own_source(Some(*line))]);
        }
        let mut written = 0;
        for rule in &first.rules {
            let name = if rule.allow { "Allow" } else { "Disallow" };
            if rule.can_match() {
                written += 1;
                let source = self.own_source(Some(rule.line));
                self.add(&format!("{name}: {}", rule.pattern), vec![source]);
            } else if !rule.pattern.is_empty() {
                self.leave_out(
                    name,
                    "The rule matches no path, so it has no effect.",
                    &rule.pattern,
                );
            }
        }
        // Only a rule ends the list of agents. This one disallows nothing.
        if written == 0 {
            self.add("Disallow:", vec![self.own_source(None)]);
        }
    }

    fn add_licences(&mut self, licences: &[(u32, String)]) {
        for (line, value) in licences {
            match web_url(value) {
                Some(url) => {
                    let source = self.own_source(Some(*line));
                    self.add(&format!("License: {url}"), vec![source]);
                }
                None => self.leave_out("License", NOT_AN_ADDRESS, value),
            }
        }
    }

    fn add_sitemaps(&mut self, robots: &Robots) {
        let mut first = true;
        for sitemap in &robots.sitemaps {
            let Some(url) = web_url(&sitemap.value) else {
                self.leave_out("Sitemap", NOT_AN_ADDRESS, &sitemap.value);
                continue;
            };
            if first {
                self.add("", Vec::new());
                first = false;
            }
            let source = self.own_source(Some(sitemap.number));
            self.add(&format!("Sitemap: {url}"), vec![source]);
        }
    }

    fn note_other_records(&mut self, robots: &Robots) {
        for record in robots.unknown_records() {
            let line = format!("{}: {}", record.name, record.value);
            self.leave_out("other lines", "No standard defines this line.", &line);
        }
    }

    fn add(&mut self, line: &str, sources: Vec<ValueSource>) {
        self.lines.add(line, sources);
    }

    fn own_source(&self, line: Option<u32>) -> ValueSource {
        let line = line.and_then(|line| usize::try_from(line).ok());
        source("", CARRIER, self.url, line.map(line_at))
    }

    fn leave_out(&mut self, what: &str, why: &str, value: &str) {
        const MAX_LEFT_OUT: usize = 20;
        let value = display_safe(value, 300);
        let list = &mut self.lines.draft.not_taken;
        let known = list.iter_mut().find(|left| left.what == what && left.why == why);
        match known {
            Some(left) => {
                if left.untrusted_values.len() < MAX_LEFT_OUT
                    && !left.untrusted_values.contains(&value)
                {
                    left.untrusted_values.push(value);
                }
            }
            None => list.push(ValueNotTaken {
                what: what.to_owned(),
                why: why.to_owned(),
                untrusted_values: vec![value],
            }),
        }
    }
}

const NOT_AN_ADDRESS: &str = "The value is not a full address.";
const UNREADABLE: &str = "The value contains characters that cannot be shown.";

/// The `License` lines of the groups for an agent (`*` for everyone), or those for the whole site.
pub(super) fn licence_lines(robots: &Robots, agent: Option<&str>) -> Vec<(u32, String)> {
    let is_for = |audience: &RecordAudience| match (audience, agent) {
        (RecordAudience::Site, None) => true,
        (RecordAudience::Agents(names), Some(agent)) => {
            names.iter().any(|name| name.eq_ignore_ascii_case(agent))
        }
        _ => false,
    };
    let mut found: Vec<(u32, String)> = Vec::new();
    for record in robots.licenses().into_iter().filter(|record| is_for(&record.audience)) {
        if !found.iter().any(|(_, known)| *known == record.value) {
            found.push((record.line, record.value));
        }
    }
    found
}
