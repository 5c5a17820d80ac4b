//! What our own robots.txt disallows.

use declared::robots::Robots;

/// Patterns that the record names.
const MAX_PATTERNS: usize = 200;

/// The rules of our own robots.txt.
#[derive(Debug)]
pub(super) struct OwnRules {
    robots: Robots,
    pub(super) patterns: Vec<String>,
}

impl OwnRules {
    pub(super) fn parse(robots_txt: &str) -> Self {
        let robots = Robots::parse(robots_txt.as_bytes());
        Self { patterns: robots.disallowed_patterns(MAX_PATTERNS), robots }
    }

    /// The pattern that forbids a request to the agent that robots.txt knows by these names. `target` is a path,
    /// with the query.
    pub(super) fn broken_rule(&self, tokens: &[String], target: &str) -> Option<String> {
        // An agent with several names may be addressed by any of them: what one of them allows is allowed.
        let mut line = None;
        for token in tokens {
            let access = self.robots.access(token, target);
            if access.allowed {
                return None;
            }
            line = line.or(access.line);
        }
        let rule = line.and_then(|line| self.robots.rule_text(line))?;
        Some(rule.split_once(':').map_or(rule.as_str(), |(_, pattern)| pattern.trim()).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_forbids_is_named() {
        let rules = OwnRules::parse("User-agent: *\nDisallow: /not-for-agents/\nAllow: /\n");
        assert_eq!(rules.patterns, ["/not-for-agents/"]);
        let tokens = ["GPTBot".to_owned()];
        let broken = |target: &str| rules.broken_rule(&tokens, target);
        assert_eq!(broken("/not-for-agents/x?y=1").as_deref(), Some("/not-for-agents/"));
        assert_eq!(broken("/robots.txt"), None);
        assert_eq!(broken("/"), None);
        assert_eq!(rules.broken_rule(&[], "/not-for-agents/"), None);
    }
}
