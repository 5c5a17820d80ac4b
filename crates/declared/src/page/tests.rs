use super::reader::MAX_TEXT_BYTES;
use super::*;

fn page(html: &str) -> Page {
    Page::read(html.as_bytes(), Some("text/html; charset=utf-8"))
}

fn text(html: &str) -> String {
    page(html).text
}

#[test]
fn words_are_what_a_reader_without_scripts_sees() {
    assert_eq!(
        text(
            "<title>No</title><p>One<b>two</b> three</p><script>four()</script><style>p{}</style>\
              <div>five</div>six<template>seven</template><!-- eight --><textarea>nine</textarea>"
        ),
        "Onetwo three five six"
    );
    assert_eq!(
        text("a&nbsp;b &amp; c&#233; &unknown; &#x110000; d&"),
        "a b & cé &unknown; \u{fffd} d&"
    );
    assert_eq!(text("<P>a</P >b<br>c<i>d</i>e</div>f"), "a b cde f");
    assert_eq!(text("a < b and <3"), "a < b and <3");
}

#[test]
fn the_title_is_the_first_one() {
    let page = page("<title> A &lt; B </title><svg><title>icon</title></svg><title>C</title>");
    assert_eq!(page.title.as_deref(), Some("A < B"));
    assert_eq!(page.text, "");
    assert_eq!(super::tests::page("<title> </title>").title, None);
}

#[test]
fn robots_meta_elements_are_kept_by_name() {
    let page = page(
        "<meta name=ROBOTS content='noindex, nofollow'><meta name=gptbot content=noai><meta name=author content=x>",
    );
    assert_eq!(
        page.meta_robots,
        [
            ("robots".to_owned(), "noindex, nofollow".to_owned()),
            ("gptbot".to_owned(), "noai".to_owned())
        ]
    );
    assert_eq!(page.meta.len(), 3);
}

#[test]
fn the_head_is_read() {
    let page = page(
        "<!DOCTYPE html><html lang=en-GB><head><meta property='og:site_name' content='Tin &amp; Co'>\
         <meta name=description content='We mend tins'><meta name=Generator content='Press 6'>\
         <link rel='canonical' href='https://tin.example/?a=1&amp;b=2'>\
         <link rel=alternate type=text/markdown href=/index.md><script src=x></script>\
         <script type='application/ld+json'>{\"a\": \"</b>\"}</script>\
         <script type='application/rsl+xml'><rsl/></script></head>\
         <body><h1>Tin <i>and</i> Co</h1><h3></h3><h2>Hours</h2><a href='tel:+44%2020 1'>call</a>\
         <a href='MAILTO:a@tin.example?subject=x'>write</a><a name=x>no</a>\
         <address>1 High Street<br>Leeds</address></body></html>",
    );
    assert_eq!(page.language.as_deref(), Some("en-GB"));
    assert_eq!(page.canonical.as_deref(), Some("https://tin.example/?a=1&b=2"));
    assert_eq!(page.description.as_deref(), Some("We mend tins"));
    assert_eq!(page.generator.as_deref(), Some("Press 6"));
    assert!(page.meta.contains(&("og:site_name".to_owned(), "Tin & Co".to_owned())));
    assert_eq!(page.links.len(), 2);
    assert_eq!(page.links[1].media_type.as_deref(), Some("text/markdown"));
    assert_eq!(page.headings, [(1, "Tin and Co".to_owned()), (2, "Hours".to_owned())]);
    assert_eq!((page.scripts, page.anchors), (1, 2));
    assert_eq!(page.json_ld, ["{\"a\": \"</b>\"}"]);
    assert_eq!(page.rsl, ["<rsl/>"]);
    assert_eq!(page.telephones, ["+44 20 1"]);
    assert_eq!(page.emails, ["a@tin.example"]);
    assert_eq!(page.address_blocks, ["1 High Street Leeds"]);
}

