//! Findings as SARIF 2.1.0, which code hosts and editors read. Nothing is read or judged here: every
//! statement comes from a record.
//!
//! `site` writes the findings of a scan, `mcp` those of an MCP server and the differences of a lock
//! check; `log` has the form of the document.

mod fingerprint;
mod log;
mod mcp;
mod repository_file;
mod site;

pub use fingerprint::{FINGERPRINT, fingerprints, fingerprints_of};
pub use log::SarifLog;
pub use mcp::{mcp_check_log, mcp_log};
pub use repository_file::RepositoryFile;
pub use site::site_log;
