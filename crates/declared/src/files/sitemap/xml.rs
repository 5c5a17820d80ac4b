//! A sitemap, an index or a feed in XML, parsed event by event. Entities are never expanded.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::bounded_reader::ReadState;
use super::entry::{Entry, EntryCounter};
use crate::files::report::{Report, quoted};

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Longer than any valid URL or date; the rest of a value is ignored.
const MAX_VALUE_BYTES: usize = 8_192;

/// Further attributes of an element are ignored.
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

    /// The depth and the element name of its entries.
    fn entries(self) -> (usize, &'static str) {
        match self {
            Self::Urlset => (2, "url"),
            Self::Index => (2, "sitemap"),
            Self::Rss => (3, "item"),
            Self::Atom => (2, "entry"),
        }
    }

    /// The element names for the URL and the date of an entry.
    fn fields(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Urlset | Self::Index => ("loc", Some("lastmod")),
            // Feeds write dates in another format, which is not checked.
            Self::Rss | Self::Atom => ("link", None),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Address,
    Date,
}

struct SitemapParser<'r, 'a, 'e> {
    report: &'r mut Report<'a>,
    entries: &'e mut EntryCounter,
    root: Option<Root>,
    prefix: String,
    depth: usize,
    entry: Option<Entry>,
    field: Option<Field>,
    value: String,
}

pub(super) fn parse(
    report: &mut Report<'_>,
    source: impl BufRead,
    entries: &mut EntryCounter,
    packed: bool,
    state: &ReadState,
) -> Option<&'static str> {
    let mut reader = Reader::from_reader(source);
    reader.config_mut().expand_empty_elements = true;
    let mut parser = SitemapParser {
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
                if !parser.handle_event(&event) {
                    return None;
                }
            }
            Err(error) => break Some(error),
        }
    };
    let at = |offset: u64| {
        if packed { String::new() } else { line_of(parser.report.served.body, offset) }
    };
    let (root, open) = (parser.root, parser.depth > 0);
    if parser.report.served.truncated && (broken.is_some() || open) {
        parser.report.add_not_read_whole();
        return root.map(Root::shape);
    }
    match broken {
        // The caller reports read errors from `ReadState`.
        Some(Error::Io(_)) => {}
        Some(Error::Encoding(_)) => parser.report.fatal(
            "not_utf8",
            "",
            "The sitemap is not valid UTF-8, which the format requires. Readers stop there.",
            "Save it as UTF-8 and declare it: <?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        ),
        Some(Error::IllFormed(IllFormedError::UnclosedReference)) => {
            let at = at(reader.error_position());
            parser.report.fatal(
                "bare_ampersand",
                at,
                "The XML contains an unescaped ampersand. Readers lose everything after it.",
                "Write &amp; for every & in a URL.",
            );
        }
        Some(error) => {
            let at = at(reader.error_position());
            let error = contract::text::display_safe(&error.to_string(), 120);
            parser.report.fatal(
                "not_xml",
                at,
                format!("The XML is not well-formed: {error}."),
                "Check the file with an XML validator (xmllint --noout sitemap.xml) and fix the error.",
            );
        }
        None if open && state.stopped() => {}
        None if open => parser.report.fatal(
            "not_closed",
            "",
            "The XML ends before all elements are closed. The file seems to be truncated.",
            "Generate the sitemap again and compare its size with what the server sends.",
        ),
        None if root.is_none() => parser.report.fatal(
            "not_a_sitemap",
            "",
            "The XML contains no elements.",
            "Generate the sitemap again.",
        ),
        None => {}
    }
    root.map(Root::shape)
}

impl SitemapParser<'_, '_, '_> {
    /// Handles one event. Returns false if the rest of the file does not matter.
    fn handle_event(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.root.is_none() {
                    return self.open_root(start);
                }
                self.open_element(start);
            }
            Event::End(_) => {
                self.close_element();
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Text(text) if self.field.is_some() => self.append(text),
            Event::CData(text) if self.field.is_some() => self.append(text),
            Event::GeneralRef(reference) => self.append_reference(reference),
            Event::DocType(_) => self.report.warn(
                "doctype",
                "",
                "The XML declares a document type. Careful readers reject such files.",
                "Remove the <!DOCTYPE …> line; a sitemap does not need one.",
            ),
            _ => {}
        }
        true
    }

    fn open_root(&mut self, start: &BytesStart<'_>) -> bool {
        let (local, prefix) = start.name().decompose();
        self.prefix = prefix.map_or_else(String::new, |prefix| prefix.as_ref().to_owned());
        let root = match local.as_ref() {
            "urlset" => Root::Urlset,
            "sitemapindex" => Root::Index,
            "rss" => Root::Rss,
            "feed" => Root::Atom,
            other => {
                self.report.fatal(
                    "not_a_sitemap",
                    "",
                    format!(
                        "The root element is {} instead of urlset or sitemapindex.",
                        quoted(other)
                    ),
                    format!("Start with <urlset xmlns=\"{NAMESPACE}\">."),
                );
                return false;
            }
        };
        self.root = Some(root);
        if matches!(root, Root::Urlset | Root::Index) {
            self.check_namespace(start);
        }
        true
    }

    fn check_namespace(&mut self, start: &BytesStart<'_>) {
        let name = if self.prefix.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{}", self.prefix)
        };
        // Checking for duplicate attributes takes quadratic time.
        let declared = start
            .attributes()
            .with_checks(false)
            .take(MAX_ATTRIBUTES)
            .flatten()
            .find(|attribute| attribute.key.as_ref() == name)
            .map(|attribute| attribute.value.into_owned());
        let fix = format!("Add to the root element: xmlns=\"{NAMESPACE}\"");
        match declared {
            Some(found) if found == NAMESPACE => {}
            Some(found) => self.report.warn(
                "wrong_namespace",
                "",
                format!("The namespace is {} instead of the sitemap namespace. Strict readers find no entries.", quoted(&found)),
                fix,
            ),
            None => self.report.warn(
                "no_namespace",
                "",
                "The sitemap namespace is not declared. Strict readers find no entries.",
                fix,
            ),
        }
    }

    fn open_element(&mut self, start: &BytesStart<'_>) {
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
                    "The file mixes pages and sitemaps. Readers use only one of the two.",
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

    fn close_element(&mut self) {
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
            self.entries.check_entry(self.report, &entry, root == Root::Index);
        }
    }

    fn append(&mut self, text: &str) {
        if self.value.len() + text.len() <= MAX_VALUE_BYTES {
            self.value.push_str(text);
        } else if self.value.len() <= MAX_VALUE_BYTES {
            // Enough to report the value as too long; the rest does not matter.
            self.value.extend(text.chars().take(MAX_VALUE_BYTES));
        }
    }

    fn append_reference(&mut self, reference: &BytesRef<'_>) {
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
                    "{} is not one of the five XML entities. Readers stop there.",
                    quoted(&format!("&{name};"))
                ),
                "Write &amp; for every & in a URL, and other characters as they are.",
            ),
        }
    }
}

fn line_of(body: &[u8], offset: u64) -> String {
    let before = usize::try_from(offset).ok().and_then(|offset| body.get(..offset)).unwrap_or(body);
    format!("line {}", before.iter().filter(|byte| **byte == b'\n').count() + 1)
}
