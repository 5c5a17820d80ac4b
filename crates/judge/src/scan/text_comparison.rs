//! Whether AI identities get another text than people, or whether the page just varies.
//!
//! The method is in `declared::comparison`: suspects by the first readings, a second reading, and a
//! trial in random order. Only the trial can lead to an accusation.

use std::collections::{BTreeMap, BTreeSet};

use agents::Role;
use contract::evidence::{ReadTarget, Reading};
use contract::ratio::Ratio;
use contract::records::{TextTrial, TextVariation};
use declared::comparison::{
    ComparedPage, ComparedReading, Facet, Reader, Suspects, TrialOutcome, TrialReading,
    differs_from_people, find_suspects, pages_differ, run_trial,
};

use super::convert::saturating_u32;
use super::parsed_evidence::{ParsedEvidence, ParsedPage, is_success};

/// What the comparison of all readings of the home page shows.
pub(super) struct TextComparison<'a> {
    pub(super) variation: TextVariation,
    pub(super) why: String,
    pub(super) trial: Option<TextTrial>,
    /// The AI identities that get another page than people, and in which respects.
    pub(super) accused: BTreeMap<String, Vec<Facet>>,
    /// Whether the control client is treated like the accused.
    pub(super) control_accused: bool,
    /// Identities whose difference could not be tried.
    pub(super) unconfirmed: BTreeSet<String>,
    /// Whether the page past the cache differs from the cached one: in a trial, too.
    pub(super) stale_cache: Option<bool>,
    /// Every page that people got.
    people: Vec<&'a ParsedPage>,
}

/// A reading of the home page with its complete page, walls left out.
struct ServedReading<'a> {
    reading: &'a Reading,
    reader: Reader,
    page: &'a ParsedPage,
}

impl<'a> TextComparison<'a> {
    pub(super) fn new(parsed: &'a ParsedEvidence<'_>) -> Self {
        let served = served_readings(parsed);
        let compared = |targets: &[ReadTarget]| -> Vec<ComparedReading<'_>> {
            served
                .iter()
                .filter(|one| targets.contains(&one.reading.target))
                .map(|one| ComparedReading {
                    identity: &one.reading.identity,
                    reader: one.reader,
                    page: &one.page.compared,
                })
                .collect()
        };
        let first = compared(&[ReadTarget::Home]);
        let before = compared(&[ReadTarget::Home, ReadTarget::HomeAgain]);
        let all = compared(&[ReadTarget::Home, ReadTarget::HomeAgain, ReadTarget::HomeTrial]);
        let at_first = find_suspects(&first);
        // Without second readings, they are the same.
        let suspects =
            if before.len() == first.len() { at_first.clone() } else { find_suspects(&before) };
        let tried = Trial::new(&served, &suspects);
        let accused = tried.accused();
        let undecided = tried.is_undecided() && !suspects.identities.is_empty();
        let has_browser = first.iter().any(|reading| reading.reader == Reader::Browser);
        let has_crawler = first.iter().any(|reading| reading.reader == Reader::Ai);
        let is_shell = first
            .iter()
            .all(|reading| reading.reader != Reader::Browser || reading.page.is_script_shell);
        let variation = if !(has_browser && has_crawler) || is_shell {
            TextVariation::NotMeasured
        } else if !accused.is_empty() {
            TextVariation::FollowsIdentity
        } else if undecided {
            TextVariation::NotConfirmed
        } else if pages_differ(&all) || !at_first.identities.is_empty() {
            TextVariation::Varies
        } else {
            TextVariation::Same
        };
        Self {
            why: explain(&variation, accused.len()),
            stale_cache: stale_cache(parsed, &served, &first),
            control_accused: suspects.control_with_ai && !accused.is_empty(),
            unconfirmed: if undecided { suspects.identities } else { BTreeSet::new() },
            trial: tried.summary(),
            people: served
                .iter()
                .filter(|one| one.reader != Reader::Ai)
                .map(|one| one.page)
                .collect(),
            variation,
            accused,
        }
    }

    /// Every page that people got.
    pub(super) fn people(&self) -> &[&'a ParsedPage] {
        &self.people
    }

    /// Whether a page matches a page that people got, in every respect.
    pub(super) fn matches_people(&self, page: &ParsedPage) -> bool {
        self.people
            .iter()
            .any(|own| Facet::ALL.iter().all(|facet| own.compared.is_same(&page.compared, *facet)))
    }
}

