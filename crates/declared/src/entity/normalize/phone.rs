//! Telephone numbers: E.164 if the region is known, otherwise bare digits.

use super::phone_plan::{NumberingPlan, plan_of_number, plan_of_region};
use crate::page::truncate_str;

/// Digits of the longest number, including its calling code.
const MAX_DIGITS: usize = 15;
/// How many digits must agree if the region of a number is unknown.
const MIN_COMPARABLE_DIGITS: usize = 7;

/// `+442079460000`, `+442079460000;ext=12`, or `~2079460000` if the region is unknown; empty if there is
/// no number.
pub(in super::super) fn normalize_phone(value: &str, region: Option<&str>) -> String {
    let value = truncate_str(value, 100);
    let folded: String = super::fold(value);
    let (number, extension) = split_extension(&folded);
    // A trunk prefix in brackets is not part of an international number.
    let number = if number.contains('+') { number.replace("(0)", "") } else { number.to_owned() };
    let digits = digits_of(&number);
    let plus =
        number.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '+').starts_with('+');
    let plan = region.and_then(plan_of_region);
    let main = if value.trim_start().starts_with('~') {
        None
    } else if plus {
        international_number(&digits)
    } else {
        let exit = if plan.is_some_and(|plan| plan.code == "1") { "011" } else { "00" };
        digits
            .strip_prefix(exit)
            .and_then(international_number)
            .or_else(|| plan.and_then(|plan| national_number(&digits, plan)))
    };
    let main = main.or_else(|| {
        let bare = digits.trim_start_matches('0');
        (!bare.is_empty()).then(|| format!("~{}", truncate_str(bare, MAX_DIGITS)))
    });
    match (main, extension) {
        (Some(main), Some(extension)) => format!("{main};ext={extension}"),
        (Some(main), None) => main,
        (None, _) => String::new(),
    }
}

/// Whether a normalized number is complete: it has a region and a length that the region uses.
pub(in super::super) fn is_possible(normal: &str) -> bool {
    normal.starts_with('+')
}

