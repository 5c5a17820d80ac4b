//! Whether two statements agree.

use super::normal::{address, name, phone};
use super::{Carrier, Entity, FactName, Stated};

/// How two statements of the same fact stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// They say the same.
    Same,
    /// Another spelling, or one says less than the other.
    Variant,
    /// They may be the same; too little is known to say.
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

/// Compares two statements of a fact. The order does not matter.
#[must_use]
pub fn compare(fact: FactName, a: &Stated, b: &Stated) -> Agreement {
    let (one, other) = (a.normal.as_str(), b.normal.as_str());
    if one.is_empty() || other.is_empty() {
        return Agreement::Weak;
    }
    match fact {
        FactName::Telephone | FactName::Fax => phones(one, other),
        FactName::Name | FactName::LegalName | FactName::AlternateName => {
            if one == other {
                Agreement::Same
            } else if name::contains(one, other) {
                Agreement::Variant
            } else {
                Agreement::Conflict
            }
        }
        FactName::Address => match address::compare(one, other) {
            address::Likeness::Same => Agreement::Same,
            address::Likeness::Variant => Agreement::Variant,
            address::Likeness::Other => Agreement::Conflict,
        },
        // Another file or profile is no contradiction.
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

fn phones(one: &str, other: &str) -> Agreement {
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
    match phone::alike(one, other) {
        Some(true) | None => Agreement::Weak,
        Some(false) => Agreement::Conflict,
    }
}

/// Two statements of one fact about the same subject that are not the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    pub fact: FactName,
    /// Places in [`Entity::stated`].
    pub one: usize,
    pub other: usize,
    pub agreement: Agreement,
}

/// Facts of which a subject has one, or a few that all its descriptions share.
const COMPARED: [FactName; 7] = [
    FactName::Name,
    FactName::LegalName,
    FactName::Telephone,
    FactName::Address,
    FactName::Hours,
    FactName::VatId,
    FactName::Email,
];

/// Where a page disagrees with itself. Several places of business are no disagreement: only
/// statements about the same subject are compared, and what is visible is compared with the main
/// subject alone, and only where there is one place of business.
#[must_use]
pub fn disagreements(entity: &Entity) -> Vec<Disagreement> {
    COMPARED.into_iter().flat_map(|fact| disagreements_of(entity, fact)).collect()
}

fn disagreements_of(entity: &Entity, fact: FactName) -> Vec<Disagreement> {
    // Statements side by side in one description (two numbers of one node) do not disagree.
    let mut sources: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, stated) in entity.stated.iter().enumerate() {
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
                    let (a, b) = (entity.stated.get(one)?, entity.stated.get(other)?);
                    Some(Disagreement { fact, one, other, agreement: compare(fact, a, b) })
                })
                .min_by_key(|pair| pair.agreement);
            // Text beside the markup need not carry everything: two visible sources are not asked
            // to agree with each other.
            let visible = |list: &[usize]| {
                list.first()
                    .and_then(|place| entity.stated.get(*place))
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

/// Whether a statement is about the main subject, or is visible where there is no other subject.
fn is_about_main(entity: &Entity, stated: &Stated) -> bool {
    match &stated.subject {
        Some(subject) => entity.subject.as_ref() == Some(subject),
        None => {
            entity.places <= 1 && !(stated.fact == FactName::Email && stated.carrier.is_visible())
        }
    }
}
