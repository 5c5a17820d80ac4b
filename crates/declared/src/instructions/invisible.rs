//! Finds and decodes text written in invisible characters.

use std::collections::BTreeSet;

use super::fold::is_invisible;

/// The least number of letters of a hidden text; flag emoji are spelled with fewer.
const MIN_LETTERS: usize = 8;
/// The least number of different letters.
const MIN_KINDS: usize = 4;
/// How many bytes of hidden text are decoded of one passage.
const MAX_DECODED: usize = 2048;

/// A hidden text and its offset in the passage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvisibleText {
    pub(super) at: usize,
    pub(super) decoded: String,
}

/// Decodes tag characters, variation selectors used as bytes, and zero-width bits. Reversed runs are
/// found by [`find_reversed`]; the caller decides by their content whether they count.
pub(super) fn find_invisible(text: &str) -> Vec<InvisibleText> {
    if text.is_ascii() {
        return Vec::new();
    }
    [decode_tags(text), decode_variation_selectors(text), decode_zero_width(text)]
        .into_iter()
        .flatten()
        .collect()
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

fn if_readable(at: Option<usize>, decoded: String) -> Option<InvisibleText> {
    let at = at?;
    let plain = decoded.chars().all(|c| !c.is_control() || c.is_whitespace());
    // Padding decodes to the same letter repeated.
    let kinds: BTreeSet<char> = decoded.chars().filter(|c| c.is_alphabetic()).collect();
    (plain && count_letters(&decoded) >= MIN_LETTERS && kinds.len() >= MIN_KINDS)
        .then_some(InvisibleText { at, decoded })
}

/// Unicode tag characters, which mirror ASCII. A black flag followed by a few of them and the cancel
/// tag is the flag emoji of a region and does not count.
fn decode_tags(text: &str) -> Option<InvisibleText> {
    const LONGEST_FLAG: usize = 7;
    let mut at = None;
    let mut decoded = String::new();
    let mut run = String::new();
    let mut run_at = 0;
    let mut flag = false;
    let mut before = ' ';
    for (place, c) in text.char_indices() {
        let code = u32::from(c);
        if (0xE0000..=0xE007F).contains(&code) {
            if run.is_empty() {
                run_at = place;
                flag = before == '\u{1F3F4}';
            }
            if c == '\u{E007F}' && flag && run.len() <= LONGEST_FLAG {
                run.clear();
                flag = false;
            } else if let Some(plain) = char::from_u32(code.saturating_sub(0xE0000))
                && (plain == ' ' || plain.is_ascii_graphic())
                && decoded.len().saturating_add(run.len()) < MAX_DECODED
            {
                run.push(plain);
            }
        } else {
            if !run.is_empty() {
                at.get_or_insert(run_at);
                decoded.push_str(&run);
                run.clear();
            }
            flag = false;
        }
        before = c;
    }
    if !run.is_empty() {
        at.get_or_insert(run_at);
        decoded.push_str(&run);
    }
    if_readable(at, decoded)
}

/// Variation selectors: 256 of them can encode every byte. Two in a row never belong to one character.
fn decode_variation_selectors(text: &str) -> Option<InvisibleText> {
    let byte = |c: char| match c {
        '\u{FE00}'..='\u{FE0F}' => u8::try_from(u32::from(c).saturating_sub(0xFE00)).ok(),
        '\u{E0100}'..='\u{E01EF}' => {
            u8::try_from(u32::from(c).saturating_sub(0xE0100).saturating_add(16)).ok()
        }
        _ => None,
    };
    first_run(text, byte, |bytes| String::from_utf8(bytes.to_vec()).ok())
}

/// Two zero-width characters as bits, eight or seven per letter, in either assignment.
fn decode_zero_width(text: &str) -> Option<InvisibleText> {
    let symbol = |c: char| match c {
        '\u{200B}'..='\u{200F}' => u8::try_from(u32::from(c).saturating_sub(0x2000)).ok(),
        '\u{2060}'..='\u{2064}' => u8::try_from(u32::from(c).saturating_sub(0x2000)).ok(),
        '\u{FEFF}' => Some(0xFE),
        '\u{180E}' => Some(0xFD),
        _ => None,
    };
    first_run(text, symbol, decode_bits)
}

/// The first run of at least [`MIN_LETTERS`] characters that `value` knows and `decode` can read.
fn first_run(
    text: &str,
    value: impl Fn(char) -> Option<u8>,
    decode: impl Fn(&[u8]) -> Option<String>,
) -> Option<InvisibleText> {
    const MOST: usize = MAX_DECODED * 8;
    let mut run: Vec<u8> = Vec::new();
    let mut run_at = 0;
    // An extra blank ends the last run.
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        if let Some(value) = value(c) {
            if run.is_empty() {
                run_at = at;
            }
            if run.len() < MOST {
                run.push(value);
            }
            continue;
        }
        if run.len() >= MIN_LETTERS
            && let Some(found) = decode(&run).and_then(|decoded| if_readable(Some(run_at), decoded))
        {
            return Some(found);
        }
        run.clear();
    }
    None
}

