//! Which characters are hidden.

/// Whether a character is invisible, changes the direction or order of text, or has no agreed
/// appearance: controls (also line breaks and tabs), format and direction marks, zero-width characters,
/// fillers, variation selectors, tags, private use.
#[must_use]
pub const fn is_hidden(character: char) -> bool {
    // Controls, also those after DEL.
    matches!(character, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
        // Soft hyphen, grapheme joiner, Arabic letter mark.
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}')
        // Fillers and vowels without appearance (Hangul, Khmer), Mongolian selectors.
        || matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(character, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        // Zero width, directions, line and paragraph separators, joiners, deprecated formats.
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}')
        // Variation selectors, byte order mark, interlinear marks.
        || matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}')
        // Formats of shorthand and musical notation.
        || matches!(character, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        // Private use; tags, further variation selectors and all above them.
        || matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..)
}

/// The character, or U+FFFD in place of one that [`is_hidden`].
#[must_use]
pub const fn visible(character: char) -> char {
    if is_hidden(character) { char::REPLACEMENT_CHARACTER } else { character }
}

/// The character as one in a line: line breaks and tabs become spaces, other hidden characters U+FFFD.
#[must_use]
pub const fn visible_in_line(character: char) -> char {
    if matches!(character, '\n' | '\r' | '\t') { ' ' } else { visible(character) }
}
