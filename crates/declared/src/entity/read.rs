//! Gathers what a page says of who is behind it.

use serde_json::{Map, Value};

use super::classes::Class;
use super::graph::{self, Context, Node, Place};
use super::json::{self, Mended};
use super::normal::{self, address, hours::Week, name, phone};
use super::{Carrier, Entity, FactName, Stated, cut};
use crate::fault::{Fault, Weight};
use crate::page::{MAX_DATA_BYTES, Page};

const MAX_STATED: usize = 200;
const MAX_FAULTS: usize = 50;
/// Statements of one property of one node.
const MAX_OF_ONE: usize = 20;
/// Numbers taken from the text of header and footer.
const MAX_VISIBLE_NUMBERS: usize = 10;

/// Reads who is behind a page. The domain says which region a telephone number belongs to when the
/// page does not.
#[must_use]
pub fn read(page: &Page, domain: &str) -> Entity {
    let mut entity = Entity::default();
    let blocks = json_ld(page, &mut entity.faults);
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
            graph::gather(block, at, &mut found);
            nodes.extend(found.into_iter().map(|node| (carrier, node)));
        }
    }
    raise_publishers(&mut nodes);
    let identities = identities(&nodes);
    let main = identities.iter().copied().max_by_key(|n| {
        // Of equals the first counts.
        nodes.get(*n).map(|(_, node)| (rank(node, domain), std::cmp::Reverse(*n)))
    });
    let home = main
        .and_then(|n| nodes.get(n))
        .and_then(|(_, node)| country(node))
        .or_else(|| {
            identities.iter().find_map(|n| nodes.get(*n).and_then(|(_, node)| country(node)))
        })
        .or_else(|| region_of_domain(domain));
    if let Some((_, node)) = main.and_then(|n| nodes.get(n)) {
        entity.name = node.name().map(|name| cut(name, 300).to_owned());
        entity.types.clone_from(&node.types);
        entity.subject = Some(subject(node));
        entity.found = entity.name.is_some();
    }
    for n in &identities {
        if let Some((carrier, node)) = nodes.get(*n) {
            let region = country(node).or_else(|| home.clone());
            Statements { entity: &mut entity, carrier: *carrier, region }.of_node(node);
        }
    }
    let mut places: Vec<String> = identities
        .iter()
        .filter_map(|n| nodes.get(*n))
        .filter(|(_, node)| node.class == Some(Class::LocalBusiness) || node.place == Place::Part)
        .map(|(_, node)| subject(node))
        .collect();
    places.sort_unstable();
    places.dedup();
    entity.places = places.len();
    beside(page, &mut entity, home.as_deref());
    let has_markup = !page.json_ld.is_empty() || !page.microdata.is_empty();
    entity.script_only = !has_markup && page.app_root;
    entity
}

