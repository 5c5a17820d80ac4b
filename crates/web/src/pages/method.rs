//! The page about the scoring method.

use askama::Template;

use super::{html::Html, markdown};

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage {
    text_html: String,
}

pub(crate) fn render(text: &str) -> String {
    let mut piece = Html::new();
    markdown::render(&mut piece, text);
    super::render(&MethodPage { text_html: piece.into_string() })
}
