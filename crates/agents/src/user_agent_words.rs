//! Decides which places in a user agent name a product.
//!
//! A user agent is split into words at spaces, brackets, quotes, commas and semicolons. A name counts
//! where it stands alone in a word (`GPTBot`, `GPTBot/1.3`), also in a comment. It does not count as
//! part of a longer name (`NotGPTBot`, `GPTBot-Copy`), nor in a host name, a URL or an e-mail
//! address: these name a page or a person, not the sender.

use std::ops::Range;

/// What to look for in a user agent: a name, with `+` before it or `/` behind it if the token has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UserAgentToken<'a> {
    pub(crate) plus: bool,
    pub(crate) name: &'a str,
    pub(crate) slash: bool,
}

impl<'a> UserAgentToken<'a> {
    /// `None` for a token that can never be found.
    pub(crate) fn parse(token: &'a str) -> Option<Self> {
        let (plus, rest) = token.strip_prefix('+').map_or((false, token), |rest| (true, rest));
        let (slash, name) = rest.strip_suffix('/').map_or((false, rest), |name| (true, name));
        let is_name =
            name.bytes().all(is_name_byte) && name.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_name.then_some(Self { plus, name, slash })
    }
}

/// The longest sequences of letters, digits, `-` and `_`, with their places.
pub(crate) fn names(text: &[u8]) -> impl Iterator<Item = (Range<usize>, &[u8])> {
    let mut at = 0;
    text.split(|byte| !is_name_byte(*byte)).map(move |name| {
        let place = at..at + name.len();
        at = place.end + 1;
        (place, name)
    })
}

/// The words of one text. Places must be asked about in their order; each word is then read once.
pub(crate) struct UserAgentWords<'a> {
    text: &'a [u8],
    /// The word that was read last, without the address at its end.
    product: Range<usize>,
    /// Where the word that was read last ends, with its address.
    word_end: usize,
}

impl<'a> UserAgentWords<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, product: 0..0, word_end: 0 }
    }

    /// Whether the name at this place is that of a product.
    pub(crate) fn name_product(&mut self, place: &Range<usize>) -> bool {
        if is_label(self.text, place) {
            return false;
        }
        if self.word_end < place.end {
            self.read_word_with(place);
        }
        self.product.start <= place.start && place.end <= self.product.end
    }

    fn read_word_with(&mut self, place: &Range<usize>) {
        // Everything before `word_end` belongs to earlier words.
        let unread = self.text.get(self.word_end..place.start).unwrap_or_default();
        let start = unread
            .iter()
            .rposition(|byte| is_separator(*byte))
            .map_or(self.word_end, |at| self.word_end + at + 1);
        let rest = self.text.get(place.end..).unwrap_or_default();
        let end =
            place.end + rest.iter().position(|byte| is_separator(*byte)).unwrap_or(rest.len());
        let word = self.text.get(start..end).unwrap_or_default();
        self.product = start..start + address_start(word);
        self.word_end = end;
    }
}

const LETTER: u8 = 1;
const NAME_BYTE: u8 = 2;
const SEPARATOR: u8 = 4;

/// What each byte is. A table, because every byte of a user agent is looked up.
static CLASSES: [u8; 256] = classify_bytes();

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const fn classify_bytes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            // Bytes above ASCII count as letters: no operator uses them, and next to a token they
            // make another name of it.
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => LETTER | NAME_BYTE,
            b'0'..=b'9' | b'-' | b'_' => NAME_BYTE,
            ..=b' ' | 0x7f | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' => SEPARATOR,
            b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b'|' | b'^' => SEPARATOR,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

fn is(byte: u8, class: u8) -> bool {
    CLASSES.get(usize::from(byte)).is_some_and(|classes| classes & class != 0)
}

fn is_letter(byte: u8) -> bool {
    is(byte, LETTER)
}

fn is_name_byte(byte: u8) -> bool {
    is(byte, NAME_BYTE)
}

fn is_separator(byte: u8) -> bool {
    is(byte, SEPARATOR)
}

/// Whether a name is a label between the dots of a host name.
fn is_label(text: &[u8], name: &Range<usize>) -> bool {
    let before = text.get(..name.start).unwrap_or_default();
    let after = text.get(name.end..).unwrap_or_default();
    matches!(before, [.., label, b'.'] if is_name_byte(*label))
        || matches!(after, [b'.', label, ..] if is_letter(*label))
}

/// Where the URL, e-mail address or host name in a word begins; the length of the word if it has
/// none. What follows it belongs to it (`example.com/GPTBot`).
fn address_start(word: &[u8]) -> usize {
    // Where the name, the local part and the host name that end before the current byte begin.
    let (mut name, mut local, mut host) = (0, 0, 0);
    for (at, byte) in word.iter().enumerate() {
        if is_name_byte(*byte) {
            continue;
        }
        let next = word.get(at + 1..).unwrap_or_default();
        if *byte == b'@' && next.first().is_some_and(u8::is_ascii_alphanumeric) {
            return local;
        }
        if *byte != b'.' {
            if is_host_name(word, host..at) {
                return host;
            }
            host = at + 1;
        }
        if *byte == b':' && next.starts_with(b"//") {
            return name;
        }
        if !matches!(byte, b'.' | b'+' | b'%') {
            local = at + 1;
        }
        name = at + 1;
    }
    if is_host_name(word, host..word.len()) { host } else { word.len() }
}

/// A host name has a dot, and its last label has letters only. Behind a slash it would be a version
/// (`Example/1.0.beta`).
fn is_host_name(word: &[u8], place: Range<usize>) -> bool {
    let behind_slash = word.get(..place.start).is_some_and(|before| before.ends_with(b"/"));
    let labels = word.get(place).unwrap_or_default();
    let Some(dot) = labels.iter().rposition(|byte| *byte == b'.') else { return false };
    let last = labels.get(dot + 1..).unwrap_or_default();
    !behind_slash && last.len() >= 2 && last.iter().all(|byte| is_letter(*byte))
}
