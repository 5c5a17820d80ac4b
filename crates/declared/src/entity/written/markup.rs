//! Marks of emphasis around a fact: `**030 123456**`, `` `example.org` ``.

use std::borrow::Cow;

/// The text without marks of emphasis that stand around words. Other asterisks are kept: they may hide digits.
pub(super) fn without_emphasis(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for mark in ["**", "`", "*"] {
        if text.contains(mark) {
            text = Cow::Owned(without_mark(&text, mark));
        }
    }
    text
}

fn without_mark(text: &str, mark: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split(mark).peekable();
    plain.push_str(pieces.next().unwrap_or_default());
    while let Some(piece) = pieces.next() {
        let is_word = !piece.is_empty() && piece.trim() == piece;
        let follows_word = plain.chars().next_back().is_some_and(char::is_alphanumeric);
        let ends_before_word = |next: &&str| !next.starts_with(char::is_alphanumeric);
        match pieces.next_if(|next| is_word && !follows_word && ends_before_word(next)) {
            Some(next) => {
                plain.push_str(piece);
                plain.push_str(next);
            }
            None => {
                plain.push_str(mark);
                plain.push_str(piece);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_words_say_nothing() {
        for (text, expected) in [
            ("**044 211 56 30**", "044 211 56 30"),
            (
                "Call **044 211 56 30**, or `www.example.org`.",
                "Call 044 211 56 30, or www.example.org.",
            ),
            ("*closed* on Sundays", "closed on Sundays"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_emphasis(text), expected);
        }
    }

    #[test]
    fn hidden_digits_stay_hidden() {
        for text in ["01 53 67 ** **", "044 *** 56 30", "0*4*4", "+49 ** 12 ** 3", "__name__", "*"]
        {
            assert_eq!(without_emphasis(text), text);
        }
    }
}
