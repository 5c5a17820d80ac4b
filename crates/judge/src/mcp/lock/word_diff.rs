//! How two texts differ, word by word.

use contract::records::{McpWordChange, McpWordDiff, McpWordDiffPart};

use crate::mcp::untrusted::spell_out_within;

/// Longer changes are shown as one removed and one added part: the comparison takes the product of both.
const MAX_COMPARED_WORDS: usize = 400;
const MAX_PARTS: usize = 200;
const MAX_CHANGED_CHARS: usize = 1_000;
/// Of words that did not change, only the surroundings of the change are shown.
const MAX_KEPT_CHARS: usize = 160;

/// Compares two texts. White space belongs to the word before it, so a changed line break is seen.
pub(super) fn word_diff(before: &str, after: &str) -> McpWordDiff {
    let (old, new) = (words(before), words(after));
    let prefix = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (tail(&old, prefix), tail(&new, prefix));
    let suffix =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, old_end) = old_rest.split_at(old_rest.len().saturating_sub(suffix));
    let (new_middle, _) = new_rest.split_at(new_rest.len().saturating_sub(suffix));
    let mut parts = Parts::default();
    parts.push_all(McpWordChange::Kept, old.get(..prefix).unwrap_or_default());
    if old_middle.len() > MAX_COMPARED_WORDS || new_middle.len() > MAX_COMPARED_WORDS {
        parts.push_all(McpWordChange::Removed, old_middle);
        parts.push_all(McpWordChange::Added, new_middle);
    } else {
        compare(old_middle, new_middle, &mut parts);
    }
    parts.push_all(McpWordChange::Kept, old_end);
    parts.finish()
}

fn tail<'a, 't>(words: &'a [&'t str], from: usize) -> &'a [&'t str] {
    words.get(from..).unwrap_or_default()
}

/// Each word with the white space that follows it.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut after_space) = (0, false);
    for (at, c) in text.char_indices() {
        if after_space && !c.is_whitespace() {
            words.extend(text.get(start..at));
            start = at;
        }
        after_space = c.is_whitespace();
    }
    words.extend(text.get(start..).filter(|last| !last.is_empty()));
    words
}

