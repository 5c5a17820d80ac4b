//! The facts that the page states about its owner, their sources, and their contradictions.

use std::collections::BTreeMap;

use contract::evidence::Reading;
use contract::records::{FactLineage, LineageFact, LineageRead, LineageSubject, Nap, StatedFact};
use contract::text::display_safe;
use declared::entity::{
    Agreement, Entity, EntityFact, FactName, compare_facts, find_disagreements, read_entity,
};

use super::convert::to_file_fault;
use super::parsed_evidence::{ParsedEvidence, ParsedPage};

/// The most types listed for the subject.
const MAX_TYPES: usize = 20;
/// The longest pointer: deeper ones lead into structures that are not read.
const MAX_POINTER: usize = 300;

/// The name, address and telephone block, and every fact with all its sources.
pub(super) fn build_owner_facts(
    parsed: &ParsedEvidence<'_>,
    page: Option<(&Reading, &ParsedPage)>,
) -> Option<(Nap, FactLineage)> {
    let (reading, parsed_page) = page?;
    let entity = read_entity(&parsed_page.page, parsed.evidence.domain.as_str());
    let url = reading.exchange.response().map_or(reading.exchange.url.as_str(), |r| r.url.as_str());
    let stated = |stated: &EntityFact| StatedFact {
        untrusted_value: display_safe(&stated.value, 300),
        source: stated.carrier.as_str().to_owned(),
        url: url.to_owned(),
        evidence: vec![reading.id.clone()],
        pointer: None,
        block: None,
        place: None,
    };
    // Only in the lineage: the other lists repeat what is there.
    let located = |fact: &EntityFact| StatedFact {
        pointer: fact.pointer.as_ref().map(|place| display_safe(&place.pointer, MAX_POINTER)),
        block: fact.pointer.as_ref().map(|place| super::saturating_u32(place.block)),
        place: fact.pointer.is_none().then(|| display_safe(&fact.at, MAX_POINTER)),
        ..stated(fact)
    };
    let conflicts = conflicting_values(&entity);
    let names = fact_names(&entity);
    let of = |fact: FactName| -> Vec<&EntityFact> {
        entity.facts.iter().filter(|stated| stated.fact == fact).collect()
    };
    let facts: Vec<LineageFact> = names
        .iter()
        .map(|fact| LineageFact {
            fact: fact.as_str().to_owned(),
            stated: of(*fact).into_iter().map(located).collect(),
            agrees: !conflicts.contains_key(fact.as_str()),
        })
        .collect();
    let mut carriers: Vec<String> =
        entity.facts.iter().map(|stated| stated.carrier.as_str().to_owned()).collect();
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
            domain: parsed.evidence.domain.clone(),
            untrusted_name: entity
                .name
                .as_deref()
                .filter(|_| entity.owner_found)
                .map(|name| display_safe(name, 200)),
            types: entity
                .types
                .iter()
                .filter(|_| entity.owner_found)
                .take(MAX_TYPES)
                .map(|name| display_safe(name, 100))
                .collect(),
            country: entity.country.clone(),
        },
        read: LineageRead { pages: vec![reading.path.clone()], carriers },
        faults: entity.faults.iter().cloned().map(to_file_fault).take(50).collect(),
        facts,
    };
    let all = |fact: FactName| of(fact).into_iter().map(stated).collect::<Vec<_>>();
    let nap = Nap {
        phones: all(FactName::Telephone),
        addresses: all(FactName::Address),
        citations: all(FactName::SameAs),
        verified: facts_stated_twice(&entity).into_iter().map(stated).collect(),
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

fn fact_names(entity: &Entity) -> Vec<FactName> {
    let mut names: Vec<FactName> = entity.facts.iter().map(|stated| stated.fact).collect();
    names.sort();
    names.dedup();
    names
}

/// The contradicting values, by fact.
fn conflicting_values(entity: &Entity) -> BTreeMap<String, Vec<String>> {
    let mut conflicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for found in find_disagreements(entity) {
        if found.agreement != Agreement::Conflict {
            continue;
        }
        let values = conflicts.entry(found.fact.as_str().to_owned()).or_default();
        for at in [found.one, found.other] {
            let Some(stated) = entity.facts.get(at) else { continue };
            let value = display_safe(&stated.value, 300);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    conflicts
}

/// Facts that two carriers state alike, each once. Both are the site's own statements, so this is
/// agreement, not proof.
fn facts_stated_twice(entity: &Entity) -> Vec<&EntityFact> {
    let mut found: Vec<&EntityFact> = Vec::new();
    for (at, one) in entity.facts.iter().enumerate() {
        let agrees = entity.facts.iter().skip(at + 1).any(|other| {
            other.fact == one.fact
                && other.carrier != one.carrier
                && compare_facts(one.fact, one, other) == Agreement::Same
        });
        let is_listed = found.iter().any(|listed| {
            listed.fact == one.fact && compare_facts(one.fact, listed, one) == Agreement::Same
        });
        if agrees && !is_listed {
            found.push(one);
        }
    }
    found
}
