//! The parsed mark file (`data/walls.json`). Everything in it is checked when it is parsed, so that
//! matching cannot fail.

use regex::Regex;
use serde::Deserialize;

use super::limits::Limits;
use super::normalised_response::NormalisedResponse;
use super::text::{excerpt, fold_case};
use super::wall::WallKind;

#[derive(Debug, Default)]
pub(super) struct MarkTable {
    pub(super) limits: Limits,
    /// Statuses that are about the server or the URL, not about the client.
    neutral_statuses: Vec<u16>,
    pub(super) challenge_words: Vec<String>,
    /// Phrases that occur in challenges and also in pages that are still loading.
    pub(super) vague_challenge_words: Vec<String>,
    pub(super) captchas: Vec<CaptchaMark>,
    statuses: Vec<StatusMeaning>,
    /// The order decides between vendors with equally strong marks.
    pub(super) vendors: Vec<Vendor>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaptchaMark {
    pub(super) label: String,
    pub(super) holds: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusMeaning {
    status: u16,
    kind: WallKind,
    certain: bool,
}

#[derive(Debug)]
pub(super) struct Vendor {
    pub(super) id: String,
    pub(super) label: String,
    /// If not empty, the marks count at these hosts and their subdomains only.
    hosts: Vec<String>,
    pub(super) marks: Vec<Mark>,
}

#[derive(Debug)]
pub(super) struct Mark {
    pub(super) strength: Strength,
    /// None: the status decides the kind.
    pub(super) kind: Option<WallKind>,
    location: MarkLocation,
    name: NameTest,
    value: ValueTest,
    /// Empty: any status.
    only_with_status: Vec<u16>,
}

/// Strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Strength {
    Decisive,
    Supporting,
    Weak,
    Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MarkLocation {
    Header,
    Cookie,
    Title,
    /// The visible text.
    Text,
    /// The source of the page.
    Markup,
    Status,
}

#[derive(Debug)]
enum NameTest {
    None,
    Is(String),
    Starts(String),
    Matches(Regex),
}

#[derive(Debug)]
enum ValueTest {
    Any,
    Is(Vec<String>),
    IsNot(Vec<String>),
    Starts(String),
    Holds(String),
    Matches(Regex),
}

#[derive(Debug, thiserror::Error)]
pub(super) enum MarkTableError {
    #[error(transparent)]
    NotValid(#[from] serde_json::Error),
    #[error("mark {mark} of {vendor} {what}")]
    BadMark { vendor: String, mark: usize, what: &'static str },
    #[error("mark {mark} of {vendor} has an invalid regular expression: {source}")]
    BadExpression { vendor: String, mark: usize, source: Box<regex::Error> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkTableFile {
    #[expect(dead_code, reason = "the file must state its version")]
    v: u32,
    limits: Limits,
    says_nothing: Vec<u16>,
    challenge_words: Vec<String>,
    vague_challenge_words: Vec<String>,
    captchas: Vec<CaptchaMark>,
    statuses: Vec<StatusMeaning>,
    vendors: Vec<VendorFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VendorFile {
    id: String,
    label: String,
    #[serde(default)]
    hosts: Vec<String>,
    marks: Vec<MarkFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkFile {
    strength: Strength,
    kind: Option<WallKind>,
    #[serde(rename = "in")]
    location: MarkLocation,
    /// A trailing `*` matches any ending.
    name: Option<String>,
    name_matches: Option<String>,
    is: Option<Vec<String>>,
    is_not: Option<Vec<String>>,
    starts: Option<String>,
    holds: Option<String>,
    matches: Option<String>,
    #[serde(default)]
    status: Vec<u16>,
}

impl MarkTable {
    pub(super) fn parse(text: &str) -> Result<Self, MarkTableError> {
        let file: MarkTableFile = serde_json::from_str(text)?;
        let vendors = file.vendors.into_iter().map(Vendor::from_file).collect::<Result<_, _>>()?;
        Ok(Self {
            limits: file.limits,
            neutral_statuses: file.says_nothing,
            challenge_words: file.challenge_words,
            vague_challenge_words: file.vague_challenge_words,
            captchas: file.captchas,
            statuses: file.statuses,
            vendors,
        })
    }

    /// The kind of wall that a status alone means, and whether HTTP defines that meaning.
    pub(super) fn status_meaning(&self, status: u16) -> Option<(WallKind, bool)> {
        let means = self.statuses.iter().find(|means| means.status == status)?;
        Some((means.kind, means.certain))
    }

    /// Whether a response with this status can be a refusal of the client.
    pub(super) fn is_refusal_status(&self, status: u16) -> bool {
        status >= 400 && !self.neutral_statuses.contains(&status)
    }
}

impl Vendor {
    fn from_file(file: VendorFile) -> Result<Self, MarkTableError> {
        let VendorFile { id, label, hosts, marks } = file;
        let marks = marks
            .into_iter()
            .enumerate()
            .map(|(mark, file)| Mark::from_file(file, &id, mark))
            .collect::<Result<_, _>>()?;
        Ok(Self { id, label, hosts, marks })
    }

    pub(super) fn applies_to_url(&self, url: &str) -> bool {
        // Nearly all vendors are in front of any host.
        if self.hosts.is_empty() {
            return true;
        }
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = after_scheme.split(['/', ':', '?', '#']).next().unwrap_or_default();
        let host = host.to_ascii_lowercase();
        let is_in_domain = |known: &String| {
            host.strip_suffix(known.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.hosts.iter().any(is_in_domain)
    }
}

impl Mark {
    fn from_file(file: MarkFile, vendor: &str, mark: usize) -> Result<Self, MarkTableError> {
        let bad = |what| MarkTableError::BadMark { vendor: vendor.to_owned(), mark, what };
        let expression = |text: &str| {
            regex::RegexBuilder::new(text).size_limit(1 << 20).build().map_err(|source| {
                MarkTableError::BadExpression {
                    vendor: vendor.to_owned(),
                    mark,
                    source: Box::new(source),
                }
            })
        };
        let texts = [&file.name, &file.starts, &file.holds].into_iter().flatten();
        let lists = [&file.is, &file.is_not].into_iter().flatten().flatten();
        if texts.chain(lists).any(|text| text.is_empty() || *text != fold_case(text)) {
            return Err(bad("searches for an empty text, or for one that is not in lower case"));
        }
        let name = match (&file.name, &file.name_matches) {
            (Some(_), Some(_)) => return Err(bad("has both a name and a name_matches")),
            (None, Some(text)) => NameTest::Matches(expression(text)?),
            (Some(name), None) => match name.strip_suffix('*') {
                Some(start) => NameTest::Starts(start.to_owned()),
                None => NameTest::Is(name.clone()),
            },
            (None, None) => NameTest::None,
        };
        let mut tests: Vec<ValueTest> = [
            file.is.map(ValueTest::Is),
            file.is_not.map(ValueTest::IsNot),
            file.starts.map(ValueTest::Starts),
            file.holds.map(ValueTest::Holds),
        ]
        .into_iter()
        .flatten()
        .collect();
        if let Some(text) = &file.matches {
            tests.push(ValueTest::Matches(expression(text)?));
        }
        let value = tests.pop().unwrap_or(ValueTest::Any);
        if !tests.is_empty() {
            return Err(bad("has more than one test for its value"));
        }
        let (named, tested) = (!matches!(name, NameTest::None), !matches!(value, ValueTest::Any));
        let is_complete = match file.location {
            MarkLocation::Header => named,
            MarkLocation::Cookie => named && !tested,
            MarkLocation::Title | MarkLocation::Text | MarkLocation::Markup => tested && !named,
            MarkLocation::Status => !tested && !named && !file.status.is_empty(),
        };
        if !is_complete {
            return Err(bad("has a missing or unexpected member for its location"));
        }
        if file.strength == Strength::Presence && file.kind.is_some() {
            return Err(bad("has strength presence and must not have a kind"));
        }
        Ok(Self {
            strength: file.strength,
            kind: file.kind,
            location: file.location,
            name,
            value,
            only_with_status: file.status,
        })
    }

    /// Whether the mark is in the response head and shows only that the vendor is present.
    pub(super) fn shows_presence_in_head(&self) -> bool {
        matches!(self.location, MarkLocation::Header | MarkLocation::Cookie) && self.kind.is_none()
    }

    /// Whether the mark counts for this response. With a status that is not a refusal, marks in the
    /// body and weaker marks in the head count on short pages only: ordinary pages carry vendors'
    /// scripts and header fields too, and some pages are about the vendors.
    pub(super) fn counts_for(&self, seen: &NormalisedResponse, table: &MarkTable) -> bool {
        if !self.only_with_status.is_empty() && !self.only_with_status.contains(&seen.status) {
            return false;
        }
        if self.strength == Strength::Presence || table.is_refusal_status(seen.status) {
            return true;
        }
        let most = match self.location {
            MarkLocation::Title | MarkLocation::Text => table.limits.vendor_text_words,
            MarkLocation::Markup => table.limits.vendor_markup_words,
            _ if self.strength == Strength::Decisive => return true,
            _ => table.limits.vendor_markup_words,
        };
        seen.has_at_most_words(most)
    }

    /// Searches for the mark and describes what was found.
    pub(super) fn find_in(&self, seen: &NormalisedResponse) -> Option<String> {
        match self.location {
            MarkLocation::Header => seen
                .fields
                .iter()
                .filter(|field| self.name.is_match(&field.name))
                .find(|field| self.value.find_in(&field.folded).is_some())
                .map(|field| match field.excerpt.is_empty() {
                    true => format!("header {}", excerpt(&field.name)),
                    false => format!("header {}: {}", excerpt(&field.name), field.excerpt),
                }),
            MarkLocation::Cookie => seen
                .cookies
                .iter()
                .find(|cookie| self.name.is_match(&cookie.to_lowercase()))
                .map(|cookie| format!("cookie {}", excerpt(cookie))),
            MarkLocation::Title => {
                let title = seen.title.as_deref()?;
                self.value.find_in(title).map(|_| format!("title “{}”", excerpt(title)))
            }
            MarkLocation::Text => {
                self.value.find_in(&seen.text).map(|part| format!("text “{}”", excerpt(part)))
            }
            MarkLocation::Markup => {
                self.value.find_in(&seen.markup).map(|part| format!("source “{}”", excerpt(part)))
            }
            MarkLocation::Status => self
                .only_with_status
                .contains(&seen.status)
                .then(|| format!("status {}", seen.status)),
        }
    }
}

impl NameTest {
    fn is_match(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::Is(known) => name == known,
            Self::Starts(start) => name.starts_with(start.as_str()),
            Self::Matches(expression) => expression.is_match(name),
        }
    }
}

impl ValueTest {
    /// The part of the text that matches.
    fn find_in<'t>(&'t self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Any => Some(text),
            Self::Is(known) => known.iter().any(|known| known == text).then_some(text),
            Self::IsNot(known) => (!known.iter().any(|known| known == text)).then_some(text),
            Self::Starts(start) => text.starts_with(start.as_str()).then_some(text),
            Self::Holds(part) => text.contains(part.as_str()).then_some(part.as_str()),
            Self::Matches(expression) => expression.find(text).map(|found| found.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(mark: &str) -> String {
        let file: MarkFile = match serde_json::from_str(mark) {
            Ok(file) => file,
            Err(error) => return error.to_string(),
        };
        Mark::from_file(file, "some-vendor", 3).unwrap_err().to_string()
    }

    #[test]
    fn a_mark_that_can_never_match_is_rejected() {
        for (mark, why) in [
            (r#"{"strength":"decisive","in":"header","holds":"x"}"#, "missing or unexpected"),
            (
                r#"{"strength":"decisive","in":"cookie","name":"a","holds":"x"}"#,
                "missing or unexpected",
            ),
            (r#"{"strength":"decisive","in":"text"}"#, "missing or unexpected"),
            (r#"{"strength":"weak","in":"status"}"#, "missing or unexpected"),
            (r#"{"strength":"weak","in":"text","holds":"Upper"}"#, "lower case"),
            (r#"{"strength":"weak","in":"text","holds":""}"#, "empty"),
            (r#"{"strength":"weak","in":"text","holds":"a","starts":"b"}"#, "more than one test"),
            (r#"{"strength":"weak","in":"text","matches":"("}"#, "invalid regular expression"),
            (r#"{"strength":"presence","kind":"block","in":"text","holds":"a"}"#, "presence"),
            (r#"{"strength":"weak","in":"text","holds":"a","more":1}"#, "more"),
            (r#"{"strength":"weak","in":"trailer","name":"a"}"#, "trailer"),
        ] {
            assert!(fault(mark).contains(why), "{mark}: {}", fault(mark));
        }
    }

    #[test]
    fn platform_marks_count_at_their_own_hosts_only() {
        let vendor = Vendor {
            id: String::new(),
            label: String::new(),
            hosts: vec!["social.example".into()],
            marks: vec![],
        };
        assert!(
            vendor.applies_to_url("https://social.example/")
                && vendor.applies_to_url("http://www.Social.Example:8443/x")
        );
        assert!(
            !vendor.applies_to_url("https://antisocial.example/")
                && !vendor.applies_to_url("https://a.lab/?social.example")
        );
    }
}
