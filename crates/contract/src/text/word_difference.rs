//! Which words of two short texts differ.

/// A longer text is not compared any further: the time grows with the product of both lengths.
const MAX_WORDS: usize = 300;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPiece {
    pub text: String,
    /// Whether the other text does not have this part here.
    pub differs: bool,
}

/// Splits two texts into pieces that both have, in the same order, and pieces that only one has. The
/// pieces of a text make up the whole text. Only its first 300 words are compared; what follows counts
/// as different. Texts that share less than a quarter of their words differ as a whole: what they share
/// is chance.
#[must_use]
pub fn mark_differences(left: &str, right: &str) -> (Vec<TextPiece>, Vec<TextPiece>) {
    let (left, right) = (split_words(left), split_words(right));
    let lengths = CommonLengths::compute(&left, &right);
    let shorter = left.len().min(right.len()).min(MAX_WORDS);
    if usize::from(lengths.after(0, 0)) * 4 < shorter {
        let whole = |words: &[&str]| vec![TextPiece { text: words.concat(), differs: true }];
        return (whole(&left), whole(&right));
    }
    let (mut own, mut theirs) = (Pieces::default(), Pieces::default());
    let (mut at, mut at_right) = (0, 0);
    loop {
        match (left.get(at), right.get(at_right)) {
            (None, None) => break,
            (Some(one), Some(two)) if is_same(one, two) => {
                own.push(one, false);
                theirs.push(two, false);
                (at, at_right) = (at + 1, at_right + 1);
            }
            (Some(one), Some(_))
                if lengths.after(at + 1, at_right) >= lengths.after(at, at_right + 1) =>
            {
                own.push(one, true);
                at += 1;
            }
            (_, Some(two)) => {
                theirs.push(two, true);
                at_right += 1;
            }
            (Some(one), None) => {
                own.push(one, true);
                at += 1;
            }
        }
    }
    (own.0, theirs.0)
}

fn is_same(one: &str, two: &str) -> bool {
    one.trim_end() == two.trim_end()
}

/// For each pair of places, how many words both texts have in common after them.
struct CommonLengths {
    rows: Vec<Vec<u16>>,
}

impl CommonLengths {
    fn compute(left: &[&str], right: &[&str]) -> Self {
        let (height, width) = (left.len().min(MAX_WORDS), right.len().min(MAX_WORDS));
        let mut rows = vec![vec![0_u16; width + 1]; height + 1];
        let mut below = vec![0_u16; width + 1];
        for (row, one) in rows.iter_mut().zip(left).take(height).rev() {
            let mut to_the_right = 0;
            let cells = row.iter_mut().zip(right).zip(below.windows(2)).take(width);
            for ((cell, two), under) in cells.rev() {
                let (straight, diagonal) = match under {
                    [straight, diagonal] => (*straight, *diagonal),
                    _ => (0, 0),
                };
                *cell = if is_same(one, two) { diagonal + 1 } else { straight.max(to_the_right) };
                to_the_right = *cell;
            }
            below.clone_from(row);
        }
        Self { rows }
    }

    fn after(&self, left: usize, right: usize) -> u16 {
        self.rows.get(left).and_then(|row| row.get(right)).copied().unwrap_or(0)
    }
}

#[derive(Default)]
struct Pieces(Vec<TextPiece>);

impl Pieces {
    /// Adds a word. The space after a word that differs goes to the next piece, so that no mark covers
    /// a space at its end.
    fn push(&mut self, word: &str, differs: bool) {
        match self.0.last_mut() {
            Some(last) if last.differs == differs => last.text.push_str(word),
            Some(last) if last.differs => {
                let space = last.text.split_off(last.text.trim_end().len());
                self.0.push(TextPiece { text: space + word, differs });
            }
            _ => self.0.push(TextPiece { text: word.to_owned(), differs }),
        }
    }
}

/// The words of a text, each with the white space after it. Signs of scripts that write no spaces, and
/// commas, are words of their own.
fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, letter) in text.char_indices() {
        let starts_word = !letter.is_whitespace()
            && before.is_some_and(|before| {
                before.is_whitespace() || stands_alone(before) || stands_alone(letter)
            });
        if starts_word {
            words.extend(text.get(start..at));
            start = at;
        }
        before = Some(letter);
    }
    words.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    words
}

/// Commas, and Chinese and Japanese signs.
const fn stands_alone(letter: char) -> bool {
    matches!(letter, ',' | ';' | '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
        || matches!(letter, '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff0f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pieces in one line, with those that differ in brackets.
    fn marked(pieces: &[TextPiece]) -> String {
        let mark = |piece: &TextPiece| match piece.differs {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        };
        pieces.iter().map(mark).collect()
    }

    fn check(left: &str, right: &str, expected: (&str, &str)) {
        let (one, two) = mark_differences(left, right);
        assert_eq!((marked(&one).as_str(), marked(&two).as_str()), expected);
    }

    #[test]
    fn words_that_differ_are_marked() {
        check("a b c", "a b c", ("a b c", "a b c"));
        check(
            "Nine rooms for 90 euro",
            "Nine cheap rooms for 60 euro",
            ("Nine rooms for [90] euro", "Nine [cheap] rooms for [60] euro"),
        );
        check("one two", "three", ("[one two]", "[three]"));
        check("a b of c d", "e of f g h i", ("[a b of c d]", "[e of f g h i]"));
        check("", "three  four", ("", "[three  four]"));
        check(
            "a@b.example, c@d.example",
            "c@d.example",
            ("[a@b.example,] c@d.example", "c@d.example"),
        );
        check("東京都の宿", "東京都の店", ("東京都の[宿]", "東京都の[店]"));
        check("", "", ("", ""));
    }

    #[test]
    fn long_texts_are_bounded() {
        let long = "word ".repeat(20_000);
        let (one, two) = mark_differences(&long, "word");
        assert_eq!(one.iter().map(|piece| piece.text.len()).sum::<usize>(), long.len());
        assert_eq!(marked(&two), "word");
    }

    proptest! {
        #[test]
        fn pieces_make_up_the_texts(left in "[ab ,漢]{0,40}", right in "[ab ,漢]{0,40}") {
            let (one, two) = mark_differences(&left, &right);
            let whole = |pieces: &[TextPiece]| pieces.iter().map(|piece| piece.text.as_str()).collect::<String>();
            prop_assert_eq!(whole(&one), left);
            prop_assert_eq!(whole(&two), right);
            let common = |pieces: &[TextPiece]| -> String {
                let pieces = pieces.iter().filter(|piece| !piece.differs);
                pieces.flat_map(|piece| piece.text.chars()).filter(|c| !c.is_whitespace()).collect()
            };
            prop_assert_eq!(common(&one), common(&two));
        }

        #[test]
        fn any_texts_are_split(left: String, right: String) {
            let (one, _) = mark_differences(&left, &right);
            prop_assert_eq!(one.iter().map(|piece| piece.text.len()).sum::<usize>(), left.len());
        }
    }
}
