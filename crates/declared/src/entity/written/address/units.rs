//! Numbers of flats, suites, floors and post boxes, and numbers of blocks.

use super::house_position::is_number_mark;
use super::tokens::Token;
use super::unit_words::{
    is_building, is_floor, is_home, is_ordinary_word, is_stairs, is_unit_word, side,
};

/// What the number of a part of a building tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// An office or a shop.
    Tenant,
    /// One of many flats.
    Home,
    Floor,
    Building,
    Stairs,
    /// Left or right on a floor.
    Side,
    /// A number behind the house number that nobody explains.
    Unnamed,
}

/// The number of a part of a building.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) kind: UnitKind,
}

impl Unit {
    /// A number that stands with the number of the house: `30/2`.
    pub(super) fn beside_house_number(text: String, region: Option<&str>) -> Self {
        let is_office = matches!(region, Some("AU" | "NZ" | "CA" | "MX"));
        Self { text, kind: if is_office { UnitKind::Tenant } else { UnitKind::Home } }
    }

    pub(super) fn unnamed(text: &str) -> Self {
        Self { text: unit_text(text), kind: UnitKind::Unnamed }
    }

    fn named(text: &str, word: &str) -> Self {
        let kind = match word {
            _ if is_floor(word) => UnitKind::Floor,
            _ if is_building(word) => UnitKind::Building,
            _ if is_stairs(word) => UnitKind::Stairs,
            _ if is_home(word) => UnitKind::Home,
            _ => UnitKind::Tenant,
        };
        Self { text: unit_text(text), kind }
    }
}

/// Takes the numbers of parts of a building out of the tokens.
pub(super) fn take_units(tokens: &mut Vec<Token>, region: Option<&str>) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut at = 0;
    let mut has_number = false;
    while let Some(token) = tokens.get(at) {
        let is_short_word = is_ordinary_word(&token.text);
        if token.is_number || !is_unit_word(&token.text, region) {
            has_number |= token.is_number;
            at += 1;
            continue;
        }
        // `Shop 3/45 Smith Street`, and blocks of Singapore, which are houses.
        let next = tokens.get(at + 1).map_or("", |next| next.text.as_str());
        let is_house = match region {
            Some("AU" | "NZ") => next.contains('/'),
            Some("SG") => matches!(token.text.as_str(), "blk" | "block"),
            _ => false,
        };
        if is_house {
            tokens.remove(at);
            continue;
        }
        // A number sign before everything else marks the house number.
        if token.text == "#" && !has_number && (at == 0 || !has_other_number(tokens, at, region)) {
            tokens.remove(at);
            continue;
        }
        if let Some(side) = side(&token.text).filter(|_| has_number) {
            units.push(Unit { text: side.to_owned(), kind: UnitKind::Side });
            tokens.remove(at);
            continue;
        }
        let segment = token.segment;
        let mark = usize::from(tokens.get(at + 1).is_some_and(|next| is_number_mark(&next.text)));
        let value = tokens.get(at + 1 + mark).filter(|value| {
            // `B`, `B2`, `G05`
            let is_code = value.text.len() <= 4
                && value.text.bytes().skip(1).all(|b| b.is_ascii_digit())
                && value.text.starts_with(|c: char| c.is_ascii_lowercase());
            (value.is_number || is_code) && value.segment == segment
        });
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).filter(|before| {
            // A second number before the word for a floor: `Rua A 12, 4 andar`.
            let is_second = tokens.iter().take(at - 1).any(|token| token.is_number);
            // `First Floor`
            let is_word = super::street_types::ordinal(&before.text).is_some();
            before.segment == segment
                && (is_word || before.is_number && (is_floor_number(before) || is_second))
        });
        if let Some(value) = before.filter(|_| is_floor(&token.text)) {
            let number = floor_ordinal(&value.text);
            let text = number.map_or_else(|| value.text.clone(), |number| number.to_string());
            units.push(Unit::named(&text, &token.text));
            tokens.drain(at - 1..=at);
            at -= 1;
        } else if let Some(value) = value {
            // `#12-08` is flat 8 on floor 12.
            let parts = value.text.split('-').filter(|_| token.text == "#" && region == Some("SG"));
            let mut parts: Vec<&str> = parts.collect();
            if parts.is_empty() {
                parts.push(&value.text);
            }
            units.extend(parts.iter().map(|part| Unit::named(part, &token.text)));
            tokens.drain(at..at + 2 + mark);
        } else if is_short_word {
            at += 1;
        } else {
            tokens.remove(at);
        }
    }
    units
}

