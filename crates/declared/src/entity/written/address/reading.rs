//! Reads an address in one of many writings into its parts.

use super::house_number::{self, HouseNumber};
use super::house_position::{
    house_number_position, is_addition, is_name_number, is_number_first, is_number_mark,
    street_segment,
};
use super::joined_numbers;
use super::landmarks;
use super::numbered_parts::numbered_parts;
use super::places::{take_places, wards};
use super::postal_code;
use super::roads;
use super::small_words::is_small_word;
use super::street_types::{direction, is_english, ordinal, street_type};
use super::tokens::{Token, tokenize};
use super::units::{self, Unit};
use super::words::{Word, WordKind, street_word};

/// The parts of an address, as far as they are stated.
#[derive(Debug, Default)]
pub(super) struct WrittenAddress {
    pub(super) country: Option<&'static str>,
    /// Whether the country is the last part.
    pub(super) ends_with_country: bool,
    pub(super) state: Option<&'static str>,
    /// A county of Ireland.
    pub(super) county: Option<String>,
    pub(super) code: Option<String>,
    /// Whether the postal code is that of a business and not of a district.
    pub(super) has_business_code: bool,
    pub(super) number: Option<HouseNumber>,
    /// Numbers of flats, suites and floors.
    pub(super) units: Vec<Unit>,
    /// The number of a post box.
    pub(super) post_box: Option<String>,
    pub(super) street: Vec<Word>,
    /// All other words: cities, districts, names of buildings.
    pub(super) places: Vec<Word>,
    /// Whether it was written in letters other than Latin ones.
    pub(super) is_transliterated: bool,
    /// All numbers but the postal code, with the letters behind them.
    pub(super) numbers: Vec<String>,
    /// Wards of a Japanese city.
    pub(super) wards: Vec<String>,
    /// Sectors, phases and the like, with their numbers.
    pub(super) numbered_parts: Vec<(&'static str, String)>,
    /// All numbers that have the form of a postal code.
    pub(super) codes: Vec<String>,
    /// Whether what follows the street is a few names and nothing else, as that of a town.
    pub(super) has_town_behind: bool,
    /// The language of the word for the street.
    pub(super) tongue: Option<&'static str>,
    /// Words of a larger town that the town of the address is near to: `Garching bei München`.
    pub(super) near: Vec<String>,
}

impl WrittenAddress {
    pub(super) fn has_unit(&self, number: &str) -> bool {
        self.units.iter().any(|unit| unit.text == number)
    }

    pub(super) fn cities(&self) -> impl Iterator<Item = &str> {
        let words = self.street.iter().chain(&self.places);
        words.filter(|word| word.kind == WordKind::City).map(|word| word.text.as_str())
    }
}

/// The country that a text names.
pub(super) fn country_of(text: &str) -> Option<&'static str> {
    let mut tokens = tokenize(text)?;
    take_places(&mut tokens, None).country
}

/// Reads an address. None if the text is none.
pub(super) fn read(text: &str, region: Option<&str>) -> Option<WrittenAddress> {
    read_with(text, region, None)
}

/// Reads an address with a number that shall be that of the house. None if it does not have this number.
pub(super) fn read_with_number(
    text: &str,
    region: Option<&str>,
    number: &str,
) -> Option<WrittenAddress> {
    read_with(text, region, Some(number))
}

