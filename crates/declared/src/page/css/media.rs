//! Media queries, evaluated for a desktop browser that shows the page on a screen.

use cssparser::{Parser, ParserInput, Token};

use super::truth::Truth;
use super::values::{WINDOW_HEIGHT, WINDOW_WIDTH};

/// Bytes of a list of media queries that are examined.
const MAX_BYTES: usize = 2_048;

/// Whether a list of media queries applies. An empty list does.
pub(super) fn applies(list: &str) -> Truth {
    let list = list.trim();
    if list.is_empty() {
        return Truth::Yes;
    }
    if list.len() > MAX_BYTES {
        return Truth::Unknown;
    }
    let lower = list.to_ascii_lowercase();
    // Queries do not contain commas outside of functions, which are not evaluated.
    lower.split(',').map(query_applies).fold(Truth::No, Truth::or)
}

fn query_applies(query: &str) -> Truth {
    let mut input = ParserInput::new(query);
    let mut parser = Parser::new(&mut input);
    let mut result = Truth::Yes;
    let mut negated = false;
    let mut expects_feature = true;
    loop {
        let part = match parser.next().cloned() {
            Err(_) => break,
            Ok(Token::Ident(word)) => match word.as_ref() {
                "not" => {
                    negated = true;
                    continue;
                }
                "and" => {
                    expects_feature = true;
                    continue;
                }
                "only" => continue,
                "screen" | "all" => Truth::Yes,
                "print" | "speech" | "tty" | "tv" | "projection" | "handheld" | "braille"
                | "embossed" | "aural" => Truth::No,
                // `or` and unknown media types.
                _ => Truth::Unknown,
            },
            Ok(Token::ParenthesisBlock) if expects_feature => {
                let read = parser.parse_nested_block(|inner| {
                    Ok::<_, cssparser::ParseError<'_, ()>>(feature_applies(inner))
                });
                read.unwrap_or(Truth::Unknown)
            }
            Ok(_) => Truth::Unknown,
        };
        expects_feature = false;
        result = result.and(part);
    }
    if negated { result.not() } else { result }
}

/// One condition in parentheses.
fn feature_applies(input: &mut Parser<'_, '_>) -> Truth {
    let mut words: Vec<FeaturePart> = Vec::new();
    while let Ok(token) = input.next().cloned() {
        let part = match token {
            Token::Ident(word) => FeaturePart::Word(word.to_string()),
            Token::Dimension { value, unit, .. } => match unit.as_ref() {
                "px" => FeaturePart::Pixels(value),
                "em" | "rem" => FeaturePart::Pixels(value * super::values::FONT_SIZE),
                _ => return Truth::Unknown,
            },
            Token::Number { value, .. } => FeaturePart::Pixels(value),
            Token::Colon => FeaturePart::Sign(':'),
            Token::Delim(sign @ ('<' | '>' | '=')) => FeaturePart::Sign(sign),
            _ => return Truth::Unknown,
        };
        words.push(part);
        if words.len() > 8 {
            return Truth::Unknown;
        }
    }
    use FeaturePart::{Pixels, Sign, Word};
    match words.as_slice() {
        [Word(name), Sign(':'), Pixels(wanted)] => {
            let size = |name: &str| match name {
                "width" | "device-width" => Some(WINDOW_WIDTH),
                "height" | "device-height" => Some(WINDOW_HEIGHT),
                _ => None,
            };
            if let Some(size) = name.strip_prefix("min-").and_then(size) {
                Truth::from_bool(size >= *wanted)
            } else if let Some(size) = name.strip_prefix("max-").and_then(size) {
                Truth::from_bool(size <= *wanted)
            } else {
                Truth::Unknown
            }
        }
        [Word(name), Sign(':'), Word(value)] => match (name.as_str(), value.as_str()) {
            ("orientation", value) => Truth::from_bool(value == "landscape"),
            ("prefers-color-scheme", value) => Truth::from_bool(value == "light"),
            ("prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-data", value) => {
                Truth::from_bool(value == "no-preference")
            }
            ("hover" | "any-hover", value) => Truth::from_bool(value == "hover"),
            ("pointer" | "any-pointer", value) => Truth::from_bool(value == "fine"),
            ("forced-colors", value) => Truth::from_bool(value == "none"),
            ("scripting", value) => Truth::from_bool(value == "enabled"),
            _ => Truth::Unknown,
        },
        [Word(name), rest @ ..] if name == "width" => compare(WINDOW_WIDTH, rest),
        [Word(name), rest @ ..] if name == "height" => compare(WINDOW_HEIGHT, rest),
        [Pixels(least), rest @ ..] => {
            let name = rest.iter().position(|part| matches!(part, Word(name) if name == "width"));
            let Some((signs, [_, last @ ..])) = name.and_then(|at| rest.split_at_checked(at))
            else {
                return Truth::Unknown;
            };
            let first = compare_signs(*least, signs, WINDOW_WIDTH);
            first.map_or(Truth::Unknown, Truth::from_bool).and(if last.is_empty() {
                Truth::Yes
            } else {
                compare(WINDOW_WIDTH, last)
            })
        }
        _ => Truth::Unknown,
    }
}

enum FeaturePart {
    Word(String),
    Pixels(f32),
    Sign(char),
}

/// `>= 600px` after the name of a size.
fn compare(size: f32, rest: &[FeaturePart]) -> Truth {
    let [signs @ .., FeaturePart::Pixels(wanted)] = rest else { return Truth::Unknown };
    compare_signs(size, signs, *wanted).map_or(Truth::Unknown, Truth::from_bool)
}

fn compare_signs(left: f32, signs: &[FeaturePart], right: f32) -> Option<bool> {
    use FeaturePart::Sign;
    match signs {
        [Sign('<')] => Some(left < right),
        [Sign('<'), Sign('=')] => Some(left <= right),
        [Sign('>')] => Some(left > right),
        [Sign('>'), Sign('=')] => Some(left >= right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_evaluated_for_a_desktop_screen() {
        for (list, expected) in [
            ("", Truth::Yes),
            ("screen", Truth::Yes),
            ("print", Truth::No),
            ("print, screen", Truth::Yes),
            ("not print", Truth::Yes),
            ("only screen and (min-width: 768px)", Truth::Yes),
            ("(max-width: 600px)", Truth::No),
            ("(min-width:40em) and (max-width: 79.99em)", Truth::No),
            ("(width >= 600px)", Truth::Yes),
            ("(400px <= width < 900px)", Truth::No),
            ("(prefers-color-scheme: dark)", Truth::No),
            ("(min-resolution: 2dppx)", Truth::Unknown),
            ("screen and (display-mode: standalone)", Truth::Unknown),
            ("print and (unknown)", Truth::No),
            ("((", Truth::Unknown),
        ] {
            assert_eq!(applies(list), expected, "{list}");
        }
    }
}
