//! The words that a name or a path is made of.

use std::collections::BTreeSet;

/// How many words of one capability are kept, and how long a word may be.
const MAX_WORDS: usize = 64;
const MAX_WORD_BYTES: usize = 32;

/// Single words in lower case: `cancelOrder` and `/cancel-order` give the same two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(BTreeSet<String>);

impl Words {
    #[must_use]
    pub fn any(&self, of: &[&str]) -> bool {
        of.iter().any(|word| self.0.contains(*word))
    }

    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
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
                self.keep(&mut word);
            }
            if c.is_alphanumeric() && word.len() <= MAX_WORD_BYTES {
                word.extend(c.to_lowercase());
            }
            after_small = c.is_lowercase() || c.is_numeric();
        }
        self.keep(&mut word);
    }

    /// What is too long for a word of any rule is let go.
    fn keep(&mut self, word: &mut String) {
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
            let words = Words::of([text]);
            assert!(words.any(&["order"]), "{text}: {words:?}");
            assert!(text.contains('2') || words.any(&["cancel"]), "{text}: {words:?}");
        }
        assert!(!Words::of(["reorder borders"]).any(&["order"]), "whole words only");
        assert!(Words::of(["", "DELETE"]).any(&["delete"]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_few_short_words(text: String) {
            let words = Words::of([text.as_str()]);
            proptest::prop_assert!(words.0.len() <= MAX_WORDS);
            proptest::prop_assert!(words.0.iter().all(|w| !w.is_empty() && w.len() <= MAX_WORD_BYTES));
        }
    }
}
