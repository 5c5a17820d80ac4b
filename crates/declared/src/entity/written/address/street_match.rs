//! Compares the words of two addresses: streets, districts and cities.

use super::korean;
use super::reading::WrittenAddress;
use super::renamed::may_be_renamed;
use super::sound;
use super::street_language::street_language;
use super::street_types::{is_english, is_english_type};
use super::towns::{is_common_part, is_county};
use super::translated::is_same_name;
use super::two_languages::are_two_tongues;
use super::words::{Word, WordKind, WordMatches, are_abbreviations, match_sounds, match_words};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreetMatch {
    Same,
    /// One of them has a part that the other does not have, such as a direction.
    Unsure,
    Other,
    /// One of them names no street.
    Missing,
    /// Their letters cannot be compared.
    OtherScript,
}

pub(super) struct WordComparison {
    pub(super) street: StreetMatch,
    pub(super) same_city: bool,
    /// Both name cities that we know, and these are not the same.
    pub(super) cities_differ: bool,
    pub(super) has_near_match: bool,
    /// Whether one has no word that the other does not have.
    pub(super) is_contained: bool,
    /// Whether none of them has such a word.
    pub(super) is_same_text: bool,
}

pub(super) fn compare_words(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> WordComparison {
    let all = |address: &WrittenAddress| -> Vec<Word> {
        address.street.iter().chain(&address.places).cloned().collect()
    };
    let (a, b) = (all(one), all(other));
    let mut matches = match_words(&a, &b, region);
    // Everybody transliterates in another way.
    matches.has_near_match &= !one.is_transliterated && !other.is_transliterated;
    let is_other_script = one.is_transliterated != other.is_transliterated;
    match_sounds(&a, &b, &mut matches, is_other_script, sound::has_cases(region));
    let street = if scripts_differ(&a, &b) {
        let is_same =
            sounds(&one.street) == sounds(&other.street) && sounds(&one.street).len() >= 3;
        if is_same { StreetMatch::Same } else { StreetMatch::OtherScript }
    } else {
        compare_streets(one, other, &mut matches, region)
    };
    let (street_a, street_b) = (one.street.len(), other.street.len());
    let place_matches = |words: &[Word], matched: &[bool], street: usize| {
        words.iter().zip(matched).skip(street).any(|(word, m)| {
            *m && !is_county(word, region)
                && !(is_common_part(&word.text) && words.len() > street + 1)
        })
    };
    let cities =
        |address: &WrittenAddress| -> Vec<String> { address.cities().map(str::to_owned).collect() };
    let (cities_a, cities_b) = (cities(one), cities(other));
    let same_state = one.state.is_some() && one.state == other.state;
    let has_places = !one.places.is_empty() && !other.places.is_empty();
    WordComparison {
        street,
        // Words of such scripts contain the city.
        same_city: a
            .iter()
            .zip(&matches.one)
            .any(|(word, m)| *m && (word.text.contains(['区', '區']) || korean::is_district(word)))
            || place_matches(&a, &matches.one, street_a)
            || place_matches(&b, &matches.other, street_b)
            || same_state && !has_places
            || is_in_county(one, other)
            || is_in_county(other, one)
            // The whole country is one town.
            || matches!(region, Some("SG" | "HK" | "MC" | "MO")),
        cities_differ: !cities_a.is_empty()
            && !cities_b.is_empty()
            && !cities_a.iter().any(|city| cities_b.contains(city)),
        has_near_match: matches.has_near_match,
        is_contained: matches.one.iter().all(|m| *m) || matches.other.iter().all(|m| *m),
        is_same_text: matches.one.iter().chain(&matches.other).all(|m| *m),
    }
}

/// Whether the county of an address is all that the other says about its town, or the name of that.
fn is_in_county(address: &WrittenAddress, other: &WrittenAddress) -> bool {
    address.county.as_deref().is_some_and(|county| {
        other.places.iter().any(|place| place.text == county)
            || other.places.is_empty() && other.county.as_deref() == Some(county)
    })
}

/// The consonants of the name of a street, without its type.
fn sounds(street: &[Word]) -> String {
    let names = street.iter().filter(|word| word.kind == WordKind::Plain && word.text != "al");
    names.map(|word| sound::consonants(&word.text)).collect()
}

/// Compares two streets by their words without a counterpart.
fn compare_streets(
    one: &WrittenAddress,
    other: &WrittenAddress,
    matches: &mut WordMatches,
    region: Option<&str>,
) -> StreetMatch {
    let (street_a, street_b) = (one.street.len(), other.street.len());
    let lonely = |street: &[Word], matched: &[bool]| -> Vec<Word> {
        let lonely = street.iter().zip(matched).filter(|(_, matched)| !**matched);
        lonely.map(|(word, _)| word.clone()).collect()
    };
    let (mut lonely_a, mut lonely_b) =
        (lonely(&one.street, &matches.one), lonely(&other.street, &matches.other));
    let is_type = |word: &&Word| word.kind == WordKind::StreetType;
    let is_visitors = |words: &[Word]| {
        let mut types = words.iter().filter(is_type).peekable();
        types.peek().is_some() && types.all(|word| is_english_type(&word.text, region))
    };
    let is_foreign = !is_english(region) && is_visitors(&lonely_a) != is_visitors(&lonely_b);
    if one.is_transliterated != other.is_transliterated || is_foreign {
        // The word for a street is translated, its name is not.
        lonely_a.retain(|word| !is_type(&word));
        lonely_b.retain(|word| !is_type(&word));
    }
    let has_common = matches.one.iter().take(street_a).any(|m| *m)
        && matches.other.iter().take(street_b).any(|m| *m);
    let is_direction = |word: &Word| word.kind == WordKind::Direction;
    let is_one_sided = lonely_a.is_empty() != lonely_b.is_empty();
    let language = |street: &[Word]| street_language(street.iter().map(|word| word.text.as_str()));
    let speaks_two = matches!((language(&one.street), language(&other.street)), (Some(a), Some(b)) if a != b)
        || are_two_tongues(one.tongue, other.tongue)
            && matches!(region, None | Some("ES" | "GB" | "IE" | "FR" | "BE" | "US" | "CA" | "DE"));
    let is_translated = one.is_transliterated != other.is_transliterated || speaks_two;
    if one.number.is_some() && (street_a == 0 || street_b == 0) {
        StreetMatch::Missing
    } else if is_one_sided && lonely_a.iter().chain(&lonely_b).any(is_direction) {
        StreetMatch::Unsure
    } else if !lonely_a.is_empty() && !lonely_b.is_empty() {
        if speaks_two && is_same_name(&one.street, &other.street, region) {
            // Only the postal code tells that it is one street.
            matches.has_near_match = true;
            return StreetMatch::Same;
        }
        let is_opposite = contradict(&lonely_a, &lonely_b, is_direction)
            || contradict(&lonely_a, &lonely_b, |word| word.text.starts_with("ord"));
        // Visitors also translate names: `Wenceslas Square`.
        let is_doubtful = is_translated
            || is_foreign
            || region == Some("MT")
            || may_be_renamed(&one.street, &other.street, region)
            || are_abbreviations(&lonely_a, &lonely_b)
            || is_short_title(&lonely_a, &lonely_b)
            || is_short_title(&lonely_b, &lonely_a);
        if is_doubtful && !is_opposite { StreetMatch::Unsure } else { StreetMatch::Other }
    } else if is_one_sided && is_named_after_district(one, other, region) {
        StreetMatch::Other
    } else if has_common || one.number.is_none() {
        // `120 Magnolia`: there may be a road and a street of this name.
        let has_type = |street: &[Word]| street.iter().any(|word| is_type(&word));
        let is_open = matches!(region, Some("US" | "CA" | "GB" | "IE" | "AU" | "NZ" | "ZA"))
            && has_type(&one.street) != has_type(&other.street);
        matches.has_near_match |= is_open;
        StreetMatch::Same
    } else {
        StreetMatch::Unsure
    }
}

/// Whether two streets have no name in common, and that of one is only found in the district of the other:
/// `Av. Providencia` and `Av. Italia`, both in Providencia.
fn is_named_after_district(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> bool {
    let names = |street: &[Word]| -> Vec<Word> {
        let names = street.iter().filter(|word| word.kind != WordKind::StreetType);
        names.cloned().collect()
    };
    let (a, b) = (names(&one.street), names(&other.street));
    let matches = match_words(&a, &b, region);
    let is_twice = |names: &[Word], address: &WrittenAddress| {
        names.iter().all(|name| address.places.iter().any(|place| place.text == name.text))
    };
    !a.is_empty()
        && !b.is_empty()
        && !matches.one.iter().chain(&matches.other).any(|m| *m)
        && (is_twice(&a, one) && is_twice(&a, other) || is_twice(&b, one) && is_twice(&b, other))
}

/// `Ds. Kingweg` and `Dominee Kingweg`: an abbreviation of which only the first letter is known.
fn is_short_title(shorts: &[Word], longs: &[Word]) -> bool {
    let ([short], [long]) = (shorts, longs) else { return false };
    short.is_short
        && (2..=4).contains(&short.text.len())
        && long.text.len() > short.text.len() + 1
        && short.text.chars().next() == long.text.chars().next()
}

/// Whether both have words of a kind, but none in common.
fn contradict(one: &[Word], other: &[Word], is_kind: impl Fn(&Word) -> bool) -> bool {
    one.iter().any(&is_kind) && other.iter().any(&is_kind)
}

/// Whether one is written in Latin letters and the other in letters that we cannot compare with them.
fn scripts_differ(one: &[Word], other: &[Word]) -> bool {
    let is_latin = |words: &[Word]| {
        let plain = words.iter().filter(|word| word.kind == WordKind::Plain);
        let mut letters = plain.flat_map(|word| word.text.chars()).peekable();
        letters.peek()?;
        Some(letters.any(|c| c.is_ascii_alphabetic()))
    };
    matches!((is_latin(one), is_latin(other)), (Some(a), Some(b)) if a != b)
}
