//! Short words that engines keep side by side in one column.

use crate::StoreError;

/// The longest word: names of actions, causes, sections.
const LONGEST: usize = 64;

/// Refuses what would not come back as it was put: engines keep words between spaces.
pub(crate) fn check(what: &'static str, words: &[String]) -> Result<(), StoreError> {
    let plain = |word: &String| {
        !word.is_empty() && word.len() <= LONGEST && word.bytes().all(|b| b.is_ascii_graphic())
    };
    match words.iter().find(|word| !plain(word)) {
        None => Ok(()),
        Some(word) => {
            let why = format!("{word:?} is not a word that can be kept as {what}");
            Err(StoreError::Failed { doing: "keeping words", why })
        }
    }
}

/// How engines keep words.
#[must_use]
pub fn write(words: &[String]) -> String {
    words.join(" ")
}

/// The words that [`write`] wrote.
#[must_use]
pub fn read(text: &str) -> Vec<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_others_are_refused() {
        for words in [vec![], vec!["read"], vec!["connect", "transact"]] {
            let words: Vec<String> = words.into_iter().map(String::from).collect();
            check("actions", &words).unwrap();
            assert_eq!(read(&write(&words)), words);
        }
        for bad in ["", "a b", "ü", "a\n", &"x".repeat(65)] {
            assert!(check("actions", &[bad.to_owned()]).is_err(), "{bad:?}");
        }
    }
}
