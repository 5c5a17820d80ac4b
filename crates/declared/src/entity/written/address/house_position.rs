//! Finds the house number among the numbers of an address, and the street that it belongs to.

use super::street_types::{compound_street, direction, ordinal, street_type};
use super::tokens::Token;

/// The place of the house number: the first number in a part with a word for a street, or the first of all.
/// Where numbers follow their streets, an earlier one in the same part belongs to the name of the street.
pub(super) fn house_number_position(tokens: &[Token], region: Option<&str>) -> Option<usize> {
    let candidates: Vec<usize> = (0..tokens.len())
        .filter(|at| {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            tokens.get(*at).is_some_and(|token| {
                token.is_number
                    && !is_part_of_name(
                        token,
                        before,
                        [tokens.get(at + 1), tokens.get(at + 2)],
                        region,
                    )
                    && !is_name_of_building(tokens, *at, region)
            })
        })
        .collect();
    let has_street = |at: &&usize| {
        let segment = tokens.get(**at).map(|token| token.segment);
        tokens.iter().filter(|token| Some(token.segment) == segment).any(|token| {
            street_type(&token.text, region).is_some() || compound_street(&token.text).is_some()
        })
    };
    // A number in a part of its own, before or behind its street.
    let is_alone = |at: &&usize| {
        let segment = tokens.get(**at).map(|token| token.segment);
        tokens.iter().all(|token| Some(token.segment) != segment || !is_word(token))
    };
    // `No. 12` says that it is the number of a house.
    let is_marked = |at: &&usize| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        before.is_some_and(|mark| is_number_mark(&mark.text))
    };
    let mut marked = candidates.iter().filter(is_marked);
    if let (Some(only), None) = (marked.next(), marked.next()) {
        return Some(*only);
    }
    let first = candidates.first().filter(is_alone);
    let first = *first.or_else(|| candidates.iter().find(has_street)).or(candidates.first())?;
    if is_number_first(region) {
        return Some(first);
    }
    let segment = tokens.get(first)?.segment;
    let last = candidates.iter().copied().rfind(|at| {
        let is_here = tokens.get(*at).is_some_and(|token| token.segment == segment);
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        is_here && before.is_some_and(|word| !word.is_number && word.text.chars().count() > 1)
    });
    last.or(Some(first))
}

/// Whether the house number comes before the street.
pub(super) fn is_number_first(region: Option<&str>) -> bool {
    region.is_none_or(|region| {
        matches!(
            region,
            "US" | "CA"
                | "GB"
                | "IE"
                | "AU"
                | "NZ"
                | "FR"
                | "IN"
                | "SG"
                | "ZA"
                | "LU"
                | "JP"
                | "MC"
                | "MY"
                | "TH"
                | "PH"
                | "VN"
                | "PK"
                | "BD"
                | "LK"
                | "NG"
                | "KE"
                | "GH"
                | "UG"
                | "TZ"
                | "ZM"
                | "ZW"
                | "EG"
                | "HK"
                | "MT"
                | "JM"
                | "TT"
                | "MA"
                | "TN"
                | "DZ"
                | "SN"
                | "CI"
                | "SA"
                | "TW"
                | "NP"
                | "JE"
                | "GG"
                | "IM"
                | "CY"
                | "LB"
                | "JO"
        )
    })
}

/// Whether a word belongs to the house number before it.
pub(super) fn is_addition(word: &Token, after: Option<&Token>, region: Option<&str>) -> bool {
    if matches!(word.text.as_str(), "bis" | "ter" | "quater") {
        return !word.is_dotted;
    }
    let is_letter = word.text.len() == 1 && word.text.bytes().all(|b| b.is_ascii_lowercase());
    // `5 W 12th Street`
    if !is_letter || direction(&word.text, region).is_some() {
        return false;
    }
    match after {
        None => true,
        // `10 A 4`: in Finland the letter is that of the stairs.
        Some(after) if after.is_number => {
            matches!(region, Some("SE" | "NO" | "DK"))
        }
        // `14 A Elm Road`, but not `5 B Street`.
        Some(after) => {
            // `7 T avenue Foch` is 7 ter.
            let is_french = matches!(region, Some("FR" | "BE" | "LU" | "MC"))
                && matches!(word.text.as_str(), "b" | "t" | "q");
            word.is_capital
                && !word.is_dotted
                && (is_french
                    || street_type(&after.text, region).is_none()
                        // `1001 G St NW`
                        && !matches!(after.text.as_str(), "st" | "dr"))
        }
    }
}

