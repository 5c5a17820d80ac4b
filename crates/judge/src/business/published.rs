//! The facts that a business publishes on its site, as a stored reading has them.

use contract::records::{CheckedField, LineageFact, ScanRecord, StatedFact};
use contract::{Domain, Timestamp};
use declared::entity::{WrittenField, WrittenMatch, compare_written};

/// Values of one field that are compared.
const MAX_VALUES: usize = 50;

/// What a site publishes about the business behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFacts {
    pub domain: Domain,
    /// When the site was read.
    pub read_at: Timestamp,
    /// Whether the page was read that facts are taken from.
    pub were_read: bool,
    /// The name of the business. Written by the site.
    pub untrusted_name: Option<String>,
    /// The country of the business, if the site shows it: numbers without a country code are of it.
    pub country: Option<String>,
    facts: Vec<LineageFact>,
    /// The home page: it is the website of a business that names no other.
    home: StatedFact,
}

/// A value that the site publishes, and how another one compares with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedFact<'a> {
    pub stated: &'a StatedFact,
    pub result: WrittenMatch,
}

impl PublishedFacts {
    #[must_use]
    pub fn of(record: &ScanRecord) -> Self {
        let lineage = record.fact_lineage.as_ref();
        let facts = lineage.map(|lineage| lineage.facts.clone()).unwrap_or_default();
        let country = lineage.and_then(|lineage| lineage.subject.country.clone());
        let home = format!("https://{}/", record.domain);
        Self {
            domain: record.domain.clone(),
            read_at: record.scanned_at,
            were_read: lineage.is_some(),
            untrusted_name: lineage.and_then(|lineage| lineage.subject.untrusted_name.clone()),
            country,
            facts,
            home: StatedFact {
                untrusted_value: home.clone(),
                source: "http".to_owned(),
                url: home,
                evidence: Vec::new(),
                pointer: None,
                block: None,
                place: Some("the address of the site".to_owned()),
            },
        }
    }

    /// What the site publishes for a field, in the order of the page, each value once.
    #[must_use]
    pub fn values(&self, field: &CheckedField) -> Vec<&StatedFact> {
        let mut values: Vec<&StatedFact> = Vec::new();
        let named = self.facts.iter().filter(|known| known.fact == fact_name(field));
        // The site answers at its own address, whichever it names.
        let home = (*field == CheckedField::Website).then_some(&self.home);
        for stated in named.flat_map(|known| &known.stated).chain(home) {
            if values.len() < MAX_VALUES
                && !values.iter().any(|known| known.untrusted_value == stated.untrusted_value)
            {
                values.push(stated);
            }
        }
        values
    }

    /// Compares a value with each that the site publishes for the field. The best match comes first.
    #[must_use]
    pub fn compare(&self, field: &CheckedField, value: &str) -> Vec<ComparedFact<'_>> {
        let Some(written) = written_field(field) else { return Vec::new() };
        let region = self.country.as_deref();
        let compare =
            |stated: &StatedFact| compare_written(written, &stated.untrusted_value, value, region);
        let values = self.values(field).into_iter();
        let mut compared: Vec<ComparedFact<'_>> =
            values.map(|stated| ComparedFact { stated, result: compare(stated) }).collect();
        compared.sort_by_key(|fact| match fact.result {
            WrittenMatch::Equal => 0,
            WrittenMatch::Undecidable => 1,
            WrittenMatch::Different => 2,
        });
        compared
    }
}

impl PublishedFacts {
    /// The length of all texts, with so much for each value.
    #[must_use]
    pub fn text_bytes(&self, of_each: usize) -> usize {
        let stated = self.facts.iter().flat_map(|known| &known.stated);
        let texts = stated.map(|stated| {
            let evidence: usize = stated.evidence.iter().map(String::len).sum();
            stated.untrusted_value.len() + stated.url.len() + evidence + of_each
        });
        texts.sum::<usize>() + self.untrusted_name.as_ref().map_or(0, String::len)
    }
}

/// How a value compares with all that the site publishes for the field. `None` if it publishes nothing.
///
/// A business may have several numbers or places: a value is right if it is one of them, and wrong only
/// if it is certainly none of them.
#[must_use]
pub fn best_match(compared: &[ComparedFact<'_>]) -> Option<WrittenMatch> {
    compared.first().map(|best| best.result)
}

/// The name of the fact of a field in a record.
fn fact_name(field: &CheckedField) -> &str {
    match field {
        CheckedField::Phone => "telephone",
        CheckedField::ServiceArea => "area_served",
        CheckedField::Website => "url",
        CheckedField::Price => "price_range",
        CheckedField::Address | CheckedField::Hours | CheckedField::Unrecognised(_) => {
            field.as_str()
        }
    }
}

fn written_field(field: &CheckedField) -> Option<WrittenField> {
    Some(match field {
        CheckedField::Phone => WrittenField::Phone,
        CheckedField::Address => WrittenField::Address,
        CheckedField::Hours => WrittenField::Hours,
        CheckedField::ServiceArea => WrittenField::ServiceArea,
        CheckedField::Website => WrittenField::Website,
        CheckedField::Price => WrittenField::Price,
        CheckedField::Unrecognised(_) => return None,
    })
}
