//! The section `registry`: reading what registries say about domains.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use service::RegistrySettings;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RegistryConfig {
    /// Empty: registries are not read.
    pub(crate) bootstrap: String,
    pub(crate) cache_hours: u32,
    /// 0 means no limit.
    pub(crate) reads_per_minute: u32,
}

impl Default for RegistryConfig {
    fn default() -> Self {
        Self {
            bootstrap: RegistrySettings::IANA_BOOTSTRAP.to_owned(),
            cache_hours: contract::limits::REGISTRY_CACHE_HOURS,
            reads_per_minute: contract::limits::REGISTRY_READS_PER_MINUTE,
        }
    }
}

impl RegistryConfig {
    /// Checks what the types cannot express.
    pub(super) fn validate(&self) -> Result<()> {
        let url = url::Url::parse(&self.bootstrap);
        let is_url = url.is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty()
        });
        if !self.bootstrap.is_empty() && !is_url {
            bail!("registry.bootstrap must be an http or https URL, or empty");
        }
        if !(1..=720).contains(&self.cache_hours) {
            bail!("registry.cache_hours must be between 1 and 720");
        }
        Ok(())
    }

    pub(crate) fn settings(&self) -> RegistrySettings {
        RegistrySettings {
            bootstrap: (!self.bootstrap.is_empty()).then(|| self.bootstrap.clone()),
            cache: std::time::Duration::from_secs(u64::from(self.cache_hours) * 3_600),
            reads_per_minute: (self.reads_per_minute > 0).then_some(self.reads_per_minute),
        }
    }
}
