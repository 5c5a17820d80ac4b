//! TDMRep: reservation of text and data mining, in a file, in headers or in a page.
//!
//! A later carrier stands before an earlier one (page, then header, then file); that is applied
//! where statements are put together.

use serde_json::Value;

use super::{Carrier, Effect, Heard, Mechanism, Statement, Use, Weight, word};
use crate::robots::pattern;

/// Entries read of one file.
const MAX_ENTRIES: usize = 2_000;

/// `/.well-known/tdmrep.json` for one path: the first entry that matches decides.
#[must_use]
pub fn file(body: &[u8], path: &str) -> Heard {
    let mut heard = Heard::default();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let entries = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Array(entries)) => entries,
        Ok(_) => {
            heard.fault(
                "not_an_array",
                Weight::Error,
                "",
                "The file is not a JSON array, so readers take nothing from it.",
                EXAMPLE,
            );
            return heard;
        }
        Err(error) => {
            heard.fault(
                "not_json",
                Weight::Error,
                format!("line {}", error.line()),
                "The file is not valid JSON, so readers take nothing from it.",
                EXAMPLE,
            );
            return heard;
        }
    };
    if entries.len() > MAX_ENTRIES {
        heard.fault(
            "too_many_entries",
            Weight::Warning,
            format!("/{MAX_ENTRIES}"),
            format!("Only the first {MAX_ENTRIES} entries are read here."),
            "Join locations with `*`.",
        );
    }
    let path = plain(path);
    let mut decided = false;
    for (at, entry) in entries.iter().take(MAX_ENTRIES).enumerate() {
        let Some(location) = location(&mut heard, entry, at) else { continue };
        let reservation = reservation(&mut heard, entry, at);
        if decided || !pattern::matches(&plain(location), &path) {
            continue;
        }
        // The first match in the file's order decides, also when its value is none.
        decided = true;
        let policy = entry.get("tdm-policy").and_then(Value::as_str);
        policy_faults(&mut heard, policy, reservation, &format!("/{at}/tdm-policy"));
        if let Some(reserved) = reservation {
            let raw = entry.to_string();
            let mut statement = statement(Carrier::File, &raw, reserved, policy);
            statement.path = Some(super::quoted(location));
            heard.statements.push(statement);
        }
    }
    heard
}

/// The headers `tdm-reservation` and `tdm-policy`.
#[must_use]
pub fn headers(reservation: Option<&str>, policy: Option<&str>) -> Heard {
    beside(Carrier::Header, "tdm-reservation", reservation, policy)
}

/// The page's `<meta name="tdm-reservation">` and `<meta name="tdm-policy">`.
#[must_use]
pub fn meta(reservation: Option<&str>, policy: Option<&str>) -> Heard {
    beside(Carrier::Meta, "meta tdm-reservation", reservation, policy)
}

const EXAMPLE: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;

fn beside(carrier: Carrier, at: &str, reservation: Option<&str>, policy: Option<&str>) -> Heard {
    let mut heard = Heard::default();
    let Some(text) = reservation else {
        if policy.is_some() {
            heard.fault(
                "policy_without_reservation",
                Weight::Warning,
                at,
                "There is a tdm-policy and no tdm-reservation; without it nothing is reserved.",
                "tdm-reservation: 1",
            );
        }
        return heard;
    };
    let reserved = match text.trim() {
        "1" => true,
        "0" => false,
        other => {
            heard.fault(
                "reservation_value",
                Weight::Error,
                at,
                format!("`{}` is neither 0 nor 1, which counts as nothing said.", word(other)),
                "tdm-reservation: 1",
            );
            return heard;
        }
    };
    let policy = policy.map(str::trim).filter(|policy| !policy.is_empty());
    policy_faults(&mut heard, policy, Some(reserved), "tdm-policy");
    let mut raw = format!("tdm-reservation: {}", text.trim());
    if let Some(policy) = policy {
        raw = format!("{raw}, tdm-policy: {policy}");
    }
    heard.statements.push(statement(carrier, &raw, reserved, policy));
    heard
}

