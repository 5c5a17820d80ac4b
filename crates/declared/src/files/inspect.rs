//! Checks a file by its kind.

use super::kind::FileKind;
use super::model::{Inspection, ServedFile};
use super::report::Report;
use super::{
    acp, agent_card, ai_catalog, api_catalog, bot_auth, llms_txt, mcp_card, oauth, openapi,
    policy_files, security_txt, sitemap, skills, ucp, x402,
};

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
