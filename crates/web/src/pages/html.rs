//! An HTML writer for pieces that a template cannot express, such as nested types and Markdown. It prevents
//! injection: markup is fixed at compile time, everything else is escaped text.

use std::fmt::Display;

use askama::filters::Escaper;

use super::page_text::PageText;

/// A piece of HTML under construction.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    pub(crate) fn new() -> Self {
        Self(String::with_capacity(8 * 1_024))
    }

    /// Appends markup. Only string literals are accepted.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends text, or the value of a quoted attribute ([`PageText`]).
    pub(crate) fn text(&mut self, text: impl Display) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = PageText.write_escaped_str(&mut self.0, &text.to_string());
        self
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}
