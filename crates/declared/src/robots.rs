//! robots.txt: RFC 9309, read as leniently as Google's parser reads it.
//!
//! Works on bytes: files of the real web are not always UTF-8. Every rule keeps the number of its
//! line, so that a decision can point at what decided it. A file is read once for any number of
//! agents: what is kept are places in one buffer. What is wrong with it is looked for only when
//! somebody asks ([`Robots::faults`]), by the letter of the RFC and of the conventions beside it.

mod line;
mod lint;
mod managed;
mod path;
pub(crate) mod pattern;
mod record;

pub use managed::ManagedBlock;
pub use path::path_of;
pub use record::{Delay, Reach, Record};

use crate::rights::quoted;
use line::{Field, Name, Said, trimmed};
use record::Kept;

/// What is read of a file; the rest is ignored, as the RFC allows from 500 KiB on.
pub const MAX_BYTES: usize = 500 * 1024;

/// A parsed file. Parsing cannot fail: lines that make no sense are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Robots {
    /// What was read of the file, and behind it the patterns that had to be written anew.
    text: Vec<u8>,
    /// How much of `text` is the file.
    read: usize,
    groups: Vec<Group>,
    named: Vec<Named>,
    rules: Vec<Rule>,
    records: Vec<Kept>,
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

/// A place in [`Robots::text`]. Both fit: the text is bounded far below 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// Places in the lists of names and rules; `global` when it is (also) for everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
    names: Span,
    rules: Span,
    global: bool,
}

/// What a user-agent line names: the first word, and how much of it is a product token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    word: Span,
    token: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    pattern: Span,
    line: u32,
    allow: bool,
    /// Whether the pattern holds `*` or `$` and must be matched with care.
    wild: bool,
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
    /// The line of the deciding rule; none when no rule matched. [`Robots::rule_text`] quotes it.
    pub line: Option<u32>,
}

impl Robots {
    #[must_use]
    pub fn parse(body: &[u8]) -> Self {
        let read = body.get(..MAX_BYTES).unwrap_or(body);
        let mut robots = Self {
            text: read.to_vec(),
            read: read.len(),
            truncated: body.len() > read.len(),
            ..Self::default()
        };
        if line::utf16(read) {
            // No reader finds a rule in it. The lint says so.
            return robots;
        }
        // Only a rule ends a list of user-agent lines; unknown records never do (RFC 9309 2.2.4).
        let mut naming = false;
        // Whether a blank line came after the last rule: what follows is hardly the group's.
        let mut loose = false;
        for row in line::rows(read) {
            let field = match line::said(row.bytes) {
                Said::Field(field) => field,
                Said::Nothing => {
                    loose |= !naming;
                    continue;
                }
                Said::Comment(_) | Said::Unreadable(_) => continue,
            };
            match field.name {
                Name::UserAgent => {
                    robots.name(read, field.value, naming);
                    (naming, loose) = (true, false);
                }
                Name::Allow | Name::Disallow => {
                    robots.rule(read, &field, row.number);
                    (naming, loose) = (false, false);
                }
                Name::Sitemap => robots.sitemaps.push(Line {
                    number: row.number,
                    value: String::from_utf8_lossy(field.value).into_owned(),
                }),
                name => {
                    // A preference is one of its group's rules.
                    loose &= name != Name::ContentUsage;
                    robots.record(read, &field, row.number, loose);
                }
            }
        }
        robots
    }

    /// Takes one user-agent value: `*`, or the first word of whatever stands there.
    fn name(&mut self, read: &[u8], value: &[u8], naming: bool) {
        if !naming {
            let (names, rules) = (empty_at(self.named.len()), empty_at(self.rules.len()));
            self.groups.push(Group { names, rules, global: false });
        }
        let Some(group) = self.groups.last_mut() else { return };
        if line::is_everyone(value) {
            group.global = true;
            return;
        }
        let (word, token) = line::product(value);
        if !word.is_empty() {
            self.named.push(Named { word: span(read, word), token: small(token.len()) });
            group.names.end = small(self.named.len());
        }
    }

    fn rule(&mut self, read: &[u8], field: &Field<'_>, line: u32) {
        // A rule before any group speaks to nobody.
        let Some(group) = self.groups.last_mut() else { return };
        let pattern = match pattern::escaped(field.value) {
            None => span(read, field.value),
            Some(escaped) => {
                let start = small(self.text.len());
                self.text.extend(escaped);
                Span { start, end: small(self.text.len()) }
            }
        };
        let wild = memchr::memchr2(b'*', b'$', field.value).is_some();
        self.rules.push(Rule { pattern, line, allow: field.name == Name::Allow, wild });
        group.rules.end = small(self.rules.len());
    }

