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

#[derive(Debug)]
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
        let mut before = ' ';
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let at = text.len() - rest.len();
            // Most of a text are letters and digits of ASCII, which need no look at each of them.
            let plain = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            if let Some((run, after)) = rest.split_at_checked(plain).filter(|_| plain > 0) {
                reader.push_plain_run(at, c, run);
                before = run.chars().next_back().unwrap_or(before);
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

/// A word of the sentence that is being read, as a range of its letters.
#[derive(Debug, Clone, Copy)]
struct RawWord {
    from: usize,
    to: usize,
    at: usize,
    disguised: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMark {
    Double,
    Angled,
    Tick,
    Cornered,
    Single,
}

#[derive(Default)]
struct SentenceSplitter {
    result: SplitPassage,
    words: Vec<RawWord>,
    sentence_start: Option<usize>,
    /// The folded letters of all words of the sentence, without anything between them. One buffer for
    /// all sentences: a page has thousands of words.
    letters: String,
    /// Where the letters of the open word start.
    word_from: usize,
    word_at: usize,
    hidden_inside: bool,
    styled_letters: bool,
    open_quote: Option<(QuoteMark, usize)>,
    line_end: Option<usize>,
}

impl SentenceSplitter {
    /// Adds a run of ASCII letters and digits, of which `first` is the first.
    fn push_plain_run(&mut self, at: usize, first: char, run: &str) {
        self.end_wrapped_line(first);
        self.begin_word(at);
        let from = self.letters.len();
        self.letters.push_str(run);
        if let Some(letters) = self.letters.get_mut(from..) {
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
        self.letters.len() > self.word_from
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
            self.styled_letters |= push_folded(c, &mut self.letters);
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
        let from = self.letters.len();
        self.letters.push_str(word);
        self.word_from = self.letters.len();
        self.words.push(RawWord { from, to: self.word_from, at, disguised: false });
    }

    fn end_word(&mut self) {
        if !self.is_in_word() {
            self.hidden_inside = false;
            return;
        }
        let from = self.word_from;
        let mut disguised =
            std::mem::take(&mut self.hidden_inside) | std::mem::take(&mut self.styled_letters);
        let word = self.letters.get(from..).unwrap_or_default();
        let instead = if word.len() > MAX_WORD && word.is_ascii() {
            disguised = false;
            Some("\u{2026}".to_owned())
        } else {
            let plain = undisguise(word);
            disguised |= plain.is_some();
            plain
        };
        if let Some(instead) = instead {
            self.letters.truncate(from);
            self.letters.push_str(&instead);
        }
        self.word_from = self.letters.len();
        self.words.push(RawWord { from, to: self.word_from, at: self.word_at, disguised });
    }

    fn end_sentence(&mut self, at: usize) {
        self.end_word();
        join_spaced_letters(&mut self.words, &self.letters);
        if let Some(start) = self.sentence_start.take() {
            let sentence = self.build_sentence(start, at);
            self.result.sentences.push(sentence);
        }
        self.words.clear();
        self.letters.clear();
        self.word_from = 0;
    }

    fn build_sentence(&self, start: usize, end: usize) -> Sentence {
        let mut text = String::with_capacity(self.letters.len() + self.words.len() + 5);
        text.push_str(" ^ ");
        let mut kept: Vec<Word> = Vec::with_capacity(self.words.len());
        let mut before = "^";
        for word in &self.words {
            let letters = self.letters.get(word.from..word.to).unwrap_or_default();
            // In scripts without blanks, a blank between two runs is only layout.
            let runs_on = before.chars().next_back().is_some_and(is_unspaced)
                && letters.chars().next().is_some_and(is_unspaced);
            if runs_on {
                text.pop();
            }
            kept.push(Word { folded: text.len(), at: word.at, disguised: word.disguised });
            text.push_str(letters);
            text.push(' ');
            before = letters;
        }
        text.push_str("$ ");
        Sentence { text, words: kept, start, end }
    }
}

/// Joins single letters that spell a word with gaps. Their letters follow each other already.
fn join_spaced_letters(words: &mut Vec<RawWord>, letters: &str) {
    let is_single = |word: &RawWord| {
        let mut letters = letters.get(word.from..word.to).unwrap_or_default().bytes();
        letters.next().is_some_and(|byte| byte.is_ascii_lowercase()) && letters.next().is_none()
    };
    let (mut run, mut longest) = (0, 0);
    for is_single in words.iter().map(is_single) {
        run = if is_single { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    if longest < PULLED_APART {
        return;
    }
    *words = words
        .chunk_by(|one, next| is_single(one) && is_single(next))
        .flat_map(|run| match (run, run.last()) {
            ([first, ..], Some(last)) if run.len() >= PULLED_APART => {
                vec![RawWord { to: last.to, disguised: true, ..*first }]
            }
            _ => run.to_vec(),
        })
        .collect();
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
