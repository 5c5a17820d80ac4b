//! Whether part of the page is for subscribers only: as the page declares it in structured data, and
//! as its text shows it.

use contract::evidence::Reading;
use contract::records::PaywallReading;
use contract::text::display_safe;
use declared::page::{MicrodataValue, Page};
use serde_json::Value;

use super::parsed_evidence::{ParsedEvidence, ParsedPage};
use crate::walls::gates::{GateTable, PhraseGroup, find_classes};

/// How many values of structured data are visited.
const MAX_NODES: usize = 20_000;
/// A page with more words than this is not cut short.
const MAX_CUT_WORDS: u32 = 700;
/// How much markup is searched for class names.
const MAX_MARKUP_BYTES: usize = 512 << 10;

/// Lists of other works, which say nothing about this page.
const LISTS: [&str; 9] = [
    "itemListElement",
    "blogPost",
    "mentions",
    "citation",
    "relatedLink",
    "isRelatedTo",
    "subjectOf",
    "offers",
    "significantLink",
];

/// None when no page was read.
pub(super) fn build_paywall_reading(
    parsed: &ParsedEvidence<'_>,
    found: Option<(&Reading, &ParsedPage)>,
) -> Option<PaywallReading> {
    let (reading, parsed_page) = found?;
    let page = &parsed_page.page;
    let declarations = declared_marks(page);
    let body = reading.exchange.response().and_then(|response| parsed.body(response));
    let visible = visible_marks(page, parsed_page.words, body, !declarations.is_empty());
    Some(PaywallReading {
        declared: !declarations.is_empty(),
        visible: !visible.is_empty(),
        marks: declarations
            .into_iter()
            .chain(visible)
            .map(|mark| display_safe(&mark, 160))
            .collect(),
        evidence: vec![reading.id.clone()],
    })
}

/// What structured data says, in JSON-LD and microdata.
fn declared_marks(page: &Page) -> Vec<String> {
    let mut marks = Vec::new();
    let mut visited = 0;
    for script in &page.json_ld {
        let Ok(document) = contract::json::parse_value(script.as_bytes()) else { continue };
        // The parser bounds the depth; the visits are counted.
        let mut left = vec![&document];
        while let Some(value) = left.pop() {
            visited += 1;
            if visited > MAX_NODES {
                break;
            }
            match value {
                Value::Array(items) => left.extend(items),
                Value::Object(node) => {
                    marks.extend(json_mark(node));
                    let inner = node.iter().filter(|(name, _)| !LISTS.contains(&name.as_str()));
                    left.extend(inner.map(|(_, member)| member));
                }
                _ => {}
            }
        }
    }
    for item in page.microdata.iter().filter(|item| item.types.iter().any(|t| is_work(t))) {
        let says_false = item.properties.iter().any(|(name, value)| {
            name == "isAccessibleForFree"
                && matches!(value, MicrodataValue::Text(text) if is_false(text))
        });
        if says_false {
            marks.push("microdata: isAccessibleForFree is false".to_owned());
        }
    }
    marks.sort();
    marks.dedup();
    marks.truncate(4);
    marks
}

