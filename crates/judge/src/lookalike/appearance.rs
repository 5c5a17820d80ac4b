//! The visual appearance of a label: how people read its characters, not how they are encoded.

use unicode_security::MixedScript;

/// A label as people see it, and the folded form for comparing appearances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelAppearance {
    /// The U-label.
    pub(super) shown: String,
    /// The folded form, lower-case ASCII where there is a look-alike; see [`fold_appearance`].
    pub(super) folded: String,
}

impl LabelAppearance {
    pub(super) fn of(label: &str) -> Self {
        let shown = to_u_label(label);
        let looks = fold_appearance(&shown);
        Self { shown, folded: looks }
    }

    /// Whether it contains characters outside ASCII.
    pub(super) fn is_idn(&self) -> bool {
        !self.shown.is_ascii()
    }

    /// Whether it mixes letters of several scripts.
    pub(super) fn is_mixed(&self) -> bool {
        !self.shown.as_str().is_single_script()
    }
}

/// The U-label of an A-label. An invalid A-label stays as it is, because browsers show it like that.
fn to_u_label(label: &str) -> String {
    if !label.starts_with("xn--") {
        return label.to_owned();
    }
    let (unicode, result) = idna::domain_to_unicode(label);
    if result.is_ok() { unicode } else { label.to_owned() }
}

/// Folds a label to its appearance. Two labels look alike when this is equal.
///
/// Uses the Unicode table of confusable characters and drops accents. Then small capitals become letters,
/// digits become the letters they resemble, `i` becomes `l`, and pairs that look like one letter (`rn`,
/// `vv`) become that letter.
pub(super) fn fold_appearance(shown: &str) -> String {
    let mut folded = String::with_capacity(shown.len());
    if shown.is_ascii() {
        for character in shown.chars() {
            push_folded(&mut folded, character);
        }
    } else {
        for character in unicode_security::skeleton(shown).filter(|c| !is_mark(*c)) {
            push_folded(&mut folded, character);
        }
    }
    folded
}

/// Appends a character and joins pairs that look like one letter.
fn push_folded(folded: &mut String, character: char) {
    let letter = fold_letter(character);
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

fn fold_letter(character: char) -> char {
    match character.to_ascii_lowercase() {
        '0' => 'o',
        '1' | '|' | 'i' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        // Not in the Unicode table, but people read them as these letters.
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

/// Whether the character is a mark above, below or through a letter.
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
            assert_eq!(fold_appearance(one), fold_appearance(other), "{one}");
        }
        assert_ne!(fold_appearance("paypal"), fold_appearance("paypol"));
        assert_ne!(fold_appearance("email"), fold_appearance("emaal"));
    }

    #[test]
    fn the_ascii_way_and_the_long_way_say_the_same() {
        for label in ["modern", "mama", "www", "vvv", "rnrn", "a1b2c3", "0o0", "wm-rn", "summit"] {
            let long: String = unicode_security::skeleton(label).collect();
            assert_eq!(
                fold_appearance(&long.to_ascii_lowercase()),
                fold_appearance(label),
                "{label}"
            );
        }
    }

    #[test]
    fn hostile_punycode_stays_what_it_is() {
        for label in ["xn--", "xn--a", "xn--999999999", "xn--\u{fffd}", "xn---", "xn--zzzzzzzzzzzz"]
        {
            let seen = LabelAppearance::of(label);
            assert!(!seen.folded.is_empty());
        }
        assert_eq!(LabelAppearance::of("xn--80ak6aa92e").shown, "аррӏе");
        assert!(
            LabelAppearance::of("xn--80ak6aa92e").is_idn()
                && !LabelAppearance::of("xn--80ak6aa92e").is_mixed()
        );
    }
}
