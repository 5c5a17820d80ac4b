//! Finds telephone numbers in a text that is about a telephone number.

use super::super::super::visible_numbers::labelling_word;
use super::super::plain_characters;
use super::extension::{is_extension_word, read_parameters, read_range};
use super::labels::{NumberUse, is_labelled, number_use};
use super::run::{MIN_DIGITS, Run, read_run};
use super::spoken;

/// How many numbers of one text are read.
const MAX_NUMBERS: usize = 12;
/// A text with more groups of digits states no telephone number.
const MAX_RUNS: usize = 100;
/// What links to a chat have before the number, which begins with a calling code.
const CHAT_LINKS: [&str; 6] =
    ["wa.me/", "phone=", "chat?number=", "t.me/", "signal.me/#p/", "whatsapp:"];

/// A number as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundNumber {
    /// ASCII digits; letters as the digits of their keys. Of short codes with a star the star too.
    pub(super) digits: String,
    /// Whether the digits begin with a calling code.
    pub(super) is_international: bool,
    pub(super) extension: Option<String>,
    /// How many digits follow the last hyphen, if at most four.
    pub(super) after_hyphen: Option<usize>,
    /// How many digits the last group has.
    pub(super) last_group: usize,
    /// How many of the last digits differ in a range of numbers: `100 bis -120`.
    pub(super) range: Option<usize>,
    /// Only the first digits are to be read, the others are hidden.
    pub(super) is_masked: bool,
    /// Dots say that the text goes on, maybe with further digits.
    pub(super) is_cut: bool,
    pub(super) used_for: NumberUse,
}

/// The numbers of a text.
#[derive(Debug, Default)]
pub(super) struct FoundNumbers {
    /// For calls, or for messages if there are no others.
    pub(super) numbers: Vec<FoundNumber>,
    pub(super) faxes: Vec<FoundNumber>,
}

/// The numbers of a text. Empty if a number is damaged, or if there are too many.
pub(super) fn find_numbers(text: &str) -> FoundNumbers {
    // Links encode spaces and plus signs.
    let text = plain_characters(text).replace("%20", " ").replace("%2B", "+").replace("%2b", "+");
    let text = spoken::with_digits(&text).unwrap_or(text);
    let mut found = FoundNumbers::default();
    let mut further = Vec::new();
    let mut short = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_RUNS {
        let rest = text.get(from..).unwrap_or_default();
        let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '+') else {
            return chosen(found, further, short, &text);
        };
        let run = rest.get(start..).unwrap_or_default();
        let before = text.get(..from + start).unwrap_or_default();
        let Some(read) = read_run(run) else { return FoundNumbers::default() };
        from += start + read.length.max(1);
        let is_time = is_date(run.get(..read.length).unwrap_or_default());
        if read.digits.is_empty() || is_time || before.ends_with('#') {
            continue;
        }
        let word = labelling_word(before);
        if is_extension_word(&word) || word == "pin" {
            continue;
        }
        let after = text.get(from..).unwrap_or_default();
        let behind = read_parameters(after);
        from += behind.length;
        let range = read_range(text.get(from..).unwrap_or_default());
        from += range.map_or(0, |(_, length)| length);
        let after = text.get(from..).unwrap_or_default();
        let is_chat_link = CHAT_LINKS.iter().any(|mark| before.ends_with(mark));
        let used_for = if is_chat_link { NumberUse::Message } else { number_use(before, after) };
        let Run { digits, plus, after_hyphen, last_group, has_letters, is_masked, .. } = read;
        for digits in digits {
            let star = if before.trim_end_matches(' ').ends_with('*') { "*" } else { "" };
            let code = behind.code.as_deref().unwrap_or_default();
            let number = FoundNumber {
                digits: format!("{star}{code}{digits}"),
                is_international: plus || is_chat_link || behind.code.is_some(),
                extension: behind.extension.clone(),
                after_hyphen,
                last_group,
                range: range.map(|(digits, _)| digits),
                is_masked,
                is_cut: after.trim_start_matches([' ', '[', '(']).starts_with(".."),
                used_for,
            };
            let is_labelled_short = || is_labelled(before) && digits.len() >= 3;
            if number.digits.len() >= MIN_DIGITS || is_masked && number.digits.len() >= 3 {
                match used_for {
                    NumberUse::Message => further.push(number),
                    NumberUse::Fax => found.faxes.push(number),
                    NumberUse::Other => {}
                    NumberUse::Call | NumberUse::Mobile | NumberUse::Landline => {
                        found.numbers.push(number);
                    }
                }
            } else {
                let is_certain = has_letters || !star.is_empty() || is_labelled_short();
                short.push((number, is_certain));
            }
        }
        if found.numbers.len() + found.faxes.len() + further.len() + short.len() > MAX_NUMBERS {
            return FoundNumbers::default();
        }
    }
    FoundNumbers::default()
}

/// Numbers for messages and short numbers count if there are no others.
fn chosen(
    mut found: FoundNumbers,
    further: Vec<FoundNumber>,
    mut short: Vec<(FoundNumber, bool)>,
    text: &str,
) -> FoundNumbers {
    if found.numbers.is_empty() {
        found.numbers = further;
    }
    // A short number alone, such as `13 12 34`; in a sentence it is an hour or a house number, unless a
    // word says what it is.
    let is_alone = short.len() == 1 && !text.contains(char::is_alphabetic);
    short.retain(|(_, is_certain)| *is_certain || is_alone);
    if found.numbers.is_empty() && found.faxes.is_empty() && short.len() == 1 {
        found.numbers = short.into_iter().map(|(number, _)| number).collect();
    }
    found
}

/// `2026-10-02`, `02.10.2026`, `1998-2026`, `9.00-17.30`, `8-12 / 13-17`
fn is_date(run: &str) -> bool {
    let groups: Vec<&str> = run.split(['-', '.', '/']).map(str::trim).take(5).collect();
    let marks: String = run.chars().filter(|c| matches!(c, '-' | '.' | '/')).take(5).collect();
    let is_number = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let is_year = |group: &str| {
        group.len() == 4 && is_number(group) && (group.starts_with("19") || group.starts_with("20"))
    };
    let is_short = |group: &str| matches!(group.len(), 1 | 2) && is_number(group);
    match groups.as_slice() {
        [year, month, day] | [day, month, year] if is_year(year) => {
            is_short(month) && is_short(day)
        }
        [from, to] => is_year(from) && is_year(to) && marks == "-",
        times @ [_, _, _, _] => {
            matches!(marks.as_str(), ".-." | "-/-") && times.iter().all(|time| is_short(time))
        }
        _ => false,
    }
}