/// All readings of the home page that got a complete page, in the order of the evidence.
fn served_readings<'a>(parsed: &'a ParsedEvidence<'_>) -> Vec<ServedReading<'a>> {
    let is_home = |reading: &&Reading| {
        matches!(reading.target, ReadTarget::Home | ReadTarget::HomeAgain | ReadTarget::HomeTrial)
    };
    let served = |reading: &'a Reading| {
        let reader = match parsed.catalogue.get(&reading.identity)?.role {
            Role::Browser => Reader::Browser,
            Role::Control => Reader::Control,
            Role::Train | Role::Search | Role::User => Reader::Ai,
            Role::Own => return None,
        };
        let page = served_page(parsed, reading)?;
        Some(ServedReading { reading, reader, page })
    };
    parsed.evidence.reads.iter().filter(is_home).filter_map(served).collect()
}

/// The complete page that a reading got. A wall does not count.
pub(super) fn served_page<'a>(
    parsed: &'a ParsedEvidence<'_>,
    reading: &Reading,
) -> Option<&'a ParsedPage> {
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    if parsed.page_wall(response).is_some_and(|wall| wall.certain) {
        return None;
    }
    parsed.page(response)
}

/// The readings of the trial, in two groups.
struct Trial<'a> {
    /// Each reading, and whether it belongs to the suspects.
    reads: Vec<(&'a ServedReading<'a>, bool)>,
    outcomes: [(Facet, TrialOutcome); 3],
}

impl<'a> Trial<'a> {
    fn new(served: &'a [ServedReading<'a>], suspects: &Suspects) -> Self {
        let reads: Vec<(&ServedReading<'_>, bool)> = served
            .iter()
            .filter(|one| one.reading.target == ReadTarget::HomeTrial)
            .map(|one| {
                let is_suspect = match one.reader {
                    Reader::Browser => false,
                    Reader::Control => suspects.control_with_ai,
                    Reader::Ai => true,
                };
                (one, is_suspect)
            })
            .collect();
        let trial: Vec<TrialReading<'_>> = reads
            .iter()
            .map(|(one, is_suspect)| TrialReading {
                is_suspect: *is_suspect,
                page: &one.page.compared,
            })
            .collect();
        let outcomes = Facet::ALL.map(|facet| (facet, run_trial(&trial, facet)));
        Self { reads, outcomes }
    }

    fn is_undecided(&self) -> bool {
        self.outcomes.iter().all(|(_, outcome)| matches!(outcome, TrialOutcome::TooFew { .. }))
    }

    /// The respects in which the pages follow the identity.
    fn proven(&self) -> Vec<Facet> {
        self.outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, TrialOutcome::FollowsIdentity { .. }))
            .map(|(facet, _)| *facet)
            .collect()
    }

    /// The AI identities whose pages all differ from every reference page, in a proven respect.
    fn accused(&self) -> BTreeMap<String, Vec<Facet>> {
        let mut accused: BTreeMap<String, Vec<Facet>> = BTreeMap::new();
        let references = self.pages(false);
        let crawlers: BTreeSet<&str> = self
            .reads
            .iter()
            .filter(|(one, _)| one.reader == Reader::Ai)
            .map(|(one, _)| one.reading.identity.as_str())
            .collect();
        for name in crawlers {
            let differs_in = |facet: &Facet| {
                let mut own = self.reads.iter().filter(|(one, _)| one.reading.identity == name);
                own.all(|(one, _)| {
                    references.iter().all(|page| !one.page.compared.is_same(page, *facet))
                })
            };
            let facets: Vec<Facet> = self.proven().into_iter().filter(differs_in).collect();
            if !facets.is_empty() {
                accused.insert(name.to_owned(), facets);
            }
        }
        accused
    }

    fn pages(&self, suspects: bool) -> Vec<&'a ComparedPage> {
        let of_group = self.reads.iter().filter(|(_, is_suspect)| *is_suspect == suspects);
        of_group.map(|(one, _)| &one.page.compared).collect()
    }

    fn summary(&self) -> Option<TextTrial> {
        let splits = self.outcomes.iter().find_map(|(_, outcome)| match outcome {
            TrialOutcome::FollowsIdentity { splits } | TrialOutcome::Chance { splits } => {
                Some(*splits)
            }
            TrialOutcome::TooFew { .. } => None,
        })?;
        Some(TextTrial {
            reference_reads: saturating_u32(self.pages(false).len()),
            suspect_reads: saturating_u32(self.pages(true).len()),
            splits,
            false_alarm_rate: Ratio::of(Facet::ALL.len() as u64, splits)?,
            follows_identity: self.proven().iter().map(|f| f.as_str().to_owned()).collect(),
            evidence: self.reads.iter().map(|(one, _)| one.reading.id.clone()).collect(),
        })
    }
}

