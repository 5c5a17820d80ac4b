//! What one file declares, by its kind.

use std::sync::Arc;

use url::Url;

use super::collector::CapabilityCollector;
use super::model::DeclaredCapabilities;
use super::{agents, catalogs, commerce, openapi};
use crate::files::{FileKind, parse_description, parse_unreported};

/// Whether files of this kind declare capabilities.
#[must_use]
pub fn declares_capabilities(kind: FileKind) -> bool {
    match kind {
        FileKind::AgentSkills
        | FileKind::McpServerCard
        | FileKind::ApiCatalog
        | FileKind::AgentCard
        | FileKind::AiCatalog
        | FileKind::Ard
        | FileKind::Ucp
        | FileKind::Acp
        | FileKind::X402
        | FileKind::OpenApi => true,
        FileKind::RobotsTxt
        | FileKind::Sitemap
        | FileKind::LlmsTxt
        | FileKind::LlmsFullTxt
        | FileKind::AgentsMd
        | FileKind::OauthResource
        | FileKind::OauthServer
        | FileKind::SecurityTxt
        | FileKind::BotAuthDirectory
        | FileKind::Tdmrep
        | FileKind::AiTxt => false,
    }
}

/// Reads what a file declares. `url` is the final URL of the file, after redirects.
#[must_use]
pub fn read_capabilities(kind: FileKind, url: &str, body: &[u8]) -> DeclaredCapabilities {
    let mut found = CapabilityCollector {
        base: Url::parse(url).ok(),
        declared: DeclaredCapabilities::default(),
    };
    let parse = match kind {
        FileKind::OpenApi => parse_description,
        _ => parse_unreported,
    };
    let Some(root) = declares_capabilities(kind).then(|| parse(body)).flatten() else {
        return found.declared;
    };
    match kind {
        FileKind::AgentSkills => agents::skills(&root, &mut found),
        FileKind::McpServerCard => agents::mcp_card(&root, &mut found),
        FileKind::AgentCard => agents::agent_card(&root, &mut found),
        FileKind::ApiCatalog => catalogs::api_catalog(&root, &mut found),
        FileKind::AiCatalog | FileKind::Ard => catalogs::ai_catalog(&root, &mut found),
        FileKind::Ucp => commerce::ucp(&root, &mut found),
        FileKind::Acp => commerce::acp(&root, &mut found),
        FileKind::X402 => commerce::x402(&root, &mut found),
        FileKind::OpenApi => openapi::operations(&Arc::new(root), &mut found),
        _ => {}
    }
    found.declared
}
