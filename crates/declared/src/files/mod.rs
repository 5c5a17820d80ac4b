//! Checks the machine-readable files of a site, each against its own standard.
//!
//! [`inspect`] never fails: each problem becomes a [`Fault`](crate::fault::Fault) that says where it is,
//! what is wrong and how to fix it. Nothing is fetched; URLs found in a file are returned unchecked.

mod acp;
mod agent_card;
mod ai_catalog;
mod api_catalog;
mod bot_auth;
mod generator;
mod http;
mod json;
mod json_text;
mod jwk;
mod kind;
mod llms_txt;
mod markdown;
mod mcp_card;
mod model;
mod node;
mod oauth;
mod openapi;
mod policy_files;
mod report;
mod security_txt;
mod sitemap;
mod skills;
#[cfg(test)]
mod tests;
mod text;
mod timestamps;
mod ucp;
mod urls;
mod x402;

pub(crate) use json::parse_unreported;
pub use kind::{Applicability, FILE_LOCATIONS, FileKind, FileLocation};
pub use markdown::{MarkdownOffer, check_markdown_negotiation};
pub use model::{Inspection, MAX_ADDRESSES, ServedFile};

use report::Report;

/// Checks a file against its standard. Only for 2xx responses that are not a “not found” page.
#[must_use]
pub fn inspect(kind: FileKind, served: &ServedFile<'_>) -> Inspection {
    let mut report = Report::new(kind, served);
    let summary = match kind {
        FileKind::RobotsTxt => policy_files::check_robots_txt(&mut report),
        FileKind::AiTxt => policy_files::check_ai_txt(&mut report),
        FileKind::Tdmrep => policy_files::check_tdmrep(&mut report),
        FileKind::Sitemap => sitemap::check(&mut report),
        FileKind::LlmsTxt => llms_txt::check_llms_txt(&mut report),
        FileKind::LlmsFullTxt => llms_txt::check_llms_full_txt(&mut report),
        FileKind::AgentsMd => llms_txt::check_agents_md(&mut report),
        FileKind::AgentSkills => skills::check(&mut report),
        FileKind::McpServerCard => mcp_card::check(&mut report),
        FileKind::ApiCatalog => api_catalog::check(&mut report),
        FileKind::AgentCard => agent_card::check(&mut report),
        FileKind::AiCatalog => ai_catalog::check(&mut report, false),
        FileKind::Ard => ai_catalog::check(&mut report, true),
        FileKind::Ucp => ucp::check(&mut report),
        FileKind::Acp => acp::check(&mut report),
        FileKind::X402 => x402::check(&mut report),
        FileKind::OauthResource => oauth::check_resource(&mut report),
        FileKind::OauthServer => oauth::check_server(&mut report),
        FileKind::OpenApi => openapi::check(&mut report),
        FileKind::SecurityTxt => security_txt::check(&mut report),
        FileKind::BotAuthDirectory => bot_auth::check(&mut report),
    };
    report.finish(summary)
}
