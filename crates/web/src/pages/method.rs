//! The page about the scoring method.

use super::{html::Html, layout, markdown};

pub(crate) fn render(text: &str) -> String {
    let mut main = Html::new();
    markdown::render(&mut main, text);
    layout::page("How a scan is scored", &main)
}
