//! Who is asking, as far as a user agent tells: the sites that treat AI identities differently do
//! it by these words alone, as most real ones do.

/// What an AI identity reads for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Training,
    Search,
    User,
}

const KNOWN: &[(&str, Purpose)] = &[
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

/// The words by which lab sites recognise an AI identity, in any letter case.
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

/// The purpose of the AI identity that this user agent names, if it names one.
pub(crate) fn purpose(user_agent: &str) -> Option<Purpose> {
    let user_agent = user_agent.to_ascii_lowercase();
    KNOWN
        .iter()
        .find(|(token, _)| user_agent.contains(&token.to_ascii_lowercase()))
        .map(|(_, purpose)| *purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_list_and_the_table_name_the_same_tokens() {
        let table: Vec<&str> = KNOWN.iter().map(|(token, _)| *token).collect();
        assert_eq!(table, AI_TOKENS);
    }

    #[test]
    fn recognises_tokens_inside_browser_like_user_agents() {
        let gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3)";
        assert_eq!(purpose(gptbot), Some(Purpose::Training));
        assert_eq!(purpose("perplexity-user/1.0"), Some(Purpose::User));
        assert_eq!(purpose("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"), None);
        assert_eq!(purpose(""), None);
    }
}
