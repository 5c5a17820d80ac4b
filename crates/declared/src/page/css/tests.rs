use crate::page::{HiddenText, Page, TextSurface};

const ORDER: &str = "obey these words";

fn page(html: &str) -> Page {
    Page::read(html.as_bytes(), Some("text/html; charset=utf-8"))
}

/// Whether the order is hidden on a page with this sheet and this markup.
fn is_hidden(css: &str, markup: &str) -> bool {
    let html =
        format!("<html><head><style>{css}</style></head><body><h2>Seen by all.</h2>{markup}");
    let page = page(&html);
    let hidden = page
        .hidden
        .iter()
        .any(|note| note.surface == TextSurface::CssHidden && note.text.contains(ORDER));
    assert_ne!(hidden, page.visible.contains(ORDER), "{css} {markup}: {page:?}");
    assert!(page.text.contains(ORDER) && page.visible.contains("Seen by all."), "{css} {markup}");
    hidden
}

#[test]
fn declarations_that_hide_are_told_from_those_that_do_not() {
    let markup = "<p class=x>obey these words</p>";
    for hides in [
        "display:none",
        "DISPLAY : None !important",
        "d\\69splay: none",
        "display:/* */none",
        "visibility: hidden",
        "visibility:collapse",
        "opacity:0",
        "opacity:.01",
        "opacity: 0%",
        "font-size:0",
        "font-size:1px",
        "font:0/0 a",
        "position:absolute;left:-9999px",
        "position:fixed;top:-100vh;top:-1000px",
        "position:absolute;inset:-9999px auto auto -9999px",
        "position:absolute;left:-999em",
        "position:absolute; left: 9999px",
        "position:fixed;transform:translateX(-100%)",
        "text-indent:-9999px",
        "text-indent: -999em; overflow:hidden",
        "margin-left:-9999px",
        "margin: -5000px 0 0",
        "transform:translate(-9999px, 0)",
        "transform:scale(0)",
        "transform: rotateY(90deg)",
        "scale: 0",
        "translate: -200vw",
        "color:#fff;background:#FFFFFF",
        "color:#fff",
        "color:rgb(255 255 255 / 1)",
        "color:hsl(0, 0%, 100%)",
        "color:rgba(0,0,0,0)",
        "color:transparent",
        "color:#fff;position:absolute;z-index:-1",
        "color:black;background-color:#010101",
        "position:absolute;clip:rect(0,0,0,0)",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(1px 1px 1px 1px)",
        "clip-path:inset(50%)",
        "clip-path: inset(100%)",
        "clip-path:circle(0)",
        "clip-path:polygon(0 0, 0 0, 0 0)",
        "height:0;overflow:hidden",
        "overflow:hidden;max-height:0",
        "width:1px;overflow:clip",
        "content-visibility:hidden",
        "filter: opacity(0)",
    ] {
        assert!(is_hidden(&format!(".x{{{hides}}}"), markup), "{hides}");
    }
    for shows in [
        "",
        "display:block",
        "opacity:.5",
        "opacity:0;transition:opacity .5s",
        "opacity:0;animation:fade-in 1s forwards",
        "font-size:.9em",
        "left:-9999px",
        "position:absolute;left:-5px",
        "position:relative;margin-left:-640px;left:50%",
        "color:#fff;background:#000",
        "color:#fff;background:url(a.png)",
        "color:#fff;background:linear-gradient(#fff,#000)",
        "color:#fff;position:absolute",
        "color:#eee;position:absolute;z-index:-1",
        "color:transparent;background:linear-gradient(red,blue);background-clip:text",
        "height:0",
        "max-height:0",
        "width:100%;overflow:hidden",
        "transform:scale(1.2) translateY(-20px)",
        "clip-path:inset(0 5%)",
        "display:none;display:block",
        "display:none invalid",
        "display:var(--unknown)",
        "visibility:inherit",
    ] {
        assert!(!is_hidden(&format!(".x{{{shows}}}"), markup), "{shows}");
    }
}

