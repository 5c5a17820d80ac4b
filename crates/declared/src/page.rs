//! The text of a page as a reader without JavaScript gets it.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, MemorySettings, Settings, doc_text, element, end_tag};

/// Text kept of one page. Longer pages are compared by their beginning, and say so.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// What the tokeniser may hold while it reads one page.
const MAX_PARSER_MEMORY: usize = 8 << 20;

/// What was read off a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The text between tags, scripts and styles left out, words separated by single spaces.
    pub text: String,
    pub title: Option<String>,
    /// Contents of `<meta name="robots">` and of robots meta elements for one agent: (name, content).
    pub meta_robots: Vec<(String, String)>,
    /// Whether the page was too long or too deep to be read to its end.
    pub cut: bool,
}

impl Page {
    /// Reads a page. Any bytes are a page; what cannot be read is left out.
    #[must_use]
    pub fn read(body: &[u8], content_type: Option<&str>) -> Self {
        let html = crate::charset::decode(body, content_type);
        // Shared, because handlers for closing tags must own what they touch.
        let gathered = Rc::new(RefCell::new(Gathered::default()));
        let finished = run(&html, &gathered);
        let Gathered { text, title, meta_robots, full, .. } = gathered.take();
        Self {
            text: squeezed(&unescaped(&text)),
            title: title.map(|t| squeezed(&unescaped(&t))).filter(|t| !t.is_empty()),
            meta_robots,
            cut: full || !finished,
        }
    }

    /// Words: runs of text between white space that hold a letter or a digit.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| word.chars().any(char::is_alphanumeric))
    }
}

#[derive(Default)]
struct Gathered {
    text: String,
    title: Option<String>,
    meta_robots: Vec<(String, String)>,
    full: bool,
    /// Depth inside elements whose text nobody sees.
    unseen: usize,
    in_title: bool,
}

impl Gathered {
    fn push(&mut self, text: &str) {
        if self.text.len().saturating_add(text.len()) > MAX_TEXT_BYTES {
            self.full = true;
        } else {
            self.text.push_str(text);
        }
    }
}

/// Feeds the page through the tokeniser; false when it gave up before the end.
fn run(html: &str, gathered: &Rc<RefCell<Gathered>>) -> bool {
    let settings = Settings::new()
        .with_memory_settings(
            MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY),
        )
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            let mut gathered = gathered.borrow_mut();
            match chunk.text_type() {
                TextType::Data if gathered.unseen == 0 => gathered.push(chunk.as_str()),
                TextType::RCData if gathered.in_title => {
                    let title = gathered.title.get_or_insert_default();
                    if title.len() < 1_000 {
                        title.push_str(chunk.as_str());
                    }
                }
                _ => {}
            }
            Ok(())
        }))
        .append_element_content_handler(element!("title", |el| {
            let first = gathered.borrow().title.is_none();
            gathered.borrow_mut().in_title = first;
            let gathered = Rc::clone(gathered);
            el.on_end_tag(end_tag!(move |_| {
                gathered.borrow_mut().in_title = false;
                Ok(())
            }))
            .ok();
            Ok(())
        }))
        .append_element_content_handler(element!("meta[name][content]", |el| {
            let name = el.get_attribute("name").unwrap_or_default().to_ascii_lowercase();
            let mut gathered = gathered.borrow_mut();
            if (name == "robots" || name.ends_with("bot")) && gathered.meta_robots.len() < 20 {
                let content = el.get_attribute("content").unwrap_or_default();
                gathered.meta_robots.push((name, content.chars().take(300).collect()));
            }
            Ok(())
        }))
        .append_element_content_handler(element!("template", |el| {
            gathered.borrow_mut().unseen += 1;
            let shared = Rc::clone(gathered);
            let left = el.on_end_tag(end_tag!(move |_| {
                let mut gathered = shared.borrow_mut();
                gathered.unseen = gathered.unseen.saturating_sub(1);
                Ok(())
            }));
            if left.is_err() {
                gathered.borrow_mut().unseen -= 1;
            }
            Ok(())
        }))
        .append_element_content_handler(element!("*", |el| {
            if !is_inline(&el.tag_name()) {
                gathered.borrow_mut().push(" ");
                let gathered = Rc::clone(gathered);
                el.on_end_tag(end_tag!(move |_| {
                    gathered.borrow_mut().push(" ");
                    Ok(())
                }))
                .ok();
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).is_ok() && rewriter.end().is_ok()
}

/// Elements that do not part the words around them.
fn is_inline(tag: &str) -> bool {
    matches!(
        tag,
        "a" | "abbr"
            | "b"
            | "bdi"
            | "bdo"
            | "cite"
            | "code"
            | "em"
            | "font"
            | "i"
            | "kbd"
            | "mark"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "u"
            | "var"
            | "wbr"
    )
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Undoes the character references that matter for words: numbers, and the common names.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let reference = after.split_once(';').filter(|(name, _)| name.len() <= 10);
        match reference.and_then(|(name, tail)| Some((named(name)?, tail))) {
            Some((character, tail)) => {
                out.push(character);
                rest = tail;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn named(name: &str) -> Option<char> {
    let number = name.strip_prefix('#').map(|digits| {
        match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        }
        .ok()
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    number.or(match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "rsquo" => Some('’'),
        "lsquo" => Some('‘'),
        "copy" => Some('©'),
        "eacute" => Some('é'),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        Page::read(html.as_bytes(), None).text
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
    }

    #[test]
    fn the_title_is_the_first_one() {
        let page = Page::read(b"<title> A &lt; B </title><svg><title>icon</title></svg>", None);
        assert_eq!(page.title.as_deref(), Some("A < B"));
    }

    #[test]
    fn robots_meta_elements_are_kept_by_name() {
        let page = Page::read(
            b"<meta name=ROBOTS content='noindex, nofollow'><meta name=gptbot content=noai><meta name=author content=x>",
            None,
        );
        assert_eq!(
            page.meta_robots,
            [
                ("robots".to_owned(), "noindex, nofollow".to_owned()),
                ("gptbot".to_owned(), "noai".to_owned())
            ]
        );
    }

    #[test]
    fn a_page_that_is_too_much_is_cut_and_says_so() {
        let page = Page::read("<p>word </p>".repeat(400_000).as_bytes(), None);
        assert!(page.cut && page.text.len() <= MAX_TEXT_BYTES);
        let deep = Page::read("<ul><li>".repeat(200_000).as_bytes(), None);
        assert!(deep.text.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_page(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let page = Page::read(&bytes, None);
            proptest::prop_assert!(page.words().count() <= bytes.len());
        }

        #[test]
        fn any_tag_soup_is_a_page(soup in "[<>/a-z!\"'=& -]{0,200}") {
            let _ = Page::read(soup.as_bytes(), Some("text/html; charset=utf-8"));
        }
    }
}
