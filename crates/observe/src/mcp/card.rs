//! Reads the server card: a file on the server's own origin that says what the server is and where. It
//! comes last in a walk, and nothing that it holds changes anything else of the walk.

use contract::mcp_evidence::{McpCardReading, McpCardState};
use serde_json::Value;
use url::Url;

use super::http_client::HttpClient;
use super::json_file::NoFile;

const ACCEPT: &str = "application/mcp-server-card+json, application/json";
const MAX_ENDPOINTS: usize = 16;
const MAX_CAPABILITIES: usize = 32;
const MAX_TOOLS: usize = 2_000;
/// A longer text of the card is not recorded.
const MAX_TEXT_BYTES: usize = 2048;

/// Reads the first card at the places where one may be.
pub(super) async fn read_card(http: &mut HttpClient, url: &str) -> McpCardReading {
    let Ok(server) = Url::parse(url) else {
        return no_card(McpCardState::NotMeasured, "The address of the server is not valid.", None);
    };
    // One place that does not answer must not use up the time of the others.
    let timeout = http.budget.extras / 2;
    let (mut faulty, mut unread) = (None, None);
    for place in places(&server) {
        match http.read_json(&place, ACCEPT, timeout).await {
            Ok(value) => match parse_card(&value, &place) {
                Some(card) => return card,
                None => {
                    let why = "The file has none of the members of a server card.".to_owned();
                    faulty.get_or_insert((why, place));
                }
            },
            Err(NoFile::Absent(_)) => {}
            Err(NoFile::Faulty(why)) => {
                faulty.get_or_insert((why, place));
            }
            Err(NoFile::Unread(why)) => {
                unread.get_or_insert(why);
            }
        }
    }
    match (faulty, unread) {
        (Some((why, place)), _) => no_card(McpCardState::Faulty, &why, Some(&place)),
        (None, Some(why)) => no_card(McpCardState::NotMeasured, &why, None),
        (None, None) => no_card(
            McpCardState::Absent,
            "The server has no card at the places where one may be.",
            None,
        ),
    }
}

/// The card of a server that was never spoken to.
pub(super) fn not_reached() -> McpCardReading {
    let why = "The server was not read, so there is nothing to compare a card with.";
    no_card(McpCardState::NotMeasured, why, None)
}

/// A process has no origin that could publish a card.
pub(super) fn of_process() -> McpCardReading {
    no_card(McpCardState::NotMeasured, "A process that runs here has no server card.", None)
}

fn no_card(state: McpCardState, why: &str, place: Option<&Url>) -> McpCardReading {
    McpCardReading {
        state,
        why: Some(why.to_owned()),
        url: place.map(Url::to_string),
        name: None,
        version: None,
        endpoints: Vec::new(),
        capabilities: None,
        tools: None,
    }
}

/// Next to the server, where the current draft has it, and at the two well-known places of earlier ones.
fn places(server: &Url) -> Vec<Url> {
    let beside = format!("{}/server-card", server.path().trim_end_matches('/'));
    let paths = [beside.as_str(), "/.well-known/mcp/server-card.json", "/.well-known/mcp.json"];
    let at = |path: &str| {
        let mut place = server.clone();
        place.set_query(None);
        place.set_fragment(None);
        place.set_path(path);
        place
    };
    paths.into_iter().map(at).collect()
}