#[test]
fn selectors_match_as_in_a_browser() {
    let markup = "<main id=m class='wide page'><div class='a b'><span>before</span>\
                  <p id=p class='x y' data-k='one two'>obey these words</p></div></main>";
    for matching in [
        "p",
        "P",
        ".x.y",
        "#p",
        "*",
        "div p",
        "div > p",
        "main .a > #p",
        "html body main p",
        "body > main p",
        ":root p",
        "[data-k]",
        "p[data-k~=two]",
        "[data-k^='one']",
        "[data-k$=two]",
        "[DATA-K*='e t']",
        "p:not(.z)",
        ":is(.z, .x)",
        ":where(.a) :where(p)",
        "span + p",
        "span ~ p",
        "p:nth-child(2)",
        "p:nth-child(even)",
        ".z, .x",
        "p:not(:hover)",
        "p::before, p",
    ] {
        let css = format!(
            "{matching}{{text-indent:-9999px}} .n{{text-indent:0}} p:first-child,span{{text-indent:0}}"
        );
        let html = format!("<style>{css}</style><body>{markup}");
        let read = page(&html);
        assert!(
            read.hidden.iter().any(|note| note.text.contains(ORDER)),
            "{matching}: {:?}",
            read.hidden
        );
    }
    for not_matching in [
        ".X",
        ".z",
        "#P",
        "main > p",
        "p > span",
        "p + span",
        "p:first-child",
        "[data-k=one]",
        "p:hover",
        "p:not(.x)",
        "p:is(.z)",
        "p:unknown-to-us",
        "p:has(span)",
        "p:last-of-type",
        "p:not(:last-child)",
        "p::before",
        "p:before",
        ".x, ,",
        "p:not(",
    ] {
        assert!(!is_hidden(&format!("{not_matching}{{display:none}}"), markup), "{not_matching}");
    }
}

#[test]
fn the_cascade_decides() {
    let markup = "<p class='x y' id=i>obey these words</p>";
    for (css, hidden) in [
        (".x{display:none}.y{display:block}", false),
        (".y{display:block}.x{display:none}", true),
        ("#i{display:none}.x{display:block}", true),
        (".x{display:none!important}#i{display:block}", true),
        (".x{display:none}p{display:block!important}", false),
        (".x{display:none}:where(#i){display:block}", true),
        ("@layer a{#i{display:none}}.x{display:block}", false),
        ("@media print{.x{display:none}}", false),
        ("@media screen and (min-width:600px){.x{display:none}}", true),
        ("@media (max-width:600px){.x{display:none}}", false),
        ("@media (min-resolution:2dppx){.x{display:none}}", false),
        ("@supports (display:grid){.x{display:none}}", true),
        ("@container (min-width:1px){.x{display:none}}", false),
        (".x{display:none}@container (min-width:1px){.y{display:block}}", false),
        ("@media screen{@media (min-width:1px){.x{display:none}}}", true),
        ("@import url(a.css);.x{display:none}", true),
        ("@keyframes f{from{display:none}}", false),
        ("body{& .x{display:none}}", true),
        ("body{.x{display:none}}", true),
        ("body{> .x{display:none}}", true),
        (".x{@media screen{display:none}}", true),
        (".x{color:red;&:hover{color:blue}display:none}", true),
        (".y{a:hover{color:red}} .x{display:none}", true),
        ("} .x{display:none}", false),
        (".x{display:none", true),
        ("/* .x{display:none} */", false),
        ("<!-- .x{display:none} -->", true),
        (":root{--paper:#fff}.x{color:var(--paper)}", true),
        (":root{--a:#fff;--b:var(--a)}.x{--c:var(--b);color:var(--c)}", true),
        (":root{--a:var(--b);--b:var(--a)}.x{color:var(--a)}", false),
        ("body{background:#123456}.x{color:#123456}", true),
        ("body{background:#123456}.x{color:#fff}", false),
        (".no-js .x{display:none}", false),
    ] {
        assert_eq!(is_hidden(css, markup), hidden, "{css}");
    }
    assert!(!is_hidden(".x{display:none}", "<p class=x style='display:block'>obey these words"));
    assert!(is_hidden(".x{display:block}", "<p class=x style='display:none'>obey these words"));
}

#[test]
fn styles_of_ancestors_count() {
    for (css, markup, hidden) in [
        (".a{display:none}", "<div class=a><p>obey these words</p></div>", true),
        (".a{opacity:0}.b{opacity:1}", "<div class=a><p class=b>obey these words</p></div>", true),
        (
            ".a{visibility:hidden}.b{visibility:visible}",
            "<div class=a><p class=b>obey these words</p></div>",
            false,
        ),
        (
            ".a{font-size:0}.b{font-size:16px}",
            "<ul class=a><li class=b>obey these words</ul>",
            false,
        ),
        (".a{font-size:0}.b{font-size:1em}", "<ul class=a><li class=b>obey these words</ul>", true),
        (
            ".a{color:#fff}.b{background:#333}",
            "<div class=a><p class=b>obey these words</p></div>",
            false,
        ),
        (
            ".a{background:#333}.b{color:#333}",
            "<div class=a><p class=b>obey these words</div>",
            true,
        ),
        // An unclosed paragraph ends where the next block begins.
        (".a{display:none}", "<p class=a>hidden<div>obey these words</div>", false),
        (".a{display:none}", "<ul><li class=a>hidden<li>obey these words</ul>", false),
    ] {
        assert_eq!(is_hidden(css, markup), hidden, "{css} {markup}");
    }
    // Pages that hide themselves until a script has run.
    for css in ["body{display:none!important}", "html{visibility:hidden}", "body{opacity:0}"] {
        assert!(!is_hidden(css, "<p>obey these words</p>"), "{css}");
    }
}

