//! Writes numbers of several words as one, and short forms in full, before an address is read.

use super::tokens::Token;
use super::unit_words::is_unit_word;

/// `311h` for `311 hs` and `311-huis`: the ground floor of a house in Amsterdam.
pub(super) fn join_ground_floor(tokens: &mut Vec<Token>) {
    let is_mark = |text: &str| matches!(text, "h" | "hs" | "huis" | "bg");
    let mut at = 0;
    while at < tokens.len() {
        let is_next = tokens.get(at + 1).is_some_and(|next| is_mark(&next.text));
        let Some(token) = tokens.get_mut(at).filter(|token| token.is_number) else {
            at += 1;
            continue;
        };
        let digits = token.text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        // `7301 BG` is a postal code.
        if digits == 4 {
            at += 1;
            continue;
        }
        let is_joined = token.text.get(digits..).is_some_and(is_mark);
        if is_joined || is_next {
            token.text.truncate(digits);
            token.text.push('h');
        }
        if is_next && !is_joined {
            tokens.remove(at + 1);
        }
        at += 1;
    }
}

/// Writes out short forms of floors and flats: `12/F` in Hong Kong, `L3` and `U4` in Australia, `02-45` in
/// Singapore.
pub(super) fn expand_short_units(tokens: &mut Vec<Token>, region: Option<&str>) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_digits = |text: &str| {
            !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit())
        };
        let text = token.text.as_str();
        let has_number = tokens.iter().take(at).any(|token| token.is_number);
        let is_after_mark = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| before.text == "#" || is_unit_word(&before.text, region));
        let expanded = match region {
            _ if is_after_mark => None,
            Some("HK" | "TW" | "CN" | "PH" | "MY" | "SG" | "KR" | "JP") => {
                let floor = text.strip_suffix('f').filter(|number| is_digits(number));
                let flat = text.split_once('-').filter(|(floor, flat)| {
                    region == Some("SG") && has_number && is_digits(floor) && is_digits(flat)
                });
                floor
                    .map(|number| ("floor", number.to_owned()))
                    .or_else(|| flat.map(|_| ("#", text.to_owned())))
            }
            Some("AU" | "NZ") if !token.is_number => {
                let after = |letter: char| {
                    text.strip_prefix(letter).filter(|rest| is_digits(rest)).map(str::to_owned)
                };
                after('l')
                    .map(|number| ("level", number))
                    .or_else(|| after('u').map(|number| ("unit", number)))
            }
            _ => None,
        };
        if let Some((word, number)) = expanded {
            let mut mark = token.clone();
            mark.text = word.to_owned();
            mark.is_number = false;
            tokens.insert(at, mark);
            at += 1;
            if let Some(token) = tokens.get_mut(at) {
                token.text = number;
                token.is_number = true;
            }
        }
        at += 1;
    }
}

/// Sixth Avenue in New York has a second name: `Avenue of the Americas`.
pub(super) fn name_sixth_avenue(tokens: &mut Vec<Token>) {
    let Some(end) = tokens.iter().position(|token| token.text == "americas") else { return };
    let is_name = |token: &Token| matches!(token.text.as_str(), "of" | "the" | "americas");
    let words = tokens.iter().take(end + 1).rev().take_while(|token| is_name(token)).count();
    let start = end + 1 - words.min(end + 1);
    let is_avenue = start
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .is_some_and(|token| matches!(token.text.as_str(), "avenue" | "ave" | "av"));
    if is_avenue {
        tokens.drain(start..end);
        if let Some(token) = tokens.get_mut(start) {
            token.text = "6th".to_owned();
            token.is_number = true;
        }
    }
}

/// Joins `12 1/2`, the number of a house between two others.
pub(super) fn join_fractions(tokens: &mut Vec<Token>) {
    let at = tokens.iter().zip(tokens.iter().skip(1)).position(|(number, next)| {
        let is_whole = number.is_number && number.text.bytes().all(|b| b.is_ascii_digit());
        is_whole && matches!(next.text.as_str(), "1/2" | "1/4" | "3/4")
    });
    if let Some(at) = at {
        let fraction = tokens.remove(at + 1);
        if let Some(token) = tokens.get_mut(at) {
            token.text = format!("{}f{}", token.text, fraction.text.replace('/', "of"));
        }
    }
}

/// Makes `km116` of a kilometre, which stands for a house number on a country road.
pub(super) fn join_kilometres(tokens: &mut Vec<Token>) {
    let at = tokens.iter().zip(tokens.iter().skip(1)).position(|(word, next)| {
        matches!(word.text.as_str(), "km" | "pk" | "kilometro" | "quilometro")
            && next.is_number
            && word.segment == next.segment
    });
    if let Some(at) = at {
        tokens.remove(at);
        if let Some(token) = tokens.get_mut(at) {
            token.text = format!("km{}", token.text);
        }
    }
}

/// Joins the numbers of Japanese blocks: `2-chome 98-7`.
pub(super) fn join_block_numbers(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at + 2 < tokens.len() {
        let joins = matches!(
            tokens.get(at + 1).map(|token| token.text.as_str()),
            Some("chome" | "choume" | "banchi" | "ban" | "go")
        );
        let is_number = |at: usize| tokens.get(at).is_some_and(|token| token.is_number);
        if joins && is_number(at) && is_number(at + 2) {
            let more = tokens.get(at + 2).map(|token| token.text.clone()).unwrap_or_default();
            tokens.drain(at + 1..at + 3);
            if let Some(token) = tokens.get_mut(at) {
                token.text = format!("{}-{more}", token.text);
            }
        } else {
            at += 1;
        }
    }
}