/// Whether the page past the cache differs from what people get at its plain address. Not known if it
/// differed once and was not tried.
fn stale_cache(
    parsed: &ParsedEvidence<'_>,
    served: &[ServedReading<'_>],
    first: &[ComparedReading<'_>],
) -> Option<bool> {
    let fresh: Vec<&ParsedPage> = parsed
        .readings(ReadTarget::Fresh)
        .filter(|reading| reading.path == "/")
        .filter_map(|reading| served_page(parsed, reading))
        .collect();
    let (base, repeated) = fresh.split_first()?;
    if !first.iter().any(|reading| reading.reader == Reader::Browser) {
        return None;
    }
    if !differs_from_people(&base.compared, first) {
        return Some(false);
    }
    // The first repeated read belongs to the second readings, not to the trial.
    let suspects = repeated.iter().skip(1).map(|page| (*page, true));
    let people = served
        .iter()
        .filter(|one| one.reading.target == ReadTarget::HomeTrial && one.reader != Reader::Ai)
        .map(|one| (one.page, false));
    let trial: Vec<TrialReading<'_>> = suspects
        .chain(people)
        .map(|(page, is_suspect)| TrialReading { is_suspect, page: &page.compared })
        .collect();
    match run_trial(&trial, Facet::Text) {
        TrialOutcome::FollowsIdentity { .. } => Some(true),
        TrialOutcome::Chance { .. } => Some(false),
        // No trial after a second reading: the second reading showed that the page varies.
        TrialOutcome::TooFew { .. } if repeated.len() == 1 => Some(false),
        TrialOutcome::TooFew { .. } => None,
    }
}

fn explain(variation: &TextVariation, accused: usize) -> String {
    match variation {
        TextVariation::Same => "Every client that got the page got the same text.".to_owned(),
        TextVariation::Varies => {
            "The text changes from request to request, for people too. The differences do not \
            follow the identity."
                .to_owned()
        }
        TextVariation::FollowsIdentity => format!(
            "In a trial in random order, {accused} AI {} got another page than people every time.",
            if accused == 1 { "crawler" } else { "crawlers" }
        ),
        TextVariation::NotConfirmed => {
            "Some AI crawlers got another text than the browser. Too few reads were \
            possible to decide whether this follows the identity."
                .to_owned()
        }
        _ => "The browser or the AI crawlers did not get a page to compare.".to_owned(),
    }
}
