//! What a monitor saves between two checks. Whoever can change it can hide what was seen.

use contract::Brand;
use proof::audit::AuditState;
use proof::tlog::{SignatureType, VerifierKey};
use proof::{KeyPurpose, PublicKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::events::{Alarm, MonitorStateError};

/// Alarms that are saved: the first ones, because later ones follow from them.
const MAX_ALARMS: usize = 100;

/// The saved state of a monitor of one log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonitorState {
    pub v: u8,
    /// URL of the log.
    pub url: String,
    pub brand: String,
    /// The log's origin in its checkpoints, as first seen.
    pub origin: Option<String>,
    /// Key directory and rotation record, as last accepted.
    pub keys: Option<AcceptedKeys>,
    pub audit: Option<AuditState>,
    #[serde(default)]
    pub alarms: Vec<Alarm>,
}

/// The published key documents that a monitor has accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedKeys {
    pub directory: Value,
    pub rotation: Value,
}

/// A key for tree heads, as the key directory or the rotation record lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeadKey {
    pub(super) key: PublicKey,
    /// As it is written in that document.
    pub(super) signs_from: Option<Value>,
    /// Listed in the rotation record.
    pub(super) retired: bool,
}

impl MonitorState {
    pub const VERSION: u8 = 1;

    #[must_use]
    pub fn new(url: &str, brand: &Brand) -> Self {
        Self {
            v: Self::VERSION,
            url: url.to_owned(),
            brand: brand.as_str().to_owned(),
            origin: None,
            keys: None,
            audit: None,
            alarms: Vec::new(),
        }
    }

    /// Parses a saved state, if it belongs to this log.
    pub fn parse(bytes: &[u8], url: &str, brand: &Brand) -> Result<Self, MonitorStateError> {
        let state: Self = serde_json::from_slice(bytes)
            .map_err(|e| MonitorStateError(format!("it is not a monitor state: {e}")))?;
        if state.v != Self::VERSION {
            return Err(MonitorStateError("it has an unknown version".to_owned()));
        }
        if state.url != url || state.brand != brand.as_str() {
            let why = format!("it belongs to {} (brand {})", state.url, state.brand);
            return Err(MonitorStateError(why));
        }
        Ok(state)
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>, MonitorStateError> {
        let mut bytes =
            serde_json::to_vec_pretty(self).map_err(|e| MonitorStateError(e.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub fn add_alarm(&mut self, alarm: &Alarm) {
        if self.alarms.len() < MAX_ALARMS && !self.alarms.contains(alarm) {
            self.alarms.push(alarm.clone());
        }
    }

    /// The ids (thumbprints) of the keys that sign tree heads.
    pub(super) fn head_key_ids(&self, brand: &Brand) -> Vec<String> {
        let keys = self.keys.as_ref().map(|keys| keys.head_keys(brand)).unwrap_or_default();
        keys.iter().map(|head_key| head_key.key.kid().to_owned()).collect()
    }

    /// The keys that may sign checkpoints.
    pub(super) fn checkpoint_keys(&self, origin: &str, brand: &Brand) -> Vec<VerifierKey> {
        let keys = self.keys.as_ref().map(|keys| keys.head_keys(brand)).unwrap_or_default();
        keys.into_iter()
            .filter_map(|one| VerifierKey::new(origin, SignatureType::Ed25519, one.key).ok())
            .collect()
    }
}

impl AcceptedKeys {
    /// Every key for tree heads that is or was in use. Entries that cannot be parsed are skipped.
    pub(super) fn head_keys(&self, brand: &Brand) -> Vec<HeadKey> {
        let list = |record: &Value, name: &str| {
            record.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let for_heads = |entry: &Value, member: &str| {
            entry.get(member).and_then(Value::as_str) == Some(KeyPurpose::LogHeads.as_str())
        };
        let start = brand.member("signs_from");
        let purpose = brand.member("purpose");
        let mut head_keys = Vec::new();
        for jwk in list(&self.directory, "keys").iter().filter(|jwk| for_heads(jwk, &purpose)) {
            if let Ok(key) = PublicKey::from_jwk(jwk) {
                head_keys.push(HeadKey {
                    key,
                    signs_from: jwk.get(&start).cloned(),
                    retired: false,
                });
            }
        }
        for entry in list(&self.rotation, "retired").iter().filter(|e| for_heads(e, "purpose")) {
            let key = entry.get("x").and_then(Value::as_str).map(PublicKey::from_x);
            if let Some(Ok(key)) = key {
                head_keys.push(HeadKey {
                    key,
                    signs_from: entry.get(&start).cloned(),
                    retired: true,
                });
            }
        }
        head_keys
    }
}
