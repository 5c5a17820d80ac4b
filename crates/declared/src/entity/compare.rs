//! Compares facts and finds where a page contradicts itself.

use super::model::{Carrier, Entity, EntityFact, FactName};
use super::normalize::{address, name, phone};

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
            if one == other {
                Agreement::Same
            } else if name::one_contains_other(one, other) {
                Agreement::Variant
            } else {
                Agreement::Conflict
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
        FactName::Hours
        | FactName::Email
        | FactName::TaxId
        | FactName::VatId
        | FactName::Lei
        | FactName::Duns => {
            if one == other {
                Agreement::Same
            } else {
                Agreement::Conflict
            }
        }
    }
}

fn compare_phones(one: &str, other: &str) -> Agreement {
    let main = |normal: &str| normal.split(';').next().unwrap_or_default().to_owned();
    if phone::is_possible(one) && phone::is_possible(other) {
        return if one == other {
            Agreement::Same
        } else if main(one) == main(other) {
            Agreement::Variant
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
const COMPARED: [FactName; 7] = [
    FactName::Name,
    FactName::LegalName,
    FactName::Telephone,
    FactName::Address,
    FactName::Hours,
    FactName::VatId,
    FactName::Email,
];

/// Finds where a page contradicts itself. Several business locations are not a contradiction: only facts
/// about the same subject are compared. Visible facts are compared only with the main subject, and only
/// if there is one business location.
#[must_use]
pub fn find_disagreements(entity: &Entity) -> Vec<Disagreement> {
    COMPARED.into_iter().flat_map(|fact| disagreements_of(entity, fact)).collect()
}

fn disagreements_of(entity: &Entity, fact: FactName) -> Vec<Disagreement> {
    // Several values in one description (two numbers of one node) do not contradict each other.
    let mut sources: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, stated) in entity.facts.iter().enumerate() {
        if stated.fact != fact || !is_about_main(entity, stated) {
            continue;
        }
        let source = match stated.carrier {
            Carrier::JsonLd | Carrier::Microdata => stated.node(),
            other => other.as_str(),
        };
        match sources.iter_mut().find(|(name, _)| *name == source) {
            Some((_, list)) => list.push(place),
            None => sources.push((source, vec![place])),
        }
    }
    let mut found = Vec::new();
    for (n, (_, ones)) in sources.iter().enumerate() {
        for (_, others) in sources.iter().skip(n + 1) {
            let pairs = ones.iter().flat_map(|one| others.iter().map(move |other| (*one, *other)));
            let best = pairs
                .take(400)
                .filter_map(|(one, other)| {
                    let (a, b) = (entity.facts.get(one)?, entity.facts.get(other)?);
                    Some(Disagreement { fact, one, other, agreement: compare_facts(fact, a, b) })
                })
                .min_by_key(|pair| pair.agreement);
            // Two visible sources need not agree with each other: neither has to be complete.
            let visible = |list: &[usize]| {
                list.first()
                    .and_then(|place| entity.facts.get(*place))
                    .is_some_and(|stated| stated.carrier.is_visible())
            };
            found.extend(best.filter(|pair| {
                pair.agreement != Agreement::Same && !(visible(ones) && visible(others))
            }));
            if found.len() >= 50 {
                return found;
            }
        }
    }
    found
}

/// Whether a fact is about the main subject, or is visible and there is no other subject.
fn is_about_main(entity: &Entity, stated: &EntityFact) -> bool {
    match &stated.subject {
        Some(subject) => entity.subject.as_ref() == Some(subject),
        None => {
            entity.business_place_count <= 1
                && !(stated.fact == FactName::Email && stated.carrier.is_visible())
        }
    }
}