/// The readable blocks with where they stand.
fn json_ld(page: &Page, faults: &mut Vec<Fault>) -> Vec<(String, Value)> {
    let mut blocks = Vec::new();
    for (n, raw) in page.json_ld.iter().enumerate() {
        let at = format!("/json_ld/{n}");
        match json::read(raw) {
            Ok((value, mended)) => {
                faults.extend(mended_fault(mended, &at));
                match graph::context(&value) {
                    Context::SchemaOrg => blocks.push((at, value)),
                    Context::Missing => {
                        faults.push(Fault {
                            code: "json_ld_no_context",
                            weight: Weight::Warning,
                            at: at.clone(),
                            problem: "The block does not say which vocabulary its words come from."
                                .to_owned(),
                            fix: "Add \"@context\": \"https://schema.org\" to the block.".to_owned(),
                        });
                        blocks.push((at, value));
                    }
                    Context::Foreign => faults.push(Fault {
                        code: "json_ld_foreign_context",
                        weight: Weight::Note,
                        at,
                        problem: "The block uses a vocabulary other than schema.org; who is behind the site was not read from it.".to_owned(),
                        fix: "Describe the organisation in a block with \"@context\": \"https://schema.org\".".to_owned(),
                    }),
                }
            }
            Err(_) if raw.len() + 4 > MAX_DATA_BYTES => faults.push(Fault {
                code: "json_ld_too_long",
                weight: Weight::Warning,
                at,
                problem: format!("The block is longer than the {} KiB that were read.", MAX_DATA_BYTES >> 10),
                fix: "Describe who is behind the site in a short block of its own.".to_owned(),
            }),
            Err(place) => faults.push(Fault {
                code: "json_ld_invalid",
                weight: Weight::Error,
                at,
                problem: format!("The block is not JSON: it breaks at {place}."),
                fix: "Write the block with a JSON serialiser, or run it through a JSON checker before publishing.".to_owned(),
            }),
        }
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    blocks
}

fn mended_fault(mended: Mended, at: &str) -> Option<Fault> {
    let (code, problem, fix) = match mended {
        Mended::Nothing => return None,
        Mended::Wrapper => (
            "json_ld_wrapped",
            "The block stands inside of comment or CDATA marks; strict readers see no JSON.",
            "Take the marks away: the script element needs nothing around its JSON.",
        ),
        Mended::Escaped => (
            "json_ld_escaped",
            "Quotes in the block are written as character references, which a script element does not undo.",
            "Write plain quotation marks, and turn off HTML escaping for this block in the template.",
        ),
        Mended::Syntax => (
            "json_ld_loose_syntax",
            "The block has commas before a closing bracket, comments or raw line breaks in strings; strict readers drop it whole.",
            "Remove them, or write the block with a JSON serialiser.",
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

/// Nodes that others name as their publisher by reference are publishers too.
fn raise_publishers(nodes: &mut [(Carrier, Node<'_>)]) {
    let mut named: Vec<String> = Vec::new();
    for (_, node) in nodes.iter() {
        for value in node.values("publisher") {
            if let Some(id) = value.get("@id").and_then(Value::as_str) {
                named.push(id.to_owned());
            }
        }
    }
    named.sort_unstable();
    for (_, node) in nodes {
        if node.id.is_some_and(|id| named.binary_search_by(|n| n.as_str().cmp(id)).is_ok()) {
            node.place = node.place.max(Place::Publisher);
        }
    }
}

/// The nodes that are organisations, or the one person behind a site that names no organisation.
fn identities(nodes: &[(Carrier, Node<'_>)]) -> Vec<usize> {
    let of = |wanted: fn(&Node<'_>) -> bool| -> Vec<usize> {
        nodes.iter().enumerate().filter(|(_, (_, node))| wanted(node)).map(|(n, _)| n).collect()
    };
    // A reference to a node is not one more node.
    let organised = of(|node| {
        matches!(node.class, Some(Class::Organization | Class::LocalBusiness))
            && node.members.keys().any(|key| !key.starts_with('@') && key != "type" && key != "id")
    });
    let publishing = of(|node| {
        node.class == Some(Class::Person) && node.place == Place::Publisher && node.name().is_some()
    });
    let people = of(|node| node.class == Some(Class::Person) && node.name().is_some());
    match (organised.is_empty(), publishing.is_empty()) {
        (false, true) => organised,
        (false, false) => [organised, publishing].concat(),
        (true, false) => publishing,
        (true, true) if people.len() == 1 => people,
        (true, true) => Vec::new(),
    }
}

/// Which of several nodes speaks for the site.
fn rank(node: &Node<'_>, domain: &str) -> (bool, u8) {
    let host = normal::host(domain);
    let own = node.texts("url").iter().chain(node.id.iter()).any(|address| {
        let address = normal::host(address);
        !host.is_empty() && (address == host || address.ends_with(&format!(".{host}")))
    });
    let place = match node.place {
        Place::Publisher => 8,
        Place::Top => 2,
        Place::Part => 0,
    };
    let class = match node.class {
        Some(Class::Organization) => 2,
        Some(Class::LocalBusiness) => 1,
        _ => 0,
    };
    (node.name().is_some(), place + class + if own { 4 } else { 0 })
}

fn subject(node: &Node<'_>) -> String {
    cut(node.id.unwrap_or(&node.at), 300).to_owned()
}

/// The country of a node's address.
fn country(node: &Node<'_>) -> Option<String> {
    node.values("address").into_iter().find_map(|value| {
        let said = graph::values(value.as_object()?, "addressCountry");
        let code = address::country_code(cut(graph::text(said.first()?)?, 100));
        (code.len() == 2).then_some(code)
    })
}

/// The region a country's own top-level domain stands for.
fn region_of_domain(domain: &str) -> Option<String> {
    let last = domain.trim_end_matches('.').rsplit('.').next()?;
    match last.to_ascii_lowercase().as_str() {
        "uk" => Some("GB".to_owned()),
        // Sold to everybody: they say nothing about where.
        "io" | "co" | "ai" | "me" | "tv" | "cc" | "ws" | "fm" | "to" | "gg" | "ly" | "la"
        | "eu" => None,
        two if two.len() == 2 && two.bytes().all(|b| b.is_ascii_alphabetic()) => {
            Some(two.to_ascii_uppercase())
        }
        _ => None,
    }
}

/// Adds statements of one carrier.
struct Statements<'e> {
    entity: &'e mut Entity,
    carrier: Carrier,
    region: Option<String>,
}

impl Statements<'_> {
    fn of_node(&mut self, node: &Node<'_>) {
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
                Some(members) => self.add_fields(&fields(members), &subject, at),
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
        let value = cut(value.trim(), normal::MAX_VALUE).trim();
        if value.is_empty() {
            return;
        }
        let normal = match fact {
            FactName::Name | FactName::LegalName | FactName::AlternateName => name::normal(value),
            FactName::Telephone | FactName::Fax => phone::normal(value, self.region.as_deref()),
            FactName::Address => address::normal(value),
            FactName::Url | FactName::SameAs | FactName::Logo => normal::url(value),
            FactName::TaxId | FactName::VatId | FactName::Lei | FactName::Duns => {
                normal::folded(value).chars().filter(|c| c.is_alphanumeric()).collect()
            }
            FactName::Email => normal::plain(value.strip_prefix("mailto:").unwrap_or(value)),
            FactName::Hours | FactName::PriceRange | FactName::AreaServed => normal::plain(value),
        };
        if fact == FactName::Telephone && subject.is_some() && !phone::is_possible(&normal) {
            self.phone_fault(&normal, &at);
        }
        self.push(Stated {
            fact,
            value: value.to_owned(),
            normal,
            carrier: self.carrier,
            subject: subject.map(str::to_owned),
            at,
        });
    }

    fn add_fields(&mut self, fields: &address::Fields, subject: &str, at: String) {
        let written = fields.written();
        if written.is_empty() {
            return;
        }
        self.push(Stated {
            fact: FactName::Address,
            value: cut(&written, normal::MAX_VALUE).to_owned(),
            normal: fields.normal(),
            carrier: self.carrier,
            subject: Some(subject.to_owned()),
            at,
        });
    }

    /// All hours of a node are one statement, in whichever notation they come.
    fn add_hours(&mut self, node: &Node<'_>, subject: &str) {
        let mut week = Week::default();
        let mut written: Vec<String> = Vec::new();
        let mut understood = true;
        for text in node.texts("openingHours").into_iter().take(MAX_OF_ONE) {
            let text = cut(text.trim(), normal::MAX_VALUE);
            understood &= week.add_text(text);
            written.push(text.to_owned());
        }
        let specified = node.values("openingHoursSpecification");
        let said = if written.is_empty() { "openingHoursSpecification" } else { "openingHours" };
        for value in specified.into_iter().take(50) {
            let Some(members) = value.as_object() else { continue };
            let one =
                |name: &str| graph::values(members, name).first().and_then(|v| graph::text(v));
            let days: Vec<String> = graph::values(members, "dayOfWeek")
                .into_iter()
                .filter_map(graph::text)
                .take(10)
                .map(|day| cut(day, 60).to_owned())
                .collect();
            let valid = (one("validFrom"), one("validThrough"));
            understood &= week.add_specification(&days, one("opens"), one("closes"), valid);
            let day_names: Vec<&str> = days.iter().map(|day| graph::plain_name(day)).collect();
            written.push(format!(
                "{} {}-{}",
                day_names.join(","),
                cut(one("opens").unwrap_or_default(), 20),
                cut(one("closes").unwrap_or_default(), 20)
            ));
        }
        if written.is_empty() {
            return;
        }
        let at = format!("{}/{said}", node.at);
        if !understood {
            self.fault(Fault {
                code: "hours_not_understood",
                weight: Weight::Warning,
                at: at.clone(),
                problem: "Some of the opening hours are not written as schema.org asks.".to_owned(),
                fix: "Write each as days and times: \"openingHours\": [\"Mo-Fr 09:00-17:00\", \"Sa 10:00-14:00\"].".to_owned(),
            });
        }
        self.push(Stated {
            fact: FactName::Hours,
            value: cut(&written.join("; "), normal::MAX_VALUE).to_owned(),
            normal: week.normal(),
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
                "The telephone number holds no digits.".to_owned()
            } else if known {
                "The telephone number has not as many digits as numbers of its country have."
                    .to_owned()
            } else {
                "The telephone number does not say which country it is in.".to_owned()
            },
            fix: "Write it with its country code: \"telephone\": \"+44 20 7946 0000\".".to_owned(),
        });
    }

    fn fault(&mut self, fault: Fault) {
        if self.entity.faults.len() < MAX_FAULTS {
            self.entity.faults.push(fault);
        }
    }

    fn push(&mut self, stated: Stated) {
        let list = &mut self.entity.stated;
        if list.len() < MAX_STATED && !list.contains(&stated) {
            list.push(stated);
        }
    }
}

fn fields(members: &Map<String, Value>) -> address::Fields {
    let one = |name: &str| -> String {
        let parts: Vec<&str> =
            graph::values(members, name).into_iter().filter_map(graph::text).take(5).collect();
        cut(&parts.join(", "), 200).to_owned()
    };
    address::Fields {
        street: one("streetAddress"),
        locality: one("addressLocality"),
        region: one("addressRegion"),
        postal_code: one("postalCode"),
        country: one("addressCountry"),
    }
}

/// What is said beside structured data: Open Graph, links to call and write, addresses, and numbers
/// in the header and footer.
fn beside(page: &Page, entity: &mut Entity, region: Option<&str>) {
    let region = region.map(str::to_owned);
    let mut graph = Statements { entity, carrier: Carrier::OpenGraph, region: region.clone() };
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
            .map(|(_, v)| cut(v, 200))
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
    for mail in &page.mails {
        graph.add(FactName::Email, mail, None, "mailto: link".to_owned());
    }
    graph.carrier = Carrier::AddressElement;
    for block in &page.address_blocks {
        graph.add(FactName::Address, block, None, "address element".to_owned());
    }
    graph.carrier = Carrier::VisibleText;
    for number in visible_numbers(&page.edges, region.as_deref()) {
        graph.add(FactName::Telephone, &number, None, "header or footer".to_owned());
    }
}

/// Numbers in a text that can hardly be anything but telephone numbers: with a plus sign, or after
/// a word that announces one.
fn visible_numbers(text: &str, region: Option<&str>) -> Vec<String> {
    let is_part =
        |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')' | '+');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '+' || c == '(') else {
            break;
        };
        let run = rest.get(start..).unwrap_or_default();
        let length = run.find(|c: char| !is_part(c)).unwrap_or(run.len());
        let before = text.get(..from + start).unwrap_or_default();
        from += start + length.max(1);
        let number =
            run.get(..length).unwrap_or_default().trim_end_matches([' ', '-', '.', '/', '(', '+']);
        let digits = number.chars().filter(char::is_ascii_digit).count();
        if !(7..=15).contains(&digits) || !(number.starts_with('+') || is_announced(before)) {
            continue;
        }
        let normal = phone::normal(number, region);
        if phone::is_possible(&normal) || region.is_none() {
            found.push(number.to_owned());
        }
        if found.len() >= MAX_VISIBLE_NUMBERS {
            break;
        }
    }
    found
}

fn is_announced(before: &str) -> bool {
    let end = before.trim_end_matches([' ', ':', '.', '(', '\u{a0}']);
    let word = end.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let word = normal::folded(cut(word, 40));
    matches!(
        word.as_str(),
        "tel"
            | "telephone"
            | "phone"
            | "call"
            | "telefon"
            | "fon"
            | "telefono"
            | "telefone"
            | "telefoon"
            | "mobile"
            | "ring"
            | "us"
            | "hotline"
            | "тел"
            | "телефон"
    )
}
