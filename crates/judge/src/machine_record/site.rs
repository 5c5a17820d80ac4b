//! What a scan read of a site: its record, its evidence and the bodies that are still stored.

use contract::evidence::{Evidence, ReadTarget, Reading};
use contract::records::{Check, CheckVerdict, RowCause, ScanRecord, StatedFact, ValueSource};
use declared::files::{FileKind, Inspection, ServedFile, inspect};
use declared::page::Page;

use crate::Bodies;

pub(super) const AGENT_CARD_PATH: &str = "/.well-known/agent-card.json";

pub(super) struct SiteReading<'a> {
    pub(super) record: &'a ScanRecord,
    pub(super) evidence: &'a Evidence,
    pub(super) bodies: &'a dyn Bodies,
}

/// A page that the site served to the browser.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServedPage {
    pub(super) url: String,
    pub(super) path: String,
    /// `None` if the page has none, or its body is no longer stored.
    pub(super) title: Option<String>,
}

/// A file that the site publishes and that was found to be valid.
pub(super) struct PublishedFile<'a> {
    pub(super) check: &'a Check,
    pub(super) url: String,
    /// `None` if the body is no longer stored, or was not received completely.
    pub(super) body: Option<&'a [u8]>,
}

impl<'a> SiteReading<'a> {
    pub(super) fn needed_bodies(&self) -> Vec<String> {
        let files = ["/robots.txt", "/llms.txt", AGENT_CARD_PATH]
            .into_iter()
            .filter_map(|path| self.check(path)?.body_sha256.clone());
        let pages = self.record.pages.iter().filter_map(|page| {
            let reading = self.reading(page.browser.reading.as_deref()?)?;
            Some(reading.exchange.response()?.body.sha256.clone())
        });
        let mut digests: Vec<String> = files.chain(pages).collect();
        digests.sort();
        digests.dedup();
        digests
    }

    pub(super) fn reading(&self, id: &str) -> Option<&'a Reading> {
        self.evidence.reads.iter().find(|reading| reading.id == id)
    }

    /// The address of the home page, after redirects.
    pub(super) fn home_url(&self) -> String {
        let reading = self.record.content.reading.as_deref().and_then(|id| self.reading(id));
        let served = reading.and_then(|reading| reading.exchange.response());
        served.map_or_else(|| self.url_of("/"), |response| response.url.clone())
    }

    /// The address of a path on the site.
    pub(super) fn url_of(&self, path: &str) -> String {
        let scheme = if self.record.transport.https == Some(false) { "http" } else { "https" };
        format!("{scheme}://{}{path}", self.record.domain)
    }

    pub(super) fn check(&self, path: &str) -> Option<&'a Check> {
        let mut checks = self.record.checks.iter().filter(|check| check.path == path);
        let first = checks.clone().next();
        checks.find(|check| check.verdict == CheckVerdict::Ok).or(first)
    }

    /// The file at a path, if it is there and valid.
    pub(super) fn published(&self, path: &str) -> Option<PublishedFile<'a>> {
        let check = self.check(path).filter(|check| check.verdict == CheckVerdict::Ok)?;
        let reading = check.reading.as_deref().and_then(|id| self.reading(id))?;
        let response = reading.exchange.response()?;
        let body = self.bodies.body(&response.body.sha256);
        Some(PublishedFile {
            check,
            url: response.url.clone(),
            body: body.filter(|_| response.body.cut.is_none()),
        })
    }

    /// The further pages that the browser was served, without those that no client should cite.
    pub(super) fn pages(&self) -> Vec<ServedPage> {
        let served = self.record.pages.iter().filter(|page| page.browser.cause == RowCause::Served);
        served
            .filter_map(|page| {
                let reading = self.reading(page.browser.reading.as_deref()?)?;
                let response = reading.exchange.response()?;
                let body = self.bodies.body(&response.body.sha256);
                let title =
                    body.and_then(|body| Page::read(body, response.header("content-type")).title);
                Some(ServedPage { url: response.url.clone(), path: page.path.clone(), title })
            })
            .collect()
    }

    /// What the check of a file is about, and the address that it was requested from.
    pub(super) fn checked_file(&self, check: &Check) -> Option<(ReadTarget, &'a str)> {
        let reading = self.reading(check.reading.as_deref()?)?;
        Some((reading.target.clone(), reading.exchange.url.as_str()))
    }

    /// Checks a file as if the site served it.
    pub(super) fn inspect(&self, kind: FileKind, path: &str, text: &str) -> Inspection {
        let media_type = match kind {
            FileKind::AgentCard => "application/json",
            _ => "text/plain; charset=utf-8",
        };
        let url = self.url_of(path);
        inspect(
            kind,
            &ServedFile {
                requested_url: &url,
                final_url: &url,
                redirects: 0,
                status: 200,
                headers: &[("content-type".to_owned(), media_type.to_owned())],
                body: text.as_bytes(),
                truncated: false,
                read_at_s: self.record.scanned_at.as_millis() / 1_000,
            },
        )
    }

    /// The source of a value that the home page's own address gives.
    pub(super) fn address_source(&self, at: &str) -> ValueSource {
        source(at, "address", &self.home_url(), None)
    }
}

pub(super) fn source(at: &str, carrier: &str, url: &str, pointer: Option<String>) -> ValueSource {
    ValueSource { at: at.to_owned(), carrier: carrier.to_owned(), url: url.to_owned(), pointer }
}

/// The source of a fact, for a value at `at`.
pub(super) fn fact_source(at: &str, stated: &StatedFact) -> ValueSource {
    let place = stated.pointer.clone().or_else(|| stated.place.clone());
    source(at, &stated.source, &stated.url, place)
}

pub(super) fn line_at(number: usize) -> String {
    format!("line {number}")
}
