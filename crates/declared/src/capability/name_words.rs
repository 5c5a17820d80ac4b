//! Splits names and paths into words.

use std::collections::BTreeSet;

/// How many words of one capability are kept, and how long a word may be.
const MAX_WORDS: usize = 64;
const MAX_WORD_BYTES: usize = 32;

/// Single words in lower case: `cancelOrder` and `/cancel-order` give the same two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameWords(BTreeSet<String>);

impl NameWords {
    #[must_use]
    pub fn contains_any(&self, of: &[&str]) -> bool {
        of.iter().any(|word| self.0.contains(*word))
    }

    pub(super) fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        for text in texts {
            words.add(text);
        }
        words
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
        if !word.is_empty() && word.len() <= MAX_WORD_BYTES && self.0.len() < MAX_WORDS {
            self.0.insert(std::mem::take(word));
        } else {
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
            proptest::prop_assert!(words.0.len() <= MAX_WORDS);
            proptest::prop_assert!(words.0.iter().all(|w| !w.is_empty() && w.len() <= MAX_WORD_BYTES));
        }
    }
}