#[test]
fn main_text_excludes_boilerplate() {
    for (html, main) in [
        ("<nav>Home Shop</nav><p>We sell tins.</p><footer>Imprint</footer>", "We sell tins."),
        (
            "<header>Tin & Co</header><main><header><h1>Tins</h1></header><p>All sizes.</p></main>",
            "Tins All sizes.",
        ),
        ("<div class='cookie-banner'>We use cookies</div><p>Tins</p>", "Tins"),
        ("<div role=navigation>Home</div><div id=onetrust-consent-sdk>OK</div><p>Tins</p>", "Tins"),
        (
            "<ul><li><a href=/a>Apples</a></li><li><a href=/b>Pears</a></li></ul><p>Fruit for all.</p>",
            "Fruit for all.",
        ),
        // A product in a list of links keeps its name and price.
        ("<li><a href=/a>Apple tin 4,99 €</a></li><p>Fruit.</p>", "Apple tin 4,99 € Fruit."),
        ("<h2><a href=/x>News of the day</a></h2><p>Rain.</p>", "News of the day Rain."),
        ("<p>A <a href=/x>link</a> in a sentence.</p>", "A link in a sentence."),
        ("<div><form>Name Mail</form></div><p>Tins</p>", "Tins"),
        (
            "<body><form><p>The whole page is in a form.</p></form></body>",
            "The whole page is in a form.",
        ),
        ("<aside>Also bought: rope</aside><aside>Rope, $3</aside><p>Tins</p>", "Rope, $3 Tins"),
        ("<div class='page cookie-consent-open'><p>Tins</p></div>", "Tins"),
        ("<div class=site-nav><main><p>Wrapped badly.</p></main>Menu</div>", "Wrapped badly."),
        ("<p>Seen<span style='display:none'> not</span> here.</p>", "Seen here."),
        // Nothing is left: then all of it counts.
        ("<nav>Home</nav><footer>Imprint</footer>", "Home Imprint"),
        ("", ""),
    ] {
        assert_eq!(page(html).main, main, "{html}");
    }
    let edges = page("<header>Call 1</header><p>No</p><footer>Call 2</footer>").header_footer;
    assert_eq!(edges, "Call 1 Call 2");
}

#[test]
fn hidden_text_is_collected_separately() {
    use TextSurface::*;
    for (html, surface, hidden) in [
        ("<p style='display:none'>obey <b>me</b></p>", CssHidden, "obey me"),
        ("<div hidden>obey me</div>", HiddenAttribute, "obey me"),
        ("<div hidden>obey <p style='opacity:0'>me</p></div>", HiddenAttribute, "obey me"),
        ("<!-- obey &amp; me -->", Comment, "obey & me"),
        ("<noscript><p>turn scripts on</p></noscript>", Noscript, "turn scripts on"),
        ("<template><p>obey</p><p>me</p></template>", Template, "obey me"),
        ("<img alt='obey me'>", Attribute, "obey me"),
        ("<a title=\"obey me\">x</a>", Attribute, "obey me"),
        ("<button aria-label='obey me'>x</button>", Attribute, "obey me"),
        ("<input type=hidden value='obey me'>", Attribute, "obey me"),
        (
            "<p data-note='obey me and nobody else at all' data-a='{\"b\": 1}' data-b='one two'>x</p>",
            Attribute,
            "obey me and nobody else at all",
        ),
        ("<meta name=description content='obey me'>", Meta, "obey me"),
        ("<meta property=og:title content='obey me'>", Meta, "obey me"),
        ("<svg><g><text x=1>obey me</text></g></svg>", SvgText, "obey me"),
        ("<svg><title>obey me</title><path d=m0/></svg>", SvgText, "obey me"),
        ("<p style='display:none'>never closed", CssHidden, "never closed"),
        ("<p aria-hidden=true>obey me</p>", AriaHidden, "obey me"),
        (
            "<details><summary>More of it</summary>obey <b>me</b></details>",
            ClosedDetails,
            "obey me",
        ),
        ("<details>obey <b>me</b></details>", ClosedDetails, "obey me"),
        ("<details><summary><img src=a></summary>obey me</details>", ClosedDetails, "obey me"),
        // Nobody opens what shows nothing to click on.
        ("<details><summary> </summary>obey <b>me</b></details>", CssHidden, "obey me"),
        (
            "<details><summary>&#8203;&nbsp;</summary><p>obey <b>me</b></details>",
            CssHidden,
            "obey me",
        ),
        (
            "<details><summary></summary><p>obey <summary>me</summary></details>",
            CssHidden,
            "obey me",
        ),
    ] {
        let expected = [HiddenText { surface, text: hidden.to_owned() }];
        assert_eq!(page(html).hidden, expected, "{html}");
    }
    assert!(page("<p aria-hidden=false>seen by all</p><img alt=Logo><!---->").hidden.is_empty());
    // Beyond the limit notes join, and the last of many is still there.
    let many = page(&format!("{}<!-- the very last -->", "<!-- one of many -->".repeat(500)));
    assert!(many.hidden.len() <= 100 && !many.hidden_truncated);
    assert!(many.hidden.iter().any(|note| note.text.ends_with("the very last")));
    assert!(page(&format!("<!-- {} -->", "much ".repeat(5_000))).hidden_truncated);
}

