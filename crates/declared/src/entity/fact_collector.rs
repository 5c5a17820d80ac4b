//! Adds the facts of a description to those of the owner, with where each is stated.

use serde_json::{Map, Value};

use super::graph::{self, Node, subject};
use super::model::{BlockPointer, Carrier, Entity, EntityFact, FactName};
use super::normalize::{self, address, hours::OpeningHours, name, phone};
use crate::fault::{Fault, Weight};
use crate::page::truncate_str;

const MAX_STATED: usize = 200;
pub(super) const MAX_FAULTS: usize = 50;
/// How many values of one property of one node are read.
const MAX_OF_ONE: usize = 20;

/// Where a fact is stated.
pub(super) struct FactPlace {
    at: String,
    pointer: Option<BlockPointer>,
}

impl FactPlace {
    /// A property of a node. `inside` is the pointer from the node to the value.
    fn in_node(node: &Node<'_>, property: &str, inside: String) -> Self {
        Self {
            at: format!("{}/{property}", node.at),
            pointer: node
                .block_pointer()
                .map(|node| BlockPointer { pointer: format!("{}{inside}", node.pointer), ..node }),
        }
    }
}

impl From<&str> for FactPlace {
    fn from(at: &str) -> Self {
        Self { at: at.to_owned(), pointer: None }
    }
}

impl From<String> for FactPlace {
    fn from(at: String) -> Self {
        Self { at, pointer: None }
    }
}

/// Adds facts from one carrier.
pub(super) struct FactCollector<'e> {
    pub(super) entity: &'e mut Entity,
    pub(super) carrier: Carrier,
    pub(super) region: Option<String>,
}

