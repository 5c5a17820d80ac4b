//! Postal addresses, compared by postal code, house number, street and city. There is no geocoder: what an
//! address leaves out is not looked up.

mod cities;
mod cleaning;
mod east_asian;
mod house_number;
mod house_position;
mod joined_numbers;
mod korean;
mod landmarks;
mod names;
mod native_street_types;
mod numbered_parts;
mod places;
mod postal_code;
mod reading;
mod roads;
mod romanise;
mod small_words;
mod sound;
mod street_language;
mod street_match;
mod street_types;
mod tokens;
mod towns;
mod translated;
mod unit_match;
mod unit_words;
mod units;
mod words;

use super::super::graph;
use super::super::json_ld;
use super::WrittenMatch;
use house_number::{HouseNumber, NumberMatch};
use reading::WrittenAddress;
use serde_json::Value;
use street_match::{StreetMatch, compare_words};
use towns::TownMatch;
use unit_match::compare_units;
use units::UnitKind;

pub(super) fn compare_addresses(
    published: &str,
    stated: &str,
    region: Option<&str>,
) -> WrittenMatch {
    let (one, other) = (cleaning::clean(&as_line(published)), cleaning::clean(&as_line(stated)));
    let upper = region.map(str::to_ascii_uppercase);
    let named = match (reading::country_of(&one), reading::country_of(&other)) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => a.or(b),
    };
    let region = upper.as_deref().or(named);
    let was_east_asian = (romanise::is_east_asian(&one), romanise::is_east_asian(&other));
    let (one, other) = in_one_script(one, other, region);
    let is_romanised = (
        was_east_asian.0 && !romanise::is_east_asian(&one),
        was_east_asian.1 && !romanise::is_east_asian(&other),
    );
    match (several(&one, region), several(&other, region)) {
        (None, None) => {}
        (ones, others) => {
            let read_one = |text: &str| reading::read(text, region).into_iter().collect();
            let ones = ones.unwrap_or_else(|| read_one(&one));
            let others = others.unwrap_or_else(|| read_one(&other));
            return super::compare_values(&ones, &others, |a, b| compare(a, b, region));
        }
    }
    let read = |text: &str, is_romanised: bool| {
        let mut address = reading::read(text, region)?;
        address.is_transliterated |= is_romanised;
        Some(address)
    };
    let (Some(a), Some(b)) = (read(&one, is_romanised.0), read(&other, is_romanised.1)) else {
        return WrittenMatch::Undecidable;
    };
    let result = compare(&a, &b, region);
    if result != WrittenMatch::Different {
        return result;
    }
    // `Plaza 66, 1266 Nanjing Road`: which number is that of the house is known from the other address.
    let read_again = |text: &str, wanted: &WrittenAddress, is_romanised: bool| {
        let Some(HouseNumber::Single(number)) = &wanted.number else { return None };
        let mut address = reading::read_with_number(text, region, number)?;
        address.is_transliterated |= is_romanised;
        Some(compare(wanted, &address, region))
    };
    let again = [read_again(&one, &b, is_romanised.0), read_again(&other, &a, is_romanised.1)];
    let found = |wanted: WrittenMatch| again.contains(&Some(wanted));
    if found(WrittenMatch::Equal) {
        WrittenMatch::Equal
    } else if found(WrittenMatch::Undecidable) {
        WrittenMatch::Undecidable
    } else {
        WrittenMatch::Different
    }
}

/// Both texts in Latin letters, if one of them is and the other can be written so.
fn in_one_script(one: String, other: String, region: Option<&str>) -> (String, String) {
    match (romanise::is_east_asian(&one), romanise::is_east_asian(&other)) {
        (true, false) => (romanise::romanised(&one, region).unwrap_or(one), other),
        (false, true) => {
            let romanised = romanise::romanised(&other, region);
            (one, romanised.unwrap_or(other))
        }
        _ => (one, other),
    }
}

