//! Records beside the rules: crawl delays, signals, preferences, licences, and what nobody knows.

use super::line::{Field, Name};
use super::{Group, Robots, Scope, Span, range, small, span};
use crate::rights::quoted;

/// Records shown of one kind, and names shown of one group: a hostile file multiplies the two.
const MAX_SHOWN: usize = 256;
const MAX_AGENTS: usize = 64;

/// A record beside the rules, and whom it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub line: u32,
    /// Its name as written.
    pub name: String,
    pub value: String,
    pub reach: Reach,
}

/// Whom a record is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Everyone: it stands before any group, or after a blank line behind a group's rules.
    Site,
    /// The agents of its group, `*` (first) for everyone. At most 64 are told.
    Agents(Vec<String>),
}

/// How long to wait between two requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    pub seconds: f64,
    pub line: u32,
}

/// A record as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kept {
    name: Name,
    key: Span,
    value: Span,
    line: u32,
    group: Option<u32>,
    /// The end of the group's names when the record was met: more may follow.
    names_end: u32,
    global: bool,
    loose: bool,
}

impl Robots {
    pub(super) fn record(&mut self, read: &[u8], field: &Field<'_>, line: u32, loose: bool) {
        let group = self.groups.last();
        self.records.push(Kept {
            name: field.name,
            key: span(read, field.key),
            value: span(read, field.value),
            line,
            group: group.map(|_| small(self.groups.len().saturating_sub(1))),
            names_end: small(self.named.len()),
            global: group.is_some_and(|group| group.global),
            loose,
        });
    }

    /// `Content-Signal` lines.
    #[must_use]
    pub fn content_signals(&self) -> Vec<Record> {
        self.shown(Name::ContentSignal)
    }

    /// `Content-Usage` lines (AIPREF). These are rules: a blank line does not part them from their
    /// group, and agents named after one are not its agents.
    #[must_use]
    pub fn content_usage(&self) -> Vec<Record> {
        self.shown(Name::ContentUsage)
    }

    /// `License` lines (RSL). A line of a group stands before the one for the whole site.
    #[must_use]
    pub fn licenses(&self) -> Vec<Record> {
        self.shown(Name::License)
    }

    /// Records that no standard read here knows: worth a note, not a fault.
    #[must_use]
    pub fn others(&self) -> Vec<Record> {
        self.shown(Name::Other)
    }

    /// The longest valid `Crawl-delay` of the groups that speak to an agent.
    #[must_use]
    pub fn crawl_delay(&self, token: &str) -> Option<Delay> {
        self.kept_for(token, Name::CrawlDelay)
            .filter_map(|kept| {
                Some(Delay { seconds: seconds(self.at(kept.value))?, line: kept.line })
            })
            // The earlier line of equals.
            .reduce(|a, b| if b.seconds > a.seconds { b } else { a })
    }

    /// Lines and values of `Content-Usage` rules that speak to an agent, with those before any group.
    pub(crate) fn usage_for(&self, token: &str) -> Vec<(u32, &[u8], Reach)> {
        self.kept_for(token, Name::ContentUsage)
            .map(|kept| (kept.line, self.at(kept.value), self.reach(kept)))
            .take(MAX_SHOWN)
            .collect()
    }

    fn kept_for(&self, token: &str, name: Name) -> impl Iterator<Item = &Kept> {
        let scope = self.scope(token);
        // Looked up once per group, not once per record: a file may have many of both.
        let named_at: Vec<Option<u32>> = self
            .groups
            .iter()
            .map(|group| match scope {
                Scope::Named => self.named_at(group, token),
                Scope::Everyone => group.global.then_some(0),
                Scope::Nobody => None,
            })
            .collect();
        let usage = name == Name::ContentUsage;
        self.records.iter().filter(move |kept| {
            let Some(group) = kept.group else {
                // A delay outside a group asks nobody; a preference asks everyone.
                return kept.name == name && usage;
            };
            let named =
                usize::try_from(group).ok().and_then(|at| named_at.get(at).copied().flatten());
            kept.name == name
                && named.is_some_and(|at| match scope {
                    // An AIPREF rule ends the list of names: later ones are not its agents.
                    _ if !usage => true,
                    Scope::Named => at < kept.names_end,
                    _ => kept.global,
                })
        })
    }

    /// A record's group as far as it had come.
    fn group_then(&self, kept: &Kept) -> Option<Group> {
        let group = self.groups.get(usize::try_from(kept.group?).ok()?)?;
        let names = Span { start: group.names.start, end: kept.names_end.min(group.names.end) };
        Some(Group { names, global: kept.global, ..*group })
    }

    fn shown(&self, name: Name) -> Vec<Record> {
        self.records
            .iter()
            .filter(|kept| kept.name == name)
            .take(MAX_SHOWN)
            .map(|kept| Record {
                line: kept.line,
                name: quoted(&String::from_utf8_lossy(self.at(kept.key))),
                value: String::from_utf8_lossy(self.at(kept.value)).into_owned(),
                reach: self.reach(kept),
            })
            .collect()
    }

    fn reach(&self, kept: &Kept) -> Reach {
        let rule = kept.name == Name::ContentUsage;
        let group = match kept.group.and_then(|at| self.groups.get(usize::try_from(at).ok()?)) {
            Some(group) if rule || !kept.loose => *group,
            _ => return Reach::Site,
        };
        let group = if rule { self.group_then(kept).unwrap_or(group) } else { group };
        let names = range(&self.named, group.names)
            .iter()
            .map(|named| quoted(&String::from_utf8_lossy(self.at(named.word))));
        let everyone = group.global.then(|| "*".to_owned());
        Reach::Agents(everyone.into_iter().chain(names).take(MAX_AGENTS).collect())
    }
}

/// A delay that can be kept: a number, not negative, at most a week.
pub(super) fn seconds(value: &[u8]) -> Option<f64> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    (0.0..=604_800.0).contains(&seconds).then_some(seconds)
}
