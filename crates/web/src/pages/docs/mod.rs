//! The documentation: contents, one page per group of operations, records, errors, limits, webhooks, and the page
//! about our reader.

mod errors;
mod limits;
mod operations;
mod webhooks;

use std::collections::BTreeMap;

use askama::Template;
use contract::{Issuer, limits as contract_limits};
use serde_json::Value;
use service::ReaderFacts;

use self::errors::ErrorEntry;
pub(crate) use self::limits::LimitsInForce;
use super::{dates::wait_words, html::Html};

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
    facts: &'a ReaderFacts,
    base_url: &'a str,
}

impl<'a> ReaderPage<'a> {
    /// What the operator states about itself.
    fn operator(&self) -> [(&'static str, &'a str); 4] {
        let operator = &self.facts.operator;
        let stated = |value: &'a Option<String>| match value.as_deref() {
            None | Some("") => "not stated by the operator",
            Some(value) => value,
        };
        [
            ("Operator", stated(&operator.name)),
            ("Contact", stated(&operator.contact)),
            ("Abuse", stated(&operator.abuse)),
            ("Security", stated(&operator.security)),
        ]
    }

    fn robots_lines(&self) -> String {
        format!("User-agent: {}\nDisallow: /\n", self.facts.robots_token)
    }

    /// How often a site is read, over all who ask.
    fn limits(&self) -> [String; 6] {
        let facts = self.facts;
        let hourly = |limit: Option<u32>, what: &str| match limit {
            Some(limit) => format!("at most {limit} {what} of one site in an hour"),
            None => format!("no limit of {what} in an hour"),
        };
        [
            format!(
                "A scan usually sends 60 to 120 requests within a few seconds, and a live reading about 20 within \
                 {}. Each page is read once or a few times, never the whole site.",
                wait_words(contract_limits::LIVE_READ_BUDGET.as_secs()),
            ),
            format!(
                "A reading sends at most {} requests at once to one host. One scan and one live reading of a site \
                 run at a time, whoever asks.",
                facts.requests_at_once
            ),
            format!(
                "Over all who ask and all names of a registrable domain: {}, {}. Scans under a licence of this \
                 service and scans of a census are not counted.",
                hourly(facts.scans_per_hour, "scans"),
                hourly(facts.live_per_hour, "live readings"),
            ),
            format!(
                "A site that was scanned within the last {} is not scanned again, except privately for its owner. \
                 Between two live readings of a domain are at least {}.",
                wait_words(facts.rescan_seconds),
                wait_words(contract_limits::LIVE_READ_PAUSE.as_secs()),
            ),
            format!(
                "A page that somebody asks us to watch is read every {} hours, at most {} pages of a domain.",
                contract_limits::CLOCK_CHECK_INTERVAL_HOURS,
                contract_limits::CLOCKS_PER_DOMAIN
            ),
            "We do nothing that changes your site: only GET requests, no forms, no logins, no cookies that we keep."
                .to_owned(),
        ]
    }

    /// How long we store what a site sent.
    fn storage(&self) -> String {
        let body_time = match self.facts.body_days {
            Some(days) => format!(
                "for {days} days after they were last received or a scan referred to them (less if the space for \
                 them is full)"
            ),
            None => "without a time limit".to_owned(),
        };
        let record_time = match self.facts.record_days {
            Some(days) => format!("for {days} days"),
            None => "without a time limit".to_owned(),
        };
        format!(
            "We store the responses to a scan as evidence: the bodies {body_time}, and the record with the list of \
             requests and header fields {record_time}. Whoever can open the report can download both with it."
        )
    }
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
pub(crate) fn render_all(
    document: &Value,
    issuer: &Issuer,
    facts: &ReaderFacts,
    in_force: LimitsInForce<'_>,
) -> BTreeMap<String, String> {
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
            "limits" => render_chapter(&chapters, chapter, limits::render(in_force)),
            "webhooks" => webhooks::render(current, &chapters, issuer),
            "reader" => super::render(&ReaderPage {
                current,
                chapters: &chapters,
                facts,
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
    chapters.push(chapter("limits", "Limits"));
    chapters.push(chapter("webhooks", "Webhooks"));
    chapters.push(chapter("reader", "Our reader"));
    chapters
}

/// The list of all operations, then what holds for all of them.
fn contents(document: &Value, chapters: &[Chapter]) -> String {
    let mut main = Html::new();
    main.raw("<p>As a file: <a href=\"/openapi.json\">OpenAPI 3.1</a>, ");
    main.raw("<a href=\"/api/v1/schema?list=1\">JSON Schemas</a>.</p>\n<div class=\"contents\">\n");
    for chapter in chapters {
        let operations: Vec<_> = operations::operations_of(document, &chapter.slug).collect();
        if operations.is_empty() {
            continue;
        }
        main.raw("<section class=\"stack\"><h2><a href=\"/docs/").text(&chapter.slug);
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
    use service::ServiceLimits;

    use super::*;
    use crate::{RateLimits, openapi};

    fn render_pages(
        document: &Value,
        issuer: &Issuer,
        facts: &ReaderFacts,
    ) -> BTreeMap<String, String> {
        let rates = RateLimits::default();
        let in_force = LimitsInForce { rates: &rates, service: &ServiceLimits::default() };
        render_all(document, issuer, facts, in_force)
    }

    fn pages() -> (Value, BTreeMap<String, String>) {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let document = openapi::build_document(&issuer, crate::routes::OptionalRoutes::ALL);
        let pages = render_pages(&document, &issuer, &ReaderFacts::default());
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

    fn reader_page(facts: &ReaderFacts) -> String {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let document = openapi::build_document(&issuer, crate::routes::OptionalRoutes::ALL);
        render_pages(&document, &issuer, facts).remove("reader").unwrap()
    }

    #[test]
    fn the_page_about_our_reader_says_who_we_are_and_how_to_verify_it() {
        let page = reader_page(&ReaderFacts {
            user_agent: "Other/1.0 (+https://svc.example/docs/reader)".to_owned(),
            signs_requests: true,
            robots_token: "Other".to_owned(),
            operator: service::OperatorSettings {
                name: Some("Example <Ltd>".to_owned()),
                abuse: Some("abuse@svc.example".to_owned()),
                egress: vec!["192.0.2.0/24".to_owned(), "2001:db8::/48".to_owned()],
                ..Default::default()
            },
            verify: vec!["Compare the address.".to_owned()],
            requests_at_once: 12,
            rescan_seconds: 120,
            scans_per_hour: Some(12),
            live_per_hour: Some(6),
            body_days: Some(90),
            record_days: Some(400),
        });
        for shown in [
            "Other/1.0 (+https://svc.example/docs/reader)",
            "User-agent: Other\nDisallow: /",
            "Example &lt;Ltd&gt;",
            "abuse@svc.example",
            "192.0.2.0/24",
            "2001:db8::/48",
            "Compare the address.",
            "href=\"/.well-known/crawlcheck-observers.json\"",
            "at most 12 requests at once",
            "at most 12 scans of one site in an hour",
            "at most 6 live readings of one site in an hour",
            "within the last 2 minutes",
            "the bodies for 90 days",
            "header fields for 400 days",
        ] {
            assert!(page.contains(shown), "{shown}\n{page}");
        }
        assert_eq!(page.matches("not stated by the operator").count(), 2, "contact and security");
        assert!(!page.contains("Wayleave\nDisallow"), "the token is the one in use");
    }

    #[test]
    fn what_the_operator_does_not_state_is_not_made_up() {
        let page = reader_page(&ReaderFacts::default());
        assert_eq!(page.matches("not stated by the operator").count(), 5, "{page}");
        assert!(page.contains("no limit of scans in an hour"));
        assert!(page.contains("the bodies without a time limit"));
    }

    #[test]
    fn the_page_about_webhooks_names_every_event_and_shows_the_program() {
        let (_, pages) = pages();
        let page = &pages["webhooks"];
        for event in service::EventName::ALL {
            assert!(page.contains(&format!("<code>{}</code>", event.as_str())), "{event:?}");
        }
        for shown in [
            "https://svc.example/.well-known/http-message-signatures-directory",
            "def verify_event(url, headers, body, keys):",
            "at most 10 webhooks",
            "at most 12 times",
            "the last 1000 scans",
            "At most 1000 events wait",
        ] {
            assert!(page.contains(shown), "{shown}");
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
