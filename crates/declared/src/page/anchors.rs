//! Where the links of a page lead.

use std::cell::RefCell;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};

use super::text;
use crate::charset;

/// Memory limit of the tokeniser.
const MAX_PARSER_MEMORY: usize = 8 << 20;
/// How many links of one page are read.
const MAX_ANCHORS: usize = 2_000;
/// Longer addresses are left out.
const MAX_HREF_BYTES: usize = 2_048;

/// The addresses of `<a href>` as written, in their order. Links that the page marks as nofollow or as
/// downloads are left out: the page does not offer them for reading.
#[must_use]
pub fn anchor_targets(body: &[u8], content_type: Option<&str>) -> Vec<String> {
    let html = charset::decode(body, content_type);
    let targets: RefCell<Vec<String>> = RefCell::default();
    let settings = Settings::new()
        .with_memory_settings(
            MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY),
        )
        .with_strict(false)
        .append_element_content_handler(element!("a[href]", |el| {
            let mut targets = targets.borrow_mut();
            let Some(href) = el.get_attribute("href").filter(|_| targets.len() < MAX_ANCHORS)
            else {
                return Ok(());
            };
            let is_nofollow = el.get_attribute("rel").is_some_and(|rel| {
                rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"))
            });
            if href.len() <= MAX_HREF_BYTES && !is_nofollow && !el.has_attribute("download") {
                targets.push(text::clean_text(&href, MAX_HREF_BYTES));
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // Links before a part that cannot be tokenised still count.
    if rewriter.write(html.as_bytes()).is_ok() {
        let _ = rewriter.end();
    } else {
        drop(rewriter);
    }
    targets.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(html: &str) -> Vec<String> {
        anchor_targets(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    #[test]
    fn links_are_read_in_their_order_and_only_from_markup() {
        let html = "<a href=/a>x</a><A HREF=' b&amp;c '>y</A><a name=z>no</a>\
                    <!-- <a href=/comment>x</a> --><script>'<a href=/script>'</script>\
                    <a rel='external NoFollow' href=/n>n</a><a href=/file download>d</a><a href=\"\">e</a>";
        assert_eq!(targets(html), ["/a", "b&c", ""]);
    }

    #[test]
    fn links_are_limited() {
        assert_eq!(targets(&"<a href=/x>".repeat(3 * MAX_ANCHORS)).len(), MAX_ANCHORS);
        assert_eq!(targets(&format!("<a href={}>", "a".repeat(MAX_HREF_BYTES + 1))), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(body in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = anchor_targets(&body, None);
        }

        #[test]
        fn any_markup_is_read_without_panic(html in "(<a href=|<!--|-->|<script>|</script>|'|\"|>|&amp;|/x| )*") {
            let _ = targets(&html);
        }
    }
}
