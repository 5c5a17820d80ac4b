//! security.txt (RFC 9116). It has a date, so it is made for each request.

use contract::{Issuer, Timestamp};

/// For how long a copy of the file may be used.
const VALID_DAYS: i64 = 180;
const DAY_MS: i64 = 86_400_000;

/// `None` without a contact: a file without one is invalid.
pub(crate) fn render(issuer: &Issuer, contact: Option<&str>, now: Timestamp) -> Option<String> {
    let contact = contact?;
    // A value with a line break would be another field.
    if contact.contains(char::is_control) {
        return None;
    }
    // The same for a whole day, so that copies can be kept.
    let today = now.as_millis().div_euclid(DAY_MS) * DAY_MS;
    let expires = Timestamp::from_millis(today + VALID_DAYS * DAY_MS).whole_seconds();
    Some(format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\nCanonical: {}\n",
        issuer.url("/.well-known/security.txt")
    ))
}
