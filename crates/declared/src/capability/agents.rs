//! Skills of A2A agents and skill indexes, and MCP servers.

use serde_json::Value;

use super::collector::CapabilityCollector;
use super::effect_hints::{CredentialRequirement, EffectHints};
use super::fields::{items, members, parse_security, text, texts};
use super::name_words::NameWords;

/// An A2A card: every skill, at the first URL of the agent. A card does not say which effects a skill
/// has.
pub(super) fn agent_card(root: &Value, found: &mut CapabilityCollector) {
    let interface = items(root, "supportedInterfaces").find_map(|one| text(one, "url"));
    let endpoint = found.resolve_url(interface.or_else(|| text(root, "url")));
    for skill in items(root, "skills") {
        let Some(name) = text(skill, "name").or_else(|| text(skill, "id")) else { continue };
        let requirement_members = ["securityRequirements", "security"];
        let (credential, scopes) = requirement_members
            .iter()
            .find_map(|name| skill.get(*name))
            .or_else(|| requirement_members.iter().find_map(|name| root.get(*name)))
            .map(parse_security)
            .unwrap_or_default();
        let signs = EffectHints {
            credential,
            scopes,
            words: NameWords::from_texts(
                text(skill, "id").into_iter().chain([name]).chain(texts(skill, "tags")),
            ),
            ..EffectHints::default()
        };
        if !found.add(name, endpoint.clone(), signs) {
            break;
        }
    }
}

/// An Agent Skills index: instructions for an agent to load.
pub(super) fn skills(root: &Value, found: &mut CapabilityCollector) {
    for skill in items(root, "skills") {
        let Some(name) = text(skill, "name") else { continue };
        let endpoint = found.resolve_url(text(skill, "url"));
        let signs = EffectHints { words: NameWords::from_texts([name]), ..EffectHints::default() };
        if !found.add(name, endpoint, signs) {
            break;
        }
    }
}

/// An MCP server card: its tools if the older format lists them, otherwise the server at each URL.
pub(super) fn mcp_card(root: &Value, found: &mut CapabilityCollector) {
    let info = root.get("serverInfo").unwrap_or(root);
    let server = text(info, "name").or_else(|| text(info, "title")).unwrap_or("MCP server");
    let transport = root.get("transport").and_then(|transport| text(transport, "endpoint"));
    let mut tools = 0_usize;
    for tool in items(root, "tools") {
        let Some(name) = text(tool, "name").or_else(|| tool.as_str()) else { continue };
        tools += 1;
        let hint = |word: &str| tool.get("annotations")?.get(word)?.as_bool();
        let read_only = hint("readOnlyHint");
        let signs = EffectHints {
            read_only,
            // The protocol's default: a tool that is not read-only is destructive.
            destructive: hint("destructiveHint").or((read_only == Some(false)).then_some(true)),
            credential: authentication_requirement(root.get("authentication")),
            words: NameWords::from_texts([name]),
            ..EffectHints::default()
        };
        if !found.add(name, found.resolve_url(transport), signs) {
            return;
        }
    }
    if tools > 0 {
        return;
    }
    let mut remotes = 0_usize;
    for remote in items(root, "remotes") {
        remotes += 1;
        let secret = items(remote, "headers").any(|header| {
            ["isRequired", "isSecret"].iter().any(|word| header.get(*word) == Some(&true.into()))
        });
        let credential =
            if secret { CredentialRequirement::Needed } else { CredentialRequirement::Unstated };
        let signs = EffectHints {
            credential,
            words: NameWords::from_texts([server]),
            ..EffectHints::default()
        };
        if !found.add(server, found.resolve_url(text(remote, "url")), signs) {
            return;
        }
    }
    if remotes == 0 {
        let credential = authentication_requirement(root.get("authentication"));
        let signs = EffectHints {
            credential,
            words: NameWords::from_texts([server]),
            ..EffectHints::default()
        };
        found.add(server, found.resolve_url(transport), signs);
    }
}

/// The `authentication` member of older cards: `{"required": true, "schemes": ["bearer"]}`.
fn authentication_requirement(authentication: Option<&Value>) -> CredentialRequirement {
    let required =
        authentication.and_then(|member| member.get("required")).and_then(Value::as_bool);
    match required {
        Some(true) => CredentialRequirement::Needed,
        Some(false) => CredentialRequirement::NotNeeded,
        None if members(authentication).next().is_some() => CredentialRequirement::Needed,
        None => CredentialRequirement::Unstated,
    }
}