/// Which tokens belong to the street: those on the side of the number where the country writes the street,
/// or the neighbouring part if there are none.
pub(super) fn street_segment<'a>(
    before: &[&Token],
    behind: &[&Token],
    segment: usize,
    region: Option<&'a str>,
) -> impl Fn(&Token, bool) -> bool + use<'a> {
    let has_words = |list: &[&Token], wanted: usize| {
        list.iter().any(|token| token.segment == wanted && is_word(token))
    };
    let (here_before, here_behind) = (has_words(before, segment), has_words(behind, segment));
    // In their own script Japanese addresses end in the number.
    let is_own_script = before.last().is_some_and(|token| !token.text.is_ascii());
    let number_first = !is_own_script && is_number_first(region);
    let previous = before.iter().rev().find(|token| is_word(token)).map(|token| token.segment);
    let next = behind.iter().find(|token| is_word(token)).map(|token| token.segment);
    // The segment of the street, and on which side of the number it is.
    let (wanted, side) = match (here_before, here_behind) {
        (true, true) if number_first => (segment, Some(false)),
        (true, true) => (segment, Some(true)),
        (true, false) => (segment, Some(true)),
        (false, true) => (segment, Some(false)),
        (false, false) => {
            // `on Mill Lane, in Frome, at number 7`
            let has_type = |token: &&&Token| {
                street_type(&token.text, region).is_some() || compound_street(&token.text).is_some()
            };
            let typed = before.iter().rev().find(has_type).map(|token| token.segment);
            // `Adresse : 22, rue Mouffetard`
            let next_typed = next.filter(|next| {
                number_first && behind.iter().filter(has_type).any(|token| token.segment == *next)
            });
            // `No. 45, Sec. 4, Zhongxiao E. Rd.`
            let behind_section = behind
                .iter()
                .find(has_type)
                .map(|token| token.segment)
                .filter(|_| matches!(region, Some("TW" | "CN")) && number_first);
            (next_typed.or(behind_section).or(typed).or(previous).or(next).unwrap_or(segment), None)
        }
    };
    move |token, is_before| token.segment == wanted && side.is_none_or(|side| side == is_before)
}

/// Whether a number ends the name of a building: `Tampines 1`, where houses have theirs before the street.
fn is_name_of_building(tokens: &[Token], at: usize, region: Option<&str>) -> bool {
    let is_here = matches!(region, Some("US" | "CA" | "GB" | "IE" | "AU" | "NZ" | "SG" | "ZA"));
    let Some(number) = tokens.get(at).filter(|_| is_here) else { return false };
    let part = || tokens.iter().filter(|token| token.segment == number.segment);
    let is_last = tokens.get(at + 1).is_none_or(|next| next.segment != number.segment);
    let has_type = part().any(|token| {
        let is_building =
            matches!(token.text.as_str(), "mall" | "centre" | "center" | "park" | "plaza");
        !is_building && street_type(&token.text, region).is_some()
            || compound_street(&token.text).is_some()
    });
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let follows_word = before.is_some_and(|word| word.segment == number.segment && is_word(word));
    is_last && follows_word && !has_type && !tokens.iter().take(at).any(|token| token.is_number)
}

fn is_word(token: &Token) -> bool {
    !token.is_number
        && token.text.chars().count() > 1
        && !is_number_mark(&token.text)
        && !matches!(token.text.as_str(), "at" | "al" | "au" | "the" | "el" | "op" | "de" | "in")
}

