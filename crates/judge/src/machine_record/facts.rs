//! Which of the facts that the home page states about its owner are carried over.

use contract::records::{FactLineage, LineageFact, StatedFact, ValueNotTaken};
use contract::text::display_safe;
use declared::entity::{WrittenField, WrittenMatch, compare_written};

use super::opening_hours::opening_hours;
use super::safe_text::{one_line, web_url};
use super::site::SiteReading;

/// The most values of one fact, and the most sources of one value.
const MAX_VALUES: usize = 20;
const MAX_SOURCES: usize = 10;
/// The longest value that a record states without cutting it.
const MAX_VALUE_CHARS: usize = 300;

/// The facts by their names in records, and the schema.org properties that state them.
const PROPERTIES: [(&str, &str); 17] = [
    ("name", "name"),
    ("legal_name", "legalName"),
    ("alternate_name", "alternateName"),
    ("telephone", "telephone"),
    ("fax", "faxNumber"),
    ("email", "email"),
    ("address", "address"),
    ("hours", "openingHours"),
    ("url", "url"),
    ("same_as", "sameAs"),
    ("logo", "logo"),
    ("price_range", "priceRange"),
    ("area_served", "areaServed"),
    ("tax_id", "taxID"),
    ("vat_id", "vatID"),
    ("lei", "leiCode"),
    ("duns", "duns"),
];

/// One value of one fact, with everything on the site that states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactValue {
    /// The schema.org property.
    pub(super) property: &'static str,
    pub(super) text: String,
    pub(super) stated: Vec<StatedFact>,
}

/// The facts that are carried over, and the others.
#[derive(Debug, Default)]
pub(super) struct PublishedFacts {
    /// Values of one property follow each other.
    pub(super) values: Vec<FactValue>,
    pub(super) not_taken: Vec<ValueNotTaken>,
    /// The country of the owner, if it is known.
    country: Option<String>,
}

impl PublishedFacts {
    pub(super) fn select(site: &SiteReading<'_>) -> Self {
        let mut facts = Self::default();
        let Some(lineage) = &site.record.fact_lineage else { return facts };
        facts.country.clone_from(&lineage.subject.country);
        let shared = SharedNames::of(lineage);
        for (word, property) in PROPERTIES {
            if let Some(fact) = lineage.facts.iter().find(|fact| fact.fact == word) {
                facts.add_fact(fact, property, &shared, site);
            }
        }
        facts
    }

    pub(super) fn values_of(&self, property: &str) -> impl Iterator<Item = &FactValue> {
        self.values.iter().filter(move |value| value.property == property)
    }

    pub(super) fn first(&self, property: &str) -> Option<&FactValue> {
        self.values_of(property).next()
    }

    fn add_fact(
        &mut self,
        fact: &LineageFact,
        property: &'static str,
        shared: &SharedNames,
        site: &SiteReading<'_>,
    ) {
        if !fact.agrees {
            let why = "The site contradicts itself: its sources state different values.";
            self.leave_out(&fact.fact, why, fact.stated.iter());
            return;
        }
        let mut statements: Vec<&StatedFact> = fact.stated.iter().collect();
        if fact.fact == "name" {
            // Of several forms of the name, that of the main description comes first.
            statements.sort_by_key(|stated| Some(letters(&stated.untrusted_value)) != shared.owner);
        } else {
            // Structured data has the value alone; a text may have more than the value.
            statements.sort_by_key(|stated| !is_markup(stated));
        }
        for stated in statements {
            let taken = shared
                .check_subject(&fact.fact, stated)
                .and_then(|()| check_value(&fact.fact, stated, site));
            match taken {
                Ok(texts) => {
                    for text in texts {
                        self.add_value(&fact.fact, property, text, stated);
                    }
                }
                Err(why) => self.leave_out(&fact.fact, why, std::iter::once(stated)),
            }
        }
    }

    /// Adds a value, or another source of a value that is there already.
    fn add_value(&mut self, word: &str, property: &'static str, text: String, stated: &StatedFact) {
        let of_property = |value: &&mut FactValue| value.property == property;
        let country = self.country.clone();
        let mut count = 0;
        for value in self.values.iter_mut().filter(of_property) {
            count += 1;
            if is_same_value(word, &value.text, &text, country.as_deref()) {
                if value.stated.len() < MAX_SOURCES && !value.stated.contains(stated) {
                    value.stated.push(stated.clone());
                }
                return;
            }
        }
        if word == "address" && count > 0 && !is_markup(stated) {
            let why = "The structured data states the address; this text has more than an address, or another form.";
            self.leave_out(word, why, std::iter::once(stated));
            return;
        }
        let most = if word == "name" { 1 } else { MAX_VALUES };
        if count == most {
            let why = if word == "name" {
                "This is another form of the name, or the name of something else."
            } else {
                "There are more values than a short file needs."
            };
            self.leave_out(word, why, std::iter::once(stated));
            return;
        }
        self.values.push(FactValue { property, text, stated: vec![stated.clone()] });
    }

    fn leave_out<'s>(
        &mut self,
        what: &str,
        why: &str,
        stated: impl Iterator<Item = &'s StatedFact>,
    ) {
        let known = self.not_taken.iter().position(|left| left.what == what && left.why == why);
        let index = known.unwrap_or_else(|| {
            self.not_taken.push(ValueNotTaken {
                what: what.to_owned(),
                why: why.to_owned(),
                untrusted_values: Vec::new(),
            });
            self.not_taken.len() - 1
        });
        let Some(entry) = self.not_taken.get_mut(index) else { return };
        for fact in stated {
            let value = display_safe(&fact.untrusted_value, MAX_VALUE_CHARS);
            if entry.untrusted_values.len() < MAX_VALUES && !entry.untrusted_values.contains(&value)
            {
                entry.untrusted_values.push(value);
            }
        }
    }
}

