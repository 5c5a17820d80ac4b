//! The file of marks, read and made ready: everything in it is checked once, so that looking for a
//! mark cannot fail.

use regex::Regex;
use serde::Deserialize;

use super::WallKind;
use super::seen::{Seen, excerpt};

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) limits: Limits,
    /// Statuses that speak of the server or the address and not of who asked.
    says_nothing: Vec<u16>,
    pub(super) challenge_words: Vec<String>,
    /// Words that a challenge and a page that is still loading share.
    pub(super) vague_challenge_words: Vec<String>,
    pub(super) captchas: Vec<CaptchaMark>,
    statuses: Vec<StatusMeans>,
    /// The order settles who is named where two have equally good marks.
    pub(super) vendors: Vec<Vendor>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// How far into a body marks are looked for.
    pub(super) body_bytes: usize,
    /// A page longer than this is never a short one.
    pub(super) long_page_bytes: usize,
    /// With a success status, words that a vendor writes count on pages of at most so many words:
    /// longer ones write *about* it.
    pub(super) vendor_text_words: usize,
    /// The same for scripts and addresses in the source of a page.
    pub(super) vendor_markup_words: usize,
    /// The most words of a challenge that nobody signed.
    pub(super) unnamed_words: usize,
    /// The most words of a page that holds nothing.
    pub(super) blank_words: usize,
}

