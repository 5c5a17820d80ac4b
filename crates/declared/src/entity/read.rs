//! Reads the facts about its owner from a page.

use serde_json::{Map, Value};

use super::classes::EntityClass;
use super::graph::{self, Node, NodeRole, Vocabulary, subject};
use super::json_ld::{self, Repair};
use super::model::{Carrier, Entity, EntityFact, FactName};
use super::normalize::{self, address, hours::OpeningHours, name, phone};
use super::owner;
use super::visible_hours::visible_hours;
use super::visible_numbers::visible_numbers;
use crate::fault::{Fault, Weight};
use crate::page::{MAX_DATA_BYTES, Page, truncate_str};

const MAX_STATED: usize = 200;
const MAX_FAULTS: usize = 50;
/// How many values of one property of one node are read.
const MAX_OF_ONE: usize = 20;

/// Reads the owner of a page. The domain gives the region of telephone numbers if the page does not.
#[must_use]
pub fn read_entity(page: &Page, domain: &str) -> Entity {
    let mut entity = Entity::default();
    let blocks = parse_json_ld_blocks(page, &mut entity.faults);
    let items: Vec<(String, Value)> = page
        .microdata
        .iter()
        .enumerate()
        .filter(|(_, item)| !item.nested)
        .filter_map(|(n, _)| {
            Some((format!("/microdata/{n}"), graph::from_item(&page.microdata, n, 0)?))
        })
        .collect();
    let mut nodes: Vec<(Carrier, Node<'_>)> = Vec::new();
    for (carrier, list) in [(Carrier::JsonLd, &blocks), (Carrier::Microdata, &items)] {
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
    entity.site_names = page
        .title
        .iter()
        .map(|title| {
            name::compact_name(&name::normalize_name(truncate_str(title, normalize::MAX_VALUE)))
        })
        .chain([name::compact_name(&name::normalize_name(domain_label(domain)))])
        .filter(|known| !known.is_empty())
        .collect();
    let localities: Vec<String> = main
        .and_then(|n| nodes.get(n))
        .into_iter()
        .flat_map(|(_, node)| node.values("address"))
        .filter_map(Value::as_object)
        .map(|members| address_fields(members).locality)
        .collect();
    add_facts_outside_markup(page, &mut entity, home.as_deref(), &localities);
    let has_markup = !page.json_ld.is_empty() || !page.microdata.is_empty();
    entity.script_only = !has_markup && page.is_app_shell;
    entity
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

/// Adds facts from one carrier.
struct FactCollector<'e> {
    entity: &'e mut Entity,
    carrier: Carrier,
    region: Option<String>,
}

impl FactCollector<'_> {
    fn add_node(&mut self, node: &Node<'_>) {
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
            for text in node.texts(property).into_iter().take(MAX_OF_ONE) {
                self.add(fact, text, Some(&subject), format!("{}/{property}", node.at));
            }
        }
        for value in node.values("address").into_iter().take(MAX_OF_ONE) {
            let at = format!("{}/address", node.at);
            match value.as_object() {
                Some(members) => self.add_fields(&address_fields(members), &subject, at),
                None => self.add(
                    FactName::Address,
                    graph::text(value).unwrap_or_default(),
                    Some(&subject),
                    at,
                ),
            }
        }
        self.add_hours(node, &subject);
        for value in node.values("contactPoint").into_iter().take(MAX_OF_ONE) {
            let Some(members) = value.as_object() else { continue };
            for number in graph::values(members, "telephone").into_iter().filter_map(graph::text) {
                let at = format!("{}/contactPoint", node.at);
                self.add(FactName::Telephone, number, Some(&subject), at);
            }
        }
    }

    fn add(&mut self, fact: FactName, value: &str, subject: Option<&str>, at: String) {
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
        });
    }

    fn add_fields(&mut self, fields: &address::AddressFields, subject: &str, at: String) {
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
        let at = format!("{}/{property}", node.at);
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

    fn push(&mut self, stated: EntityFact) {
        let list = &mut self.entity.facts;
        if list.len() < MAX_STATED && !list.contains(&stated) {
            list.push(stated);
        }
    }
}

fn address_fields(members: &Map<String, Value>) -> address::AddressFields {
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

/// Adds facts outside structured data: Open Graph, tel: and mailto: links, address elements, and
/// telephone numbers in the header and footer.
fn add_facts_outside_markup(
    page: &Page,
    entity: &mut Entity,
    region: Option<&str>,
    localities: &[String],
) {
    let region = region.map(str::to_owned);
    let mut graph = FactCollector { entity, carrier: Carrier::OpenGraph, region: region.clone() };
    for (called, content) in &page.meta {
        let fact = match called.as_str() {
            "og:site_name" => FactName::Name,
            "og:phone_number" | "business:contact_data:phone_number" => FactName::Telephone,
            "og:email" | "business:contact_data:email" => FactName::Email,
            "og:url" => FactName::Url,
            _ => continue,
        };
        graph.add(fact, content, None, format!("meta {called}"));
    }
    let contact = |part: &str| {
        let called = format!("business:contact_data:{part}");
        page.meta
            .iter()
            .find(|(name, _)| *name == called)
            .map(|(_, v)| truncate_str(v, 200))
            .unwrap_or_default()
    };
    let written = ["street_address", "postal_code", "locality", "country_name"].map(contact);
    if written.iter().any(|part| !part.is_empty()) {
        let parts: Vec<&str> = written.into_iter().filter(|part| !part.is_empty()).collect();
        graph.add(
            FactName::Address,
            &parts.join(", "),
            None,
            "meta business:contact_data".to_owned(),
        );
    }
    graph.carrier = Carrier::TelLink;
    for number in &page.telephones {
        graph.add(FactName::Telephone, number, None, "tel: link".to_owned());
    }
    graph.carrier = Carrier::MailLink;
    for mail in &page.emails {
        graph.add(FactName::Email, mail, None, "mailto: link".to_owned());
    }
    graph.carrier = Carrier::AddressElement;
    for block in &page.address_blocks {
        graph.add(FactName::Address, block, None, "address element".to_owned());
    }
    graph.carrier = Carrier::VisibleText;
    for number in visible_numbers(&page.header_footer, region.as_deref(), page.truncated) {
        graph.add(FactName::Telephone, &number, None, "header or footer".to_owned());
    }
    // Only to compare them: hours that the markup does not state are not needed.
    if graph.entity.facts.iter().any(|stated| stated.fact == FactName::Hours) {
        for hours in visible_hours(&page.visible, page.language.as_deref()) {
            graph.push(EntityFact {
                fact: FactName::Hours,
                value: truncate_str(&hours.written, normalize::MAX_VALUE).to_owned(),
                normalized: hours.normalized,
                carrier: Carrier::VisibleText,
                subject: None,
                at: "text of the page".to_owned(),
            });
        }
    }
    // In an address element the address has been read already.
    if page.address_blocks.is_empty() {
        for line in address::visible_addresses(&page.header_footer, localities) {
            graph.add(FactName::Address, &line, None, "header or footer".to_owned());
        }
    }
}
