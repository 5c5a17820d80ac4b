//! Text as the phrase rules compare it: folded words, one blank between them, a line per sentence.

use declared::instructions::fold::{is_invisible, is_unspaced, push_folded, undisguise};

/// What stands for an address of a page and of a mailbox.
pub(super) const URL_MARK: &str = "§url";
pub(super) const MAIL_MARK: &str = "§mail";
/// What follows a name in backticks.
const CODE_MARK: &str = "§code";

/// A word: where it starts in the folded text, and the characters of the raw text that it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) folded: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sentence: usize,
}

#[derive(Debug, Default)]
pub(super) struct FoldedText {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
}

impl FoldedText {
    pub(super) fn new(raw: &str) -> Self {
        let mut folder = Folder::default();
        let mut at = 0_usize;
        for chunk in raw.split_inclusive(char::is_whitespace) {
            folder.add_chunk(chunk, at);
            at = at.saturating_add(chunk.chars().count());
        }
        folder.end_word();
        folder.done
    }

    /// A word, by its number.
    pub(super) fn word(&self, number: usize) -> Option<&str> {
        let start = self.words.get(number)?.folded;
        let end = self
            .words
            .get(number.saturating_add(1))
            .map_or(self.text.len(), |next| next.folded.saturating_sub(1));
        self.text.get(start..end)
    }

    /// The word that contains a byte of the folded text.
    pub(super) fn word_at(&self, byte: usize) -> usize {
        self.words.partition_point(|word| word.folded <= byte).saturating_sub(1)
    }
}

#[derive(Default)]
struct Folder {
    done: FoldedText,
    word: String,
    word_start: usize,
    /// The character after the last letter of the word.
    word_end: usize,
    sentence: usize,
    /// The next word starts a line.
    breaks: bool,
}

impl Folder {
    fn add_chunk(&mut self, chunk: &str, at: usize) {
        let plain = chunk.trim_matches(|c: char| !c.is_alphanumeric());
        let is_url = plain.contains("://");
        let is_mail = !is_url
            && plain.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && host.contains('.') && plain.is_ascii()
            });
        if is_url || is_mail {
            self.word_start = at;
            // Text before an address belongs to the chunk in unspaced writing and in Markdown.
            self.word.push_str(if is_url { URL_MARK } else { MAIL_MARK });
            self.word_end = at.saturating_add(chunk.trim_end().chars().count());
            self.end_word();
            if chunk.trim_end().ends_with('.') || chunk.contains('\n') {
                self.break_sentence();
            }
            return;
        }
        let mut letters = chunk.chars().enumerate().peekable();
        let mut before = ' ';
        while let Some((offset, c)) = letters.next() {
            let place = at.saturating_add(offset);
            let after = letters.peek().map_or(' ', |(_, next)| *next);
            self.add_char(c, before, after, place);
            if !is_invisible(c) {
                before = c;
            }
        }
        self.end_word();
    }

    fn add_char(&mut self, c: char, before: char, after: char, place: usize) {
        if is_invisible(c) {
            return;
        }
        let is_letter = c.is_alphanumeric()
            || matches!(c, '@' | '$') && before.is_alphanumeric() && after.is_alphanumeric();
        if is_letter {
            if self.word.is_empty() {
                self.word_start = place;
            } else if is_unspaced(c) != is_unspaced(before) {
                self.end_word();
                self.word_start = place;
            }
            push_folded(c, &mut self.word);
            self.word_end = place.saturating_add(1);
            return;
        }
        match c {
            '\'' | '’' | '\u{0300}'..='\u{036F}' => {}
            '.' if after.is_alphanumeric() && !before.is_alphanumeric() => {
                self.end_word();
                self.word_start = place;
                self.word.push('.');
            }
            '.' if after.is_alphanumeric() => self.end_word(),
            '.' | '!' | '?' | '。' | '！' | '？' | '\n' | '．' => {
                self.end_word();
                self.break_sentence();
            }
            // A name in backticks is that of an input more often than not.
            '`' if !before.is_whitespace() && before != '`' => {
                self.end_word();
                self.word_start = place;
                self.word_end = place;
                self.word.push_str(CODE_MARK);
                self.end_word();
            }
            _ => self.end_word(),
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        if word == "." {
            return;
        }
        let word = undisguise(&word).unwrap_or(word);
        if !self.done.text.is_empty() {
            self.done.text.push(if self.breaks { '\n' } else { ' ' });
        }
        self.breaks = false;
        self.done.words.push(Word {
            folded: self.done.text.len(),
            start: self.word_start,
            end: self.word_end,
            sentence: self.sentence,
        });
        self.done.text.push_str(&word);
    }

    fn break_sentence(&mut self) {
        if !self.breaks && !self.done.text.is_empty() {
            self.breaks = true;
            self.sentence = self.sentence.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(raw: &str) -> String {
        FoldedText::new(raw).text
    }

    #[test]
    fn words_are_folded_and_sentences_split() {
        assert_eq!(folded("Don't TELL the us\u{200b}er. Éa!"), "dont tell the user\nea");
        assert_eq!(folded("~/.ssh/id_rsa and `.env`"), ".ssh id rsa and .env §code");
        assert_eq!(folded("see https://a.example/x?y=1, mail a@b.example"), "see §url mail §mail");
        assert_eq!(folded("1gn0re іgnоrе Ｉｇｎ"), "ignore ignore ign");
        assert_eq!(folded("忽略指令。好"), "忽略指令\n好");
    }

    #[test]
    fn words_know_their_place() {
        let text = FoldedText::new("é Do  it");
        let places: Vec<_> = text.words.iter().map(|word| (word.start, word.end)).collect();
        assert_eq!(places, [(0, 1), (2, 4), (6, 8)]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_folded(raw: String) {
            let text = FoldedText::new(&raw);
            let length = raw.chars().count();
            for word in &text.words {
                proptest::prop_assert!(word.start <= word.end && word.end <= length);
                proptest::prop_assert!(text.text.is_char_boundary(word.folded));
            }
        }
    }
}
