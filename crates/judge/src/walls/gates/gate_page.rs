//! A short page prepared for recognising gates: its structure, and the phrases in each of its parts.

use contract::evidence::Response;
use declared::page::Page;

use super::super::text::excerpt;
use super::super::wall::WallKind;
use super::folded_text::{count_words, fold};
use super::phrases::{GateTable, MAX_TEXT_BYTES, PhraseGroup, PhraseHits};
use super::structure::PageStructure;

/// How many headings count as the front of a page, beside its title.
const FRONT_HEADINGS: usize = 2;
/// A link or button with more words than this is not a plain answer such as "yes".
const MAX_ANSWER_WORDS: usize = 9;

pub(super) struct GatePage<'t> {
    pub(super) table: &'t GateTable,
    pub(super) structure: PageStructure,
    pub(super) status: u16,
    pub(super) title: String,
    /// Title and first headings, folded: what the page says it is.
    pub(super) front_text: String,
    pub(super) front: PhraseHits<'t>,
    /// The phrases of the title and of each of the first headings, and how many words it has.
    front_parts: Vec<(PhraseHits<'t>, usize)>,
    pub(super) text: String,
    pub(super) text_hits: PhraseHits<'t>,
    /// The phrases of each link and button.
    actions: Vec<(PhraseHits<'t>, usize)>,
    /// The host of the page in lower case, without `www.`.
    pub(super) host: String,
    /// Path and query of the page in lower case.
    pub(super) path: String,
}

/// A recognised gate.
pub(super) struct Gate {
    pub(super) kind: WallKind,
    pub(super) certain: bool,
    pub(super) marks: Vec<String>,
}

impl<'t> GatePage<'t> {
    /// None if the page is too long to be a gate.
    pub(super) fn new(
        table: &'t GateTable,
        response: &Response,
        html: &str,
        page: &Page,
    ) -> Option<Self> {
        let structure = PageStructure::read(html)?;
        let title = fold(page.title.as_deref().unwrap_or_default(), MAX_TEXT_BYTES);
        let headings = page.headings.iter().take(FRONT_HEADINGS).map(|(_, text)| text.as_str());
        let front: Vec<&str> = page.title.as_deref().into_iter().chain(headings).collect();
        let front_parts = front.iter().map(|part| (table.find(part), count_words(part))).collect();
        let front_text = fold(&front.join(" | "), MAX_TEXT_BYTES);
        let text = fold(&page.text, MAX_TEXT_BYTES);
        let actions = structure
            .actions
            .iter()
            .map(|action| (table.find_folded(action), count_words(action)))
            .collect();
        let (host, path) = split_url(&response.url);
        Some(Self {
            front_parts,
            front: table.find_folded(&front_text),
            text_hits: table.find_folded(&text),
            status: response.status,
            table,
            structure,
            title,
            front_text,
            text,
            actions,
            host,
            path,
        })
    }

    /// The phrase of this group in the front or else in the text.
    pub(super) fn phrase(&self, group: PhraseGroup) -> Option<&'t str> {
        self.front.first(group).or_else(|| self.text_hits.first(group))
    }

    /// The phrase of this group in a title or heading that says hardly anything else.
    pub(super) fn short_front(&self, group: PhraseGroup, words: usize) -> Option<&'t str> {
        self.front_parts
            .iter()
            .filter(|(_, count)| *count <= words)
            .find_map(|(hits, _)| hits.first(group))
    }

    /// The share of the text outside forms and overlays, in percent, that stands in passages for
    /// which this holds.
    pub(super) fn share_of_passages(&self, about: impl Fn(&PhraseHits<'t>) -> bool) -> usize {
        let (mut all, mut matching) = (0, 0);
        for passage in &self.structure.passages {
            let words = count_words(passage);
            all += words;
            if about(&self.table.find(passage)) {
                matching += words;
            }
        }
        (matching * 100).checked_div(all).unwrap_or(100)
    }

    /// Whether nothing on the page would be seen or read.
    pub(super) fn is_blank(&self) -> bool {
        self.structure.is_bare() && !self.text.contains(char::is_alphanumeric)
    }

    /// A short link or button with a phrase of this group.
    pub(super) fn action(&self, group: PhraseGroup) -> Option<&'t str> {
        self.actions
            .iter()
            .filter(|(_, words)| *words <= MAX_ANSWER_WORDS)
            .find_map(|(hits, _)| hits.first(group))
    }

    /// Whether the page has little text and few links outside forms, menus and overlays, and no
    /// passage of an article.
    pub(super) fn is_scarce(&self, words: usize, links: usize) -> bool {
        self.structure.content_words <= words
            && self.structure.content_links <= links
            && self.structure.longest_passage <= 60.min(words)
    }

    /// A mark that says how little there is.
    pub(super) fn size_mark(&self) -> String {
        let count = |number: usize, one: &str| match number {
            1 => format!("1 {one}"),
            many => format!("{many} {one}s"),
        };
        format!(
            "{} and {} outside forms, menus and overlays",
            count(self.structure.content_words, "word"),
            count(self.structure.content_links, "link")
        )
    }
}

pub(super) fn phrase_mark(place: &str, phrase: &str) -> String {
    format!("{place} “{}”", excerpt(phrase))
}

fn split_url(url: &str) -> (String, String) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let host = authority.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host).to_owned();
    (host, super::super::text::truncate_at_char(path, 300).to_ascii_lowercase())
}
