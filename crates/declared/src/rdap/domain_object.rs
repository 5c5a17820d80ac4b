//! Parses a domain object (RFC 9083, section 5.3).

use contract::Timestamp;
use contract::json::{self, Bom, ErrorKind, Limits, OnDuplicate};
use contract::text::display_safe;
use serde_json::Value;

use super::dates::parse_date;
use super::fault::RdapFault;
use super::names::{normal_name, object_name};
use super::registrar::{find_registrar, list_of};
use super::registration::Registration;
use super::status_words::status_word;

/// Larger responses are not parsed. Domain objects have a few kilobytes.
pub const MAX_RESPONSE_BYTES: usize = 512 * 1024;

const LIMITS: Limits = Limits {
    bytes: MAX_RESPONSE_BYTES,
    depth: 32,
    values: 50_000,
    max_integer: None,
    bom: Bom::Skip,
};

/// How many events, name servers, status words and redactions are read.
const MAX_EVENTS: usize = 200;
const MAX_NAMESERVERS: usize = 64;
const MAX_STATUS_WORDS: usize = 32;
const MAX_REDACTIONS: usize = 32;
const MAX_REDACTION_CHARS: usize = 80;

/// Parses the response to a query for `asked`, which is in A-labels.
pub fn parse_domain_object(body: &[u8], asked: &str) -> Result<Registration, RdapFault> {
    let parsed = json::parse(body, &LIMITS, OnDuplicate::KeepLast { report_at_most: 0 });
    let object = match parsed {
        Ok(parsed) => parsed.value,
        Err(error) => {
            return Err(match error.kind {
                ErrorKind::TooLarge | ErrorKind::TooDeep | ErrorKind::TooManyValues => {
                    RdapFault::TooLarge
                }
                _ => RdapFault::NotJson,
            });
        }
    };
    check_object(&object, asked)?;
    let events = Events::read(&object);
    let registrar = find_registrar(&object);
    Ok(Registration {
        registrar: registrar.name,
        registrar_iana_id: registrar.iana_id,
        created: events.registration,
        expires: events.expiration.or(events.registrar_expiration),
        changed: events.last_changed,
        transferred_at: events.transfer,
        reregistered_at: events.reregistration,
        nameservers: nameservers(&object),
        dnssec: delegation_signed(&object),
        status: status(&object),
        redacted: redacted(&object),
    })
}

/// Whether the object is a domain object about the requested name.
fn check_object(object: &Value, asked: &str) -> Result<(), RdapFault> {
    if !object.is_object() {
        return Err(RdapFault::NotADomain);
    }
    let class = object.get("objectClassName").and_then(Value::as_str);
    if let Some(code) = object.get("errorCode")
        && class.is_none()
    {
        let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
        return Err(RdapFault::ErrorObject(number.and_then(|number| u16::try_from(number).ok())));
    }
    match class {
        Some(class) if !class.trim().eq_ignore_ascii_case("domain") => {
            return Err(RdapFault::NotADomain);
        }
        None if object.get("ldhName").is_none() && object.get("unicodeName").is_none() => {
            return Err(RdapFault::NotADomain);
        }
        Some(_) | None => {}
    }
    let name = object_name(object).ok_or(RdapFault::Unnamed)?;
    let asked = normal_name(asked).ok_or(RdapFault::OtherName)?;
    if name == asked { Ok(()) } else { Err(RdapFault::OtherName) }
}

/// The newest event of each kind that is used.
#[derive(Default)]
struct Events {
    registration: Option<Timestamp>,
    expiration: Option<Timestamp>,
    registrar_expiration: Option<Timestamp>,
    last_changed: Option<Timestamp>,
    transfer: Option<Timestamp>,
    reregistration: Option<Timestamp>,
}

impl Events {
    fn read(object: &Value) -> Self {
        let mut events = Self::default();
        for event in list_of(object.get("events")).take(MAX_EVENTS) {
            let Some(action) = event.get("eventAction").and_then(Value::as_str) else { continue };
            let Some(date) = event.get("eventDate").and_then(Value::as_str) else { continue };
            let slot = match action.trim().to_ascii_lowercase().as_str() {
                "registration" => &mut events.registration,
                "expiration" => &mut events.expiration,
                "registrar expiration" => &mut events.registrar_expiration,
                // Not "last update of RDAP database", which is about the server.
                "last changed" => &mut events.last_changed,
                "transfer" => &mut events.transfer,
                "reregistration" | "reinstantiation" => &mut events.reregistration,
                _ => continue,
            };
            // `None` is less than any time.
            *slot = (*slot).max(parse_date(date));
        }
        events
    }
}

fn nameservers(object: &Value) -> Vec<String> {
    let servers = list_of(object.get("nameservers")).take(MAX_NAMESERVERS);
    let mut names: Vec<String> = servers
        .filter_map(|server| match server {
            Value::String(name) => normal_name(name),
            server => object_name(server),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn delegation_signed(object: &Value) -> Option<bool> {
    let secure = object.get("secureDNS")?;
    let said = match secure.get("delegationSigned") {
        Some(Value::Bool(signed)) => Some(*signed),
        Some(Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        Some(Value::Number(number)) => number.as_u64().map(|number| number != 0),
        _ => None,
    };
    // A delegation with keys is signed, also where the server leaves the member out.
    let has_keys =
        || ["dsData", "keyData"].iter().any(|name| list_of(secure.get(name)).count() > 0);
    said.or_else(|| has_keys().then_some(true))
}

fn status(object: &Value) -> Vec<String> {
    let words = list_of(object.get("status")).take(MAX_STATUS_WORDS);
    let mut words: Vec<String> = words.filter_map(Value::as_str).filter_map(status_word).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The names of withheld members. `name` has a registered `type` or a `description`.
fn redacted(object: &Value) -> Vec<String> {
    let mut names: Vec<String> = list_of(object.get("redacted"))
        .take(MAX_REDACTIONS)
        .filter_map(|redaction| {
            let name = redaction.get("name")?;
            let text = name.get("type").or_else(|| name.get("description"))?.as_str()?.trim();
            (!text.is_empty()).then(|| display_safe(text, MAX_REDACTION_CHARS))
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
