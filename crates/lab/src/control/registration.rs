//! Changes of what the lab's registry says about a domain, such as its transfer to another registrar.

use contract::{Day, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ControlError;
use super::requests::{bad, parse};
use crate::{LabRegistration, RegistryEntry, lab_state::LabState};

/// What is not given stays as it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    domain: String,
    registrar: Option<String>,
    registrar_iana_id: Option<String>,
    created: Option<String>,
    expires: Option<String>,
    transferred: Option<String>,
    status: Option<Vec<String>>,
    /// `none`: there is no such domain any more; `silent`: the registry does not answer about it;
    /// `original`: as when the lab was started.
    state: Option<String>,
}

pub(super) fn change(world: &LabState, body: &[u8]) -> Result<Value, ControlError> {
    let change: Change = parse(body)?;
    let domain = change.domain.to_ascii_lowercase();
    if !world.sites.iter().any(|running_site| running_site.site.name == domain) {
        return Err(bad(&format!(
            "The lab has no site {domain}. `wayleave lab sites` lists them."
        )));
    }
    match change.state.as_deref() {
        Some("none") => world.rdap.set(&domain, RegistryEntry::NotRegistered),
        Some("silent") => world.rdap.set(&domain, RegistryEntry::Silent),
        Some("original") => world.rdap.reset(&domain),
        Some(_) => return Err(bad("A state is none, silent or original.")),
        None => {
            let before = match world.rdap.get(&domain) {
                Some(RegistryEntry::Registered(registration)) => registration,
                _ => LabRegistration::of(&domain),
            };
            world.rdap.set(&domain, RegistryEntry::Registered(changed(before, change)?));
        }
    }
    Ok(describe(world, &domain))
}

fn changed(
    mut registration: LabRegistration,
    change: Change,
) -> Result<LabRegistration, ControlError> {
    if let Some(registrar) = change.registrar {
        // The id is of the registrar that was named before.
        registration.registrar_iana_id = None;
        registration.registrar = registrar;
    }
    if let Some(id) = change.registrar_iana_id {
        registration.registrar_iana_id = Some(id);
    }
    if let Some(created) = change.created {
        registration.created = parse_date(&created)?;
    }
    if let Some(expires) = change.expires {
        registration.expires = parse_date(&expires)?;
    }
    if let Some(transferred) = change.transferred {
        registration.events.retain(|(action, _)| action != "transfer");
        registration.events.push(("transfer".to_owned(), parse_date(&transferred)?));
    }
    if let Some(status) = change.status {
        registration.status = status;
    }
    Ok(registration)
}

/// A day means its first second.
fn parse_date(text: &str) -> Result<String, ControlError> {
    let day = || text.parse::<Day>().ok().map(Day::begins_at);
    let time = text.parse::<Timestamp>().ok().or_else(day);
    time.map(|time| time.to_string())
        .ok_or_else(|| bad("A date is written as 2026-12-24 or 2026-12-24T10:00:00Z."))
}

fn describe(world: &LabState, domain: &str) -> Value {
    let registration = match world.rdap.get(domain) {
        Some(RegistryEntry::Registered(registration)) => registration,
        Some(RegistryEntry::NotRegistered) => return json!({ "domain": domain, "state": "none" }),
        Some(RegistryEntry::Silent) => return json!({ "domain": domain, "state": "silent" }),
        Some(RegistryEntry::Variant(_)) | None => LabRegistration::of(domain),
    };
    json!({
        "domain": domain,
        "state": "registered",
        "registrar": registration.registrar,
        "registrar_iana_id": registration.registrar_iana_id,
        "created": registration.created,
        "expires": registration.expires,
        "status": registration.status,
    })
}
