//! The MCP server card: the MCP server of a site and its URL.

use super::http::MediaTypes;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::{json, timestamps};
use crate::fault::Weight;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

const MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/mcp-server-card+json"],
    tolerated: &["application/json"],
    weight_otherwise: Weight::Warning,
};

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MEDIA)?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    report.note_cors();
    if root.has("serverInfo") {
        return Some(check_sep_1649(report, &root));
    }
    if root.has("$schema") || root.has("remotes") || (root.has("name") && root.has("version")) {
        return Some(check_sep_2127(report, &root));
    }
    report.fatal(
        "unknown_shape",
        "",
        "The file does not match any known server card format.",
        format!("Write at least: {{\"$schema\": \"{SCHEMA}\", \"name\": \"site.your/server\", \"version\": \"1.0.0\", \"description\": \"…\", \"remotes\": [{{\"type\": \"streamable-http\", \"url\": \"https://your.site/mcp\"}}]}}"),
    );
    None
}

fn check_sep_2127(report: &mut Report<'_>, root: &JsonNode<'_>) -> String {
    report.version = Some("SEP-2127".into());
    let schema_fix = format!("Write exactly: \"$schema\": \"{SCHEMA}\"");
    if let Some(schema) = report.text(root, "$schema", Requirement::Vital, &schema_fix)
        && schema != SCHEMA
    {
        report.fatal(
            "unknown_schema",
            "/$schema",
            format!(
                "{} is not the schema of a server card. Readers reject the file.",
                quoted(schema)
            ),
            schema_fix,
        );
    }
    let fix =
        "Use your domain in reverse order, a slash and a name: \"name\": \"site.your/orders\".";
    if let Some(name) = report.text(root, "name", Requirement::Vital, fix)
        && !is_name(name)
    {
        report.error(
            "bad_name",
            "/name",
            format!("{} is not a valid name (3 to 200 characters, one slash).", quoted(name)),
            fix,
        );
    }
    let fix = "Write an exact version: \"version\": \"1.4.0\".";
    if let Some(version) = report.text(root, "version", Requirement::Vital, fix)
        && (version.chars().nth(255).is_some() || is_range(version))
    {
        report.error(
            "bad_version",
            "/version",
            format!("{} is not an exact version.", quoted(version)),
            fix,
        );
    }
    let fix = "Describe what the server does in 1 to 100 characters.";
    if let Some(text) = report.text(root, "description", Requirement::Vital, fix)
        && text.chars().nth(100).is_some()
    {
        report.error(
            "long_value",
            "/description",
            "The description is longer than 100 characters.",
            fix,
        );
    }
    report.text(root, "title", Requirement::May, "Write the title as a string.");
    report.url(root, "websiteUrl", Requirement::May, "Write the full URL of the website.");
    for name in ["tools", "resources", "prompts"] {
        if root.has(name) {
            report.warn(
                "lists_primitives",
                root.pointer_to(name),
                format!("The card lists {name}, which the format does not define. Clients ignore the list and ask the server."),
                "Remove the list; it becomes outdated.",
            );
        }
    }
    let fix = "Add the URL of the server: \"remotes\": [{\"type\": \"streamable-http\", \"url\": \"https://your.site/mcp\"}]";
    let remotes = report.list(root, "remotes", Requirement::Should, fix);
    let mut count = 0;
    for remote in remotes.iter().flat_map(JsonNode::items) {
        count += 1;
        check_remote(report, &remote);
    }
    report.set_count("remotes", count);
    report.note(
        "not_the_place_to_be_found",
        "",
        "In the current draft, clients find server cards through a catalog or next to the server's own URL, not at this path.",
        "Keep the file, and also list the card in /.well-known/ai-catalog.json with type application/mcp-server-card+json.",
    );
    format!("An MCP server with {}.", count_with_noun(count, "remote URL", "remote URLs"))
}

fn check_remote(report: &mut Report<'_>, remote: &JsonNode<'_>) {
    let fix = "Write \"type\": \"streamable-http\" (or \"sse\" for old servers) and \"url\".";
    if let Some(kind) = report.text(remote, "type", Requirement::Must, fix)
        && !matches!(kind, "streamable-http" | "sse")
    {
        report.error(
            "unknown_transport",
            remote.pointer_to("type"),
            format!("{} is not a transport that the format defines.", quoted(kind)),
            fix,
        );
    }
    if let Some(url) = report.text(remote, "url", Requirement::Must, fix) {
        // A URL template is filled in by the client, so it cannot be checked here.
        if !url.contains('{') {
            report.check_absolute_url(&remote.pointer_to("url"), url);
        }
    }
    let fix = "List the versions (dates): [\"2026-07-28\", \"2025-11-25\"].";
    for version in
        report.texts(remote, "supportedProtocolVersions", Requirement::May, fix).unwrap_or_default()
    {
        if !timestamps::is_date(version) {
            report.warn(
                "bad_protocol_version",
                remote.pointer_to("supportedProtocolVersions"),
                format!(
                    "{} is not an MCP version. Versions are dates (YYYY-MM-DD).",
                    quoted(version)
                ),
                fix,
            );
        }
    }
}

fn check_sep_1649(report: &mut Report<'_>, root: &JsonNode<'_>) -> String {
    report.version = Some("SEP-1649".into());
    report.warn(
        "old_shape",
        "/serverInfo",
        "The card follows an older proposal (SEP-1649) that was replaced. Current clients do not read it.",
        format!("Write \"$schema\": \"{SCHEMA}\", name, version, description and remotes at the top level."),
    );
    let info_fix = "Give serverInfo a name and a version.";
    if let Some(info) = report.object(root, "serverInfo", Requirement::Vital, info_fix) {
        report.text(&info, "name", Requirement::Must, info_fix);
        report.text(&info, "version", Requirement::Must, info_fix);
    }
    let fix = "Give the MCP version (a date): \"protocolVersion\": \"2025-11-25\".";
    if let Some(version) = report.text(root, "protocolVersion", Requirement::Should, fix)
        && !timestamps::is_date(version)
    {
        report.warn(
            "bad_protocol_version",
            "/protocolVersion",
            format!("{} is not an MCP version. Versions are dates (YYYY-MM-DD).", quoted(version)),
            fix,
        );
    }
    let fix = "Add the URL of the server: \"transport\": {\"type\": \"streamable-http\", \"endpoint\": \"https://your.site/mcp\"}";
    if let Some(transport) = report.object(root, "transport", Requirement::Should, fix) {
        report.text(&transport, "type", Requirement::Must, fix);
        if let Some(endpoint) = report.text(&transport, "endpoint", Requirement::Must, fix) {
            report.check_url_reference(&transport.pointer_to("endpoint"), endpoint);
        }
    }
    let tools = root.member("tools").map_or(0, |tools| tools.len());
    report.set_count("tools", tools);
    format!(
        "An MCP server in the older format, {} listed.",
        count_with_noun(tools, "tool", "tools")
    )
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

/// Whether a version is a range or a tag such as `latest`.
fn is_range(version: &str) -> bool {
    version == "latest"
        || version.contains(['^', '~', '<', '>', '=', '*', '|', ' '])
        || version.split('.').any(|part| part.eq_ignore_ascii_case("x"))
}
