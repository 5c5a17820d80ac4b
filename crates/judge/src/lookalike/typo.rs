//! Typos: how one label differs from another by one typing error or one flipped bit.

use contract::records::LikenessClass;

/// The typo that turns `meant` into `written`. `None` if it takes more than one, or a replacement that is
/// neither a likely typing error nor a flipped bit.
pub(super) fn classify_typo(written: &str, meant: &str) -> Option<LikenessClass> {
    let (written, meant) = (written.as_bytes(), meant.as_bytes());
    if written == meant {
        return None;
    }
    let same_before = written.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let most = written.len().min(meant.len()) - same_before;
    let same_after =
        written.iter().rev().zip(meant.iter().rev()).take_while(|(a, b)| a == b).take(most).count();
    let middle = |bytes: &'_ [u8]| -> Vec<u8> {
        let end = bytes.len() - same_after;
        bytes.iter().take(end).skip(same_before).copied().collect()
    };
    match (middle(written).as_slice(), middle(meant).as_slice()) {
        ([a, b], [c, d]) if a == d && b == c => Some(LikenessClass::Transposition),
        ([], [_]) => Some(LikenessClass::Omission),
        ([added], []) => {
            let before = same_before.checked_sub(1).and_then(|at| meant.get(at));
            let doubled = before == Some(added) || meant.get(same_before) == Some(added);
            Some(if doubled { LikenessClass::DoubledLetter } else { LikenessClass::Insertion })
        }
        ([a], [b]) => classify_replacement(*a, *b),
        _ => None,
    }
}

fn classify_replacement(written: u8, meant: u8) -> Option<LikenessClass> {
    let both_vowels = [written, meant].iter().all(|letter| b"aeiou".contains(letter));
    if both_vowels || are_neighbours(written, meant) {
        Some(LikenessClass::Replacement)
    } else if (written ^ meant).is_power_of_two() {
        Some(LikenessClass::Bitsquat)
    } else {
        None
    }
}

/// The rows of a QWERTY keyboard. Each row is shifted right by half a key.
const ROWS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];

fn are_neighbours(one: u8, other: u8) -> bool {
    let place = |key: u8| {
        ROWS.iter().enumerate().find_map(|(row, keys)| {
            let column = keys.iter().position(|found| *found == key)?;
            Some((row, column))
        })
    };
    let (Some((row, column)), Some((other_row, other_column))) = (place(one), place(other)) else {
        return false;
    };
    if row == other_row {
        return column.abs_diff(other_column) == 1;
    }
    let (upper, lower) =
        if row < other_row { (column, other_column) } else { (other_column, column) };
    row.abs_diff(other_row) == 1 && (upper == lower || upper == lower + 1)
}

/// `label` itself, and every string that is `label` without one byte. Two labels that are one typo apart
/// have at least one of these in common.
pub(super) fn shortened(label: &str) -> impl Iterator<Item = Vec<u8>> + '_ {
    let without = (0..label.len()).map(|left_out| {
        let kept = label.bytes().enumerate().filter(|(at, _)| *at != left_out);
        kept.map(|(_, byte)| byte).collect()
    });
    without.chain(std::iter::once(label.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_slip_has_its_name() {
        for (written, meant, class) in [
            ("goolge", "google", Some(LikenessClass::Transposition)),
            ("gogle", "google", Some(LikenessClass::Omission)),
            ("gooogle", "google", Some(LikenessClass::DoubledLetter)),
            ("paypall", "paypal", Some(LikenessClass::DoubledLetter)),
            ("paypqal", "paypal", Some(LikenessClass::Insertion)),
            ("paypak", "paypal", Some(LikenessClass::Replacement)),
            ("faceboik", "facebook", Some(LikenessClass::Replacement)),
            ("gacebook", "facebook", Some(LikenessClass::Replacement)),
            ("microszft", "microsoft", None),
            ("mycrosoft", "microsoft", Some(LikenessClass::Bitsquat)),
            ("cacebook", "facebook", Some(LikenessClass::Replacement)),
            ("feaebook", "facebook", None),
            ("dacebook", "facebook", Some(LikenessClass::Replacement)),
            ("nacebook", "facebook", Some(LikenessClass::Bitsquat)),
            ("google", "google", None),
            ("", "a", Some(LikenessClass::Omission)),
        ] {
            assert_eq!(classify_typo(written, meant), class, "{written} {meant}");
        }
    }

    #[test]
    fn neighbours_are_those_of_the_keyboard() {
        for pair in [b"qw", b"qa", b"wa", b"sz", b"ol", b"pl", b"1q", b"2q", b"bh", b"bg"] {
            assert!(
                are_neighbours(pair[0], pair[1]) && are_neighbours(pair[1], pair[0]),
                "{pair:?}"
            );
        }
        for pair in [b"qs", b"qq", b"az", b"a-", b"qp", b"1a"] {
            let expected = *pair == *b"az";
            assert_eq!(are_neighbours(pair[0], pair[1]), expected, "{pair:?}");
        }
    }

    proptest! {
        /// The index relies on this: the shortened forms find every typo.
        #[test]
        fn labels_one_slip_apart_share_a_shortened_form(one in "[a-d]{0,7}", other in "[a-d]{0,7}") {
            let forms: BTreeSet<Vec<u8>> = shortened(&one).collect();
            if classify_typo(&one, &other).is_some() {
                prop_assert!(shortened(&other).any(|form| forms.contains(&form)));
            }
        }

        #[test]
        fn never_panics(one in "\\PC{0,70}", other in "\\PC{0,70}") {
            let _ = classify_typo(&one, &other);
            let _ = shortened(&one).count();
        }
    }
}