impl FactCollector<'_> {
    pub(super) fn add_node(&mut self, node: &Node<'_>) {
        const TEXTS: [(&str, FactName); 13] = [
            ("name", FactName::Name),
            ("legalName", FactName::LegalName),
            ("alternateName", FactName::AlternateName),
            ("telephone", FactName::Telephone),
            ("faxNumber", FactName::Fax),
            ("email", FactName::Email),
            ("url", FactName::Url),
            ("sameAs", FactName::SameAs),
            ("logo", FactName::Logo),
            ("priceRange", FactName::PriceRange),
            ("areaServed", FactName::AreaServed),
            ("taxID", FactName::TaxId),
            ("vatID", FactName::VatId),
        ];
        let codes = [("leiCode", FactName::Lei), ("duns", FactName::Duns)];
        let subject = subject(node);
        for (property, fact) in TEXTS.into_iter().chain(codes) {
            for (text, inside) in node.located_texts(property).into_iter().take(MAX_OF_ONE) {
                let place = FactPlace::in_node(node, property, inside);
                self.add(fact, text, Some(&subject), place);
            }
        }
        for (value, inside) in node.located_values("address").into_iter().take(MAX_OF_ONE) {
            let place = FactPlace::in_node(node, "address", inside);
            match value.as_object() {
                Some(members) => self.add_fields(&address_fields(members), &subject, place),
                None => self.add(
                    FactName::Address,
                    graph::text(value).unwrap_or_default(),
                    Some(&subject),
                    place,
                ),
            }
        }
        self.add_hours(node, &subject);
        for (value, outside) in node.located_values("contactPoint").into_iter().take(MAX_OF_ONE) {
            let Some(members) = value.as_object() else { continue };
            for (number, inside) in graph::located_texts(members, "telephone") {
                let place = FactPlace::in_node(node, "contactPoint", format!("{outside}{inside}"));
                self.add(FactName::Telephone, number, Some(&subject), place);
            }
        }
    }

    pub(super) fn add(
        &mut self,
        fact: FactName,
        value: &str,
        subject: Option<&str>,
        place: impl Into<FactPlace>,
    ) {
        let FactPlace { at, pointer } = place.into();
        let value = truncate_str(value.trim(), normalize::MAX_VALUE).trim();
        if value.is_empty() {
            return;
        }
        let normal = match fact {
            FactName::Name | FactName::LegalName | FactName::AlternateName => {
                name::normalize_name(value)
            }
            FactName::Telephone | FactName::Fax => {
                phone::normalize_phone(value, self.region.as_deref())
            }
            FactName::Address => address::normalize_address(value),
            FactName::Url | FactName::SameAs | FactName::Logo => normalize::normalize_url(value),
            FactName::TaxId | FactName::VatId | FactName::Lei | FactName::Duns => {
                normalize::fold(value).chars().filter(|c| c.is_alphanumeric()).collect()
            }
            FactName::Email => {
                normalize::normalize_text(value.strip_prefix("mailto:").unwrap_or(value))
            }
            FactName::Hours | FactName::PriceRange | FactName::AreaServed => {
                normalize::normalize_text(value)
            }
        };
        if fact == FactName::Telephone && subject.is_some() && !phone::is_possible(&normal) {
            self.phone_fault(&normal, &at);
        }
        self.push(EntityFact {
            fact,
            value: value.to_owned(),
            normalized: normal,
            carrier: self.carrier,
            subject: subject.map(str::to_owned),
            at,
            pointer,
        });
    }

    fn add_fields(&mut self, fields: &address::AddressFields, subject: &str, place: FactPlace) {
        let FactPlace { at, pointer } = place;
        let written = fields.to_line();
        if written.is_empty() {
            return;
        }
        self.push(EntityFact {
            fact: FactName::Address,
            value: truncate_str(&written, normalize::MAX_VALUE).to_owned(),
            normalized: fields.to_normalized(),
            carrier: self.carrier,
            subject: Some(subject.to_owned()),
            at,
            pointer,
        });
    }

    /// Adds all opening hours of a node as one fact, whatever their notation.
    fn add_hours(&mut self, node: &Node<'_>, subject: &str) {
        let mut week = OpeningHours::default();
        let mut written: Vec<String> = Vec::new();
        let mut understood = true;
        for text in node.texts("openingHours").into_iter().take(MAX_OF_ONE) {
            let text = truncate_str(text.trim(), normalize::MAX_VALUE);
            understood &= week.add_text(text);
            written.push(text.to_owned());
        }
        let specified = node.values("openingHoursSpecification");
        let property =
            if written.is_empty() { "openingHoursSpecification" } else { "openingHours" };
        for value in specified.into_iter().take(50) {
            let Some(members) = value.as_object() else { continue };
            let one =
                |name: &str| graph::values(members, name).first().and_then(|v| graph::text(v));
            let days: Vec<String> = graph::values(members, "dayOfWeek")
                .into_iter()
                .filter_map(graph::text)
                .take(10)
                .map(|day| truncate_str(day, 60).to_owned())
                .collect();
            let valid = (one("validFrom"), one("validThrough"));
            understood &= week.add_specification(&days, one("opens"), one("closes"), valid);
            let day_names: Vec<&str> = days.iter().map(|day| graph::plain_name(day)).collect();
            written.push(format!(
                "{} {}-{}",
                day_names.join(","),
                truncate_str(one("opens").unwrap_or_default(), 20),
                truncate_str(one("closes").unwrap_or_default(), 20)
            ));
        }
        if written.is_empty() {
            return;
        }
        let inside = graph::pointer_of_key(node.members, property).unwrap_or_default();
        let FactPlace { at, pointer } = FactPlace::in_node(node, property, inside);
        if !understood {
            self.fault(Fault {
                code: "hours_not_understood",
                weight: Weight::Warning,
                at: at.clone(),
                problem: "Some of the opening hours are not in the format that schema.org defines.".to_owned(),
                fix: "Write days and times: \"openingHours\": [\"Mo-Fr 09:00-17:00\", \"Sa 10:00-14:00\"].".to_owned(),
            });
        }
        self.push(EntityFact {
            fact: FactName::Hours,
            value: truncate_str(&written.join("; "), normalize::MAX_VALUE).to_owned(),
            normalized: week.to_normalized(),
            carrier: self.carrier,
            subject: Some(subject.to_owned()),
            at,
            pointer,
        });
    }

    fn phone_fault(&mut self, normal: &str, at: &str) {
        let known = self.region.is_some();
        self.fault(Fault {
            code: if known { "telephone_not_possible" } else { "telephone_no_region" },
            weight: if known { Weight::Warning } else { Weight::Note },
            at: at.to_owned(),
            problem: if normal.is_empty() {
                "The telephone number contains no digits.".to_owned()
            } else if known {
                "The telephone number does not have as many digits as numbers in its country."
                    .to_owned()
            } else {
                "The telephone number has no country code, and the page does not say which country it is in.".to_owned()
            },
            fix: "Write it with its country code: \"telephone\": \"+44 20 7946 0000\".".to_owned(),
        });
    }

    fn fault(&mut self, fault: Fault) {
        if self.entity.faults.len() < MAX_FAULTS {
            self.entity.faults.push(fault);
        }
    }

    pub(super) fn push(&mut self, stated: EntityFact) {
        let list = &mut self.entity.facts;
        // A value that is listed twice is one fact.
        let is_known = list.iter().any(|known| {
            let EntityFact { fact, value, normalized, carrier, subject, at, pointer: _ } = known;
            *fact == stated.fact
                && *carrier == stated.carrier
                && *value == stated.value
                && *normalized == stated.normalized
                && *subject == stated.subject
                && *at == stated.at
        });
        if list.len() < MAX_STATED && !is_known {
            list.push(stated);
        }
    }
}

pub(super) fn address_fields(members: &Map<String, Value>) -> address::AddressFields {
    let one = |name: &str| -> String {
        let parts: Vec<&str> =
            graph::values(members, name).into_iter().filter_map(graph::text).take(5).collect();
        truncate_str(&parts.join(", "), 200).to_owned()
    };
    address::AddressFields {
        street: one("streetAddress"),
        locality: one("addressLocality"),
        region: one("addressRegion"),
        postal_code: one("postalCode"),
        country: one("addressCountry"),
    }
}
