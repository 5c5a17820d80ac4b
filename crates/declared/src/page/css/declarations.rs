//! The declarations that can hide text or show it again.

use cssparser::Parser;
use cssparser::color::{parse_hash_color, parse_named_color};

use super::values::{ValueToken, WINDOW_WIDTH, read_value};

/// A property, or a group of properties that hide in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Property {
    Display,
    Visibility,
    Opacity,
    FontSize,
    TextIndent,
    Position,
    Left,
    Top,
    Right,
    Bottom,
    MarginLeft,
    MarginTop,
    Transform,
    Translate,
    Scale,
    Colour,
    Background,
    BackgroundClip,
    Clip,
    ClipPath,
    Width,
    Height,
    MaxWidth,
    MaxHeight,
    Overflow,
    ContentVisibility,
    Animation,
    Transition,
    Filter,
    ZIndex,
}

pub(super) const PROPERTIES: usize = Property::ZIndex as usize + 1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Colour {
    Opaque(u8, u8, u8),
    Transparent,
    /// A picture, a gradient, a half transparent colour, or one that is not evaluated.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// For properties with keywords: whether the value hides (or, for `position`, takes the element
    /// out of the page; for `animation`, whether there is one).
    Flag(bool),
    Number(f32),
    /// Pixels.
    Length(f32),
    /// A font size relative to the parent's.
    Relative(f32),
    Colour(Colour),
    /// A value that hides nothing and says nothing else: `auto`, `inherit`, `calc(…)`.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declaration {
    pub(super) property: Property,
    pub(super) value: Value,
    pub(super) important: bool,
}

impl Declaration {
    /// Whether the declaration can be part of what hides text. Such declarations are left out if it is
    /// not certain that their rule applies.
    pub(super) fn can_hide(&self) -> bool {
        match (self.property, self.value) {
            (Property::Animation | Property::Transition | Property::BackgroundClip, _) => false,
            (_, Value::Flag(hides)) => hides,
            (Property::Opacity, Value::Number(opacity)) => opacity < 0.5,
            (Property::Transform, Value::Number(_)) => true,
            (Property::FontSize, Value::Length(size)) => size <= 1.0,
            (Property::FontSize, Value::Relative(times)) => times <= 0.1,
            (Property::MaxHeight | Property::MaxWidth, Value::Length(size)) => size <= 1.0,
            (Property::Width | Property::Height, Value::Length(size)) => size <= 1.0,
            (_, Value::Length(length)) => length.abs() > 100.0,
            _ => false,
        }
    }
}

/// A declaration as written, with the custom property that its value is taken from, if any.
#[derive(Debug)]
pub(super) enum ReadDeclaration {
    Plain(Vec<(Property, Value)>),
    /// The value is `var(--name)`.
    FromVariable(String),
    Irrelevant,
}

/// Reads the value of a property.
pub(super) fn read_declaration(name: &str, input: &mut Parser<'_, '_>) -> ReadDeclaration {
    let name = name.to_ascii_lowercase();
    if !is_relevant(&name) {
        return ReadDeclaration::Irrelevant;
    }
    let tokens = read_value(input);
    if let [ValueToken::Function(function, inner)] = tokens.as_slice()
        && function == "var"
        && let Some(ValueToken::Variable(variable)) = inner.first()
    {
        return ReadDeclaration::FromVariable(variable.clone());
    }
    ReadDeclaration::Plain(interpret(&name, &tokens))
}

fn is_relevant(name: &str) -> bool {
    matches!(
        name,
        "display"
            | "visibility"
            | "opacity"
            | "font-size"
            | "font"
            | "text-indent"
            | "position"
            | "left"
            | "top"
            | "right"
            | "bottom"
            | "inset"
            | "margin"
            | "margin-left"
            | "margin-top"
            | "transform"
            | "-webkit-transform"
            | "translate"
            | "scale"
            | "color"
            | "-webkit-text-fill-color"
            | "background"
            | "background-color"
            | "background-image"
            | "background-clip"
            | "-webkit-background-clip"
            | "clip"
            | "clip-path"
            | "-webkit-clip-path"
            | "width"
            | "height"
            | "max-width"
            | "max-height"
            | "overflow"
            | "overflow-x"
            | "overflow-y"
            | "content-visibility"
            | "animation"
            | "animation-name"
            | "transition"
            | "transition-property"
            | "filter"
            | "z-index"
    )
}