impl Limits {
    /// On a page that was served and has more words than this, nothing in the body counts.
    pub(super) fn most_words(&self) -> usize {
        self.vendor_text_words.max(self.vendor_markup_words).max(self.unnamed_words)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaptchaMark {
    pub(super) label: String,
    pub(super) holds: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusMeans {
    status: u16,
    kind: WallKind,
    certain: bool,
}

#[derive(Debug)]
pub(super) struct Vendor {
    pub(super) id: String,
    pub(super) label: String,
    /// A platform that is known by its own name: counted at these hosts only.
    hosts: Vec<String>,
    pub(super) marks: Vec<Mark>,
}

#[derive(Debug)]
pub(super) struct Mark {
    pub(super) strength: Strength,
    /// None: what the status says.
    pub(super) kind: Option<WallKind>,
    place: Place,
    name: NameTest,
    value: ValueTest,
    /// Empty: with any.
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
enum Place {
    Header,
    Cookie,
    Title,
    /// What a reader sees.
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
pub(super) enum TableError {
    #[error(transparent)]
    NotValid(#[from] serde_json::Error),
    #[error("mark {mark} of {vendor} {what}")]
    BadMark { vendor: String, mark: usize, what: &'static str },
    #[error("mark {mark} of {vendor} has a bad expression: {source}")]
    BadExpression { vendor: String, mark: usize, source: Box<regex::Error> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    #[expect(dead_code, reason = "read so that the file says its version")]
    v: u32,
    limits: Limits,
    says_nothing: Vec<u16>,
    challenge_words: Vec<String>,
    vague_challenge_words: Vec<String>,
    captchas: Vec<CaptchaMark>,
    statuses: Vec<StatusMeans>,
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
    place: Place,
    /// A last `*` stands for any ending.
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

impl Table {
    pub(super) fn read(text: &str) -> Result<Self, TableError> {
        let file: TableFile = serde_json::from_str(text)?;
        let vendors = file.vendors.into_iter().map(Vendor::read).collect::<Result<_, _>>()?;
        Ok(Self {
            limits: file.limits,
            says_nothing: file.says_nothing,
            challenge_words: file.challenge_words,
            vague_challenge_words: file.vague_challenge_words,
            captchas: file.captchas,
            statuses: file.statuses,
            vendors,
        })
    }

    /// What a status says by itself, and whether HTTP fixes that meaning.
    pub(super) fn status(&self, status: u16) -> Option<(WallKind, bool)> {
        let means = self.statuses.iter().find(|means| means.status == status)?;
        Some((means.kind, means.certain))
    }

    /// Whether an answer with this status can be a refusal of the one who asked.
    pub(super) fn may_refuse(&self, status: u16) -> bool {
        status >= 400 && !self.says_nothing.contains(&status)
    }
}

impl Vendor {
    fn read(file: VendorFile) -> Result<Self, TableError> {
        let VendorFile { id, label, hosts, marks } = file;
        let marks = marks
            .into_iter()
            .enumerate()
            .map(|(mark, file)| Mark::read(file, &id, mark))
            .collect::<Result<_, _>>()?;
        Ok(Self { id, label, hosts, marks })
    }

    pub(super) fn is_at(&self, url: &str) -> bool {
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = after_scheme.split(['/', ':', '?', '#']).next().unwrap_or_default();
        let host = host.to_ascii_lowercase();
        let below = |known: &String| {
            host.strip_suffix(known.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.hosts.is_empty() || self.hosts.iter().any(below)
    }
}

impl Mark {
    fn read(file: MarkFile, vendor: &str, mark: usize) -> Result<Self, TableError> {
        let bad = |what| TableError::BadMark { vendor: vendor.to_owned(), mark, what };
        let expression = |text: &str| {
            regex::RegexBuilder::new(text).size_limit(1 << 20).build().map_err(|source| {
                TableError::BadExpression {
                    vendor: vendor.to_owned(),
                    mark,
                    source: Box::new(source),
                }
            })
        };
        let needles = [&file.name, &file.starts, &file.holds].into_iter().flatten();
        let lists = [&file.is, &file.is_not].into_iter().flatten().flatten();
        if needles.chain(lists).any(|text| text.is_empty() || *text != folded(text)) {
            return Err(bad("looks for an empty text, or for one that is not in lower case"));
        }
        let name = match (&file.name, &file.name_matches) {
            (Some(_), Some(_)) => return Err(bad("has two names")),
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
            return Err(bad("tests its value in two ways"));
        }
        let (named, tested) = (!matches!(name, NameTest::None), !matches!(value, ValueTest::Any));
        let whole = match file.place {
            Place::Header => named,
            Place::Cookie => named && !tested,
            Place::Title | Place::Text | Place::Markup => tested && !named,
            Place::Status => !tested && !named && !file.status.is_empty(),
        };
        if !whole {
            return Err(bad("lacks a part, or has one too many, for its place"));
        }
        if file.strength == Strength::Presence && file.kind.is_some() {
            return Err(bad("shows presence only, and yet has a kind"));
        }
        Ok(Self {
            strength: file.strength,
            kind: file.kind,
            place: file.place,
            name,
            value,
            only_with_status: file.status,
        })
    }

    /// Whether it shows in the head who is there, and no more than that.
    pub(super) fn shows_presence_in_head(&self) -> bool {
        matches!(self.place, Place::Header | Place::Cookie) && self.kind.is_none()
    }

    /// Whether the mark means something here. With a status that refuses nobody, what stands in
    /// the body counts on a short page alone, and so do weaker marks in the head: ordinary pages
    /// carry vendors' scripts and fields, and some are about them.
    pub(super) fn counts_at(&self, seen: &Seen, table: &Table) -> bool {
        if !self.only_with_status.is_empty() && !self.only_with_status.contains(&seen.status) {
            return false;
        }
        if self.strength == Strength::Presence || table.may_refuse(seen.status) {
            return true;
        }
        let most = match self.place {
            Place::Title | Place::Text => table.limits.vendor_text_words,
            Place::Markup => table.limits.vendor_markup_words,
            _ if self.strength == Strength::Decisive => return true,
            _ => table.limits.vendor_markup_words,
        };
        seen.has_at_most(most)
    }

    /// Looks for the mark, and says in words what was found.
    pub(super) fn found(&self, seen: &Seen) -> Option<String> {
        match self.place {
            Place::Header => seen
                .fields
                .iter()
                .filter(|field| self.name.fits(&field.name))
                .find(|field| self.value.finds(&field.folded).is_some())
                .map(|field| match field.shown.is_empty() {
                    true => format!("header {}", excerpt(&field.name)),
                    false => format!("header {}: {}", excerpt(&field.name), field.shown),
                }),
            Place::Cookie => seen
                .cookies
                .iter()
                .find(|cookie| self.name.fits(&cookie.to_lowercase()))
                .map(|cookie| format!("cookie {}", excerpt(cookie))),
            Place::Title => {
                let title = seen.title.as_deref()?;
                self.value.finds(title).map(|_| format!("title “{}”", excerpt(title)))
            }
            Place::Text => {
                self.value.finds(&seen.text).map(|part| format!("text “{}”", excerpt(part)))
            }
            Place::Markup => {
                self.value.finds(&seen.markup).map(|part| format!("source “{}”", excerpt(part)))
            }
            Place::Status => self
                .only_with_status
                .contains(&seen.status)
                .then(|| format!("status {}", seen.status)),
        }
    }
}

impl NameTest {
    fn fits(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::Is(known) => name == known,
            Self::Starts(start) => name.starts_with(start.as_str()),
            Self::Matches(expression) => expression.is_match(name),
        }
    }
}

impl ValueTest {
    /// The part that fits.
    fn finds<'t>(&'t self, text: &'t str) -> Option<&'t str> {
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

/// Lower case, with plain apostrophes: how everything is compared.
pub(super) fn folded(text: &str) -> String {
    text.to_lowercase().replace(['’', '‘'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(mark: &str) -> String {
        let file: MarkFile = match serde_json::from_str(mark) {
            Ok(file) => file,
            Err(error) => return error.to_string(),
        };
        Mark::read(file, "somebody", 3).unwrap_err().to_string()
    }

    #[test]
    fn a_mark_that_could_never_fit_is_refused() {
        for (mark, why) in [
            (r#"{"strength":"decisive","in":"header","holds":"x"}"#, "lacks a part"),
            (r#"{"strength":"decisive","in":"cookie","name":"a","holds":"x"}"#, "lacks a part"),
            (r#"{"strength":"decisive","in":"text"}"#, "lacks a part"),
            (r#"{"strength":"weak","in":"status"}"#, "lacks a part"),
            (r#"{"strength":"weak","in":"text","holds":"Upper"}"#, "lower case"),
            (r#"{"strength":"weak","in":"text","holds":""}"#, "empty"),
            (r#"{"strength":"weak","in":"text","holds":"a","starts":"b"}"#, "two ways"),
            (r#"{"strength":"weak","in":"text","matches":"("}"#, "bad expression"),
            (r#"{"strength":"presence","kind":"block","in":"text","holds":"a"}"#, "presence"),
            (r#"{"strength":"weak","in":"text","holds":"a","more":1}"#, "more"),
            (r#"{"strength":"weak","in":"trailer","name":"a"}"#, "trailer"),
        ] {
            assert!(fault(mark).contains(why), "{mark}: {}", fault(mark));
        }
    }

    #[test]
    fn platforms_are_known_at_their_own_hosts_alone() {
        let vendor = Vendor {
            id: String::new(),
            label: String::new(),
            hosts: vec!["social.example".into()],
            marks: vec![],
        };
        assert!(
            vendor.is_at("https://social.example/")
                && vendor.is_at("http://www.Social.Example:8443/x")
        );
        assert!(
            !vendor.is_at("https://antisocial.example/")
                && !vendor.is_at("https://a.lab/?social.example")
        );
    }
}
