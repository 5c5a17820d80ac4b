//! A sitemap, an index or a feed in XML, event by event. Entities are never expanded.

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::Source;
use super::bounded::State;
use super::entry::{Entries, Entry};
use crate::files::report::{Report, quoted};

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// No address or date that counts is longer; the rest of a value is passed over.
const MAX_VALUE_BYTES: usize = 8_192;

/// More attributes are not looked at.
const MAX_ATTRIBUTES: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Urlset,
    Index,
    Rss,
    Atom,
}

impl Root {
    fn shape(self) -> &'static str {
        match self {
            Self::Urlset => "urlset",
            Self::Index => "sitemapindex",
            Self::Rss => "rss",
            Self::Atom => "atom",
        }
    }

    /// Where its entries stand and what they are called.
    fn entries(self) -> (usize, &'static str) {
        match self {
            Self::Urlset => (2, "url"),
            Self::Index => (2, "sitemap"),
            Self::Rss => (3, "item"),
            Self::Atom => (2, "entry"),
        }
    }

    /// What an address and a date are called in an entry.
    fn fields(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Urlset | Self::Index => ("loc", Some("lastmod")),
            // A feed's own dates are of another notation and not looked at.
            Self::Rss | Self::Atom => ("link", None),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Address,
    Date,
}

struct Walk<'r, 'a, 'e> {
    report: &'r mut Report<'a>,
    entries: &'e mut Entries,
    root: Option<Root>,
    prefix: String,
    depth: usize,
    entry: Option<Entry>,
    field: Option<Field>,
    value: String,
}

pub(super) fn read(
    report: &mut Report<'_>,
    source: impl Source,
    entries: &mut Entries,
    packed: bool,
    state: &State,
) -> Option<&'static str> {
    let mut reader = Reader::from_reader(source);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Walk {
        report,
        entries,
        root: None,
        prefix: String::new(),
        depth: 0,
        entry: None,
        field: None,
        value: String::new(),
    };
    let mut buffer = Vec::new();
    let broken = loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break None,
            Ok(event) => {
                if !walk.take(&event) {
                    return None;
                }
            }
            Err(error) => break Some(error),
        }
    };
    let at =
        |offset: u64| if packed { String::new() } else { line_of(walk.report.served.body, offset) };
    let (root, open) = (walk.root, walk.depth > 0);
    if walk.report.served.cut && (broken.is_some() || open) {
        walk.report.not_read_whole();
        return root.map(Root::shape);
    }
    match broken {
        // What stopped the reading is told by whoever stopped it.
        Some(Error::Io(_)) => {}
        Some(Error::Encoding(_)) => walk.report.spoil(
            "not_utf8",
            "",
            "The sitemap is not valid UTF-8, which the format requires; readers stop there.",
            "Save it as UTF-8 and say so: <?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        ),
        Some(Error::IllFormed(IllFormedError::UnclosedReference)) => {
            let at = at(reader.error_position());
            walk.report.spoil(
                "bare_ampersand",
                at,
                "An ampersand stands in the XML as it is; everything after it is lost to readers.",
                "Write &amp; for every & in an address.",
            );
        }
        Some(error) => {
            let at = at(reader.error_position());
            let error = crate::shown::shown(&error.to_string(), 120);
            walk.report.spoil(
                "not_xml",
                at,
                format!("The XML is broken: {error}."),
                "Run the file through an XML checker (xmllint --noout sitemap.xml) and mend the place.",
            );
        }
        None if open && state.stopped() => {}
        None if open => walk.report.spoil(
            "not_closed",
            "",
            "The XML ends before its elements are closed; the file seems to be cut.",
            "Make the sitemap again and compare its size with what the server sends.",
        ),
        None if root.is_none() => walk.report.spoil(
            "not_a_sitemap",
            "",
            "The XML holds no element.",
            "Make the sitemap again.",
        ),
        None => {}
    }
    root.map(Root::shape)
}

