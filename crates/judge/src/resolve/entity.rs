//! The `entity` section: who runs the site, by its own structured data.

use contract::records::{Entity, EntitySection, FactLineage, ScanRecord, Section, StatedFact};

/// The sources that are structured data. `rel=me` links are statements to machines, too.
const MARKUP: [&str; 5] = ["json_ld", "microdata", "rdfa", "h_card", "rel_me"];
/// The most `same_as` addresses in an answer.
const MAX_SAME_AS: usize = 50;

/// The organisation, business or person that the page's structured data names. Where it names none, the
/// section is not measured: that does not mean that nobody runs the site.
#[must_use]
pub fn entity(record: &ScanRecord) -> EntitySection {
    let observed_at = record.scanned_at;
    let not_measured =
        |why: &str| Section::NotMeasured { observed_at: Some(observed_at), why: why.to_owned() };
    let Some(lineage) = &record.fact_lineage else {
        return not_measured("The site served no page that could name its owner.");
    };
    let Some(name) = &lineage.subject.untrusted_name else {
        return not_measured(if record.content.script_shell == Some(true) {
            "The page is an empty shell that a script fills. It may have structured data after the script has run (script_only)."
        } else {
            "The page's structured data does not name who runs the site (no_entity_markup)."
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

/// The values that structured data states for one fact, each once.
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
