//! Compares facts and finds where a page contradicts itself.

use super::model::{Entity, EntityFact, FactName};
use super::normalize::{address, hours, name, phone};

/// How two values of the same fact relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// They say the same.
    Same,
    /// A different spelling, or one is less complete.
    Variant,
    /// They may be the same; there is not enough information to decide.
    Weak,
    /// They contradict each other.
    Conflict,
}

impl Agreement {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Variant => "variant",
            Self::Weak => "weak",
            Self::Conflict => "conflict",
        }
    }
}

/// Compares two values of a fact. Symmetric.
#[must_use]
pub fn compare_facts(fact: FactName, a: &EntityFact, b: &EntityFact) -> Agreement {
    let (one, other) = (a.normalized.as_str(), b.normalized.as_str());
    if one.is_empty() || other.is_empty() {
        return Agreement::Weak;
    }
    match fact {
        FactName::Telephone | FactName::Fax => compare_phones(one, other),
        FactName::Name | FactName::LegalName | FactName::AlternateName => {
            match name::compare_names(one, other) {
                name::NameMatch::Same => Agreement::Same,
                name::NameMatch::Variant => Agreement::Variant,
                name::NameMatch::Unknown => Agreement::Weak,
                name::NameMatch::Other => Agreement::Conflict,
            }
        }
        FactName::Address => match address::compare_addresses(one, other) {
            address::AddressMatch::Same => Agreement::Same,
            address::AddressMatch::Variant => Agreement::Variant,
            address::AddressMatch::Other => Agreement::Conflict,
        },
        // A different file or profile is not a contradiction.
        FactName::SameAs | FactName::Logo | FactName::AreaServed | FactName::PriceRange => {
            if one == other { Agreement::Same } else { Agreement::Variant }
        }
        FactName::Url => {
            let host =
                |normal: &str| normal.split(['/', '?']).next().unwrap_or_default().to_owned();
            if one == other {
                Agreement::Same
            } else if host(one) == host(other) {
                Agreement::Variant
            } else {
                Agreement::Conflict
            }
        }
        FactName::Hours if one == other => Agreement::Same,
        FactName::Hours => match hours::compare_weeks(one, other) {
            Some(true) => Agreement::Conflict,
            Some(false) => Agreement::Variant,
            None => Agreement::Weak,
        },
        // An owner may have an address for each purpose.
        FactName::Email if one != other => Agreement::Variant,
        FactName::Email | FactName::TaxId | FactName::VatId | FactName::Lei | FactName::Duns => {
            if one == other {
                Agreement::Same
            } else if one.ends_with(other) || other.ends_with(one) {
                // With and without the country.
                Agreement::Variant
            } else {
                Agreement::Conflict
            }
        }
    }
}

fn compare_phones(one: &str, other: &str) -> Agreement {
    let main = |normal: &str| normal.split(';').next().unwrap_or_default().to_owned();
    if phone::is_possible(one) && phone::is_possible(other) {
        let (a, b) = (main(one), main(other));
        return if one == other {
            Agreement::Same
        } else if a.starts_with(&b) || b.starts_with(&a) {
            // An extension, or a number of which we did not read the end.
            Agreement::Variant
        } else if phone::number_kind(&a) != phone::number_kind(&b) {
            // A hotline, a mobile and the number of the office are different things.
            Agreement::Weak
        } else {
            Agreement::Conflict
        };
    }
    match phone::may_be_same(one, other) {
        Some(true) | None => Agreement::Weak,
        Some(false) => Agreement::Conflict,
    }
}

/// Two different values of one fact about the same subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    pub fact: FactName,
    /// Indexes into [`Entity::facts`].
    pub one: usize,
    pub other: usize,
    pub agreement: Agreement,
}

/// Facts that should agree in all descriptions of a subject.
const COMPARED: [FactName; 6] = [
    FactName::Name,
    FactName::LegalName,
    FactName::Telephone,
    FactName::Address,
    FactName::Hours,
    FactName::VatId,
];
/// How many pairs of values of one fact are compared.
const MAX_PAIRS: usize = 400;
const MAX_FOUND: usize = 50;

/// Finds where a page contradicts itself. Only statements about the same entity are compared: several
/// descriptions of the main subject, and what the page says outside its structured data if that describes
/// one owner at one place.
#[must_use]
pub fn find_disagreements(entity: &Entity) -> Vec<Disagreement> {
    COMPARED
        .into_iter()
        .flat_map(|fact| {
            let mut found = between_descriptions(entity, fact);
            found.extend(with_rest_of_page(entity, fact));
            found
        })
        .take(MAX_FOUND)
        .collect()
}

