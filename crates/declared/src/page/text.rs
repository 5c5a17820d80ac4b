//! Collects the text of a page: character references decoded, white space collapsed.

/// Text that grows word by word up to a limit.
#[derive(Debug)]
pub(super) struct TextBuffer {
    out: String,
    /// Whether white space separates the last text from the next.
    parted: bool,
    most: usize,
    full: bool,
}

impl TextBuffer {
    pub(super) fn with_limit(most: usize) -> Self {
        Self { out: String::new(), parted: false, most, full: false }
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes.min(self.most));
    }

    pub(super) fn as_str(&self) -> &str {
        &self.out
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn mark_break(&mut self) {
        self.parted = true;
    }

    /// The text added since an earlier length.
    pub(super) fn text_since(&self, start: usize) -> &str {
        self.out.get(start..).unwrap_or_default().trim()
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    /// Adds text as it is written in the page.
    pub(super) fn push(&mut self, raw: &str) {
        let bytes = raw.as_bytes();
        let mut start = 0;
        let mut at = 0;
        loop {
            // Words with single spaces between them need no change and are copied in runs.
            let mut spaced = at == start;
            if !spaced || bytes.get(at) != Some(&b' ') {
                let plain = plain_length(bytes.get(at..).unwrap_or_default());
                if plain > 0 {
                    at += plain;
                    spaced = bytes.get(at - 1) == Some(&b' ');
                }
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let run = rest.iter().position(|byte| {
                let class = byte_class(*byte);
                let stops = class > ByteClass::Space || (class == ByteClass::Space && spaced);
                spaced = class >= ByteClass::Space;
                stops
            });
            let Some(run) = run else { break };
            at += run;
            match rest.get(run).map(|byte| byte_class(*byte)) {
                Some(ByteClass::Reference) => {
                    if let Some((character, length)) = raw.get(at + 1..).and_then(parse_reference) {
                        self.push_run(raw.get(start..at));
                        if character.is_whitespace() {
                            self.parted = true;
                        } else {
                            self.push_run(Some(character.encode_utf8(&mut [0; 4])));
                        }
                        at += 1 + length;
                        start = at;
                    } else {
                        at += 1;
                    }
                }
                // The first byte of a character beyond ASCII that may be white space.
                Some(ByteClass::Wide) => {
                    let character = raw.get(at..).and_then(|rest| rest.chars().next());
                    let length = character.map_or(1, char::len_utf8);
                    if character.is_some_and(char::is_whitespace) {
                        self.push_run(raw.get(start..at));
                        self.parted = true;
                        start = at + length;
                    }
                    at += length;
                }
                _ => {
                    self.push_run(raw.get(start..at));
                    self.parted = true;
                    at += 1;
                    start = at;
                }
            }
        }
        self.push_run(raw.get(start..));
    }

    /// Adds a run of words, which may end with one space.
    fn push_run(&mut self, words: Option<&str>) {
        let words = words.unwrap_or_default();
        match words.strip_suffix(' ') {
            Some(words) => {
                self.write(words);
                self.parted = true;
            }
            None => self.write(words),
        }
    }

    fn write(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if self.out.len() + words.len() >= self.most {
            self.full = true;
            return;
        }
        if self.parted && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.parted = false;
        self.out.push_str(words);
    }
}

/// How many bytes at the start of a text certainly need no change, looked at in blocks: a comparison of
/// whole blocks takes as long as one of a single byte.
fn plain_length(bytes: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let mut length = 0;
    loop {
        // The byte behind the block shows whether a space at its end is a single one.
        let block = bytes.get(length..length + BLOCK);
        let Some((block, next)) = block.zip(bytes.get(length + 1..length + 1 + BLOCK)) else {
            return length;
        };
        let is_changed = block.iter().zip(next).fold(false, |found, (byte, next)| {
            let is_double_space = (*byte == b' ') & (*next == b' ');
            let is_wide = (*byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3);
            found | (*byte < b' ') | (*byte == b'&') | is_double_space | is_wide
        });
        if is_changed {
            return length;
        }
        length += BLOCK;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ByteClass {
    Plain,
    /// The space character; other white space is always replaced.
    Space,
    OtherSpace,
    Reference,
    Wide,
}

fn byte_class(byte: u8) -> ByteClass {
    CLASS.get(usize::from(byte)).copied().unwrap_or(ByteClass::Plain)
}

const CLASS: [ByteClass; 256] = {
    let mut table = [ByteClass::Plain; 256];
    let mut rest: &mut [ByteClass] = &mut table;
    let mut byte = 0_usize;
    while let [first, tail @ ..] = rest {
        *first = match byte {
            0x20 => ByteClass::Space,
            0x09..=0x0d => ByteClass::OtherSpace,
            0x26 => ByteClass::Reference,
            // U+0085, U+00A0; U+1680; U+2000 to U+205F; U+3000
            0xc2 | 0xe1 | 0xe2 | 0xe3 => ByteClass::Wide,
            _ => ByteClass::Plain,
        };
        rest = tail;
        byte += 1;
    }
    table
};

/// A whole value, such as an attribute's: references decoded, white space collapsed, truncated.
pub(super) fn clean_text(raw: &str, most: usize) -> String {
    // A reference is at most ten times as long as the character it stands for.
    let raw = truncate_str(raw, most.saturating_mul(10));
    let mut words = TextBuffer::with_limit(usize::MAX);
    words.push(raw);
    let mut out = words.into_text();
    let length = truncate_str(&out, most).len();
    out.truncate(length);
    out
}

/// Whether a text shows nothing: white space, and characters without width.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
                | '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
    })
}

/// Truncates a text to at most `most` bytes without splitting a character.
pub(crate) fn truncate_str(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The character of a reference, and the length of the reference after its ampersand.
fn parse_reference(after: &str) -> Option<(char, usize)> {
    let end = after.bytes().take(12).position(|byte| byte == b';')?;
    let name = after.get(..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => numeric_reference(number)?,
        None => named_reference(name)?,
    };
    Some((character, end + 1))
}

fn numeric_reference(digits: &str) -> Option<char> {
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(hex) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            u32::from_str_radix(hex, 16)
        }
        None if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse(),
        _ => return None,
    };
    let number = number.unwrap_or(0);
    // Numbers of control characters mean the Windows-1252 character of that byte.
    if (0x80..0xa0).contains(&number) {
        let byte = [u8::try_from(number).unwrap_or_default()];
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte);
        return text.chars().next();
    }
    Some(char::from_u32(number).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The names that are common in text: Latin-1, punctuation, currencies, a few symbols.
fn named_reference(name: &str) -> Option<char> {
    Some(match name {
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "nbsp" | "ensp" | "emsp" | "thinsp" | "NewLine" | "Tab" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "lsquo" => '‘',
        "rsquo" => '’',
        "sbquo" => '‚',
        "ldquo" => '“',
        "rdquo" => '”',
        "bdquo" => '„',
        "laquo" => '«',
        "raquo" => '»',
        "lsaquo" => '‹',
        "rsaquo" => '›',
        "hellip" => '…',
        "bull" => '•',
        "middot" => '·',
        "dagger" => '†',
        "Dagger" => '‡',
        "prime" => '′',
        "Prime" => '″',
        "copy" | "COPY" => '©',
        "reg" | "REG" => '®',
        "trade" => '™',
        "euro" => '€',
        "pound" => '£',
        "yen" => '¥',
        "cent" => '¢',
        "curren" => '¤',
        "dollar" => '$',
        "sect" => '§',
        "para" => '¶',
        "deg" => '°',
        "plusmn" => '±',
        "micro" => 'µ',
        "times" => '×',
        "divide" => '÷',
        "minus" => '−',
        "frac12" => '½',
        "frac14" => '¼',
        "frac34" => '¾',
        "sup1" => '¹',
        "sup2" => '²',
        "sup3" => '³',
        "ordf" => 'ª',
        "ordm" => 'º',
        "not" => '¬',
        "iexcl" => '¡',
        "iquest" => '¿',
        "brvbar" => '¦',
        "uml" => '¨',
        "macr" => '¯',
        "acute" => '´',
        "cedil" => '¸',
        "shy" => '\u{ad}',
        "zwnj" => '\u{200c}',
        "zwj" => '\u{200d}',
        "lrm" => '\u{200e}',
        "rlm" => '\u{200f}',
        "larr" => '←',
        "uarr" => '↑',
        "rarr" => '→',
        "darr" => '↓',
        "check" => '✓',
        "star" => '☆',
        "starf" => '★',
        "phone" => '☎',
        "comma" => ',',
        "period" => '.',
        "colon" => ':',
        "semi" => ';',
        "excl" => '!',
        "quest" => '?',
        "num" => '#',
        "percnt" => '%',
        "lpar" => '(',
        "rpar" => ')',
        "lsqb" => '[',
        "rsqb" => ']',
        "ast" => '*',
        "plus" => '+',
        "equals" => '=',
        "commat" => '@',
        "sol" => '/',
        "bsol" => '\\',
        "lowbar" => '_',
        "vert" => '|',
        "OElig" => 'Œ',
        "oelig" => 'œ',
        "Scaron" => 'Š',
        "scaron" => 'š',
        "Yuml" => 'Ÿ',
        _ => return latin1_reference(name),
    })
}

/// Latin-1 letters, whose names are a letter and an accent.
fn latin1_reference(name: &str) -> Option<char> {
    if let Some(special) = match name {
        "AElig" => Some('Æ'),
        "aelig" => Some('æ'),
        "szlig" => Some('ß'),
        "ETH" => Some('Ð'),
        "eth" => Some('ð'),
        "THORN" => Some('Þ'),
        "thorn" => Some('þ'),
        "Oslash" => Some('Ø'),
        "oslash" => Some('ø'),
        _ => None,
    } {
        return Some(special);
    }
    let mut characters = name.chars();
    let letter = characters.next()?;
    let marked = match characters.as_str() {
        "grave" => "ÀÈÌÒÙàèìòù",
        "acute" => "ÁÉÍÓÚÝáéíóúý",
        "circ" => "ÂÊÎÔÛâêîôû",
        "tilde" => "ÃÑÕãñõ",
        "uml" => "ÄËÏÖÜäëïöüÿ",
        "ring" => "Åå",
        "cedil" => "Çç",
        _ => return None,
    };
    marked.chars().find(|c| base_letter(*c) == letter)
}

/// The base letter of an accented Latin-1 letter.
fn base_letter(c: char) -> char {
    match c {
        'À'..='Å' => 'A',
        'Ç' => 'C',
        'È'..='Ë' => 'E',
        'Ì'..='Ï' => 'I',
        'Ñ' => 'N',
        'Ò'..='Ö' => 'O',
        'Ù'..='Ü' => 'U',
        'Ý' => 'Y',
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_squeezed_and_references_are_undone() {
        for (raw, text) in [
            ("  a  b\n\tc ", "a b c"),
            ("a\u{a0}b\u{3000}c\u{2003}", "a b c"),
            (
                "a&nbsp; &nbsp;b &amp; c&#233; &unknown; &#x110000; d&",
                "a b & cé &unknown; \u{fffd} d&",
            ),
            ("&euro;9 &Uuml;ber &ntilde; &ccedil;&Aring;&yuml; &#146;", "€9 Über ñ çÅÿ ’"),
            ("&amp;amp; &; &#; &#x; &#-1;", "&amp; &; &#; &#x; &#-1;"),
            ("x &lt;b&gt;", "x <b>"),
            ("“a” – 日本 語", "“a” – 日本 語"),
            ("a &", "a &"),
        ] {
            assert_eq!(clean_text(raw, 1_000), text, "{raw:?}");
        }
        assert_eq!(clean_text("éé", 3), "é");
    }

    #[test]
    fn pieces_join_where_nothing_parts_them() {
        let mut words = TextBuffer::with_limit(30);
        for piece in ["one", "two ", " three", "\u{a0}", "four"] {
            words.push(piece);
        }
        words.mark_break();
        words.push("five");
        assert_eq!(words.text_since(0), "onetwo three four five");
        words.push("x".repeat(30).as_str());
        assert!(words.is_full());
        assert!(words.into_text().len() <= 30);
    }

    #[test]
    fn long_plain_text_is_as_it_was() {
        let plain = "Words of thirteen letters, äöü and ж, with single blanks between them. ";
        for length in 0..plain.len() {
            let Some(start) = plain.get(..length) else { continue };
            for inserted in ["  ", "\n", "&amp;", "\u{a0}", "\u{3000}", " \t ", "&", "é", ""] {
                let raw = format!("{start}{inserted}{plain}");
                let expected = raw.replace("&amp;", "&");
                let words: Vec<&str> = expected.split_whitespace().collect();
                assert_eq!(clean_text(&raw, 1_000), words.join(" "), "{raw:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn squeezed_text_holds_no_loose_space(raw in "[a&;# \u{a0}\u{3000}é<nbspx0-9\n]{0,60}") {
            let text = clean_text(&raw, 1_000);
            let again: Vec<&str> = text.split_whitespace().collect();
            proptest::prop_assert_eq!(again.join(" "), text);
        }
    }
}
