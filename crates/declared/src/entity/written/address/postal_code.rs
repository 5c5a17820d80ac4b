//! Finds the postal code of an address by the form that codes have in its country.

use super::tokens::Token;

/// A code without spaces and hyphens, and the tokens that it was written with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PostalCode {
    pub(super) code: String,
    pub(super) first: usize,
    pub(super) count: usize,
}

/// The last code of an address.
pub(super) fn find(tokens: &[Token], region: Option<&str>) -> Option<PostalCode> {
    let forms = forms_of_region(region);
    (0..tokens.len()).rev().find_map(|at| {
        // Two words first: `SW1A 2AA` ends in what alone would be another code.
        [2, 1].into_iter().find_map(|count| {
            let first = (at + 1).checked_sub(count)?;
            let run = tokens.get(first..=at)?;
            let [start, ..] = run else { return None };
            let is_one_segment = run.iter().all(|token| token.segment == start.segment);
            let written: Vec<&str> = run.iter().map(|token| token.text.as_str()).collect();
            let fits = is_one_segment && forms.iter().any(|form| fits(&written, form));
            (fits && !is_house_number(tokens, first, count, region)).then(|| PostalCode {
                code: plain_code(&written.concat(), region),
                first,
                count,
            })
        })
    })
}

/// The first half of a code at the end of an address in London: `6 Well Walk, London NW3`.
fn london_district(tokens: &[Token]) -> Option<String> {
    const AREAS: [&str; 8] = ["e", "ec", "n", "nw", "se", "sw", "w", "wc"];
    let at = tokens.iter().rposition(|token| !matches!(token.text.as_str(), "uk" | "england"))?;
    let last = tokens.get(at)?;
    // `Studio E2`
    let before = at.checked_sub(1).and_then(|before| tokens.get(before))?;
    if super::unit_words::is_unit_word(&before.text, Some("GB")) {
        return None;
    }
    let digits = last.text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let area = last.text.strip_suffix(digits)?;
    let is_london = tokens.iter().any(|token| token.text == "london");
    let is_number =
        matches!(digits.len(), 1 | 2) && digits.starts_with(|c: char| c.is_ascii_digit());
    ((is_london || area.len() == 2) && is_number && AREAS.contains(&area))
        .then(|| last.text.clone())
}

/// The code of a district that is named by its number: `Paris 20e` is 75020.
pub(super) fn district_code(tokens: &[Token], region: Option<&str>) -> Option<String> {
    if region == Some("GB") {
        return london_district(tokens);
    }
    if !matches!(region, Some("FR")) {
        return None;
    }
    let number = |token: &Token| {
        super::street_types::ordinal(&token.text)
            .or_else(|| token.text.parse().ok().filter(|_| token.is_number))
    };
    let named = ["paris", "lyon", "marseille"].into_iter().find_map(|city| {
        let at = tokens.iter().rposition(|token| token.text == city)?;
        Some((city, tokens.get(at + 1)?))
    });
    let (city, district) = named?;
    let (first, last) = match city {
        "paris" => (75_000, 20),
        "lyon" => (69_000, 9),
        _ => (13_000, 16),
    };
    let number = number(district).filter(|number| (1..=last).contains(number))?;
    Some((first + number).to_string())
}

/// All numbers with the form of a code, in the order of the address.
pub(super) fn find_all(tokens: &[Token], region: Option<&str>) -> Vec<String> {
    let forms = forms_of_region(region);
    let mut codes = Vec::new();
    for at in 0..tokens.len() {
        for count in [2, 1] {
            let Some(run) = tokens.get(at..at + count) else { continue };
            let written: Vec<&str> = run.iter().map(|token| token.text.as_str()).collect();
            if forms.iter().any(|form| fits(&written, form)) {
                codes.push(plain_code(&written.concat(), region));
            }
        }
    }
    codes
}

/// The letters and digits of a code, without the `S` of Singapore or the letters of a country: `LV1011`.
fn plain_code(written: &str, region: Option<&str>) -> String {
    let code: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
    let has_letters = region.is_none_or(|region| {
        matches!(region, "GB" | "JE" | "GG" | "IM" | "CA" | "IE" | "NL" | "AR" | "MT" | "BN")
    });
    if has_letters {
        return code;
    }
    let code = code.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    match (code, region) {
        // One district of Paris has two codes.
        ("75116", Some("FR")) => "75016".to_owned(),
        _ => code.to_owned(),
    }
}

/// Removes the tokens of a postal code, with the letters of the country before it.
pub(super) fn remove(tokens: &mut Vec<Token>, first: usize, count: usize, region: Option<&str>) {
    const PREFIXES: &str = "d a ch b f i l n s se fi fin dk no nl de at be fr it es pl cz sk pt lu p e cep cp plz pin zip \
     lt lv ee md hr si rs ro hu gr cy ua ru by az li mc postcode psc irsz npa pincode code postal ad fl md mk";
    let prefix = first.checked_sub(1).filter(|at| {
        tokens.get(*at).is_some_and(|token| {
            let is_country = region.is_some_and(|region| region.eq_ignore_ascii_case(&token.text));
            (is_country || PREFIXES.split_whitespace().any(|prefix| prefix == token.text))
                && tokens
                    .get(first)
                    .is_some_and(|code| code.segment == token.segment || token.text == "s")
        })
    });
    let from = prefix.unwrap_or(first);
    let until = (first + count).min(tokens.len());
    tokens.drain(from..until);
}

