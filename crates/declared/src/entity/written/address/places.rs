//! Finds the names of countries, states, cities and wards in an address.

use super::names::{self, PlaceName};
use super::street_types::{direction, street_type};
use super::tokens::{Token, comparable};
use super::words::{Word, WordKind};

/// Whether a city is the name of a street that has its type before it: `12 rue de Lyon`.
fn names_street(tokens: &[Token], at: usize, region: Option<&str>) -> bool {
    let Some(segment) = tokens.get(at).map(|token| token.segment) else { return false };
    let before: Vec<&Token> =
        tokens.iter().take(at).filter(|token| token.segment == segment).collect();
    let is_type = |token: &&Token| street_type(&token.text, region).is_some();
    let words = || before.iter().filter(|token| !token.is_number);
    let is_preposition = before.last().is_some_and(|token| {
        matches!(token.text.as_str(), "de" | "du" | "d" | "di" | "da" | "do" | "del" | "of" | "des")
    });
    match words().count() {
        0 => false,
        1 => words().any(is_type),
        _ => is_preposition && words().next().is_some_and(is_type),
    }
}

/// Whether a city is the name of the street whose type follows: `Nanjing East Road`.
fn gives_name(tokens: &[Token], next: usize, segment: usize, region: Option<&str>) -> bool {
    // There the type comes before the name, and a street may follow its city without a comma.
    if matches!(
        region,
        Some("FR" | "IT" | "ES" | "PT" | "BR" | "MX" | "AR" | "CL" | "CO" | "PE" | "BE")
    ) {
        return false;
    }
    let here = |at: usize| tokens.get(at).filter(|token| token.segment == segment);
    let is_type =
        |at: usize| here(at).is_some_and(|token| street_type(&token.text, region).is_some());
    let is_direction = here(next).is_some_and(|token| direction(&token.text, region).is_some());
    is_type(next) || is_direction && is_type(next + 1)
}

/// The countries, states and cities that an address names.
#[derive(Debug, Default)]
pub(super) struct NamedPlaces {
    pub(super) country: Option<&'static str>,
    /// Whether the country is the last part of the address: a town in the middle may have the name of one.
    pub(super) ends_with_country: bool,
    pub(super) state: Option<&'static str>,
    pub(super) cities: Vec<Word>,
}

/// Takes names of countries, states and cities out of the tokens.
pub(super) fn take_places(tokens: &mut Vec<Token>, region: Option<&str>) -> NamedPlaces {
    let mut places = NamedPlaces::default();
    take_places_once(tokens, region, &mut places);
    let ends_with_country = places.ends_with_country;
    // A city is at the end of its part only when the state behind it was taken: `Main St Denver CO`.
    take_places_once(tokens, region, &mut places);
    NamedPlaces { ends_with_country, ..places }
}

fn take_places_once(
    tokens: &mut Vec<Token>,
    region: Option<&str>,
    NamedPlaces { country, ends_with_country, state, cities }: &mut NamedPlaces,
) {
    let first_segment = tokens.first().map_or(0, |token| token.segment);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_behind =
            token.segment > first_segment || tokens.iter().take(at).any(|t| t.is_number);
        let found = names::names(&token.text).iter().find(|(rest, place)| {
            let words = tokens.iter().skip(at + 1).map(|token| comparable(&token.text));
            let follows = rest.iter().cloned().eq(words.take(rest.len()));
            // A street may be called after a city, and Georgia Street is in no Georgia.
            let end = tokens.get(at + 1 + rest.len());
            let is_end = end.is_none_or(|end| end.segment != token.segment || end.is_number);
            let begins = at
                .checked_sub(1)
                .and_then(|before| tokens.get(before))
                .is_none_or(|before| before.segment != token.segment);
            let has_city = at > 0;
            let is_street_name = is_end && names_street(tokens, at, region);
            follows
                && match place {
                    PlaceName::Country(_) => is_end && is_behind && has_city,
                    // In Canada it is a city.
                    PlaceName::State("vic") if !matches!(region, None | Some("AU")) => false,
                    PlaceName::State(_) => is_end && is_behind && (begins || has_city),
                    // A city that stands alone before everything else: `Shanghai, Huangpu District`.
                    PlaceName::City(_) => {
                        let is_first = begins
                            && end.is_none_or(|end| end.segment != token.segment)
                            && (end.is_some() || at == 0);
                        (is_behind || is_first)
                            && (begins || is_end)
                            && !is_street_name
                            && !gives_name(tokens, at + 1 + rest.len(), token.segment, region)
                    }
                }
        });
        if let Some((rest, place)) = found {
            let count = rest.len() + 1;
            match place {
                PlaceName::Country(code) => {
                    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                    *country = Some(*code);
                    *ends_with_country = tokens.get(at + count).is_none()
                        && before.is_some_and(|before| before.segment != token.segment);
                }
                PlaceName::State(code) => *state = Some(*code),
                PlaceName::City(name) => cities.push(Word::new(name, WordKind::City)),
            }
            tokens.drain(at..at + count);
            continue;
        }
        let is_end = tokens.get(at + 1).is_none_or(|next| next.segment != token.segment);
        let is_code =
            token.is_capital && !token.is_number && token.text.len() <= 3 && is_end && is_behind;
        // `Vernon Highway NE` is in no Nebraska.
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_quadrant = direction(&token.text, region).is_some()
            && before.is_some_and(|before| {
                let is_type = street_type(&before.text, region).is_some()
                    || matches!(before.text.as_str(), "st" | "dr");
                before.segment == token.segment && is_type
            });
        if is_code
            && !is_quadrant
            && names::has_state_codes(region)
            && let Some(code) = names::state_of_code(&token.text)
        {
            *state = Some(code);
            tokens.remove(at);
            continue;
        }
        // The code of the country of the business: `10115 Berlin, DE`.
        let is_own_country = region.is_some_and(|region| region.eq_ignore_ascii_case(&token.text));
        if is_code && is_own_country && tokens.get(at + 1).is_none() && at > 0 {
            tokens.remove(at);
            continue;
        }
        if is_code
            && region == Some("BR")
            && let Some(code) = names::brazilian_state(&token.text)
        {
            *state = Some(code);
            tokens.remove(at);
            continue;
        }
        // Codes of provinces: `Firenze FI`, `Curitiba - PR`.
        if is_code && token.text.len() == 2 && matches!(region, Some("IT" | "BR" | "ES" | "IN")) {
            tokens.remove(at);
            continue;
        }
        at += 1;
    }
}

/// The wards that an address names: `Chuo-ku`.
pub(super) fn wards(tokens: &[Token]) -> Vec<String> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs
        .filter(|(_, next)| matches!(next.text.as_str(), "ku" | "gu"))
        .map(|(word, _)| word.text.clone())
        .collect()
}
