//! What the parts of a house tell about two addresses, and whether a text has any.

use super::house_number::HouseNumber;
use super::reading::WrittenAddress;
use super::words::{Word, WordKind};

/// Whether a number is another with a letter that the other address gives as a unit.
pub(super) fn is_with_unit(
    whole: &HouseNumber,
    bare: &HouseNumber,
    address: &WrittenAddress,
) -> bool {
    let (HouseNumber::Single(whole), HouseNumber::Single(bare)) = (whole, bare) else {
        return false;
    };
    whole.strip_prefix(bare.as_str()).is_some_and(|letter| {
        !letter.is_empty()
            && !letter.starts_with(|c: char| c.is_ascii_digit())
            && address.has_unit(letter)
    })
}

/// Whether a number is the ground floor of another, whose address names a different floor or flat.
pub(super) fn is_ground_floor_of(
    whole: &HouseNumber,
    bare: &HouseNumber,
    address: &WrittenAddress,
) -> bool {
    let (HouseNumber::Single(whole), HouseNumber::Single(bare)) = (whole, bare) else {
        return false;
    };
    whole.strip_suffix('h') == Some(bare.as_str()) && !address.units.is_empty()
}

/// Whether one of two houses without numbers is a part of the other: `Manor Farm` and `Manor Farm Barns`.
pub(super) fn names_other_building(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> bool {
    const BUILDINGS: [&str; 12] = [
        "barn",
        "barns",
        "cottage",
        "cottages",
        "lodge",
        "stables",
        "mews",
        "annexe",
        "annex",
        "farmhouse",
        "outbuildings",
        "bungalow",
    ];
    let has = |address: &WrittenAddress, name: &str| {
        address.street.iter().chain(&address.places).any(|word| word.text == name)
    };
    matches!(region, Some("GB" | "IE"))
        && BUILDINGS.iter().any(|name| has(one, name) != has(other, name))
}

/// Whether a text has a sign of an address: a code, a city or a word for a street. `Open from 10 to 19` has none.
pub(super) fn names_place(address: &WrittenAddress) -> bool {
    let is_street = |word: &Word| {
        word.kind == WordKind::StreetType
            || STREET_ENDINGS.iter().any(|ending| word.text.ends_with(ending))
    };
    address.code.is_some()
        || address.cities().next().is_some()
        || address.has_town_behind
        || address.street.iter().chain(&address.places).any(is_street)
        || !address.street.iter().all(|word| word.text.is_ascii())
}

/// Endings of one word that stand for the type of the street, in the form in which words are compared.
const STREET_ENDINGS: [&str; 14] = [
    "street", "weg", "gasse", "gata", "vei", "vag", "plein", "laan", "lan", "gracht", "allee",
    "alle", "platz", "kade",
];