#[test]
fn visible_text_is_neither_hidden_nor_quoted() {
    for (html, visible) in [
        ("<p>One <b>two</b></p><p hidden>no</p><p>three", "One two\nthree\n"),
        ("<p>Write <code>no</code> or</p><pre>no</pre><blockquote>no</blockquote>", "Write\nor\n"),
        ("<details open><summary>a</summary>b</details><details>no</details>", "a\nb\n"),
        ("<nav>no</nav><header>Call us</header><aside>Offers</aside>", "Call us\nOffers\n"),
        ("<p aria-hidden=true>no no</p>yes", "yes\n"),
        ("<details open><summary></summary>b</details>", "b\n"),
        // What a printer leaves out is on the screen, and the other way round.
        ("<style>@media print{.a{display:none}}</style><p class=a>yes</p>", "yes\n"),
        ("<style media=print>.a{display:none}</style><p class=a>yes</p>", "yes\n"),
        ("<style>@media print{.a{color:#fff!important}}</style><p class=a>yes</p>", "yes\n"),
        (
            "<style>.a{display:none}@media print{.a{display:block}}</style><p class=a>no</p>yes",
            "yes\n",
        ),
        ("<style>@media screen{.a{display:none}}</style><p class=a>no</p>yes", "yes\n"),
        ("<style>@media not print{.a{display:none}}</style><p class=a>no</p>yes", "yes\n"),
        ("<link rel=stylesheet href=p.css media=print><p style='color:#fff'>no</p>yes", "yes\n"),
    ] {
        assert_eq!(page(html).visible, visible, "{html}");
    }
    assert_eq!(page("<p>a <q>b c</q></p><pre>d</pre>").quoted, "b c\nd\n");
    // Tabs and labels that a style sheet hides still count as text of the page.
    let tabs = page("<style>.tab{display:none}</style><p>One</p><div class=tab>Two</div>");
    assert_eq!((tabs.main.as_str(), tabs.visible.as_str()), ("One Two", "One\n"));
}

#[test]
fn text_for_clients_without_scripts_counts() {
    let words = "plain words ".repeat(40);
    let read = page(&format!(
        "<div id=root></div><script src=a.js></script><noscript><style>p{{}}</style><p>{words}</noscript>"
    ));
    assert!(read.noscript_counts && !read.is_app_shell);
    assert_eq!((read.words().count(), read.noscript_words), (80, 80));
    assert_eq!(read.main, words.trim());
    let notice = page("<noscript>You need to enable JavaScript to run this app.</noscript>");
    assert!(!notice.noscript_counts && notice.text.is_empty());
    let full = page(&format!("<p>{words}</p><noscript>{words}</noscript>"));
    assert!(!full.noscript_counts && full.words().count() == 80);
}

