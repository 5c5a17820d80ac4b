//! The files an agent may look for at a site, each held against its own standard.
//!
//! [`inspect`] never fails: what is wrong becomes a [`Fault`] that says where, why and how to mend
//! it. Nothing is fetched; addresses found inside are handed out unvetted.

mod acp;
mod address;
mod agent_card;
mod ai_catalog;
mod api_catalog;
mod bot_auth;
mod generator;
mod http;
mod json;
mod jwk;
mod kind;
mod markdown;
mod mcp_card;
mod node;
mod oauth;
mod openapi;
mod plain;
mod prose;
mod report;
mod security_txt;
mod sitemap;
mod skills;
#[cfg(test)]
mod tests;
mod text;
mod ucp;
mod when;
mod x402;

use std::collections::BTreeMap;

pub(crate) use json::quietly;
pub use kind::{Applies, Kind, PLACES, Place};
pub use markdown::{Markdown, markdown_negotiation};

use crate::fault::Fault;
use report::Report;

/// A file as it was received.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    pub asked_url: &'a str,
    pub final_url: &'a str,
    pub redirects: usize,
    pub status: u16,
    /// Names in lower case.
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
    /// Whether the body did not come to its end.
    pub cut: bool,
    /// When it was read, in seconds since 1970.
    pub read_at_s: i64,
}

/// What a file holds and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub kind: Kind,
    /// Whether nothing spoils the whole. Where a fault `not_read_whole` is among the faults, false
    /// means only that this could not be told.
    pub usable: bool,
    /// Which version or shape, told by what is there: `A2A 1.0`, `urlset`.
    pub version: Option<String>,
    /// Which platform or plug-in seems to have made it; presence is then no decision of the owner's.
    pub generator: Option<String>,
    /// One line of what it holds, in our words.
    pub summary: String,
    pub counts: BTreeMap<&'static str, u64>,
    /// Addresses it declares, unvetted, at most [`MAX_ADDRESSES`].
    pub addresses: Vec<String>,
    pub faults: Vec<Fault>,
}

/// How many addresses are handed out of one file.
pub const MAX_ADDRESSES: usize = 100;

/// Holds a file against its standard. For answers of 2xx whose body is not a page for what is missing.
#[must_use]
pub fn inspect(kind: Kind, served: &Served<'_>) -> Inspection {
    let mut report = Report::new(kind, served);
    let summary = match kind {
        Kind::RobotsTxt => plain::robots(&mut report),
        Kind::AiTxt => plain::ai_txt(&mut report),
        Kind::Tdmrep => plain::tdmrep(&mut report),
        Kind::Sitemap => sitemap::check(&mut report),
        Kind::LlmsTxt => prose::llms(&mut report),
        Kind::LlmsFullTxt => prose::llms_full(&mut report),
        Kind::AgentsMd => prose::agents_md(&mut report),
        Kind::AgentSkills => skills::check(&mut report),
        Kind::McpServerCard => mcp_card::check(&mut report),
        Kind::ApiCatalog => api_catalog::check(&mut report),
        Kind::AgentCard => agent_card::check(&mut report),
        Kind::AiCatalog => ai_catalog::check(&mut report, false),
        Kind::Ard => ai_catalog::check(&mut report, true),
        Kind::Ucp => ucp::check(&mut report),
        Kind::Acp => acp::check(&mut report),
        Kind::X402 => x402::check(&mut report),
        Kind::OauthResource => oauth::resource(&mut report),
        Kind::OauthServer => oauth::server(&mut report),
        Kind::OpenApi => openapi::check(&mut report),
        Kind::SecurityTxt => security_txt::check(&mut report),
        Kind::BotAuthDirectory => bot_auth::check(&mut report),
    };
    report.finish(summary)
}
