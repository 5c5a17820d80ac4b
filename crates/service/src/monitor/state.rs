//! What a monitor remembers between two looks. Whoever can change it can hide what was seen.

use contract::Brand;
use proof::audit::AuditState;
use proof::tlog::{SignatureType, VerifierKey};
use proof::{KeyPurpose, PublicKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Alarm;

/// Alarms that are remembered, the first ones: what came later follows from them.
const MAX_ALARMS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StateError(pub String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonitorState {
    pub v: u8,
    /// The address of the log it is about.
    pub url: String,
    pub brand: String,
    /// The log's name in its checkpoints, as it was first seen.
    pub origin: Option<String>,
    /// Directory and rotation record, as they were last accepted.
    pub keys: Option<HeldKeys>,
    pub audit: Option<AuditState>,
    #[serde(default)]
    pub alarms: Vec<Alarm>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldKeys {
    pub directory: Value,
    pub rotation: Value,
}

/// A key for heads as directory or rotation record tell it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToldKey {
    pub(super) key: PublicKey,
    /// As it is written there.
    pub(super) signs_from: Option<Value>,
    /// It stands in the rotation record.
    pub(super) retired: bool,
}

impl MonitorState {
    pub const V: u8 = 1;

    #[must_use]
    pub fn new(url: &str, brand: &Brand) -> Self {
        Self {
            v: Self::V,
            url: url.to_owned(),
            brand: brand.as_str().to_owned(),
            origin: None,
            keys: None,
            audit: None,
            alarms: Vec::new(),
        }
    }

    /// Reads what was kept, if it is about this log.
    pub fn read(bytes: &[u8], url: &str, brand: &Brand) -> Result<Self, StateError> {
        let state: Self =
            serde_json::from_slice(bytes).map_err(|e| StateError(format!("it is not one: {e}")))?;
        if state.v != Self::V {
            return Err(StateError("it is of another version".to_owned()));
        }
        if state.url != url || state.brand != brand.as_str() {
            let why = format!("it is about {} (brand {})", state.url, state.brand);
            return Err(StateError(why));
        }
        Ok(state)
    }

    pub fn write(&self) -> Result<Vec<u8>, StateError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|e| StateError(e.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub(super) fn remember(&mut self, alarm: &Alarm) {
        if self.alarms.len() < MAX_ALARMS && !self.alarms.contains(alarm) {
            self.alarms.push(alarm.clone());
        }
    }

    /// The thumbprints of the keys that sign heads.
    pub(super) fn log_heads_keys(&self, brand: &Brand) -> Vec<String> {
        let told = self.keys.as_ref().map(|keys| keys.for_heads(brand)).unwrap_or_default();
        told.iter().map(|told| told.key.kid().to_owned()).collect()
    }

    /// The keys that checkpoints may be signed by.
    pub(super) fn checkpoint_keys(&self, origin: &str, brand: &Brand) -> Vec<VerifierKey> {
        let told = self.keys.as_ref().map(|keys| keys.for_heads(brand)).unwrap_or_default();
        told.into_iter()
            .filter_map(|told| VerifierKey::new(origin, SignatureType::Ed25519, told.key).ok())
            .collect()
    }
}

impl HeldKeys {
    /// Every key for heads that is or was in use. What cannot be read is not one.
    pub(super) fn for_heads(&self, brand: &Brand) -> Vec<ToldKey> {
        let list = |record: &Value, name: &str| {
            record.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let for_heads = |entry: &Value, member: &str| {
            entry.get(member).and_then(Value::as_str) == Some(KeyPurpose::LogHeads.as_str())
        };
        let start = brand.member("signs_from");
        let purpose = brand.member("purpose");
        let mut told = Vec::new();
        for jwk in list(&self.directory, "keys").iter().filter(|jwk| for_heads(jwk, &purpose)) {
            if let Ok(key) = PublicKey::from_jwk(jwk) {
                told.push(ToldKey { key, signs_from: jwk.get(&start).cloned(), retired: false });
            }
        }
        for entry in list(&self.rotation, "retired").iter().filter(|e| for_heads(e, "purpose")) {
            let key = entry.get("x").and_then(Value::as_str).map(PublicKey::from_x);
            if let Some(Ok(key)) = key {
                told.push(ToldKey { key, signs_from: entry.get(&start).cloned(), retired: true });
            }
        }
        told
    }
}
