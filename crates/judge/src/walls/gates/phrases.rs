//! The phrases and marks of `data/gates.json`, and the search for phrases in a text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use serde::Deserialize;

use super::folded_text::{fold, is_unspaced};

const GATES_JSON: &str = include_str!("../../../data/gates.json");
/// How many phrases of one group are listed for one text.
const MAX_FOUND: usize = 12;
/// How much of a text is searched.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 10;
const MAX_PHRASE_BYTES: usize = 200;

/// What a group of phrases is a sign of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PhraseGroup {
    Login,
    /// Sign in with an account of another service.
    LoginWith,
    Region,
    /// Subjects other than the whole site that a notice about the region may be about.
    RegionOther,
    Age,
    AgeEnter,
    AgeLeave,
    ConsentTopic,
    ConsentAccept,
    /// The site can be used only after consent.
    ConsentWall,
    Parked,
    /// Counts directly after the name of the host.
    ParkedHost,
    Maintenance,
    /// Words that ordinary pages have too.
    MaintenanceHint,
    Placeholder,
    Paywall,
}

#[derive(Debug)]
pub(crate) struct GateTable {
    /// None only if the file is not valid, which a test excludes.
    automaton: Option<AhoCorasick>,
    phrases: Vec<Phrase>,
    pub(super) default_pages: Vec<DefaultPage>,
    pub(super) parking_services: Vec<UrlMark>,
    /// Names of files and folders that only a message to the owner mentions.
    pub(super) server_files: Vec<String>,
    pub(super) identity_providers: Vec<String>,
    pub(super) login_paths: Vec<String>,
    pub(super) login_hosts: Vec<String>,
    pub(super) consent_urls: Vec<String>,
    pub(crate) classes: GateClasses,
    digest: String,
}

#[derive(Debug)]
struct Phrase {
    group: PhraseGroup,
    text: String,
    /// Whether the text must begin and end where a word does.
    starts_word: bool,
    ends_word: bool,
}

