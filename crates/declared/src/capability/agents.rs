//! Skills of agents and of skill indexes, and MCP servers.

use serde_json::Value;

use super::{Credential, Found, Signs, Words, items, members, security, text, texts};

/// An A2A card: every skill, at the first address of the agent. Nothing in a card says what a skill
/// does to the world.
pub(super) fn agent_card(root: &Value, found: &mut Found) {
    let interface = items(root, "supportedInterfaces").find_map(|one| text(one, "url"));
    let endpoint = found.address(interface.or_else(|| text(root, "url")));
    for skill in items(root, "skills") {
        let Some(name) = text(skill, "name").or_else(|| text(skill, "id")) else { continue };
        let asked = ["securityRequirements", "security"];
        let (credential, scopes) = asked
            .iter()
            .find_map(|name| skill.get(*name))
            .or_else(|| asked.iter().find_map(|name| root.get(*name)))
            .map(security)
            .unwrap_or_default();
        let signs = Signs {
            credential,
            scopes,
            words: Words::of(
                text(skill, "id").into_iter().chain([name]).chain(texts(skill, "tags")),
            ),
            ..Signs::default()
        };
        if !found.add(name, endpoint.clone(), signs) {
            break;
        }
    }
}

/// An Agent Skills index: texts for an agent to load and follow.
pub(super) fn skills(root: &Value, found: &mut Found) {
    for skill in items(root, "skills") {
        let Some(name) = text(skill, "name") else { continue };
        let endpoint = found.address(text(skill, "url"));
        let signs = Signs { words: Words::of([name]), ..Signs::default() };
        if !found.add(name, endpoint, signs) {
            break;
        }
    }
}

/// An MCP server card: the tools where the older shape lists them, else the server at each address.
pub(super) fn mcp_card(root: &Value, found: &mut Found) {
    let info = root.get("serverInfo").unwrap_or(root);
    let server = text(info, "name").or_else(|| text(info, "title")).unwrap_or("MCP server");
    let transport = root.get("transport").and_then(|transport| text(transport, "endpoint"));
    let mut tools = 0_usize;
    for tool in items(root, "tools") {
        let Some(name) = text(tool, "name").or_else(|| tool.as_str()) else { continue };
        tools += 1;
        let hint = |word: &str| tool.get("annotations")?.get(word)?.as_bool();
        let read_only = hint("readOnlyHint");
        let signs = Signs {
            read_only,
            // What changes things is destructive by default, as the protocol has it.
            destructive: hint("destructiveHint").or((read_only == Some(false)).then_some(true)),
            credential: told(root.get("authentication")),
            words: Words::of([name]),
            ..Signs::default()
        };
        if !found.add(name, found.address(transport), signs) {
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
        let credential = if secret { Credential::Needed } else { Credential::Untold };
        let signs = Signs { credential, words: Words::of([server]), ..Signs::default() };
        if !found.add(server, found.address(text(remote, "url")), signs) {
            return;
        }
    }
    if remotes == 0 {
        let credential = told(root.get("authentication"));
        let signs = Signs { credential, words: Words::of([server]), ..Signs::default() };
        found.add(server, found.address(transport), signs);
    }
}

/// The older card's word on credentials: `{"required": true, "schemes": ["bearer"]}`.
fn told(authentication: Option<&Value>) -> Credential {
    let required = authentication.and_then(|said| said.get("required")).and_then(Value::as_bool);
    match required {
        Some(true) => Credential::Needed,
        Some(false) => Credential::NotNeeded,
        None if members(authentication).next().is_some() => Credential::Needed,
        None => Credential::Untold,
    }
}
