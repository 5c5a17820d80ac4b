//! Recognises AI identities by their user agent. Sites that treat AI identities differently use
//! only these tokens, as most real sites do.

/// The purpose of an AI identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Training,
    Search,
    User,
}

const AI_TOKEN_PURPOSES: &[(&str, Purpose)] = &[
    ("GPTBot", Purpose::Training),
    ("ClaudeBot", Purpose::Training),
    ("CCBot", Purpose::Training),
    ("Bytespider", Purpose::Training),
    ("Google-Extended", Purpose::Training),
    ("meta-externalagent", Purpose::Training),
    ("Amazonbot", Purpose::Training),
    ("Applebot", Purpose::Search),
    ("OAI-SearchBot", Purpose::Search),
    ("Claude-SearchBot", Purpose::Search),
    ("PerplexityBot", Purpose::Search),
    ("ChatGPT-User", Purpose::User),
    ("Claude-User", Purpose::User),
    ("Perplexity-User", Purpose::User),
];

/// The user-agent tokens by which lab sites recognise an AI identity, in any letter case.
pub const AI_TOKENS: &[&str] = &[
    "GPTBot",
    "ClaudeBot",
    "CCBot",
    "Bytespider",
    "Google-Extended",
    "meta-externalagent",
    "Amazonbot",
    "Applebot",
    "OAI-SearchBot",
    "Claude-SearchBot",
    "PerplexityBot",
    "ChatGPT-User",
    "Claude-User",
    "Perplexity-User",
];

/// The purpose of the AI identity that this user agent names; `None` if it names none.
pub(crate) fn ai_purpose(user_agent: &str) -> Option<Purpose> {
    let user_agent = user_agent.to_ascii_lowercase();
    AI_TOKEN_PURPOSES
        .iter()
        .find(|(token, _)| user_agent.contains(&token.to_ascii_lowercase()))
        .map(|(_, purpose)| *purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_list_and_the_table_name_the_same_tokens() {
        let table: Vec<&str> = AI_TOKEN_PURPOSES.iter().map(|(token, _)| *token).collect();
        assert_eq!(table, AI_TOKENS);
    }

    #[test]
    fn recognises_tokens_inside_browser_like_user_agents() {
        let gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3)";
        assert_eq!(ai_purpose(gptbot), Some(Purpose::Training));
        assert_eq!(ai_purpose("perplexity-user/1.0"), Some(Purpose::User));
        assert_eq!(ai_purpose("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"), None);
        assert_eq!(ai_purpose(""), None);
    }
}
