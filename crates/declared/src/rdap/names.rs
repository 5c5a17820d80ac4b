//! Host names in registry data.

use serde_json::Value;
use url::Host;

/// The longest text that can be a host name in any form.
const MAX_TEXT_BYTES: usize = 1_024;

/// The name in the one form in which names are compared: A-labels, lower case, no trailing dot.
pub(super) fn normal_name(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.is_empty() || text.len() > MAX_TEXT_BYTES {
        return None;
    }
    match Host::parse(text).ok()? {
        Host::Domain(name) if name.len() <= 253 => {
            Some(name.strip_suffix('.').map(str::to_owned).unwrap_or(name))
        }
        _ => None,
    }
}

/// The name of an object: its `ldhName`, or its `unicodeName` if it has no other.
pub(super) fn object_name(object: &Value) -> Option<String> {
    let text = |member: &str| object.get(member).and_then(Value::as_str);
    let plain = text("ldhName").filter(|text| !text.trim().is_empty());
    normal_name(plain.or_else(|| text("unicodeName"))?)
}
