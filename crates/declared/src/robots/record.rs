//! Records other than rules: crawl delays, signals, preferences, licences and unknown ones.

use super::line::FieldName;
use super::model::{Group, Robots, Scope, StoredRecord};
use super::span::{Span, slice_of};
use crate::evidence_excerpt::evidence_excerpt;

/// How many records of one kind, and how many agents of one group, are returned. A hostile file
/// would multiply the two.
const MAX_RECORDS: usize = 256;
const MAX_AGENTS: usize = 64;

/// A record other than a rule, and whom it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub line: u32,
    /// Its name as written.
    pub name: String,
    pub value: String,
    pub audience: RecordAudience,
}

/// Whom a record is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAudience {
    /// Everyone: the record comes before any group, or after a blank line below a group's rules.
    Site,
    /// The agents of its group, `*` (first) for everyone. At most 64.
    Agents(Vec<String>),
}

/// How long to wait between two requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrawlDelay {
    pub seconds: f64,
    pub line: u32,
}

impl Robots {
    /// `Content-Signal` lines.
    #[must_use]
    pub fn content_signals(&self) -> Vec<Record> {
        self.records_named(FieldName::ContentSignal)
    }

    /// `Content-Usage` lines (AIPREF). These are rules: a blank line does not separate them from their
    /// group, and agents named after one are not its agents.
    #[must_use]
    pub fn content_usage(&self) -> Vec<Record> {
        self.records_named(FieldName::ContentUsage)
    }

    /// `License` lines (RSL). A group's line takes precedence over the line for the whole site.
    #[must_use]
    pub fn licenses(&self) -> Vec<Record> {
        self.records_named(FieldName::License)
    }

    /// Records that none of the supported standards defines.
    #[must_use]
    pub fn unknown_records(&self) -> Vec<Record> {
        self.records_named(FieldName::Other)
    }

    /// The longest valid `Crawl-delay` of the groups that apply to an agent.
    #[must_use]
    pub fn crawl_delay(&self, token: &str) -> Option<CrawlDelay> {
        self.stored_for_agent(token, FieldName::CrawlDelay)
            .filter_map(|record| {
                Some(CrawlDelay {
                    seconds: parse_delay_seconds(self.bytes_at(record.value))?,
                    line: record.line,
                })
            })
            // Of equal delays the earlier line.
            .reduce(|a, b| if b.seconds > a.seconds { b } else { a })
    }

    /// Line, value and audience of the `Content-Usage` rules for an agent, including those before
    /// any group.
    pub(crate) fn content_usage_for(&self, token: &str) -> Vec<(u32, &[u8], RecordAudience)> {
        self.stored_for_agent(token, FieldName::ContentUsage)
            .map(|record| (record.line, self.bytes_at(record.value), self.audience_of(record)))
            .take(MAX_RECORDS)
            .collect()
    }

    fn stored_for_agent(
        &self,
        token: &str,
        name: FieldName,
    ) -> impl Iterator<Item = &StoredRecord> {
        let scope = self.scope_for(token);
        // Looked up once per group, not once per record: a file may have many of both.
        let named_at: Vec<Option<u32>> = self
            .groups
            .iter()
            .map(|group| match scope {
                Scope::Named => self.agent_name_index(group, token),
                Scope::Everyone => group.for_everyone.then_some(0),
                Scope::Nobody => None,
            })
            .collect();
        let usage = name == FieldName::ContentUsage;
        self.records.iter().filter(move |record| {
            let Some(group) = record.group else {
                // A delay outside a group applies to nobody; a preference applies to everyone.
                return record.name == name && usage;
            };
            let named =
                usize::try_from(group).ok().and_then(|at| named_at.get(at).copied().flatten());
            record.name == name
                && named.is_some_and(|at| match scope {
                    // An AIPREF rule ends the list of names: later ones are not its agents.
                    _ if !usage => true,
                    Scope::Named => at < record.names_end,
                    _ => record.for_everyone,
                })
        })
    }

    /// A record's group with only the names that came before the record.
    fn group_at_record(&self, record: &StoredRecord) -> Option<Group> {
        let group = self.groups.get(usize::try_from(record.group?).ok()?)?;
        let names = Span { start: group.names.start, end: record.names_end.min(group.names.end) };
        Some(Group { names, for_everyone: record.for_everyone, ..*group })
    }

    fn records_named(&self, name: FieldName) -> Vec<Record> {
        self.records
            .iter()
            .filter(|record| record.name == name)
            .take(MAX_RECORDS)
            .map(|record| Record {
                line: record.line,
                name: evidence_excerpt(&String::from_utf8_lossy(self.bytes_at(record.key))),
                value: String::from_utf8_lossy(self.bytes_at(record.value)).into_owned(),
                audience: self.audience_of(record),
            })
            .collect()
    }

    fn audience_of(&self, record: &StoredRecord) -> RecordAudience {
        let rule = record.name == FieldName::ContentUsage;
        let group = match record.group.and_then(|at| self.groups.get(usize::try_from(at).ok()?)) {
            Some(group) if rule || !record.after_blank_line => *group,
            _ => return RecordAudience::Site,
        };
        let group = if rule { self.group_at_record(record).unwrap_or(group) } else { group };
        let names = slice_of(&self.agent_names, group.names)
            .iter()
            .map(|named| evidence_excerpt(&String::from_utf8_lossy(self.bytes_at(named.word))));
        let everyone = group.for_everyone.then(|| "*".to_owned());
        RecordAudience::Agents(everyone.into_iter().chain(names).take(MAX_AGENTS).collect())
    }
}

/// A valid delay: a number of seconds from 0 to one week.
pub(crate) fn parse_delay_seconds(value: &[u8]) -> Option<f64> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    (0.0..=604_800.0).contains(&seconds).then_some(seconds)
}
