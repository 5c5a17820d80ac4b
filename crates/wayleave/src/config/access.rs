//! The section `access`: who gets more than everybody.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use service::access::plans::Plans;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AccessConfig {
    /// Each as `NAME quota=NUMBER rate=NUMBER private webhooks census`.
    pub(crate) plans: Vec<String>,
    pub(crate) free_scans_v1: bool,
    pub(crate) free_keys: bool,
    pub(crate) refused_mail_domains: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused_mail_domains_file: Option<PathBuf>,
}

impl Default for AccessConfig {
    fn default() -> Self {
        Self {
            plans: Plans::default().iter().map(ToString::to_string).collect(),
            free_scans_v1: false,
            free_keys: false,
            refused_mail_domains: Vec::new(),
            refused_mail_domains_file: None,
        }
    }
}