/// Whether the structured data of the page names several entities, and the name of the owner.
struct SharedNames {
    owner: Option<String>,
    several: bool,
}

impl SharedNames {
    fn of(lineage: &FactLineage) -> Self {
        let names = lineage.facts.iter().filter(|fact| fact.fact == "name");
        let in_markup: Vec<String> = names
            .flat_map(|fact| &fact.stated)
            .filter(|stated| is_markup(stated))
            .map(|stated| letters(&stated.untrusted_value))
            .collect();
        let owner = lineage.subject.untrusted_name.as_deref().map(letters);
        let first = owner.clone().or_else(|| in_markup.first().cloned()).unwrap_or_default();
        let is_other = |name: &String| !name.contains(&first) && !first.contains(name.as_str());
        Self { owner, several: in_markup.iter().any(is_other) }
    }

    /// Whether a statement is about the owner.
    fn check_subject(&self, word: &str, stated: &StatedFact) -> Result<(), &'static str> {
        if word == "name" {
            let is_owner = |owner: &String| {
                let name = letters(&stated.untrusted_value);
                name.contains(owner.as_str()) || owner.contains(&name)
            };
            return match &self.owner {
                Some(owner) if !is_owner(owner) => {
                    Err("This is another form of the name, or the name of something else.")
                }
                _ => Ok(()),
            };
        }
        if self.several && is_markup(stated) {
            return Err(
                "The page describes several businesses or organisations, and this may belong \
                        to another one than the owner.",
            );
        }
        Ok(())
    }
}

fn is_markup(stated: &StatedFact) -> bool {
    matches!(stated.source.as_str(), "json_ld" | "microdata" | "rdfa" | "h_card")
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The value as it is carried over, in one or more texts, or why it is not.
fn check_value(
    word: &str,
    stated: &StatedFact,
    site: &SiteReading<'_>,
) -> Result<Vec<String>, &'static str> {
    let written = stated.untrusted_value.trim();
    if written.chars().count() >= MAX_VALUE_CHARS {
        return Err("The value is longer than 300 characters.");
    }
    let plain = |letter: char| letter == char::REPLACEMENT_CHARACTER || letter.is_control();
    if written.contains(plain) {
        return Err("The value contains characters that cannot be shown.");
    }
    let Some(text) = one_line(written, MAX_VALUE_CHARS) else { return Err("The value is empty.") };
    match word {
        "hours" => opening_hours(&text).ok_or(
            "The opening hours are not in the form that schema.org defines, or contradict each other.",
        ),
        "email" => {
            let address = text.strip_prefix("mailto:").unwrap_or(&text);
            let is_address = address.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && host.contains('.') && !address.contains([' ', '<', '>', ','])
            });
            is_address.then(|| vec![address.to_owned()]).ok_or("The value is not a mail address.")
        }
        "url" | "same_as" | "logo" => absolute_url(word, &text, stated, site).map(|url| vec![url]),
        "telephone" | "fax" => {
            let number = text.strip_prefix("tel:").unwrap_or(&text);
            let digits = number.chars().filter(char::is_ascii_digit).count();
            (digits >= 3).then(|| vec![number.to_owned()]).ok_or("The value is not a number.")
        }
        _ => Ok(vec![text]),
    }
}

/// The full address. A relative one is resolved against the page that states it.
fn absolute_url(
    word: &str,
    text: &str,
    stated: &StatedFact,
    site: &SiteReading<'_>,
) -> Result<String, &'static str> {
    const NOT_AN_ADDRESS: &str = "The value is not the address of a web page or file.";
    let full = match web_url(text) {
        Some(_) if !text.contains(' ') => text.to_owned(),
        Some(url) => url.into(),
        None => {
            let joined = url::Url::parse(&stated.url).ok().and_then(|base| base.join(text).ok());
            let joined = joined.ok_or(NOT_AN_ADDRESS)?;
            web_url(joined.as_str()).map(String::from).ok_or(NOT_AN_ADDRESS)?
        }
    };
    if word == "url" {
        let host = |address: &str| {
            let url = web_url(address)?;
            let host = url.host_str()?;
            Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
        };
        let domain = site.record.domain.as_str();
        let own = domain.strip_prefix("www.").unwrap_or(domain);
        let found = host(&full);
        if found.as_deref() != Some(own) && found != host(&site.home_url()) {
            return Err("The address leads to another host.");
        }
    }
    Ok(full)
}

/// Whether two texts state the same value. Telephone numbers without a country code are of this country.
fn is_same_value(word: &str, one: &str, other: &str, country: Option<&str>) -> bool {
    let field = match word {
        "telephone" | "fax" => WrittenField::Phone,
        "address" => WrittenField::Address,
        "area_served" => WrittenField::ServiceArea,
        "price_range" => WrittenField::Price,
        "name" | "email" | "legal_name" | "alternate_name" | "vat_id" | "tax_id" => {
            return letters(one) == letters(other);
        }
        "url" => return one.trim_end_matches('/') == other.trim_end_matches('/'),
        _ => return one == other,
    };
    one == other || compare_written(field, one, other, country) == WrittenMatch::Equal
}
