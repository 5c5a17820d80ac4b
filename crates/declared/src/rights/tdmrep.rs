//! TDMRep: reservation of text and data mining, in a file, in headers or in a page.
//!
//! A page takes precedence over a header, and a header over the file. `judge` applies that where it
//! combines the statements.

use serde_json::Value;

use super::{
    Carrier, ContentUse, Effect, Mechanism, ParsedStatements, Statement, Weight, short_quote,
};
use crate::evidence_excerpt::evidence_excerpt;
use crate::robots::pattern;

/// How many entries of one file are read.
const MAX_ENTRIES: usize = 2_000;

/// `/.well-known/tdmrep.json` for one path: the first entry that matches decides.
#[must_use]
pub fn from_file(body: &[u8], path: &str) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let entries = match contract::json::parse_value(body) {
        Ok(Value::Array(entries)) => entries,
        Ok(_) => {
            parsed.add_fault(
                "not_an_array",
                Weight::Error,
                "",
                "The file is not a JSON array, so readers ignore it.",
                EXAMPLE,
            );
            return parsed;
        }
        Err(error) => {
            parsed.add_fault(
                "not_json",
                Weight::Error,
                format!("line {}", error.line),
                "The file is not valid JSON, so readers ignore it.",
                EXAMPLE,
            );
            return parsed;
        }
    };
    if entries.len() > MAX_ENTRIES {
        parsed.add_fault(
            "too_many_entries",
            Weight::Warning,
            format!("/{MAX_ENTRIES}"),
            format!("Only the first {MAX_ENTRIES} entries were read."),
            "Combine locations with `*`.",
        );
    }
    let path = comparable_path(path);
    let mut decided = false;
    for (at, entry) in entries.iter().take(MAX_ENTRIES).enumerate() {
        let Some(location) = entry_location(&mut parsed, entry, at) else { continue };
        let reservation = entry_reservation(&mut parsed, entry, at);
        if decided || !pattern::matches(&comparable_path(location), &path) {
            continue;
        }
        // The first match in the file decides, even if its value is invalid.
        decided = true;
        let policy = entry.get("tdm-policy").and_then(Value::as_str);
        check_policy(&mut parsed, policy, reservation, &format!("/{at}/tdm-policy"));
        if let Some(reserved) = reservation {
            let raw = entry.to_string();
            let mut statement = new_statement(Carrier::File, &raw, reserved, policy);
            statement.path = Some(evidence_excerpt(location));
            parsed.statements.push(statement);
        }
    }
    parsed
}

/// The headers `tdm-reservation` and `tdm-policy`.
#[must_use]
pub fn from_headers(reservation: Option<&str>, policy: Option<&str>) -> ParsedStatements {
    from_fields(Carrier::Header, "tdm-reservation", reservation, policy)
}

/// The page's `<meta name="tdm-reservation">` and `<meta name="tdm-policy">`.
#[must_use]
pub fn from_meta(reservation: Option<&str>, policy: Option<&str>) -> ParsedStatements {
    from_fields(Carrier::Meta, "meta tdm-reservation", reservation, policy)
}

const EXAMPLE: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;

fn from_fields(
    carrier: Carrier,
    at: &str,
    reservation: Option<&str>,
    policy: Option<&str>,
) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    let Some(text) = reservation else {
        if policy.is_some() {
            parsed.add_fault(
                "policy_without_reservation",
                Weight::Warning,
                at,
                "There is a tdm-policy but no tdm-reservation. Without tdm-reservation nothing is reserved.",
                "tdm-reservation: 1",
            );
        }
        return parsed;
    };
    let reserved = match text.trim() {
        "1" => true,
        "0" => false,
        other => {
            parsed.add_fault(
                "reservation_value",
                Weight::Error,
                at,
                format!("`{}` is neither 0 nor 1, so readers ignore it.", short_quote(other)),
                "tdm-reservation: 1",
            );
            return parsed;
        }
    };
    let policy = policy.map(str::trim).filter(|policy| !policy.is_empty());
    check_policy(&mut parsed, policy, Some(reserved), "tdm-policy");
    let mut raw = format!("tdm-reservation: {}", text.trim());
    if let Some(policy) = policy {
        raw = format!("{raw}, tdm-policy: {policy}");
    }
    parsed.statements.push(new_statement(carrier, &raw, reserved, policy));
    parsed
}

