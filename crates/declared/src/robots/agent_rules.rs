//! The rules of a file by agent, for writing it anew.

use super::model::Robots;
use super::span::slice_of;

/// An `Allow` or `Disallow` line that applies to an agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentRule {
    pub allow: bool,
    /// As it is compared: percent-encoded, so ASCII. Empty if it matches nothing.
    pub pattern: String,
    pub line: u32,
}

impl AgentRule {
    /// Whether the rule can match a path. Paths begin with `/` and contain no control characters.
    #[must_use]
    pub fn can_match(&self) -> bool {
        self.pattern.starts_with(['/', '*']) && !self.pattern.chars().any(char::is_control)
    }
}

impl Robots {
    /// The agents that the file names, as written, each once, without `*`. `None` if there are more than
    /// `most`. A name that is not plain text is returned as its product token.
    #[must_use]
    pub fn agents(&self, most: usize) -> Option<Vec<String>> {
        let mut agents: Vec<String> = Vec::new();
        for named in &self.agent_names {
            let word = self.bytes_at(named.word);
            let is_plain = |name: &&str| !name.chars().any(contract::text::is_hidden);
            let name = match std::str::from_utf8(word).ok().filter(is_plain) {
                Some(name) => name,
                None => {
                    let length = usize::try_from(named.token_length).unwrap_or_default();
                    word.get(..length).and_then(|token| str::from_utf8(token).ok()).unwrap_or("")
                }
            };
            if name.is_empty() || agents.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            if agents.len() == most {
                return None;
            }
            agents.push(name.to_owned());
        }
        Some(agents)
    }

    /// The rules that decide for an agent, in the order of the file: those of the groups that name it, else
    /// those for everyone. `*` for everyone.
    #[must_use]
    pub fn rules_for(&self, token: &str) -> Vec<AgentRule> {
        let scope = self.scope_for(token);
        let groups = self.groups.iter().filter(|group| self.applies_to(group, token, scope));
        groups
            .flat_map(|group| slice_of(&self.rules, group.rules))
            .map(|rule| AgentRule {
                allow: rule.allow,
                pattern: String::from_utf8_lossy(self.bytes_at(rule.pattern)).into_owned(),
                line: rule.line,
            })
            .collect()
    }

    /// Line and value of the `Content-Usage` rules for an agent.
    #[must_use]
    pub fn content_usage_rules(&self, token: &str) -> Vec<(u32, String)> {
        let rules = self.content_usage_for(token).into_iter();
        rules.map(|(line, value, _)| (line, String::from_utf8_lossy(value).into_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_that_decide_for_the_agent() {
        let file = "User-agent: Heron\nUser-agent: Stork\nDisallow: /pond\n\nUser-agent: *\n\
                    Content-Usage: train-ai=n\nDisallow: /caf\u{e9}\nAllow: reed\n\n\
                    User-agent: heron\nAllow: /pond/reed\n";
        let robots = Robots::parse(file.as_bytes());
        assert_eq!(robots.agents(2).unwrap(), ["Heron", "Stork"]);
        assert_eq!(robots.agents(1), None);
        let rules = |token: &str| -> Vec<(bool, String, u32)> {
            let rules = robots.rules_for(token).into_iter();
            rules.map(|rule| (rule.allow, rule.pattern, rule.line)).collect()
        };
        assert_eq!(
            rules("HERON"),
            [(false, "/pond".to_owned(), 3), (true, "/pond/reed".to_owned(), 11)]
        );
        assert_eq!(rules("Stork").len(), 1);
        assert_eq!(rules("Crane"), rules("*"));
        assert_eq!(rules("*").first().unwrap().1, "/caf%C3%A9");
        assert_eq!(
            robots.rules_for("*").iter().map(AgentRule::can_match).collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(robots.content_usage_rules("Crane"), [(6, "train-ai=n".to_owned())]);
    }

    #[test]
    fn a_name_that_is_not_plain_text_is_its_token() {
        let robots = Robots::parse(b"User-agent: Heron\xff\nUser-agent: \xff\nDisallow: /\n");
        assert_eq!(robots.agents(9).unwrap(), ["Heron"]);
    }
}