/// The longest common subsequence, by the usual table, from the end.
fn compare(old: &[&str], new: &[&str], parts: &mut Parts) {
    let width = new.len().saturating_add(1);
    let height = old.len().saturating_add(1);
    let mut table = vec![0_u16; width.saturating_mul(height)];
    let at = |row: usize, column: usize| row.saturating_mul(width).saturating_add(column);
    let value = |table: &[u16], row, column| table.get(at(row, column)).copied().unwrap_or(0);
    for (row, a) in old.iter().enumerate().rev() {
        for (column, b) in new.iter().enumerate().rev() {
            let longest = if a == b {
                value(&table, row + 1, column + 1).saturating_add(1)
            } else {
                value(&table, row + 1, column).max(value(&table, row, column + 1))
            };
            if let Some(cell) = table.get_mut(at(row, column)) {
                *cell = longest;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    loop {
        match (old.get(row), new.get(column)) {
            (Some(a), Some(b)) if a == b => {
                parts.push(McpWordChange::Kept, a);
                row += 1;
                column += 1;
            }
            (Some(a), b)
                if b.is_none()
                    || value(&table, row + 1, column) >= value(&table, row, column + 1) =>
            {
                parts.push(McpWordChange::Removed, a);
                row += 1;
            }
            (_, Some(b)) => {
                parts.push(McpWordChange::Added, b);
                column += 1;
            }
            (_, None) => break,
        }
    }
}

/// Joins words of the same change.
#[derive(Default)]
struct Parts(Vec<(McpWordChange, String)>);

impl Parts {
    fn push_all(&mut self, change: McpWordChange, words: &[&str]) {
        for word in words {
            self.push(change.clone(), word);
        }
    }

    fn push(&mut self, change: McpWordChange, word: &str) {
        match self.0.last_mut() {
            Some((last, text)) if *last == change => text.push_str(word),
            _ => self.0.push((change, word.to_owned())),
        }
    }

    fn finish(self) -> McpWordDiff {
        let mut cut = self.0.len() > MAX_PARTS;
        let mut parts = Vec::new();
        for (change, text) in self.0.into_iter().take(MAX_PARTS) {
            let untrusted_text = if change == McpWordChange::Kept {
                surroundings(&text)
            } else {
                let (text, is_cut) = spell_out_within(&text, MAX_CHANGED_CHARS);
                cut |= is_cut;
                text
            };
            parts.push(McpWordDiffPart { change, untrusted_text });
        }
        McpWordDiff { parts, cut }
    }
}

/// The beginning and the end of words that did not change.
fn surroundings(text: &str) -> String {
    const HALF: usize = MAX_KEPT_CHARS / 2;
    let (whole, is_long) = spell_out_within(text, MAX_KEPT_CHARS);
    if !is_long {
        return whole;
    }
    let start: String = text.chars().take(HALF).collect();
    let mut end: Vec<char> = text.chars().rev().take(HALF).collect();
    end.reverse();
    let end: String = end.into_iter().collect();
    let (start, _) = spell_out_within(&start, MAX_KEPT_CHARS);
    let (end, _) = spell_out_within(&end, MAX_KEPT_CHARS);
    format!("{}…{}", start.trim_end_matches('…'), end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &str, after: &str) -> Vec<(String, String)> {
        let parts = word_diff(before, after).parts.into_iter();
        parts.map(|part| (part.change.as_str().to_owned(), part.untrusted_text)).collect()
    }

    fn part(change: &str, text: &str) -> (String, String) {
        (change.to_owned(), text.to_owned())
    }

    #[test]
    fn changed_words_are_named_in_their_place() {
        assert_eq!(
            shown("Adds two numbers now.", "Adds three numbers\nnow."),
            [
                part("kept", "Adds "),
                part("removed", "two numbers "),
                part("added", "three numbers\\u{000A}"),
                part("kept", "now."),
            ]
        );
        assert_eq!(shown("", "New."), [part("added", "New.")]);
        assert_eq!(shown("Old.", ""), [part("removed", "Old.")]);
        assert_eq!(shown("Same.", "Same."), [part("kept", "Same.")]);
        assert_eq!(
            shown("a b c d e", "a x c y e"),
            [
                part("kept", "a "),
                part("removed", "b "),
                part("added", "x "),
                part("kept", "c "),
                part("removed", "d "),
                part("added", "y "),
                part("kept", "e"),
            ]
        );
    }

    #[test]
    fn long_texts_are_bounded() {
        let old: String = (0..5_000).map(|n| format!("a{n} ")).collect();
        let new: String = (0..5_000).map(|n| format!("b{n} ")).collect();
        let diff = word_diff(&format!("{old}same"), &format!("{new}same"));
        assert_eq!(diff.parts.len(), 3);
        assert!(diff.cut);
        assert!(diff.parts.iter().all(|part| part.untrusted_text.chars().count() <= 1_000));
        let kept = word_diff(&old, &format!("{old}more"));
        assert!(!kept.cut);
        let first = &kept.parts[0].untrusted_text;
        assert!(first.starts_with("a0 a1") && first.ends_with("a4999 "), "{first}");
    }

    proptest! {
        /// The kept and removed words are the old text, the kept and added ones the new text.
        #[test]
        fn both_texts_can_be_put_together_again(old in "[ab \n]{0,40}", new in "[ab \n]{0,40}") {
            let diff = word_diff(&old, &new);
            let text = |other: McpWordChange| -> String {
                let parts = diff.parts.iter().filter(|part| part.change != other);
                parts.map(|part| part.untrusted_text.replace("\\u{000A}", "\n")).collect()
            };
            prop_assert_eq!(text(McpWordChange::Added), old);
            prop_assert_eq!(text(McpWordChange::Removed), new);
        }
    }
}
