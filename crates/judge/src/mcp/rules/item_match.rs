//! What a rule found in a part of an item.

use super::text_match::TextMatch;

/// A finding with its field and JSON Pointer.
pub(super) struct ItemMatch {
    pub(super) field: &'static str,
    pub(super) pointer: String,
    pub(super) text: String,
    pub(super) found: TextMatch,
}

pub(super) fn at(rule: &'static str, field: &'static str, pointer: &str, text: &str) -> ItemMatch {
    let length = text.chars().count();
    ItemMatch {
        field,
        pointer: pointer.to_owned(),
        text: text.to_owned(),
        found: TextMatch { rule, length, ..TextMatch::default() },
    }
}

pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars().take(256) {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
