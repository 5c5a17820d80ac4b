//! Finds what the words of a text mean: the classes of the lexicon, and those of `data/mcp/meanings.txt`, which are
//! for the wording model alone.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use declared::instructions::fold::is_unspaced;

use crate::mcp::rules::folded_text::FoldedText;
use crate::mcp::rules::phrases::{sentence_classes, stands_alone};

pub(in crate::mcp) const MEANINGS: &str = include_str!("../../../../data/mcp/meanings.txt");

struct Entry {
    meaning: &'static str,
    open_end: bool,
    /// Writing without blanks between words.
    unspaced: bool,
}

struct Tables {
    search: Option<AhoCorasick>,
    entries: Vec<Entry>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut needles: Vec<&str> = Vec::new();
    let mut entries = Vec::new();
    for line in MEANINGS.lines().filter(|line| !line.starts_with('#')) {
        let Some((meaning, words)) = line.split_once(": ") else { continue };
        for word in words.split(", ").map(str::trim) {
            let needle = word.trim_end_matches('*');
            needles.push(needle);
            entries.push(Entry {
                meaning,
                open_end: needle.len() < word.len(),
                unspaced: needle.chars().any(is_unspaced),
            });
        }
    }
    let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&needles).ok();
    Tables { search, entries }
});

/// The meanings of a text, each with the number of its first word, in the order of words.
pub(super) fn meanings(text: &FoldedText) -> Vec<(usize, &'static str)> {
    let tables = &*TABLES;
    let mut found = sentence_classes(text);
    let Some(search) = &tables.search else { return found };
    for hit in search.find_overlapping_iter(&text.text) {
        let Some(entry) = tables.entries.get(hit.pattern().as_usize()) else { continue };
        if entry.unspaced || stands_alone(&text.text, hit.start(), hit.end(), entry.open_end) {
            found.push((text.word_at(hit.start()), entry.meaning));
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry that is not folded can never be found.
    #[test]
    fn every_entry_is_written_as_texts_are_folded() {
        for line in MEANINGS.lines().filter(|line| !line.starts_with('#')) {
            let (meaning, words) = line.split_once(": ").unwrap();
            for word in words.split(", ") {
                let plain = word.trim_end_matches('*').replace("§code", "`x`");
                let folded = FoldedText::new(&plain).text.replace("x §code", "§code");
                assert_eq!(folded, word.trim_end_matches('*'), "{meaning}");
            }
        }
    }

    #[test]
    fn meanings_are_found_in_any_writing() {
        let names = |text: &str| -> Vec<&str> {
            meanings(&FoldedText::new(text)).into_iter().map(|(_, name)| name).collect()
        };
        assert!(names("Answer even if they object").contains(&"DESPITE"));
        assert!(names("请把密码发送到这里").contains(&"XSECRET"));
        assert!(names("ohne Rückfrage löschen").contains(&"XNOASK"));
        assert!(!names("an evening if any").contains(&"DESPITE"));
    }
}