#[test]
fn text_for_clients_without_frames_counts_in_a_page_of_frames() {
    let frames = page(
        "<html><frameset cols='20%,80%'><frame src=menu.html><frame src=main.html>\
         <noframes><body><p>Ferry times and <a href=/m>prices</a></p></body></noframes></frameset></html>",
    );
    assert_eq!(frames.text, "Ferry times and prices");
    assert_eq!(frames.main, "Ferry times and prices");
    assert_eq!(frames.visible, "");
    assert_eq!(frames.hidden.len(), 1);
    let other = page("<p>Seen</p><noframes>obey me</noframes>");
    assert_eq!(other.text, "Seen");
    assert_eq!(other.hidden[0].text, "obey me");
    assert_eq!(page("<frameset><frame src=a></frameset>").text, "");
}

#[test]
fn a_refresh_is_parsed_as_browsers_do() {
    for (content, seconds, target) in [
        ("0; url=/next", 0, Some("/next")),
        ("5;URL='https://tin.example/a?b=1'", 5, Some("https://tin.example/a?b=1")),
        ("0,/next", 0, Some("/next")),
        ("3 url = next", 3, Some("next")),
        (".5; url=a", 0, Some("a")),
        ("300", 300, None),
        ("0;url=", 0, None),
        ("99999999999", u32::MAX, None),
    ] {
        let html = format!("<meta http-equiv=Refresh content=\"{content}\">");
        let target = target.map(str::to_owned);
        assert_eq!(page(&html).refresh, Some(MetaRefresh { seconds, target }), "{content}");
    }
    for content in ["", "soon", ";url=a"] {
        let html = format!("<meta http-equiv=refresh content='{content}'>");
        assert_eq!(page(&html).refresh, None, "{content}");
    }
}

#[test]
fn an_app_shell_is_distinguished_from_a_page() {
    assert!(page("<div id=root></div><script src=app.js></script>").is_app_shell);
    assert!(page("<app-root> </app-root><script src=app.js></script>").is_app_shell);
    assert!(page("<div id=\"__next\"><div></div></div><noscript>Please enable JavaScript.</noscript><script></script>").is_app_shell);
    assert!(page("<app-root><p>Loading…</p></app-root><script src=app.js></script>").is_app_shell);
    let main = "<header>Kites</header><main id=content><div data-src=/a.json></div></main><script></script>";
    assert!(page(main).is_app_shell);
    let image = "<header>Kites</header><main><img src=/a.jpg></main><script></script>";
    assert!(!page(image).is_app_shell);
    assert!(!page("<div id=root></div>").is_app_shell, "no script");
    assert!(!page("<div id=root><p>Hello</p></div><script src=app.js></script>").is_app_shell);
    let long = "many words ".repeat(40);
    assert!(!page(&format!("<p>{long}</p><div id=app></div><script></script>")).is_app_shell);
    assert_eq!(page("<noscript>Please enable <b>JavaScript</b>.</noscript>").noscript_words, 3);
}

#[test]
fn microdata_is_gathered() {
    let page = page(
        "<div itemscope itemtype='https://schema.org/LocalBusiness' itemid='#us' itemref='tel more'>\
           <h1 itemprop=name>Tin <b>& Co</b></h1>\
           <div itemprop=address itemscope itemtype=https://schema.org/PostalAddress>\
             <span itemprop=streetAddress>1 High Street</span><meta itemprop=postalCode content='LS1 1AA'></div>\
           <a itemprop='url sameAs' href=https://tin.example/>us</a><time itemprop=openingHours datetime='Mo 09:00-17:00'>Mondays</time>\
         </div><p>x</p><div id=tel><span itemprop=telephone>0113 496 0000</span></div><p itemprop=email>lost</p>",
    );
    let text = |value: &str| MicrodataValue::Text(value.to_owned());
    let [business, address] = page.microdata.as_slice() else { panic!("{:?}", page.microdata) };
    assert_eq!(business.types, ["https://schema.org/LocalBusiness"]);
    assert_eq!(business.id.as_deref(), Some("#us"));
    assert!(!business.nested && address.nested);
    assert_eq!(
        business.properties,
        [
            ("name".to_owned(), text("Tin & Co")),
            ("address".to_owned(), MicrodataValue::Item(1)),
            ("url".to_owned(), text("https://tin.example/")),
            ("sameAs".to_owned(), text("https://tin.example/")),
            ("openingHours".to_owned(), text("Mo 09:00-17:00")),
            ("telephone".to_owned(), text("0113 496 0000")),
        ]
    );
    assert_eq!(address.properties.len(), 2);
}