fn statement(carrier: Carrier, raw: &str, reserved: bool, policy: Option<&str>) -> Statement {
    let mut statement = Statement::new(Mechanism::Tdmrep, carrier, raw);
    let (effect, note) = match (reserved, policy) {
        (true, None) => (
            Effect::Disallow,
            "Text and data mining is reserved (EU 2019/790, Art. 4(3)); what that means for answers at run time is not said.",
        ),
        (true, Some(_)) => (
            Effect::Conditional,
            "Text and data mining is reserved; the policy says under which terms it may be had.",
        ),
        (false, None) => (Effect::Allow, "Text and data mining is not reserved."),
        (false, Some(_)) => (
            Effect::Allow,
            "Text and data mining is not reserved; the policy is not to be processed.",
        ),
    };
    statement.says(Use::Train, effect);
    statement.notes(note);
    statement
}

fn location<'a>(heard: &mut Heard, entry: &'a Value, at: usize) -> Option<&'a str> {
    let location = entry.get("location").and_then(Value::as_str);
    match location {
        Some(location) if location.starts_with(['/', '*']) => return Some(location),
        Some(location) => heard.fault(
            "location_without_slash",
            Weight::Error,
            format!("/{at}/location"),
            format!(
                "The location `{}` begins with neither `/` nor `*`, so it matches no path.",
                word(location)
            ),
            format!("\"location\": \"/{}\"", word(location)),
        ),
        None => heard.fault(
            "no_location",
            Weight::Error,
            format!("/{at}"),
            "The entry has no location (a string), so it speaks of no path.",
            EXAMPLE,
        ),
    }
    None
}

fn reservation(heard: &mut Heard, entry: &Value, at: usize) -> Option<bool> {
    let value = entry.get("tdm-reservation");
    match value.and_then(Value::as_u64) {
        Some(1) => return Some(true),
        Some(0) => return Some(false),
        _ => {}
    }
    let what =
        value.map_or("missing".to_owned(), |value| format!("`{}`", word(&value.to_string())));
    heard.fault(
        "reservation_value",
        Weight::Error,
        format!("/{at}/tdm-reservation"),
        format!("tdm-reservation is {what}; only the numbers 0 and 1 count, without quotes."),
        "\"tdm-reservation\": 1",
    );
    None
}

fn policy_faults(heard: &mut Heard, policy: Option<&str>, reserved: Option<bool>, at: &str) {
    let Some(policy) = policy else { return };
    let lower = policy.to_ascii_lowercase();
    if !(lower.starts_with("https://") || lower.starts_with("http://") || lower.starts_with('/')) {
        heard.fault(
            "policy_address",
            Weight::Warning,
            at,
            format!("`{}` is not an address that can be fetched.", word(policy)),
            "Name the policy by its whole address: https://…/tdm-policy.json",
        );
    } else if lower.split(['?', '#']).next().is_some_and(|path| path.ends_with(".pdf")) {
        heard.fault(
            "policy_is_pdf",
            Weight::Warning,
            at,
            "The policy is a PDF; machines read JSON (an ODRL offer), people a web page.",
            "Publish the policy as application/json or text/html.",
        );
    }
    if reserved == Some(false) {
        heard.fault(
            "policy_without_reservation",
            Weight::Note,
            at,
            "The policy stands beside tdm-reservation 0 and will not be processed.",
            "Drop the policy, or reserve with 1.",
        );
    }
}

/// Escapes of unreserved characters decoded, other escapes in upper case, bytes above ASCII escaped:
/// the form in which locations and paths are compared. Unlike robots.txt, which decodes nothing.
fn plain(text: &str) -> Vec<u8> {
    let escaped = pattern::escaped(text.as_bytes()).unwrap_or_else(|| text.as_bytes().to_vec());
    let nibble = |byte: u8| char::from(byte).to_digit(16).and_then(|n| u8::try_from(n).ok());
    let mut out = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_slice();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if let (b'%', [high, low, after @ ..]) = (*byte, tail)
            && let (Some(high), Some(low)) = (nibble(*high), nibble(*low))
            && let decoded = high * 16 + low
            && (decoded.is_ascii_alphanumeric() || matches!(decoded, b'-' | b'.' | b'_' | b'~'))
        {
            out.push(decoded);
            rest = after;
        } else {
            out.push(*byte);
        }
    }
    out
}
