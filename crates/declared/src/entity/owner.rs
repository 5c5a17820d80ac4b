//! Which nodes of structured data describe the owner of the site, and which of them mean the same entity.

use serde_json::Value;

use super::classes::{self, EntityClass};
use super::compare::{Agreement, compare_facts};
use super::graph::{self, Node, NodeRole};
use super::model::{Carrier, Entity, EntityFact, FactName};
use super::normalize::{self, name};

/// Properties that lead to people who do not run the site.
const PEOPLE: &[&str] = &[
    "author",
    "creator",
    "contributor",
    "editor",
    "translator",
    "illustrator",
    "reviewedBy",
    "accountablePerson",
    "employee",
    "employees",
    "founder",
    "founders",
    "member",
    "members",
    "alumni",
    "performer",
    "actor",
    "director",
];
/// Properties that lead to organisations other than the owner.
const OTHER_ORGANIZATIONS: &[&str] = &[
    "department",
    "subOrganization",
    "parentOrganization",
    "location",
    "hasPOS",
    "sponsor",
    "funder",
    "memberOf",
    "affiliation",
    "alumniOf",
    "performer",
    "itemReviewed",
    "containedInPlace",
    "sourceOrganization",
];
/// From this many descriptions with one name on, they are a list of branches.
const MAX_DESCRIPTIONS: usize = 2;

