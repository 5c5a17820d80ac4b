//! Businesses that say who they are, and some that say two things.

use super::{SERVED, pages, plain};
use crate::{
    content::{self, CLINIC, CYCLES, Extra, HOTEL, Text},
    http::{Ask, Reply},
    site::Site,
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "business.lab",
        behaviour: "business",
        does: "Carries a JSON-LD business card that agrees with what the page shows.",
        says: "The business names itself; name, address and telephone agree wherever they stand.",
        expect: SERVED,
        text: &CLINIC,
        ..pages(|ask| with_card(ask, ask.site.text.phone.1))
    },
    Site {
        name: "two-phones.lab",
        behaviour: "two_phones",
        does: "Gives one telephone number in JSON-LD and another in the visible text.",
        says: "The business names itself, and contradicts itself about its telephone number.",
        expect: SERVED,
        text: &HOTEL,
        ..pages(|ask| with_card(ask, "+44 1632 960999"))
    },
    Site {
        name: "broken-card.lab",
        behaviour: "broken_card",
        does: "Carries a JSON-LD block that is not JSON.",
        says: "There is markup that should name the business, but it cannot be read.",
        expect: SERVED,
        text: &CYCLES,
        ..pages(broken_card)
    },
];

/// A JSON-LD block for the head of a page.
pub(super) fn card(host: &str, text: &Text, phone: &str) -> String {
    let value = serde_json::json!({
        "@context": "https://schema.org",
        "@type": text.kind,
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

fn with_card(ask: &Ask<'_>, phone: &str) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    let card = card(ask.site.name, ask.site.text, phone);
    content::home_with(ask, Extra { head: &card, ..Extra::default() })
}

fn broken_card(ask: &Ask<'_>) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    let head = "<script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \
                \"@type\": \"BikeStore\", \"name\": \"Cobble Cycles\",}</script>\n";
    content::home_with(ask, Extra { head, ..Extra::default() })
}
