//! The agent card: the site's own, completed with what the site publishes elsewhere, or a skeleton with what
//! the site publishes about itself. What describes the agent is never invented.

use contract::records::{CheckVerdict, ValueSource};
use declared::fault::Weight;
use declared::files::FileKind;
use serde_json::{Map, Value, json};

use super::facts::{FactValue, PublishedFacts};
use super::file_draft::FileDraft;
use super::safe_text::{json_text, one_line};
use super::site::{AGENT_CARD_PATH, SiteReading, fact_source, source};

/// The longest description.
const MAX_DESCRIPTION: usize = 300;

pub(super) fn build(site: &SiteReading<'_>, facts: &PublishedFacts) -> Result<FileDraft, String> {
    let Some(file) = site.published(AGENT_CARD_PATH) else {
        return skeleton(site, facts);
    };
    let Some(body) = file.body else {
        return Err("The site publishes an agent card already. Its text is no longer stored here."
            .to_owned());
    };
    let Ok(Value::Object(card)) = contract::json::parse_value(body) else {
        return Err("The site's agent card is not a JSON object.".to_owned());
    };
    let own: Vec<ValueSource> = card
        .keys()
        .map(|name| {
            let at = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            source(&at, FileKind::AgentCard.as_str(), &file.url, Some(at.clone()))
        })
        .collect();
    let mut completed = card.clone();
    let added = complete(&mut completed, site, facts, &file.url);
    if !added.is_empty() {
        let sources = own.iter().cloned().chain(added).collect();
        let reading = "This is the agent card that the site publishes, completed with what the site \
                       publishes elsewhere.";
        if let Ok(draft) = checked(site, completed, sources, reading) {
            return Ok(draft);
        }
    }
    checked(
        site,
        card,
        own,
        "This is the agent card that the site publishes. It is valid. Keep it.",
    )
}

/// The card as a file, if our own check finds nothing wrong with it.
fn checked(
    site: &SiteReading<'_>,
    card: Map<String, Value>,
    sources: Vec<ValueSource>,
    reading: &str,
) -> Result<FileDraft, String> {
    let text = json_text(&Value::Object(card));
    let inspection = site.inspect(FileKind::AgentCard, AGENT_CARD_PATH, &text);
    let fault = inspection.faults.iter().find(|fault| fault.weight != Weight::Note);
    match fault {
        Some(fault) => Err(format!("The site's agent card has a fault. {}", fault.problem)),
        None if !inspection.usable => Err("The site's agent card is not usable.".to_owned()),
        None => {
            Ok(FileDraft { text, sources, reading: reading.to_owned(), ..FileDraft::default() })
        }
    }
}

/// Adds members that the card lacks and that the site states elsewhere. A signed card stays as it is:
/// any change would make its signature invalid.
fn complete(
    card: &mut Map<String, Value>,
    site: &SiteReading<'_>,
    facts: &PublishedFacts,
    card_url: &str,
) -> Vec<ValueSource> {
    let mut added = Vec::new();
    if card.contains_key("signatures") {
        return added;
    }
    if !card.contains_key("provider")
        && let Some(name) = facts.first("name")
    {
        let url = facts.first("url").map_or_else(|| site.home_url(), |url| url.text.clone());
        card.insert("provider".to_owned(), json!({ "organization": name.text, "url": url }));
        added.extend(sources_of("/provider/organization", name));
        match facts.first("url") {
            Some(url) => added.extend(sources_of("/provider/url", url)),
            None => added.push(site.address_source("/provider/url")),
        }
    }
    if !card.contains_key("iconUrl")
        && let Some(logo) = facts.first("logo")
    {
        card.insert("iconUrl".to_owned(), json!(logo.text));
        added.extend(sources_of("/iconUrl", logo));
    }
    added.extend(add_interfaces(card, card_url));
    added
}

/// States the interface of a card for version 0.3 as clients for version 1.0 look for it.
fn add_interfaces(card: &mut Map<String, Value>, card_url: &str) -> Option<ValueSource> {
    let member = |name: &str| card.get(name).and_then(Value::as_str);
    let (url, version) = (member("url")?, member("protocolVersion")?);
    if card.contains_key("supportedInterfaces") || !version.starts_with("0.3") {
        return None;
    }
    // JSONRPC is what version 0.3 means if a card does not say it.
    let binding = member("preferredTransport").unwrap_or("JSONRPC");
    let interface = json!({ "url": url, "protocolBinding": binding, "protocolVersion": version });
    card.insert("supportedInterfaces".to_owned(), json!([interface]));
    let carrier = FileKind::AgentCard.as_str();
    Some(source("/supportedInterfaces/0", carrier, card_url, Some("/url".to_owned())))
}

fn sources_of(at: &str, value: &FactValue) -> Vec<ValueSource> {
    value.stated.iter().map(|stated| fact_source(at, stated)).collect()
}

/// Required members that describe the agent itself (A2A 1.0).
const OF_THE_AGENT: [&str; 6] = [
    "supportedInterfaces",
    "version",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
];

/// A card without what describes the agent, for a site that publishes none.
fn skeleton(site: &SiteReading<'_>, facts: &PublishedFacts) -> Result<FileDraft, String> {
    match site.check(AGENT_CARD_PATH).map(|check| &check.verdict) {
        Some(CheckVerdict::Absent | CheckVerdict::Soft404) => {}
        Some(CheckVerdict::Invalid) => return Err("The site's agent card is not valid.".to_owned()),
        _ => return Err("We could not read the site's agent card.".to_owned()),
    }
    let Some(name) = facts.first("name") else {
        let why = "The site publishes no agent card, and no name that a card could have.";
        return Err(why.to_owned());
    };
    let mut card = Map::new();
    card.insert("name".to_owned(), json!(name.text));
    let mut sources = sources_of("/name", name);
    let mut missing = OF_THE_AGENT.to_vec();
    let described = site.record.content.untrusted_description.as_deref();
    match described.and_then(|text| one_line(text, MAX_DESCRIPTION)) {
        Some(text) => {
            card.insert("description".to_owned(), json!(text));
            sources.push(source("/description", "meta", &site.home_url(), None));
        }
        None => missing.insert(0, "description"),
    }
    sources.extend(complete(&mut card, site, facts, ""));
    let reading = "This is a skeleton, because the site publishes no agent card. It has what the site publishes \
                   about itself. The members in `missing` describe the agent: add them, and publish the card only \
                   if the site has an agent.";
    Ok(FileDraft {
        text: json_text(&Value::Object(card)),
        sources,
        missing,
        reading: reading.to_owned(),
        ..FileDraft::default()
    })
}
