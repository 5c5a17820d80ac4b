//! Folds characters: letters that look the same to a reader become the same letter.

/// Whether a character is dropped when words are compared. Narrower than `contract::text::is_hidden`:
/// private-use characters are often icons that a reader sees between words, and controls are blanks.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Whether a character is written without blanks between words.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Appends the plain lower-case form of a character to a word. Returns true if the character was a
/// disguise: a mathematical, circled or full-width letter, which nobody types.
pub fn push_folded(c: char, word: &mut String) -> bool {
    if let Some(plain) = plain_of_styled(c) {
        word.push(plain);
        return true;
    }
    // Combining marks are dropped, like the accents of precomposed letters.
    if matches!(c, '\u{0300}'..='\u{036F}') {
        return false;
    }
    for lower in c.to_lowercase() {
        match lower {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => word.push('a'),
            'ç' | 'ć' | 'č' => word.push('c'),
            'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => word.push('e'),
            'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => word.push('i'),
            'ñ' | 'ń' | 'ň' => word.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => word.push('o'),
            'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => word.push('u'),
            'ý' | 'ÿ' => word.push('y'),
            'ś' | 'š' | 'ş' => word.push('s'),
            'ź' | 'ż' | 'ž' => word.push('z'),
            'ł' => word.push('l'),
            'ё' => word.push('е'),
            'ß' => word.push_str("ss"),
            'æ' => word.push_str("ae"),
            'œ' => word.push_str("oe"),
            '\u{0300}'..='\u{036F}' => {}
            other => word.push(other),
        }
    }
    false
}

fn letter(base: char, steps: u32) -> Option<char> {
    char::from_u32(u32::from(base).saturating_add(steps))
}

fn plain_of_styled(c: char) -> Option<char> {
    let code = u32::from(c);
    match code {
        // full width
        0xFF10..=0xFF19 => letter('0', code.saturating_sub(0xFF10)),
        0xFF21..=0xFF3A => letter('a', code.saturating_sub(0xFF21)),
        0xFF41..=0xFF5A => letter('a', code.saturating_sub(0xFF41)),
        // mathematical alphabets: thirteen of them, capitals before small letters
        0x1D400..=0x1D6A3 => letter('a', code.saturating_sub(0x1D400) % 26),
        0x1D7CE..=0x1D7FF => letter('0', code.saturating_sub(0x1D7CE) % 10),
        // circled and squared
        0x24B6..=0x24CF => letter('a', code.saturating_sub(0x24B6)),
        0x24D0..=0x24E9 => letter('a', code.saturating_sub(0x24D0)),
        0x1F130..=0x1F149 => letter('a', code.saturating_sub(0x1F130)),
        0x1F150..=0x1F169 => letter('a', code.saturating_sub(0x1F150)),
        0x1F170..=0x1F189 => letter('a', code.saturating_sub(0x1F170)),
        _ => None,
    }
}

/// The Latin letter that a letter of another script looks like.
fn latin_lookalike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'ո' | 'η' => 'n',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'ѡ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => return None,
    })
}

fn letter_for_digit(c: char) -> Option<char> {
    Some(match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        _ => return None,
    })
}

/// Replaces letters of other scripts and digits that stand for Latin letters. None if the word is not
/// disguised.
#[must_use]
pub fn undisguise(word: &str) -> Option<String> {
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let latin = word.chars().filter(char::is_ascii_lowercase).count();
    let mut changed = None;
    // No language mixes scripts within one word.
    if latin > 0 && word.chars().any(|c| latin_lookalike(c).is_some()) {
        changed = Some(word.chars().map(|c| latin_lookalike(c).unwrap_or(c)).collect::<String>());
    }
    let now = changed.as_deref().unwrap_or(word);
    // A digit before a letter; `gpt4` and `2nd` stay.
    if now.len() <= 24 && now.is_ascii() {
        let letters = now.bytes().filter(u8::is_ascii_lowercase).count();
        let last_letter = now.bytes().rposition(|b| b.is_ascii_lowercase());
        let first_figure = now.bytes().position(|b| letter_for_digit(char::from(b)).is_some());
        if letters >= 2 && first_figure.is_some() && first_figure < last_letter {
            changed = Some(now.chars().map(|c| letter_for_digit(c).unwrap_or(c)).collect());
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let mut word = String::new();
        for c in text.chars() {
            push_folded(c, &mut word);
        }
        word
    }

    #[test]
    fn letters_become_plain() {
        assert_eq!(plain("Préçèdente"), "precedente");
        assert_eq!(plain("ＩＧＮＯＲＥ"), "ignore");
        assert_eq!(plain("\u{1D408}\u{1D420}\u{1D427}"), "ign");
        assert_eq!(plain("e\u{0301}"), "e");
    }

    #[test]
    fn masks_come_off_and_plain_words_stay() {
        assert_eq!(undisguise("іgnоrе").as_deref(), Some("ignore"));
        assert_eq!(undisguise("pr3v10us").as_deref(), Some("previous"));
        for word in ["gpt4", "ignore", "инструкции", "covid19", "2", "忽略"] {
            assert_eq!(undisguise(word), None, "{word}");
        }
    }
}
