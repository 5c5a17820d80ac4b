//! Builds the AI engines that the service asks.

use anyhow::{Context, Result, bail};
use door::Policy;
use door::operator::{KeyHeader, Secret, TrustedAuthorities};
use observe::engine::Engine;
use service::AccuracySettings;

use super::small_file::read_text;
use crate::config::{AccuracyConfig, EngineEntry, KeyPlace};

const MAX_KEY_BYTES: u64 = 4_096;
const MAX_PEM_BYTES: u64 = 1 << 20;

/// Reads the keys. The engines trust the authorities of the policy, too.
pub(super) fn accuracy_settings(
    config: &AccuracyConfig,
    policy: &Policy,
) -> Result<AccuracySettings> {
    let engines = config.engines.iter().map(|entry| {
        build_engine(entry, policy).with_context(|| format!("accuracy.engines: {}", entry.name))
    });
    Ok(AccuracySettings {
        engines: engines.collect::<Result<_>>()?,
        calls_per_day: config.calls_per_day,
        tokens_per_day: config.tokens_per_day,
    })
}

fn build_engine(entry: &EngineEntry, policy: &Policy) -> Result<Engine> {
    let mut authorities = policy.extra_ca.clone();
    if let Some(file) = &entry.extra_ca {
        let pem = read_text(file, MAX_PEM_BYTES).context("its authorities")?;
        authorities.extend(door::read_pem(pem.as_bytes()).context("its authorities")?);
    }
    let key_header = match &entry.key_header {
        Some(name) => KeyHeader::named(name).context("key_header cannot be used")?,
        None => KeyHeader::Bearer,
    };
    Ok(Engine {
        name: entry.name.clone(),
        base_url: entry.base_url.trim_end_matches('/').to_owned(),
        model: entry.model.clone(),
        key: read_key(&entry.key)?,
        key_header,
        web_search: entry.web_search,
        authorities: TrustedAuthorities::with_extra(&authorities).context("its authorities")?,
    })
}

/// The key without line breaks at its end. No error repeats it.
fn read_key(place: &KeyPlace) -> Result<Secret> {
    let (text, place) = match place {
        KeyPlace::Variable(name) => {
            let Ok(text) = std::env::var(name) else {
                bail!("the environment variable {name} with its key is not set");
            };
            (text, name.clone())
        }
        KeyPlace::File(file) => {
            (read_text(file, MAX_KEY_BYTES).context("its key")?, file.display().to_string())
        }
    };
    Secret::new(text.trim()).with_context(|| {
        format!("{place} holds no key: it is empty, or cannot be sent in a header")
    })
}
