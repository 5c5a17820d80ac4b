//! Postal addresses, compared by postal code, house number, street and city. There is no geocoder: what an
//! address leaves out is not looked up.

mod candidates;
mod cities;
mod cleaning;
mod counties;
mod east_asian;
mod hong_kong;
mod house_number;
mod house_parts;
mod house_position;
mod introduced_town;
mod japanese;
mod joined_numbers;
mod korean;
mod landmarks;
mod moves;
mod names;
mod native_street_types;
mod numbered_parts;
mod other_name;
mod places;
mod postal_code;
mod reading;
mod renamed;
mod roads;
mod romanise;
mod sentence;
mod several;
mod small_towns;
mod small_words;
mod sound;
mod street_language;
mod street_match;
mod street_types;
mod structured;
mod tokens;
mod towns;
mod translated;
mod two_languages;
mod unit_match;
mod unit_words;
mod units;
mod words;

use super::WrittenMatch;
use house_number::{HouseNumber, NumberMatch};
use house_parts::{is_ground_floor_of, is_with_unit, names_other_building, names_place};
use reading::WrittenAddress;
use street_match::{StreetMatch, compare_words};
use structured::as_line;
use towns::TownMatch;
use unit_match::compare_units;
use units::UnitKind;

pub(super) fn compare_addresses(
    published: &str,
    stated: &str,
    region: Option<&str>,
) -> WrittenMatch {
    let (published, stated) = (as_line(published), as_line(stated));
    let upper = region.map(str::to_ascii_uppercase);
    let is_japanese = |text: &str| japanese::is_japanese(text, upper.as_deref());
    let is_native = (is_japanese(&published), is_japanese(&stated));
    let is_elsewhere = match is_native {
        (true, true) => return japanese::compare(&published, &stated),
        (true, false) => japanese::contradicts_latin(&published, &stated),
        (false, true) => japanese::contradicts_latin(&stated, &published),
        (false, false) => false,
    };
    if is_elsewhere {
        return WrittenMatch::Different;
    }
    let is_lot = is_native.0 && japanese::is_lot_of(&published, &stated)
        || is_native.1 && japanese::is_lot_of(&stated, &published);
    if is_lot {
        return WrittenMatch::Equal;
    }
    let house = |text: String, is_native: bool| {
        if !is_native {
            return text;
        }
        japanese::without_building(&text).unwrap_or(text)
    };
    let (published, stated) = (house(published, is_native.0), house(stated, is_native.1));
    let plain = |text: &str| {
        let text = sentence::in_parts(&cleaning::clean(text), upper.as_deref());
        let text = korean::plain_writing(&text);
        cleaning::join_neighbours(text, region)
    };
    let (one, other) = (plain(&published), plain(&stated));
    // The words of the whole sentence tell whether it names several houses.
    if let (Some(a), Some(b)) =
        (reading::read(&one, upper.as_deref()), reading::read(&other, upper.as_deref()))
    {
        let is_unsure = |text: &str, a: &WrittenAddress, b: &WrittenAddress| {
            candidates::names_several(text, a, b) || moves::tells_of_move(text, a, b)
        };
        if is_unsure(&published, &a, &b) != is_unsure(&stated, &b, &a) {
            return WrittenMatch::Undecidable;
        }
    }
    let found = compare_texts(&one, &other, region);
    if found == WrittenMatch::Equal {
        return found;
    }
    let region = region.map(str::to_ascii_uppercase);
    let is_equal = |one: &str, other: &str| {
        compare_texts(one, other, region.as_deref()) == WrittenMatch::Equal
    };
    let named = |text: &str| other_name::with_one_name(text, region.as_deref());
    let is_same = named(&one).is_some_and(|names| names.iter().any(|one| is_equal(one, &other)))
        || named(&other).is_some_and(|names| names.iter().any(|other| is_equal(&one, other)));
    if is_same { WrittenMatch::Equal } else { found }
}