/// The addresses of a text with a complete one on each of several lines, such as a list of branches.
fn several(text: &str, region: Option<&str>) -> Option<Vec<WrittenAddress>> {
    const MAX_ADDRESSES: usize = 8;
    const SEPARATORS: [&str; 9] =
        [" / ", " and ", " und ", " et ", " sowie ", " & ", " y ", " e ", ". "];
    let lines: Vec<&str> =
        text.split(['\n', ';', '|']).filter(|line| !line.trim().is_empty()).collect();
    // `London: 8 Clerkenwell Green, EC1R 0DE. Edinburgh: 20 Thistle Street, EH2 1EN`
    let lines = match lines.as_slice() {
        [line] => SEPARATORS
            .iter()
            .map(|separator| line.split(separator).collect::<Vec<&str>>())
            .find(|parts| (2..=MAX_ADDRESSES).contains(&parts.len()))
            .unwrap_or(lines),
        _ => lines,
    };
    if !(2..=MAX_ADDRESSES).contains(&lines.len()) {
        return None;
    }
    let is_complete = |address: &WrittenAddress| {
        address.number.is_some()
            && !address.street.is_empty()
            && (address.code.is_some() || address.cities().next().is_some())
    };
    let read = lines.iter().filter_map(|line| reading::read(line, region)).filter(is_complete);
    let mut found: Vec<WrittenAddress> = Vec::new();
    for address in read {
        let is_known =
            |known: &WrittenAddress| compare(known, &address, region) != WrittenMatch::Different;
        if !found.iter().any(is_known) {
            found.push(address);
        }
    }
    (found.len() >= 2).then_some(found)
}

/// The fields of a JSON address on one line; any other text as it is.
fn as_line(text: &str) -> String {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return text.to_owned();
    }
    let Ok((value, _)) = json_ld::parse_lenient(trimmed) else { return text.to_owned() };
    let mut value = &value;
    while let Some(inner) = match value {
        Value::Array(list) => list.first(),
        Value::Object(members) => members.get("address"),
        _ => None,
    } {
        value = inner;
    }
    let Some(members) = value.as_object() else {
        return value.as_str().unwrap_or_default().to_owned();
    };
    let fields =
        ["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];
    let parts = fields.iter().flat_map(|name| graph::values(members, name));
    parts.filter_map(graph::text).collect::<Vec<_>>().join(", ")
}

fn compare(one: &WrittenAddress, other: &WrittenAddress, region: Option<&str>) -> WrittenMatch {
    use WrittenMatch::{Different, Equal, Undecidable};
    let has_common_code = one.codes.iter().any(|code| other.codes.contains(code));
    if let (Some(a), Some(b)) = (one.country, other.country)
        && !are_related(a, b)
        && !has_common_code
    {
        return Different;
    }
    let has_house =
        |address: &WrittenAddress| address.number.is_some() && !address.street.is_empty();
    match (&one.post_box, &other.post_box) {
        (Some(a), Some(b)) if a != b => return Different,
        // Letters go to the box and visitors to the house; a box elsewhere is that of somebody else.
        (Some(_), None) | (None, Some(_)) if is_only_box(one) || is_only_box(other) => {
            let is_elsewhere = matches!((&one.code, &other.code), (Some(a), Some(b)) if a != b);
            let has_house = has_house(one) || has_house(other);
            return if is_elsewhere && has_house { Different } else { Undecidable };
        }
        _ => {}
    }
    let is_business_code = one.has_business_code || other.has_business_code;
    let same_code = match (&one.code, &other.code) {
        (Some(a), Some(b)) if a == b => true,
        (Some(a), Some(b)) if postal_code::may_be_same(a, b) => {
            a.starts_with(b.as_str()) || b.starts_with(a.as_str())
        }
        (Some(_), Some(_)) if has_common_code => true,
        (Some(_), Some(_)) if !is_business_code => return Different,
        _ => false,
    };
    let number = match (&one.number, &other.number) {
        // `Unit A, 12 Elm Road` and `12A Elm Road`.
        (Some(a), Some(b)) if is_with_unit(a, b, other) || is_with_unit(b, a, one) => {
            Some(NumberMatch::Same)
        }
        (Some(a), Some(b)) => Some(house_number::compare(a, b, region)),
        (None, None) => None,
        // `Unit 3B, The Maltings` and `3B The Maltings`.
        (Some(HouseNumber::Single(number)), None) if other.has_unit(number) => None,
        (None, Some(HouseNumber::Single(number))) if one.has_unit(number) => None,
        _ => return Undecidable,
    };
    if korean::is_lot(one) != korean::is_lot(other)
        && (korean::is_road(one) || korean::is_road(other))
    {
        return Undecidable;
    }
    // The same numbers in the same order, read in two ways.
    let are_same_numbers = one.numbers == other.numbers;
    let words = compare_words(one, other, region);
    let is_unreadable = words.street == StreetMatch::OtherScript;
    if is_unreadable && has_same_numbers(one, other) && !words.cities_differ {
        return Equal;
    }
    if number == Some(NumberMatch::Other) {
        return if are_same_numbers { Undecidable } else { Different };
    }
    if numbered_parts::differ(&one.numbered_parts, &other.numbered_parts) {
        return Different;
    }
    let states_differ = matches!((one.state, other.state), (Some(a), Some(b)) if a != b);
    if states_differ && !same_code || wards_differ(one, other) {
        return Different;
    }
    let units = compare_units(one, other);
    match (units, words.street) {
        (Different, _) => return Different,
        (_, StreetMatch::Other) if number.is_some() => return Different,
        _ => {}
    }
    let is_number_of_unit = one.number.is_some() != other.number.is_some();
    let has_unit = is_number_of_unit
        || one.units.iter().any(|unit| {
            matches!(unit.kind, UnitKind::Tenant | UnitKind::Home | UnitKind::Building)
                && other.has_unit(&unit.text)
        });
    if words.cities_differ && !same_code && (number.is_some() || has_unit) {
        return Different;
    }
    let is_doubtful = number == Some(NumberMatch::Unsure)
        || units == Undecidable
        || matches!(words.street, StreetMatch::Other | StreetMatch::Unsure);
    if is_doubtful {
        return Undecidable;
    }
    let is_post_box = one.post_box.is_some() && one.post_box == other.post_box;
    // Where houses have no numbers, the office or the shop has one.
    let has_number = number.is_some() || is_post_box || has_unit && words.is_contained;
    let same_place = if same_code {
        match words.street {
            StreetMatch::Same => number.is_some() || words.is_contained || is_post_box,
            // Their codes are for a few houses.
            StreetMatch::Missing => matches!(region, Some("NL" | "GB")) || is_post_box,
            StreetMatch::OtherScript => number.is_some(),
            StreetMatch::Other | StreetMatch::Unsure => false,
        }
    } else {
        let is_same_text = words.is_same_text && one.code.is_none() && other.code.is_none();
        words.street == StreetMatch::Same && (words.same_city || is_same_text) && has_number
    };
    if same_place && !same_code {
        match towns::compare(one, other, region) {
            TownMatch::Same => {}
            TownMatch::Unsure => return Undecidable,
            TownMatch::Other => return Different,
        }
    }
    if same_place && (same_code || !words.has_near_match) {
        Equal
    } else if words.cities_differ
        && !same_code
        && number.is_some()
        && words.street == StreetMatch::Same
    {
        Different
    } else {
        Undecidable
    }
}

