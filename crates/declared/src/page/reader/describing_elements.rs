//! Elements that describe the page or lead to others: links, meta elements, scripts with data.

use super::{MAX_DATA_BYTES, MAX_VALUE, PageReader, ScriptData};
use crate::page::element_role::name;
use crate::page::model::{MetaRefresh, PageLink, TextSurface};
use crate::page::tag;
use crate::page::text;

const MAX_META: usize = 100;
const MAX_LINKS: usize = 200;
const MAX_BLOCKS_OF_DATA: usize = 20;
const MAX_ADDRESSES: usize = 50;

impl PageReader<'_> {
    /// Reads the attributes that matter for specific elements (links, meta, scripts).
    pub(super) fn read_element_attributes(&mut self, tag: u64, attributes: &str) {
        let attribute = |wanted| tag::attribute(attributes, wanted);
        match tag {
            name::A => {
                if let Some(href) = attribute("href") {
                    self.anchor(href);
                    self.note_rel_me(attribute("rel").unwrap_or_default(), href);
                }
            }
            name::HTML => {
                let language = attribute("lang").map(|lang| text::clean_text(lang, 35));
                self.page.language =
                    self.page.language.take().or(language.filter(|lang| !lang.is_empty()));
            }
            name::META => {
                if let Some(content) = attribute("content") {
                    for wanted in ["name", "property"] {
                        if let Some(called) = attribute(wanted) {
                            self.meta(called, content);
                        }
                    }
                    if self.page.refresh.is_none()
                        && attribute("http-equiv")
                            .is_some_and(|field| field.trim().eq_ignore_ascii_case("refresh"))
                    {
                        self.page.refresh = parse_refresh(&text::clean_text(content, MAX_VALUE));
                    }
                }
            }
            name::LINK => self.link(attributes),
            name::BASE if self.page.base.is_none() => {
                self.page.base = attribute("href").map(|href| text::clean_text(href, MAX_VALUE));
            }
            name::SCRIPT => {
                let kind = attribute("type").unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                self.data = match kind.as_str() {
                    "application/ld+json" => Some(ScriptData::JsonLd),
                    "application/rsl+xml" => Some(ScriptData::Rsl),
                    _ => None,
                };
                if matches!(kind.as_str(), "" | "module") || kind.ends_with("script") {
                    self.page.scripts = self.page.scripts.saturating_add(1);
                }
            }
            _ => {}
        }
    }

    fn anchor(&mut self, href: &str) {
        self.page.anchors = self.page.anchors.saturating_add(1);
        self.blocks.count_anchor();
        let scheme = href.trim_start().as_bytes().get(..7).unwrap_or_default();
        let (list, length) = if scheme.get(..4).is_some_and(|s| s.eq_ignore_ascii_case(b"tel:")) {
            (&mut self.page.telephones, 4)
        } else if scheme.eq_ignore_ascii_case(b"mailto:") {
            (&mut self.page.emails, 7)
        } else {
            return;
        };
        let value = href.trim_start().get(length..).unwrap_or_default();
        let value = value.split('?').next().unwrap_or_default();
        let value = percent_decode(&text::clean_text(value, 300));
        let value = value.trim();
        if !value.is_empty() && list.len() < MAX_ADDRESSES && !list.iter().any(|v| v == value) {
            list.push(value.to_owned());
        }
    }

    /// Keeps the address of a link to another page of the same owner.
    fn note_rel_me(&mut self, rel: &str, href: &str) {
        let is_me = rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("me"));
        if is_me && self.page.rel_me.len() < MAX_ADDRESSES {
            let href = text::clean_text(href, MAX_VALUE);
            if !href.is_empty() && !self.page.rel_me.contains(&href) {
                self.page.rel_me.push(href);
            }
        }
    }

    fn meta(&mut self, called: &str, content: &str) {
        let called = text::clean_text(called, 100).to_ascii_lowercase();
        let content = text::clean_text(content, MAX_VALUE);
        let robots = called == "robots" || called.ends_with("bot");
        if robots && self.page.meta_robots.len() < 20 {
            let content = content.chars().take(300).collect();
            self.page.meta_robots.push((called.clone(), content));
        }
        if called == "description" || called.starts_with("og:") || called.starts_with("twitter:") {
            self.hidden_texts.add_clean(TextSurface::Meta, &content);
        }
        if self.page.meta.len() < MAX_META && !called.is_empty() {
            self.page.meta.push((called, content));
        }
    }

    fn link(&mut self, attributes: &str) {
        let Some(href) = tag::attribute(attributes, "href") else { return };
        let rel = text::clean_text(tag::attribute(attributes, "rel").unwrap_or_default(), 200);
        self.note_rel_me(&rel, href);
        let href = text::clean_text(href, MAX_VALUE);
        let is_canonical = rel.split(' ').any(|word| word.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.page.canonical.is_none() && !href.is_empty() {
            self.page.canonical = Some(href.clone());
        }
        if self.page.links.len() < MAX_LINKS {
            let media_type = tag::attribute(attributes, "type").map(|t| text::clean_text(t, 200));
            self.page.links.push(PageLink { rel, href, media_type });
        }
    }

    pub(super) fn script(&mut self, raw: &str) {
        let Some(kind) = self.data.take() else { return };
        let list = match kind {
            ScriptData::JsonLd => &mut self.page.json_ld,
            ScriptData::Rsl => &mut self.page.rsl,
        };
        if list.len() < MAX_BLOCKS_OF_DATA && !raw.trim().is_empty() {
            list.push(text::truncate_str(raw, MAX_DATA_BYTES).to_owned());
        }
    }
}

/// `5; url=/next`, with the liberties that browsers allow.
fn parse_refresh(content: &str) -> Option<MetaRefresh> {
    let content = content.trim();
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = content.split_at_checked(digits)?;
    if number.is_empty() && !rest.starts_with('.') {
        return None;
    }
    let seconds = if number.is_empty() { 0 } else { number.parse().unwrap_or(u32::MAX) };
    let fraction = |c: char| c.is_ascii_digit() || c == '.';
    let rest = rest.trim_start_matches(fraction).trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let unnamed = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest.get(3..)?.trim_start().strip_prefix('='))
        .unwrap_or(rest)
        .trim();
    let target = match unnamed.chars().next() {
        Some(mark @ ('"' | '\'')) => {
            let inner = unnamed.strip_prefix(mark).unwrap_or(unnamed);
            inner.split(mark).next().unwrap_or_default()
        }
        _ => unnamed,
    };
    let target = target.trim();
    Some(MetaRefresh { seconds, target: (!target.is_empty()).then(|| target.to_owned()) })
}

/// Decodes percent-encoding; returns the value unchanged if the result is not valid UTF-8.
fn percent_decode(value: &str) -> String {
    if !value.contains('%') {
        return value.to_owned();
    }
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| byte.and_then(|b| char::from(b).to_digit(16));
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| value.to_owned())
}