/// `None` if the object has not the shape of a card: neither that of the current draft (`name`, `remotes`)
/// nor that of the earlier one (`serverInfo`, `transport`).
fn parse_card(value: &Value, place: &Url) -> Option<McpCardReading> {
    let info = value.get("serverInfo").filter(|info| info.is_object());
    let remotes = value.get("remotes").and_then(Value::as_array);
    let source = info.unwrap_or(value);
    let (name, version) = (short_text(source.get("name")), short_text(source.get("version")));
    if info.is_none() && remotes.is_none() && (name.is_none() || version.is_none()) {
        return None;
    }
    let of_remotes = remotes.into_iter().flatten().filter_map(|remote| remote.get("url"));
    let of_transport = value.get("transport").and_then(|transport| transport.get("endpoint"));
    let endpoints: Vec<String> = of_remotes
        .chain(of_transport)
        .filter_map(|url| short_text(Some(url)))
        // A template is filled in by the client, so it names no single address.
        .filter(|url| !url.contains('{'))
        .filter_map(|url| place.join(&url).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .map(String::from)
        .take(MAX_ENDPOINTS)
        .collect();
    if name.is_none() && endpoints.is_empty() {
        return None;
    }
    let capabilities = value.get("capabilities").and_then(Value::as_object).map(|all| {
        all.iter()
            .filter(|(name, one)| name.len() <= MAX_TEXT_BYTES && !one.is_null())
            .take(MAX_CAPABILITIES)
            .map(|(name, _)| name.clone())
            .collect()
    });
    Some(McpCardReading {
        state: McpCardState::Found,
        why: None,
        url: Some(place.to_string()),
        name,
        version,
        endpoints,
        capabilities,
        tools: listed_tools(value.get("tools")),
    })
}

/// The names of the tools. A list that says that tools are found while talking lists none.
fn listed_tools(tools: Option<&Value>) -> Option<Vec<String>> {
    let tools = tools?.as_array()?;
    if tools.len() > MAX_TOOLS || tools.iter().any(|tool| tool.as_str() == Some("dynamic")) {
        return None;
    }
    let name = |tool: &Value| short_text(tool.get("name").or(Some(tool)));
    Some(tools.iter().filter_map(name).collect())
}

fn short_text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| text.len() <= MAX_TEXT_BYTES).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place() -> Url {
        Url::parse("https://a.lab/.well-known/mcp.json").unwrap()
    }

    #[test]
    fn places_are_on_the_origin_of_the_server() {
        let of = |url: &str| -> Vec<String> {
            places(&Url::parse(url).unwrap()).into_iter().map(String::from).collect()
        };
        assert_eq!(
            of("https://a.lab:8443/v1/mcp/?key=1#x"),
            [
                "https://a.lab:8443/v1/mcp/server-card",
                "https://a.lab:8443/.well-known/mcp/server-card.json",
                "https://a.lab:8443/.well-known/mcp.json",
            ]
        );
        assert_eq!(of("https://a.lab")[0], "https://a.lab/server-card");
    }

    #[test]
    fn both_shapes_are_read() {
        let card = parse_card(
            &json!({"name": "lab.a/bakery", "version": "1.0", "remotes": [
                {"type": "streamable-http", "url": "https://a.lab/mcp"},
                {"type": "streamable-http", "url": "https://{tenant}.a.lab/mcp"},
                {"type": "sse", "url": "javascript:alert(1)"},
            ]}),
            &place(),
        )
        .unwrap();
        assert_eq!(
            (card.name.as_deref(), card.version.as_deref()),
            (Some("lab.a/bakery"), Some("1.0"))
        );
        assert_eq!(card.endpoints, ["https://a.lab/mcp"]);
        assert_eq!((card.tools, card.capabilities), (None, None));
        let card = parse_card(
            &json!({"serverInfo": {"name": "bakery"}, "transport": {"endpoint": "/mcp"},
                "capabilities": {"tools": {}, "prompts": null}, "tools": ["a", {"name": "b"}, 3]}),
            &place(),
        )
        .unwrap();
        assert_eq!(card.endpoints, ["https://a.lab/mcp"]);
        assert_eq!(card.capabilities.unwrap(), ["tools"]);
        assert_eq!(card.tools.unwrap(), ["a", "b"]);
        assert_eq!(listed_tools(Some(&json!(["dynamic"]))), None);
        assert_eq!(listed_tools(Some(&json!("dynamic"))), None);
    }

    #[test]
    fn what_is_no_card_is_not_taken_for_one() {
        for other in [
            json!({}),
            json!({"$schema": "x"}),
            json!({"mcpServers": {}}),
            json!({"name": "an app"}),
            json!({"serverInfo": []}),
            json!({"serverInfo": {"name": 7}}),
            json!({"remotes": [{"url": 1}]}),
            json!({"name": "x".repeat(5000), "version": "1"}),
        ] {
            assert_eq!(parse_card(&other, &place()), None, "{other}");
        }
    }
}
