//! The keys of the log: accepted at the first check, and replaced only by a published rotation.

use contract::Brand;
use proof::{KeyPolicy, canonical};
use serde_json::Value;

use super::events::{AlarmKind, MonitorError, MonitorStep, alarm_error, malformed};
use super::source::{LogSource, LogUnreachable};
use super::state::{AcceptedKeys, MonitorState};
use crate::signing_keys::{KEY_DIRECTORY_PATH, KEY_ROTATION_PATH};

const MAX_KEYS_BYTES: usize = 1 << 20;

/// Fetches the published keys. Raises an alarm if they do not explain the keys that were accepted
/// before.
pub(super) async fn fetch_accepted_keys(
    source: &dyn LogSource,
    state: &mut MonitorState,
    brand: &Brand,
    report: &mut (dyn FnMut(MonitorStep) + Send),
) -> Result<KeyPolicy, MonitorError> {
    let directory = fetch_key_document(source, KEY_DIRECTORY_PATH).await?;
    let rotation = fetch_key_document(source, KEY_ROTATION_PATH).await?;
    let now = AcceptedKeys { directory, rotation };
    let policy = KeyPolicy::from_directory(&now.directory, Some(&now.rotation), brand);
    let policy =
        policy.map_err(|e| key_alarm(&format!("the key directory is not valid: {e}"), &now))?;
    if let Some(previous) = &state.keys {
        for kid in check_key_changes(previous, &now, brand)? {
            report(MonitorStep::NewKey { kid });
        }
    }
    state.keys = Some(now);
    Ok(policy)
}

async fn fetch_key_document(source: &dyn LogSource, path: &str) -> Result<Value, MonitorError> {
    let Some(bytes) = source.fetch(path, MAX_KEYS_BYTES).await? else {
        return Err(LogUnreachable(format!("there is nothing at {path}")).into());
    };
    canonical::parse_strict(&bytes)
        .map_err(|e| malformed(&format!("{path} is not valid JSON: {e}")))
}

/// The ids of new keys for tree heads. Raises an alarm if a known key disappeared without being
/// retired, is no longer retired, or has a different start time.
fn check_key_changes(
    previous: &AcceptedKeys,
    now: &AcceptedKeys,
    brand: &Brand,
) -> Result<Vec<String>, MonitorError> {
    let (known, published) = (previous.head_keys(brand), now.head_keys(brand));
    for key in &known {
        let kid = key.key.kid();
        match published.iter().find(|found| found.key == key.key) {
            None => {
                let why = format!(
                    "the key {kid} signed tree heads before, but neither the directory nor the \
                     rotation record lists it any more"
                );
                return Err(key_alarm(&why, now));
            }
            Some(found) if key.retired && !found.retired => {
                let why = format!("the key {kid} was retired, but is listed as active again");
                return Err(key_alarm(&why, now));
            }
            Some(found) if found.signs_from != key.signs_from => {
                let why = format!("the start time of the key {kid} has changed");
                return Err(key_alarm(&why, now));
            }
            Some(_) => {}
        }
    }
    let new = published.iter().filter(|new| !known.iter().any(|known| known.key == new.key));
    let new = new.map(|new| {
        if new.signs_from.is_none() {
            let why = format!("the new key {} has no start time", new.key.kid());
            return Err(key_alarm(&why, now));
        }
        Ok(new.key.kid().to_owned())
    });
    new.collect()
}

fn key_alarm(detail: &str, now: &AcceptedKeys) -> MonitorError {
    alarm_error(AlarmKind::Keys, None, detail, serde_json::to_value(now).ok())
}
