//! Parses a robots.txt file: lines into groups, rules and records.

use super::line::{self, Field, FieldName, LineContent};
use super::model::{AgentName, Group, MAX_BYTES, Robots, Rule, SitemapLine, StoredRecord};
use super::pattern;
use super::span::{Span, empty_span_at, span_of, to_u32};

impl Robots {
    /// Parses a complete file. At most [`MAX_BYTES`] are read.
    #[must_use]
    pub fn parse(body: &[u8]) -> Self {
        Self::parse_received(body, false)
    }

    /// Parses what was received of a file. `truncated` says that the rest of the body is missing.
    #[must_use]
    pub fn parse_received(body: &[u8], truncated: bool) -> Self {
        let read = body.get(..MAX_BYTES).unwrap_or(body);
        let truncated = truncated || body.len() > read.len();
        let read = if truncated { without_unfinished_line(read) } else { read };
        let mut robots =
            Self { text: read.to_vec(), file_length: read.len(), truncated, ..Self::default() };
        if line::is_utf16(read) {
            // No crawler finds a rule in it; `robots_lint` reports it.
            return robots;
        }
        // Only a rule ends a list of user-agent lines; unknown records never do (RFC 9309 2.2.4).
        let mut naming = false;
        // Whether a blank line came after the last rule: records after it rarely belong to the group.
        let mut loose = false;
        for raw_line in line::raw_lines(read) {
            let field = match line::parse_line(raw_line.bytes) {
                LineContent::Field(field) => field,
                LineContent::Blank => {
                    loose |= !naming;
                    continue;
                }
                LineContent::Comment(_) | LineContent::Unreadable(_) => continue,
            };
            match field.name {
                FieldName::UserAgent => {
                    robots.add_user_agent(read, field.value, naming);
                    (naming, loose) = (true, false);
                }
                FieldName::Allow | FieldName::Disallow => {
                    robots.add_rule(read, &field, raw_line.number);
                    (naming, loose) = (false, false);
                }
                FieldName::Sitemap => robots.sitemaps.push(SitemapLine {
                    number: raw_line.number,
                    value: String::from_utf8_lossy(field.value).into_owned(),
                }),
                name => {
                    // A Content-Usage line is one of its group's rules.
                    loose &= name != FieldName::ContentUsage;
                    robots.add_record(read, &field, raw_line.number, loose);
                }
            }
        }
        robots.shrink();
        robots
    }

    /// Adds one user-agent value: `*`, or the first word of the value.
    fn add_user_agent(&mut self, read: &[u8], value: &[u8], naming: bool) {
        if !naming {
            let (names, rules) =
                (empty_span_at(self.agent_names.len()), empty_span_at(self.rules.len()));
            self.groups.push(Group { names, rules, for_everyone: false });
        }
        let Some(group) = self.groups.last_mut() else { return };
        if line::is_everyone(value) {
            group.for_everyone = true;
            return;
        }
        let (word, token) = line::product_token(value);
        if !word.is_empty() {
            self.agent_names
                .push(AgentName { word: span_of(read, word), token_length: to_u32(token.len()) });
            group.names.end = to_u32(self.agent_names.len());
        }
    }

    fn add_rule(&mut self, read: &[u8], field: &Field<'_>, line: u32) {
        // A rule before any group applies to nobody.
        let Some(group) = self.groups.last_mut() else { return };
        let pattern = match pattern::percent_encoded(field.value) {
            None => span_of(read, field.value),
            Some(escaped) => {
                let start = to_u32(self.text.len());
                self.text.extend(escaped);
                Span { start, end: to_u32(self.text.len()) }
            }
        };
        let wild = memchr::memchr2(b'*', b'$', field.value).is_some();
        self.rules.push(Rule {
            pattern,
            line,
            allow: field.name == FieldName::Allow,
            has_wildcard: wild,
        });
        group.rules.end = to_u32(self.rules.len());
    }

    fn add_record(&mut self, read: &[u8], field: &Field<'_>, line: u32, loose: bool) {
        let group = self.groups.last();
        self.records.push(StoredRecord {
            name: field.name,
            key: span_of(read, field.key),
            value: span_of(read, field.value),
            line,
            group: group.map(|_| to_u32(self.groups.len().saturating_sub(1))),
            names_end: to_u32(self.agent_names.len()),
            for_everyone: group.is_some_and(|group| group.for_everyone),
            after_blank_line: loose,
        });
    }
}

/// A truncated file without its last line, unless that line is complete. Half a rule is a different
/// rule: `Disallow: /private` cut after the slash disallows the whole site.
fn without_unfinished_line(read: &[u8]) -> &[u8] {
    let start = memchr::memrchr2(b'\n', b'\r', read).map_or(0, |end| end + 1);
    // Nobody reads more of a line than this, so what is missing would not have counted.
    if read.len().saturating_sub(start) >= line::MAX_LINE_BYTES {
        return read;
    }
    read.get(..start).unwrap_or(read)
}
