//! Checks the machine-readable files of a site, each against its own standard.
//!
//! [`inspect`] never fails: each problem becomes a [`Fault`](crate::fault::Fault) that says where it is,
//! what is wrong and how to fix it. Nothing is fetched; URLs found in a file are returned unchecked.

mod acp;
mod agent_card;
mod ai_catalog;
mod api_catalog;
mod bot_auth;
mod further_reads;
mod generator;
mod http;
mod inspect;
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
mod yaml;

pub use further_reads::{
    FurtherRead, Purpose, further_reads, protected_header, skill_digests, well_known_url,
};
pub use inspect::inspect;
pub(crate) use json::parse_unreported;
pub use kind::{Applicability, FILE_LOCATIONS, FileKind, FileLocation};
pub use markdown::{MarkdownOffer, check_markdown_negotiation};
pub use model::{Inspection, MAX_ADDRESSES, ServedFile};
pub(crate) use openapi::parse_description;
pub use sitemap::{PageLastmod, page_lastmod};
