//! The name in a contact card: jCard (RFC 7095) or JSContact (RFC 9553).

use contract::text::display_safe;
use serde_json::Value;

/// The most characters of a registrar's name.
const MAX_CHARS: usize = 200;

/// How many properties of a card are looked at.
const MAX_PROPERTIES: usize = 100;

/// The name of an entity: of its card, or else its handle in the registry.
pub(super) fn entity_name(entity: &Value) -> Option<String> {
    let card_name = jcard_name(entity.get("vcardArray")).or_else(|| {
        ["jscard", "jscard_0"].iter().find_map(|name| jscontact_name(entity.get(name)))
    });
    card_name.or_else(|| clean(entity.get("handle")?.as_str()?))
}

fn jcard_name(card: Option<&Value>) -> Option<String> {
    let properties = card?.as_array()?.iter().find_map(Value::as_array)?;
    let value_of = |wanted: &str| {
        properties.iter().take(MAX_PROPERTIES).find_map(|property| {
            let parts = property.as_array()?;
            let name = parts.first()?.as_str()?;
            name.eq_ignore_ascii_case(wanted).then_some(())?;
            // `org` may be a list: the organisation, then its units.
            let value = parts.get(3)?;
            clean(value.as_str().or_else(|| value.as_array()?.first()?.as_str())?)
        })
    };
    value_of("fn").or_else(|| value_of("org"))
}

fn jscontact_name(card: Option<&Value>) -> Option<String> {
    let card = card?;
    let full = card.pointer("/name/full").or_else(|| card.get("fullName"));
    let organization = || {
        let organizations = card.get("organizations")?.as_object()?;
        organizations
            .values()
            .take(MAX_PROPERTIES)
            .find_map(|one| clean(one.get("name")?.as_str()?))
    };
    full.and_then(Value::as_str).and_then(clean).or_else(organization)
}

fn clean(text: &str) -> Option<String> {
    let name = display_safe(text.trim(), MAX_CHARS);
    (!name.is_empty()).then_some(name)
}
