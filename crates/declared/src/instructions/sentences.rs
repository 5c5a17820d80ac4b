//! Splits a passage into sentences of folded words, each word with its offset in the passage.

use super::fold::{is_invisible, is_unspaced, push_folded, undisguise};

/// Words of one sentence. Text without full stops is split here, so that every search is bounded.
const MAX_WORDS: usize = 160;
/// A longer quotation is treated as a stray quotation mark.
const MAX_QUOTED: usize = 600;
/// The same for single marks, which are also apostrophes.
const MAX_SINGLY_QUOTED: usize = 200;
/// A longer run of letters and digits is data, not a word.
const MAX_WORD: usize = 48;
/// Single letters in a row that are treated as one word written with gaps.
const PULLED_APART: usize = 5;

#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Its start in the folded sentence.
    folded: usize,
    /// Its start in the passage.
    pub(super) at: usize,
    /// Whether it was written with lookalike, styled or hidden characters.
    pub(super) disguised: bool,
}

#[derive(Debug)]
pub(super) struct Sentence {
    /// ` ^ word word , word $ `.
    pub(super) text: String,
    words: Vec<Word>,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Sentence {
    /// The word at an offset of the folded text.
    pub(super) fn word_at(&self, folded: usize) -> Option<&Word> {
        let after = self.words.partition_point(|word| word.folded <= folded);
        self.words.get(after.checked_sub(1)?)
    }

    /// Whether any word in a range of the folded text was disguised.
    pub(super) fn is_disguised(&self, from: usize, to: usize) -> bool {
        let first = self.words.partition_point(|word| word.folded < from);
        self.words.iter().skip(first).take_while(|word| word.folded < to).any(|word| word.disguised)
    }

    /// The words before an offset of the folded text, nearest first.
    pub(super) fn before(&self, folded: usize) -> impl Iterator<Item = &str> {
        self.text.get(..folded).unwrap_or_default().rsplit(' ').filter(|word| !word.is_empty())
    }

    pub(super) fn after(&self, folded: usize) -> &str {
        self.text.get(folded..).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(super) struct SplitPassage {
    pub(super) sentences: Vec<Sentence>,
    /// Ranges of the passage between quotation marks, in order.
    quoted: Vec<(usize, usize)>,
}

impl SplitPassage {
    pub(super) fn from_text(text: &str) -> Self {
        let mut reader = SentenceSplitter::default();
        reader.begin_sentence();
        let mut before = ' ';
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let at = text.len() - rest.len();
            // Most of a text are letters and digits of ASCII, which need no look at each of them.
            let mut digits = false;
            let plain = rest
                .bytes()
                .take_while(u8::is_ascii_alphanumeric)
                .inspect(|byte| digits |= byte.is_ascii_digit())
                .count();
            if let Some((run, after)) = rest.split_at_checked(plain).filter(|_| plain > 0) {
                reader.push_plain_run(at, c, run, digits);
                before = run.bytes().next_back().map_or(before, char::from);
                rest = after;
                continue;
            }
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            if c == ' ' {
                reader.push_blank(at);
                before = c;
                continue;
            }
            reader.push_char(at, c, before, rest.chars().next().unwrap_or(' '));
            if !is_invisible(c) {
                before = c;
            }
        }
        reader.end_sentence(text.len());
        reader.result
    }

    pub(super) fn is_quoted(&self, at: usize) -> bool {
        let after = self.quoted.partition_point(|(from, _)| *from <= at);
        after
            .checked_sub(1)
            .and_then(|index| self.quoted.get(index))
            .is_some_and(|(_, to)| at < *to)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMark {
    Double,
    Angled,
    Tick,
    Cornered,
    Single,
}

/// What every folded sentence starts with.
const SENTENCE_START: &str = " ^ ";

#[derive(Default)]
struct SentenceSplitter {
    result: SplitPassage,
    words: Vec<Word>,
    sentence_start: Option<usize>,
    /// The folded sentence up to here. One buffer for all sentences: a page has thousands of words.
    text: String,
    /// Where the letters of the open word start.
    word_from: usize,
    word_at: usize,
    /// Whether the open word has anything but Latin letters, which may disguise it.
    has_other_letters: bool,
    hidden_inside: bool,
    styled_letters: bool,
    /// How many single letters the last words are, and the most in a row in this sentence.
    single_letters: usize,
    most_single_letters: usize,
    open_quote: Option<(QuoteMark, usize)>,
    line_end: Option<usize>,
}

impl SentenceSplitter {
    /// Adds a run of ASCII letters and digits, of which `first` is the first.
    fn push_plain_run(&mut self, at: usize, first: char, run: &str, has_digits: bool) {
        self.end_wrapped_line(first);
        self.begin_word(at);
        self.has_other_letters |= has_digits;
        let from = self.text.len();
        self.text.push_str(run);
        if let Some(letters) = self.text.get_mut(from..) {
            letters.make_ascii_lowercase();
        }
    }

    fn push_blank(&mut self, at: usize) {
        self.end_word();
        self.end_long_sentence(at);
    }

    fn end_long_sentence(&mut self, at: usize) {
        if self.words.len() >= MAX_WORDS {
            self.end_sentence(at);
        }
    }

    fn is_in_word(&self) -> bool {
        self.text.len() > self.word_from
    }

    fn begin_word(&mut self, at: usize) {
        if !self.is_in_word() {
            self.word_at = at;
            self.sentence_start.get_or_insert(at);
        }
    }

    /// A line that continues in lower case was only wrapped; otherwise its sentence ended with it.
    fn end_wrapped_line(&mut self, next: char) {
        if let Some(line_end) = self.line_end.take()
            && !next.is_lowercase()
        {
            self.end_sentence(line_end);
        }
    }

    fn push_char(&mut self, at: usize, c: char, before: char, next: char) {
        if is_invisible(c) {
            // Soft hyphens are ordinary typography and zero-width joiners ordinary Persian; between
            // Latin letters the other invisible characters are a disguise.
            self.hidden_inside |= c != '\u{AD}'
                && before.is_ascii_alphabetic()
                && (next.is_ascii_alphabetic() || is_invisible(next));
            return;
        }
        if c == '\n' {
            self.end_word();
            match self.line_end {
                Some(_) => self.end_sentence(at),
                None => self.line_end = Some(at),
            }
            return;
        }
        if !c.is_whitespace() {
            self.end_wrapped_line(c);
        }
        let leet = match c {
            '$' => next.is_ascii_alphabetic() || before.is_ascii_alphabetic(),
            '@' => next.is_ascii_alphabetic() && !before.is_alphanumeric(),
            _ => false,
        };
        if c.is_alphanumeric() || leet || matches!(c, '\u{0300}'..='\u{036F}') {
            self.begin_word(at);
            self.has_other_letters = true;
            self.styled_letters |= push_folded(c, &mut self.text);
            return;
        }
        self.end_word();
        match c {
            '"' | '“' | '”' | '„' | '‟' | '＂' => self.handle_quote(QuoteMark::Double, at),
            '«' | '»' | '‹' | '›' => self.handle_quote(QuoteMark::Angled, at),
            '`' => self.handle_quote(QuoteMark::Tick, at),
            '「' | '」' | '『' | '』' => self.handle_quote(QuoteMark::Cornered, at),
            '\'' | '‘' | '’' | '‚' => self.handle_single_quote(at, before, next),
            '@' => self.push_sign("@", at),
            // A colon inside a URL does not separate words.
            ':' if !next.is_whitespace() && next.is_ascii() => {}
            ',' | ';' | ':' | '(' | ')' | '[' | ']' | '|' | '—' | '–' | '，' | '、' | '；'
            | '：' | '（' | '）' | '·' | '•' => self.push_sign(",", at),
            '-' if before.is_whitespace() && next.is_whitespace() => self.push_sign(",", at),
            '。' | '！' | '？' | '!' | '…' | '．' => self.end_sentence(at),
            '.' | '?' if !next.is_alphanumeric() && next != '/' && next != '=' => {
                self.end_sentence(at);
            }
            _ => {}
        }
        self.end_long_sentence(at);
    }

    fn push_sign(&mut self, sign: &str, at: usize) {
        if !self.words.is_empty() {
            self.push_word(sign, at);
        }
    }

    fn handle_quote(&mut self, mark: QuoteMark, at: usize) {
        let most = if mark == QuoteMark::Single { MAX_SINGLY_QUOTED } else { MAX_QUOTED };
        match self.open_quote {
            Some((open, from)) if at.saturating_sub(from) <= MAX_QUOTED => {
                if open == mark {
                    if at.saturating_sub(from) <= most {
                        self.result.quoted.push((from, at));
                    }
                    self.open_quote = None;
                }
            }
            _ => self.open_quote = Some((mark, at)),
        }
    }

    /// A single mark opens before a word, closes after one, and is an apostrophe inside one.
    fn handle_single_quote(&mut self, at: usize, before: char, next: char) {
        let opens = !before.is_alphanumeric() && next.is_alphanumeric();
        let closes = !before.is_whitespace() && !next.is_alphanumeric();
        let is_open = matches!(self.open_quote, Some((QuoteMark::Single, _)));
        if (opens && !is_open) || (closes && is_open) {
            self.handle_quote(QuoteMark::Single, at);
        }
    }

    /// Adds a word that was not written letter by letter.
    fn push_word(&mut self, word: &str, at: usize) {
        self.text.push_str(word);
        self.keep_word(at, false);
    }

    fn end_word(&mut self) {
        if !self.is_in_word() {
            self.hidden_inside = false;
            return;
        }
        let mut disguised =
            std::mem::take(&mut self.hidden_inside) | std::mem::take(&mut self.styled_letters);
        let has_other_letters = std::mem::take(&mut self.has_other_letters);
        let word = self.text.get(self.word_from..).unwrap_or_default();
        let instead = if word.len() > MAX_WORD && word.is_ascii() {
            disguised = false;
            Some("\u{2026}".to_owned())
        } else {
            let plain = if has_other_letters { undisguise(word) } else { None };
            disguised |= plain.is_some();
            plain
        };
        if let Some(instead) = instead {
            self.text.truncate(self.word_from);
            self.text.push_str(&instead);
        }
        self.keep_word(self.word_at, disguised);
    }

    /// Adds the word whose letters are the last of the text.
    fn keep_word(&mut self, at: usize, disguised: bool) {
        let (before, letters) = self.text.split_at_checked(self.word_from).unwrap_or_default();
        let is_single = matches!(letters.as_bytes(), [b'a'..=b'z']);
        self.single_letters = if is_single { self.single_letters + 1 } else { 0 };
        self.most_single_letters = self.most_single_letters.max(self.single_letters);
        // In scripts without blanks, a blank between two runs is only layout.
        let runs_on = letters.chars().next().is_some_and(is_unspaced)
            && before.chars().rev().nth(1).is_some_and(is_unspaced);
        let mut folded = self.word_from;
        if runs_on {
            folded -= 1;
            self.text.remove(folded);
        }
        self.words.push(Word { folded, at, disguised });
        self.text.push(' ');
        self.word_from = self.text.len();
    }

    fn begin_sentence(&mut self) {
        self.words.clear();
        self.text.clear();
        self.text.push_str(SENTENCE_START);
        self.word_from = self.text.len();
        self.single_letters = 0;
        self.most_single_letters = 0;
    }

    fn end_sentence(&mut self, at: usize) {
        self.end_word();
        if let Some(start) = self.sentence_start.take() {
            if self.most_single_letters >= PULLED_APART {
                (self.text, self.words) = join_spaced_letters(&self.text, &self.words);
            }
            self.text.push_str("$ ");
            let (text, words) = (self.text.clone(), self.words.clone());
            self.result.sentences.push(Sentence { text, words, start, end: at });
        }
        self.begin_sentence();
    }
}

/// A folded sentence and its words, with single letters that spell a word with gaps joined.
fn join_spaced_letters(text: &str, words: &[Word]) -> (String, Vec<Word>) {
    let ends = words.iter().skip(1).map(|next| next.folded).chain([text.len()]);
    let pieces: Vec<(&Word, &str)> = words
        .iter()
        .zip(ends)
        .map(|(word, end)| (word, text.get(word.folded..end).unwrap_or_default()))
        .collect();
    let is_single = |piece: &str| matches!(piece.as_bytes(), [b'a'..=b'z', b' ']);
    let mut joined = (SENTENCE_START.to_owned(), Vec::with_capacity(words.len()));
    for run in pieces.chunk_by(|(_, one), (_, next)| is_single(one) && is_single(next)) {
        let is_pulled_apart = run.len() >= PULLED_APART;
        for (index, (word, piece)) in run.iter().enumerate() {
            if !is_pulled_apart || index == 0 {
                let disguised = is_pulled_apart || word.disguised;
                joined.1.push(Word { folded: joined.0.len(), at: word.at, disguised });
            }
            joined.0.push_str(if is_pulled_apart { piece.trim_end() } else { piece });
        }
        if is_pulled_apart {
            joined.0.push(' ');
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        SplitPassage::from_text(text).sentences.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        assert_eq!(
            texts("Don't go. See https://a.example/x?y=1, now! \u{5FFD}\u{7565}\u{3002}ok"),
            [
                " ^ don t go $ ",
                " ^ see https a example x y 1 , now $ ",
                " ^ \u{5FFD}\u{7565} $ ",
                " ^ ok $ "
            ]
        );
    }

    #[test]
    fn a_wrapped_line_goes_on_and_a_new_one_begins() {
        assert_eq!(
            texts("one\n  two\nThree\n\nfour"),
            [" ^ one two $ ", " ^ three $ ", " ^ four $ "]
        );
    }

    #[test]
    fn letters_that_stand_apart_are_put_together() {
        assert_eq!(texts("i g n o r e  a l l of it"), [" ^ ignoreall of it $ "]);
        assert_eq!(texts("plan a b c now"), [" ^ plan a b c now $ "]);
    }

    #[test]
    fn quotations_are_known_and_stray_marks_are_not() {
        let text = "say “do it” or do it";
        let reading = SplitPassage::from_text(text);
        assert!(reading.is_quoted(text.find("do it").unwrap()));
        assert!(!reading.is_quoted(text.rfind("do it").unwrap()));
        assert!(!SplitPassage::from_text("a 5\" pipe for the users' sink").is_quoted(8));
    }
}
