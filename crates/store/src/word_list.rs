//! Lists of short words that engines store in one column.

use crate::StoreError;

/// The longest word (the name of an action, cause or section).
const MAX_WORD_BYTES: usize = 64;

/// Refuses words that could not be read back, because engines separate words with spaces.
pub(crate) fn check_words(what: &'static str, words: &[String]) -> Result<(), StoreError> {
    let plain = |word: &String| {
        !word.is_empty()
            && word.len() <= MAX_WORD_BYTES
            && word.bytes().all(|b| b.is_ascii_graphic())
    };
    match words.iter().find(|word| !plain(word)) {
        None => Ok(()),
        Some(word) => {
            let why = format!("{word:?} cannot be stored in the list of {what}");
            Err(StoreError::Failed { doing: "storing a word list", why })
        }
    }
}

/// The text that engines store.
#[must_use]
pub fn join_words(words: &[String]) -> String {
    words.join(" ")
}

/// Splits the text of [`join_words`].
#[must_use]
pub fn split_words(text: &str) -> Vec<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_others_are_refused() {
        for words in [vec![], vec!["read"], vec!["connect", "transact"]] {
            let words: Vec<String> = words.into_iter().map(String::from).collect();
            check_words("actions", &words).unwrap();
            assert_eq!(split_words(&join_words(&words)), words);
        }
        for bad in ["", "a b", "ü", "a\n", &"x".repeat(65)] {
            assert!(check_words("actions", &[bad.to_owned()]).is_err(), "{bad:?}");
        }
    }
}