/// What a value means for the properties that it sets.
pub(super) fn interpret(name: &str, tokens: &[ValueToken]) -> Vec<(Property, Value)> {
    let first_word = || tokens.first().and_then(ValueToken::ident).unwrap_or_default();
    let word = || if tokens.len() == 1 { first_word() } else { "" };
    let length = || match tokens {
        [only] => only.pixels(WINDOW_WIDTH).map_or(Value::Other, Value::Length),
        _ => Value::Other,
    };
    let one = |property, value| vec![(property, value)];
    match name {
        "display" if word() != "none" && first_word() == "none" => Vec::new(),
        "display" => one(Property::Display, Value::Flag(word() == "none")),
        "visibility" => one(
            Property::Visibility,
            match word() {
                "hidden" | "collapse" => Value::Flag(true),
                "visible" => Value::Flag(false),
                _ => Value::Other,
            },
        ),
        "opacity" => one(
            Property::Opacity,
            match tokens {
                [ValueToken::Number(number)] => Value::Number(*number),
                [ValueToken::Percent(percent)] => Value::Number(percent / 100.0),
                _ => Value::Other,
            },
        ),
        "font-size" => one(Property::FontSize, font_size(tokens.first())),
        "font" => {
            // The size is the first length, or a zero without a unit: `font: 0/0 a`.
            let size = tokens.iter().find(|token| {
                matches!(
                    token,
                    ValueToken::Pixels(_) | ValueToken::FontRelative(_) | ValueToken::Percent(_)
                ) || **token == ValueToken::Number(0.0)
            });
            one(Property::FontSize, font_size(size))
        }
        "text-indent" => one(
            Property::TextIndent,
            tokens.first().map_or(Value::Other, |first| {
                first.pixels(WINDOW_WIDTH).map_or(Value::Other, Value::Length)
            }),
        ),
        "position" => one(Property::Position, Value::Flag(matches!(word(), "absolute" | "fixed"))),
        "left" => one(Property::Left, length()),
        "top" => one(Property::Top, length()),
        "right" => one(Property::Right, length()),
        "bottom" => one(Property::Bottom, length()),
        "inset" => {
            box_sides(tokens, [Property::Top, Property::Right, Property::Bottom, Property::Left])
        }
        "margin" => {
            let mut sides = box_sides(
                tokens,
                [Property::MarginTop, Property::Right, Property::Bottom, Property::MarginLeft],
            );
            sides.retain(|(side, _)| matches!(side, Property::MarginTop | Property::MarginLeft));
            sides
        }
        "margin-left" => one(Property::MarginLeft, length()),
        "margin-top" => one(Property::MarginTop, length()),
        "transform" | "-webkit-transform" => one(Property::Transform, transform(tokens)),
        "translate" => {
            let far = tokens.iter().any(is_far_shift);
            one(Property::Translate, Value::Flag(far))
        }
        "scale" => one(Property::Scale, Value::Flag(tokens.iter().any(is_zero))),
        "color" | "-webkit-text-fill-color" => {
            one(Property::Colour, Value::Colour(single_colour(tokens)))
        }
        "background" | "background-color" => {
            one(Property::Background, Value::Colour(background(tokens)))
        }
        "background-image" => match word() {
            "none" => Vec::new(),
            _ => one(Property::Background, Value::Colour(Colour::Unknown)),
        },
        "background-clip" | "-webkit-background-clip" => {
            one(Property::BackgroundClip, Value::Flag(first_word() == "text"))
        }
        "clip" => one(Property::Clip, Value::Flag(is_empty_rectangle(tokens))),
        "clip-path" | "-webkit-clip-path" => {
            one(Property::ClipPath, Value::Flag(is_empty_shape(tokens)))
        }
        "width" => one(Property::Width, length()),
        "height" => one(Property::Height, length()),
        "max-width" => one(Property::MaxWidth, length()),
        "max-height" => one(Property::MaxHeight, length()),
        "overflow" | "overflow-x" | "overflow-y" => one(
            Property::Overflow,
            Value::Flag(matches!(first_word(), "hidden" | "clip" | "auto" | "scroll")),
        ),
        "z-index" => one(
            Property::ZIndex,
            Value::Flag(matches!(tokens, [ValueToken::Number(n)] if *n < 0.0)),
        ),
        "content-visibility" => one(Property::ContentVisibility, Value::Flag(word() == "hidden")),
        "animation" | "animation-name" => one(Property::Animation, Value::Flag(is_named(tokens))),
        "transition" | "transition-property" => {
            one(Property::Transition, Value::Flag(is_named(tokens)))
        }
        "filter" => one(
            Property::Filter,
            Value::Flag(tokens.iter().any(|token| {
                matches!(token, ValueToken::Function(name, inner)
                if name == "opacity" && inner.first().is_some_and(is_zero))
            })),
        ),
        _ => Vec::new(),
    }
}

