//! Who the site says is behind it. Observed only where structured data names somebody.

use contract::records::{Entity, EntitySection, FactLineage, ScanRecord, Section, StatedFact};

/// What of a page is markup for machines.
const MARKUP: [&str; 2] = ["json_ld", "microdata"];
/// Other addresses told.
const MAX_SAME_AS: usize = 50;

/// The named organisation, business or person of the page's structured data. A page without one
/// says nothing about who is behind it, which is not the same as nobody being there.
#[must_use]
pub fn entity(record: &ScanRecord) -> EntitySection {
    let observed_at = record.scanned_at;
    let not_measured =
        |why: &str| Section::NotMeasured { observed_at: Some(observed_at), why: why.to_owned() };
    let Some(lineage) = &record.fact_lineage else {
        return not_measured("No page was served that could name anybody.");
    };
    let Some(name) = &lineage.subject.untrusted_name else {
        return not_measured(if record.content.script_shell == Some(true) {
            "The page is a shell that a script would fill; markup may be there once it has run (script_only)."
        } else {
            "The page was read and its structured data names nobody (no_entity_markup)."
        });
    };
    let mut sources: Vec<String> = lineage
        .facts
        .iter()
        .flat_map(|fact| &fact.stated)
        .filter(|stated| is_markup(stated))
        .map(|stated| stated.url.clone())
        .collect();
    sources.sort();
    sources.dedup();
    Section::Observed {
        observed_at,
        body: Entity {
            untrusted_name: Some(name.clone()),
            types: lineage.subject.types.clone(),
            url: stated(lineage, "url").next().map(ToOwned::to_owned),
            same_as: stated(lineage, "same_as").take(MAX_SAME_AS).map(ToOwned::to_owned).collect(),
            sources,
        },
    }
}

fn is_markup(stated: &StatedFact) -> bool {
    MARKUP.contains(&stated.source.as_str())
}

/// What markup says of one fact, each value once.
fn stated<'a>(lineage: &'a FactLineage, name: &str) -> impl Iterator<Item = &'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for fact in lineage.facts.iter().filter(|fact| fact.fact == name) {
        for stated in fact.stated.iter().filter(|stated| is_markup(stated)) {
            if !seen.contains(&stated.untrusted_value.as_str()) {
                seen.push(&stated.untrusted_value);
            }
        }
    }
    seen.into_iter()
}
