//! Reads the facts about its owner from a page.

use serde_json::Value;

use super::classes::EntityClass;
use super::fact_collector::{FactCollector, MAX_FAULTS, address_fields};
use super::graph::{self, Node, NodeRole, Vocabulary, subject};
use super::h_card;
use super::json_ld::{self, Repair};
use super::model::{Carrier, Entity, EntityFact};
use super::normalize::{self, address, name};
use super::outside_markup::{add_open_graph_facts, add_visible_facts};
use super::owner;
use crate::fault::{Fault, Weight};
use crate::page::{MAX_DATA_BYTES, MicrodataItem, Page, truncate_str};

/// Reads the owner of a page. The domain gives the region of telephone numbers if the page does not.
#[must_use]
pub fn read_entity(page: &Page, domain: &str) -> Entity {
    read(page, domain, FactSources::All)
}

/// The facts that a page declares for machines: in structured data and in `meta` elements. These are the
/// facts of [`read_entity`] in the same order, without looking for more in what people see, which takes
/// most of the time.
pub(crate) fn read_declared_facts(page: &Page, domain: &str) -> Vec<EntityFact> {
    read(page, domain, FactSources::Declared).facts
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FactSources {
    Declared,
    All,
}

fn read(page: &Page, domain: &str, sources: FactSources) -> Entity {
    let mut entity = Entity::default();
    let blocks = parse_json_ld_blocks(page, &mut entity.faults);
    let items = nodes_of_items(&page.microdata, "microdata");
    let rdfa = nodes_of_items(&page.rdfa, "rdfa");
    let cards = h_card::owner_cards(page, domain);
    let mut nodes: Vec<(Carrier, Node<'_>)> = Vec::new();
    for (carrier, list) in [
        (Carrier::JsonLd, &blocks),
        (Carrier::Microdata, &items),
        (Carrier::Rdfa, &rdfa),
        (Carrier::HCard, &cards),
    ] {
        for (at, block) in list {
            let mut found = Vec::new();
            graph::collect_nodes(block, at, &mut found);
            nodes.extend(found.into_iter().map(|node| (carrier, node)));
        }
    }
    owner::mark_roles(&mut nodes);
    let identities = owner::owner_nodes(&nodes);
    let main = owner::main_node(&nodes, &identities, domain);
    let home = main
        .and_then(|n| nodes.get(n))
        .and_then(|(_, node)| country(node))
        .or_else(|| {
            identities.iter().find_map(|n| nodes.get(*n).and_then(|(_, node)| country(node)))
        })
        .or_else(|| region_of_domain(domain));
    entity.country.clone_from(&home);
    if let Some((_, node)) = main.and_then(|n| nodes.get(n)) {
        entity.name = node.name().map(|name| truncate_str(name, 300).to_owned());
        entity.types.clone_from(&node.types);
        entity.subject = Some(subject(node));
        entity.owner_found = entity.name.is_some();
        entity.is_local_business = node.class == Some(EntityClass::LocalBusiness);
    }
    for n in &identities {
        if let Some((carrier, node)) = nodes.get(*n) {
            let region = country(node).or_else(|| home.clone());
            FactCollector { entity: &mut entity, carrier: *carrier, region }.add_node(node);
        }
    }
    owner::merge_descriptions(&mut entity, &nodes, &identities);
    let merged: Vec<&str> = {
        let mut all: Vec<&str> = entity.facts.iter().filter_map(|f| f.subject.as_deref()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let owners = distinct_subjects(&nodes, &identities, |node| node.role > NodeRole::Branch);
    // An owner whose description was merged into another has no facts of its own left.
    entity.owner_count =
        owners.iter().filter(|owner| merged.binary_search(&owner.as_str()).is_ok()).count();
    let places = distinct_subjects(&nodes, &identities, |node| {
        node.class == Some(EntityClass::LocalBusiness) || node.role == NodeRole::Branch
    });
    entity.business_place_count =
        places.iter().filter(|place| merged.binary_search(&place.as_str()).is_ok()).count();
    let localities: Vec<String> = main
        .and_then(|n| nodes.get(n))
        .into_iter()
        .flat_map(|(_, node)| node.values("address"))
        .filter_map(Value::as_object)
        .map(|members| address_fields(members).locality)
        .collect();
    add_open_graph_facts(page, &mut entity, home.as_deref());
    if sources == FactSources::All {
        entity.site_names = site_names(page, domain);
        add_visible_facts(page, &mut entity, home.as_deref(), &localities);
    }
    let has_markup = !page.json_ld.is_empty()
        || !page.microdata.is_empty()
        || !page.rdfa.is_empty()
        || !page.h_cards.is_empty();
    entity.script_only = !has_markup && page.is_app_shell;
    entity
}

/// The names by which the page and its address call the site, in the form in which names are compared.
fn site_names(page: &Page, domain: &str) -> Vec<String> {
    page.title
        .iter()
        .map(|title| {
            name::compact_name(&name::normalize_name(truncate_str(title, normalize::MAX_VALUE)))
        })
        .chain([name::compact_name(&name::normalize_name(domain_label(domain)))])
        .filter(|known| !known.is_empty())
        .collect()
}

/// The items that are not part of another, as JSON-LD with their positions.
fn nodes_of_items(items: &[MicrodataItem], carrier: &str) -> Vec<(String, Value)> {
    let top = items.iter().enumerate().filter(|(_, item)| !item.nested);
    top.filter_map(|(n, _)| Some((format!("/{carrier}/{n}"), graph::from_item(items, n, 0)?)))
        .collect()
}

fn distinct_subjects(
    nodes: &[(Carrier, Node<'_>)],
    identities: &[usize],
    wanted: fn(&Node<'_>) -> bool,
) -> Vec<String> {
    let mut subjects: Vec<String> = identities
        .iter()
        .filter_map(|n| nodes.get(*n))
        .filter(|(_, node)| wanted(node))
        .map(|(_, node)| subject(node))
        .collect();
    subjects.sort_unstable();
    subjects.dedup();
    subjects
}

/// The readable JSON-LD blocks with their positions.
fn parse_json_ld_blocks(page: &Page, faults: &mut Vec<Fault>) -> Vec<(String, Value)> {
    let mut blocks = Vec::new();
    for (n, raw) in page.json_ld.iter().enumerate() {
        let at = format!("/json_ld/{n}");
        match json_ld::parse_lenient(raw) {
            Ok((value, mended)) => {
                faults.extend(repair_fault(mended, &at));
                match graph::vocabulary(&value) {
                    Vocabulary::SchemaOrg => blocks.push((at, value)),
                    Vocabulary::Missing => {
                        faults.push(Fault {
                            code: "json_ld_no_context",
                            weight: Weight::Warning,
                            at: at.clone(),
                            problem: "The block has no @context, so readers cannot tell which vocabulary it uses."
                                .to_owned(),
                            fix: "Add \"@context\": \"https://schema.org\" to the block.".to_owned(),
                        });
                        blocks.push((at, value));
                    }
                    Vocabulary::Foreign => faults.push(Fault {
                        code: "json_ld_foreign_context",
                        weight: Weight::Note,
                        at,
                        problem: "The block uses a vocabulary other than schema.org, so we did not read the site's owner from it.".to_owned(),
                        fix: "Describe the organisation in a block with \"@context\": \"https://schema.org\".".to_owned(),
                    }),
                }
            }
            Err(_) if raw.len() + 4 > MAX_DATA_BYTES => faults.push(Fault {
                code: "json_ld_too_long",
                weight: Weight::Warning,
                at,
                problem: format!("The block is longer than {} KiB. The rest was not read.", MAX_DATA_BYTES >> 10),
                fix: "Describe the site's owner in a short separate block.".to_owned(),
            }),
            Err(place) => faults.push(Fault {
                code: "json_ld_invalid",
                weight: Weight::Error,
                at,
                problem: format!("The block is not valid JSON: it breaks at {place}."),
                fix: "Generate the block with a JSON serialiser, or check it with a JSON validator before publishing.".to_owned(),
            }),
        }
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    blocks
}

fn repair_fault(mended: Repair, at: &str) -> Option<Fault> {
    let (code, problem, fix) = match mended {
        Repair::Nothing => return None,
        Repair::Wrapper => (
            "json_ld_wrapped",
            "The block is wrapped in comment or CDATA marks. Strict readers find no JSON.",
            "Remove the marks; the script element needs nothing around its JSON.",
        ),
        Repair::Escaped => (
            "json_ld_escaped",
            "Quotes in the block are written as character references. Browsers do not decode them inside a script element.",
            "Write plain quotation marks, and turn off HTML escaping for this block in the template.",
        ),
        Repair::Syntax => (
            "json_ld_loose_syntax",
            "The block contains trailing commas, comments or raw line breaks in strings. Strict readers ignore the whole block.",
            "Remove them, or generate the block with a JSON serialiser.",
        ),
    };
    Some(Fault {
        code,
        weight: Weight::Warning,
        at: at.to_owned(),
        problem: problem.to_owned(),
        fix: fix.to_owned(),
    })
}

/// The country of a node's address.
fn country(node: &Node<'_>) -> Option<String> {
    node.values("address").into_iter().find_map(|value| {
        let countries = graph::values(value.as_object()?, "addressCountry");
        let code = address::country_code(truncate_str(graph::text(countries.first()?)?, 100));
        (code.len() == 2).then_some(code)
    })
}

/// The label of a domain below its public suffix: `tin` for `www.tin.co.uk`.
fn domain_label(domain: &str) -> &str {
    let bare = domain.trim_end_matches('.');
    let suffix = psl::suffix_str(bare).unwrap_or_default();
    let before = bare.strip_suffix(suffix).unwrap_or(bare).trim_end_matches('.');
    before.rsplit('.').next().unwrap_or(before)
}

/// The region of a country-code top-level domain.
fn region_of_domain(domain: &str) -> Option<String> {
    let last = domain.trim_end_matches('.').rsplit('.').next()?;
    match last.to_ascii_lowercase().as_str() {
        "uk" => Some("GB".to_owned()),
        // Sold worldwide, so they do not indicate a region.
        "io" | "co" | "ai" | "me" | "tv" | "cc" | "ws" | "fm" | "to" | "gg" | "ly" | "la"
        | "eu" => None,
        two if two.len() == 2 && two.bytes().all(|b| b.is_ascii_alphabetic()) => {
            Some(two.to_ascii_uppercase())
        }
        _ => None,
    }
}
