//! The MCP server card: which MCP server there is and where.

use super::http::Media;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use super::{json, when};
use crate::fault::Weight;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

const MEDIA: Media = Media {
    right: &["application/mcp-server-card+json"],
    tolerated: &["application/json"],
    otherwise: Weight::Warning,
};

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &MEDIA)?;
    let root = Node::root(&value);
    report.must_be_https();
    report.note_cors();
    if root.has("serverInfo") {
        return Some(sep_1649(report, &root));
    }
    if root.has("$schema") || root.has("remotes") || (root.has("name") && root.has("version")) {
        return Some(sep_2127(report, &root));
    }
    report.spoil(
        "unknown_shape",
        "",
        "The file has the members of no known kind of server card.",
        format!("Write at least: {{\"$schema\": \"{SCHEMA}\", \"name\": \"site.your/server\", \"version\": \"1.0.0\", \"description\": \"…\", \"remotes\": [{{\"type\": \"streamable-http\", \"url\": \"https://your.site/mcp\"}}]}}"),
    );
    None
}

fn sep_2127(report: &mut Report<'_>, root: &Node<'_>) -> String {
    report.version = Some("SEP-2127".into());
    let schema_fix = format!("Write exactly: \"$schema\": \"{SCHEMA}\"");
    if let Some(schema) = report.text(root, "$schema", Need::Vital, &schema_fix)
        && schema != SCHEMA
    {
        report.spoil(
            "unknown_schema",
            "/$schema",
            format!(
                "{} is not the schema of a server card; readers refuse the file.",
                quoted(schema)
            ),
            schema_fix,
        );
    }
    let fix = "Use your domain backwards, a slash and a name: \"name\": \"site.your/orders\".";
    if let Some(name) = report.text(root, "name", Need::Vital, fix)
        && !is_name(name)
    {
        report.error(
            "bad_name",
            "/name",
            format!(
                "{} is not a name the format allows (3 to 200 characters, one slash).",
                quoted(name)
            ),
            fix,
        );
    }
    let fix = "Write one exact version: \"version\": \"1.4.0\".";
    if let Some(version) = report.text(root, "version", Need::Vital, fix)
        && (version.chars().nth(255).is_some() || is_range(version))
    {
        report.error(
            "bad_version",
            "/version",
            format!("{} is not one exact version.", quoted(version)),
            fix,
        );
    }
    let fix = "Say in 1 to 100 characters what the server does.";
    if let Some(text) = report.text(root, "description", Need::Vital, fix)
        && text.chars().nth(100).is_some()
    {
        report.error(
            "long_value",
            "/description",
            "The description is longer than 100 characters.",
            fix,
        );
    }
    report.text(root, "title", Need::May, "Write the title as text.");
    report.url(root, "websiteUrl", Need::May, "Write the full address of the website.");
    for name in ["tools", "resources", "prompts"] {
        if root.has(name) {
            report.warn(
                "lists_primitives",
                root.path(name),
                format!("The card lists {name}, which the format has no place for; clients ask the live server and ignore this."),
                "Take the list out; it goes stale.",
            );
        }
    }
    let fix = "Add where the server answers: \"remotes\": [{\"type\": \"streamable-http\", \"url\": \"https://your.site/mcp\"}]";
    let remotes = report.list(root, "remotes", Need::Should, fix);
    let mut count = 0;
    for remote in remotes.iter().flat_map(Node::items) {
        count += 1;
        one_remote(report, &remote);
    }
    report.count("remotes", count);
    report.note(
        "not_the_place_to_be_found",
        "",
        "The current text lets clients find server cards through a catalog or beside the server's own address, not at this path.",
        "Keep the file, and also list the card in /.well-known/ai-catalog.json with type application/mcp-server-card+json.",
    );
    format!("An MCP server with {}.", counted(count, "remote address", "remote addresses"))
}

fn one_remote(report: &mut Report<'_>, remote: &Node<'_>) {
    let fix = "Write \"type\": \"streamable-http\" (or \"sse\" for old servers) and \"url\".";
    if let Some(kind) = report.text(remote, "type", Need::Must, fix)
        && !matches!(kind, "streamable-http" | "sse")
    {
        report.error(
            "unknown_transport",
            remote.path("type"),
            format!("{} is not a transport of the format.", quoted(kind)),
            fix,
        );
    }
    if let Some(url) = report.text(remote, "url", Need::Must, fix) {
        // A template is filled in by the client and cannot be looked at before.
        if !url.contains('{') {
            report.absolute(&remote.path("url"), url);
        }
    }
    let fix = "List the days that name the versions: [\"2026-07-28\", \"2025-11-25\"].";
    for version in
        report.texts(remote, "supportedProtocolVersions", Need::May, fix).unwrap_or_default()
    {
        if !when::is_day(version) {
            report.warn(
                "bad_protocol_version",
                remote.path("supportedProtocolVersions"),
                format!("{} is not a version of MCP; they are named by days.", quoted(version)),
                fix,
            );
        }
    }
}

fn sep_1649(report: &mut Report<'_>, root: &Node<'_>) -> String {
    report.version = Some("SEP-1649".into());
    report.warn(
        "old_shape",
        "/serverInfo",
        "This is the shape of an older proposal (SEP-1649) that was replaced; current clients do not read it.",
        format!("Write \"$schema\": \"{SCHEMA}\", name, version, description and remotes at the top level."),
    );
    let info_fix = "Give serverInfo a name and a version.";
    if let Some(info) = report.object(root, "serverInfo", Need::Vital, info_fix) {
        report.text(&info, "name", Need::Must, info_fix);
        report.text(&info, "version", Need::Must, info_fix);
    }
    let fix = "Name the version of MCP by its day: \"protocolVersion\": \"2025-11-25\".";
    if let Some(version) = report.text(root, "protocolVersion", Need::Should, fix)
        && !when::is_day(version)
    {
        report.warn(
            "bad_protocol_version",
            "/protocolVersion",
            format!("{} is not a version of MCP; they are named by days.", quoted(version)),
            fix,
        );
    }
    let fix = "Say where the server answers: \"transport\": {\"type\": \"streamable-http\", \"endpoint\": \"https://your.site/mcp\"}";
    if let Some(transport) = report.object(root, "transport", Need::Should, fix) {
        report.text(&transport, "type", Need::Must, fix);
        if let Some(endpoint) = report.text(&transport, "endpoint", Need::Must, fix) {
            report.reference(&transport.path("endpoint"), endpoint);
        }
    }
    let tools = root.member("tools").map_or(0, |tools| tools.len());
    report.count("tools", tools);
    format!("An MCP server in the older shape, {} listed.", counted(tools, "tool", "tools"))
}

/// Reverse DNS, one slash, a name.
fn is_name(name: &str) -> bool {
    let namespace = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    (3..=200).contains(&name.len())
        && name.split_once('/').is_some_and(|(space, own)| {
            !space.is_empty()
                && !own.is_empty()
                && space.bytes().all(namespace)
                && own.bytes().all(|b| namespace(b) || b == b'_')
        })
}

/// A range or a moving name instead of one version.
fn is_range(version: &str) -> bool {
    version == "latest"
        || version.contains(['^', '~', '<', '>', '=', '*', '|', ' '])
        || version.split('.').any(|part| part.eq_ignore_ascii_case("x"))
}