fn read_with(text: &str, region: Option<&str>, wanted: Option<&str>) -> Option<WrittenAddress> {
    let mut tokens = tokenize(&super::east_asian::with_block_numbers(text))?;
    joined_numbers::mark_missing_number(&mut tokens);
    joined_numbers::read_number_words(&mut tokens);
    joined_numbers::join_block_numbers(&mut tokens);
    if region == Some("US") {
        joined_numbers::join_grid_numbers(&mut tokens);
        joined_numbers::name_sixth_avenue(&mut tokens);
    }
    joined_numbers::join_kilometres(&mut tokens);
    joined_numbers::join_fractions(&mut tokens);
    if is_number_first(region) {
        roads::name_highways(&mut tokens);
    }
    roads::shorten_roads(&mut tokens, region);
    if matches!(region, Some("RU" | "UA" | "BY" | "KZ" | "BG")) {
        // `г. Москва`, `д. 5`: marks of a town and a house.
        let is_mark =
            |text: &str| matches!(text, "g" | "gr" | "m" | "d" | "gorod" | "misto" | "bud");
        tokens.retain(|token| !is_mark(&token.text) || token.is_number);
    }
    joined_numbers::expand_short_units(&mut tokens, region);
    match region {
        Some("DE") => joined_numbers::join_squares(&mut tokens),
        Some("CO") => joined_numbers::name_numbered_streets(&mut tokens),
        Some("IN" | "PK" | "BD" | "LK" | "NP") => joined_numbers::expand_south_asian(&mut tokens),
        _ => {}
    }
    if region == Some("NL") {
        joined_numbers::join_ground_floor(&mut tokens);
    }
    landmarks::drop_contact(&mut tokens);
    landmarks::drop_distances(&mut tokens);
    landmarks::drop_landmarks(&mut tokens);
    let near = landmarks::towns_near(&tokens, region);
    let is_transliterated =
        text.chars().any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{4ff}'));
    let mut address = WrittenAddress { is_transliterated, near, ..WrittenAddress::default() };
    address.tongue = super::two_languages::tongue(&tokens);
    address.codes = postal_code::find_all(&tokens, region);
    if let Some(found) = postal_code::find(&tokens, region) {
        let segment = tokens.get(found.first).map(|token| token.segment);
        address.code = Some(found.code);
        postal_code::remove(&mut tokens, found.first, found.count, region);
        // Numbers behind a city are districts of it.
        let district = |token: &Token| {
            let is_short = token.text.len() <= 2 || ordinal(&token.text).is_some();
            token.is_number && Some(token.segment) == segment && is_short
        };
        let behind: Vec<Token> = tokens.split_off(found.first.min(tokens.len()));
        let has_word = behind.iter().take_while(|token| !token.is_number).count() > 0;
        tokens.extend(behind.into_iter().filter(|token| !(has_word && district(token))));
    }
    if address.code.is_none() {
        address.code = postal_code::district_code(&tokens, region);
    }
    address.has_business_code = drop_cedex(&mut tokens);
    address.numbers = numbers_in_order(&tokens);
    address.post_box = units::take_post_box(&mut tokens, region);
    address.wards = wards(&tokens);
    address.numbered_parts = numbered_parts(&tokens, region);
    address.county = super::counties::take_county(&mut tokens, region);
    let named = take_places(&mut tokens, region);
    address.country = named.country;
    address.ends_with_country = named.ends_with_country;
    address.state = named.state;
    address.units = units::take_units(&mut tokens, region);
    read_numbers(&tokens, region, wanted, &mut address)?;
    address.places.extend(named.cities);
    let is_empty = address.street.is_empty()
        && address.places.is_empty()
        && address.code.is_none()
        && address.post_box.is_none();
    (!is_empty).then_some(address)
}

/// The numbers of an address as they follow each other, whatever they are.
fn numbers_in_order(tokens: &[Token]) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let follows_number = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| before.is_number && before.segment == token.segment);
        let is_letter = token.text.len() == 1 || matches!(token.text.as_str(), "bis" | "ter");
        let digits = token.text.trim_start_matches(|c: char| !c.is_ascii_digit());
        if is_letter && follows_number && !token.is_number {
            numbers.push(token.text.clone());
        } else {
            let parts = digits.split(|c: char| !c.is_ascii_alphanumeric());
            numbers.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
        }
    }
    numbers
}

