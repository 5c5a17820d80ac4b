//! Postal addresses in a text: a word for a street, and a house number near it.

use super::street_words::is_street_word;
use crate::digits::find_digit;

/// The most contacts kept of one page, of whatever kind.
pub(super) const MAX_CONTACTS: usize = 200;
/// How many words may lie between a house number and the word for a street: a number may be this many
/// words before it, or one less behind it.
const ADDRESS_WORDS: usize = 4;

/// Street and house number, in one order and in lower case.
pub(super) fn street_addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Words for streets before this place were looked at.
    let mut seen_to = 0;
    // Texts have fewer numbers than words, so that only words near a number are looked at.
    for start in house_numbers(text) {
        let first = start_of_words(text, start, ADDRESS_WORDS - 1);
        let mut words_behind = 0;
        for word in words(text.get(first..).unwrap_or_default()) {
            if words_behind > ADDRESS_WORDS {
                break;
            }
            if found.len() >= MAX_CONTACTS {
                return found;
            }
            let place = offset(text, word);
            words_behind += usize::from(place >= start);
            if place >= seen_to {
                seen_to = place + word.len();
                if is_street_word(word) {
                    found.extend(address_of(text, place));
                }
            }
        }
    }
    found
}

/// The address of which the word at this place is the one for the street.
fn address_of(text: &str, place: usize) -> Option<String> {
    let first = start_of_words(text, place, ADDRESS_WORDS);
    let mut near = Vec::with_capacity(2 * ADDRESS_WORDS);
    near.extend(words(text.get(first..)?).take_while(|word| offset(text, word) < place));
    let at = near.len();
    near.extend(words(text.get(place..)?).take(ADDRESS_WORDS));
    address_at(&near, at, near.get(at)?)
}

/// Where so many words before a place begin, or as many as there are.
fn start_of_words(text: &str, place: usize, count: usize) -> usize {
    let mut start = place;
    for _ in 0..count {
        let before = text.get(..start).unwrap_or_default().trim_end();
        if before.is_empty() {
            break;
        }
        start = start_of_last_word(before);
    }
    start
}

/// Where the word starts that a text ends with: behind its last white space.
fn start_of_last_word(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.iter().rposition(|byte| !byte.is_ascii() || is_ascii_space(*byte)) {
        None => 0,
        Some(at) if bytes.get(at).is_some_and(u8::is_ascii) => at + 1,
        // White space beyond ASCII.
        Some(_) => text.trim_end_matches(|c: char| !c.is_whitespace()).len(),
    }
}

/// The words of a text, as `split_whitespace` finds them. Most words are ASCII.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let spaces = rest.bytes().take_while(|byte| is_ascii_space(*byte)).count();
        rest = rest.get(spaces..)?;
        if rest.as_bytes().first().is_some_and(|byte| !byte.is_ascii()) {
            rest = rest.trim_start();
        }
        let plain = rest.bytes().position(|byte| !byte.is_ascii() || is_ascii_space(byte));
        let length = match plain.map(|at| (at, rest.as_bytes().get(at))) {
            None => rest.len(),
            Some((at, Some(byte))) if byte.is_ascii() => at,
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at_checked(length)?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// White space among the characters of one byte, as `char::is_whitespace` has it.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// The address of which this word is the one for the street, if a number is near it.
fn address_at(words: &[&str], at: usize, word: &str) -> Option<String> {
    let from = at.saturating_sub(ADDRESS_WORDS);
    let near = words.get(from..(at + ADDRESS_WORDS).min(words.len())).unwrap_or_default();
    let number = near.iter().find(|word| is_house_number(word))?;
    // The word before names the street where the street word stands alone (Harbour Street).
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let after = words.get(at + 1).copied().unwrap_or_default();
    let name = if is_house_number(before) || before.is_empty() { after } else { before };
    let mut address = String::with_capacity(name.len() + word.len() + number.len() + 2);
    for (index, word) in [name, word, number].into_iter().enumerate() {
        if index > 0 {
            address.push(' ');
        }
        push_folded(&mut address, word);
    }
    Some(address)
}

/// Where the words start that are house numbers.
fn house_numbers(text: &str) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let digit = at + find_digit(rest)?;
            let (before, from) = text.split_at_checked(digit)?;
            let start = start_of_last_word(before);
            let end = digit + words(from).next().map_or(0, str::len);
            at = end;
            if is_house_number(text.get(start..end)?) {
                return Some(start);
            }
        }
    })
}

/// Where a part of a text starts.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

/// `12`, `12a`, `12-14`: up to four digits and at most one letter.
fn is_house_number(word: &str) -> bool {
    // Nearly all words end here.
    if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let is_sign = |c: char| !c.is_alphanumeric();
    let word = word.trim_start_matches(is_sign);
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let word = word.trim_end_matches(is_sign);
    let (mut digits, mut letters) = (0_usize, 0_usize);
    for byte in word.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'a'..=b'z' | b'A'..=b'Z' => letters += 1,
            b'-' | b'/' => {}
            _ => return false,
        }
    }
    digits <= 5 && letters <= 1
}

pub(super) fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    push_folded(&mut folded, word);
    folded
}

/// Adds a word in lower case, without the signs around it.
fn push_folded(text: &mut String, word: &str) {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    if word.is_ascii() {
        text.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        text.push_str(&word.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_street_with_a_number_near_it() {
        for (text, addresses) in [
            ("at 14 Harbour Lane, today", vec!["harbour lane 14"]),
            ("Hauptstraße 7a und Ring 8", vec!["7a hauptstraße 7a"]),
            ("in der Hauptstraße 7a", vec!["der hauptstraße 7a"]),
            ("14 a b c Street", vec!["c street 14"]),
            ("14 a b c d Street", vec![]),
            ("Street a b c 14", vec![]),
            ("x Street a b 14", vec!["x street 14"]),
            ("Harbour Lane", vec![]),
        ] {
            assert_eq!(street_addresses(text), addresses, "{text}");
        }
        assert_eq!(street_addresses(&"1 Lane ".repeat(900)).len(), MAX_CONTACTS);
    }

    proptest::proptest! {
        #[test]
        fn every_word_near_a_number_is_looked_at_once(
            words in proptest::collection::vec("street|Lane|12|12a|3.50|é|a|b|Hauptstr\\.|\u{a0}", 0..60)
        ) {
            let text = words.join(" ");
            let words: Vec<&str> = text.split_whitespace().collect();
            let streets = words.iter().enumerate().filter(|(_, word)| is_street_word(word));
            let all: Vec<String> =
                streets.filter_map(|(at, word)| address_at(&words, at, word)).collect();
            proptest::prop_assert_eq!(street_addresses(&text), all);
        }
    }
}
