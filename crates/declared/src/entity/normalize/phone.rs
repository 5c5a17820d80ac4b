//! Telephone numbers: E.164 if the region is known, otherwise bare digits.

use super::phone_plan::{NumberingPlan, plan_of_number, plan_of_region};
use crate::page::truncate_str;

/// Digits of the longest number, including its calling code.
const MAX_DIGITS: usize = 15;
/// How many digits must agree if the region of a number is unknown.
const MIN_COMPARABLE_DIGITS: usize = 7;
/// Calling codes (Italy, San Marino) after which the zero of a number is dialled.
const KEEP_ZERO: [&str; 2] = ["39", "378"];
/// A number with so many digits is complete. Letters after it are a remark.
const COMPLETE_DIGITS: usize = 9;

/// `+442079460000`, `+442079460000;ext=12`, or `~2079460000` if the region is unknown; empty if there is
/// no number.
pub(in super::super) fn normalize_phone(value: &str, region: Option<&str>) -> String {
    let value = truncate_str(value, 100);
    let folded: String = super::fold(value).chars().map(ascii_digit).collect();
    let (number, extension) = split_extension(&folded);
    let number = without_bracketed_trunk(number);
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

/// What a number is for, as far as its first digits tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NumberKind {
    Mobile,
    /// Freephone and shared-cost numbers.
    Service,
    Other,
}

/// The first digits of numbers that are certainly mobile, by country.
const MOBILE: &[&str] = &[
    "447", "4915", "4916", "4917", "336", "337", "393", "346", "347", "316", "4365", "4366",
    "4367", "4368", "4369", "4175", "4176", "4177", "4178", "4179", "3245", "3246", "3247", "3248",
    "3249", "467", "474", "479", "3519", "3538", "3069", "42060", "4207", "3620", "3630", "3670",
    "407", "905", "614", "8170", "8180", "8190", "8613", "8615", "8617", "8618", "8619", "79",
    "3584", "3585", "4850", "4851", "4853", "4860", "4866", "4869", "4872", "4873", "4878", "4879",
    "4888",
];
/// The first digits of freephone and shared-cost numbers, by country.
const SERVICE: &[&str] = &[
    "1800", "1888", "1877", "1866", "1855", "1844", "1833", "1822", "44800", "44808", "4484",
    "4487", "443", "49800", "49180", "49700", "338", "39800", "39803", "39840", "39199", "34800",
    "34900", "34901", "34902", "31800", "31900", "31088", "43800", "43810", "43820", "41800",
    "41840", "41848", "4620", "4677", "48800", "48801", "61180", "61130", "3280", "3278", "35180",
    "35170", "353180", "7800", "55800", "554", "91180",
];

/// What a complete normalized number is for.
pub(in super::super) fn number_kind(normal: &str) -> NumberKind {
    let digits = normal.trim_start_matches('+');
    let begins = |table: &[&str]| table.iter().any(|start| digits.starts_with(start));
    if begins(SERVICE) {
        NumberKind::Service
    } else if begins(MOBILE) {
        NumberKind::Mobile
    } else {
        NumberKind::Other
    }
}

/// Whether two normalized numbers may be the same although a region is missing or one of them was not
/// read to its end; none if there are too few digits to decide.
pub(in super::super) fn may_be_same(one: &str, other: &str) -> Option<bool> {
    let bare = |normal: &str| -> String {
        let main = normal.split(';').next().unwrap_or_default();
        main.chars().filter(char::is_ascii_digit).collect()
    };
    let (digits, other_digits) = (bare(one), bare(other));
    let (short, long) = if digits.len() <= other_digits.len() {
        (&digits, &other_digits)
    } else {
        (&other_digits, &digits)
    };
    (short.len() >= MIN_COMPARABLE_DIGITS).then(|| {
        long.contains(short.as_str())
            || (is_possible(one) && is_national_form(&other_digits, &digits))
            || (is_possible(other) && is_national_form(&digits, &other_digits))
    })
}

/// Whether `digits` are the international number as dialled within its region, with the trunk prefix.
/// Of that prefix the leading zeros are missing, as in every number whose region is unknown.
fn is_national_form(digits: &str, international: &str) -> bool {
    let Some(plan) = plan_of_number(international) else { return false };
    let trunk = plan.trunk.trim_start_matches('0');
    !trunk.is_empty() && digits.strip_prefix(trunk) == international.strip_prefix(plan.code)
}

/// The ASCII digit for one in the digits of Arabic, Persian and Urdu, Hindi or Bengali.
pub(in super::super) fn ascii_digit(c: char) -> char {
    let zero = match c {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6f0}'..='\u{6f9}' => 0x6f0,
        '\u{966}'..='\u{96f}' => 0x966,
        '\u{9e6}'..='\u{9ef}' => 0x9e6,
        _ => return c,
    };
    char::from_digit(u32::from(c) - zero, 10).unwrap_or(c)
}

/// Drops a trunk prefix in brackets, as in `+44 (0)20`. It is not part of an international number,
/// except where numbers keep their zero.
fn without_bracketed_trunk(number: &str) -> String {
    let compact: String = number.chars().filter(|c| !c.is_whitespace()).collect();
    let Some((before, after)) = compact.split_once("(0)") else { return number.to_owned() };
    let code = before.trim_start_matches(|c: char| c != '+' && !c.is_ascii_digit());
    let code = code.strip_prefix('+').or_else(|| code.strip_prefix("00")).unwrap_or(code);
    if code.is_empty() {
        return number.to_owned();
    }
    let keeps_zero = KEEP_ZERO.contains(&code.trim_matches(|c: char| !c.is_ascii_digit()));
    format!("{before}{}{after}", if keeps_zero { "0" } else { "" })
}

