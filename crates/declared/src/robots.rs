//! robots.txt: RFC 9309, read as leniently as Google's parser reads it.
//!
//! Works on bytes: files of the real web are not always UTF-8. Every rule keeps the number of its
//! line, so that a decision can point at what decided it.

mod line;
mod pattern;

use line::{Field, fields};

/// What is read of a file; the rest is ignored, as the RFC allows from 500 KiB on.
pub const MAX_BYTES: usize = 500 * 1024;

/// A parsed file. Parsing cannot fail: lines that make no sense are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Robots {
    groups: Vec<Group>,
    pub sitemaps: Vec<Line>,
    /// Whether the file was longer than [`MAX_BYTES`].
    pub truncated: bool,
}

/// One line's value and where it stands (counted from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub number: u32,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Group {
    /// Product tokens in lower case.
    agents: Vec<String>,
    /// Whether the group is (also) for everyone.
    global: bool,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    pattern: Vec<u8>,
    line: u32,
}

/// Which groups spoke for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Groups that name the agent.
    Named,
    /// The groups for everyone, because none names the agent.
    Everyone,
    /// No group applies.
    Nobody,
}

/// Whether an agent may fetch a path, and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub allowed: bool,
    pub scope: Scope,
    /// The line of the deciding rule; none when no rule matched.
    pub line: Option<u32>,
}

impl Robots {
    #[must_use]
    pub fn parse(body: &[u8]) -> Self {
        let read = body.get(..MAX_BYTES).unwrap_or(body);
        let mut robots = Self { truncated: body.len() > read.len(), ..Self::default() };
        // Only a rule ends a list of user-agent lines; unknown records never do (RFC 9309 2.2.4).
        let mut naming = false;
        for (number, field) in fields(read) {
            match field {
                Field::UserAgent(value) => {
                    if !naming {
                        robots.groups.push(Group::default());
                        naming = true;
                    }
                    if let Some(group) = robots.groups.last_mut() {
                        group.name(value);
                    }
                }
                Field::Rule { allow, pattern } => {
                    naming = false;
                    // A rule before any group speaks to nobody.
                    if let Some(group) = robots.groups.last_mut() {
                        group.rules.push(Rule {
                            allow,
                            pattern: pattern::escaped(pattern),
                            line: number,
                        });
                    }
                }
                Field::Sitemap(value) => robots
                    .sitemaps
                    .push(Line { number, value: String::from_utf8_lossy(value).into_owned() }),
                Field::Other => {}
            }
        }
        robots
    }

    /// Decides for one product token and one path (with its query, already percent-encoded).
    #[must_use]
    pub fn access(&self, token: &str, path: &str) -> Access {
        let token = token.to_ascii_lowercase();
        let named = self.groups.iter().any(|group| group.agents.contains(&token));
        let scope = if named {
            Scope::Named
        } else if self.groups.iter().any(|group| group.global) {
            Scope::Everyone
        } else {
            Scope::Nobody
        };
        let decided = self
            .groups
            .iter()
            .filter(|group| match scope {
                Scope::Named => group.agents.contains(&token),
                Scope::Everyone => group.global,
                Scope::Nobody => false,
            })
            .flat_map(|group| &group.rules)
            .filter(|rule| !rule.pattern.is_empty())
            .filter_map(|rule| Some((rule.strength(path.as_bytes())?, rule)))
            // The longest pattern wins; at equal length allow wins; then the earlier line.
            .max_by_key(|(strength, rule)| (*strength, rule.allow, std::cmp::Reverse(rule.line)));
        // The file itself may always be fetched.
        let allowed = path == "/robots.txt" || decided.is_none_or(|(_, rule)| rule.allow);
        Access { allowed, scope, line: decided.map(|(_, rule)| rule.line) }
    }
}

impl Group {
    /// Takes one user-agent value: `*`, or the leading product token of whatever stands there.
    fn name(&mut self, value: &[u8]) {
        if value.first() == Some(&b'*') && value.get(1).is_none_or(u8::is_ascii_whitespace) {
            self.global = true;
            return;
        }
        let token: String = value
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-' || **byte == b'_')
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
        if !token.is_empty() {
            self.agents.push(token);
        }
    }
}

impl Rule {
    /// How strongly the rule speaks of a path: the length of its pattern, or nothing.
    fn strength(&self, path: &[u8]) -> Option<usize> {
        if pattern::matches(&self.pattern, path) {
            return Some(self.pattern.len());
        }
        // `Allow: /x/index.html` also opens `/x/` itself, as Google reads it.
        if self.allow {
            let folder = pattern::index_folder(&self.pattern)?;
            return pattern::matches(&folder, path).then_some(folder.len());
        }
        None
    }
}

#[cfg(test)]
mod tests;