fn decode_bits(run: &[u8]) -> Option<String> {
    let first = *run.first()?;
    let other = *run.iter().find(|symbol| **symbol != first)?;
    // With three different characters, the third separates the letters.
    let third = run.iter().find(|symbol| **symbol != first && **symbol != other).copied();
    let mut ways: Vec<(u8, Option<u8>)> = vec![(first, third), (other, third)];
    if third.is_some() {
        ways.push((first, Some(other)));
        ways.push((other, Some(first)));
    }
    for (zero, parting) in ways {
        let line: Vec<bool> = run
            .iter()
            .filter(|symbol| Some(**symbol) != parting)
            .map(|symbol| *symbol != zero)
            .collect();
        for width in [8, 7] {
            let bytes: Vec<u8> = line
                .chunks_exact(width)
                .map(|chunk| chunk.iter().fold(0_u8, |byte, bit| (byte << 1) | u8::from(*bit)))
                .collect();
            let text = String::from_utf8(bytes).ok().filter(|text| {
                text.chars().all(|c| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ')
            });
            if text.is_some() {
                return text;
            }
        }
    }
    None
}

/// Runs that a right-to-left override reverses, as a reader sees them.
pub(super) fn find_reversed(text: &str) -> Vec<InvisibleText> {
    const MOST: usize = 16;
    let mut found = Vec::new();
    for (at, _) in text.match_indices('\u{202E}').take(MOST) {
        let run: String = text
            .get(at..)
            .unwrap_or_default()
            .chars()
            .skip(1)
            .take_while(|c| *c != '\u{202C}' && *c != '\n')
            .take(400)
            .collect();
        found.push(InvisibleText {
            at,
            decoded: run.chars().rev().filter(|c| !is_invisible(*c)).collect(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(text: &str) -> String {
        text.bytes().filter_map(|b| char::from_u32(0xE0000 + u32::from(b))).collect()
    }

    fn in_bits(text: &str, zero: char, one: char, width: u32) -> String {
        text.bytes()
            .flat_map(|b| (0..width).rev().map(move |i| if b >> i & 1 == 1 { one } else { zero }))
            .collect()
    }

    #[test]
    fn tags_are_read_and_flags_are_left_alone() {
        let found = find_invisible(&format!("seen{}", tagged("unseen text")));
        assert_eq!(found, [InvisibleText { at: 4, decoded: "unseen text".to_owned() }]);
        let flags = format!("\u{1F3F4}{}\u{E007F}", tagged("gbeng")).repeat(5);
        assert_eq!(find_invisible(&flags), []);
    }

    #[test]
    fn bits_are_read_either_way_round() {
        for (zero, one) in [('\u{200B}', '\u{200C}'), ('\u{2060}', '\u{200D}')] {
            for width in [7, 8] {
                let text = format!("a{}b", in_bits("say nothing", zero, one, width));
                assert_eq!(find_invisible(&text)[0].decoded, "say nothing");
            }
        }
    }

    #[test]
    fn padding_of_a_mail_is_no_text() {
        assert_eq!(find_invisible(&"\u{200C}\u{00A0}".repeat(200)), []);
        assert_eq!(find_invisible(&"\u{200B}".repeat(200)), []);
        assert_eq!(find_invisible(&"\u{200B}\u{200C}".repeat(200)), []);
    }
}
