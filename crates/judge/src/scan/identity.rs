//! Who the page says is behind it, where it says so, and where it contradicts itself.

use std::collections::BTreeMap;

use contract::evidence::Reading;
use contract::records::{FactLineage, LineageFact, LineageRead, LineageSubject, Nap, StatedFact};
use declared::entity::{Agreement, Entity, FactName, Stated, compare, disagreements, read};

use super::look::{Look, Sheet};

/// Types told of the subject.
const MAX_TYPES: usize = 20;

/// Name, address, telephone; and every fact with all its sources.
pub(super) fn identity(
    look: &Look<'_>,
    page: Option<(&Reading, &Sheet)>,
) -> Option<(Nap, FactLineage)> {
    let (reading, sheet) = page?;
    let entity = read(&sheet.page, look.evidence.domain.as_str());
    let url = reading.exchange.response().map_or(reading.exchange.url.as_str(), |r| r.url.as_str());
    let stated = |stated: &Stated| StatedFact {
        untrusted_value: super::shown(&stated.value, 300),
        source: stated.carrier.as_str().to_owned(),
        url: url.to_owned(),
        evidence: vec![reading.id.clone()],
    };
    let conflicts = conflicts(&entity);
    let names = names(&entity);
    let of = |fact: FactName| -> Vec<&Stated> {
        entity.stated.iter().filter(|stated| stated.fact == fact).collect()
    };
    let facts: Vec<LineageFact> = names
        .iter()
        .map(|fact| LineageFact {
            fact: fact.as_str().to_owned(),
            stated: of(*fact).into_iter().map(stated).collect(),
            agrees: !conflicts.contains_key(fact.as_str()),
        })
        .collect();
    let mut carriers: Vec<String> =
        entity.stated.iter().map(|stated| stated.carrier.as_str().to_owned()).collect();
    carriers.sort();
    carriers.dedup();
    let single = |fact: &&FactName| {
        let mut sources: Vec<_> = of(**fact).iter().map(|stated| stated.carrier).collect();
        sources.sort();
        sources.dedup();
        sources.len() == 1
    };
    let lineage = FactLineage {
        v: 1,
        scored: true,
        disagree: conflicts.keys().cloned().collect(),
        single_source: names.iter().filter(single).map(|fact| fact.as_str().to_owned()).collect(),
        subject: LineageSubject {
            domain: look.evidence.domain.clone(),
            untrusted_name: entity
                .name
                .as_deref()
                .filter(|_| entity.found)
                .map(|name| super::shown(name, 200)),
            types: entity
                .types
                .iter()
                .filter(|_| entity.found)
                .take(MAX_TYPES)
                .map(|name| super::shown(name, 100))
                .collect(),
        },
        read: LineageRead { pages: vec![reading.path.clone()], carriers },
        faults: entity.faults.iter().cloned().map(super::checks::told).take(50).collect(),
        facts,
    };
    let all = |fact: FactName| of(fact).into_iter().map(stated).collect::<Vec<_>>();
    let nap = Nap {
        phones: all(FactName::Telephone),
        addresses: all(FactName::Address),
        citations: all(FactName::SameAs),
        verified: verified(&entity).into_iter().map(stated).collect(),
        hours: all(FactName::Hours),
        lineage: names
            .iter()
            .map(|fact| {
                let mut sources: Vec<String> =
                    of(*fact).iter().map(|s| s.carrier.as_str().to_owned()).collect();
                sources.sort();
                sources.dedup();
                (fact.as_str().to_owned(), sources)
            })
            .collect(),
        conflicts,
    };
    Some((nap, lineage))
}

fn names(entity: &Entity) -> Vec<FactName> {
    let mut names: Vec<FactName> = entity.stated.iter().map(|stated| stated.fact).collect();
    names.sort();
    names.dedup();
    names
}

/// The values that contradict each other, by fact.
fn conflicts(entity: &Entity) -> BTreeMap<String, Vec<String>> {
    let mut conflicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for found in disagreements(entity) {
        if found.agreement != Agreement::Conflict {
            continue;
        }
        let values = conflicts.entry(found.fact.as_str().to_owned()).or_default();
        for at in [found.one, found.other] {
            let Some(stated) = entity.stated.get(at) else { continue };
            let value = super::shown(&stated.value, 300);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    conflicts
}

/// Facts that two carriers state alike; each once. That both are the site's own words is why this
/// is agreement, and no proof.
fn verified(entity: &Entity) -> Vec<&Stated> {
    let mut found: Vec<&Stated> = Vec::new();
    for (at, one) in entity.stated.iter().enumerate() {
        let agrees = entity.stated.iter().skip(at + 1).any(|other| {
            other.fact == one.fact
                && other.carrier != one.carrier
                && compare(one.fact, one, other) == Agreement::Same
        });
        let known = found
            .iter()
            .any(|held| held.fact == one.fact && compare(one.fact, held, one) == Agreement::Same);
        if agrees && !known {
            found.push(one);
        }
    }
    found
}
