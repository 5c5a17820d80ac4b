//! Texts for language models: llms.txt and agents.md.

use serde_json::Value;

use super::site_facts::SiteFacts;

pub(super) fn llms_txt(facts: &SiteFacts, openapi: &Value) -> String {
    let url = |path: &str| facts.url(path);
    let mut text = format!(
        "# {}\n\n> Ask before you act on a website: what it declares and what was observed there, with a decision for \
         each action, signed and logged.\n\n\
         One request is enough: `GET {}?domain=example.com`. Everything that was not measured is called \
         `not_measured`.\n\n## Start here\n\n",
        title(facts),
        url("/api/v1/resolve")
    );
    for (name, path, note) in [
        ("For agents", "/agents.md", "what an agent can do here, and how often"),
        ("Documentation", "/docs", "every operation with examples"),
        ("OpenAPI document", "/openapi.json", "the same for programs"),
        ("How sites are scored", "/method", "every point of a scan"),
        ("Known agents", "/agents", "the agents that visitors are compared with"),
        ("Core contract", "/api/v1/core", "what stays stable, and for how long"),
    ] {
        text.push_str(&format!("- [{name}]({}): {note}\n", url(path)));
    }
    text.push_str("\n## Operations\n\n");
    for (summary, path) in read_operations(openapi) {
        text.push_str(&format!("- [{summary}]({})\n", url(&path)));
    }
    text.push_str("\n## Optional\n\n");
    for (name, path, note) in [
        ("Keys", "/.well-known/http-message-signatures-directory", "the keys that sign answers"),
        ("Verifier", "/crawlcheck-verify.mjs", "checks an answer without asking us"),
        ("Transparency log", "/log", "every answer, in order"),
    ] {
        text.push_str(&format!("- [{name}]({}): {note}\n", url(path)));
    }
    text
}

/// Operations that only read and need no part of a path, with their summaries.
fn read_operations(openapi: &Value) -> Vec<(String, String)> {
    let paths = openapi.get("paths").and_then(Value::as_object).into_iter().flatten();
    paths
        .filter(|(path, _)| path.starts_with("/api/v1/") && !path.contains('{'))
        .filter_map(|(path, item)| {
            let summary = item.get("get")?.get("summary")?.as_str()?;
            Some((summary.to_owned(), path.clone()))
        })
        .collect()
}

pub(super) fn agents_md(facts: &SiteFacts) -> String {
    let base = &facts.issuer.base_url;
    let mut text = format!(
        "# {}: for agents\n\n\
         This service says whether an agent is welcome at a website, and for what. Nothing here costs money or \
         needs an account.\n\n\
         ## Before you act on a site\n\n\
         - Ask `POST {base}/api/v1/preflight` with `{{\"domain\": \"example.com\", \"action\": \"read\"}}`. The \
         answer has a `decision`: `allow`, `warn`, `require_confirmation` or `block`, with reasons.\n\
         - Ask `GET {base}/api/v1/resolve?domain=example.com` for everything that is known about a site.\n\
         - Before you connect to an MCP server, ask `GET {base}/api/v1/mcp/scan?url=…`.\n\n\
         ## As an MCP server\n\n\
         The same answers are tools of the MCP server at `{base}/mcp` (Streamable HTTP).\n\n\
         ## Afterwards\n\n\
         Tell what happened with `POST {base}/api/v1/outcome`: it is counted, and nothing personal is kept.\n\n\
         ## How often\n\n\
         Responses have `RateLimit` headers. After a 429, wait as long as `Retry-After` says. Answers stay valid \
         until their `valid_until`: keep them instead of asking again.\n\n\
         ## What you can check\n\n\
         Answers are signed (Ed25519 over canonical JSON). The keys are at \
         `{base}/.well-known/http-message-signatures-directory`.\n",
        title(facts)
    );
    if let Some(contact) = &facts.contact {
        text.push_str(&format!("\n## Questions\n\n{contact}\n"));
    }
    text
}

fn title(facts: &SiteFacts) -> String {
    match &facts.operator {
        Some(operator) => format!("Wayleave of {}", one_line(operator)),
        None => "Wayleave".to_owned(),
    }
}

/// The operator's name comes from the configuration: it must not add lines or headings.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
