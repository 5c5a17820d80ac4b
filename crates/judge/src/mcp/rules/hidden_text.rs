//! Rules about characters that people do not see, on the raw text.

use contract::text::mark_hidden;

use super::text_match::TextMatch;

/// The most code points that a finding lists.
const MAX_CODEPOINTS: usize = 8;
const MAX_DECODED: usize = 200;

/// The rules about hidden characters in one text.
pub(super) fn find_hidden(text: &str) -> Vec<TextMatch> {
    if text.is_ascii() && !text.contains('\u{1b}') {
        return Vec::new();
    }
    let chars: Vec<char> = text.chars().collect();
    [tags(&chars), variation_payload(&chars), zero_width(&chars), bidi(&chars), ansi(&chars)]
        .into_iter()
        .flatten()
        .collect()
}

fn found(
    rule: &'static str,
    chars: &[char],
    wanted: impl Fn(char) -> bool,
    start: usize,
    end: usize,
    decoded: String,
) -> TextMatch {
    let mut codepoints: Vec<String> = Vec::new();
    for c in chars.iter().copied().filter(|c| wanted(*c)) {
        let point = format!("U+{:04X}", u32::from(c));
        if codepoints.len() < MAX_CODEPOINTS && !codepoints.contains(&point) {
            codepoints.push(point);
        }
    }
    TextMatch {
        rule,
        start,
        length: end.saturating_sub(start),
        decoded: (!decoded.is_empty()).then_some(decoded),
        codepoints,
        ..TextMatch::default()
    }
}

const fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// TAG characters, except in the flags of regions: a black flag, up to seven tags, the cancel tag.
fn tags(chars: &[char]) -> Option<TextMatch> {
    let (mut start, mut end) = (None, 0_usize);
    let mut decoded = String::new();
    let mut at = 0_usize;
    while let Some(c) = chars.get(at) {
        if !is_tag(*c) {
            at = at.saturating_add(1);
            continue;
        }
        let run = chars.get(at..).unwrap_or_default().iter().take_while(|c| is_tag(**c)).count();
        let stop = at.saturating_add(run);
        let after_flag =
            at.checked_sub(1).and_then(|before| chars.get(before)) == Some(&'\u{1F3F4}');
        let cancelled = stop.checked_sub(1).and_then(|last| chars.get(last)) == Some(&'\u{E007F}');
        if !(after_flag && cancelled && (4..=8).contains(&run)) {
            start.get_or_insert(at);
            end = stop;
            for c in chars.get(at..stop).unwrap_or_default() {
                if let Some(plain) = char::from_u32(u32::from(*c).saturating_sub(0xE0000))
                    && (plain == ' ' || plain.is_ascii_graphic())
                    && decoded.len() < MAX_DECODED
                {
                    decoded.push(plain);
                }
            }
        }
        at = stop;
    }
    start.map(|start| found("unicode_tag_text", chars, is_tag, start, end, decoded))
}

const fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Two selectors in a row never belong to one character; four further ones anywhere carry data.
fn variation_payload(chars: &[char]) -> Option<TextMatch> {
    let is_supplement = |c: char| matches!(c, '\u{E0100}'..='\u{E01EF}');
    let stray = |(at, c): (usize, &char)| {
        let before = at.checked_sub(1).and_then(|before| chars.get(before)).copied();
        // A selector after an ideograph chooses one of its forms.
        is_supplement(*c)
            && !before.is_some_and(|b| matches!(b, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'))
    };
    let strays = chars.iter().enumerate().filter(|(at, c)| stray((*at, *c))).count();
    let run = chars.windows(3).any(|three| three.iter().all(|c| is_selector(*c)));
    if strays < 4 && !run {
        return None;
    }
    let start = chars.iter().position(|c| is_selector(*c))?;
    let end = chars.iter().rposition(|c| is_selector(*c))?.saturating_add(1);
    let bytes: Vec<u8> = chars
        .iter()
        .filter_map(|c| match c {
            '\u{FE00}'..='\u{FE0F}' => u8::try_from(u32::from(*c).saturating_sub(0xFE00)).ok(),
            c if is_supplement(*c) => {
                u8::try_from(u32::from(*c).saturating_sub(0xE0100).saturating_add(16)).ok()
            }
            _ => None,
        })
        .take(MAX_DECODED)
        .collect();
    let decoded = String::from_utf8(bytes).unwrap_or_default();
    Some(found("unicode_variation_payload", chars, is_selector, start, end, decoded))
}

const fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}')
}

