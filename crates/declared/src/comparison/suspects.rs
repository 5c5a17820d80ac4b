//! Which identities got a page that no person got, so far.

use std::collections::BTreeSet;

use super::compared_page::{ComparedPage, EQUAL_TEXT_PERCENT, Facet, NOISE_PERCENT};

/// Who made a request, as far as the comparison goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Browser,
    /// A client without a name. It stands for people too: it is not an AI crawler.
    Control,
    Ai,
}

/// A complete page, and who got it.
#[derive(Debug, Clone, Copy)]
pub struct ComparedReading<'a> {
    pub identity: &'a str,
    pub reader: Reader,
    pub page: &'a ComparedPage,
}

/// The identities to look at more closely.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suspects {
    /// The AI identities none of whose pages matches a page of the reference group.
    pub identities: BTreeSet<String>,
    /// Whether the control client got the same treatment as all AI identities. Then only the browser
    /// is the reference, and what is suspected is a rule against everything that is not a browser.
    pub control_with_ai: bool,
}

/// The AI identities whose pages all differ from every page that the browser and the control client
/// got. Differences of the size that these show among themselves do not count. Nobody is suspected if
/// the browser's page is filled by scripts, because its text is then not known.
#[must_use]
pub fn find_suspects(readings: &[ComparedReading<'_>]) -> Suspects {
    let of = |reader: Reader| -> Vec<ComparedReading<'_>> {
        readings.iter().copied().filter(|reading| reading.reader == reader).collect()
    };
    let (browser, control, ai) = (of(Reader::Browser), of(Reader::Control), of(Reader::Ai));
    if browser.is_empty() || browser.iter().all(|reading| reading.page.is_script_shell) {
        return Suspects::default();
    }
    let browser_only = References::new(browser.iter().map(|reading| reading.page).collect());
    let control_differs = !control.is_empty()
        && control.iter().all(|reading| browser_only.all_differ_from(reading.page));
    // A bucket drawn by the user agent's name can put the control client and some crawlers aside. Only
    // if the browser is alone against all the others is it a rule against non-browsers.
    let control_with_ai = control_differs
        && ai.len() > 1
        && ai.iter().all(|reading| browser_only.all_differ_from(reading.page));
    let references = if control_with_ai {
        browser_only
    } else {
        References::new(browser.iter().chain(&control).map(|reading| reading.page).collect())
    };
    let names: BTreeSet<&str> = ai.iter().map(|reading| reading.identity).collect();
    let identities = names
        .into_iter()
        .filter(|name| {
            ai.iter()
                .filter(|reading| reading.identity == *name)
                .all(|reading| references.all_differ_from(reading.page))
        })
        .map(ToOwned::to_owned)
        .collect();
    Suspects { identities, control_with_ai }
}

/// Whether the text of a page differs from every text that people got.
#[must_use]
pub fn differs_from_people(page: &ComparedPage, readings: &[ComparedReading<'_>]) -> bool {
    let people: Vec<&ComparedPage> = readings
        .iter()
        .filter(|reading| reading.reader != Reader::Ai && !reading.page.is_script_shell)
        .map(|reading| reading.page)
        .collect();
    let least = least_similarity(&people, Facet::Text);
    !people.is_empty() && people.iter().all(|own| page.similarity(own, Facet::Text) < least)
}

/// Whether any two pages differ, whoever got them.
#[must_use]
pub fn pages_differ(readings: &[ComparedReading<'_>]) -> bool {
    let Some((first, others)) = readings.split_first() else { return false };
    others
        .iter()
        .any(|other| Facet::ALL.iter().any(|facet| !first.page.is_same(other.page, *facet)))
}

/// The pages that others are compared with, and how similar a page must be to one of them, which is
/// the same for all pages.
struct References<'a> {
    pages: Vec<&'a ComparedPage>,
    least: [(Facet, f64); 3],
}

impl<'a> References<'a> {
    fn new(pages: Vec<&'a ComparedPage>) -> Self {
        let least = Facet::ALL.map(|facet| (facet, least_similarity(&pages, facet)));
        Self { pages, least }
    }

    /// Whether a page differs from every reference, in whatever respect.
    fn all_differ_from(&self, page: &ComparedPage) -> bool {
        self.pages.iter().all(|reference| {
            self.least.iter().any(|(facet, least)| page.similarity(reference, *facet) < *least)
        })
    }
}

/// How similar a page must be to a reference to count as the same: as similar as the most similar two
/// references, with some tolerance for texts.
fn least_similarity(references: &[&ComparedPage], facet: Facet) -> f64 {
    let pairs = references.iter().enumerate().flat_map(|(at, one)| {
        references.iter().skip(at + 1).map(move |other| one.similarity(other, facet))
    });
    let most = pairs.fold(None, |most: Option<f64>, pair| Some(most.map_or(pair, |m| m.max(pair))));
    let most = most.unwrap_or(1.0);
    match facet {
        Facet::Text => {
            let equal = f64::from(EQUAL_TEXT_PERCENT) / 100.0;
            equal.min(most - f64::from(NOISE_PERCENT) / 100.0)
        }
        Facet::Prices | Facet::Contacts => most,
    }
}
