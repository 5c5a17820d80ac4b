//! Whether the text of an element is hidden from people, given its style and that of its ancestors.

use super::declarations::{Colour, Declaration, Property, Value, single_colour};
use super::element::ElementStack;
use super::rules::{ElementValues, StyleRules, inline_values};
use super::sheet::{declarations_of, read_inline};
use super::values::ValueToken;

/// Bytes of a style attribute that are examined.
const MAX_STYLE_BYTES: usize = 2_048;
/// Pixels to the left of or above the window that nobody scrolls to.
const FAR_AWAY: f32 = -500.0;
/// Pixels to the right that nobody scrolls to.
const FAR_RIGHT: f32 = 3_000.0;
/// A margin up to this is used to centre wide pages.
const FAR_MARGIN: f32 = -1_500.0;

/// What an element passes on to its descendants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::page) struct StyleState {
    /// Hidden in a way that no descendant can undo.
    hidden: bool,
    /// `visibility: hidden`, which a descendant can undo.
    invisible: bool,
    /// The font size, in pixels.
    font_size: f32,
    indented_away: bool,
    colour: Colour,
    background: Colour,
    /// The text has the colour of what is behind it.
    camouflaged: bool,
}

/// Old attributes that style an element.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::page) struct PresentationHints<'h> {
    pub(in crate::page) style: Option<&'h InlineStyle>,
    pub(in crate::page) hidden_attribute: bool,
    /// `bgcolor`, and `color` of a font element.
    pub(in crate::page) background: Option<&'h str>,
    pub(in crate::page) colour: Option<&'h str>,
    /// Links and controls have a colour of their own.
    pub(in crate::page) own_colour: bool,
}

impl StyleState {
    /// The state of a page without styles: black on white. With sheets that were not read, neither
    /// colour is known.
    pub(in crate::page) fn initial(all_sheets_read: bool) -> Self {
        let colour = |value| if all_sheets_read { value } else { Colour::Unknown };
        Self {
            hidden: false,
            invisible: false,
            font_size: super::values::FONT_SIZE,
            indented_away: false,
            colour: colour(Colour::Opaque(0, 0, 0)),
            background: colour(Colour::Opaque(255, 255, 255)),
            camouflaged: false,
        }
    }

    /// The same state, hidden for a reason that is not in a style.
    pub(in crate::page) fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    pub(in crate::page) fn hides(&self) -> bool {
        self.hidden
            || self.invisible
            || self.indented_away
            || self.camouflaged
            || self.font_size <= 1.0
    }

    /// The state inside an element. `is_styled` says whether it is the last one of the stack; without
    /// sheets there is none.
    pub(in crate::page) fn inside_top(
        self,
        rules: &mut StyleRules,
        stack: &ElementStack<'_>,
        is_styled: bool,
        hints: PresentationHints<'_>,
    ) -> Self {
        if !is_styled && hints.have_no_values() {
            return self.without_values(hints);
        }
        let inline = hints.inline();
        let values =
            if is_styled { rules.values(stack.top(), inline) } else { inline_values(inline) };
        self.with_values(&values, hints)
    }

    /// The state inside `html` or `body`. Many pages hide these until a script has run, so that
    /// nothing counts as hidden by them; their colours count.
    pub(in crate::page) fn inside_document_element(
        self,
        rules: &mut StyleRules,
        stack: &ElementStack<'_>,
        body: bool,
        hints: PresentationHints<'_>,
    ) -> Self {
        let values = rules.values(stack.document_element(body), hints.inline());
        let inside = self.with_values(&values, hints);
        let font_size = if inside.font_size <= 1.0 { self.font_size } else { inside.font_size };
        Self {
            hidden: false,
            invisible: false,
            indented_away: false,
            camouflaged: false,
            font_size,
            ..inside
        }
    }

    /// The same as `with_values` for an element without any, as most are.
    fn without_values(self, hints: PresentationHints<'_>) -> Self {
        let colour = if hints.own_colour { Colour::Unknown } else { self.colour };
        Self {
            hidden: self.hidden || hints.hidden_attribute,
            colour,
            camouflaged: self.camouflaged && !hints.own_colour,
            ..self
        }
    }