#[test]
fn a_sheet_applies_wherever_it_stands() {
    for html in [
        "<p class=x>obey these words</p><style>.x{display:none}</style>",
        "<p class=x>obey these words</p><svg><style>.x{display:none}</style></svg>",
        "<STYLE type='text/css' media=screen>.x{display:none}</STYLE><p class='x'>obey these words",
        "<style>.x{display:none}</style><p class='&#120;'>obey these words",
    ] {
        assert_eq!(
            page(html).hidden,
            [HiddenText { surface: TextSurface::CssHidden, text: ORDER.to_owned() }],
            "{html}"
        );
    }
    for html in [
        "<style media=print>.x{display:none}</style><p class=x>obey these words",
        "<style type=text/less>.x{display:none}</style><p class=x>obey these words",
        "<noscript><style>.x{display:none}</style></noscript><p class=x>obey these words",
        "<!-- <style>.x{display:none}</style> --><p class=x>obey these words",
        "<script>'<style>.x{display:none}</style>'</script><p class=x>obey these words",
        "<template><style>.x{display:none}</style></template><p class=x>obey these words",
        "<p title='<style>.x{display:none}</style>' class=x>obey these words",
    ] {
        let read = page(html);
        assert!(read.visible.contains(ORDER), "{html}: {read:?}");
    }
}

#[test]
fn linked_sheets_count_in_their_order() {
    let html = "<base href=/static/><link rel=stylesheet href='a.css?x=1&amp;y'>\
                <link rel='alternate stylesheet' href=no.css><link rel=stylesheet media=print href=p.css>\
                <style>.y{display:block}</style><p class=x>obey these words</p><p class=y>also this</p>";
    let linked = |href: &str| (href == "a.css?x=1&y").then_some(".x,.y{display:none}");
    let read = Page::read_with_styles(html.as_bytes(), None, &linked);
    assert_eq!(read.style_sheets, ["a.css?x=1&y"]);
    assert_eq!(
        read.style_sheet_urls("https://tin.example/en/"),
        ["https://tin.example/static/a.css?x=1&y"]
    );
    assert_eq!(read.visible, "also this\n");
    let imported = "<style>/* a */ @import url(\"/b.css\") screen; @IMPORT 'c.css';p{}</style>";
    assert_eq!(page(imported).style_sheets, ["/b.css", "c.css"]);
    // Without the sheet, white text may be on any background.
    let white = "<link rel=stylesheet href=a.css><p style='color:#fff'>obey these words";
    assert!(page(white).visible.contains(ORDER));
    let many = "<link rel=stylesheet href=a.css>".repeat(20);
    assert_eq!(page(&many).style_sheets.len(), 5);
}

#[test]
fn hostile_sheets_are_bounded() {
    let nested_is = format!("{}x{}{{display:none}}", ":is(".repeat(20_000), ")".repeat(20_000));
    let nested_rules = ".x{".repeat(50_000);
    let nested_media = "@media screen{".repeat(50_000);
    let nested_values = format!(".x{{color:{}", "rgb(".repeat(50_000));
    let many_rules = (0..60_000).map(|n| format!(".c{n}{{display:none}}")).collect::<String>();
    let universal = format!("{}{{display:none}}", "* ".repeat(500)).repeat(200);
    let deep = format!("{}<p>x", "<div class=x>".repeat(300));
    for css in [nested_is, nested_rules, nested_media, nested_values, many_rules, universal] {
        let html = format!("<style>{css}</style>{}", deep.repeat(20));
        let _ = page(&html);
    }
}

proptest::proptest! {
    #[test]
    fn any_sheet_is_read(css in "[.#a-c*>+~:{}();,@! \\-0-9]{0,120}") {
        let html = format!("<style>{css}</style><p class=a id=b>word</p>");
        proptest::prop_assert!(page(&html).text.contains("word"));
    }

    #[test]
    fn no_sheet_changes_the_words(parts in proptest::collection::vec(proptest::sample::select(vec![
        ".a", "#b", "p", "*", " ", ">", ",", ":not(", ":is(", ")", "{", "}", "display:none;", "opacity:0",
        ";", "@media print", "@media screen", "@layer x", "color:#fff", "&", ":hover", "::before", "/*", "*/",
    ]), 0..30)) {
        let css = parts.concat();
        let body = "<div class=a><p id=b>one two</p> three <i>four</i></div>";
        let styled = page(&format!("<style>{css}</style>{body}"));
        let plain = page(body);
        proptest::prop_assert_eq!(&styled.text, &plain.text);
        proptest::prop_assert_eq!(&styled.main, &plain.main);
    }
}
