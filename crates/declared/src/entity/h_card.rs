//! Cards in class names (h-card) that describe the owner of the site.

use serde_json::{Map, Value};

use super::normalize;
use crate::page::{HCard, Page};

/// The cards that are clearly the owner's, as JSON-LD with their positions. A card may as well be of an
/// author or a guest, so that one of these must hold: it links to the home page of the site, it is linked
/// with `rel=me`, or it is the only one with an address and a telephone number.
pub(super) fn owner_cards(page: &Page, domain: &str) -> Vec<(String, Value)> {
    let is_complete = |card: &HCard| has_address(card) && card.value("tel").is_some();
    let own: Vec<&HCard> = page.h_cards.iter().filter(|card| !card.is_part).collect();
    let only_complete = own.iter().filter(|card| is_complete(card)).count() == 1;
    page.h_cards
        .iter()
        .enumerate()
        .filter(|(_, card)| {
            !card.is_part
                && (card.is_me
                    || links_home(card, page, domain)
                    || only_complete && is_complete(card))
        })
        .map(|(n, card)| (format!("/h_card/{n}"), to_node(card)))
        .collect()
}

fn has_address(card: &HCard) -> bool {
    ["adr", "street-address"].iter().any(|name| card.value(name).is_some())
}

/// Whether a card names the home page of the site, or a page that a `rel=me` link names too.
fn links_home(card: &HCard, page: &Page, domain: &str) -> bool {
    let host = normalize::host_of_url(domain);
    let urls = card.properties.iter().filter(|(name, _)| name == "url").map(|(_, url)| url);
    urls.into_iter().any(|url| {
        let normal = normalize::normalize_url(url);
        let is_home = !host.is_empty() && normal == host;
        let is_profile = page.rel_me.iter().any(|href| normalize::normalize_url(href) == normal);
        url == "/" || is_home || is_profile && !normal.is_empty()
    })
}

/// A card as a node of schema.org. With the name of an organisation, or with an address and a number, it
/// describes one; otherwise it describes a person.
fn to_node(card: &HCard) -> Value {
    const PROPERTIES: [(&str, &str); 5] = [
        ("name", "name"),
        ("tel", "telephone"),
        ("email", "email"),
        ("url", "url"),
        ("logo", "logo"),
    ];
    const ADDRESS: [(&str, &str); 6] = [
        ("street-address", "streetAddress"),
        ("extended-address", "streetAddress"),
        ("locality", "addressLocality"),
        ("region", "addressRegion"),
        ("postal-code", "postalCode"),
        ("country-name", "addressCountry"),
    ];
    let mut members = Map::new();
    let is_organization =
        card.value("org").is_some() || has_address(card) && card.value("tel").is_some();
    let class = if is_organization { "Organization" } else { "Person" };
    members.insert("@type".to_owned(), class.into());
    for (known, property) in PROPERTIES {
        let values = stated(card, known, |value| match known {
            "email" => value.strip_prefix("mailto:").unwrap_or(value).to_owned(),
            "tel" => value.strip_prefix("tel:").unwrap_or(value).to_owned(),
            _ => value.to_owned(),
        });
        if !values.is_empty() {
            members.insert(property.to_owned(), Value::Array(values));
        }
    }
    // The card of a person who stands for an organisation describes the organisation.
    if let Some(org) = card.value("org") {
        members.insert("name".to_owned(), org.into());
    }
    let mut address = Map::new();
    for (known, property) in ADDRESS {
        let values = stated(card, known, str::to_owned);
        if let Value::Array(list) =
            address.entry(property).or_insert_with(|| Value::Array(Vec::new()))
        {
            list.extend(values);
        }
    }
    address.retain(|_, value| value.as_array().is_some_and(|list| !list.is_empty()));
    if !address.is_empty() {
        members.insert("address".to_owned(), Value::Object(address));
    } else if let Some(text) = card.value("adr") {
        members.insert("address".to_owned(), text.into());
    }
    Value::Object(members)
}

fn stated(card: &HCard, name: &str, clean: impl Fn(&str) -> String) -> Vec<Value> {
    let values = card.properties.iter().filter(|(known, _)| known == name);
    values.map(|(_, value)| Value::String(clean(value))).collect()
}
