//! Businesses with structured data about themselves, some of it contradictory or broken.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, BusinessText, CLINIC, CYCLES, HOTEL, PageExtras},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "business.lab",
        behaviour: "business",
        does: "Has structured data (JSON-LD) about the business that matches the visible page.",
        says: "Structured data names the business. Name, address and telephone number match \
               everywhere.",
        expect: SERVED,
        text: &CLINIC,
        ..site_with_pages(|request| with_card(request, request.text.phone.1))
    },
    LabSite {
        name: "two-phones.lab",
        behaviour: "two_phones",
        does: "Gives one telephone number in JSON-LD and a different one in the visible text.",
        says: "Structured data names the business, but its telephone number contradicts the page.",
        expect: ExpectedRecord { finding: &["facts_disagree"], ..SERVED },
        text: &HOTEL,
        ..site_with_pages(|request| with_card(request, "+44 1632 960999"))
    },
    LabSite {
        name: "broken-card.lab",
        behaviour: "broken_card",
        does: "Has a JSON-LD block that is not valid JSON.",
        says: "The page has structured data about the business, but it cannot be parsed.",
        expect: SERVED,
        text: &CYCLES,
        ..site_with_pages(broken_card)
    },
];

/// A JSON-LD block for the head of a page.
pub(super) fn card(host: &str, text: &BusinessText, phone: &str) -> String {
    let value = serde_json::json!({
        "@context": "https://schema.org",
        "@type": text.schema_org_type,
        "@id": format!("https://{host}/#business"),
        "name": text.title,
        "url": format!("https://{host}/"),
        "telephone": phone,
        "openingHours": text.hours,
        "address": {
            "@type": "PostalAddress", "streetAddress": text.street, "addressLocality": text.town,
            "postalCode": text.postcode, "addressCountry": "GB"
        }
    });
    format!("<script type=\"application/ld+json\">{value}</script>\n")
}

fn with_card(request: &SiteRequest<'_>, phone: &str) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let card = card(request.site_name, request.text, phone);
    content::home_with(request, PageExtras { head: &card, ..PageExtras::default() })
}

fn broken_card(request: &SiteRequest<'_>) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let head = "<script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \
                \"@type\": \"BikeStore\", \"name\": \"Cobble Cycles\",}</script>\n";
    content::home_with(request, PageExtras { head, ..PageExtras::default() })
}
