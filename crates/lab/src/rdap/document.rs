//! The domain object of a registration.

#![expect(
    clippy::indexing_slicing,
    reason = "the documents are written here; a missing member is made"
)]

use serde_json::{Value, json};

use super::{addresses::RDAP_HOST, registration::LabRegistration};

/// The complete document.
pub(super) fn domain_object(name: &str, registration: &LabRegistration) -> Value {
    let event = |action: &str, date: &str| json!({"eventAction": action, "eventDate": date});
    let mut events = vec![
        event("registration", &registration.created),
        event("expiration", &registration.expires),
        event("last changed", &registration.changed),
        event("last update of RDAP database", "2026-11-15T00:00:00Z"),
    ];
    events.extend(registration.events.iter().map(|(action, date)| event(action, date)));
    let server = |host: &String| json!({"objectClassName": "nameserver", "ldhName": host});
    let servers: Vec<Value> = registration.nameservers.iter().map(server).collect();
    let mut secure = json!({"delegationSigned": registration.signed});
    if registration.signed {
        secure["dsData"] = json!([{
            "keyTag": 12_345, "algorithm": 13, "digestType": 2,
            "digest": "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
        }]);
    }
    json!({
        "rdapConformance": ["rdap_level_0", "icann_rdap_response_profile_1"],
        "objectClassName": "domain",
        "handle": format!("{}-LAB", name.to_uppercase().replace('.', "_")),
        "ldhName": name,
        "links": [{
            "rel": "self", "type": "application/rdap+json",
            "href": format!("https://{RDAP_HOST}/lab/domain/{name}"),
        }],
        "status": registration.status,
        "events": events,
        "entities": [registrar_entity(
            &registration.registrar,
            registration.registrar_iana_id.as_deref(),
        )],
        "nameservers": servers,
        "secureDNS": secure,
        "notices": [{"title": "Terms of use", "description": ["Data of an invented registry."]}],
    })
}

/// A registrar with its jCard and, inside of it, its desk for complaints.
pub(super) fn registrar_entity(name: &str, iana_id: Option<&str>) -> Value {
    let ids: Vec<Value> = iana_id
        .map(|id| json!({"type": "IANA Registrar ID", "identifier": id}))
        .into_iter()
        .collect();
    json!({
        "objectClassName": "entity",
        "handle": iana_id.unwrap_or("REG-LAB"),
        "roles": ["registrar"],
        "publicIds": ids,
        "vcardArray": jcard(name),
        "entities": [{
            "objectClassName": "entity", "roles": ["abuse"], "vcardArray": jcard("Desk for complaints"),
        }],
    })
}

pub(super) fn jcard(name: &str) -> Value {
    json!(["vcard", [["version", {}, "text", "4.0"], ["fn", {}, "text", name]]])
}

pub(super) fn error_object(code: u16, title: &str) -> Value {
    json!({
        "rdapConformance": ["rdap_level_0"], "errorCode": code, "title": title,
        "description": ["See the terms of use."],
    })
}
