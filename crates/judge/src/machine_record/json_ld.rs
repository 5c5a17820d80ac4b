//! The owner of the site as JSON-LD with schema.org types.

use declared::entity::{Entity, read_entity};
use declared::page::Page;
use serde_json::{Map, Value, json};

use super::facts::{FactValue, PublishedFacts};
use super::file_draft::FileDraft;
use super::safe_text::json_text;
use super::site::{SiteReading, fact_source, source};

/// The most types of the owner.
const MAX_TYPES: usize = 5;
/// The most general schema.org type of an owner.
const ORGANIZATION: &str = "Organization";

pub(super) fn build(site: &SiteReading<'_>, facts: &PublishedFacts) -> Result<FileDraft, String> {
    let Some(name) = facts.first("name") else { return Err(missing_name(site, facts)) };
    let mut draft = FileDraft { not_taken: facts.not_taken.clone(), ..FileDraft::default() };
    let home = site.home_url();
    let mut members = Map::new();
    members.insert("@context".to_owned(), json!("https://schema.org"));
    members.insert("@id".to_owned(), json!(node_id(&home)));
    draft.sources.push(site.address_source("/@id"));
    let types = stated_types(site);
    if !types.is_empty() {
        let stated = name.stated.iter().find(|stated| is_structured(&stated.source));
        let carrier = stated.map_or("json_ld", |stated| stated.source.as_str());
        draft.sources.push(source("/@type", carrier, &home, None));
    }
    let mut rest = facts.values.as_slice();
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|value| value.property == first.property).count();
        let Some((values, after)) = rest.split_at_checked(count) else { break };
        add_property(&mut members, &mut draft, values);
        rest = after;
    }
    if !members.contains_key("url") {
        members.insert("url".to_owned(), json!(home));
        draft.sources.push(site.address_source("/url"));
    }
    insert_types(&mut members, &types);
    let mut text = json_text(&Value::Object(members.clone()));
    // A type that readers do not know does not tell them that this is the owner.
    let general = types.is_empty() || !parse_back(site, &text).owner_found;
    if general && !types.iter().any(|name| name == ORGANIZATION) {
        insert_types(&mut members, &[types.as_slice(), &[ORGANIZATION.to_owned()]].concat());
        text = json_text(&Value::Object(members));
    }
    draft.reading = reading(general);
    draft.text = text;
    Ok(draft)
}

fn reading(general: bool) -> String {
    let mut reading = "Made from what the home page states about its owner, in structured data and in \
                       its visible text. Put it into the head of the home page, in a script element \
                       with the type application/ld+json."
        .to_owned();
    if general {
        reading.push_str(
            " The site states no type that readers know. Organization is the most general one; \
             replace it if a narrower one fits.",
        );
    }
    reading
}

fn missing_name(site: &SiteReading<'_>, facts: &PublishedFacts) -> String {
    let is_left_out = facts.not_taken.iter().any(|left| left.what == "name");
    if site.record.fact_lineage.is_none() {
        "We could not read the home page, so we do not know who runs the site.".to_owned()
    } else if is_left_out {
        "The site contradicts itself about the name of its owner, or the name cannot be used. State one \
         name everywhere."
            .to_owned()
    } else {
        "The home page does not name its owner: neither structured data nor og:site_name has a name."
            .to_owned()
    }
}

fn is_structured(carrier: &str) -> bool {
    matches!(carrier, "json_ld" | "microdata")
}

/// The owner is not the page itself, so its id has a fragment.
fn node_id(home: &str) -> String {
    let page = home.split(['#', '?']).next().unwrap_or(home);
    format!("{page}#owner")
}

/// The types that the site states for its owner.
fn stated_types(site: &SiteReading<'_>) -> Vec<String> {
    let lineage = site.record.fact_lineage.as_ref();
    let is_type = |name: &&String| {
        name.len() <= 64
            && name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let types = lineage.into_iter().flat_map(|lineage| &lineage.subject.types).filter(is_type);
    let mut stated: Vec<String> = Vec::new();
    for name in types {
        if stated.len() < MAX_TYPES && !stated.contains(name) {
            stated.push(name.clone());
        }
    }
    stated
}

fn insert_types(members: &mut Map<String, Value>, types: &[String]) {
    let value = match types {
        [] => return,
        [one] => json!(one),
        several => json!(several),
    };
    members.insert("@type".to_owned(), value);
}

fn add_property(members: &mut Map<String, Value>, draft: &mut FileDraft, values: &[FactValue]) {
    let Some(first) = values.first() else { return };
    let property = first.property;
    let value = match values {
        [one] => json!(one.text),
        several => several.iter().map(|value| json!(value.text)).collect(),
    };
    for (number, value) in values.iter().enumerate() {
        let at = match values.len() {
            1 => format!("/{property}"),
            _ => format!("/{property}/{number}"),
        };
        draft.sources.extend(value.stated.iter().map(|stated| fact_source(&at, stated)));
    }
    members.insert(property.to_owned(), value);
}

/// What our own reader finds in the text.
pub(super) fn parse_back(site: &SiteReading<'_>, text: &str) -> Entity {
    let html = format!(
        "<!doctype html><title></title><script type=\"application/ld+json\">{text}</script>"
    );
    let page = Page::read(html.as_bytes(), Some("text/html; charset=utf-8"));
    read_entity(&page, site.record.domain.as_str())
}
