//! Digits in words: `oh one, six seven one, four eight two nine`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Fewer digits in words are a count, and no telephone number.
const MIN_DIGITS: usize = 6;

/// Words without accents, in lower case, with the digits that they stand for.
const WORDS: &[(&str, &str)] = &[
    ("zero oh nought null cero nul noll nulla nolla sifir ноль zeru", "0"),
    ("one eins ein un une uno una een um uma jeden en ett et yksi bir один", "1"),
    ("two zwei zwo deux dos due twee dois duas dwa tva to kaksi iki два", "2"),
    ("three drei trois tres tre drie trzy kolme uc три", "3"),
    ("four vier quatre cuatro quattro quatro cztery fyra fire nelja dort четыре", "4"),
    ("five funf fuenf cinq cinco cinque vijf piec fem viisi bes пять", "5"),
    ("six sechs seis sei zes szesc sex seks kuusi alti meia шесть", "6"),
    ("seven sieben sept siete sette zeven sete siedem sju syv seitseman yedi семь", "7"),
    ("eight acht huit ocho otto oito osiem atta otte kahdeksan sekiz восемь", "8"),
    ("nine neun neuf nueve nove negen dziewiec nio ni yhdeksan dokuz девять", "9"),
    ("plus", "+"),
];

static DIGITS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    WORDS.iter().flat_map(|(words, digit)| words.split(' ').map(|word| (word, *digit))).collect()
});

/// The text with its digits in words written as digits. None if it has no such number, or digits already.
pub(super) fn with_digits(text: &str) -> Option<String> {
    if text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut found = 0;
    let mut repeat = 1;
    for part in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphabetic());
        let lower = word.to_lowercase();
        let behind = part.get(word.len()..).unwrap_or_default();
        match lower.as_str() {
            "double" => repeat = 2,
            "triple" | "treble" => repeat = 3,
            lower => match digit_of(lower) {
                Some(digit) => {
                    out.push_str(&digit.repeat(repeat));
                    found += repeat;
                    repeat = 1;
                    // Commas and full stops between digits only group them.
                    out.push_str(if behind.is_empty() { "" } else { " " });
                }
                None => {
                    repeat = 1;
                    out.push_str(part);
                }
            },
        }
    }
    (found >= MIN_DIGITS).then(|| out.replace("+ ", "+"))
}

fn digit_of(word: &str) -> Option<&'static str> {
    DIGITS.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_words_are_digits() {
        for (text, digits) in [
            ("oh one, six seven one, four eight double two", Some("016714822")),
            ("null drei null, eins zwei drei vier", Some("0301234")),
            ("one or two of them", None),
            ("030 eins zwei drei vier fünf sechs", None),
        ] {
            let found = with_digits(text).map(|text| text.replace(' ', ""));
            assert_eq!(found.as_deref(), digits, "{text}");
        }
    }
}
