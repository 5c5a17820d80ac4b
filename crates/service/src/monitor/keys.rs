//! The keys of the log: pinned at first sight, and replaced only where that is explained.

use contract::Brand;
use proof::{KeyPolicy, canonical};
use serde_json::Value;

use super::state::HeldKeys;
use super::{
    Alarm, AlarmKind, LogSource, MAX_KEYS_BYTES, MonitorError, MonitorState, Step, Unreachable,
};
use crate::{KEY_DIRECTORY_PATH, KEY_ROTATION_PATH};

/// The published keys, if those that were seen before are explained by them.
pub(super) async fn held(
    source: &dyn LogSource,
    state: &mut MonitorState,
    brand: &Brand,
    tell: &mut (dyn FnMut(Step) + Send),
) -> Result<KeyPolicy, MonitorError> {
    let directory = published(source, KEY_DIRECTORY_PATH).await?;
    let rotation = published(source, KEY_ROTATION_PATH).await?;
    let now = HeldKeys { directory, rotation };
    let policy = KeyPolicy::from_directory(&now.directory, Some(&now.rotation), brand);
    let policy = policy.map_err(|e| unexplained(&format!("the key directory: {e}"), &now))?;
    if let Some(before) = &state.keys {
        for kid in explained(before, &now, brand)? {
            tell(Step::NewKey { kid });
        }
    }
    state.keys = Some(now);
    Ok(policy)
}

async fn published(source: &dyn LogSource, path: &str) -> Result<Value, MonitorError> {
    let Some(bytes) = source.get(path, MAX_KEYS_BYTES).await? else {
        return Err(Unreachable(format!("there is nothing at {path}")).into());
    };
    canonical::parse_strict(&bytes).map_err(|e| super::form(&format!("{path} is not JSON: {e}")))
}

/// The keys for heads that are new, if everything that was known is still told the same way: no key
/// is gone without being retired, and none has another start.
fn explained(
    before: &HeldKeys,
    now: &HeldKeys,
    brand: &Brand,
) -> Result<Vec<String>, MonitorError> {
    let (known, told) = (before.for_heads(brand), now.for_heads(brand));
    for key in &known {
        let kid = key.key.kid();
        match told.iter().find(|told| told.key == key.key) {
            None => {
                let why = format!(
                    "the key {kid} signed heads, and neither the directory nor the rotation record \
                     knows it any more"
                );
                return Err(unexplained(&why, now));
            }
            Some(told) if key.retired && !told.retired => {
                return Err(unexplained(&format!("the key {kid} was retired and is back"), now));
            }
            Some(told) if told.signs_from != key.signs_from => {
                let why = format!("the key {kid} has another start than before");
                return Err(unexplained(&why, now));
            }
            Some(_) => {}
        }
    }
    let new = told.iter().filter(|told| !known.iter().any(|known| known.key == told.key));
    let new = new.map(|told| {
        if told.signs_from.is_none() {
            let why = format!("the key {} came without a start", told.key.kid());
            return Err(unexplained(&why, now));
        }
        Ok(told.key.kid().to_owned())
    });
    new.collect()
}

fn unexplained(detail: &str, now: &HeldKeys) -> MonitorError {
    let evidence = serde_json::to_value(now).ok();
    let detail = detail.to_owned();
    let kind = AlarmKind::Keys;
    MonitorError::Alarm(Box::new(Alarm { kind, batch: None, detail, evidence }))
}
