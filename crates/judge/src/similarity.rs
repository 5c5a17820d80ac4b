//! How alike two texts are.

use std::collections::HashSet;

/// Words that stand together in one shingle.
const SHINGLE: usize = 3;

/// The share of three-word runs two texts have in common, from 0 to 1. Two texts without words are
/// alike; a text and nothing are not.
pub(crate) fn similarity(one: &[&str], other: &[&str]) -> f64 {
    let (one, other) = (shingles(one), shingles(other));
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    let common = one.intersection(&other).count();
    let all = one.len() + other.len() - common;
    common as f64 / all as f64
}

fn shingles<'a>(words: &'a [&'a str]) -> HashSet<&'a [&'a str]> {
    if words.is_empty() {
        return HashSet::new();
    }
    words.windows(SHINGLE.min(words.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> f64 {
        let words =
            |text: &'static str| text.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>();
        similarity(
            &words(Box::leak(one.to_owned().into())),
            &words(Box::leak(other.to_owned().into())),
        )
    }

    #[test]
    fn from_nothing_in_common_to_the_same() {
        assert_eq!(alike("a b c d", "a b c d"), 1.0);
        assert_eq!(alike("a b c d", "e f g h"), 0.0);
        assert_eq!(alike("", ""), 1.0);
        assert_eq!(alike("a", ""), 0.0);
        assert_eq!(alike("a b", "a b"), 1.0);
        // Of abc, bcd and bcx one run in three is common.
        assert!((alike("a b c d", "a b c x") - 1.0 / 3.0).abs() < 1e-9);
    }
}
