//! Compares the server card with the live server. A difference is told and decides nothing: a card is a
//! file that may be out of date, and both are said by the server itself.

use std::collections::BTreeSet;

use contract::mcp_evidence::{McpCardReading, McpCardState, McpEvidence, McpListKind};
use contract::records::{McpCardComparison, McpKnown};
use serde_json::Value;
use url::Url;

use super::surface::{ListKind, Surface};
use super::untrusted::{display_name, untrusted_text};

/// The most names in one sentence.
const NAMES_IN_SENTENCE: usize = 5;

/// What the record says of the card.
#[must_use]
pub fn compare_card(evidence: &McpEvidence, surface: &Surface) -> McpCardComparison {
    let Some(card) = &evidence.card else {
        return no_card("This scan was made before server cards were read.", None);
    };
    let source = card.url.as_deref().map(untrusted_text);
    if card.state != McpCardState::Found {
        return no_card(card.why.as_deref().unwrap_or("The server card was not read."), source);
    }
    let mut comparison = Comparison::default();
    comparison.compare_identity(card, evidence);
    comparison.compare_address(card, &evidence.url);
    comparison.compare_capabilities(card, evidence);
    comparison.compare_tools(card, evidence, surface);
    let Comparison { differences, compared } = comparison;
    McpCardComparison {
        state: "observed".to_owned(),
        why: (!compared).then(|| {
            "The card and the server have nothing in common that can be compared.".to_owned()
        }),
        source,
        matches_live: McpKnown::from(compared.then_some(differences.is_empty())),
        differences,
    }
}

fn no_card(why: &str, source: Option<String>) -> McpCardComparison {
    McpCardComparison {
        state: "not_measured".to_owned(),
        why: Some(why.to_owned()),
        source,
        matches_live: McpKnown::NOT_MEASURED,
        differences: Vec::new(),
    }
}

#[derive(Default)]
struct Comparison {
    differences: Vec<String>,
    /// Whether anything was compared at all.
    compared: bool,
}

impl Comparison {
    fn compare_identity(&mut self, card: &McpCardReading, evidence: &McpEvidence) {
        let Some(server) = &evidence.server else { return };
        if let (Some(card), Some(live)) = (&card.name, &server.name) {
            self.compared = true;
            // The current form puts the reversed domain and a slash before the name.
            let own_part = card.rsplit_once('/').map_or(card.as_str(), |(_, own)| own);
            if card != live && own_part != live {
                self.differences.push(different("name", card, live));
            }
        }
        if let (Some(card), Some(live)) = (&card.version, &server.version) {
            self.compared = true;
            if card != live {
                self.differences.push(different("version", card, live));
            }
        }
    }

    fn compare_address(&mut self, card: &McpCardReading, url: &str) {
        let Ok(live) = Url::parse(url) else { return };
        let Some(first) = card.endpoints.first() else { return };
        self.compared = true;
        let is_live = |endpoint: &String| {
            Url::parse(endpoint).is_ok_and(|endpoint| {
                endpoint.origin() == live.origin()
                    && endpoint.path().trim_end_matches('/') == live.path().trim_end_matches('/')
                    && endpoint.query() == live.query()
            })
        };
        if !card.endpoints.iter().any(is_live) {
            self.differences.push(format!(
                "The card names another address than the one that was scanned: {}.",
                untrusted_text(first)
            ));
        }
    }

    fn compare_capabilities(&mut self, card: &McpCardReading, evidence: &McpEvidence) {
        let live = evidence
            .server
            .as_ref()
            .and_then(|server| contract::json::parse_value(server.capabilities.as_bytes()).ok());
        let (Some(card), Some(Value::Object(live))) = (&card.capabilities, live) else { return };
        let card = card.iter().map(String::as_str).collect();
        let live = live.iter().filter(|(_, one)| !one.is_null()).map(|(name, _)| name.as_str());
        self.compare_names(("capability", "capabilities"), &card, &live.collect());
    }

    fn compare_tools(&mut self, card: &McpCardReading, evidence: &McpEvidence, surface: &Surface) {
        let is_read = evidence.list(&McpListKind::Tools).is_some_and(|list| list.complete);
        let Some(card) = card.tools.as_ref().filter(|_| is_read) else { return };
        let card = card.iter().map(String::as_str).collect();
        let live = surface.list(ListKind::Tools).map(|tool| tool.name.as_str()).collect();
        self.compare_names(("tool", "tools"), &card, &live);
    }

    fn compare_names(&mut self, noun: (&str, &str), card: &BTreeSet<&str>, live: &BTreeSet<&str>) {
        self.compared = true;
        let only_card: Vec<&str> = card.difference(live).copied().collect();
        let only_live: Vec<&str> = live.difference(card).copied().collect();
        if !only_card.is_empty() {
            let named = counted(noun, &only_card);
            self.differences.push(format!("The card lists {named}. The server does not."));
        }
        if !only_live.is_empty() {
            let named = counted(noun, &only_live);
            self.differences.push(format!("The server lists {named}. The card does not."));
        }
    }
}

