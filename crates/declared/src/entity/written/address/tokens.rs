//! Splits an address into words and numbers.

use super::super::super::normalize::fold;

/// An address has fewer words than this.
pub(super) const MAX_TOKENS: usize = 90;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// In lower case without accents. Numbers keep their hyphens and slashes: `12-14`, `5/20`, `14a`.
    pub(super) text: String,
    pub(super) is_number: bool,
    /// Whether a full stop follows, as behind an abbreviation.
    pub(super) is_dotted: bool,
    /// Parts between commas, brackets and line breaks are numbered.
    pub(super) segment: usize,
    /// Whether it was written in capitals.
    pub(super) is_capital: bool,
    /// Whether it begins with a capital letter.
    pub(super) is_name: bool,
}

/// A word in lower Latin letters without accents.
pub(super) fn plain_word(word: &str) -> String {
    transliterate(&fold(word)).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The form in which words are compared: `ue` for `ü` is a `u`, as are `oe` and `ae`, `aa` for `å`.
pub(super) fn comparable(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut characters = word.chars().peekable();
    while let Some(c) = characters.next() {
        // Cities, provinces and prefectures are written with and without these.
        if matches!(c, '市' | '省' | '県' | '县' | '府' | '都') {
            continue;
        }
        plain.push(c);
        if matches!((c, characters.peek()), ('a' | 'o' | 'u', Some('e')) | ('a', Some('a'))) {
            characters.next();
        }
    }
    plain
}

/// Latin letters for Cyrillic and Greek ones.
fn transliterate(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    // The Greek letters for one vowel.
    for c in text.replace("ου", "ou").chars() {
        let latin = match c {
            'ı' => "i",
            'đ' => "d",
            'þ' => "th",
            'ð' => "d",
            'а' | 'α' => "a",
            'б' => "b",
            'в' => "v",
            'г' | 'ґ' | 'γ' => "g",
            'д' | 'δ' => "d",
            'е' | 'э' | 'є' | 'ε' => "e",
            'ж' => "zh",
            'з' | 'ζ' => "z",
            'и' | 'і' | 'ι' | 'η' => "i",
            'й' => "i",
            'к' | 'κ' => "k",
            'л' | 'λ' => "l",
            'м' | 'μ' => "m",
            'н' | 'ν' => "n",
            'о' | 'ο' | 'ω' => "o",
            'п' | 'π' => "p",
            'р' | 'ρ' => "r",
            'с' | 'σ' | 'ς' => "s",
            'т' | 'τ' => "t",
            'у' => "u",
            'υ' => "y",
            'ф' | 'φ' => "f",
            'х' => "kh",
            'χ' => "ch",
            'ц' => "ts",
            'ч' => "ch",
            'ш' => "sh",
            'щ' => "shch",
            'ы' => "y",
            'ю' => "yu",
            'я' => "ya",
            'љ' => "lj",
            'њ' => "nj",
            'ђ' => "dj",
            'ћ' => "c",
            'џ' => "dz",
            'ј' => "j",
            'ў' => "u",
            'ь' | 'ъ' => "",
            'β' => "v",
            'θ' => "th",
            'ξ' => "x",
            'ψ' => "ps",
            c => {
                out.push(c);
                continue;
            }
        };
        out.push_str(latin);
    }
    out
}

/// Splits a text. None if it is too long to be an address.
pub(super) fn tokenize(text: &str) -> Option<Vec<Token>> {
    let text = super::super::plain_characters(&mark_ordinals(text));
    let mut tokens: Vec<Token> = Vec::new();
    let mut segment = 0;
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let length = if c.is_ascii_digit() {
            number_length(rest)
        } else if c.is_alphabetic() {
            word_length(rest)
        } else {
            let is_dash = c == '-'
                && text.get(..at).is_some_and(|before| before.ends_with(' '))
                && rest.get(1..).is_some_and(|after| after.starts_with(' '));
            if is_dash
                || matches!(
                    c,
                    ',' | '\n'
                        | ';'
                        | '|'
                        | '('
                        | ')'
                        | '·'
                        | '•'
                        | '、'
                        | '"'
                        | '['
                        | ']'
                        | '،'
                        | '؛'
                        | '，'
                )
            {
                segment += 1;
            }
            // `C/ Mayor`, `s/n`, `#400` keep their meaning.
            if c == '#' {
                tokens.push(Token {
                    text: "#".into(),
                    is_number: false,
                    is_dotted: false,
                    segment,
                    is_capital: false,
                    is_name: false,
                });
            }
            at += c.len_utf8();
            continue;
        };
        let written = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        if written.eq_ignore_ascii_case("s")
            && after.get(..2).is_some_and(|mark| mark.eq_ignore_ascii_case("/n"))
            && !after.get(2..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        {
            tokens.push(Token {
                text: "sn".into(),
                is_number: true,
                is_dotted: false,
                segment,
                is_capital: false,
                is_name: false,
            });
            at += length + 2;
            continue;
        }
        let is_street_mark = written.eq_ignore_ascii_case("c") && after.starts_with('/');
        let text = if is_street_mark {
            "calle".to_owned()
        } else if c.is_ascii_digit() {
            number_text(written)
        } else {
            plain_word(written)
        };
        if !text.is_empty() {
            tokens.push(Token {
                is_number: c.is_ascii_digit(),
                is_dotted: after.starts_with('.') || written.ends_with('.'),
                segment,
                is_capital: !written.contains(char::is_lowercase),
                is_name: written.starts_with(char::is_uppercase),
                text,
            });
        }
        at += length.max(1);
        if tokens.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(tokens)
}

/// Ordinal marks would become letters: `2º` is a floor, `Pº` a promenade.
fn mark_ordinals(text: &str) -> String {
    // `r/c` is the ground floor in Portugal.
    text.replace("r/c", " ")
        .replace("R/C", " ")
        .replace("Pº", "Paseo ")
        .replace(['º', 'ª', '°'], ". ")
        .replace('№', " no ")
        .replace('½', " 1/2")
        .replace('¼', " 1/4")
        .replace('¾', " 3/4")
        .replace('〒', " ")
        .replace("邮政编码", " ")
        .replace("邮编", " ")
}

/// The length of a number with its letters, hyphens and slashes.
fn number_length(text: &str) -> usize {
    let mut length = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let continues = match c {
            c if c.is_ascii_alphanumeric() => true,
            '-' | '/' => next.is_some_and(|next| {
                next.is_ascii_digit()
                    || next.is_ascii_alphabetic()
                        && text
                            .get(at + 2..)
                            .is_none_or(|rest| !rest.starts_with(char::is_alphanumeric))
            }),
            _ => false,
        };
        if !continues {
            break;
        }
        length = at + c.len_utf8();
    }
    length
}

/// `14a` for `14-A`.
fn number_text(written: &str) -> String {
    let lower = written.to_lowercase();
    match lower.rsplit_once(['-', '/']) {
        Some((digits, letter))
            if letter.len() == 1 && letter.bytes().all(|b| b.is_ascii_alphabetic()) =>
        {
            format!("{digits}{letter}")
        }
        _ => lower,
    }
}

/// Articles and prepositions before an apostrophe: `d'Italie`, `nell'Emilia`.
fn is_article(text: &str) -> bool {
    ["d", "l", "dell", "nell", "all", "dall", "sull"]
        .iter()
        .any(|article| text.eq_ignore_ascii_case(article))
}

/// The length of a word. Full stops and apostrophes inside belong to it: `P.zza`, `M.G.`, `Mary's`.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut characters = text.char_indices().peekable();
    let mut letters = 0_usize;
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let continues = match c {
            c if c.is_alphanumeric() => true,
            // `d'Italie`, `l'Église`: the article is a word of its own. `O'Connell` is one word.
            '\'' | '’' | '`' => !is_article(text.get(..at).unwrap_or_default()),
            '.' => letters <= 4 && next.is_some_and(char::is_alphabetic),
            _ => false,
        };
        if !continues {
            break;
        }
        length = at + c.len_utf8();
        letters += 1;
        // Words of scripts without spaces end where a number begins.
        if !c.is_ascii() && next.is_some_and(|next| next.is_ascii_digit()) {
            break;
        }
    }
    length.max(text.chars().next().map_or(1, char::len_utf8))
}