/// Three or more out of place, of which at least two inside words.
fn zero_width(chars: &[char]) -> Option<TextMatch> {
    let places: Vec<usize> = mark_hidden(chars.iter().copied())
        .enumerate()
        .filter(|(_, (c, hidden))| *hidden && is_zero_width(*c))
        .map(|(at, _)| at)
        .collect();
    let (first, last) = (*places.first()?, *places.last()?);
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphabetic() || is_zero_width(*c))
    };
    let inside = places
        .iter()
        .filter(|at| is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1)))
        .count();
    let run = places.len() >= 8;
    (places.len() >= 3 && (inside >= 2 || run)).then(|| {
        found(
            "zero_width_interleaved",
            chars,
            is_zero_width,
            first,
            last.saturating_add(1),
            String::new(),
        )
    })
}

/// Overrides and embeddings always; isolates only in text without a letter that is written from the
/// right.
fn bidi(chars: &[char]) -> Option<TextMatch> {
    let is_override = |c: char| matches!(c, '\u{202A}'..='\u{202E}');
    let is_isolate = |c: char| matches!(c, '\u{2066}'..='\u{2069}');
    let from_right = |c: char| {
        matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
            && c.is_alphabetic()
    };
    let has_right = chars.iter().any(|c| from_right(*c));
    // Marks that close an embedding do no harm alone, and honest Arabic and Hebrew text has embeddings.
    let wanted = |c: char| {
        (is_override(c) && (!has_right || matches!(c, '\u{202D}' | '\u{202E}')))
            || (is_isolate(c) && !has_right)
    };
    let start = chars.iter().position(|c| wanted(*c))?;
    let end = chars.iter().rposition(|c| wanted(*c))?.saturating_add(1);
    let decoded = match chars.get(start) {
        Some('\u{202E}') => chars
            .get(start.saturating_add(1)..end)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(MAX_DECODED)
            .collect(),
        _ => String::new(),
    };
    Some(found("bidi_override", chars, wanted, start, end, decoded))
}

fn ansi(chars: &[char]) -> Option<TextMatch> {
    let is_escape = |c: char| matches!(c, '\u{1B}' | '\u{9B}');
    let start = chars.iter().position(|c| is_escape(*c))?;
    Some(found("ansi_escape", chars, is_escape, start, start.saturating_add(1), String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        find_hidden(text).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn hidden_text_is_found() {
        for (text, rule) in [
            ("a\u{E0041}", "unicode_tag_text"),
            (
                "\u{1F3F4}\u{E0041}\u{E0042}\u{E0043}\u{E0044}\u{E0045}\u{E0046}\u{E0047}\u{E0048}\u{E0049}\u{E007F}",
                "unicode_tag_text",
            ),
            ("x\u{E0100}\u{E0101}\u{E0102}\u{E0103}", "unicode_variation_payload"),
            ("a\u{FE00}\u{FE01}\u{FE02}", "unicode_variation_payload"),
            ("i\u{200B}g\u{200B}n\u{200B}ore", "zero_width_interleaved"),
            ("a \u{202E}txt", "bidi_override"),
            ("\u{2066}a\u{2069}", "bidi_override"),
            ("a\u{1B}[8mb", "ansi_escape"),
        ] {
            assert_eq!(rules(text), [rule], "{text:?}");
        }
        assert_eq!(find_hidden("x\u{E0041}\u{E0042}")[0].decoded.as_deref(), Some("AB"));
    }

    #[test]
    fn honest_writing_is_quiet() {
        for text in [
            "👨\u{200D}👩\u{200D}👧 ❤\u{FE0F} 1\u{FE0F}\u{20E3}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "کتاب\u{200C}ها خانه\u{200C}ها می\u{200C}خواهم کار\u{200C}ها",
            "one stray\u{200B} mark",
            "\u{FEFF}start",
            "葛\u{E0100}飾\u{E0101}葛\u{E0100}飾\u{E0101}",
            "\u{2067}עברית\u{2069} and \u{202B}עברית\u{202C}",
            "plain",
        ] {
            assert_eq!(rules(text), Vec::<&str>::new(), "{text:?}");
        }
    }
}