impl Walk<'_, '_, '_> {
    /// Takes one event; false when nothing that follows can matter.
    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.root.is_none() {
                    return self.begin(start);
                }
                self.open(start);
            }
            Event::End(_) => {
                self.close();
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Text(text) if self.field.is_some() => self.append(text),
            Event::CData(text) if self.field.is_some() => self.append(text),
            Event::GeneralRef(reference) => self.refer(reference),
            Event::DocType(_) => self.report.warn(
                "doctype",
                "",
                "The XML declares a document type; careful readers refuse such files.",
                "Take the <!DOCTYPE …> out; a sitemap needs none.",
            ),
            _ => {}
        }
        true
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> bool {
        let (local, prefix) = start.name().decompose();
        self.prefix = prefix.map_or_else(String::new, |prefix| prefix.as_ref().to_owned());
        let root = match local.as_ref() {
            "urlset" => Root::Urlset,
            "sitemapindex" => Root::Index,
            "rss" => Root::Rss,
            "feed" => Root::Atom,
            other => {
                self.report.spoil(
                    "not_a_sitemap",
                    "",
                    format!(
                        "The XML begins with {}, not with urlset or sitemapindex.",
                        quoted(other)
                    ),
                    format!("Begin with <urlset xmlns=\"{NAMESPACE}\">."),
                );
                return false;
            }
        };
        self.root = Some(root);
        if matches!(root, Root::Urlset | Root::Index) {
            self.namespace(start);
        }
        true
    }

    fn namespace(&mut self, start: &BytesStart<'_>) {
        let name = if self.prefix.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{}", self.prefix)
        };
        // Looking for doubled attributes takes time that grows with the square of their number.
        let declared = start
            .attributes()
            .with_checks(false)
            .take(MAX_ATTRIBUTES)
            .flatten()
            .find(|attribute| attribute.key.as_ref() == name)
            .map(|attribute| attribute.value.into_owned());
        let fix = format!("Write in the first element: xmlns=\"{NAMESPACE}\"");
        match declared {
            Some(found) if found == NAMESPACE => {}
            Some(found) => self.report.warn(
                "wrong_namespace",
                "",
                format!("The namespace is {} and not that of the format; strict readers find no entries.", quoted(&found)),
                fix,
            ),
            None => self.report.warn(
                "no_namespace",
                "",
                "The namespace of the format is not declared; strict readers find no entries.",
                fix,
            ),
        }
    }

    fn open(&mut self, start: &BytesStart<'_>) {
        let Some(root) = self.root else { return };
        let (local, prefix) = start.name().decompose();
        // Extensions such as image:loc have the same local names.
        if prefix.as_ref().map_or("", |prefix| prefix.as_ref()) != self.prefix {
            return;
        }
        let (depth, name) = root.entries();
        if self.depth == depth {
            if local.as_ref() == name {
                self.entry = Some(Entry::default());
            } else if matches!(
                (root, local.as_ref()),
                (Root::Urlset, "sitemap") | (Root::Index, "url")
            ) {
                self.report.error(
                    "mixed_entries",
                    "",
                    "Pages and sitemaps stand in one file; readers take only one of the two.",
                    "Put pages in a urlset and sitemaps in a sitemapindex.",
                );
            }
        } else if self.depth == depth + 1
            && let Some(entry) = &mut self.entry
        {
            let (address, date) = root.fields();
            if local.as_ref() == address {
                if root == Root::Atom {
                    let href = start
                        .attributes()
                        .with_checks(false)
                        .take(MAX_ATTRIBUTES)
                        .flatten()
                        .find(|attribute| attribute.key.as_ref() == "href");
                    if entry.loc.is_none() {
                        entry.loc = href.map(|href| href.value.replace("&amp;", "&"));
                    }
                } else {
                    self.field = Some(Field::Address);
                }
            } else if date == Some(local.as_ref()) {
                self.field = Some(Field::Date);
            }
            self.value.clear();
        }
    }

    fn close(&mut self) {
        let Some(root) = self.root else { return };
        let (depth, _) = root.entries();
        if self.depth == depth + 1 {
            if let (Some(field), Some(entry)) = (self.field.take(), &mut self.entry) {
                let value = std::mem::take(&mut self.value);
                match field {
                    Field::Address => entry.loc = Some(value),
                    Field::Date => entry.lastmod = Some(value),
                }
            }
        } else if self.depth == depth
            && let Some(entry) = self.entry.take()
        {
            self.entries.take(self.report, &entry, root == Root::Index);
        }
    }

    fn append(&mut self, text: &str) {
        if self.value.len() + text.len() <= MAX_VALUE_BYTES {
            self.value.push_str(text);
        } else if self.value.len() <= MAX_VALUE_BYTES {
            // Long enough to be told as too long, whatever follows.
            self.value.extend(text.chars().take(MAX_VALUE_BYTES));
        }
    }

    fn refer(&mut self, reference: &BytesRef<'_>) {
        let name: &str = reference;
        let known = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        match known {
            Some(c) => {
                if self.field.is_some() {
                    self.append(c.encode_utf8(&mut [0; 4]));
                }
            }
            None => self.report.error(
                "unknown_entity",
                "",
                format!(
                    "{} is not one of the five entities of XML; readers stop there.",
                    quoted(&format!("&{name};"))
                ),
                "Write &amp; for every & in an address, and other characters as they are.",
            ),
        }
    }
}

fn line_of(body: &[u8], offset: u64) -> String {
    let before = usize::try_from(offset).ok().and_then(|offset| body.get(..offset)).unwrap_or(body);
    format!("line {}", before.iter().filter(|byte| **byte == b'\n').count() + 1)
}
