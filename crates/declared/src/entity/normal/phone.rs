//! Telephone numbers: E.164 where the region is known, bare digits where not.

use super::phone_plan::{Plan, of_number, of_region};

/// Digits of the longest number, with its code.
const MAX_DIGITS: usize = 15;
/// Digits that must agree when the region of a number is not known.
const ENOUGH: usize = 7;

/// `+442079460000`, `+442079460000;ext=12`, or `~2079460000` when nobody says which region is meant;
/// empty when there is no number.
pub(in super::super) fn normal(value: &str, region: Option<&str>) -> String {
    let value = super::super::cut(value, 100);
    let folded: String = super::folded(value);
    let (number, extension) = split_extension(&folded);
    // A trunk prefix in brackets is not dialled after a calling code.
    let number = if number.contains('+') { number.replace("(0)", "") } else { number.to_owned() };
    let digits = digits_of(&number);
    let plus =
        number.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '+').starts_with('+');
    let plan = region.and_then(of_region);
    let main = if value.trim_start().starts_with('~') {
        None
    } else if plus {
        from_abroad(&digits)
    } else {
        let exit = if plan.is_some_and(|plan| plan.code == "1") { "011" } else { "00" };
        digits
            .strip_prefix(exit)
            .and_then(from_abroad)
            .or_else(|| plan.and_then(|plan| at_home(&digits, plan)))
    };
    let main = main.or_else(|| {
        let bare = digits.trim_start_matches('0');
        (!bare.is_empty()).then(|| format!("~{}", super::super::cut(bare, MAX_DIGITS)))
    });
    match (main, extension) {
        (Some(main), Some(extension)) => format!("{main};ext={extension}"),
        (Some(main), None) => main,
        (None, _) => String::new(),
    }
}

/// Whether a normal form can be dialled: it has a region and a length that the region uses.
pub(in super::super) fn is_possible(normal: &str) -> bool {
    normal.starts_with('+')
}

/// Whether two normal forms may be the same number although a region is missing; none when there
/// are too few digits to say.
pub(in super::super) fn alike(one: &str, other: &str) -> Option<bool> {
    let bare = |normal: &str| -> String {
        let main = normal.split(';').next().unwrap_or_default();
        main.chars().filter(char::is_ascii_digit).collect()
    };
    let (one, other) = (bare(one), bare(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    (short.len() >= ENOUGH).then(|| long.ends_with(&short))
}

/// A number with its calling code.
fn from_abroad(digits: &str) -> Option<String> {
    let plan = of_number(digits)?;
    let national = digits.strip_prefix(plan.code)?;
    let fits = |national: &str| (plan.digits.0..=plan.digits.1).contains(&national.len());
    let without = (!plan.trunk.is_empty() && plan.trunk != plan.code)
        .then(|| national.strip_prefix(plan.trunk))
        .flatten()
        .filter(|rest| fits(rest));
    // A trunk prefix that slipped in makes the number too long or begins it with a nought.
    let national = match without {
        Some(rest) if !fits(national) || national.starts_with('0') => rest,
        _ => national,
    };
    fits(national).then(|| format!("+{}{national}", plan.code))
}

/// A number as it is dialled inside of its region.
fn at_home(digits: &str, plan: &Plan) -> Option<String> {
    let (least, most) = plan.digits;
    let fits = |national: &str| (least..=most).contains(&national.len());
    if let Some(national) = digits.strip_prefix(plan.trunk).filter(|_| !plan.trunk.is_empty())
        && fits(national)
    {
        return Some(format!("+{}{national}", plan.code));
    }
    let national = digits;
    if fits(national) && !(national.starts_with('0') && plan.trunk == "0") {
        return Some(format!("+{}{national}", plan.code));
    }
    // The code without its plus sign.
    (digits.len() > most)
        .then(|| from_abroad(digits))
        .flatten()
        .filter(|full| full.strip_prefix('+').is_some_and(|full| full.starts_with(plan.code)))
}

fn split_extension(value: &str) -> (&str, Option<String>) {
    for mark in [";ext=", "extension", "ext", "durchwahl", " x", "#"] {
        if let Some((before, after)) = value.split_once(mark) {
            let digits: String = after.chars().filter(char::is_ascii_digit).take(7).collect();
            // The first mark is that of the normal form, whose number has lost its zeros.
            let least = if mark == ";ext=" { 1 } else { 5 };
            if before.chars().filter(char::is_ascii_digit).count() >= least && !digits.is_empty() {
                return (before, Some(digits));
            }
        }
    }
    (value, None)
}

/// The digits of a number, letters of a vanity number as their keys.
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
            assert_eq!(normal(written, region), form, "{written} {region:?}");
        }
        assert_eq!(alike("~2079460000", "+442079460000"), Some(true));
        assert_eq!(alike("~2079460001", "+442079460000"), Some(false));
        assert_eq!(alike("~0100", "+442079460000"), None);
    }

    #[test]
    fn a_number_of_zeros_keeps_its_extension() {
        assert_eq!(normal("00001#0", None), "~1;ext=0");
        assert_eq!(normal("~1;ext=0", None), "~1;ext=0");
    }

    proptest::proptest! {
        #[test]
        fn stable(
            value in "[+0-9() ./x#a-z-]{0,24}",
            region in proptest::sample::select(vec![None, Some("GB"), Some("US"), Some("IT"), Some("HU"), Some("RU"), Some("MX"), Some("DE")]),
        ) {
            let once = normal(&value, region);
            proptest::prop_assert_eq!(normal(&once, region), once);
        }
    }
}