/// Compares the descriptions of the main subject with each other.
fn between_descriptions(entity: &Entity, fact: FactName) -> Vec<Disagreement> {
    // Several values in one description (two numbers of one node) do not contradict each other.
    let mut sources: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, stated) in stated_in_markup(entity, fact) {
        match sources.iter_mut().find(|(name, _)| *name == stated.node()) {
            Some((_, list)) => list.push(place),
            None => sources.push((stated.node(), vec![place])),
        }
    }
    let mut found = Vec::new();
    for (n, (_, ones)) in sources.iter().enumerate() {
        for (_, others) in sources.iter().skip(n + 1) {
            let pairs = ones.iter().flat_map(|one| others.iter().map(move |other| (*one, *other)));
            found.extend(closest(entity, fact, pairs));
            if found.len() >= MAX_FOUND {
                return found;
            }
        }
    }
    found
}

/// Compares the only value of the main subject with the only value in the rest of the page. Where either
/// has several values, another one of them may be meant.
fn with_rest_of_page(entity: &Entity, fact: FactName) -> Option<Disagreement> {
    if entity.business_place_count > 1 || entity.owner_count > 1 {
        return None;
    }
    let of_page: Vec<usize> = entity
        .facts
        .iter()
        .enumerate()
        .filter(|(_, stated)| stated.fact == fact && stated.subject.is_none())
        .map(|(place, _)| place)
        .collect();
    let of_owner: Vec<usize> = entity
        .facts
        .iter()
        .enumerate()
        .filter(|(_, stated)| stated.subject.is_some() && is_same_kind(fact, stated.fact))
        .map(|(place, _)| place)
        .collect();
    let pairs = of_owner.iter().flat_map(|one| of_page.iter().map(move |other| (*one, *other)));
    let found = closest(entity, fact, pairs)?;
    if found.agreement != Agreement::Conflict {
        return Some(found);
    }
    let is_certain = match fact {
        FactName::Name => names_contradict(entity, &of_page),
        _ => is_one_value(entity, fact, &of_page) && is_one_value(entity, fact, &of_owner),
    };
    is_certain.then_some(found)
}

/// Legal and other names are names of the owner, too.
fn is_same_kind(fact: FactName, stated: FactName) -> bool {
    let names = [FactName::Name, FactName::LegalName, FactName::AlternateName];
    fact == stated || fact == FactName::Name && names.contains(&stated)
}

fn stated_in_markup(entity: &Entity, fact: FactName) -> impl Iterator<Item = (usize, &EntityFact)> {
    entity.facts.iter().enumerate().filter(move |(_, stated)| {
        stated.fact == fact && stated.subject.is_some() && stated.subject == entity.subject
    })
}

/// The pair that agrees best, unless it says the same.
fn closest(
    entity: &Entity,
    fact: FactName,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Option<Disagreement> {
    pairs
        .take(MAX_PAIRS)
        .filter_map(|(one, other)| {
            let (a, b) = (entity.facts.get(one)?, entity.facts.get(other)?);
            Some(Disagreement { fact, one, other, agreement: compare_facts(fact, a, b) })
        })
        .min_by_key(|pair| pair.agreement)
        .filter(|pair| pair.agreement != Agreement::Same)
}

/// Whether all these statements may give the same value.
fn is_one_value(entity: &Entity, fact: FactName, places: &[usize]) -> bool {
    let Some(first) = places.first().and_then(|place| entity.facts.get(*place)) else {
        return false;
    };
    places
        .iter()
        .filter_map(|place| entity.facts.get(*place))
        .all(|stated| compare_facts(fact, first, stated) != Agreement::Conflict)
}

/// Whether the name of the site (`og:site_name`) contradicts the owner's. A company may run a site under
/// another name, so this needs a witness: title or domain have the owner's name and not the site's, or the
/// owner is a shop or the like, whose name is that of the site.
fn names_contradict(entity: &Entity, of_page: &[usize]) -> bool {
    let is_known = |normal: &str| {
        let compact = name::compact_name(normal);
        entity.site_names.iter().any(|known| {
            *known == compact
                || name::is_part_of(&compact, known)
                || name::is_part_of(known, &compact)
        })
    };
    let site_name_known = of_page
        .iter()
        .filter_map(|place| entity.facts.get(*place))
        .any(|stated| is_known(&stated.normalized));
    let owner_known =
        stated_in_markup(entity, FactName::Name).any(|(_, stated)| is_known(&stated.normalized));
    let is_company = entity.name.as_deref().is_some_and(name::has_legal_form);
    owner_known && !site_name_known || entity.is_local_business && !is_company
}