/// The sides of `inset` and `margin`, which have one to four values.
fn box_sides(tokens: &[ValueToken], sides: [Property; 4]) -> Vec<(Property, Value)> {
    let value = |at: usize| {
        let token = tokens.get(at);
        token.and_then(|t| t.pixels(WINDOW_WIDTH)).map_or(Value::Other, Value::Length)
    };
    let order: [usize; 4] = match tokens.len() {
        1 => [0, 0, 0, 0],
        2 => [0, 1, 0, 1],
        3 => [0, 1, 2, 1],
        4 => [0, 1, 2, 3],
        _ => return Vec::new(),
    };
    sides.into_iter().zip(order).map(|(side, at)| (side, value(at))).collect()
}

fn font_size(token: Option<&ValueToken>) -> Value {
    match token {
        Some(ValueToken::Pixels(size) | ValueToken::Number(size)) => Value::Length(*size),
        Some(ValueToken::FontRelative(times)) => Value::Relative(*times),
        Some(ValueToken::Percent(percent)) => Value::Relative(percent / 100.0),
        Some(ValueToken::Ident(word)) => match word.as_str() {
            "inherit" | "unset" | "smaller" | "larger" => Value::Relative(1.0),
            _ => Value::Length(super::values::FONT_SIZE),
        },
        Some(_) => Value::Length(super::values::FONT_SIZE),
        None => Value::Other,
    }
}

fn is_zero(token: &ValueToken) -> bool {
    matches!(
        token,
        ValueToken::Number(n) | ValueToken::Pixels(n) | ValueToken::Percent(n)
            | ValueToken::FontRelative(n) if n.abs() < 0.01
    )
}

/// A shift that moves text out of the window whatever its own size is.
fn is_far_shift(token: &ValueToken) -> bool {
    match token {
        ValueToken::Percent(percent) => percent.abs() >= 500.0,
        other => other.pixels(0.0).is_some_and(|pixels| pixels <= -500.0 || pixels >= 3_000.0),
    }
}

fn transform(tokens: &[ValueToken]) -> Value {
    let hides = tokens.iter().any(|token| {
        let ValueToken::Function(name, inner) = token else { return false };
        match name.as_str() {
            "translate" | "translatex" | "translatey" | "translate3d" => {
                inner.iter().any(is_far_shift)
            }
            "scale" | "scalex" | "scaley" | "scale3d" => inner.iter().any(is_zero),
            "rotatex" | "rotatey" => inner.iter().any(
                |turn| matches!(turn, ValueToken::Degrees(by) if (by.abs() - 90.0).abs() < 0.1),
            ),
            _ => false,
        }
    });
    // A shift by the whole own size hides only what starts at the edge of the window.
    let own_size = |token: &ValueToken| {
        matches!(token, ValueToken::Function(name, inner)
            if name.starts_with("translate")
                && matches!(inner.first(), Some(ValueToken::Percent(by)) if *by <= -100.0))
    };
    if !hides && tokens.iter().any(own_size) { Value::Number(-1.0) } else { Value::Flag(hides) }
}

fn is_named(tokens: &[ValueToken]) -> bool {
    tokens.first().is_some_and(|first| first.ident() != Some("none"))
}

/// `rect(0, 0, 0, 0)` and `rect(1px, 1px, 1px, 1px)`.
fn is_empty_rectangle(tokens: &[ValueToken]) -> bool {
    let [ValueToken::Function(name, inner)] = tokens else { return false };
    let mut edges = inner.iter().filter(|token| **token != ValueToken::Comma).peekable();
    name == "rect"
        && edges.peek().is_some()
        && edges.all(|edge| edge.pixels(0.0).is_some_and(|n| (0.0..=1.0).contains(&n)))
}

