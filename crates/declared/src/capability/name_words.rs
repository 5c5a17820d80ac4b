//! Splits names and paths into words.

use std::collections::BTreeSet;

/// How many words of one capability are kept, and how long a word may be.
const MAX_WORDS: usize = 64;
const MAX_WORD_BYTES: usize = 32;

/// Single words in lower case: `cancelOrder` and `/cancel-order` give the same two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameWords {
    words: BTreeSet<String>,
    /// Whether there were words that are not kept.
    has_more: bool,
}

impl NameWords {
    #[must_use]
    pub fn contains_any(&self, of: &[&str]) -> bool {
        of.iter().any(|word| self.words.contains(*word))
    }

    /// Whether one of these texts is anywhere in a word: `deleteuser` contains `delete`.
    pub(super) fn contains_within(&self, of: &[&str]) -> bool {
        self.words.iter().any(|word| of.iter().any(|part| word.contains(part)))
    }

    /// Whether one of these verbs is among the words, also in the form that sentences about an operation
    /// begin with: `Deletes a note`.
    pub(super) fn contains_verb(&self, of: &[&str]) -> bool {
        let is_verb = |word: &str| {
            of.contains(&word)
                || word.strip_suffix('s').is_some_and(|stem| {
                    of.contains(&stem)
                        || stem.strip_suffix('e').is_some_and(|stem| of.contains(&stem))
                })
        };
        self.words.iter().any(|word| is_verb(word))
    }

    /// Whether all words are known.
    pub(super) fn are_complete(&self) -> bool {
        !self.has_more
    }

    pub(super) fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        words.add_all(texts);
        words
    }

    pub(super) fn add_all<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        for text in texts {
            self.add(text);
        }
    }

    fn add(&mut self, text: &str) {
        let mut word = String::new();
        let mut after_small = false;
        for c in text.chars() {
            if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
                self.push_word(&mut word);
            }
            if c.is_alphanumeric() && word.len() <= MAX_WORD_BYTES {
                word.extend(c.to_lowercase());
            }
            after_small = c.is_lowercase() || c.is_numeric();
        }
        self.push_word(&mut word);
    }

    /// Stores the word, unless it is longer than any word that a rule looks for.
    fn push_word(&mut self, word: &mut String) {
        if word.is_empty() || self.words.contains(word.as_str()) {
            word.clear();
        } else if word.len() <= MAX_WORD_BYTES && self.words.len() < MAX_WORDS {
            self.words.insert(std::mem::take(word));
        } else {
            self.has_more = true;
            word.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_come_apart_alike() {
        for text in
            ["cancelOrder", "cancel_order", "/cancel-order", "Cancel Order!", "cancel2.order"]
        {
            let words = NameWords::from_texts([text]);
            assert!(words.contains_any(&["order"]), "{text}: {words:?}");
            assert!(text.contains('2') || words.contains_any(&["cancel"]), "{text}: {words:?}");
        }
        assert!(
            !NameWords::from_texts(["reorder borders"]).contains_any(&["order"]),
            "whole words only"
        );
        assert!(NameWords::from_texts(["", "DELETE"]).contains_any(&["delete"]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_few_short_words(text: String) {
            let words = NameWords::from_texts([text.as_str()]);
            proptest::prop_assert!(words.words.len() <= MAX_WORDS);
            proptest::prop_assert!(words.words.iter().all(|w| !w.is_empty() && w.len() <= MAX_WORD_BYTES));
        }
    }
}
