//! The start tags are those that `lol_html` finds.

use std::cell::RefCell;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};
use proptest::prelude::*;

use super::tag_syntax::MAX_ATTRIBUTES;
use super::*;

fn found(html: &str) -> (Vec<Range<usize>>, bool) {
    let mut tags = StartTags::new(html);
    let found = tags.by_ref().collect();
    (found, tags.gave_up())
}

fn expected(html: &str) -> (Vec<Range<usize>>, bool) {
    let tags = RefCell::new(Vec::new());
    let settings = Settings::new()
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(8 << 20))
        .with_strict(false)
        .append_element_content_handler(element!("*", |el| {
            tags.borrow_mut().push(el.source_location().bytes());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // A rewriter that failed must not be used again.
    let failed = if rewriter.write(html.as_bytes()).is_ok() {
        rewriter.end().is_err()
    } else {
        drop(rewriter);
        true
    };
    (tags.into_inner(), failed)
}

#[track_caller]
fn check(html: &str) {
    let (found, expected) = (found(html), expected(html));
    if html.len() < 1_000 {
        assert_eq!(found, expected, "{html:?}");
    }
    let lengths = |(tags, gave_up): &(Vec<_>, bool)| (tags.len(), *gave_up);
    assert_eq!(
        lengths(&found),
        lengths(&expected),
        "{}",
        html.chars().take(40).collect::<String>()
    );
    assert!(found == expected);
}

#[test]
fn tags_are_found_where_the_tokeniser_finds_them() {
    for html in [
        "",
        "<",
        "<a",
        "<a b='",
        "<a b='>'><c d=\">\" e=f/><g/>",
        "<a =b=c d/e = f g=><h>",
        "text < b <3 <i>",
        "</a><!><!-><!--><a><!---><a><!----><a><!--x--!><a><!-- -- > --><a><!--<!--><a>",
        "<!doctype html><a><!DOCTYPE x \"'>\"'><b><?x ><c></ d><e></><f><![CDATA[<a>]]><b>",
        "<svg><![CDATA[<a>]]]><b>]]><c><style><d></style></svg><style><e></style><f>",
        "<svg><title><style><a></style></title><title/><style><b></style></svg><i>",
        "<math><annotation-xml encoding='TEXT/html'><style><a></style></annotation-xml><style><b>",
        "<math><mi><style><a></style></mi><style><b></style><annotation-xml><style><c>",
        "<svg><font><style><a><font color=x><style><b></style><c>",
        "<svg><p><style><a></style><svg></p><style><b></style><c>",
        "<svg/><style><a></style></svg><style><b></style><svg\0><style><c></style><d>",
        "<script><a></script ><b><script a=><c></SCRIPT/><d><script></scripty></script x='>'><e>",
        "<script><!--<script></script><a>--></script><b><script><!--></script><c>",
        "<script><!--<script><!--</script><a>--><b></script><c>",
        "<script><!-- --- <script> -- </script> </script><a>",
        "<script><!--<scripty></script><a><script><!--x<script/></script>y</script><b>",
        "<title><a></title><b><textarea><c></textarea><plaintext><d></plaintext><e>",
        "<noscript><a></noscript><xmp><b></xmp><iframe><c></iframe><noembed><d></noembed><e>",
        "<noframes><a></noframes><f><style><g></stylex></style><TiTlE></tItLe\n><h>",
        "<select><script><a></script><title><b></title></select><template><c></template>",
    ] {
        check(html);
        check(&format!("x{html}<p>y"));
    }
}

#[test]
fn too_many_open_elements_end_the_reading() {
    for html in ["<b>", "<ul><li>", "<p>x</i>", "<svg>"] {
        check(&html.repeat(open_elements::MAX_OPEN + 1));
    }
    check(&"<b>".repeat(open_elements::MAX_OPEN));
    for html in ["<b></b>", "<ul><li>x</ul>", "<img>", "<svg><a/></svg>"] {
        check(&html.repeat(open_elements::MAX_OPEN + 1));
    }
}

#[test]
fn too_many_attributes_end_the_reading() {
    for attributes in [MAX_ATTRIBUTES, MAX_ATTRIBUTES + 1] {
        check(&format!("<i><b {}><u>", "a ".repeat(attributes)));
    }
    check(&format!("<b a='{}'><u>", " ".repeat(MAX_ATTRIBUTES * 3)));
}

const PIECES: [&str; 72] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "--!>",
    "--",
    "-",
    "!",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<![CDATA[",
    "]]>",
    "]",
    "<script>",
    "</script>",
    "<script ",
    "</script ",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<p>",
    "</p>",
    "<br>",
    "</br>",
    "\"",
    "'",
    "=",
    "/",
    " ",
    "\n",
    "\0",
    "é",
    "<a ",
    "href=",
    "<noscript>",
    "</noscript>",
    "<plaintext>",
    "<template>",
    "<foreignObject>",
    "</foreignObject>",
    "<font color>",
    "<font>",
    "<annotation-xml encoding=text/html>",
    "</annotation-xml>",
    "<mi>",
    "</mi>",
    "<desc>",
    "</desc>",
    "<desc/>",
    "<!doctype",
    "<!",
    "<?",
    "</>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<svg/>",
    "<title/>",
    "<b>",
    "x",
    "script",
    "<!--<script>",
    "<i b=c/>",
    "<SCRIPT>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_markup_has_the_same_tags(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)
    ) {
        let html: String = pieces.concat();
        prop_assert_eq!(found(&html), expected(&html), "{}", html);
    }
}