/// Takes the house number with its street; all other words are places.
fn read_numbers(
    tokens: &[Token],
    region: Option<&str>,
    wanted: Option<&str>,
    address: &mut WrittenAddress,
) -> Option<()> {
    let at = match wanted {
        Some(wanted) => {
            // `12 A`, and the first number of a range.
            let is_wanted = |(at, token): (usize, &Token)| {
                let is_range = |text: &str| {
                    text.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('-'))
                };
                let letter = tokens.get(at + 1).filter(|next| next.text.len() == 1);
                let is_with_letter = letter.is_some_and(|letter| {
                    wanted.strip_prefix(token.text.as_str()) == Some(letter.text.as_str())
                });
                token.is_number && (token.text == wanted || is_range(&token.text) || is_with_letter)
            };
            Some(tokens.iter().enumerate().position(is_wanted)?)
        }
        None => house_number_position(tokens, region),
    };
    let Some(at) = at else {
        let all: Vec<&Token> = tokens.iter().collect();
        address.places = to_words(&all, region);
        return Some(());
    };
    let mut text = tokens.get(at).map(|token| token.text.clone()).unwrap_or_default();
    let segment = tokens.get(at).map_or(0, |token| token.segment);
    // `12 bis`, `5 B`
    let addition = tokens.get(at + 1).filter(|next| {
        let after = tokens.get(at + 2).filter(|after| after.segment == segment);
        // `18b i Oslo` has its letter already.
        let is_bare = text.ends_with(|c: char| c.is_ascii_digit());
        is_bare && next.segment == segment && is_addition(next, after, region)
    });
    let has_addition = addition.is_some();
    if let Some(addition) = addition {
        text.push_str(&addition.text);
    }
    let (number, units) = house_number::read(&text, region);
    address.number = Some(number);
    address.units.extend(units.into_iter().map(|unit| Unit::beside_house_number(unit, region)));
    let behind = at + 1 + usize::from(has_addition);
    let rest: Vec<&Token> = tokens.iter().skip(behind).collect();
    let before: Vec<&Token> = tokens.iter().take(at).collect();
    let is_street = street_segment(&before, &rest, segment, region);
    let (mut street, mut places): (Vec<&Token>, Vec<&Token>) = (Vec::new(), Vec::new());
    for (token, is_before) in
        before.iter().map(|token| (*token, true)).chain(rest.iter().map(|token| (*token, false)))
    {
        let is_plain_number = token.is_number && !is_name_number(token);
        let is_letter = token.text.len() == 1 && !is_street(token, is_before);
        // `33-II` is the second floor of 33 in Amsterdam.
        let is_roman = region == Some("NL")
            && !is_before
            && token.segment == segment
            && token.text.starts_with(['i', 'v'])
            && ordinal(&token.text).is_some();
        if !is_before && (is_plain_number || is_letter || is_roman) {
            address.units.push(Unit::unnamed(&token.text));
        } else if is_street(token, is_before) {
            street.push(token);
        } else {
            places.push(token);
        }
    }
    address.street = to_words(&street, region);
    address.places = to_words(&places, region);
    let street_segment = street.first().map_or(segment, |token| token.segment);
    let is_behind = |token: &&&Token| token.segment > segment.max(street_segment);
    let names: Vec<&&Token> = places
        .iter()
        .filter(is_behind)
        .filter(|token| !is_small_word(&token.text, region))
        .collect();
    address.has_town_behind =
        (1..=3).contains(&names.len()) && names.iter().all(|token| token.is_name);
    Some(())
}

fn to_words(tokens: &[&Token], region: Option<&str>) -> Vec<Word> {
    tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| {
            let is_last = tokens.get(at + 1).is_none_or(|next| next.segment != token.segment);
            // `3rd Ave N` is no street without a number.
            let is_mark = is_number_mark(&token.text)
                && is_last
                && !(is_english(region) && direction(&token.text, region).is_some());
            !is_mark && !is_small_word(&token.text, region)
        })
        .map(|(at, token)| {
            let next = tokens.get(at + 1).filter(|next| next.segment == token.segment);
            let next = next.filter(|_| !ends_street(tokens, at, region));
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let begins = before.is_none_or(|before| before.segment != token.segment);
            // `Galleria V. Emanuele`: only at the beginning the letter is a street.
            if token.text == "v" && token.is_dotted && !begins {
                return Word { is_short: true, ..Word::new("v", WordKind::Plain) };
            }
            street_word(token, next.map(|next| next.text.as_str()), region)
        })
        .collect()
}

/// Whether `St` or `Dr` is the type of the street before it, though a city follows without a comma.
fn ends_street(tokens: &[&Token], at: usize, region: Option<&str>) -> bool {
    let Some(token) = tokens.get(at).filter(|token| matches!(token.text.as_str(), "st" | "dr"))
    else {
        return false;
    };
    let is_here = |other: &&&Token| other.segment == token.segment;
    let is_type = |other: &&Token| street_type(&other.text, region).is_some();
    let before = at.checked_sub(1).and_then(|before| tokens.get(before)).filter(is_here);
    let is_name = before.is_some_and(|before| {
        !is_type(before)
            && !is_small_word(&before.text, region)
            && direction(&before.text, region).is_none()
            && (!before.is_number || is_name_number(before))
    });
    is_english(region) && is_name && !tokens.iter().skip(at + 1).filter(is_here).any(is_type)
}

/// French businesses have postal codes of their own.
fn drop_cedex(tokens: &mut Vec<Token>) -> bool {
    let Some(at) = tokens.iter().position(|token| matches!(token.text.as_str(), "cedex" | "cs"))
    else {
        return false;
    };
    let has_number = tokens.get(at + 1).is_some_and(|next| next.is_number);
    tokens.drain(at..at + 1 + usize::from(has_number));
    true
}
