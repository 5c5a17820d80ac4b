//! What a label looks like: its letters as they are read, not as they are encoded.

use unicode_security::MixedScript;

/// A label as a reader sees it, and as what it could be taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The U-label.
    pub(super) shown: String,
    /// Lower-case ASCII where there is a look-alike; see [`looks`].
    pub(super) looks: String,
}

impl Seen {
    pub(super) fn of(label: &str) -> Self {
        let shown = shown(label);
        let looks = looks(&shown);
        Self { shown, looks }
    }

    /// More than ASCII is in it.
    pub(super) fn is_idn(&self) -> bool {
        !self.shown.is_ascii()
    }

    /// Letters of one script stand among those of another.
    pub(super) fn is_mixed(&self) -> bool {
        !self.shown.as_str().is_single_script()
    }
}

/// The U-label of an A-label. What is no good A-label stays as it is: it is shown so as well.
fn shown(label: &str) -> String {
    if !label.starts_with("xn--") {
        return label.to_owned();
    }
    let (unicode, result) = idna::domain_to_unicode(label);
    if result.is_ok() { unicode } else { label.to_owned() }
}

/// The string that every label with this look comes to. Two labels look alike when this is equal.
///
/// By the public table of confusable characters, without marks above and below letters; then small
/// capitals as letters, digits as the letters they stand for, `i` and `l` as one, and pairs that run
/// together (`rn`, `vv`) as the letter they look like.
pub(super) fn looks(shown: &str) -> String {
    let mut folded = String::with_capacity(shown.len());
    if shown.is_ascii() {
        for character in shown.chars() {
            push(&mut folded, character);
        }
    } else {
        for character in unicode_security::skeleton(shown).filter(|c| !is_mark(*c)) {
            push(&mut folded, character);
        }
    }
    folded
}

/// Adds a character to what is there, and draws pairs together.
fn push(folded: &mut String, character: char) {
    let letter = letter(character);
    let joined = match (folded.chars().next_back(), letter) {
        (Some('r'), 'n') => Some('m'),
        (Some('v'), 'v') => Some('w'),
        _ => None,
    };
    match joined {
        Some(joined) => {
            folded.pop();
            folded.push(joined);
        }
        None => folded.push(letter),
    }
}

fn letter(character: char) -> char {
    match character.to_ascii_lowercase() {
        '0' => 'o',
        '1' | '|' | 'i' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        // The public table ends at these; to a reader they are letters all the same.
        'ʙ' => 'b',
        'ᴄ' => 'c',
        'ʜ' => 'h',
        'ĸ' | 'ᴋ' => 'k',
        'ʟ' => 'l',
        'ᴍ' => 'm',
        'ɴ' => 'n',
        'ᴘ' => 'p',
        'ᴛ' => 't',
        other => other,
    }
}

/// Marks that stand above, below or through a letter.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_comes_to_the_same() {
        for (one, other) in [
            ("paypa1", "paypal"),
            ("paypai", "paypal"),
            ("g00gle", "google"),
            ("rnicrosoft", "microsoft"),
            ("m1cr0s0ft", "microsoft"),
            ("vvhatsapp", "whatsapp"),
            ("раураӏ", "paypal"),
            ("аррӏе", "apple"),
            ("gооgle", "google"),
            ("pàypal", "paypal"),
            ("тwitter", "twitter"),
            ("kгaken", "kraken"),
        ] {
            assert_eq!(looks(one), looks(other), "{one}");
        }
        assert_ne!(looks("paypal"), looks("paypol"));
        assert_ne!(looks("email"), looks("emaal"));
    }

    #[test]
    fn the_ascii_way_and_the_long_way_say_the_same() {
        for label in ["modern", "mama", "www", "vvv", "rnrn", "a1b2c3", "0o0", "wm-rn", "summit"] {
            let long: String = unicode_security::skeleton(label).collect();
            assert_eq!(looks(&long.to_ascii_lowercase()), looks(label), "{label}");
        }
    }

    #[test]
    fn hostile_punycode_stays_what_it_is() {
        for label in ["xn--", "xn--a", "xn--999999999", "xn--\u{fffd}", "xn---", "xn--zzzzzzzzzzzz"]
        {
            let seen = Seen::of(label);
            assert!(!seen.looks.is_empty());
        }
        assert_eq!(Seen::of("xn--80ak6aa92e").shown, "аррӏе");
        assert!(Seen::of("xn--80ak6aa92e").is_idn() && !Seen::of("xn--80ak6aa92e").is_mixed());
    }
}
