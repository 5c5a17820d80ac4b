//! Telephone numbers in the visible text of a page.

use super::normalize::{self, phone};
use crate::page::truncate_str;

/// How many telephone numbers of header and footer are read.
const MAX_NUMBERS: usize = 10;

/// Numbers in a text that are most likely telephone numbers: with a plus sign, or after a word such as
/// “phone”. `cut` says that the text does not go on because we stopped reading.
pub(crate) fn visible_numbers(text: &str, region: Option<&str>, cut: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '+' || c == '(') else {
            break;
        };
        let run = rest.get(start..).unwrap_or_default();
        let length = run.find(|c: char| !is_number_part(c)).unwrap_or(run.len());
        let before = text.get(..from + start).unwrap_or_default();
        from += start + length.max(1);
        // The rest of a number at the cut is missing.
        if cut && from >= text.len() {
            break;
        }
        let run = run.get(..length).unwrap_or_default();
        // Every plus sign begins another number.
        let first = run.get(1..).and_then(|rest| rest.find('+')).map_or(run.len(), |at| at + 1);
        let number =
            run.get(..first).unwrap_or_default().trim_end_matches(|c: char| !c.is_ascii_digit());
        let digits = number.chars().filter(char::is_ascii_digit).count();
        let word = labelling_word(before);
        if !(7..=15).contains(&digits)
            || is_other_number(&word)
            || !(number.starts_with('+') || is_phone_word(&word))
        {
            continue;
        }
        let normal = phone::normalize_phone(number, region);
        if phone::is_possible(&normal) || region.is_none() {
            found.push(number.to_owned());
        }
        if found.len() >= MAX_NUMBERS {
            break;
        }
    }
    found
}

/// Digits and what people write between them: all kinds of spaces and dashes.
fn is_number_part(c: char) -> bool {
    c.is_ascii_digit()
        || matches!(
            c,
            ' ' | '-' | '.' | '/' | '(' | ')' | '+' | '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{200d}'
                | '\u{2010}'..='\u{2015}' | '\u{202f}' | '\u{2060}' | '\u{2212}'
        )
}

/// The word that says what a number is: the last one before it, or one of the last few before a colon
/// (`Telephone of the workshop: …`).
pub(super) fn labelling_word(before: &str) -> String {
    let word = last_word(before);
    if is_phone_word(&word) || is_other_number(&word) {
        return word;
    }
    let Some(label) = before.trim_end().strip_suffix(':') else { return word };
    let label = label.trim_end_matches([' ', '\u{a0}', '\u{202f}']);
    let words = label.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(5);
    let mut words = words.map(|word| normalize::fold(truncate_str(word, 40)));
    words.find(|word| is_phone_word(word) || is_other_number(word)).unwrap_or(word)
}

fn last_word(before: &str) -> String {
    let end = before.trim_end_matches([' ', ':', '.', '(', '\u{a0}', '-', '–', ',']);
    let word = end.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    normalize::fold(truncate_str(word, 40))
}

/// Words before numbers that are reached in another way, or are no telephone numbers.
pub(super) fn is_other_number(word: &str) -> bool {
    matches!(
        word,
        "fax"
            | "telefax"
            | "faks"
            | "telefaks"
            | "факс"
            | "telecopie"
            | "whatsapp"
            | "viber"
            | "telegram"
            | "sms"
            | "iban"
            | "vat"
            | "ust"
            | "siret"
            | "ico"
            | "kvk"
            | "abn"
    )
}

fn is_phone_word(word: &str) -> bool {
    matches!(
        word,
        "tel"
            | "telephone"
            | "phone"
            | "call"
            | "telefon"
            | "fon"
            | "telefono"
            | "telefone"
            | "telefoon"
            | "mobile"
            | "ring"
            | "us"
            | "hotline"
            | "тел"
            | "телефон"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_whole_or_not_at_all() {
        for (text, numbers) in [
            ("Phone: 020 7946 0000, VAT 123456789", &["020 7946 0000"][..]),
            ("Call us +44 20 7946\u{2011}0000", &["+44 20 7946\u{2011}0000"]),
            (
                "Tel. +44\u{a0}20\u{a0}7946\u{a0}0000 · Fax +44 20 7946 0001",
                &["+44\u{a0}20\u{a0}7946\u{a0}0000"],
            ),
            ("+44 20 7946 0000 +44 20 7946 0001", &["+44 20 7946 0000"]),
            ("Fax: +49 30 901820", &[]),
            ("Order 1234567890", &[]),
            ("Téléphone de l'atelier : 05 55 44 33 22", &["05 55 44 33 22"]),
            ("Fax for orders: 020 7946 0001", &[]),
        ] {
            assert_eq!(visible_numbers(text, None, false), numbers, "{text}");
        }
        assert_eq!(visible_numbers("Tel +44 20 7946 00", None, true), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_searched(text in "\\PC{0,80}", digits in "([+0-9 ()–-]{0,12}(tel|fax)?){0,5}") {
            for text in [text, digits] {
                proptest::prop_assert!(visible_numbers(&text, Some("GB"), false).len() <= MAX_NUMBERS);
            }
        }
    }
}
