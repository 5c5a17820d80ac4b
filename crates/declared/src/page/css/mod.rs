//! Evaluates the style sheets of a page as far as they hide text from people.
//!
//! Only properties that can hide text are read. Where a rule cannot be evaluated (an unknown
//! pseudo-class, a container query), it never hides anything but may show something: text is called
//! hidden only if it certainly is.

mod concealment;
mod declarations;
mod element;
mod media;
mod rules;
mod selector;
mod sheet;
mod sources;
mod truth;
mod values;

pub(super) use concealment::{InlineStyle, PresentationHints, StyleState};
pub(super) use element::{ElementStack, StyledElement};
pub(super) use rules::StyleRules;
pub(super) use sources::{StyleSource, find_sources};
use truth::Truth;

/// Whether a sheet for these media can apply on a screen.
pub(super) fn is_for_screen(list: &str) -> bool {
    media::applies(list) != Truth::No
}

#[cfg(test)]
mod tests;