/// The default page of a server or host: one of the titles, and one of the texts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DefaultPage {
    pub(super) label: String,
    /// Whether nothing may follow the title, because ordinary pages have it too.
    #[serde(default)]
    pub(super) exact: bool,
    pub(super) title: Vec<String>,
    pub(super) holds: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UrlMark {
    pub(super) label: String,
    pub(super) holds: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GateClasses {
    pub(super) age: Vec<String>,
    pub(super) consent: Vec<String>,
    pub(super) maintenance: Vec<String>,
    pub(super) parked: Vec<String>,
    pub(crate) paywall: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GatesFile {
    #[expect(dead_code, reason = "the file must state its version")]
    v: u32,
    phrases: BTreeMap<PhraseGroup, BTreeMap<String, Vec<String>>>,
    default_pages: Vec<DefaultPage>,
    parking_services: Vec<UrlMark>,
    server_files: Vec<String>,
    identity_providers: Vec<String>,
    login_paths: Vec<String>,
    login_hosts: Vec<String>,
    consent_urls: Vec<String>,
    classes: GateClasses,
}

static BUILT_IN: LazyLock<GateTable> =
    LazyLock::new(|| GateTable::parse(GATES_JSON).unwrap_or_else(|_| GateTable::empty()));

impl GateTable {
    pub(crate) fn built_in() -> &'static Self {
        &BUILT_IN
    }

    fn empty() -> Self {
        Self {
            automaton: None,
            phrases: Vec::new(),
            default_pages: Vec::new(),
            parking_services: Vec::new(),
            server_files: Vec::new(),
            identity_providers: Vec::new(),
            login_paths: Vec::new(),
            login_hosts: Vec::new(),
            consent_urls: Vec::new(),
            classes: GateClasses::default(),
            digest: String::new(),
        }
    }

    fn parse(text: &str) -> Result<Self, GateTableError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        let digest = proof::canonical::to_vec(&value)
            .map(|bytes| proof::digest::sha256(&bytes).to_string())
            .unwrap_or_default();
        let file: GatesFile = serde_json::from_value(value)?;
        let mut seen = BTreeSet::new();
        let mut phrases = Vec::new();
        for (group, languages) in file.phrases {
            for written in languages.into_values().flatten() {
                let phrase = Phrase::parse(group, &written);
                if seen.insert((group, phrase.text.clone())) {
                    phrases.push(phrase);
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(phrases.iter().map(|phrase| phrase.text.as_str()))?;
        Ok(Self {
            automaton: Some(automaton),
            phrases,
            default_pages: file.default_pages,
            parking_services: file.parking_services,
            server_files: file.server_files,
            identity_providers: file.identity_providers,
            login_paths: file.login_paths,
            login_hosts: file.login_hosts,
            consent_urls: file.consent_urls,
            classes: file.classes,
            digest,
        })
    }

    /// The SHA-256 of the file as canonical JSON, in hex.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// All phrases in a text, which may be of any length and in any form.
    pub(crate) fn find(&self, text: &str) -> PhraseHits<'_> {
        self.find_folded(&fold(text, MAX_TEXT_BYTES))
    }

    pub(super) fn find_folded(&self, folded: &str) -> PhraseHits<'_> {
        let mut hits = PhraseHits::default();
        let Some(automaton) = &self.automaton else { return hits };
        for found in automaton.find_overlapping_iter(folded) {
            let Some(phrase) = self.phrases.get(found.pattern().as_usize()) else { continue };
            let before = folded.get(..found.start()).and_then(|text| text.chars().next_back());
            let after = folded.get(found.end()..).and_then(|text| text.chars().next());
            let is_letter =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
            if (phrase.starts_word && is_letter(before)) || (phrase.ends_word && is_letter(after)) {
                continue;
            }
            hits.add(phrase.group, &phrase.text);
        }
        hits
    }

    /// The phrases of one group, folded.
    pub(super) fn phrases_of(&self, group: PhraseGroup) -> impl Iterator<Item = &str> {
        self.phrases.iter().filter(move |phrase| phrase.group == group).map(|p| p.text.as_str())
    }
}

impl Phrase {
    /// A trailing `*` allows any ending of the last word.
    fn parse(group: PhraseGroup, written: &str) -> Self {
        let (text, open_end) = match written.strip_suffix('*') {
            Some(start) => (start, true),
            None => (written, false),
        };
        let text = fold(text, MAX_PHRASE_BYTES);
        Self {
            group,
            starts_word: text.chars().next().is_some_and(has_word_edges),
            ends_word: !open_end && text.chars().next_back().is_some_and(has_word_edges),
            text,
        }
    }
}

/// Whether words of this character's script stand alone. Korean and Arabic join particles to words,
/// and some scripts have no spaces.
fn has_word_edges(c: char) -> bool {
    c.is_alphanumeric()
        && !is_unspaced(c)
        && !matches!(c, '\u{600}'..='\u{6ff}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}')
}

#[derive(Debug, thiserror::Error)]
enum GateTableError {
    #[error(transparent)]
    NotValid(#[from] serde_json::Error),
    #[error(transparent)]
    TooManyPhrases(#[from] aho_corasick::BuildError),
}

/// The phrases found in one text.
#[derive(Debug, Default, Clone)]
pub(crate) struct PhraseHits<'t>(BTreeMap<PhraseGroup, Vec<&'t str>>);

impl<'t> PhraseHits<'t> {
    fn add(&mut self, group: PhraseGroup, phrase: &'t str) {
        let found = self.0.entry(group).or_default();
        if found.len() < MAX_FOUND && !found.contains(&phrase) {
            found.push(phrase);
        }
    }

    /// The longest phrase of a group, which says most.
    pub(crate) fn first(&self, group: PhraseGroup) -> Option<&'t str> {
        self.0.get(&group)?.iter().copied().max_by_key(|phrase| phrase.len())
    }

    pub(crate) fn has(&self, group: PhraseGroup) -> bool {
        self.0.contains_key(&group)
    }

    /// How many different phrases of a group there are.
    pub(super) fn count(&self, group: PhraseGroup) -> usize {
        self.0.get(&group).map_or(0, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_valid_and_covers_the_languages() {
        let table = GateTable::parse(GATES_JSON).unwrap();
        assert_eq!(table.digest().len(), 64);
        let file: GatesFile = serde_json::from_str(GATES_JSON).unwrap();
        let required = [
            "en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "tr", "ru", "ja", "zh",
            "ko", "ar",
        ];
        for (group, languages) in &file.phrases {
            for language in required {
                assert!(languages.contains_key(language), "{group:?} {language}");
            }
            for phrase in languages.values().flatten() {
                let folded = fold(phrase.trim_end_matches('*'), MAX_PHRASE_BYTES);
                assert!(!folded.is_empty() && folded == folded.trim(), "{group:?} {phrase}");
            }
        }
        for page in &file.default_pages {
            for text in page.title.iter().chain(&page.holds) {
                assert_eq!(*text, text.to_lowercase(), "{}", page.label);
            }
        }
    }

    #[test]
    fn phrases_match_whole_words() {
        let table = GateTable::built_in();
        assert!(table.find("Please LOG IN now").has(PhraseGroup::Login));
        assert!(!table.find("The blog inside").has(PhraseGroup::Login));
        assert!(!table.find("catalog innovation").has(PhraseGroup::Login));
        assert!(table.find("ここからログインする").has(PhraseGroup::Login));
        assert!(table.find("로그인하세요").has(PhraseGroup::Login));
        assert!(table.find("Strona jest tymczasowo niedostępna").has(PhraseGroup::Maintenance));
        assert!(!table.find("nothing").has(PhraseGroup::AgeLeave));
    }
}
