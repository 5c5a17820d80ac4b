//! Facts about the owner outside structured data.

use super::fact_collector::FactCollector;
use super::model::{Carrier, Entity, EntityFact, FactName};
use super::normalize::{self, address};
use super::visible_hours::visible_hours;
use super::visible_numbers::visible_numbers;
use crate::page::{Page, truncate_str};

/// How many profiles of the owner are read.
const MAX_PROFILES: usize = 20;

/// Adds what Open Graph says about the owner.
pub(super) fn add_open_graph_facts(page: &Page, entity: &mut Entity, region: Option<&str>) {
    let region = region.map(str::to_owned);
    let mut graph = FactCollector { entity, carrier: Carrier::OpenGraph, region };
    for (called, content) in &page.meta {
        let fact = match called.as_str() {
            "og:site_name" => FactName::Name,
            "og:phone_number" | "business:contact_data:phone_number" => FactName::Telephone,
            "og:email" | "business:contact_data:email" => FactName::Email,
            "og:url" => FactName::Url,
            _ => continue,
        };
        graph.add(fact, content, None, format!("meta {called}"));
    }
    let contact = |part: &str| {
        let called = format!("business:contact_data:{part}");
        page.meta
            .iter()
            .find(|(name, _)| *name == called)
            .map(|(_, v)| truncate_str(v, 200))
            .unwrap_or_default()
    };
    let written = ["street_address", "postal_code", "locality", "country_name"].map(contact);
    if written.iter().any(|part| !part.is_empty()) {
        let parts: Vec<&str> = written.into_iter().filter(|part| !part.is_empty()).collect();
        graph.add(FactName::Address, &parts.join(", "), None, "meta business:contact_data");
    }
}

/// Adds the facts that people see or follow: tel:, mailto: and `rel=me` links, address elements, opening
/// hours in the text, and telephone numbers in the header and footer.
pub(super) fn add_visible_facts(
    page: &Page,
    entity: &mut Entity,
    region: Option<&str>,
    localities: &[String],
) {
    let region = region.map(str::to_owned);
    let mut graph = FactCollector { entity, carrier: Carrier::TelLink, region: region.clone() };
    for number in &page.telephones {
        graph.add(FactName::Telephone, number, None, "tel: link");
    }
    graph.carrier = Carrier::MailLink;
    for mail in &page.emails {
        graph.add(FactName::Email, mail, None, "mailto: link");
    }
    graph.carrier = Carrier::RelMe;
    for profile in page.rel_me.iter().filter(|href| is_web_address(href)).take(MAX_PROFILES) {
        graph.add(FactName::SameAs, profile, None, "rel=me link");
    }
    graph.carrier = Carrier::AddressElement;
    for block in &page.address_blocks {
        graph.add(FactName::Address, block, None, "address element");
    }
    graph.carrier = Carrier::VisibleText;
    for number in visible_numbers(&page.header_footer, region.as_deref(), page.truncated) {
        graph.add(FactName::Telephone, &number, None, "header or footer");
    }
    for hours in visible_hours(&page.visible, page.language.as_deref()) {
        graph.push(EntityFact {
            fact: FactName::Hours,
            value: truncate_str(&hours.written, normalize::MAX_VALUE).to_owned(),
            normalized: hours.normalized,
            carrier: Carrier::VisibleText,
            subject: None,
            at: "text of the page".to_owned(),
            pointer: None,
        });
    }
    // In an address element the address has been read already.
    if page.address_blocks.is_empty() {
        for line in address::visible_addresses(&page.header_footer, localities) {
            graph.add(FactName::Address, &line, None, "header or footer");
        }
    }
}

/// Links to other pages of the site are not profiles elsewhere.
fn is_web_address(href: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| {
        href.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}