/// Sets the role of nodes that other nodes refer to by their id.
pub(super) fn mark_roles(nodes: &mut [(Carrier, Node<'_>)]) {
    let publishers = referenced_ids(nodes, &["publisher"]);
    let people = referenced_ids(nodes, PEOPLE);
    let others = referenced_ids(nodes, OTHER_ORGANIZATIONS);
    let is_in =
        |list: &[String], id: &str| list.binary_search_by(|known| known.as_str().cmp(id)).is_ok();
    let is_organization = |node: &Node<'_>| {
        matches!(node.class, Some(EntityClass::Organization | EntityClass::LocalBusiness))
    };
    let before: Vec<NodeRole> = nodes.iter().map(|(_, node)| node.role).collect();
    for (_, node) in nodes.iter_mut() {
        let Some(id) = node.id else { continue };
        if is_in(&publishers, id) {
            node.role = node.role.max(NodeRole::Publisher);
        } else if node.class == Some(EntityClass::Person) && is_in(&people, id) {
            node.role = NodeRole::Related;
        } else if is_organization(node) && is_in(&others, id) && node.role == NodeRole::TopLevel {
            node.role = NodeRole::Branch;
        }
    }
    // A venue that its own events refer to is still the owner, if there is no other.
    let has_owner =
        nodes.iter().any(|(_, node)| is_organization(node) && node.role > NodeRole::Branch);
    if !has_owner {
        for ((_, node), role) in nodes.iter_mut().zip(before) {
            if is_organization(node) {
                node.role = role;
            }
        }
    }
}

/// The ids that nodes refer to by these properties, sorted.
fn referenced_ids(nodes: &[(Carrier, Node<'_>)], properties: &[&str]) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for (_, node) in nodes {
        for property in properties {
            let Some(value) = node.members.get(*property) else { continue };
            let values = match value {
                Value::Array(list) => list.as_slice(),
                single => std::slice::from_ref(single),
            };
            for value in values.iter().take(50) {
                let id = value.get("@id").and_then(Value::as_str).or_else(|| value.as_str());
                named.extend(id.map(str::to_owned));
            }
        }
    }
    named.sort_unstable();
    named.dedup();
    named
}

/// The nodes that may be the owner: organisations, or the person who publishes the site, or the only
/// person described if nothing says that it is an author.
pub(super) fn owner_nodes(nodes: &[(Carrier, Node<'_>)]) -> Vec<usize> {
    let nodes_where = |wanted: fn(&Node<'_>) -> bool| -> Vec<usize> {
        nodes.iter().enumerate().filter(|(_, (_, node))| wanted(node)).map(|(n, _)| n).collect()
    };
    // A node with only an id is a reference, not another organisation.
    let organised = nodes_where(|node| {
        matches!(node.class, Some(EntityClass::Organization | EntityClass::LocalBusiness))
            && node.members.keys().any(|key| !key.starts_with('@') && key != "type" && key != "id")
    });
    let publishing = nodes_where(|node| {
        node.class == Some(EntityClass::Person)
            && node.role == NodeRole::Publisher
            && node.name().is_some()
    });
    let people = nodes_where(|node| {
        node.class == Some(EntityClass::Person)
            && node.role > NodeRole::Related
            && node.name().is_some()
    });
    let has_article =
        nodes.iter().any(|(_, node)| node.types.iter().any(|name| classes::is_article_type(name)));
    match (organised.is_empty(), publishing.is_empty()) {
        (false, true) => organised,
        (false, false) => [organised, publishing].concat(),
        (true, false) => publishing,
        (true, true) if people.len() == 1 && !has_article => people,
        (true, true) => Vec::new(),
    }
}

/// The node that describes the owner best.
pub(super) fn main_node(
    nodes: &[(Carrier, Node<'_>)],
    identities: &[usize],
    domain: &str,
) -> Option<usize> {
    identities.iter().copied().max_by_key(|n| {
        nodes.get(*n).map(|(_, node)| {
            let named_owner = node.name().is_some() && node.role > NodeRole::Branch;
            // Of equal candidates the first one counts.
            (named_owner, owner_rank(node, domain), std::cmp::Reverse(*n))
        })
    })
}

/// How well a node qualifies as the owner of the site.
fn owner_rank(node: &Node<'_>, domain: &str) -> (bool, u8) {
    let host = normalize::host_of_url(domain);
    let own = node.texts("url").iter().chain(node.id.iter()).any(|address| {
        let address = normalize::host_of_url(address);
        !host.is_empty() && (address == host || address.ends_with(&format!(".{host}")))
    });
    let place = match node.role {
        NodeRole::Publisher => 8,
        NodeRole::TopLevel => 2,
        NodeRole::Branch | NodeRole::Related => 0,
    };
    let class = match node.class {
        Some(EntityClass::Organization) => 2,
        Some(EntityClass::LocalBusiness) => 1,
        _ => 0,
    };
    (node.name().is_some(), place + class + if own { 4 } else { 0 })
}

/// Gives descriptions that certainly mean the same entity one subject. Different ids are different
/// entities; the same name alone may be two branches.
pub(super) fn merge_descriptions(
    entity: &mut Entity,
    nodes: &[(Carrier, Node<'_>)],
    identities: &[usize],
) {
    let owners: Vec<(Carrier, &Node<'_>, String)> = identities
        .iter()
        .filter_map(|n| nodes.get(*n))
        .filter(|(_, node)| node.role > NodeRole::Branch)
        .filter_map(|(carrier, node)| {
            let name = name::compact_name(&name::normalize_name(node.name()?));
            (!name.is_empty()).then_some((*carrier, node, name))
        })
        .take(MAX_OWNERS)
        .collect();
    for (n, (carrier, node, name)) in owners.iter().enumerate() {
        let alike = |(_, other, other_name): &&(Carrier, &Node<'_>, String)| {
            other_name == name && other.class == node.class
        };
        if owners.iter().filter(alike).count() > MAX_DESCRIPTIONS {
            continue;
        }
        let Some((other_carrier, other, _)) = owners.iter().skip(n + 1).find(alike) else {
            continue;
        };
        let (one_subject, other_subject) = (graph::subject(node), graph::subject(other));
        if one_subject == other_subject || node.id.is_some() && other.id.is_some() {
            continue;
        }
        if carrier != other_carrier || may_be_one_place(entity, &one_subject, &other_subject) {
            let into = if other.id.is_some() { &other_subject } else { &one_subject };
            let from = if other.id.is_some() { &one_subject } else { &other_subject };
            for fact in &mut entity.facts {
                if fact.subject.as_ref() == Some(from) {
                    fact.subject = Some(into.clone());
                }
            }
            if entity.subject.as_ref() == Some(from) {
                entity.subject = Some(into.clone());
            }
        }
    }
}

/// How many descriptions of owners are compared with each other.
const MAX_OWNERS: usize = 50;

/// Whether two descriptions of the same name do not look like two branches: an address is missing, or
/// address or telephone agree.
fn may_be_one_place(entity: &Entity, one: &str, other: &str) -> bool {
    let facts = |subject: &str, fact: FactName| -> Vec<&EntityFact> {
        let is_of = |stated: &&EntityFact| {
            stated.fact == fact && stated.subject.as_deref() == Some(subject)
        };
        entity.facts.iter().filter(is_of).take(20).collect()
    };
    let agree = |fact: FactName| {
        let others = facts(other, fact);
        facts(one, fact)
            .iter()
            .any(|one| others.iter().any(|other| compare_facts(fact, one, other) < Agreement::Weak))
    };
    let lacks = |fact: FactName| facts(one, fact).is_empty() || facts(other, fact).is_empty();
    lacks(FactName::Address) || agree(FactName::Address) || agree(FactName::Telephone)
}