fn new_statement(carrier: Carrier, raw: &str, reserved: bool, policy: Option<&str>) -> Statement {
    let mut statement = Statement::new(Mechanism::Tdmrep, carrier, raw);
    let (effect, note) = match (reserved, policy) {
        (true, None) => (
            Effect::Disallow,
            "Text and data mining is reserved (EU 2019/790, Art. 4(3)). TDMRep does not say whether this covers answers made at run time.",
        ),
        (true, Some(_)) => (
            Effect::Conditional,
            "Text and data mining is reserved. The policy states the terms for a licence.",
        ),
        (false, None) => (Effect::Allow, "Text and data mining is not reserved."),
        (false, Some(_)) => (
            Effect::Allow,
            "Text and data mining is not reserved, so readers do not process the policy.",
        ),
    };
    statement.add_effect(ContentUse::Train, effect);
    statement.add_note(note);
    statement
}

fn entry_location<'a>(
    parsed: &mut ParsedStatements,
    entry: &'a Value,
    at: usize,
) -> Option<&'a str> {
    let location = entry.get("location").and_then(Value::as_str);
    match location {
        Some(location) if location.starts_with(['/', '*']) => return Some(location),
        Some(location) => parsed.add_fault(
            "location_without_slash",
            Weight::Error,
            format!("/{at}/location"),
            format!(
                "The location `{}` starts with neither `/` nor `*`, so it matches no path.",
                short_quote(location)
            ),
            format!("\"location\": \"/{}\"", short_quote(location)),
        ),
        None => parsed.add_fault(
            "no_location",
            Weight::Error,
            format!("/{at}"),
            "The entry has no location (a string), so it applies to no path.",
            EXAMPLE,
        ),
    }
    None
}

fn entry_reservation(parsed: &mut ParsedStatements, entry: &Value, at: usize) -> Option<bool> {
    let value = entry.get("tdm-reservation");
    match value.and_then(Value::as_u64) {
        Some(1) => return Some(true),
        Some(0) => return Some(false),
        _ => {}
    }
    let what = value
        .map_or("missing".to_owned(), |value| format!("`{}`", short_quote(&value.to_string())));
    parsed.add_fault(
        "reservation_value",
        Weight::Error,
        format!("/{at}/tdm-reservation"),
        format!("tdm-reservation is {what}. It must be the number 0 or 1, without quotes."),
        "\"tdm-reservation\": 1",
    );
    None
}

fn check_policy(
    parsed: &mut ParsedStatements,
    policy: Option<&str>,
    reserved: Option<bool>,
    at: &str,
) {
    let Some(policy) = policy else { return };
    let lower = policy.to_ascii_lowercase();
    if !(lower.starts_with("https://") || lower.starts_with("http://") || lower.starts_with('/')) {
        parsed.add_fault(
            "policy_address",
            Weight::Warning,
            at,
            format!("`{}` is not a URL that can be fetched.", short_quote(policy)),
            "Give the full URL of the policy: https://…/tdm-policy.json",
        );
    } else if lower.split(['?', '#']).next().is_some_and(|path| path.ends_with(".pdf")) {
        parsed.add_fault(
            "policy_is_pdf",
            Weight::Warning,
            at,
            "The policy is a PDF. Programs need JSON (an ODRL offer); people need a web page.",
            "Publish the policy as application/json or text/html.",
        );
    }
    if reserved == Some(false) {
        parsed.add_fault(
            "policy_without_reservation",
            Weight::Note,
            at,
            "The policy comes with tdm-reservation 0, so readers do not process it.",
            "Remove the policy, or set tdm-reservation to 1.",
        );
    }
}

/// The form in which locations and paths are compared: escapes of unreserved characters are decoded,
/// other escapes are upper-cased, bytes above ASCII are escaped. (robots.txt decodes nothing.)
fn comparable_path(text: &str) -> Vec<u8> {
    let escaped =
        pattern::percent_encoded(text.as_bytes()).unwrap_or_else(|| text.as_bytes().to_vec());
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