fn is_empty_shape(tokens: &[ValueToken]) -> bool {
    let [ValueToken::Function(name, inner), ..] = tokens else { return false };
    match name.as_str() {
        // From 50 % on, opposite sides meet.
        "inset" => {
            let sides: Vec<f32> = inner
                .iter()
                .map_while(|token| match token {
                    ValueToken::Percent(percent) => Some(*percent),
                    other => is_zero(other).then_some(0.0),
                })
                .collect();
            match sides.as_slice() {
                [all] => *all >= 50.0,
                [vertical, horizontal] => *vertical >= 50.0 || *horizontal >= 50.0,
                [top, sides, bottom] => top + bottom >= 100.0 || *sides >= 50.0,
                [top, right, bottom, left, ..] => top + bottom >= 100.0 || left + right >= 100.0,
                [] => false,
            }
        }
        "circle" | "ellipse" => inner.first().is_some_and(is_zero),
        "polygon" => {
            let mut points = inner.iter().filter(|token| **token != ValueToken::Comma).peekable();
            points.peek().is_some() && points.all(is_zero)
        }
        _ => false,
    }
}

/// The colour of a value that consists of one colour.
pub(super) fn single_colour(tokens: &[ValueToken]) -> Colour {
    match tokens {
        [only] => colour(only).unwrap_or(Colour::Unknown),
        _ => Colour::Unknown,
    }
}

/// The colour of a background. With a picture or gradient it is not known.
fn background(tokens: &[ValueToken]) -> Colour {
    let mut found = Colour::Transparent;
    for token in tokens {
        match token {
            ValueToken::Function(name, _)
                if !matches!(name.as_str(), "rgb" | "rgba" | "hsl" | "hsla") =>
            {
                return Colour::Unknown;
            }
            other => {
                if let Some(colour) = colour(other) {
                    found = colour;
                }
            }
        }
    }
    found
}

fn colour(token: &ValueToken) -> Option<Colour> {
    match token {
        ValueToken::Hash(digits) => {
            let (red, green, blue, alpha) = parse_hash_color(digits.as_bytes()).ok()?;
            Some(with_alpha(red, green, blue, alpha))
        }
        ValueToken::Ident(word) if word == "transparent" => Some(Colour::Transparent),
        ValueToken::Ident(word) => {
            parse_named_color(word).ok().map(|(red, green, blue)| Colour::Opaque(red, green, blue))
        }
        ValueToken::Function(name, inner) => function_colour(name, inner),
        _ => None,
    }
}

fn with_alpha(red: u8, green: u8, blue: u8, alpha: f32) -> Colour {
    match alpha {
        alpha if alpha < 0.05 => Colour::Transparent,
        alpha if alpha > 0.9 => Colour::Opaque(red, green, blue),
        _ => Colour::Unknown,
    }
}

fn function_colour(name: &str, inner: &[ValueToken]) -> Option<Colour> {
    let numbers: Vec<&ValueToken> = inner
        .iter()
        .filter(|token| !matches!(token, ValueToken::Comma | ValueToken::Slash))
        .collect();
    let share = |token: &ValueToken, whole: f32| match token {
        ValueToken::Number(number) => Some(*number / whole),
        ValueToken::Percent(percent) => Some(percent / 100.0),
        _ => None,
    };
    let alpha = numbers.get(3).map_or(Some(1.0), |token| share(token, 1.0));
    let (Some(alpha), Some([first, second, third])) = (alpha, numbers.get(..3)) else {
        return Some(Colour::Unknown);
    };
    let channels = match name {
        "rgb" | "rgba" => [share(first, 255.0), share(second, 255.0), share(third, 255.0)],
        "hsl" | "hsla" => {
            let hue = match first {
                ValueToken::Number(degrees) | ValueToken::Degrees(degrees) => Some(*degrees),
                _ => None,
            };
            let whole = [hue, share(second, 100.0), share(third, 100.0)];
            let [Some(hue), Some(saturation), Some(lightness)] = whole else {
                return Some(Colour::Unknown);
            };
            hsl_to_rgb(hue, saturation, lightness).map(Some)
        }
        _ => return Some(Colour::Unknown),
    };
    let [Some(red), Some(green), Some(blue)] = channels else { return Some(Colour::Unknown) };
    let byte = cssparser::color::clamp_unit_f32;
    Some(with_alpha(byte(red), byte(green), byte(blue), alpha))
}

fn hsl_to_rgb(hue: f32, saturation: f32, lightness: f32) -> [f32; 3] {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let turn = (offset + hue / 30.0).rem_euclid(12.0);
        lightness - amplitude * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0)
    })
}