    fn with_values(self, values: &ElementValues, hints: PresentationHints<'_>) -> Self {
        let value = |property: Property| {
            values.get(property as usize).copied().flatten().map(|(_, value)| value)
        };
        let flag = |property| value(property) == Some(Value::Flag(true));
        let length = |property| match value(property) {
            Some(Value::Length(length)) => Some(length),
            _ => None,
        };
        let at_most = |property, most: f32| length(property).is_some_and(|size| size <= most);

        let out_of_flow = flag(Property::Position);
        let off_screen = out_of_flow
            && ([Property::Left, Property::Top, Property::Right, Property::Bottom]
                .into_iter()
                .any(|side| at_most(side, FAR_AWAY))
                || length(Property::Left).is_some_and(|left| left >= FAR_RIGHT)
                || matches!(value(Property::Transform), Some(Value::Number(_))));
        let shifted = at_most(Property::MarginLeft, FAR_MARGIN)
            || at_most(Property::MarginTop, FAR_MARGIN)
            || [Property::Transform, Property::Translate, Property::Scale].into_iter().any(flag);
        let without_size = flag(Property::Overflow)
            && [Property::Width, Property::Height, Property::MaxWidth, Property::MaxHeight]
                .into_iter()
                .any(|size| at_most(size, 1.0));
        let clipped = (out_of_flow && flag(Property::Clip)) || flag(Property::ClipPath);
        let transparent = match value(Property::Opacity) {
            Some(Value::Number(opacity)) => opacity < 0.05,
            _ => flag(Property::Filter),
        };
        // What is animated fades in, or is shown by a script when it is scrolled to.
        let animated = flag(Property::Animation) || flag(Property::Transition);
        let not_displayed = match value(Property::Display) {
            Some(value) => value == Value::Flag(true),
            // Any value of a sheet wins over the browser's own rule for the attribute.
            None => hints.hidden_attribute,
        };
        let hidden = not_displayed
            || off_screen
            || shifted
            || without_size
            || clipped
            || (transparent && !animated)
            || flag(Property::ContentVisibility);

        let invisible = match value(Property::Visibility) {
            Some(Value::Flag(true)) => !flag(Property::Animation),
            Some(Value::Flag(false)) => false,
            _ => self.invisible,
        };
        let font_size = match value(Property::FontSize) {
            Some(Value::Length(size)) => size,
            Some(Value::Relative(times)) => self.font_size * times,
            _ => self.font_size,
        };
        let indented_away = match value(Property::TextIndent) {
            Some(Value::Length(indent)) => indent <= FAR_AWAY,
            Some(_) => false,
            None => self.indented_away,
        };
        let inherited = |given: Option<Value>, hint: Option<&str>| match (given, hint) {
            (Some(Value::Colour(colour)), _) => Some(colour),
            (Some(_), _) => Some(Colour::Unknown),
            (None, Some(hint)) => Some(hint_colour(hint)),
            (None, None) => None,
        };
        let own_background = inherited(value(Property::Background), hints.background)
            .filter(|background| *background != Colour::Transparent);
        // Out of the flow it may lie on top of anything, unless it lies behind everything.
        let covers_others = out_of_flow && !flag(Property::ZIndex);
        let background =
            own_background.unwrap_or(if covers_others { Colour::Unknown } else { self.background });
        let own_colour = inherited(value(Property::Colour), hints.colour);
        let colour =
            own_colour.unwrap_or(if hints.own_colour { Colour::Unknown } else { self.colour });
        let recoloured = own_colour.is_some() || own_background.is_some() || hints.own_colour;
        let camouflaged = if recoloured {
            // Text that shows its background through the letters is visible.
            let shows_through = flag(Property::BackgroundClip);
            let fades_in = animated && colour == Colour::Transparent;
            !shows_through && !fades_in && is_same_colour(colour, background)
        } else if out_of_flow {
            colour == Colour::Transparent
        } else {
            self.camouflaged
        };
        Self {
            hidden: self.hidden || hidden,
            invisible,
            font_size,
            indented_away,
            colour,
            background,
            camouflaged,
        }
    }
}

/// The declarations of a style attribute.
#[derive(Debug, Default)]
pub(in crate::page) struct InlineStyle(Vec<Declaration>);

impl InlineStyle {
    /// Reads the attribute as it is written in the page.
    pub(in crate::page) fn read(style: &str) -> Self {
        let style = crate::page::text::clean_text(style, MAX_STYLE_BYTES);
        Self(read_inline(&style))
    }

    /// Whether it hides the text of its element, whatever else applies to it.
    pub(in crate::page) fn hides_alone(&self) -> bool {
        !self.0.is_empty()
            && StyleState::initial(false)
                .with_values(&inline_values(&self.0), PresentationHints::default())
                .hides()
    }
}

impl PresentationHints<'_> {
    fn inline(&self) -> &[Declaration] {
        self.style.map_or(&[], |style| style.0.as_slice())
    }

    /// Whether nothing but the element itself says how it looks.
    fn have_no_values(&self) -> bool {
        self.inline().is_empty() && self.background.is_none() && self.colour.is_none()
    }
}

/// Whether text of one colour cannot be told from its background.
fn is_same_colour(colour: Colour, background: Colour) -> bool {
    const ALIKE: u8 = 6;
    match (colour, background) {
        (Colour::Transparent, _) => true,
        (Colour::Opaque(r, g, b), Colour::Opaque(back_r, back_g, back_b)) => {
            [(r, back_r), (g, back_g), (b, back_b)].iter().all(|(a, b)| a.abs_diff(*b) <= ALIKE)
        }
        _ => false,
    }
}

/// The colour of an old attribute.
fn hint_colour(hint: &str) -> Colour {
    let value = declarations_of("color", hint, false);
    match value.first().map(|declaration| declaration.value) {
        Some(Value::Colour(colour)) if colour != Colour::Unknown => colour,
        _ => single_colour(&[ValueToken::Hash(hint.trim().to_owned())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_without_values_looks_like_what_is_around_it() {
        let style = InlineStyle::default();
        for own_colour in [false, true] {
            for hidden_attribute in [false, true] {
                let hints = PresentationHints {
                    style: Some(&style),
                    hidden_attribute,
                    own_colour,
                    ..PresentationHints::default()
                };
                for camouflaged in [false, true] {
                    let around = StyleState { camouflaged, ..StyleState::initial(own_colour) };
                    let inside = around.with_values(&inline_values(&[]), hints);
                    assert!(hints.have_no_values());
                    assert_eq!(around.without_values(hints), inside);
                    assert_eq!(around.hidden().without_values(hints), inside.hidden());
                }
            }
        }
    }
}