/// The text of a page as the tokeniser itself tells it, without white space.
fn told(html: &str) -> String {
    use lol_html::html_content::TextType;
    use lol_html::{HtmlRewriter, Settings, doc_text};
    let text = std::cell::RefCell::new(String::new());
    let settings =
        Settings::new().with_strict(false).append_document_content_handler(doc_text!(|chunk| {
            if matches!(chunk.text_type(), TextType::Data) {
                text.borrow_mut().push_str(chunk.as_str());
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    let text = text.take();
    text.split_whitespace().collect()
}

#[test]
fn an_oversized_page_is_truncated_and_marked() {
    let page = super::tests::page(&"<p>word </p>".repeat(400_000));
    assert!(page.truncated && page.text.len() <= MAX_TEXT_BYTES);
    let deep = super::tests::page(&"<ul><li>".repeat(200_000));
    assert!(deep.text.is_empty() && deep.truncated);
}

#[test]
fn hostile_pages_are_bounded() {
    let attribute =
        format!("<p title=\"{}\" style='{}'>x</p>", "a ".repeat(1 << 18), "a:b;".repeat(1 << 16));
    let classes = format!("<p class='{}'>x</p>", "a-b ".repeat(1 << 17));
    let items = "<p itemscope itemprop=a id=b><b itemprop='c d e'>f</b>".repeat(5_000);
    let strays = format!("{}{}", "<div>".repeat(1_000), "</p></x>".repeat(50_000));
    let tags = "<b></b>".repeat(100_000);
    let quotes = "<a href='".repeat(50_000);
    for html in [attribute, classes, items, strays, tags, quotes] {
        let page = page(&html);
        assert!(page.hidden.len() <= 100 && page.microdata.len() <= 200);
        assert!(page.hidden.iter().all(|note| note.text.len() <= 4_096));
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_page(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        let page = Page::read(&bytes, None);
        proptest::prop_assert!(page.words().count() <= bytes.len());
    }

    #[test]
    fn any_tag_soup_is_a_page(soup in "[<>/a-z!\"'=& -]{0,200}") {
        let page = page(&soup);
        let squeezed: Vec<&str> = page.text.split_whitespace().collect();
        proptest::prop_assert_eq!(squeezed.join(" "), page.text);
    }

    #[test]
    fn text_is_what_the_tokeniser_tells(
        soup in "[<>/a-c!\"'= -]{0,120}",
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<p>", "</p>", "<b x='", "'", "\"", ">", "<", "word ", "<!--", "-->", "--!>", "<script>",
            "</script>", "<style>", "</style", "<title>", "</title>", "<textarea>", "</textarea >", "</",
            "<!doctype html>", "<?", "<br/>", "<noscript>", "</noscript>", "<iframe>", "</iframe>", "/",
        ]), 0..40),
    ) {
        for html in [soup, parts.concat()] {
            let squeezed: String = page(&html).text.split(' ').collect();
            proptest::prop_assert_eq!(squeezed, told(&html), "{}", html);
        }
    }

    #[test]
    fn any_tree_of_known_tags_is_a_page(parts in proptest::collection::vec(
        proptest::sample::select(vec![
            "<div>", "</div>", "<p>", "</p>", "<nav>", "</nav>", "<main>", "</main>", "<a href=tel:1>",
            "</a>", "<svg>", "</svg>", "<title>", "</title>", "<template>", "</template>", "<noscript>",
            "</noscript>", "<script>", "</script>", "<span itemprop=a>", "<div itemscope itemref=r id=r>",
            "<p hidden>", "<text/>", "word ", "€5", "é", "<!--", "-->", "<br/>", "<h1>", "</h1>",
        ]), 0..60)
    ) {
        let page = page(&parts.concat());
        // Nothing stands in the main text that is not in the text.
        for word in page.main.split(' ') {
            proptest::prop_assert!(page.text.contains(word), "{:?} {:?}", page.main, page.text);
        }
    }
}
