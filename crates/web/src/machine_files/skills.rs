//! The Agent Skills index, and the one skill that it lists.

use serde_json::json;

use super::site_facts::SiteFacts;

pub(super) const SKILL_PATH: &str = "/.well-known/agent-skills/ask-before-acting/SKILL.md";
const SKILL_NAME: &str = "ask-before-acting";
const DESCRIPTION: &str = "Ask whether an agent may act on a website, and keep to the answer. Use it before reading, \
                           citing, connecting to or buying from a site that you have not asked about today.";

pub(super) fn index(facts: &SiteFacts, skill: &str) -> String {
    json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": SKILL_NAME,
            "type": "skill-md",
            "description": DESCRIPTION,
            "url": facts.url(SKILL_PATH),
            "digest": format!("sha256:{}", proof::sha256(skill.as_bytes())),
        }],
    })
    .to_string()
}

pub(super) fn skill_md(facts: &SiteFacts) -> String {
    let base = &facts.issuer.base_url;
    format!(
        "---\nname: {SKILL_NAME}\ndescription: {DESCRIPTION}\n---\n\n# Ask before acting\n\n\
         1. Send `POST {base}/api/v1/preflight` with the domain or URL and one action: `read`, `cite`, `connect`, \
         `transact` or `administer`.\n\
         2. `allow` and `warn`: act, and show the person the reasons of a `warn`. `require_confirmation`: ask the \
         person first. `block`: do not act, and tell the person why.\n\
         3. Keep the answer until its `valid_until`. To prove later that you asked, store it as it came: it is \
         signed.\n\
         4. Afterwards, tell what happened with `POST {base}/api/v1/outcome`.\n"
    )
}
