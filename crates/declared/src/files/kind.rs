//! Which files an agent may look for, and where.

/// One place where an agent may look for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub path: &'static str,
    pub kind: Kind,
    /// Whether it is one of the eight paths the interface names.
    pub eight: bool,
    pub applies: Applies,
}

/// Whose absence is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// Worth having for any site.
    Everyone,
    /// Only for sites that offer this; where it is absent it does not apply.
    Some,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    RobotsTxt,
    Sitemap,
    LlmsTxt,
    LlmsFullTxt,
    AgentsMd,
    AgentSkills,
    McpServerCard,
    ApiCatalog,
    AgentCard,
    AiCatalog,
    Ard,
    Ucp,
    Acp,
    X402,
    OauthResource,
    OauthServer,
    OpenApi,
    SecurityTxt,
    BotAuthDirectory,
    Tdmrep,
    AiTxt,
}

/// The eight of the interface in its order, then the others.
pub const PLACES: &[Place] = &[
    eight("/robots.txt", Kind::RobotsTxt, Applies::Everyone),
    eight("/sitemap.xml", Kind::Sitemap, Applies::Everyone),
    eight("/llms.txt", Kind::LlmsTxt, Applies::Everyone),
    eight("/agents.md", Kind::AgentsMd, Applies::Some),
    eight("/.well-known/agent-skills/index.json", Kind::AgentSkills, Applies::Some),
    eight("/.well-known/mcp/server-card.json", Kind::McpServerCard, Applies::Some),
    eight("/.well-known/api-catalog", Kind::ApiCatalog, Applies::Some),
    eight("/.well-known/agent-card.json", Kind::AgentCard, Applies::Some),
    other("/llms-full.txt", Kind::LlmsFullTxt, Applies::Some),
    other("/.well-known/ai-catalog.json", Kind::AiCatalog, Applies::Some),
    other("/.well-known/ard.json", Kind::Ard, Applies::Some),
    other("/.well-known/ucp", Kind::Ucp, Applies::Some),
    other("/.well-known/acp.json", Kind::Acp, Applies::Some),
    other("/.well-known/x402", Kind::X402, Applies::Some),
    other("/.well-known/oauth-protected-resource", Kind::OauthResource, Applies::Some),
    other("/.well-known/oauth-authorization-server", Kind::OauthServer, Applies::Some),
    other("/openapi.json", Kind::OpenApi, Applies::Some),
    other("/.well-known/security.txt", Kind::SecurityTxt, Applies::Everyone),
    other("/.well-known/http-message-signatures-directory", Kind::BotAuthDirectory, Applies::Some),
    other("/.well-known/tdmrep.json", Kind::Tdmrep, Applies::Some),
    other("/ai.txt", Kind::AiTxt, Applies::Some),
];

const fn eight(path: &'static str, kind: Kind, applies: Applies) -> Place {
    Place { path, kind, eight: true, applies }
}

const fn other(path: &'static str, kind: Kind, applies: Applies) -> Place {
    Place { path, kind, eight: false, applies }
}