/// Countries that are parts of each other, or that are called so.
fn are_related(one: &str, other: &str) -> bool {
    const GROUPS: [&[&str]; 8] = [
        &["CN", "HK", "TW", "MO"],
        &["GB", "IE", "JE", "GG", "IM"],
        &["US", "PR"],
        &["FR", "MC", "RE"],
        &["NL", "BE", "LU"],
        &["SG", "MY"],
        &["IL", "PS"],
        &["CH", "LI"],
    ];
    one == other || GROUPS.iter().any(|group| group.contains(&one) && group.contains(&other))
}

/// Whether an address has a post box and nothing that visitors would find.
fn is_only_box(address: &WrittenAddress) -> bool {
    address.post_box.is_some() && address.number.is_none() && address.units.is_empty()
}

/// Whether a number is another with a letter that the other address gives as a unit.
fn is_with_unit(whole: &HouseNumber, bare: &HouseNumber, address: &WrittenAddress) -> bool {
    let (HouseNumber::Single(whole), HouseNumber::Single(bare)) = (whole, bare) else {
        return false;
    };
    whole.strip_prefix(bare.as_str()).is_some_and(|letter| {
        !letter.is_empty()
            && !letter.starts_with(|c: char| c.is_ascii_digit())
            && address.has_unit(letter)
    })
}

/// Whether two addresses have the same numbers, several of them, in whatever order.
fn has_same_numbers(one: &WrittenAddress, other: &WrittenAddress) -> bool {
    let sorted = |address: &WrittenAddress| {
        let mut numbers = address.numbers.clone();
        numbers.sort_unstable();
        numbers
    };
    one.numbers.len() >= 2 && sorted(one) == sorted(other)
}

fn wards_differ(one: &WrittenAddress, other: &WrittenAddress) -> bool {
    let is_elsewhere = |wards: &[String], address: &WrittenAddress| {
        let words = || address.street.iter().chain(&address.places).map(|word| &word.text);
        wards.iter().all(|ward| !address.wards.contains(ward) && !words().any(|word| word == ward))
    };
    !one.wards.is_empty()
        && !other.wards.is_empty()
        && is_elsewhere(&one.wards, other)
        && is_elsewhere(&other.wards, one)
}
