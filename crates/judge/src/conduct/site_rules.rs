//! What the robots.txt of the watched site disallows to an agent.

use declared::robots::{Robots, path_of};

/// Patterns that a record names.
const MAX_PATTERNS: usize = 200;

/// The rules of the watched site.
#[derive(Debug)]
pub struct SiteRules {
    robots: Robots,
    /// Everything that is disallowed to anybody.
    pub patterns: Vec<String>,
}

impl SiteRules {
    #[must_use]
    pub fn parse(robots_txt: &[u8]) -> Self {
        let robots = Robots::parse(robots_txt);
        Self { patterns: robots.disallowed_patterns(MAX_PATTERNS), robots }
    }

    /// The line of the rule that forbids a request to the agent that robots.txt knows by these names.
    /// `target` is as in the request: a path with its query, or a whole URL.
    #[must_use]
    pub fn broken_line(&self, tokens: &[String], target: &str) -> Option<u32> {
        let path = path_of(target);
        // An agent with several names may be addressed by any of them: what one of them allows is allowed.
        let mut line = None;
        for token in tokens {
            let access = self.robots.access(token, &path);
            if access.allowed {
                return None;
            }
            line = line.or(access.line);
        }
        line
    }

    /// The pattern of the rule in a line. Reads the file up to there.
    #[must_use]
    pub fn pattern(&self, line: u32) -> Option<String> {
        let rule = self.robots.rule_text(line)?;
        let (_, pattern) = rule.split_once(':')?;
        Some(pattern.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_forbids_is_named() {
        let rules = SiteRules::parse(b"User-agent: *\nDisallow: /not-for-agents/\nAllow: /\n");
        assert_eq!(rules.patterns, ["/not-for-agents/"]);
        let tokens = ["GPTBot".to_owned()];
        let broken =
            |target: &str| rules.broken_line(&tokens, target).and_then(|line| rules.pattern(line));
        assert_eq!(broken("/not-for-agents/x?y=1").as_deref(), Some("/not-for-agents/"));
        assert_eq!(broken("/robots.txt"), None);
        assert_eq!(broken("/"), None);
        assert_eq!(rules.broken_line(&[], "/not-for-agents/"), None);
    }
}
