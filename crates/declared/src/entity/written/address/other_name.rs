//! Streets with a second name in brackets: `Heol Eglwys Fair (St Mary Street)`.

use super::street_types::{compound_street, street_type};
use super::tokens::plain_word;

/// Brackets with more words tell more than a name.
const MAX_WORDS: usize = 5;

/// The address with only one of the two names: that in brackets, and that before them. None if there are no such
/// names.
pub(super) fn with_one_name(text: &str, region: Option<&str>) -> Option<[String; 2]> {
    let (before, rest) = text.split_once('(')?;
    let (inner, after) = rest.split_once(')')?;
    let start = before.rfind([',', ';', '\n', '|']).map_or(0, |at| at + 1);
    let (ahead, street) = before.split_at_checked(start)?;
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = street.split_whitespace().collect();
    let first = words.first().copied().filter(is_number).unwrap_or_default();
    let last = words.last().copied().filter(is_number).unwrap_or_default();
    // The number may be in the brackets again.
    let name: Vec<&str> = inner
        .split_whitespace()
        .filter(|word| !is_number(word) || *word != first && *word != last)
        .collect();
    let name = name.join(" ");
    // The street itself must be named before the brackets.
    let has_name = words.iter().any(|word| !is_number(word));
    (has_name && is_street(&name, region))
        .then(|| [format!("{ahead} {first} {name} {last} {after}"), format!("{before} {after}")])
}

/// Whether a text is the name of a street: a few words, of which the first or the last says so.
fn is_street(text: &str, region: Option<&str>) -> bool {
    let words: Vec<String> = text.split_whitespace().map(plain_word).collect();
    let is_type = |word: &String| {
        street_type(word, region).is_some() || compound_street(word).is_some() || word == "st"
    };
    let tells_way = words.first().is_some_and(|word| {
        matches!(
            word.as_str(),
            "off"
                | "near"
                | "corner"
                | "cnr"
                | "opp"
                | "opposite"
                | "behind"
                | "entrance"
                | "ecke"
                | "nahe"
                | "bei"
                | "esquina"
                | "angle"
                | "angolo"
                | "hoek"
                | "formerly"
                | "ex"
        )
    });
    let has_name = words.len() >= 2 || words.first().is_some_and(|word| word.len() > 7);
    !text.contains(|c: char| c.is_ascii_digit())
        && !tells_way
        && has_name
        && words.len() <= MAX_WORDS
        && (words.first().is_some_and(is_type) || words.last().is_some_and(is_type))
}