/// A house without number: `sin número`, `senza numero`, `snc`.
pub(super) fn mark_missing_number(tokens: &mut Vec<Token>) {
    if let Some(token) = tokens.iter_mut().skip(1).find(|token| token.text == "snc") {
        token.text = "sn".to_owned();
        token.is_number = true;
        return;
    }
    let at = tokens.iter().zip(tokens.iter().skip(1)).position(|(word, next)| {
        matches!(word.text.as_str(), "sin" | "senza" | "sem" | "sans" | "bez" | "ohne")
            && matches!(next.text.as_str(), "numero" | "nummer" | "cisla" | "numeru" | "num" | "no")
    });
    if let Some(at) = at {
        tokens.remove(at);
        if let Some(token) = tokens.get_mut(at) {
            token.text = "sn".to_owned();
            token.is_number = true;
        }
    }
}

/// Houses of Wisconsin have the lines of a grid for a number: `W62 N588 Washington Avenue`.
pub(super) fn join_grid_numbers(tokens: &mut Vec<Token>) {
    let is_line = |text: &str| {
        let digits = text.strip_prefix(['n', 's', 'e', 'w']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let is_grid = |text: &str| {
        let second = text.rfind(|c: char| c.is_ascii_alphabetic()).filter(|at| *at > 0);
        let halves = second.and_then(|at| text.split_at_checked(at));
        halves.is_some_and(|(one, other)| is_line(one) && is_line(other))
    };
    let at = tokens.iter().position(|token| is_line(&token.text) || is_grid(&token.text));
    let Some(at) = at else { return };
    let next = tokens.get(at + 1).map(|next| next.text.clone()).filter(|next| is_line(next));
    let Some(token) = tokens.get_mut(at) else { return };
    if let Some(next) = next.filter(|_| is_line(&token.text)) {
        token.text.push_str(&next);
        token.is_number = true;
        tokens.remove(at + 1);
    } else if is_grid(&token.text) {
        token.is_number = true;
    }
}

/// A house number in letters: `One Market Street`.
pub(super) fn read_number_words(tokens: &mut [Token]) {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let follows = tokens.get(1).is_some_and(|next| !next.is_number);
    let Some(first) = tokens.first_mut().filter(|_| follows) else { return };
    if let Some((number, _)) = (1..).zip(WORDS).find(|(_, word)| *word == first.text) {
        first.text = number.to_string();
        first.is_number = true;
    }
}

/// The squares of Mannheim have a letter and a number instead of a street: `Q 7, 24`.
pub(super) fn join_squares(tokens: &mut Vec<Token>) {
    if !tokens.iter().any(|token| token.text == "mannheim") {
        return;
    }
    let at = tokens.iter().zip(tokens.iter().skip(1)).position(|(letter, number)| {
        letter.text.len() == 1
            && !letter.is_number
            && number.text.len() == 1
            && number.is_number
            && letter.segment == number.segment
    });
    if let Some(at) = at {
        let number = tokens.remove(at + 1);
        if let Some(letter) = tokens.get_mut(at) {
            letter.text.push_str(&number.text);
        }
    }
}

/// Streets of Colombia have numbers for names, and the sign is before that of the house: `Carrera 7 # 71-21`.
pub(super) fn name_numbered_streets(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at + 2 < tokens.len() {
        let kind = match tokens.get(at).map_or("", |token| token.text.as_str()) {
            "carrera" | "cra" | "kr" | "kra" | "cr" | "carr" | "crr" => "carrera",
            "calle" | "cl" | "cll" | "clle" | "c" => "calle",
            "diagonal" | "dg" | "diag" | "dig" => "diagonal",
            "transversal" | "tv" | "transv" | "tr" | "trans" | "tranv" => "transversal",
            "avenida" | "av" | "ave" | "ak" | "ac" => "avenida",
            _ => {
                at += 1;
                continue;
            }
        };
        if let Some(number) = tokens.get_mut(at + 1).filter(|number| number.is_number) {
            number.is_number = false;
            number.text = format!("{kind}{}", number.text);
            tokens.remove(at);
            let is_mark =
                |token: &Token| matches!(token.text.as_str(), "#" | "no" | "nro" | "n" | "num");
            while tokens.get(at + 1).is_some_and(is_mark) {
                tokens.remove(at + 1);
            }
        }
        at += 1;
    }
}

/// `feet` for `ft`, `house` for `H#`: short forms beside numbers in South Asia.
pub(super) fn expand_south_asian(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        let is_marked = tokens.get(at + 1).is_some_and(|next| next.text == "#");
        let is_before_number =
            tokens.get(at + 1 + usize::from(is_marked)).is_some_and(|next| next.is_number);
        let follows_number = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| before.is_number);
        let Some(token) = tokens.get_mut(at) else { return };
        let full = match token.text.as_str() {
            "h" | "hno" if is_marked && is_before_number => "house",
            "r" if is_marked && is_before_number => "road",
            "blk" => "block",
            "ft" | "feet" | "foot" if follows_number => "feet",
            _ => {
                at += 1;
                continue;
            }
        };
        token.text = full.to_owned();
        if is_marked && full != "block" {
            tokens.remove(at + 1);
        }
        // `100 Feet Road`
        if full == "feet"
            && let Some(number) = at.checked_sub(1).and_then(|before| tokens.get_mut(before))
        {
            number.is_number = false;
        }
        at += 1;
    }
}
