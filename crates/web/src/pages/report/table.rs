//! Cells of tables and entries of lists.

use std::fmt::Display;

use crate::pages::html::Html;

pub(super) fn render_entry(main: &mut Html, name: &'static str, value: impl Display) {
    main.raw("<dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd>\n");
}

pub(super) fn render_code_entry(main: &mut Html, name: &'static str, value: &str) {
    main.raw("<dt>").raw(name).raw("</dt><dd><code>").text(value).raw("</code></dd>\n");
}

/// A table cell. An unknown value is shown as a dash, never as zero.
pub(super) fn render_cell(main: &mut Html, value: Option<impl Display>) {
    main.raw("<td>");
    match value {
        Some(value) => main.text(value),
        None => main.raw("–"),
    };
    main.raw("</td>");
}

/// The text with a capital first letter.
pub(super) fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
