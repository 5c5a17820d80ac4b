//! Who a site says it is: structured data, Open Graph and what is written on the page.
//!
//! Statements are kept with where they stand and in a normal form, so that they can be compared.
//! They are claims; nothing here says that they are true.

mod classes;
mod compare;
mod graph;
mod json;
mod normal;
mod read;

pub use compare::{Agreement, Disagreement, compare, disagreements};
pub use read::read;

use crate::fault::Fault;
use crate::page::cut;

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactName {
    Name,
    LegalName,
    AlternateName,
    Telephone,
    Fax,
    Email,
    Address,
    Hours,
    Url,
    SameAs,
    Logo,
    PriceRange,
    AreaServed,
    TaxId,
    VatId,
    Lei,
    Duns,
}

impl FactName {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::LegalName => "legal_name",
            Self::AlternateName => "alternate_name",
            Self::Telephone => "telephone",
            Self::Fax => "fax",
            Self::Email => "email",
            Self::Address => "address",
            Self::Hours => "hours",
            Self::Url => "url",
            Self::SameAs => "same_as",
            Self::Logo => "logo",
            Self::PriceRange => "price_range",
            Self::AreaServed => "area_served",
            Self::TaxId => "tax_id",
            Self::VatId => "vat_id",
            Self::Lei => "lei",
            Self::Duns => "duns",
        }
    }
}

/// What carries a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    JsonLd,
    Microdata,
    OpenGraph,
    VisibleText,
    TelLink,
    MailLink,
    AddressElement,
}

impl Carrier {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonLd => "json_ld",
            Self::Microdata => "microdata",
            Self::OpenGraph => "open_graph",
            Self::VisibleText => "visible_text",
            Self::TelLink => "tel_link",
            Self::MailLink => "mail_link",
            Self::AddressElement => "address_element",
        }
    }

    /// Whether a person who looks at the page sees it.
    #[must_use]
    pub fn is_visible(self) -> bool {
        matches!(self, Self::VisibleText | Self::TelLink | Self::MailLink | Self::AddressElement)
    }
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    pub fact: FactName,
    /// As written, cut.
    pub value: String,
    /// In one spelling, for comparing; empty when the value could not be understood.
    pub normal: String,
    pub carrier: Carrier,
    /// The `@id` of the node it is about, or where the node stands; none for what is said beside
    /// structured data.
    pub subject: Option<String>,
    /// A pointer into the structured data (`/json_ld/0/@graph/2/telephone`) or a place on the page.
    pub at: String,
}

impl Stated {
    /// The node a statement of structured data stands in.
    fn node(&self) -> &str {
        self.at.rsplit_once('/').map_or(self.at.as_str(), |(node, _)| node)
    }
}

/// Who a site says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Whether a named organisation, business, or person behind the site was read from structured
    /// data.
    pub found: bool,
    pub name: Option<String>,
    /// The types of the main subject.
    pub types: Vec<String>,
    /// The main subject, as [`Stated::subject`] names it.
    pub subject: Option<String>,
    /// How many places of business are described.
    pub places: usize,
    pub stated: Vec<Stated>,
    pub faults: Vec<Fault>,
    /// Whether the page is a shell, so that markup may be there once its scripts ran.
    pub script_only: bool,
}

#[cfg(test)]
mod tests;
