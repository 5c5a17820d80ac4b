//! Which files an agent may look for, and at which path.

/// A path at which an agent may look for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLocation {
    pub path: &'static str,
    pub kind: FileKind,
    /// Whether it is one of the eight paths that the interface lists.
    pub in_interface: bool,
    pub applies: Applicability,
}

/// For which sites a missing file is worth reporting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// Worth having for any site.
    Everyone,
    /// Only for sites that offer the feature; if the file is absent, it does not apply.
    WhereOffered,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
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

/// The eight paths of the interface in its order, then the others.
pub const FILE_LOCATIONS: &[FileLocation] = &[
    interface_file("/robots.txt", FileKind::RobotsTxt, Applicability::Everyone),
    interface_file("/sitemap.xml", FileKind::Sitemap, Applicability::Everyone),
    interface_file("/llms.txt", FileKind::LlmsTxt, Applicability::Everyone),
    interface_file("/agents.md", FileKind::AgentsMd, Applicability::WhereOffered),
    interface_file(
        "/.well-known/agent-skills/index.json",
        FileKind::AgentSkills,
        Applicability::WhereOffered,
    ),
    interface_file(
        "/.well-known/mcp/server-card.json",
        FileKind::McpServerCard,
        Applicability::WhereOffered,
    ),
    interface_file("/.well-known/api-catalog", FileKind::ApiCatalog, Applicability::WhereOffered),
    interface_file(
        "/.well-known/agent-card.json",
        FileKind::AgentCard,
        Applicability::WhereOffered,
    ),
    other_file("/llms-full.txt", FileKind::LlmsFullTxt, Applicability::WhereOffered),
    other_file("/.well-known/ai-catalog.json", FileKind::AiCatalog, Applicability::WhereOffered),
    other_file("/.well-known/ard.json", FileKind::Ard, Applicability::WhereOffered),
    other_file("/.well-known/ucp", FileKind::Ucp, Applicability::WhereOffered),
    other_file("/.well-known/acp.json", FileKind::Acp, Applicability::WhereOffered),
    other_file("/.well-known/x402", FileKind::X402, Applicability::WhereOffered),
    other_file(
        "/.well-known/oauth-protected-resource",
        FileKind::OauthResource,
        Applicability::WhereOffered,
    ),
    other_file(
        "/.well-known/oauth-authorization-server",
        FileKind::OauthServer,
        Applicability::WhereOffered,
    ),
    other_file("/openapi.json", FileKind::OpenApi, Applicability::WhereOffered),
    other_file("/openapi.yaml", FileKind::OpenApi, Applicability::WhereOffered),
    other_file("/swagger.json", FileKind::OpenApi, Applicability::WhereOffered),
    other_file("/api/openapi.json", FileKind::OpenApi, Applicability::WhereOffered),
    other_file("/.well-known/security.txt", FileKind::SecurityTxt, Applicability::Everyone),
    other_file(
        "/.well-known/http-message-signatures-directory",
        FileKind::BotAuthDirectory,
        Applicability::WhereOffered,
    ),
    other_file("/.well-known/tdmrep.json", FileKind::Tdmrep, Applicability::WhereOffered),
    other_file("/ai.txt", FileKind::AiTxt, Applicability::WhereOffered),
];

const fn interface_file(
    path: &'static str,
    kind: FileKind,
    applies: Applicability,
) -> FileLocation {
    FileLocation { path, kind, in_interface: true, applies }
}

const fn other_file(path: &'static str, kind: FileKind, applies: Applicability) -> FileLocation {
    FileLocation { path, kind, in_interface: false, applies }
}

impl FileKind {
    /// The stable code of the kind.
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

    /// The name for people.
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

    /// Whether the standard forbids readers to follow redirects, so that the file counts only at its own
    /// address.
    #[must_use]
    pub fn forbids_redirects(self) -> bool {
        matches!(self, Self::Ucp | Self::BotAuthDirectory)
    }

    /// The standard or convention that defines the format.
    #[must_use]
    pub fn standard(self) -> &'static str {
        match self {
            Self::RobotsTxt => "RFC 9309",
            Self::Sitemap => "sitemaps.org protocol 0.9",
            Self::LlmsTxt => "llmstxt.org (a convention)",
            Self::LlmsFullTxt => "no standard (a convention related to llms.txt)",
            Self::AgentsMd => "no standard for websites (a convention that began with shops)",
            Self::AgentSkills => "Agent Skills discovery draft 0.2.0",
            Self::McpServerCard => "MCP Server Card draft (SEP-2127)",
            Self::ApiCatalog => "RFC 9727 and RFC 9264",
            Self::AgentCard => "A2A protocol specification",
            Self::AiCatalog => "AI Catalog draft 1.0",
            Self::Ard => "Agentic Resource Discovery draft",
            Self::Ucp => "Universal Commerce Protocol",
            Self::Acp => "Agentic Commerce Protocol",
            Self::X402 => "no standard for this path (a convention of x402 indexes)",
            Self::OauthResource => "RFC 9728",
            Self::OauthServer => "RFC 8414",
            Self::OpenApi => "OpenAPI Specification",
            Self::SecurityTxt => "RFC 9116",
            Self::BotAuthDirectory => "HTTP Message Signatures directory draft (Web Bot Auth)",
            Self::Tdmrep => "TDM Reservation Protocol (W3C Community Group report)",
            Self::AiTxt => "ai.txt (a convention by Spawning)",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_place_is_named_once_and_the_eight_come_first() {
        let paths: BTreeSet<&str> = FILE_LOCATIONS.iter().map(|place| place.path).collect();
        let words: BTreeSet<&str> =
            FILE_LOCATIONS.iter().map(|place| place.kind.as_str()).collect();
        assert_eq!((paths.len(), words.len()), (24, 21));
        assert!(FILE_LOCATIONS.iter().take(8).all(|place| place.in_interface));
        assert!(FILE_LOCATIONS.iter().skip(8).all(|place| !place.in_interface));
        assert!(FILE_LOCATIONS.iter().all(|place| place.path.starts_with('/')));
        let first: Vec<FileKind> = FILE_LOCATIONS.iter().take(8).map(|place| place.kind).collect();
        assert_eq!(
            first,
            [
                FileKind::RobotsTxt,
                FileKind::Sitemap,
                FileKind::LlmsTxt,
                FileKind::AgentsMd,
                FileKind::AgentSkills,
                FileKind::McpServerCard,
                FileKind::ApiCatalog,
                FileKind::AgentCard
            ]
        );
    }

    #[test]
    fn words_are_snake_case() {
        for place in FILE_LOCATIONS {
            let word = place.kind.as_str();
            assert!(
                word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            );
            assert!(!place.kind.title().is_empty() && !place.kind.standard().is_empty());
        }
    }
}
