//! The scoring method, for people.

use super::{html::Html, markdown, shell};

pub(crate) fn render(text: &str) -> String {
    let mut main = Html::new();
    markdown::render(&mut main, text);
    shell::page("How a scan is scored", &main)
}
