//! Property values as small token trees, without comments and escapes.

use cssparser::{Parser, Token};

/// Tokens kept of one value.
const MAX_TOKENS: usize = 40;
/// Functions inside functions.
const MAX_DEPTH: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueToken {
    /// In lower case.
    Ident(String),
    /// The name of a custom property, in its own case.
    Variable(String),
    Number(f32),
    /// A length in pixels of a desktop browser; lengths relative to the font assume 16 pixels.
    Pixels(f32),
    /// A length that is relative to the font size of the parent element.
    FontRelative(f32),
    Percent(f32),
    Degrees(f32),
    /// The digits of a colour.
    Hash(String),
    Function(String, Vec<ValueToken>),
    Comma,
    Slash,
    Other,
}

impl ValueToken {
    pub(super) fn ident(&self) -> Option<&str> {
        match self {
            Self::Ident(word) => Some(word),
            _ => None,
        }
    }

    /// A length in pixels. Percentages are given in `percent_of`.
    pub(super) fn pixels(&self, percent_of: f32) -> Option<f32> {
        match self {
            Self::Pixels(pixels) => Some(*pixels),
            Self::FontRelative(times) => Some(times * FONT_SIZE),
            Self::Number(number) => Some(*number),
            Self::Percent(percent) => Some(percent / 100.0 * percent_of),
            _ => None,
        }
    }
}

pub(super) const FONT_SIZE: f32 = 16.0;
/// The window of a desktop browser.
pub(super) const WINDOW_WIDTH: f32 = 1_280.0;
pub(super) const WINDOW_HEIGHT: f32 = 720.0;

/// Reads a value up to its end or to `!important`.
pub(super) fn read_value(input: &mut Parser<'_, '_>) -> Vec<ValueToken> {
    read_tokens(input, 0)
}

fn read_tokens(input: &mut Parser<'_, '_>, depth: usize) -> Vec<ValueToken> {
    let mut tokens = Vec::new();
    loop {
        let before = input.state();
        let Ok(token) = input.next().cloned() else { break };
        let read = match token {
            Token::Delim('!') => {
                input.reset(&before);
                break;
            }
            Token::Ident(word) if word.starts_with("--") => ValueToken::Variable(word.to_string()),
            Token::Ident(word) => ValueToken::Ident(word.to_ascii_lowercase()),
            Token::Number { value, .. } => ValueToken::Number(value),
            Token::Percentage { unit_value, .. } => ValueToken::Percent(unit_value * 100.0),
            Token::Dimension { value, unit, .. } => dimension(value, &unit),
            Token::Hash(digits) | Token::IDHash(digits) => ValueToken::Hash(digits.to_string()),
            Token::Comma => ValueToken::Comma,
            Token::Delim('/') => ValueToken::Slash,
            Token::UnquotedUrl(_) => ValueToken::Function("url".to_owned(), Vec::new()),
            Token::Function(name) => {
                let inner = if depth < MAX_DEPTH {
                    let read = input.parse_nested_block(|inner| {
                        Ok::<_, cssparser::ParseError<'_, ()>>(read_tokens(inner, depth + 1))
                    });
                    read.unwrap_or_default()
                } else {
                    Vec::new()
                };
                ValueToken::Function(name.to_ascii_lowercase(), inner)
            }
            _ => ValueToken::Other,
        };
        if tokens.len() < MAX_TOKENS {
            tokens.push(read);
        }
    }
    tokens
}

fn dimension(value: f32, unit: &str) -> ValueToken {
    let pixels = match unit.to_ascii_lowercase().as_str() {
        "px" => value,
        "rem" => value * FONT_SIZE,
        "em" | "ex" | "ch" | "lh" => return ValueToken::FontRelative(value),
        "pt" => value * 96.0 / 72.0,
        "pc" => value * 16.0,
        "in" => value * 96.0,
        "cm" => value * 96.0 / 2.54,
        "mm" => value * 96.0 / 25.4,
        "vw" | "dvw" | "svw" | "lvw" | "vmax" => value / 100.0 * WINDOW_WIDTH,
        "vh" | "dvh" | "svh" | "lvh" | "vmin" => value / 100.0 * WINDOW_HEIGHT,
        "deg" => return ValueToken::Degrees(value),
        "turn" => return ValueToken::Degrees(value * 360.0),
        "rad" => return ValueToken::Degrees(value.to_degrees()),
        _ => return ValueToken::Other,
    };
    ValueToken::Pixels(pixels)
}