/// Numbers that belong to the name of a street: `5th Avenue`, `Highway 61`.
fn is_part_of_name(
    token: &Token,
    before: Option<&Token>,
    [next, after]: [Option<&Token>; 2],
    region: Option<&str>,
) -> bool {
    let is_road_number = before.is_some_and(|before| {
        matches!(
            before.text.as_str(),
            "highway"
                | "hwy"
                | "route"
                | "rte"
                | "sr"
                | "interstate"
                | "sector"
                | "section"
                | "sec"
                | "phase"
                | "soi"
                | "countyroad"
                | "fm"
                | "district"
                | "quan"
                | "ward"
                | "stage"
        ) || matches!(before.text.as_str(), "road" | "rd")
            && matches!(region, Some("US" | "CA" | "BD" | "PK" | "IN"))
            || matches!(before.text.as_str(), "q" | "p") && region == Some("VN")
    });
    // `BR-101`, `N-340`, `RN 7`: the code of a road.
    let is_road_code = before.is_some_and(|before| {
        let codes: &[&str] = match region {
            Some("BR") => &[
                "br", "sp", "sc", "rs", "pr", "mg", "rj", "ba", "go", "pe", "ce", "es", "mt", "ms",
                "pb", "rn", "al", "se", "pa", "ma", "pi", "to", "df",
            ],
            Some("ES") => &["nac", "a", "ap", "cv", "m", "ma", "ca"],
            Some("PT") => &["n", "a", "ap", "cv", "en", "ic", "ip", "m", "ma", "ca"],
            Some("FR" | "BE" | "LU") => &["rn", "rd", "n"],
            Some("IT") => &["ss", "sp", "sr"],
            Some("US") => &["us", "sr", "cr", "fm", "sh"],
            Some("IN") => &["nh", "sh"],
            Some("MX" | "AR" | "CL") => &["rn", "rp"],
            _ => &[],
        };
        before.segment == token.segment
            && before.is_capital
            && (!before.is_dotted || region == Some("IT"))
            && codes.contains(&before.text.as_str())
    });
    // `Straße des 17. Juni`
    let is_date = token.is_dotted
        && next.is_some_and(|next| {
            !next.is_number && next.segment == token.segment && next.text.len() > 2
        });
    is_name_number(token)
        || is_road_number
        || is_road_code
        || is_date
        || is_in_date(token, before, [next, after])
}

/// Whether a number is the day or the year of a date that a street is called after: `rue du 8 mai 1945`.
fn is_in_date(token: &Token, before: Option<&Token>, [next, after]: [Option<&Token>; 2]) -> bool {
    const MONTHS: &str = "janvier fevrier avril mai juin juillet aout septembre octobre novembre \
     decembre enero febrero abril mayo junio julio agosto septiembre octubre noviembre diciembre \
     janeiro fevereiro maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile \
     maggio giugno luglio settembre ottobre dicembre januar juni juli maja listopada sierpnia \
     stycznia czerwca";
    let is_month = |word: &Token| {
        word.segment == token.segment && MONTHS.split_whitespace().any(|month| month == word.text)
    };
    let is_of = next.is_some_and(|next| {
        next.segment == token.segment && matches!(next.text.as_str(), "de" | "di" | "of")
    }) && after.is_some_and(is_month);
    let is_year = token.text.len() == 4 && before.is_some_and(is_month);
    is_of || is_year || next.is_some_and(is_month)
}

pub(super) fn is_name_number(token: &Token) -> bool {
    ordinal(&token.text).is_some()
}

pub(super) fn is_number_mark(text: &str) -> bool {
    matches!(
        text,
        "no" | "nr"
            | "num"
            | "numero"
            | "number"
            | "nummer"
            | "hausnummer"
            | "civico"
            | "n"
            | "hausnr"
            | "nro"
            | "nº"
            | "#"
            | "dno"
            | "hno"
            | "doorno"
            | "houseno"
            | "broj"
            | "cislo"
            | "szam"
            | "dom"
            | "house"
            | "hse"
            | "holding"
            | "kothi"
    )
}