/// Whether two normalized numbers may be the same although a region is missing; none if there are too
/// few digits to decide.
pub(in super::super) fn may_be_same(one: &str, other: &str) -> Option<bool> {
    let bare = |normal: &str| -> String {
        let main = normal.split(';').next().unwrap_or_default();
        main.chars().filter(char::is_ascii_digit).collect()
    };
    let (one, other) = (bare(one), bare(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    (short.len() >= MIN_COMPARABLE_DIGITS).then(|| long.ends_with(&short))
}

/// A number with its calling code.
fn international_number(digits: &str) -> Option<String> {
    let plan = plan_of_number(digits)?;
    let national = digits.strip_prefix(plan.code)?;
    let fits = |national: &str| (plan.digits.0..=plan.digits.1).contains(&national.len());
    let mut national = national;
    // A trunk prefix left in by mistake makes the number too long or start with a zero. There may be
    // several, and a normalized number must not lose one more when it is normalized again.
    while !plan.trunk.is_empty()
        && plan.trunk != plan.code
        && (!fits(national) || national.starts_with('0'))
        && let Some(rest) = national.strip_prefix(plan.trunk)
        && fits(rest)
    {
        national = rest;
    }
    fits(national).then(|| format!("+{}{national}", plan.code))
}

/// A number as dialled within its region.
fn national_number(digits: &str, plan: &NumberingPlan) -> Option<String> {
    let (least, most) = plan.digits;
    let fits = |national: &str| (least..=most).contains(&national.len());
    if let Some(national) = digits.strip_prefix(plan.trunk).filter(|_| !plan.trunk.is_empty())
        && fits(national)
    {
        let full = format!("{}{national}", plan.code);
        return international_number(&full).or_else(|| Some(format!("+{full}")));
    }
    let national = digits;
    if fits(national) && !(national.starts_with('0') && plan.trunk == "0") {
        return Some(format!("+{}{national}", plan.code));
    }
    // The code without its plus sign.
    (digits.len() > most)
        .then(|| international_number(digits))
        .flatten()
        .filter(|full| full.strip_prefix('+').is_some_and(|full| full.starts_with(plan.code)))
}

fn split_extension(value: &str) -> (&str, Option<String>) {
    for mark in [";ext=", "extension", "ext", "durchwahl", " x", "#"] {
        if let Some((before, after)) = value.split_once(mark) {
            let digits: String = after.chars().filter(char::is_ascii_digit).take(7).collect();
            // `;ext=` is the normalized form, in which the number has lost its leading zeros.
            let least = if mark == ";ext=" { 1 } else { 5 };
            if before.chars().filter(char::is_ascii_digit).count() >= least && !digits.is_empty() {
                return (before, Some(digits));
            }
        }
    }
    (value, None)
}

/// The digits of a number; letters of a vanity number become the digits of their keys.
fn digits_of(number: &str) -> String {
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let letters = number.chars().filter(char::is_ascii_alphabetic).count();
    let vanity = digits >= 3 && (3..=10).contains(&letters);
    number
        .chars()
        .skip_while(|c| vanity && c.is_ascii_alphabetic())
        .filter_map(|c| match c {
            '0'..='9' => Some(c),
            _ if !vanity => None,
            'a'..='c' => Some('2'),
            'd'..='f' => Some('3'),
            'g'..='i' => Some('4'),
            'j'..='l' => Some('5'),
            'm'..='o' => Some('6'),
            'p'..='s' => Some('7'),
            't'..='v' => Some('8'),
            'w'..='z' => Some('9'),
            _ => None,
        })
        .take(40)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_one_form() {
        for (written, region, form) in [
            ("+44 20 7946 0000", None, "+442079460000"),
            ("+44 (0)20 7946 0000", None, "+442079460000"),
            ("+44 020 7946 0000", None, "+442079460000"),
            ("0044 20 7946 0000", Some("GB"), "+442079460000"),
            ("020 7946 0000", Some("GB"), "+442079460000"),
            ("44 20 7946 0000", Some("gb"), "+442079460000"),
            ("(212) 555-0100", Some("US"), "+12125550100"),
            ("1-212-555-0100", Some("US"), "+12125550100"),
            ("011 44 20 7946 0000", Some("US"), "+442079460000"),
            ("1-800-FLOWERS", Some("US"), "+18003569377"),
            ("Tel. 030 901820", Some("DE"), "+4930901820"),
            ("+49 30 901820 ext. 12", None, "+4930901820;ext=12"),
            ("06 6982", Some("IT"), "+39066982"),
            ("+39 06 6982", None, "+39066982"),
            ("8 (495) 123-45-67", Some("RU"), "+74951234567"),
            ("91 123 45 67", Some("ES"), "+34911234567"),
            ("020 7946 0000", None, "~2079460000"),
            ("555 0100", Some("US"), "~5550100"),
            ("+999 1", None, "~9991"),
            ("call us", None, ""),
        ] {
            assert_eq!(normalize_phone(written, region), form, "{written} {region:?}");
        }
        assert_eq!(may_be_same("~2079460000", "+442079460000"), Some(true));
        assert_eq!(may_be_same("~2079460001", "+442079460000"), Some(false));
        assert_eq!(may_be_same("~0100", "+442079460000"), None);
    }

    #[test]
    fn a_number_of_zeros_keeps_its_extension() {
        assert_eq!(normalize_phone("00001#0", None), "~1;ext=0");
        assert_eq!(normalize_phone("~1;ext=0", None), "~1;ext=0");
    }

    #[test]
    fn several_trunk_prefixes_are_all_dropped() {
        for (written, region) in [
            ("+44 00 20 7946 0000", None),
            ("+44 0000000000", None),
            ("000 123 456 789", Some("GB")),
            ("00000000000", Some("GB")),
            ("0000000", Some("DE")),
        ] {
            let once = normalize_phone(written, region);
            assert_eq!(normalize_phone(&once, region), once, "{written}");
        }
    }

    proptest::proptest! {
        #[test]
        fn runs_of_zeros_are_stable(
            value in "(\\+(44|49|39|7|36|1))?0{0,6}[01]{0,10}",
            region in proptest::sample::select(vec![None, Some("GB"), Some("US"), Some("IT"), Some("HU"), Some("RU"), Some("MX"), Some("DE")]),
        ) {
            let once = normalize_phone(&value, region);
            proptest::prop_assert_eq!(normalize_phone(&once, region), once);
        }

        #[test]
        fn stable(
            value in "[+0-9() ./x#a-z-]{0,24}",
            region in proptest::sample::select(vec![None, Some("GB"), Some("US"), Some("IT"), Some("HU"), Some("RU"), Some("MX"), Some("DE")]),
        ) {
            let once = normalize_phone(&value, region);
            proptest::prop_assert_eq!(normalize_phone(&once, region), once);
        }
    }
}
