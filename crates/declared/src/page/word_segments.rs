//! Words of scripts that are written without spaces between them: Chinese, Japanese, Thai, Lao, Khmer,
//! Burmese. A dictionary finds them.

use std::sync::LazyLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// A longer run of such characters is segmented in parts, so that the memory for one is bounded.
const MAX_RUN: usize = 4_096;

/// Han characters, kana, Thai, Lao, Khmer, Burmese: written without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}'
        | '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// The words of a run of unspaced characters, in their order.
pub(super) fn segment_run<'a>(run: &'a str, mut each: impl FnMut(&'a str)) {
    let mut rest = run;
    while !rest.is_empty() {
        let (part, after) =
            rest.split_at_checked(rest.floor_char_boundary(MAX_RUN)).unwrap_or((rest, ""));
        let mut from = 0;
        for at in SEGMENTER.segment_str(part) {
            if let Some(word) = part.get(from..at).filter(|word| !word.is_empty()) {
                each(word);
            }
            from = at;
        }
        rest = after;
    }
}

/// The words of a text: runs between white space that contain a letter or a digit, and each word of a
/// script without spaces.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(char::is_whitespace).flat_map(words_of_run).filter(|word| is_word(word))
}

/// The number of [`words`], counted no further than this.
pub(super) fn count_words(text: &str, most: usize) -> usize {
    let mut count = 0;
    let mut rest = text;
    while count < most && !rest.is_empty() {
        let (block, after) = rest.split_at_checked(block_length(rest)).unwrap_or((rest, ""));
        count += match count_ascii_words(block.as_bytes()) {
            Some(words) => words,
            None => words(block).count(),
        };
        rest = after;
    }
    count.min(most)
}

/// How many bytes of a text are counted together. A block ends behind white space.
fn block_length(text: &str) -> usize {
    const BLOCK: usize = 128;
    let bytes = text.as_bytes();
    let Some((block, more)) = bytes.split_at_checked(BLOCK) else { return bytes.len() };
    let last = block.iter().rposition(|byte| is_ascii_space(*byte));
    let next = || more.iter().position(|byte| is_ascii_space(*byte)).map(|at| BLOCK + at);
    last.or_else(next).map_or(bytes.len(), |at| at + 1)
}

/// The number of words of a short text of ASCII in which no run begins with a sign; none for other texts.
/// Every byte is treated alike, so that the processor compares many at a time.
fn count_ascii_words(text: &[u8]) -> Option<usize> {
    let (first, rest) = text.split_first().filter(|_| text.len() <= usize::from(u8::MAX))?;
    let (mut count, mut is_other) = (0_u8, false);
    let mut look_at = |begins: bool, byte: u8| {
        let is_letter = byte.is_ascii_alphanumeric();
        count += u8::from(begins & is_letter);
        is_other |= !byte.is_ascii() | (begins & !is_letter & !is_ascii_space(byte));
    };
    look_at(true, *first);
    for (before, byte) in text.iter().zip(rest) {
        look_at(is_ascii_space(*before), *byte);
    }
    (!is_other).then_some(usize::from(count))
}

/// White space among the characters of one byte, as `char::is_whitespace` has it.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// A run of characters without white space, split where a script without spaces begins, ends or parts
/// its words.
fn words_of_run(run: &str) -> WordsOfRun<'_> {
    if run.is_ascii() || !run.contains(is_unspaced) {
        return WordsOfRun::One(Some(run));
    }
    let mut words = Vec::new();
    let mut rest = run;
    while let Some(start) = rest.find(is_unspaced) {
        let (before, from) = rest.split_at_checked(start).unwrap_or((rest, ""));
        words.push(before);
        let length = from.find(|c| !is_unspaced(c)).unwrap_or(from.len());
        let (unspaced, after) = from.split_at_checked(length).unwrap_or((from, ""));
        segment_run(unspaced, |word| words.push(word));
        rest = after;
    }
    words.push(rest);
    WordsOfRun::Many(words.into_iter())
}

enum WordsOfRun<'a> {
    One(Option<&'a str>),
    Many(std::vec::IntoIter<&'a str>),
}

impl<'a> Iterator for WordsOfRun<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match self {
            Self::One(word) => word.take(),
            Self::Many(words) => words.next(),
        }
    }
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_spaces_are_counted() {
        for (text, least, most) in [
            ("Two words", 2, 2),
            ("– & … ,", 0, 0),
            ("Straße nach Ägypten", 3, 3),
            ("我们的面包店每天早上四点开始营业。", 8, 13),
            ("当社は毎朝四時からパンを焼いています。", 8, 15),
            ("ร้านของเราเปิดทุกวันเวลาเก้าโมงเช้า", 7, 12),
            ("ហាងរបស់យើងបើករាល់ថ្ងៃ", 3, 8),
            ("ຮ້ານຂອງພວກເຮົາເປີດທຸກມື້", 4, 9),
            ("ကျွန်ုပ်တို့ဆိုင်သည်နေ့တိုင်းဖွင့်သည်", 4, 12),
            ("우리 가게는 매일 엽니다", 4, 4),
            ("iPhone15を買う", 3, 4),
        ] {
            let words = words(text).count();
            assert!((least..=most).contains(&words), "{text}: {words}");
        }
    }

    proptest::proptest! {
        #[test]
        fn words_are_counted_as_they_are_listed(
            text in "[a1é面– \u{a0}\u{b}\u{1c}\n.,]{0,60}", most in 0_usize..40
        ) {
            proptest::prop_assert_eq!(count_words(&text, most), words(&text).take(most).count());
            proptest::prop_assert_eq!(count_words(&text, usize::MAX), words(&text).count());
        }
    }

    #[test]
    fn long_runs_are_segmented_in_parts() {
        let text = "面包".repeat(20_000);
        let words = words(&text).count();
        assert!((19_900..=21_000).contains(&words), "{words}");
        let mut joined = String::new();
        segment_run(&text, |word| joined.push_str(word));
        assert_eq!(joined, text);
    }
}
