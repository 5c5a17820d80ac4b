//! The documentation: contents, one page per group of operations, records, errors, and the page about our reader.

mod errors;
mod operations;

use std::collections::BTreeMap;

use askama::Template;
use contract::Issuer;
use serde_json::Value;

use self::errors::ErrorEntry;
use super::html::Html;

/// Requests and responses that a test recorded (`examples_are_current`).
const EXAMPLES: &str = include_str!("../../../assets/examples.json");

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage<'a> {
    title: &'a str,
    current: &'a str,
    chapters: &'a [Chapter],
    content_html: String,
}

#[derive(Template)]
#[template(path = "docs_errors.html")]
struct ErrorsPage<'a> {
    current: &'a str,
    chapters: &'a [Chapter],
    errors: Vec<ErrorEntry>,
}

#[derive(Template)]
#[template(path = "docs_reader.html")]
struct ReaderPage<'a> {
    current: &'a str,
    chapters: &'a [Chapter],
    user_agent: String,
    base_url: &'a str,
}

/// A page of the documentation.
struct Chapter {
    /// The last segment of its path; empty for the contents.
    slug: String,
    title: String,
}

impl Chapter {
    fn is_at(&self, slug: &str) -> bool {
        self.slug == slug
    }
}

/// Every page by the last segment of its path; the contents are at the empty one.
pub(crate) fn render_all(document: &Value, issuer: &Issuer) -> BTreeMap<String, String> {
    let chapters = chapters(document);
    // Written by a test, so it is valid.
    let examples = EXAMPLES.replace("{base}", &issuer.base_url);
    let examples: Value = serde_json::from_str(&examples).unwrap_or_default();
    let mut pages = BTreeMap::new();
    for chapter in &chapters {
        let current = chapter.slug.as_str();
        let page = match current {
            "" => render_chapter(&chapters, chapter, contents(document, &chapters)),
            "errors" => super::render(&ErrorsPage {
                current,
                chapters: &chapters,
                errors: errors::entries(),
            }),
            "reader" => super::render(&ReaderPage {
                current,
                chapters: &chapters,
                user_agent: service::reader_user_agent(&issuer.base_url),
                base_url: &issuer.base_url,
            }),
            "records" => render_chapter(&chapters, chapter, operations::render_records(document)),
            tag => {
                render_chapter(&chapters, chapter, operations::render_tag(document, tag, &examples))
            }
        };
        pages.insert(chapter.slug.clone(), page);
    }
    pages
}

fn render_chapter(chapters: &[Chapter], chapter: &Chapter, content_html: String) -> String {
    super::render(&DocsPage {
        title: &chapter.title,
        current: &chapter.slug,
        chapters,
        content_html,
    })
}

fn chapters(document: &Value) -> Vec<Chapter> {
    let chapter =
        |slug: &str, title: &str| Chapter { slug: slug.to_owned(), title: title.to_owned() };
    let mut chapters = vec![chapter("", "API reference")];
    for tag in operations::array_member(document, "tags") {
        chapters.push(chapter(
            operations::string_member(tag, "name"),
            operations::string_member(tag, "description"),
        ));
    }
    chapters.push(chapter("records", "Records"));
    chapters.push(chapter("errors", "Errors"));
    chapters.push(chapter("reader", "Our reader"));
    chapters
}

/// The list of all operations, then what holds for all of them.
fn contents(document: &Value, chapters: &[Chapter]) -> String {
    let mut main = Html::new();
    main.raw("<p>As a file: <a href=\"/openapi.json\">OpenAPI 3.1</a>, ");
    main.raw("<a href=\"/api/v1/schema?list=1\">JSON Schemas</a>.</p>\n<div class=\"grid\">\n");
    for chapter in chapters {
        let operations: Vec<_> = operations::operations_of(document, &chapter.slug).collect();
        if operations.is_empty() {
            continue;
        }
        main.raw("<section class=\"panel stack contents\"><h2><a href=\"/docs/")
            .text(&chapter.slug);
        main.raw("\">").text(&chapter.title).raw("</a></h2>\n<ul class=\"plain\">\n");
        for (_, method, operation) in operations {
            main.raw("<li><a href=\"/docs/").text(&chapter.slug).raw("#");
            main.text(operations::string_member(operation, "operationId")).raw("\">");
            main.text(operations::string_member(operation, "summary"))
                .raw("</a> <span class=\"soft small\">");
            main.text(method.to_ascii_uppercase()).raw("</span></li>\n");
        }
        main.raw("</ul></section>\n");
    }
    main.raw("</div>\n<h2>For all operations</h2>\n");
    let info = document.get("info").unwrap_or(&Value::Null);
    operations::render_paragraphs(&mut main, operations::string_member(info, "description"));
    main.into_string()
}

#[cfg(test)]
mod tests {
    use contract::{Brand, errors::ErrorCode};

    use super::*;
    use crate::openapi;

    fn pages() -> (Value, BTreeMap<String, String>) {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let document = openapi::build_document(&issuer);
        let pages = render_all(&document, &issuer);
        (document, pages)
    }

    #[test]
    fn every_operation_schema_and_error_code_has_its_place() {
        let (document, pages) = pages();
        let all: String = pages.values().cloned().collect();
        for id in openapi::operation_ids(&document) {
            assert_eq!(all.matches(&format!("<h2 id=\"{id}\">")).count(), 1, "{id}");
        }
        let schemas = document.pointer("/components/schemas").unwrap().as_object().unwrap();
        for name in schemas.keys() {
            assert!(pages["records"].contains(&format!("id=\"schema-{name}\"")), "{name}");
        }
        for word in ErrorCode::WORDS {
            assert!(pages["errors"].contains(&format!(" id=\"{word}\"")), "{word}");
        }
    }

    #[test]
    fn links_between_the_pages_lead_somewhere() {
        let (_, pages) = pages();
        for (page, html) in &pages {
            for link in html.split("href=\"/docs").skip(1) {
                let link = link.split('"').next().unwrap();
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = pages.get(path.trim_start_matches('/'));
                let target = target.unwrap_or_else(|| panic!("{page}: no page {link}"));
                assert!(
                    anchor.is_empty() || target.contains(&format!("id=\"{anchor}\"")),
                    "{page}: {link}"
                );
            }
            assert!(!html.contains("style=\"") && !html.contains("//cdn"), "{page}");
        }
    }
}
