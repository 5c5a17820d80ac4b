//! Numbers that are nearly alike: digits were left out or mistyped.

use super::super::super::normalize::phone_plan::plan_of_number;

/// How many digits may be missing of a number that still is to be recognised.
const MAX_MISSING: usize = 2;

/// Whether the shorter digits are the longer ones without one or two that stand side by side: they were left
/// out, or came with a change of the numbering.
pub(super) fn lacks_digits(shorter: &str, longer: &str) -> bool {
    let missing = longer.len().saturating_sub(shorter.len());
    if !(1..=MAX_MISSING).contains(&missing) {
        return false;
    }
    let begin = shorter.bytes().zip(longer.bytes()).take_while(|(a, b)| a == b).count();
    let end = shorter.bytes().rev().zip(longer.bytes().rev()).take_while(|(a, b)| a == b).count();
    begin + end >= shorter.len()
}

/// Whether the last digits of the longer number are missing in the shorter one.
pub(super) fn is_cut_off(shorter: &str, longer: &str) -> bool {
    longer.strip_prefix(shorter).is_some_and(|missing| (1..=MAX_MISSING).contains(&missing.len()))
}

/// Whether one digit of complete numbers is wrong, or two neighbours are swapped. The first digit behind the calling code
/// tells a mobile from a landline, which may have all other digits alike.
pub(super) fn is_slip(one: &str, other: &str) -> bool {
    let kind = |full: &str| {
        let code = plan_of_number(full)?.code;
        full.strip_prefix(code)?.chars().next().map(|first| (code, first))
    };
    if one.len() != other.len() || kind(one) != kind(other) {
        return false;
    }
    let differing: Vec<(usize, (u8, u8))> =
        one.bytes().zip(other.bytes()).enumerate().filter(|(_, (a, b))| a != b).take(3).collect();
    match differing.as_slice() {
        [_] => true,
        [(first, (a, b)), (second, (c, d))] => first + 1 == *second && a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_digits_are_found() {
        for (shorter, longer, is_lacking) in [
            ("9635129", "96351297", true),
            ("963129", "9635129", true),
            ("6432917", "646632917", true),
            ("9635128", "96351297", false),
            ("963512", "963512", false),
            ("963", "963512", false),
        ] {
            assert_eq!(lacks_digits(shorter, longer), is_lacking, "{shorter} {longer}");
        }
    }

    #[test]
    fn slips_are_found() {
        for (one, other, is_found) in [
            ("971502846713", "971552846713", true),
            ("971502846713", "971502847613", true),
            ("971502846713", "971502846731", true),
            ("14155550199", "14155550136", false),
            ("34612345678", "34912345678", false),
            ("971502846713", "97150284671", false),
        ] {
            assert_eq!(is_slip(one, other), is_found, "{one} {other}");
        }
    }
}
