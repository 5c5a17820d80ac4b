//! Finds the registrar among the entities of a domain. Entities of other roles are never read.

use serde_json::Value;

use super::contact_name::entity_name;

/// How many entities are looked at, and how deep they may be in each other.
const MAX_ENTITIES: usize = 1_000;
const MAX_DEPTH: usize = 4;

/// The longest IANA id. Those in use have four digits.
const MAX_ID_DIGITS: usize = 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Registrar {
    pub(super) name: Option<String>,
    pub(super) iana_id: Option<String>,
}

/// The registrar. If there are several: the one that is the least deep, with an IANA id rather than without one,
/// and first in the list.
pub(super) fn find_registrar(domain: &Value) -> Registrar {
    let mut level: Vec<&Value> = list_of(domain.get("entities")).collect();
    let mut left = MAX_ENTITIES;
    for _ in 0..MAX_DEPTH {
        level.truncate(left);
        left -= level.len();
        let mut found: Option<Registrar> = None;
        for entity in level.iter().filter(|entity| has_role(entity, "registrar")) {
            let registrar = Registrar { name: entity_name(entity), iana_id: iana_id(entity) };
            let is_better = match &found {
                None => registrar != Registrar::default(),
                Some(found) => found.iana_id.is_none() && registrar.iana_id.is_some(),
            };
            if is_better {
                found = Some(registrar);
            }
        }
        if let Some(found) = found {
            return found;
        }
        level = level
            .iter()
            .flat_map(|entity| list_of(entity.get("entities")))
            .take(MAX_ENTITIES)
            .collect();
    }
    Registrar::default()
}

/// The items of a list, or the value itself where a server sends one value in place of a list.
pub(super) fn list_of(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let items: &[Value] = match value {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) => items,
        Some(one) => std::slice::from_ref(one),
    };
    items.iter()
}

fn has_role(entity: &Value, wanted: &str) -> bool {
    list_of(entity.get("roles"))
        .take(MAX_ENTITIES)
        .filter_map(Value::as_str)
        .any(|role| role.trim().eq_ignore_ascii_case(wanted))
}

fn iana_id(entity: &Value) -> Option<String> {
    list_of(entity.get("publicIds")).take(MAX_ENTITIES).find_map(|id| {
        let kind = id.get("type")?.as_str()?;
        let is_iana = kind.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("iana"));
        is_iana.then_some(())?;
        let text = match id.get("identifier")? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let is_id = (1..=MAX_ID_DIGITS).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then_some(text)
    })
}