/// Whether there is a number behind the one that a sign marks, which may be that of the house.
fn has_other_number(tokens: &[Token], at: usize, region: Option<&str>) -> bool {
    matches!(region, None | Some("US" | "CA" | "AU" | "NZ" | "GB" | "SG" | "IE"))
        && tokens.iter().skip(at + 2).any(|token| token.is_number)
}

/// `3rd`, `2.`
fn is_floor_number(token: &Token) -> bool {
    token.is_dotted || floor_ordinal(&token.text).is_some()
}

/// `3rd`, and Romance ordinals with an ordinary letter behind the number: `4o`, `2a`.
fn floor_ordinal(text: &str) -> Option<u32> {
    super::street_types::ordinal(text).or_else(|| {
        let digits = text.strip_suffix(['o', 'a', 'e'])?;
        (digits.len() <= 2).then(|| digits.parse().ok())?
    })
}

/// The digits of an ordinal, any other number as it is.
fn unit_text(text: &str) -> String {
    let text = match super::street_types::ordinal(text) {
        Some(number) => number.to_string(),
        None => text.to_owned(),
    };
    let bare = text.trim_start_matches('0');
    if bare.is_empty() { text } else { bare.to_owned() }
}

/// Takes the number of a post box out of the tokens.
pub(super) fn take_post_box(tokens: &mut Vec<Token>, region: Option<&str>) -> Option<String> {
    let is_numbered = |at: usize| {
        let mark = tokens.get(at);
        let number = tokens.get(at + 1).filter(|next| next.is_number);
        number.is_some_and(|number| mark.is_some_and(|mark| mark.segment == number.segment))
    };
    let at = tokens.iter().enumerate().position(|(at, token)| {
        let next = |n: usize| tokens.get(at + n).map_or("", |next| next.text.as_str());
        match token.text.as_str() {
            "pobox" | "postfach" | "postbus" | "postboks" | "apartado" | "postilokero"
            | "postafiok" | "pob" | "postkasse" | "pfach" | "postlada" | "apdo" | "gpobox" => true,
            "pf" => matches!(region, Some("DE" | "AT" | "CH" | "HU")) && is_numbered(at),
            "pl" => region == Some("FI") && token.is_capital && is_numbered(at),
            "tsa" => region == Some("FR") && token.is_capital && is_numbered(at),
            "pk" => region == Some("TR") && is_numbered(at),
            "cp" => {
                matches!(region, Some("CA" | "IT" | "CH" | "BR"))
                    && token.is_capital
                    && is_numbered(at)
                    // Elsewhere it stands before a postal code.
                    && tokens.get(at + 1).is_some_and(|next| next.text.len() <= 4)
            }
            // `а/я`
            "a" => matches!(region, Some("RU" | "UA" | "BY" | "KZ")) && next(1) == "ya",
            "po" | "gpo" | "locked" | "private" => matches!(next(1), "box" | "bag"),
            "p" => next(1) == "o" && next(2) == "box",
            "bp" => {
                region.is_none_or(|region| matches!(region, "FR" | "BE" | "LU" | "MA" | "SN"))
                    && token.is_capital
            }
            "casella" | "caixa" => next(1) == "postale" || next(1) == "postal",
            "box" => {
                matches!(region, Some("SE" | "US" | "AU"))
                    && tokens.get(at + 1).is_some_and(|next| next.is_number)
            }
            "skr" | "skrytka" => next(1).starts_with("poczt"),
            _ => false,
        }
    })?;
    // `Private Bag X12`
    let is_value = |token: &Token| {
        let digits = token.text.strip_prefix('x').unwrap_or_default();
        token.is_number || !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let words = tokens.iter().skip(at).take_while(|token| !is_value(token)).count();
    // The next part has the number of the house.
    let segment = tokens.get(at + words).map(|token| token.segment);
    let is_of_box = |token: &&Token| is_value(token) && Some(token.segment) == segment;
    let numbers = tokens.iter().skip(at + words).take_while(is_of_box).count();
    let number: String =
        tokens.iter().skip(at + words).take(numbers).map(|token| token.text.as_str()).collect();
    if number.is_empty() || words > 4 {
        return None;
    }
    tokens.drain(at..at + words + numbers);
    Some(number)
}
