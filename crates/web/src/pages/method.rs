//! The page about the scoring method, with what became of disputes.

use askama::Template;
use service::DisputeCounts;

use super::{html::Html, markdown};

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage<'a> {
    text_html: &'a str,
    disputes: &'a str,
}

/// The text of the method as HTML; made once.
pub(crate) fn to_html(text: &str) -> String {
    let mut piece = Html::new();
    markdown::render(&mut piece, text);
    piece.into_string()
}

pub(crate) fn render(text_html: &str, disputes: &str) -> String {
    super::render(&MethodPage { text_html, disputes })
}

/// How many objections of owners changed a verdict, in a sentence.
pub(crate) fn dispute_sentence(counts: DisputeCounts) -> String {
    let DisputeCounts { filed, read_again, changed } = counts;
    if filed == 0 {
        return "No owner has objected to a reading yet.".to_owned();
    }
    let share = (changed * 100 + read_again / 2).checked_div(read_again);
    let share = share.map_or(String::new(), |share| format!(" ({share} %)"));
    format!(
        "Owners objected to {filed} readings. {read_again} sites were read again, and {changed} of these readings led to \
         another verdict{share}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_changed_verdicts_is_said() {
        let say = |filed, read_again, changed| {
            dispute_sentence(DisputeCounts { filed, read_again, changed })
        };
        assert_eq!(say(0, 0, 0), "No owner has objected to a reading yet.");
        assert!(say(1, 0, 0).ends_with("another verdict."), "{}", say(1, 0, 0));
        assert!(say(4, 3, 1).ends_with("another verdict (33 %)."), "{}", say(4, 3, 1));
        assert!(render("<p>x</p>", "a < b").contains("a &lt; b"));
    }
}