/// A number with its calling code.
pub(in super::super) fn international_number(digits: &str) -> Option<String> {
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
pub(in super::super) fn national_number(digits: &str, plan: &NumberingPlan) -> Option<String> {
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

/// The digits of a number; letters of a vanity number become the digits of their keys. Words before
/// the number, and those after a complete one, are not part of it.
fn digits_of(number: &str) -> String {
    let number = number.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut seen = 0;
    let remark = number.find(|c: char| {
        seen += usize::from(c.is_ascii_digit());
        seen >= COMPLETE_DIGITS && c.is_alphabetic()
    });
    let number = remark.and_then(|at| number.get(..at)).unwrap_or(number);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let letters = number.chars().filter(char::is_ascii_alphabetic).count();
    let vanity = digits >= 3 && (3..=10).contains(&letters);
    number
        .chars()
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
    fn ordinary_national_and_international_forms() {
        for (written, region, form) in [
            // Germany, France, India, Austria.
            ("030 / 90 18 20", Some("DE"), "+4930901820"),
            ("+49 (0) 30 / 90 18 20", None, "+4930901820"),
            ("0049 (0)30 901820", None, "+4930901820"),
            ("01 23 45 67 89", Some("FR"), "+33123456789"),
            ("+33 (0)1.23.45.67.89", None, "+33123456789"),
            ("098765 43210", Some("IN"), "+919876543210"),
            ("(022) 2345-6789", Some("IN"), "+912223456789"),
            ("+91-98765-43210", None, "+919876543210"),
            ("1800 123 4567", Some("IN"), "~18001234567"),
            ("(01) 58858-0", Some("AT"), "+431588580"),
            // The brackets, with and without a plus sign.
            ("(+44) (0)20 7946 0000", None, "+442079460000"),
            ("+44 ( 0 ) 20 7946 0000", None, "+442079460000"),
            ("44 (0)20 7946 0000", Some("GB"), "+442079460000"),
            ("(0)20 7946 0000", Some("GB"), "+442079460000"),
            ("+44 (020) 7946 0000", None, "+442079460000"),
            // Direction marks and thin spaces from an address book, full-width digits.
            ("\u{202a}+44\u{a0}20\u{2009}7946\u{2011}0000\u{202c}", None, "+442079460000"),
            ("＋４４　２０　７９４６　００００", None, "+442079460000"),
            // Arabic, Persian and Devanagari digits.
            ("+٢٠ ٢ ٢٧٩٥ ٠٠٠٠", None, "+20227950000"),
            ("۰۲۱ ۸۸۹۰ ۱۲۳۴", Some("IR"), "+982188901234"),
            ("०२२ २३४५ ६७८९", Some("IN"), "+912223456789"),
        ] {
            assert_eq!(normalize_phone(written, region), form, "{written} {region:?}");
        }
    }

    #[test]
    fn italian_numbers_keep_their_zero() {
        for written in ["+39 (0)6 69821", "+39 06 69821", "0039 (0)6 69821", "(+39) (0) 6 69821"] {
            assert_eq!(normalize_phone(written, Some("IT")), "+390669821", "{written}");
        }
        assert_eq!(normalize_phone("+378 (0)549 882914", None), "+3780549882914");
    }

    #[test]
    fn words_around_a_number_are_not_its_digits() {
        for (written, region, form) in [
            ("Phone No. 020 7946 0000", Some("GB"), "+442079460000"),
            ("Call us on +44 20 7946 0000", None, "+442079460000"),
            ("Tel.-Nr.: 030 901820", Some("DE"), "+4930901820"),
            ("020 7946 0000 (London)", Some("GB"), "+442079460000"),
            ("+44 20 7946 0000 (Mon to Fri, 9-17)", None, "+442079460000"),
            ("+49 30 901820 Fax", None, "+4930901820"),
            ("+44 20 7946 0000, Fax: +44 20 7946 0001", None, "+442079460000"),
            ("+972 3 123 4567 משרד", None, "+97231234567"),
            ("+1 212 555 CALL", None, "+12125552255"),
            ("0800 FLOWERS", Some("GB"), "+448003569377"),
        ] {
            assert_eq!(normalize_phone(written, region), form, "{written} {region:?}");
        }
    }

    #[test]
    fn a_national_form_without_region_may_be_the_international_number() {
        for (national, international) in [
            ("8 (495) 123-45-67", "+74951234567"),
            ("01 55 1234 5678", "+525512345678"),
            ("06 1 234 5678", "+3612345678"),
            ("8 017 227 12 34", "+375172271234"),
            ("1-212-555-0100", "+12125550100"),
        ] {
            let national = normalize_phone(national, None);
            assert!(!is_possible(&national), "{national}");
            assert_eq!(may_be_same(&national, international), Some(true), "{national}");
            assert_eq!(may_be_same(international, &national), Some(true), "{national}");
        }
        assert_eq!(may_be_same("~84951234568", "+74951234567"), Some(false));
        assert_eq!(may_be_same("~74951234567", "~84951234567"), Some(false));
        assert_eq!(normalize_phone("8 017 227 12 34", Some("BY")), "+375172271234");
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
            value in "([+0-9() ./x#a-z-]|\\(0\\)|[٠-٩०-९]){0,24}",
            region in proptest::sample::select(vec![None, Some("GB"), Some("US"), Some("IT"), Some("HU"), Some("RU"), Some("MX"), Some("DE")]),
        ) {
            let once = normalize_phone(&value, region);
            proptest::prop_assert_eq!(normalize_phone(&once, region), once);
        }
    }
}
