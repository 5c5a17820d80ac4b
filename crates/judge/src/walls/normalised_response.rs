//! A response prepared for matching: bounded in size, in lower case, with text and source apart.

use std::borrow::Cow;

use contract::evidence::Response;
use declared::page::Page;

use super::limits::Limits;
use super::text::{EXCERPT_CHARS, excerpt, fold_case, truncate_at_char};
use super::wall::WallKind;

/// The most header fields searched, and characters of each.
const MAX_FIELDS: usize = 200;
const MAX_FIELD_CHARS: usize = 4_096;

pub(super) struct NormalisedResponse {
    pub(super) status: u16,
    pub(super) fields: Vec<HeaderField>,
    /// Names only: cookie values may be secrets.
    pub(super) cookies: Vec<String>,
    pub(super) title: Option<String>,
    /// The text of the page without scripts.
    pub(super) text: String,
    /// The source as sent. A page that only quotes a mark has it escaped with character references.
    pub(super) markup: String,
    pub(super) is_html: bool,
    /// Whether `markup` holds the complete body.
    pub(super) is_complete: bool,
    /// None if the page is too long to count.
    words: Option<usize>,
}

pub(super) struct HeaderField {
    pub(super) name: String,
    pub(super) folded: String,
    pub(super) excerpt: String,
}

impl NormalisedResponse {
    /// `known` is the page parsed from this body, if it was parsed before.
    pub(super) fn from_response(
        response: &Response,
        body: &[u8],
        known: Option<&Page>,
        limits: &Limits,
    ) -> Self {
        let content_type = response.header("content-type");
        let opening = body.get(..limits.body_bytes).unwrap_or(body);
        // Words are counted in a longer part of the body than is searched for marks: otherwise a
        // page with a long style sheet would look empty.
        let counted = body.get(..limits.long_page_bytes).unwrap_or(body);
        let all = counted.len() == body.len();
        let page = match known.filter(|_| all) {
            Some(page) => Cow::Borrowed(page),
            None => Cow::Owned(Page::read(counted, content_type)),
        };
        let words = {
            // More words than any rule asks about are not counted.
            let most = limits.most_asked_words().saturating_add(1);
            (all && !page.truncated).then(|| page.count_words(most))
        };
        // On a long page with status 200 no mark in the body counts, so the body is not searched.
        let long = response.status == 200 && words.is_none_or(|words| words > limits.max_words());
        let opening = if long { &[][..] } else { opening };
        let fields = response
            .headers
            .iter()
            .take(MAX_FIELDS)
            .map(|line| {
                let value: String = line.value.trim().chars().take(MAX_FIELD_CHARS).collect();
                let shown = excerpt(&value);
                HeaderField {
                    name: line.name.to_ascii_lowercase(),
                    folded: fold_case(&value),
                    excerpt: shown,
                }
            })
            .collect();
        let cookies = response
            .headers_named("set-cookie")
            .take(MAX_FIELDS)
            .filter_map(|line| line.split(['=', ';']).next())
            .map(|name| name.trim().chars().take(EXCERPT_CHARS).collect())
            .collect();
        let declares_html =
            content_type.is_some_and(|value| value.to_ascii_lowercase().contains("html"));
        Self {
            status: response.status,
            fields,
            cookies,
            title: page.title.as_deref().map(fold_case),
            text: if long {
                String::new()
            } else {
                fold_case(truncate_at_char(&page.text, limits.body_bytes))
            },
            markup: fold_case(&declared::charset::decode(opening, content_type)),
            is_html: declares_html || declared::sniff::looks_like_html(body),
            is_complete: opening.len() == body.len() && response.body.cut.is_none(),
            words,
        }
    }

    pub(super) fn has_at_most_words(&self, words: usize) -> bool {
        self.words.is_some_and(|count| count <= words)
    }

    pub(super) fn field(&self, name: &str) -> Option<&HeaderField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The header field that gives details about a wall of this kind.
    pub(super) fn detail_header(&self, kind: WallKind) -> Option<String> {
        let shown = |name: &str| {
            self.field(name)
                .filter(|field| !field.excerpt.is_empty())
                .map(|field| format!("header {name}: {}", field.excerpt))
        };
        match kind {
            WallKind::RateLimit => shown("retry-after"),
            WallKind::Login => shown("www-authenticate"),
            WallKind::Legal => self
                .fields
                .iter()
                .find(|field| field.name == "link" && field.folded.contains("blocked-by"))
                .map(|field| format!("header link: {}", field.excerpt)),
            _ => None,
        }
    }
}