fn different(what: &str, card: &str, live: &str) -> String {
    let (card, live) = (display_name(card), display_name(live));
    format!("The card gives the {what} \"{card}\", the server gives \"{live}\".")
}

/// `2 tools: a, b`.
fn counted((one, many): (&str, &str), names: &[&str]) -> String {
    let noun = if names.len() == 1 { one } else { many };
    let mut shown: Vec<String> =
        names.iter().take(NAMES_IN_SENTENCE).map(|name| display_name(name)).collect();
    if let Some(left) = names.len().checked_sub(NAMES_IN_SENTENCE).filter(|left| *left > 0) {
        shown.push(format!("{left} more"));
    }
    format!("{} {noun}: {}", names.len(), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::SurfaceBuilder;
    use super::*;

    fn evidence(card: Value) -> McpEvidence {
        serde_json::from_value(json!({
            "v": 1, "url": "https://a.lab/mcp",
            "observer": {"name": "n", "version": "1", "vantage": "t"},
            "started_at": "2026-11-15T10:00:00Z", "finished_at": "2026-11-15T10:00:01Z",
            "budget_ms": 1, "took_ms": 1, "state": "observed", "why": null,
            "transport": {"form": "streamable_http", "era": "modern", "protocol_version": null,
                "supported_versions": [], "response_form": null, "session_issued": false,
                "session_ended": null, "https": true, "tls": null, "redirect_location": null},
            "server": {"name": "bakery", "version": "1.0", "title": null, "instructions": null,
                "capabilities": "{\"tools\":{}}", "result": "{}"},
            "auth": {"state": "none", "http_status": 200, "scheme": null, "scopes": [],
                "resource_metadata": null},
            "lists": [{"list": "tools", "declared": true, "complete": true, "why": null,
                "pages": [], "items": 1}],
            "stability": {"stable_content": null, "stable_order": null, "why": null},
            "card": card, "requests": [],
        }))
        .unwrap()
    }

    fn compare(card: Value) -> McpCardComparison {
        let mut builder = SurfaceBuilder::new();
        builder.add_page(ListKind::Tools, br#"{"tools":[{"name":"order"}]}"#).unwrap();
        compare_card(&evidence(card), &builder.finish())
    }

    fn card(more: Value) -> Value {
        let mut card = json!({"state": "found", "why": null, "url": "https://a.lab/mcp/server-card",
            "name": "lab.a/bakery", "version": "1.0", "endpoints": ["https://a.lab/mcp/"],
            "capabilities": ["tools"], "tools": ["order"]});
        for (name, value) in more.as_object().unwrap() {
            card[name] = value.clone();
        }
        card
    }

    #[test]
    fn a_card_that_says_the_same_matches() {
        let found = compare(card(json!({})));
        assert_eq!((found.state.as_str(), &found.why), ("observed", &None));
        assert_eq!(found.matches_live, McpKnown::from(Some(true)));
        assert!(found.differences.is_empty(), "{:?}", found.differences);
        assert_eq!(found.source.as_deref(), Some("https://a.lab/mcp/server-card"));
    }

    #[test]
    fn every_difference_is_told_and_hidden_characters_are_spelled_out() {
        for (change, sentence) in [
            (
                json!({"name": "bank\u{202e}"}),
                "The card gives the name \"bank\\u{202E}\", the server gives \"bakery\".",
            ),
            (
                json!({"version": "2.0"}),
                "The card gives the version \"2.0\", the server gives \"1.0\".",
            ),
            (
                json!({"endpoints": ["https://b.lab/mcp"]}),
                "The card names another address than the one that was scanned: https://b.lab/mcp.",
            ),
            (
                json!({"capabilities": ["logging", "prompts", "tools"]}),
                "The card lists 2 capabilities: logging, prompts. The server does not.",
            ),
            (
                json!({"capabilities": []}),
                "The server lists 1 capability: tools. The card does not.",
            ),
            (
                json!({"tools": ["order", "a", "b", "c", "d", "e", "f\u{200b}"]}),
                "The card lists 6 tools: a, b, c, d, e, 1 more. The server does not.",
            ),
        ] {
            let found = compare(card(change));
            assert_eq!(found.differences, [sentence]);
            assert_eq!(found.matches_live, McpKnown::from(Some(false)));
        }
    }

    #[test]
    fn what_was_not_read_is_not_compared() {
        for state in ["absent", "faulty", "not_measured", "a later word"] {
            let found = compare(card(json!({"state": state, "why": "No.", "name": "other"})));
            assert_eq!((found.state.as_str(), found.why.as_deref()), ("not_measured", Some("No.")));
            assert_eq!(found.matches_live, McpKnown::NOT_MEASURED);
            assert!(found.differences.is_empty());
        }
        let earlier = compare_card(&evidence(Value::Null), &Surface::default());
        assert_eq!(earlier.state, "not_measured");
        let nothing = card(json!({"name": null, "version": null, "endpoints": [],
            "capabilities": null, "tools": null}));
        let found = compare(nothing);
        assert_eq!(found.matches_live, McpKnown::NOT_MEASURED);
        assert!(found.why.is_some());
    }
}
