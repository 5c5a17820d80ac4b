//! The section `accuracy`: asking AI engines what they say about businesses.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::EngineEntry;
use super::engine_entry::KeyPlace;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AccuracyConfig {
    pub(crate) calls_per_day: u32,
    pub(crate) tokens_per_day: u64,
    /// Last, because it may become tables.
    pub(crate) engines: Vec<EngineEntry>,
}

impl Default for AccuracyConfig {
    fn default() -> Self {
        Self {
            calls_per_day: contract::limits::ENGINE_CALLS_PER_DAY,
            tokens_per_day: contract::limits::ENGINE_TOKENS_PER_DAY,
            engines: Vec::new(),
        }
    }
}

impl AccuracyConfig {
    /// Checks what the types cannot express.
    pub(super) fn validate(&self) -> Result<()> {
        for (index, entry) in self.engines.iter().enumerate() {
            if self.engines.iter().take(index).any(|earlier| earlier.name == entry.name) {
                bail!("accuracy.engines: there are two engines with the name {}", entry.name);
            }
        }
        Ok(())
    }

    /// Whether an environment variable has the key of an engine.
    pub(super) fn names_variable(&self, name: &str) -> bool {
        let is_named =
            |key: &KeyPlace| matches!(key, KeyPlace::Variable(variable) if variable == name);
        self.engines.iter().any(|entry| is_named(&entry.key))
    }
}
