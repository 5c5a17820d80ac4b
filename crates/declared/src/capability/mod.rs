//! The capabilities (API operations, agent skills, paid URLs) that a site's machine files declare.
//!
//! [`read_capabilities`] returns what one file declares: a name, a URL and the hints from which `judge`
//! derives what a call could do. These are claims: nothing is called or verified. Only for files that
//! passed inspection.

mod agents;
mod catalogs;
mod collector;
mod commerce;
mod fields;
mod model;
mod name_words;
mod oauth;
mod openapi;
#[cfg(test)]
mod tests;

use url::Url;

use crate::files::{FileKind, parse_description, parse_unreported};
use collector::{CapabilityCollector, absolute_url};
use fields::text;

pub use model::{
    Capability, CredentialRequirement, DeclaredCapabilities, EffectHints, MAX_ITEMS, MethodKind,
};
pub use name_words::NameWords;
pub use oauth::oauth_issuers;

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
        FileKind::OpenApi => openapi::operations(&root, &mut found),
        _ => {}
    }
    found.declared
}

/// The URL that an OAuth protected resource metadata file (RFC 9728) is about: everything below it
/// needs a token.
#[must_use]
pub fn protected_resource(body: &[u8]) -> Option<String> {
    let root = parse_unreported(body)?;
    let resource = text(&root, "resource")?;
    absolute_url(None, resource).map(String::from)
}
