//! The two systems of Korean addresses: lots of land in a district, and houses along a road.

use super::super::plain_characters;
use super::house_number::HouseNumber;
use super::reading::WrittenAddress;
use super::words::Word;

/// Cities that are written with and without words for their rank.
const CITIES: [&str; 8] = ["서울", "부산", "대구", "인천", "광주", "대전", "울산", "세종"];
/// Districts that end as roads do, whose numbers are those of lots.
const DISTRICTS_LIKE_ROADS: [&str; 5] = ["세종로", "태평로", "남대문로", "신문로", "충무로"];

/// A Korean address with short names of cities, and without the mark of a postal code. Floors and rooms get the
/// words that other addresses have: `floor 3` for `3층`.
pub(super) fn plain_writing(text: &str) -> String {
    let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}');
    if !text.contains(is_hangul) {
        return text.to_owned();
    }
    let mut text = text.replace("우편번호", " ").replace("지하", " ");
    for city in CITIES {
        for rank in ["특별자치시", "특별시", "광역시", "시"] {
            text = text.replace(&format!("{city}{rank} "), &format!("{city} "));
        }
    }
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')')) {
        let word =
            piece.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'));
        let behind = piece.strip_prefix(word).unwrap_or_default();
        let is_number = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        let numbered = [("층", "floor"), ("호", "room")].iter().find_map(|(ending, name)| {
            let number = word.strip_suffix(ending).filter(|number| is_number(number))?;
            Some(format!("{name} {number}"))
        });
        match numbered {
            Some(unit) => out.push_str(&unit),
            None if word == "우" => {}
            None => out.push_str(word),
        }
        out.push_str(behind);
    }
    out
}

/// Whether a word is a district or a town, which stand before the road without a comma.
pub(super) fn is_district(word: &Word) -> bool {
    !word.text.is_ascii()
        && ["구", "군", "시"].iter().any(|ending| {
            word.text.ends_with(ending) || word.text.ends_with(&plain_characters(ending))
        })
}

/// Whether an address counts along a road: `테헤란로 152`, `152 Teheran-ro`.
pub(super) fn is_road(address: &WrittenAddress) -> bool {
    ends_in(address, &["로", "길", "ro", "gil"])
}

/// Whether an address counts lots: `역삼동 812-3`. A road may be in a district with such a name.
pub(super) fn is_lot(address: &WrittenAddress) -> bool {
    !is_road(address) && ends_in(address, &["동", "리", "dong", "ri"])
        || ends_in(address, &["가"])
        || is_in_district_like_road(address)
}

/// `세종로 1-1`: a lot, though the name of the district ends as that of a road.
fn is_in_district_like_road(address: &WrittenAddress) -> bool {
    let is_such =
        |word: &Word| DISTRICTS_LIKE_ROADS.iter().any(|name| word.text == plain_characters(name));
    address.street.iter().chain(&address.places).any(is_such)
        && matches!(address.number, Some(HouseNumber::Range(..) | HouseNumber::Blocks(_)))
}

/// The number of the alley that leads off a road: `7` of `Jahamun-ro 7-gil`, `자하문로7길`. None if there is none.
fn alley(text: &str) -> Option<&str> {
    ["gil", "Gil", "길"].iter().find_map(|word| {
        text.match_indices(word).find_map(|(at, _)| {
            let before = text.get(..at)?.trim_end_matches(['-', ' ']);
            let before = ["beon", "번", "ga", "na", "da", "가", "나", "다"]
                .iter()
                .find_map(|mark| before.strip_suffix(mark))
                .unwrap_or(before)
                .trim_end_matches(['-', ' ']);
            let digits = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            before.get(digits..).filter(|number| !number.is_empty())
        })
    })
}

/// Whether two houses are in different alleys, or one of them is on the road itself.
pub(super) fn are_in_other_alleys(
    (text, address): (&str, &WrittenAddress),
    (other_text, other): (&str, &WrittenAddress),
) -> bool {
    is_road(address) && is_road(other) && alley(text) != alley(other_text)
}

fn ends_in(address: &WrittenAddress, endings: &[&str]) -> bool {
    address.street.iter().chain(&address.places).any(|word| {
        endings.iter().any(|ending| {
            if ending.is_ascii() {
                // In Latin letters a hyphen separates the ending, which makes it a word.
                word.text == *ending
            } else {
                !word.text.is_ascii()
                    && (word.text.ends_with(ending)
                        || word.text.ends_with(&plain_characters(ending)))
            }
        })
    })
}