    /// Decides for one product token and one path (with its query, already percent-encoded).
    #[must_use]
    pub fn access(&self, token: &str, path: &str) -> Access {
        let scope = self.scope(token);
        let mut best: Option<(usize, &Rule)> = None;
        for group in &self.groups {
            if !self.speaks_to(group, token, scope) {
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
                match self.strength(rule, path.as_bytes()) {
                    Some(strength) if strength >= least => best = Some((strength, rule)),
                    _ => {}
                }
            }
        }
        // The file itself may always be fetched.
        let allowed = path == "/robots.txt" || best.is_none_or(|(_, rule)| rule.allow);
        Access { allowed, scope, line: best.map(|(_, rule)| rule.line) }
    }

    /// What stands on a line, without its comment, cut and made harmless: to quote what decided.
    #[must_use]
    pub fn rule_text(&self, line: u32) -> Option<String> {
        let row = line::rows(self.file()).nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let text = trimmed(line::before_comment(row.bytes));
        (!text.is_empty()).then(|| quoted(&String::from_utf8_lossy(text)))
    }

    /// Parts of the file that a layer in front of the origin put there, by their comments.
    #[must_use]
    pub fn managed_blocks(&self) -> Vec<ManagedBlock> {
        managed::blocks(self.file())
    }

    /// What the file gets wrong, in the order of its lines; the whole file first.
    #[must_use]
    pub fn faults(&self) -> Vec<crate::fault::Fault> {
        lint::faults(self)
    }

    /// The patterns for everyone and whether each allows: for files that borrow this grammar.
    pub(crate) fn rules_for_everyone(&self) -> impl Iterator<Item = (bool, &[u8], u32)> {
        self.groups.iter().filter(|group| group.global).flat_map(|group| {
            self.rules_of(group).iter().map(|rule| (rule.allow, self.at(rule.pattern), rule.line))
        })
    }

    fn file(&self) -> &[u8] {
        self.text.get(..self.read).unwrap_or_default()
    }

    fn at(&self, span: Span) -> &[u8] {
        range(&self.text, span)
    }

    fn rules_of(&self, group: &Group) -> &[Rule] {
        range(&self.rules, group.rules)
    }

    fn scope(&self, token: &str) -> Scope {
        if self.groups.iter().any(|group| self.names(group, token)) {
            Scope::Named
        } else if self.groups.iter().any(|group| group.global) {
            Scope::Everyone
        } else {
            Scope::Nobody
        }
    }

    fn speaks_to(&self, group: &Group, token: &str, scope: Scope) -> bool {
        match scope {
            Scope::Named => self.names(group, token),
            Scope::Everyone => group.global,
            Scope::Nobody => false,
        }
    }

    fn names(&self, group: &Group, token: &str) -> bool {
        self.named_at(group, token).is_some()
    }

    /// Where in the list of names a group names an agent. Google compares only letters, `-` and `_`;
    /// a few agents have digits in their names (`Ai2Bot`), and those can only mean the whole word.
    fn named_at(&self, group: &Group, token: &str) -> Option<u32> {
        let token = token.as_bytes();
        let names = |named: &Named| {
            let word = self.at(named.word);
            word.eq_ignore_ascii_case(token)
                || usize::try_from(named.token).is_ok_and(|length| length == token.len())
                    && word
                        .get(..token.len())
                        .is_some_and(|start| start.eq_ignore_ascii_case(token))
        };
        if token.is_empty() {
            return None;
        }
        let at = range(&self.named, group.names).iter().position(names)?;
        Some(group.names.start.saturating_add(small(at)))
    }

    /// How strongly a rule speaks of a path: the length of its pattern, or nothing.
    fn strength(&self, rule: &Rule, path: &[u8]) -> Option<usize> {
        let pattern = self.at(rule.pattern);
        let matches =
            if rule.wild { pattern::matches(pattern, path) } else { path.starts_with(pattern) };
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

fn range<T>(list: &[T], span: Span) -> &[T] {
    let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
    list.get(at(span.start)..at(span.end)).unwrap_or_default()
}

fn small(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn empty_at(length: usize) -> Span {
    Span { start: small(length), end: small(length) }
}

/// Where `part`, a slice of `whole`, lies in it.
fn span(whole: &[u8], part: &[u8]) -> Span {
    if part.is_empty() {
        return Span::default();
    }
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    Span { start: small(start), end: small(start + part.len()) }
}

#[cfg(test)]
mod tests;