fn compare_texts(one: &str, other: &str, region: Option<&str>) -> WrittenMatch {
    let (one, other) = (one.to_owned(), other.to_owned());
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
    let are_same =
        |a: &WrittenAddress, b: &WrittenAddress| compare(a, b, region) != WrittenMatch::Different;
    let several = |text: &str| several::addresses(text, region, are_same);
    match (several(&one), several(&other)) {
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
    if region == Some("KR") && korean::are_in_other_alleys((&one, &a), (&other, &b)) {
        return WrittenMatch::Different;
    }
    let result = compare(&a, &b, region);
    if result != WrittenMatch::Different {
        return result;
    }
    if several::lists_town_of(&a, &b) || several::lists_town_of(&b, &a) {
        return WrittenMatch::Undecidable;
    }
    // `Plaza 66, 1266 Nanjing Road`: which number is that of the house is known from the other address.
    let read_again = |text: &str, wanted: &WrittenAddress, is_romanised: bool| {
        let number = match &wanted.number {
            Some(HouseNumber::Single(number)) => number.clone(),
            Some(HouseNumber::Range(low, high)) => format!("{low}-{high}"),
            _ => return None,
        };
        let mut address = reading::read_with_number(text, region, &number)?;
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

fn compare(one: &WrittenAddress, other: &WrittenAddress, region: Option<&str>) -> WrittenMatch {
    use WrittenMatch::{Different, Equal, Undecidable};
    let has_common_code = one.codes.iter().any(|code| other.codes.contains(code));
    let is_elsewhere = |named: &WrittenAddress, other: &WrittenAddress| {
        let here = other.country.or(region.filter(|_| named.ends_with_country));
        matches!((named.country, here), (Some(a), Some(b)) if !are_related(a, b))
    };
    if !has_common_code && (is_elsewhere(one, other) || is_elsewhere(other, one)) {
        return Different;
    }
    match (&one.post_box, &other.post_box) {
        (Some(a), Some(b)) if a != b => return Different,
        (Some(_), None) | (None, Some(_)) if is_only_box(one) || is_only_box(other) => {
            // Letters go to the box and visitors to the house: both may be right.
            return Undecidable;
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
        // `100-H` and `100-2`: the ground floor and another one.
        (Some(a), Some(b))
            if region == Some("NL")
                && (is_ground_floor_of(a, b, other) || is_ground_floor_of(b, a, one)) =>
        {
            Some(NumberMatch::Other)
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
    // The numbers of quarter, block and house are enough, whatever floors are named beside them.
    let is_same_block = region == Some("JP")
        && number == Some(NumberMatch::Same)
        && matches!(&one.number, Some(HouseNumber::Blocks(parts)) if parts.len() >= 2);
    if is_unreadable && (is_same_block || has_same_numbers(one, other)) && !words.cities_differ {
        return Equal;
    }
    if number == Some(NumberMatch::Other) {
        let is_nowhere = !names_place(one) || !names_place(other);
        let is_other_text = is_nowhere && words.street != StreetMatch::Same;
        return if are_same_numbers || is_other_text { Undecidable } else { Different };
    }
    if numbered_parts::differ(&one.numbered_parts, &other.numbered_parts) {
        return Different;
    }
    let states_differ = matches!((one.state, other.state), (Some(a), Some(b)) if a != b);
    if states_differ && !same_code || wards_differ(one, other) {
        return Different;
    }
    let units = compare_units(one, other);
    let has_no_number = |address: &WrittenAddress| matches!(&address.number, Some(HouseNumber::Single(number)) if number == "sn");
    match (units, words.street) {
        (Different, _) => return Different,
        // A house without a number may be called by the road or by its hamlet.
        (_, StreetMatch::Other) if has_no_number(one) != has_no_number(other) => {
            return Undecidable;
        }
        (_, StreetMatch::Other) if !names_place(one) || !names_place(other) => return Undecidable,
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
    if same_place && same_code && !words.same_city && towns::share_code(one, other, region) {
        return Undecidable;
    }
    // A shop in a centre, and the centre alone.
    let is_whole =
        one.units.is_empty() != other.units.is_empty() && !is_post_box && !is_number_of_unit;
    if same_place && number.is_none() && (is_whole || names_other_building(one, other, region)) {
        return Undecidable;
    }
    let is_in_other_town = !same_code
        && (words.cities_differ && number.is_some()
            || number == Some(NumberMatch::Same)
                && !words.same_city
                && towns::are_others(one, other, region));
    if same_place && (same_code || !words.has_near_match) {
        Equal
    } else if is_in_other_town && words.street == StreetMatch::Same {
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

/// Whether two addresses have the same numbers, several of them. The floor or the ward may come first or last,
/// and some write from the house to the country.
fn has_same_numbers(one: &WrittenAddress, other: &WrittenAddress) -> bool {
    let (a, b) = (&one.numbers, &other.numbers);
    let is_rotated = |by: usize| a.iter().cycle().skip(by).take(a.len()).eq(b);
    a.len() >= 2
        && a.len() == b.len()
        && (a.iter().rev().eq(b) || (0..a.len().min(8)).any(is_rotated))
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