fn json_mark(node: &serde_json::Map<String, Value>) -> Option<String> {
    let says_false = match node.get("isAccessibleForFree")? {
        Value::Bool(free) => !free,
        Value::String(text) => is_false(text),
        _ => false,
    };
    let types: Vec<&str> = match node.get("@type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    // Museums and events say by this that there is an entrance fee.
    if !says_false || !types.iter().any(|name| is_work(name)) {
        return None;
    }
    Some(match node.get("cssSelector").and_then(Value::as_str) {
        Some(selector) => {
            format!("structured data: isAccessibleForFree is false for the part {selector}")
        }
        None => "structured data: isAccessibleForFree is false".to_owned(),
    })
}

fn is_false(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    matches!(text.as_str(), "false" | "no" | "0") || text.ends_with("schema.org/false")
}

/// Whether a type is a text that can be read, not a place or an event.
fn is_work(name: &str) -> bool {
    let name = name.rsplit(['/', ':', '#']).next().unwrap_or(name);
    let endings = ["Article", "Posting", "Page", "PageElement"];
    endings.iter().any(|ending| name.ends_with(ending))
        || ["CreativeWork", "Report", "Review", "Chapter", "Recipe", "Newspaper", "WebContent"]
            .contains(&name)
}

/// The signs of a text that was cut short: an invitation to subscribe, and an element that is called
/// a paywall or a declaration that says the same. One of them alone is found on ordinary pages.
fn visible_marks(page: &Page, words: u32, body: Option<&[u8]>, declared: bool) -> Vec<String> {
    let table = GateTable::built_in();
    let hits = table.find(&page.text);
    let Some(phrase) = hits.first(PhraseGroup::Paywall).filter(|_| words <= MAX_CUT_WORDS) else {
        return Vec::new();
    };
    let body = body.unwrap_or_default();
    let opening = body.get(..MAX_MARKUP_BYTES).unwrap_or(body);
    let html = declared::charset::decode(opening, Some("text/html"));
    let classes = find_classes(&html, &table.classes.paywall);
    if classes.is_empty() && !declared {
        return Vec::new();
    }
    std::iter::once(format!("text “{phrase}”"))
        .chain(classes.iter().map(|class| format!("element called {class}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(html: &str) -> (Vec<String>, Vec<String>) {
        let page = Page::read(html.as_bytes(), Some("text/html; charset=utf-8"));
        let words = u32::try_from(page.words().count()).unwrap();
        let declared = declared_marks(&page);
        let visible = visible_marks(&page, words, Some(html.as_bytes()), !declared.is_empty());
        (declared, visible)
    }

    fn json_ld(json: &str) -> String {
        format!("<script type='application/ld+json'>{json}</script><p>Some text.</p>")
    }

    #[test]
    fn a_declared_paywall_is_read() {
        for json in [
            r#"{"@type":"NewsArticle","isAccessibleForFree":false}"#,
            r#"{"@type":"NewsArticle","isAccessibleForFree":"False"}"#,
            r#"{"@graph":[{"@type":["Article","Thing"],"isAccessibleForFree":"false"}]}"#,
            r#"{"@type":"NewsArticle","isAccessibleForFree":true,"hasPart":{"@type":"WebPageElement","isAccessibleForFree":"False","cssSelector":".body"}}"#,
            r#"{"@type":"WebPage","isAccessibleForFree":"http://schema.org/False"}"#,
        ] {
            assert!(!marks(&json_ld(json)).0.is_empty(), "{json}");
        }
        let microdata = "<article itemscope itemtype='https://schema.org/NewsArticle'>\
            <meta itemprop=isAccessibleForFree content=False><p>Text.</p></article>";
        assert!(!marks(microdata).0.is_empty());
    }

    #[test]
    fn an_entrance_fee_or_a_list_is_no_paywall() {
        for json in [
            r#"{"@type":"Museum","isAccessibleForFree":false}"#,
            r#"{"@type":"MusicEvent","isAccessibleForFree":"False"}"#,
            r#"{"@type":"NewsArticle","isAccessibleForFree":true}"#,
            r#"{"@type":"ItemList","itemListElement":[{"@type":"NewsArticle","isAccessibleForFree":false}]}"#,
            r#"{"isAccessibleForFree":false}"#,
            r#"{"@type":"NewsArticle","isAccessibleForFree":null}"#,
            "{broken",
        ] {
            assert!(marks(&json_ld(json)).0.is_empty(), "{json}");
        }
    }

    #[test]
    fn a_cut_text_needs_words_and_a_second_sign() {
        for (words, class) in [
            ("Subscribe to continue reading", "paywall"),
            ("Dieser Artikel ist exklusiv für Abonnenten", "regwall"),
            ("Article réservé aux abonnés", "article-locked"),
            ("Solo para suscriptores", "subscriber-only"),
            ("この記事は会員限定です。続きを読むには登録", "paywall"),
            ("للمشتركين فقط", "paywall"),
        ] {
            let page = format!(
                "<article><p>The ferry strike began.</p></article><div class='{class}'>{words}</div>"
            );
            assert!(!marks(&page).1.is_empty(), "{page}");
            let plain =
                format!("<article><p>The ferry strike began.</p></article><div>{words}</div>");
            assert!(marks(&plain).1.is_empty(), "{plain}");
        }
        let script_only = "<p>Our news are free to read.</p><div class=paywall></div>";
        assert!(marks(script_only).1.is_empty());
        let newsletter = "<p>Subscribe to our newsletter.</p><div class='metered'></div>";
        assert!(marks(newsletter).1.is_empty());
    }
}