/// Where numbers come before their streets, a number at the beginning is no postal code. A number of four
/// digits behind a street, with more behind a comma, is a house number too.
fn is_house_number(tokens: &[Token], first: usize, count: usize, region: Option<&str>) -> bool {
    let Some(code) = tokens.get(first).filter(|code| code.is_number) else { return false };
    let next = tokens.get(first + count);
    let is_number_first =
        region.is_none_or(|region| matches!(region, "US" | "CA" | "AU" | "NZ" | "IN" | "SG"));
    if is_number_first && first == 0 {
        return next.is_some_and(|next| !next.is_number && next.segment == code.segment);
    }
    let is_behind_street = first
        .checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|before| before.segment == code.segment && !before.is_number);
    let is_first_number = !tokens.iter().take(first).any(|token| token.is_number);
    code.text.len() == 4
        && is_behind_street
        && is_first_number
        && next.is_some_and(|next| next.segment != code.segment && !next.is_number)
}

/// Forms of postal codes: `9` is a digit, `a` a letter, `x` either; words are separated by spaces.
fn forms_of_region(region: Option<&str>) -> &'static [&'static str] {
    const GB: &[&str] = &[
        "a9 9aa", "a99 9aa", "aa9 9aa", "aa99 9aa", "a9a 9aa", "aa9a 9aa", "a99aa", "a999aa",
        "aa99aa", "aa999aa", "a9a9aa", "aa9a9aa",
    ];
    match region {
        Some("GB" | "JE" | "GG" | "IM") => GB,
        Some("US") => &["99999", "99999-9999"],
        Some("CA") => &["a9a 9a9", "a9a9a9"],
        Some("IE") => &["a99 xxxx", "a99xxxx", "a9a xxxx"],
        Some(
            "AT" | "CH" | "BE" | "DK" | "NO" | "AU" | "NZ" | "LU" | "HU" | "LI" | "BG" | "SI"
            | "ZA" | "CY" | "TN" | "PH" | "BD" | "GE" | "AM" | "MK" | "AL" | "VE" | "PY" | "HT",
        ) => &["9999"],
        Some("LV") => &["9999", "aa9999"],
        Some("MD") => &["9999", "aa9999"],
        Some("TW") => &["99999", "999999"],
        Some(
            "LK" | "MA" | "PK" | "KE" | "VN" | "EG" | "PE" | "ME" | "BA" | "DO" | "CU" | "UY"
            | "CR" | "GT" | "DZ" | "JO" | "KW" | "IR" | "IQ" | "SN",
        ) => &["99999"],
        Some("IS") => &["999"],
        Some("HK" | "AE" | "QA" | "PA" | "GH") => &[],
        Some("CL") => &["9999999", "999-9999"],
        Some("CO" | "NG" | "EC" | "KG") => &["999999"],
        Some("NL") => &["9999 aa", "9999aa"],
        Some("SE" | "CZ" | "SK" | "GR") => &["999 99", "99999"],
        Some("PL") => &["99-999", "99 999"],
        Some("PT") => &["9999-999", "9999 999", "9999"],
        Some("BR") => &["99999-999", "99999999", "99999 999"],
        Some("JP") => &["999-9999", "9999999"],
        Some("IN") => &["999999", "999 999"],
        Some("SG") => &["999999", "a999999"],
        Some("RU" | "CN" | "KZ" | "BY" | "RO") => &["999999"],
        Some("AR") => &["a9999aaa", "9999"],
        Some(
            "DE" | "FR" | "IT" | "ES" | "FI" | "TR" | "KR" | "MX" | "UA" | "HR" | "RS" | "MC"
            | "EE" | "TH" | "MY" | "ID" | "SA",
        ) => &["99999"],
        Some("IL") => &["9999999", "99999"],
        Some("LT") => &["99999", "aa99999"],
        Some(_) => &["99999", "999999"],
        None => &[
            "a9 9aa",
            "a99 9aa",
            "aa9 9aa",
            "aa99 9aa",
            "a9a 9aa",
            "aa9a 9aa",
            "aa99aa",
            "aa999aa",
            "aa9a9aa",
            "99999",
            "99999-9999",
            "a9a 9a9",
            "a9a9a9",
            "9999 aa",
            "99-999",
            "9999-999",
            "99999-999",
            "999-9999",
            "999999",
        ],
    }
}

fn fits(written: &[&str], form: &str) -> bool {
    let mut words = form.split(' ');
    written.iter().all(|word| {
        words.next().is_some_and(|form| {
            word.chars().count() == form.len()
                && word.chars().zip(form.chars()).all(|(c, form)| match form {
                    '9' => c.is_ascii_digit(),
                    'a' => c.is_ascii_lowercase(),
                    'x' => c.is_ascii_alphanumeric(),
                    other => c == other,
                })
        })
    }) && words.next().is_none()
}

/// Whether two codes may be one: a long and a short form, or forms of different countries.
pub(super) fn may_be_same(one: &str, other: &str) -> bool {
    let shape = |code: &str| -> String {
        code.chars().map(|c| if c.is_ascii_digit() { '9' } else { 'a' }).collect()
    };
    // Halves of London codes have several forms.
    let is_longer = one.starts_with(other) || other.starts_with(one);
    if is_half(one) || is_half(other) {
        return is_longer && is_half(one) != is_half(other) || one == other;
    }
    is_longer || shape(one) != shape(other) && !is_british(one, other)
}

fn is_half(code: &str) -> bool {
    code.len() <= 4 && code.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// British codes have several forms.
fn is_british(one: &str, other: &str) -> bool {
    let is_code = |code: &str| {
        (5..=7).contains(&code.len())
            && code.starts_with(|c: char| c.is_ascii_alphabetic())
            && code.chars().rev().take(2).all(|c| c.is_ascii_alphabetic())
    };
    is_code(one) && is_code(other)
}
