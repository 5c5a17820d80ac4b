//! What two pages are compared by.

use std::collections::BTreeSet;

use super::contacts::contacts;
use crate::page::{Page, ShingleOverlap, Shingles, prices, shingles};

/// Texts at least this similar (shared sequences of five words, in hundredths) are the same text.
pub const EQUAL_TEXT_PERCENT: u32 = 90;
/// How much less similar than two requests under the same conditions a text may be and still count as
/// the same.
pub const NOISE_PERCENT: u32 = 5;

/// What can differ between two pages. Each is tested by itself, because a changed price is a small
/// change of a text and a large one of its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    Text,
    Prices,
    Contacts,
}

impl Facet {
    pub const ALL: [Self; 3] = [Self::Text, Self::Prices, Self::Contacts];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Prices => "prices",
            Self::Contacts => "contacts",
        }
    }
}

/// A page reduced to what it is compared by.
#[derive(Debug, Clone, Default)]
pub struct ComparedPage {
    pub shingles: Shingles,
    pub prices: BTreeSet<String>,
    /// Telephone numbers, mail addresses and postal addresses, each with its kind in front: `tel:`,
    /// `mail:`, `place:`, and the same with `data-` for those in structured data. Each kind is compared by
    /// itself, because machines read the structured data and people the text.
    pub contacts: BTreeSet<String>,
    /// Whether scripts fill the page, so that its text is not in the HTML.
    pub is_script_shell: bool,
    /// Whether the page goes on after what was read of it.
    pub is_cut: bool,
}

const CONTACT_KINDS: [&str; 6] =
    ["tel:", "mail:", "place:", "data-tel:", "data-mail:", "data-place:"];

/// A page with fewer words than this that scripts fill is a shell.
const SHELL_WORDS: usize = 50;

impl ComparedPage {
    #[must_use]
    pub fn new(page: &Page, domain: &str, is_cut: bool) -> Self {
        let words = page.count_words(SHELL_WORDS);
        let (is_short, is_blank) = (words < SHELL_WORDS, words == 0);
        Self {
            shingles: shingles(&page.main),
            prices: prices(&page.main).into_iter().collect(),
            contacts: contacts(page, domain),
            is_script_shell: is_short && (page.is_app_shell || (page.scripts > 0 && is_blank)),
            is_cut,
        }
    }

    /// How similar two pages are in one respect, 0 to 1. Prices and contacts count as equal unless the
    /// pages replace some by others.
    #[must_use]
    pub fn similarity(&self, other: &Self, facet: Facet) -> f64 {
        match facet {
            Facet::Text => self.text_similarity(other),
            _ if !self.has_replaced(other, facet) => 1.0,
            Facet::Prices => share_in_common(&self.prices, &other.prices),
            Facet::Contacts => share_in_common(&self.contacts, &other.contacts),
        }
    }

    /// Whether both pages count as the same in one respect.
    #[must_use]
    pub fn is_same(&self, other: &Self, facet: Facet) -> bool {
        match facet {
            Facet::Text if self.is_cut || other.is_cut => {
                self.text_similarity(other) >= f64::from(EQUAL_TEXT_PERCENT) / 100.0
            }
            Facet::Text => self.shingles.is_jaccard_at_least(&other.shingles, EQUAL_TEXT_PERCENT),
            Facet::Prices | Facet::Contacts => !self.has_replaced(other, facet),
        }
    }

    fn text_similarity(&self, other: &Self) -> f64 {
        self.similarity_by_overlap(other, self.shingles.overlap(&other.shingles))
    }

    /// The share of the text that both have, of which `overlap` is known. If the shorter text is one that
    /// goes on, only what was read of it is compared: two readers may be cut at different places.
    #[must_use]
    pub fn similarity_by_overlap(&self, other: &Self, overlap: ShingleOverlap) -> f64 {
        let is_shorter = self.shingles.hashes().len() <= other.shingles.hashes().len();
        let (shorter, overlap) =
            if is_shorter { (self, overlap) } else { (other, overlap.reversed()) };
        if shorter.is_cut && !shorter.shingles.hashes().is_empty() {
            overlap.containment()
        } else {
            overlap.jaccard()
        }
    }

    /// Whether one page has other prices or contacts in place of those of the other page.
    fn has_replaced(&self, other: &Self, facet: Facet) -> bool {
        match facet {
            Facet::Text => false,
            Facet::Prices => are_replaced(&self.prices, &other.prices),
            Facet::Contacts => {
                self.contacts != other.contacts
                    && CONTACT_KINDS.into_iter().any(|kind| {
                        lacks_some(&other.contacts, &self.contacts, kind)
                            && lacks_some(&self.contacts, &other.contacts, kind)
                    })
            }
        }
    }
}

/// Whether each set has a value that the other lacks. A value that is only missing is not replaced: a
/// page without its footer has no telephone number, which is not another number.
fn are_replaced<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> bool {
    !one.is_subset(other) && !other.is_subset(one)
}

fn share_in_common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 1.0 } else { one.intersection(other).count() as f64 / all as f64 }
}

/// Whether a set lacks a contact of this kind that the other set has.
fn lacks_some(one: &BTreeSet<String>, other: &BTreeSet<String>, kind: &str) -> bool {
    other.iter().filter(|contact| contact.starts_with(kind)).any(|contact| !one.contains(contact))
}
