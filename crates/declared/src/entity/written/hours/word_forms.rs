//! Words that stand for several, and endings that stand for words.

use super::lexicon;
use super::meaning::Meaning;

/// A word that stands for an ending between the first and the last day.
pub(super) const RANGE: &str = "until";

/// Parts of a day at the end of the name of a day: `Mittwochnachmittag`, `zaterdagochtend`.
const PARTS: [&str; 20] = [
    "nachmittags",
    "nachmittag",
    "vormittags",
    "vormittag",
    "abends",
    "abend",
    "morgens",
    "morgen",
    "middags",
    "middag",
    "avonds",
    "avond",
    "ochtends",
    "ochtend",
    "namiddag",
    "voormiddag",
    "eftermiddag",
    "formiddag",
    "nachts",
    "nacht",
];

/// The words that one word stands for, if it is written as one: a day with a part of it, or days in single
/// letters.
pub(super) fn split_word(word: &str, plain: &str) -> Option<Vec<String>> {
    if !lexicon::phrases(plain).is_empty() {
        return None;
    }
    day_with_part(plain).or_else(|| first_day_of_range(plain)).or_else(|| day_letters(word))
}

/// `hétfőtől péntekig`, `maanantaista perjantaihin`, `pazartesiden cumaya`: the ending of the first day says that others follow.
fn first_day_of_range(plain: &str) -> Option<Vec<String>> {
    const DAYS: [&str; 21] = [
        "hetfo",
        "kedd",
        "szerda",
        "csutortok",
        "pentek",
        "szombat",
        "vasarnap",
        "maanantai",
        "tiistai",
        "keskiviiko",
        "torstai",
        "perjantai",
        "lauantai",
        "sunnuntai",
        "pazartesi",
        "sali",
        "carsamba",
        "persembe",
        "cuma",
        "cumartesi",
        "pazar",
    ];
    let day = ["tol", "sta", "den", "dan"].iter().find_map(|ending| plain.strip_suffix(ending))?;
    let day = DAYS.iter().find(|known| **known == day)?;
    let day = if *day == "keskiviiko" { "keskiviikko" } else { day };
    Some(vec![day.to_owned(), RANGE.to_owned()])
}

fn day_with_part(plain: &str) -> Option<Vec<String>> {
    PARTS.iter().find_map(|part| {
        let day = plain.strip_suffix(part)?;
        let is_day = |day: &str| {
            day.len() >= 5
                && lexicon::phrases(day)
                    .iter()
                    .any(|phrase| matches!(phrase.meaning, Meaning::Day(_)))
        };
        // `onsdagseftermiddag`
        let day =
            [Some(day), day.strip_suffix('s')].into_iter().flatten().find(|day| is_day(day))?;
        // Alone, `morgen` is the next day.
        let part = if *part == "morgen" { "morgens" } else { part };
        Some(vec![day.to_owned(), part.to_owned()])
    })
}

/// `MWF`, `TTh`, `MTWThF`: English days in their order, the weekdays in single letters.
fn day_letters(word: &str) -> Option<Vec<String>> {
    const LETTERS: [(&str, &str, u8); 9] = [
        ("Su", "sunday", 7),
        ("Sa", "saturday", 6),
        ("Th", "thursday", 4),
        ("Tu", "tuesday", 2),
        ("M", "monday", 1),
        ("T", "tuesday", 2),
        ("W", "wednesday", 3),
        ("T", "thursday", 4),
        ("F", "friday", 5),
    ];
    if !(2..=10).contains(&word.len()) {
        return None;
    }
    let mut rest = word;
    let mut last = 0;
    let mut days = Vec::new();
    while !rest.is_empty() {
        let (letters, name, number) = LETTERS
            .iter()
            .find(|(letters, _, number)| *number > last && rest.starts_with(letters))?;
        days.push((*name).to_owned());
        last = *number;
        rest = rest.strip_prefix(letters)?;
    }
    (days.len() >= 2).then_some(days)
}

/// Turkish endings behind an apostrophe: `Pazartesi'den Cumartesi'ye`, `10'dan 22'ye`.
pub(super) fn without_turkish_endings(text: &str) -> String {
    const FROM: [&str; 4] = ["dan", "den", "tan", "ten"];
    const TO: [&str; 10] = ["a", "e", "ya", "ye", "na", "ne", "da", "de", "nda", "nde"];
    let mut parts = text.split(['\'', '’']);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ending: String = part.chars().take_while(|c| c.is_alphanumeric()).collect();
        let behind = part.strip_prefix(ending.as_str()).unwrap_or_default();
        let is_behind_word = out.ends_with(char::is_alphanumeric);
        if is_behind_word && FROM.contains(&ending.as_str()) {
            out.push_str(" - ");
            out.push_str(behind);
        } else if is_behind_word && TO.contains(&ending.as_str()) {
            out.push_str(behind);
        } else {
            out.push('\'');
            out.push_str(part);
        }
    }
    out
}
