//! Whether an agent may fetch a path.

use super::model::{Robots, Rule, Scope};
use super::pattern;

/// Whether an agent may fetch a path, and which rule decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub allowed: bool,
    pub scope: Scope,
    /// The line of the deciding rule; none when no rule matched. [`Robots::rule_text`] quotes it.
    pub line: Option<u32>,
}

impl Robots {
    /// Decides for one product token and one path (with its query, already percent-encoded).
    #[must_use]
    pub fn access(&self, token: &str, path: &str) -> Access {
        let scope = self.scope_for(token);
        let mut best: Option<(usize, &Rule)> = None;
        for group in &self.groups {
            if !self.applies_to(group, token, scope) {
                continue;
            }
            for rule in self.rules_of(group) {
                // The longest pattern wins; at equal length allow wins; then the earlier line.
                let least =
                    best.map_or(
                        1,
                        |(length, held)| {
                            if rule.allow && !held.allow { length } else { length + 1 }
                        },
                    );
                match self.match_length(rule, path.as_bytes()) {
                    Some(strength) if strength >= least => best = Some((strength, rule)),
                    _ => {}
                }
            }
        }
        // The file itself may always be fetched.
        let allowed = path == "/robots.txt" || best.is_none_or(|(_, rule)| rule.allow);
        Access { allowed, scope, line: best.map(|(_, rule)| rule.line) }
    }

    /// Whether the file has a group for this product token. Looks at no rule.
    #[must_use]
    pub fn has_group_for(&self, token: &str) -> bool {
        self.scope_for(token) == Scope::Named
    }

    /// The length of a rule's pattern if it matches the path: the longest match wins.
    fn match_length(&self, rule: &Rule, path: &[u8]) -> Option<usize> {
        let pattern = self.bytes_at(rule.pattern);
        let matches = if rule.has_wildcard {
            pattern::matches(pattern, path)
        } else {
            path.starts_with(pattern)
        };
        if matches {
            return Some(pattern.len());
        }
        // `Allow: /x/index.html` also opens `/x/` itself, as Google reads it.
        if rule.allow {
            let folder = pattern::index_folder(pattern)?;
            return pattern::matches_whole(folder, path).then_some(folder.len() + 1);
        }
        None
    }
}
