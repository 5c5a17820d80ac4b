//! Sites that serve some AI identities another text, other prices or other contacts than people.
//! `cloaks.lab` and `cloaks-prices.lab` do so to all of them.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, BAKERY, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, PageExtras, SCHOOL},
    http::reply::{Reply, SiteRequest},
    site::{ASK_FIRST, ExpectedRecord, LabSite, NOT_ALLOW},
};

use super::business::card;

const EIGHT: &[&str] = &[
    "GPTBot",
    "ClaudeBot",
    "CCBot",
    "meta-externalagent",
    "PerplexityBot",
    "Claude-SearchBot",
    "ChatGPT-User",
    "Perplexity-User",
];
const THREE: &[&str] = &["GPTBot", "PerplexityBot", "Claude-User"];
const ONE: &[&str] = &["ClaudeBot"];

/// The finding is told, and an agent is told to be careful.
const fn expect_cloaking(finding: &'static [&'static str]) -> ExpectedRecord {
    ExpectedRecord { finding, read: NOT_ALLOW, cite: ASK_FIRST, ..SERVED }
}

/// Most AI identities are concerned, so the grade cannot be good either.
const fn expect_cloaking_of_most(finding: &'static [&'static str]) -> ExpectedRecord {
    ExpectedRecord { grade_at_most: Some("C"), ..expect_cloaking(finding) }
}

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "cloaks-text-eight.lab",
        behaviour: "cloaks_text_eight",
        does: "Serves eight of the ten AI identities the page of a different business.",
        says: "Eight AI identities get a different text than the browser.",
        expect: expect_cloaking_of_most(&["other_text"]),
        text: &GARDEN,
        ..site_with_pages(|request| cloak(request, request.is_from_any(EIGHT), other_business))
    },
    LabSite {
        name: "cloaks-text-three.lab",
        behaviour: "cloaks_text_three",
        does: "Serves three of the ten AI identities the page of a different business.",
        says: "Three AI identities get a different text than the browser.",
        expect: expect_cloaking(&["other_text"]),
        text: &FERRY,
        ..site_with_pages(|request| cloak(request, request.is_from_any(THREE), other_business))
    },
    LabSite {
        name: "cloaks-text-one.lab",
        behaviour: "cloaks_text_one",
        does: "Serves one of the ten AI identities the page of a different business.",
        says: "ClaudeBot gets a different text than the browser and the other AI identities.",
        expect: expect_cloaking(&["other_text"]),
        text: &MUSEUM,
        ..site_with_pages(|request| cloak(request, request.is_from_any(ONE), other_business))
    },
    LabSite {
        name: "cloaks-prices-eight.lab",
        behaviour: "cloaks_prices_eight",
        does: "Shows eight of the ten AI identities higher prices.",
        says: "Eight AI identities are shown other prices than the browser.",
        expect: expect_cloaking_of_most(&["other_prices"]),
        text: &HOTEL,
        ..site_with_pages(|request| cloak(request, request.is_from_any(EIGHT), higher_prices))
    },
    LabSite {
        name: "cloaks-prices-three.lab",
        behaviour: "cloaks_prices_three",
        does: "Shows three of the ten AI identities higher prices.",
        says: "Three AI identities are shown other prices than the browser.",
        expect: expect_cloaking(&["other_prices"]),
        text: &CYCLES,
        ..site_with_pages(|request| cloak(request, request.is_from_any(THREE), higher_prices))
    },
    LabSite {
        name: "cloaks-prices-one.lab",
        behaviour: "cloaks_prices_one",
        does: "Shows one of the ten AI identities higher prices.",
        says: "ClaudeBot is shown other prices than the browser and the other AI identities.",
        expect: expect_cloaking(&["other_prices"]),
        text: &ORCHESTRA,
        ..site_with_pages(|request| cloak(request, request.is_from_any(ONE), higher_prices))
    },
    LabSite {
        name: "cloaks-contacts.lab",
        behaviour: "cloaks_contacts",
        does: "Shows all AI identities another telephone number and another street.",
        says: "AI identities are shown other contacts than the browser. The rest of the text is \
               the same.",
        expect: expect_cloaking_of_most(&["other_contacts"]),
        text: &HOTEL,
        ..site_with_pages(|request| cloak(request, request.is_from_ai(), other_contacts))
    },
    LabSite {
        name: "cloaks-contacts-eight.lab",
        behaviour: "cloaks_contacts_eight",
        does: "Shows eight of the ten AI identities another telephone number and another street.",
        says: "Eight AI identities are shown other contacts than the browser.",
        expect: expect_cloaking_of_most(&["other_contacts"]),
        text: &BAKERY,
        ..site_with_pages(|request| cloak(request, request.is_from_any(EIGHT), other_contacts))
    },
    LabSite {
        name: "cloaks-contacts-three.lab",
        behaviour: "cloaks_contacts_three",
        does: "Shows three of the ten AI identities another telephone number and another street.",
        says: "Three AI identities are shown other contacts than the browser.",
        expect: expect_cloaking(&["other_contacts"]),
        text: &GARDEN,
        ..site_with_pages(|request| cloak(request, request.is_from_any(THREE), other_contacts))
    },
    LabSite {
        name: "cloaks-contacts-one.lab",
        behaviour: "cloaks_contacts_one",
        does: "Shows one of the ten AI identities another telephone number and another street.",
        says: "ClaudeBot is shown other contacts than the browser and the other AI identities.",
        expect: expect_cloaking(&["other_contacts"]),
        text: &SCHOOL,
        ..site_with_pages(|request| cloak(request, request.is_from_any(ONE), other_contacts))
    },
    LabSite {
        name: "cloaks-contacts-card.lab",
        behaviour: "cloaks_contacts_card",
        does: "Gives AI identities another telephone number in its structured data (JSON-LD). The \
               visible text is the same.",
        says: "AI identities get another telephone number in structured data than the browser.",
        expect: expect_cloaking_of_most(&["other_contacts"]),
        text: &CYCLES,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let phone = request.text.phone.1;
            let phone = if request.is_from_ai() { "+44 1632 960999" } else { phone };
            let head = card(request.site_name, request.text, phone);
            content::home_with(request, PageExtras { head: &head, ..PageExtras::default() })
        })
    },
];

fn cloak(request: &SiteRequest<'_>, cloaked: bool, page: fn(&SiteRequest<'_>) -> String) -> Reply {
    if cloaked && request.path == "/" {
        Reply::html(200, page(request))
    } else {
        plain_site(request)
    }
}

fn other_business(request: &SiteRequest<'_>) -> String {
    let other = if request.text.title == SCHOOL.title { &BAKERY } else { &SCHOOL };
    content::page(other, PageExtras::default())
}

/// Every price of the page is about a third higher.
fn higher_prices(request: &SiteRequest<'_>) -> String {
    let mut page = content::page(request.text, PageExtras::default());
    for (price, higher) in [
        ("112.00", "149.00"),
        ("78.00", "104.00"),
        ("180.00", "240.00"),
        ("65.00", "87.00"),
        ("16.00", "21.00"),
        ("£6.00", "£8.00"),
    ] {
        page = page.replace(price, higher);
    }
    page
}

fn other_contacts(request: &SiteRequest<'_>) -> String {
    let text = request.text;
    content::page(text, PageExtras::default())
        .replace(text.phone.0, "01632 960999")
        .replace(&text.phone.1.replace(' ', ""), "+441632960999")
        .replace(text.street, "77 Other Street")
}
