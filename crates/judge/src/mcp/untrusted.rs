//! Spells out text of a server so that nothing hidden reaches a record.

use contract::text::is_hidden;

/// The longest excerpt, and the longest name.
const EXCERPT_CHARS: usize = 160;
const NAME_CHARS: usize = 128;

/// The first `max` characters, with hidden ones as `\u{XXXX}`. A cut text ends in `…`.
fn spell_out(text: &str, max: usize) -> String {
    spell_out_within(text, max).0
}

/// The same, and whether the text was cut.
pub(super) fn spell_out_within(text: &str, max: usize) -> (String, bool) {
    let mut out = String::new();
    let mut length = 0_usize;
    for c in text.chars() {
        let spelled = is_hidden(c) || c == '\u{fffc}' || (c.is_whitespace() && c != ' ');
        let piece = spelled.then(|| format!("\\u{{{:04X}}}", u32::from(c)));
        let long = piece.as_ref().map_or(1, String::len);
        if length.saturating_add(long) > max.saturating_sub(1) {
            out.push('…');
            return (out, true);
        }
        length = length.saturating_add(long);
        match piece {
            Some(piece) => out.push_str(&piece),
            None => out.push(c),
        }
    }
    (out, false)
}

/// A name as records show it.
#[must_use]
pub fn display_name(name: &str) -> String {
    spell_out(name, NAME_CHARS)
}

/// A name as locks have it: at most 120 characters, as the public client cuts it.
pub(super) fn lock_name(name: &str) -> String {
    let cut: String = name.chars().take(120).collect();
    spell_out(&cut, 1_000)
}

/// A text of the server as records show it: at most 160 characters.
#[must_use]
pub fn untrusted_text(text: &str) -> String {
    spell_out(text, EXCERPT_CHARS)
}

/// The surroundings of a match: a few characters before it, and what follows.
pub(super) fn excerpt_around(text: &str, start: usize) -> String {
    const BEFORE: usize = 24;
    let from = start.saturating_sub(BEFORE);
    let part: String = text.chars().skip(from).take(EXCERPT_CHARS).collect();
    let part = if from > 0 { format!("…{part}") } else { part };
    spell_out(&part, EXCERPT_CHARS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_spelled_out() {
        assert_eq!(untrusted_text("a\u{200b}\u{e0041}\n"), "a\\u{200B}\\u{E0041}\\u{000A}");
        assert_eq!(display_name(&"x".repeat(200)).chars().count(), NAME_CHARS);
    }

    proptest! {
        #[test]
        fn nothing_hidden_comes_out(text: String, start in 0_usize..50) {
            for out in [untrusted_text(&text), display_name(&text), excerpt_around(&text, start), lock_name(&text)] {
                prop_assert!(!out.chars().any(is_hidden), "{out:?}");
            }
            prop_assert!(untrusted_text(&text).chars().count() <= EXCERPT_CHARS);
        }
    }
}
