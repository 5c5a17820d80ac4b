//! Home pages that are longer than what a scan receives of each.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    chance::Chance,
    content::{self, BOOKSHOP, GARDEN, MUSEUM, PageExtras, SCHOOL, compressed},
    http::reply::{Reply, SiteRequest},
    site::{ASK_FIRST, ExpectedRecord, LabSite, MAY_READ, NOT_ALLOW},
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "long-page.lab",
        behaviour: "long_page",
        does: "Has a home page of 1.5 megabytes, compressed for browsers only.",
        says: "Everybody gets the same text, as far as it was read.",
        expect: ExpectedRecord {
            finding: &["page_cut"],
            no_finding: &["other_text", "no_text", "few_words"],
            grade_at_least: Some("B"),
            ..SERVED
        },
        text: &MUSEUM,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let page = long_page(request, "exhibit");
            if request.is_from_ai() {
                return Reply::html(200, page);
            }
            let packed = compressed::gzip(page.as_bytes());
            Reply::html(200, packed).with_header("content-encoding", "gzip")
        })
    },
    LabSite {
        name: "cloaks-long-page.lab",
        behaviour: "cloaks_long_page",
        does: "Serves AI identities the page of a different business; both pages have 1.5 megabytes.",
        says: "AI identities get a different text than the browser, as far as it was read.",
        expect: ExpectedRecord {
            split: Some("content"),
            finding: &["other_text", "page_cut"],
            read: NOT_ALLOW,
            cite: ASK_FIRST,
            grade_at_most: Some("D"),
            ..SERVED
        },
        text: &GARDEN,
        ..site_with_pages(|request| match request.path {
            "/" if request.is_from_ai() => {
                let school = SiteRequest { text: &SCHOOL, ..*request };
                Reply::html(200, long_page(&school, "lesson"))
            }
            "/" => Reply::html(200, long_page(request, "plant")),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "long-page-varies.lab",
        behaviour: "long_page_varies",
        does: "Has a home page of 1.5 megabytes with other paragraphs for every request, whoever asks.",
        says: "Nothing follows the identity. Whether the record says that the page varies depends on how \
               much could be read again before the bytes or the time of the scan were used up.",
        expect: ExpectedRecord {
            finding: &["page_cut"],
            no_finding: &["other_text", "other_prices", "other_contacts"],
            read: MAY_READ,
            ..SERVED
        },
        text: &BOOKSHOP,
        ..site_with_pages(|request| match request.path {
            "/" => {
                let first = Chance::new().between(1, 1_000_000);
                Reply::html(200, page_from(request, "book", first))
            }
            _ => plain_site(request),
        })
    },
];

/// The ordinary page, then many paragraphs of which no two are the same.
fn long_page(request: &SiteRequest<'_>, thing: &str) -> String {
    page_from(request, thing, 1)
}

/// The same; the paragraphs are about the things from this number on.
fn page_from(request: &SiteRequest<'_>, thing: &str, first: u64) -> String {
    const PARAGRAPHS: u64 = 12_000;
    let page = content::page(request.text, PageExtras::default());
    let (head, tail) = page.split_once("</main>").unwrap_or((&page, ""));
    let list: String = (first..first + PARAGRAPHS)
        .map(|number| {
            // Numbers that repeat late make it compress like an ordinary list.
            let (shelf, row) = (number * 7919 % 9973, number * 104_729 % 99_991);
            format!(
                "<p>The {thing} number {number} stands on shelf {shelf} in row {row}. Ask for it at \
                 the desk before five, and bring the {thing} card {row} with you.</p>\n"
            )
        })
        .collect();
    format!("{head}{list}</main>{tail}")
}
