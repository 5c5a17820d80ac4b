//! Words gathered from a page: character references undone, white space squeezed.

/// Text that grows word by word up to a limit.
#[derive(Debug)]
pub(super) struct Words {
    out: String,
    /// White space stands between what was written last and what comes.
    parted: bool,
    most: usize,
    full: bool,
}

impl Words {
    pub(super) fn up_to(most: usize) -> Self {
        Self { out: String::new(), parted: false, most, full: false }
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes.min(self.most));
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn part(&mut self) {
        self.parted = true;
    }

    /// What was written from an earlier length on.
    pub(super) fn since(&self, start: usize) -> &str {
        self.out.get(start..).unwrap_or_default().trim()
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    /// Adds text as it stands in the page.
    pub(super) fn push(&mut self, raw: &str) {
        let bytes = raw.as_bytes();
        let mut start = 0;
        let mut at = 0;
        loop {
            // One space between two words is already as it should be: such text is taken in runs.
            let mut spaced = at == start;
            let rest = bytes.get(at..).unwrap_or_default();
            let run = rest.iter().position(|byte| {
                let class = class(*byte);
                let stops = class > Class::Space || (class == Class::Space && spaced);
                spaced = class >= Class::Space;
                stops
            });
            let Some(run) = run else { break };
            at += run;
            match rest.get(run).map(|byte| class(*byte)) {
                Some(Class::Reference) => {
                    if let Some((character, length)) = raw.get(at + 1..).and_then(reference) {
                        self.run(raw.get(start..at));
                        if character.is_whitespace() {
                            self.parted = true;
                        } else {
                            self.run(Some(character.encode_utf8(&mut [0; 4])));
                        }
                        at += 1 + length;
                        start = at;
                    } else {
                        at += 1;
                    }
                }
                // The first byte of a character beyond ASCII that may be white space.
                Some(Class::Wide) => {
                    let character = raw.get(at..).and_then(|rest| rest.chars().next());
                    let length = character.map_or(1, char::len_utf8);
                    if character.is_some_and(char::is_whitespace) {
                        self.run(raw.get(start..at));
                        self.parted = true;
                        start = at + length;
                    }
                    at += length;
                }
                _ => {
                    self.run(raw.get(start..at));
                    self.parted = true;
                    at += 1;
                    start = at;
                }
            }
        }
        self.run(raw.get(start..));
    }

    /// Writes a run of words, which may end with one space.
    fn run(&mut self, words: Option<&str>) {
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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Plain,
    /// The space itself; other white space is never left as it is.
    Space,
    OtherSpace,
    Reference,
    Wide,
}

fn class(byte: u8) -> Class {
    CLASS.get(usize::from(byte)).copied().unwrap_or(Class::Plain)
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Plain; 256];
    let mut rest: &mut [Class] = &mut table;
    let mut byte = 0_usize;
    while let [first, tail @ ..] = rest {
        *first = match byte {
            0x20 => Class::Space,
            0x09..=0x0d => Class::OtherSpace,
            0x26 => Class::Reference,
            // U+0085, U+00A0; U+1680; U+2000 to U+205F; U+3000
            0xc2 | 0xe1 | 0xe2 | 0xe3 => Class::Wide,
            _ => Class::Plain,
        };
        rest = tail;
        byte += 1;
    }
    table
};

/// A whole value, such as an attribute's: references undone, white space squeezed, cut to a length.
pub(super) fn clean(raw: &str, most: usize) -> String {
    // A reference is longer than what it stands for, but not by more than ten times.
    let raw = cut(raw, most.saturating_mul(10));
    let mut words = Words::up_to(usize::MAX);
    words.push(raw);
    let mut out = words.into_text();
    let length = cut(&out, most).len();
    out.truncate(length);
    out
}

/// The beginning of a text, at most so many bytes, never half a character.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The character a reference stands for, and how long it is after its ampersand.
fn reference(after: &str) -> Option<(char, usize)> {
    let end = after.bytes().take(12).position(|byte| byte == b';')?;
    let name = after.get(..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => named(name)?,
    };
    Some((character, end + 1))
}

fn numbered(digits: &str) -> Option<char> {
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(hex) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            u32::from_str_radix(hex, 16)
        }
        None if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse(),
        _ => return None,
    };
    let number = number.unwrap_or(0);
    // Numbers that name a control character mean the Windows character of that byte.
    if (0x80..0xa0).contains(&number) {
        let byte = [u8::try_from(number).unwrap_or_default()];
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte);
        return text.chars().next();
    }
    Some(char::from_u32(number).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The names met in running text: Latin-1, punctuation, currencies, a few signs.
fn named(name: &str) -> Option<char> {
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
        _ => return latin(name),
    })
}

/// Letters of Latin-1, whose names are a letter and its mark.
fn latin(name: &str) -> Option<char> {
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
    marked.chars().find(|c| base(*c) == letter)
}

/// The plain letter under a marked one of Latin-1.
fn base(c: char) -> char {
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
            assert_eq!(clean(raw, 1_000), text, "{raw:?}");
        }
        assert_eq!(clean("éé", 3), "é");
    }

    #[test]
    fn pieces_join_where_nothing_parts_them() {
        let mut words = Words::up_to(30);
        for piece in ["one", "two ", " three", "\u{a0}", "four"] {
            words.push(piece);
        }
        words.part();
        words.push("five");
        assert_eq!(words.since(0), "onetwo three four five");
        words.push("x".repeat(30).as_str());
        assert!(words.is_full());
        assert!(words.into_text().len() <= 30);
    }

    proptest::proptest! {
        #[test]
        fn squeezed_text_holds_no_loose_space(raw in "[a&;# \u{a0}\u{3000}é<nbspx0-9\n]{0,60}") {
            let text = clean(&raw, 1_000);
            let again: Vec<&str> = text.split_whitespace().collect();
            proptest::prop_assert_eq!(again.join(" "), text);
        }
    }
}
