//! Names of businesses.

use super::super::normalize::{fold, name};
use super::WrittenMatch;

/// A name is shorter than this.
const MAX_NAME_BYTES: usize = 400;

pub(super) fn compare_names(published: &str, stated: &str, _region: Option<&str>) -> WrittenMatch {
    if published.len().max(stated.len()) > MAX_NAME_BYTES {
        return WrittenMatch::Undecidable;
    }
    let (one, other) = (name::normalize_name(published), name::normalize_name(stated));
    if one.is_empty() || other.is_empty() {
        return WrittenMatch::Undecidable;
    }
    if plain_name(&one) == plain_name(&other) {
        return WrittenMatch::Equal;
    }
    match name::compare_names(&one, &other) {
        name::NameMatch::Same => WrittenMatch::Equal,
        name::NameMatch::Other if !may_be_one_name(&one, &other) => WrittenMatch::Different,
        _ => WrittenMatch::Undecidable,
    }
}

/// A normalized name without the word “and”, and with one spelling of umlauts: `Mueller & Sohn`,
/// `Müller und Sohn`.
fn plain_name(normal: &str) -> String {
    let words = normal.split(' ').filter(|word| {
        !matches!(*word, "and" | "und" | "et" | "y" | "e" | "og" | "och" | "en" | "i")
    });
    let joined: String = words.collect();
    let mut plain = String::with_capacity(joined.len());
    let mut characters = joined.chars().peekable();
    while let Some(c) = characters.next() {
        plain.push(c);
        if matches!((c, characters.peek()), ('a' | 'o' | 'u', Some('e'))) {
            characters.next();
        }
    }
    plain
}

/// Whether two names have a word in common, or words that begin alike: one of them may be incomplete or
/// misspelled.
fn may_be_one_name(one: &str, other: &str) -> bool {
    let begins_alike = |a: &str, b: &str| {
        let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
        a == b || same >= 4 || same >= 3 && a.chars().count().min(b.chars().count()) <= 4
    };
    let (a, b) = (fold(one), fold(other));
    a.split(' ').take(40).any(|word| b.split(' ').take(40).any(|other| begins_alike(word, other)))
        || !is_comparable(&a, &b)
}

/// Names in different scripts cannot be compared.
fn is_comparable(one: &str, other: &str) -> bool {
    let is_latin = |name: &str| name.chars().any(|c| c.is_ascii_alphabetic());
    is_latin(one) && is_latin(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use WrittenMatch::{Different, Equal, Undecidable};

    #[test]
    fn names_are_compared_without_legal_form_and_spelling() {
        for (published, stated, expected) in [
            ("Müller & Sohn GmbH", "Mueller und Sohn", Equal),
            ("The Lantern Bakery Ltd.", "Lantern Bakery", Equal),
            ("Joe’s Café", "Joes Cafe", Equal),
            ("Joe's Cafe", "Joe's Cafe & Bar", Undecidable),
            ("Hotel Adler", "Gasthof Adler", Undecidable),
            ("Harbour Books", "Quayside Toys", Different),
            ("錫", "Suzu", Undecidable),
            ("Tin", "", Undecidable),
        ] {
            assert_eq!(compare_names(published, stated, None), expected, "{published} / {stated}");
            assert_eq!(compare_names(stated, published, None), expected, "{stated} / {published}");
        }
    }
}
