//! The types for facts about the owner of a site.

use crate::fault::Fault;

/// What a fact is about.
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

/// Where a fact was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    JsonLd,
    Microdata,
    /// RDFa Lite in the vocabulary of schema.org.
    Rdfa,
    /// A card in class names (microformats2).
    HCard,
    OpenGraph,
    VisibleText,
    TelLink,
    MailLink,
    AddressElement,
    /// A link that its page calls another page of the same owner.
    RelMe,
}

impl Carrier {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonLd => "json_ld",
            Self::Microdata => "microdata",
            Self::Rdfa => "rdfa",
            Self::HCard => "h_card",
            Self::OpenGraph => "open_graph",
            Self::VisibleText => "visible_text",
            Self::TelLink => "tel_link",
            Self::MailLink => "mail_link",
            Self::AddressElement => "address_element",
            Self::RelMe => "rel_me",
        }
    }

    /// Whether people see it on the page.
    #[must_use]
    pub fn is_visible(self) -> bool {
        matches!(self, Self::VisibleText | Self::TelLink | Self::MailLink | Self::AddressElement)
    }
}

/// One fact that a page states about its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityFact {
    pub fact: FactName,
    /// As written, truncated.
    pub value: String,
    /// Normalized for comparison; empty if the value could not be parsed.
    pub normalized: String,
    pub carrier: Carrier,
    /// The `@id` of the node it is about, or the position of the node; none for facts outside
    /// structured data.
    pub subject: Option<String>,
    /// A pointer into the structured data (`/json_ld/0/@graph/2/telephone`) or a description of where
    /// on the page it is.
    pub at: String,
    /// Where the value is in its JSON-LD block; none for other carriers.
    pub pointer: Option<BlockPointer>,
}

/// A place in a JSON-LD block of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPointer {
    /// The number of the block on the page, from 0.
    pub block: usize,
    /// A JSON Pointer (RFC 6901) to the value. Opening hours point to their property, addresses in fields
    /// to the object.
    pub pointer: String,
}

impl EntityFact {
    /// The position of the structured data node that contains the fact.
    pub(super) fn node(&self) -> &str {
        self.at.rsplit_once('/').map_or(self.at.as_str(), |(node, _)| node)
    }
}

/// The owner of a site, as the site describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Whether structured data names an organisation, business or person behind the site.
    pub owner_found: bool,
    pub name: Option<String>,
    /// The types of the main subject.
    pub types: Vec<String>,
    /// The main subject, as in [`EntityFact::subject`].
    pub subject: Option<String>,
    /// Its country (ISO 3166-1 alpha-2), if its address or the domain shows it.
    pub country: Option<String>,
    /// How many different entities may be the owner, without branches and departments.
    pub owner_count: usize,
    /// Whether the main subject is a place of business, such as a shop.
    pub(super) is_local_business: bool,
    /// Title and domain in the form in which names are compared: they show which name the site goes by.
    pub(super) site_names: Vec<String>,
    /// How many places of business are described.
    pub business_place_count: usize,
    pub facts: Vec<EntityFact>,
    pub faults: Vec<Fault>,
    /// Whether the page is an app shell without markup; its scripts may add some.
    pub script_only: bool,
}