impl Kind {
    /// The stable word for machines.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots_txt",
            Self::Sitemap => "sitemap",
            Self::LlmsTxt => "llms_txt",
            Self::LlmsFullTxt => "llms_full_txt",
            Self::AgentsMd => "agents_md",
            Self::AgentSkills => "agent_skills",
            Self::McpServerCard => "mcp_server_card",
            Self::ApiCatalog => "api_catalog",
            Self::AgentCard => "agent_card",
            Self::AiCatalog => "ai_catalog",
            Self::Ard => "ard",
            Self::Ucp => "ucp",
            Self::Acp => "acp",
            Self::X402 => "x402",
            Self::OauthResource => "oauth_resource",
            Self::OauthServer => "oauth_server",
            Self::OpenApi => "open_api",
            Self::SecurityTxt => "security_txt",
            Self::BotAuthDirectory => "bot_auth_directory",
            Self::Tdmrep => "tdmrep",
            Self::AiTxt => "ai_txt",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots.txt",
            Self::Sitemap => "Sitemap",
            Self::LlmsTxt => "llms.txt",
            Self::LlmsFullTxt => "llms-full.txt",
            Self::AgentsMd => "agents.md",
            Self::AgentSkills => "Agent Skills index",
            Self::McpServerCard => "MCP server card",
            Self::ApiCatalog => "API catalog",
            Self::AgentCard => "A2A agent card",
            Self::AiCatalog => "AI catalog",
            Self::Ard => "ARD catalog",
            Self::Ucp => "UCP profile",
            Self::Acp => "ACP discovery document",
            Self::X402 => "x402 discovery document",
            Self::OauthResource => "OAuth protected resource metadata",
            Self::OauthServer => "OAuth authorization server metadata",
            Self::OpenApi => "OpenAPI description",
            Self::SecurityTxt => "security.txt",
            Self::BotAuthDirectory => "Web Bot Auth key directory",
            Self::Tdmrep => "TDMRep file",
            Self::AiTxt => "ai.txt",
        }
    }

    /// Which text says how it must look.
    #[must_use]
    pub fn standard(self) -> &'static str {
        match self {
            Self::RobotsTxt => "RFC 9309",
            Self::Sitemap => "sitemaps.org protocol 0.9",
            Self::LlmsTxt => "llmstxt.org (a convention)",
            Self::LlmsFullTxt => "no standard: a habit that grew beside llms.txt",
            Self::AgentsMd => "no standard for websites: a habit that began with shops",
            Self::AgentSkills => "Agent Skills discovery draft 0.2.0",
            Self::McpServerCard => "MCP Server Card draft (SEP-2127)",
            Self::ApiCatalog => "RFC 9727 and RFC 9264",
            Self::AgentCard => "A2A protocol specification",
            Self::AiCatalog => "AI Catalog draft 1.0",
            Self::Ard => "Agentic Resource Discovery draft",
            Self::Ucp => "Universal Commerce Protocol",
            Self::Acp => "Agentic Commerce Protocol",
            Self::X402 => "no standard for this path: a habit of x402 indexes",
            Self::OauthResource => "RFC 9728",
            Self::OauthServer => "RFC 8414",
            Self::OpenApi => "OpenAPI Specification",
            Self::SecurityTxt => "RFC 9116",
            Self::BotAuthDirectory => "HTTP Message Signatures directory draft (Web Bot Auth)",
            Self::Tdmrep => "TDM Reservation Protocol (W3C Community Group report)",
            Self::AiTxt => "ai.txt (a convention of Spawning)",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_place_is_named_once_and_the_eight_come_first() {
        let paths: BTreeSet<&str> = PLACES.iter().map(|place| place.path).collect();
        let words: BTreeSet<&str> = PLACES.iter().map(|place| place.kind.as_str()).collect();
        assert_eq!((paths.len(), words.len()), (21, 21));
        assert!(PLACES.iter().take(8).all(|place| place.eight));
        assert!(PLACES.iter().skip(8).all(|place| !place.eight));
        assert!(PLACES.iter().all(|place| place.path.starts_with('/')));
        let first: Vec<Kind> = PLACES.iter().take(8).map(|place| place.kind).collect();
        assert_eq!(
            first,
            [
                Kind::RobotsTxt,
                Kind::Sitemap,
                Kind::LlmsTxt,
                Kind::AgentsMd,
                Kind::AgentSkills,
                Kind::McpServerCard,
                Kind::ApiCatalog,
                Kind::AgentCard
            ]
        );
    }

    #[test]
    fn words_are_snake_case() {
        for place in PLACES {
            let word = place.kind.as_str();
            assert!(
                word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            );
            assert!(!place.kind.title().is_empty() && !place.kind.standard().is_empty());
        }
    }
}
