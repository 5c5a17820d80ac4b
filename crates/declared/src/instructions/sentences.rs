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
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map_or(' ', |(_, next)| *next);
            reader.push_char(at, c, before, next);
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

struct RawWord {
    text: String,
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
    word: String,
    word_at: usize,
    hidden_inside: bool,
    styled_letters: bool,
    open_quote: Option<(QuoteMark, usize)>,
    line_end: Option<usize>,
}

impl SentenceSplitter {
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
        // A line that continues in lower case was only wrapped.
        if !c.is_whitespace()
            && let Some(line_end) = self.line_end.take()
            && !c.is_lowercase()
        {
            self.end_sentence(line_end);
        }
        let leet = match c {
            '$' => next.is_ascii_alphabetic() || before.is_ascii_alphabetic(),
            '@' => next.is_ascii_alphabetic() && !before.is_alphanumeric(),
            _ => false,
        };
        if c.is_alphanumeric() || leet || matches!(c, '\u{0300}'..='\u{036F}') {
            if self.word.is_empty() {
                self.word_at = at;
                self.sentence_start.get_or_insert(at);
            }
            self.styled_letters |= push_folded(c, &mut self.word);
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
        if self.words.len() >= MAX_WORDS {
            self.end_sentence(at);
        }
    }

    fn push_sign(&mut self, sign: &str, at: usize) {
        if !self.words.is_empty() {
            self.words.push(RawWord { text: sign.to_owned(), at, disguised: false });
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

    fn end_word(&mut self) {
        if self.word.is_empty() {
            self.hidden_inside = false;
            return;
        }
        let mut text = std::mem::take(&mut self.word);
        let mut disguised =
            std::mem::take(&mut self.hidden_inside) | std::mem::take(&mut self.styled_letters);
        if text.len() > MAX_WORD && text.is_ascii() {
            text = "\u{2026}".to_owned();
            disguised = false;
        } else if let Some(plain) = undisguise(&text) {
            text = plain;
            disguised = true;
        }
        self.words.push(RawWord { text, at: self.word_at, disguised });
    }

    fn end_sentence(&mut self, at: usize) {
        self.end_word();
        let words = join_spaced_letters(std::mem::take(&mut self.words));
        let Some(start) = self.sentence_start.take() else { return };
        let mut text = " ^ ".to_owned();
        let mut kept: Vec<Word> = Vec::with_capacity(words.len());
        for word in words {
            // In scripts without blanks, a blank between two runs is only layout.
            let runs_on = text.trim_end().chars().next_back().is_some_and(is_unspaced)
                && word.text.chars().next().is_some_and(is_unspaced);
            if runs_on {
                text.pop();
            }
            kept.push(Word { folded: text.len(), at: word.at, disguised: word.disguised });
            text.push_str(&word.text);
            text.push(' ');
        }
        text.push_str("$ ");
        self.result.sentences.push(Sentence { text, words: kept, start, end: at });
    }
}

/// Joins single letters that spell a word with gaps.
fn join_spaced_letters(words: Vec<RawWord>) -> Vec<RawWord> {
    let mut out: Vec<RawWord> = Vec::with_capacity(words.len());
    let mut run: Vec<RawWord> = Vec::new();
    let close = |run: &mut Vec<RawWord>, out: &mut Vec<RawWord>| {
        if run.len() < PULLED_APART {
            out.append(run);
        } else if let Some(at) = run.first().map(|first| first.at) {
            let text = run.drain(..).map(|letter| letter.text).collect();
            out.push(RawWord { text, at, disguised: true });
        }
    };
    for word in words {
        if word.text.len() == 1 && word.text.bytes().all(|b| b.is_ascii_lowercase()) {
            run.push(word);
        } else {
            close(&mut run, &mut out);
            out.push(word);
        }
    }
    close(&mut run, &mut out);
    out
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
