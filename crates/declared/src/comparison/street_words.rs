//! Words for streets and squares in several languages.

/// Words for streets and squares, whole words or endings, lower case.
const STREET_WORDS: &[&str] = &[
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "lane",
    "drive",
    "square",
    "boulevard",
    "blvd",
    "way",
    "court",
    "terrace",
    "quay",
    "rue",
    "place",
    "chemin",
    "quai",
    "via",
    "viale",
    "piazza",
    "corso",
    "calle",
    "avenida",
    "plaza",
    "paseo",
    "rua",
    "praça",
    "largo",
    "ulica",
    "ul",
    "aleja",
    "gade",
    "vej",
    "gata",
    "gatan",
    "vägen",
    "katu",
    "tie",
    "sokak",
    "caddesi",
    "улица",
    "ул",
];
const STREET_ENDINGS: &[&str] = &[
    "straße", "strasse", "str", "gasse", "platz", "weg", "allee", "straat", "laan", "plein",
    "gracht", "gade", "vej", "gatan", "gata", "vägen", "veien", "gaten", "katu",
];

/// The shortest word with an ending: three letters before the shortest one.
const MIN_WITH_ENDING: usize = 6;

/// Which two letters a word of the lists ends with: for each last but one, a bit for each last.
const ENDS: [u32; 26] = {
    let mut ends = [0; 26];
    let (mut words, mut more): (&[&str], &[&str]) = (STREET_WORDS, STREET_ENDINGS);
    loop {
        (words, more) = match (words, more) {
            ([word, rest @ ..], more) => {
                note_end(&mut ends, word.as_bytes());
                (rest, more)
            }
            ([], [word, rest @ ..]) => {
                note_end(&mut ends, word.as_bytes());
                ([].as_slice(), rest)
            }
            ([], []) => break ends,
        };
    }
};

const fn note_end(ends: &mut [u32; 26], word: &[u8]) {
    if let [.., before, last] = word
        && let (b'a'..=b'z', b'a'..=b'z') = (*before, *last)
        && let Some((_, [row, ..])) = ends.split_at_mut_checked((*before - b'a') as usize)
    {
        *row |= 1 << (*last - b'a');
    }
}

/// Whether a word ends with the two letters that a word of the lists ends with; also `true` if one of the two is
/// not ASCII. Rejects most words at little cost. Signs behind the word do not count.
fn ends_like_street(word: &str) -> bool {
    let bytes = word.as_bytes();
    let end = bytes.iter().rposition(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let Some(&[before, last]) = end.and_then(|end| bytes.get(end.checked_sub(1)?..=end)) else {
        // No word of the lists has one letter.
        return false;
    };
    if !before.is_ascii() || !last.is_ascii() {
        return true;
    }
    let (before, last) = (before.to_ascii_lowercase(), last.to_ascii_lowercase());
    let row = ENDS.get(usize::from(before.wrapping_sub(b'a'))).copied().unwrap_or(0);
    last.is_ascii_lowercase() && row & (1 << (last - b'a')) != 0
}

/// Whether a word is one for a street, or ends with one. Ignores case and the signs around it.
pub(super) fn is_street_word(word: &str) -> bool {
    if !ends_like_street(word) {
        return false;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    if word.is_ascii() {
        // None is copied.
        return is_known(word, |word, known| word.eq_ignore_ascii_case(known));
    }
    is_known(&word.to_lowercase(), |word, known| word == known)
}

fn is_known(word: &str, is_same: impl Fn(&str, &str) -> bool) -> bool {
    let ends_with = |ending: &str| {
        let from = word.len().checked_sub(ending.len()).filter(|from| *from > 2);
        from.and_then(|from| word.get(from..)).is_some_and(|end| is_same(end, ending))
    };
    STREET_WORDS.iter().any(|known| known.len() == word.len() && is_same(word, known))
        || (word.len() >= MIN_WITH_ENDING && STREET_ENDINGS.iter().any(|ending| ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_lists_is_known() {
        for word in STREET_WORDS {
            assert!(is_street_word(word) && is_street_word(&word.to_uppercase()), "{word}");
        }
        for ending in STREET_ENDINGS {
            assert!(ending.len() + 3 >= MIN_WITH_ENDING, "{ending}");
            assert!(is_street_word(&format!("Nord{ending}")), "{ending}");
        }
    }

    #[test]
    fn case_and_signs_around_a_word_make_no_difference() {
        for word in ["Street", "st.", "(QUAY)", "Hauptstraße", "HAUPTSTRASSE", "Улица,", "Vägen"]
        {
            assert!(is_street_word(word), "{word}");
        }
        // An ending alone is no street, unless it is a word of its own.
        for word in ["weg", "", "–", "streets", "aweg", "abweg", "straße"] {
            assert!(!is_street_word(word), "{word}");
        }
        assert!(is_street_word("Rundweg") && is_street_word("vej"));
    }

    proptest::proptest! {
        #[test]
        fn looking_at_the_end_first_changes_no_result(
            word in "[(–.1]{0,2}(é|Nord|\u{212a}|x)?(str|STR|straße|VÄGEN|Allee|ул|st|weg|a|Ö)(t|é|s)?[.…,1]{0,2}"
        ) {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            let is_known = is_known(&bare, |word, known| word == known);
            proptest::prop_assert_eq!(is_street_word(&word), is_known);
        }
    }
}
