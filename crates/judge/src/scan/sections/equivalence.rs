//! Whether AI crawlers get the same text as people.

use std::collections::BTreeSet;

use contract::records::{
    AgentRow, EquivalenceVerdict, Finding, Severity, SideBySide, TextVariation,
};
use contract::text::display_safe;
use declared::comparison::Facet;

use super::inputs::SectionInputs;
use crate::scan::agent_rows::{browser_row, is_ai, is_served, reading_ids};
use crate::scan::convert::saturating_u32;
use crate::scan::parsed_evidence::ParsedPage;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule, unscored_finding};

const RULE: &str = "equivalence.same_text";

/// The cap for other text: from this, down by this many points as more crawlers get a more different
/// text.
const CAP_FROM: f64 = 89.0;
const CAP_SPAN: f64 = 54.0;
/// How different a page with other prices or contacts counts as, 0 to 1. Few words change, but they are
/// the ones that users act on.
const REPLACED_FACTS: f64 = 0.8;
/// The least difference that counts.
const LEAST_DIFFERENCE: f64 = 0.2;

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let served: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_served(row)).collect();
    let browser_row = browser_row(rows).filter(|row| is_served(row));
    let Some(browser_row) = browser_row else {
        return verdicts.add_not_assessed(RULE, "The browser did not get the page.");
    };
    if served.is_empty() {
        return verdicts.add_not_assessed(RULE, "No AI crawler got a page to compare.");
    }
    if browser_row.words.is_none_or(|words| words == 0) {
        return verdicts.add_not_assessed(RULE, "The browser's page has no text to compare with.");
    }
    let measured: Vec<&AgentRow> = served
        .into_iter()
        .filter(|row| row.equivalence != EquivalenceVerdict::Unmeasured)
        .collect();
    if measured.is_empty() {
        return verdicts.add_not_assessed(RULE, inputs.view.variation_why.clone());
    }
    let other: Vec<&AgentRow> = measured
        .iter()
        .copied()
        .filter(|row| inputs.comparison.accused.contains_key(&row.id))
        .collect();
    let mut evidence = reading_ids(std::iter::once(browser_row).chain(measured.iter().copied()));
    evidence.extend(inputs.view.trial.iter().flat_map(|trial| trial.evidence.iter().cloned()));
    let got = measured.len() - other.len();
    let varies = inputs.view.variation == TextVariation::Varies;
    let why = match (other.is_empty(), varies) {
        (true, true) => format!(
            "{} So no AI crawler gets a text that is meant for it alone.",
            inputs.view.variation_why
        ),
        _ => format!("{got} of {} AI crawlers get the same text as people.", measured.len()),
    };
    let outcome =
        RuleOutcome::Share { got: saturating_u32(got), of: saturating_u32(measured.len()) };
    verdicts.add_ruling(RULE, outcome, why, evidence.clone());
    if varies {
        report_variation(inputs, browser_row, verdicts);
    }
    if other.is_empty() {
        return;
    }
    let share = other.len() as f64 / measured.len() as f64;
    let difference =
        other.iter().map(|row| difference(inputs, row)).sum::<f64>() / other.len() as f64;
    let cap = CAP_FROM - CAP_SPAN * share * difference;
    verdicts.add_cap_at(
        "other_text",
        cap.round() as u32,
        format!(
            "{} of {} AI crawlers that get the page get {} than people.",
            other.len(),
            measured.len(),
            what_differs(inputs, &other)
        ),
    );
    verdicts.add_finding(other_text_finding(inputs, browser_row, &other, measured.len()));
}

/// How different the page of a crawler is, 0 to 1.
fn difference(inputs: &SectionInputs<'_>, row: &AgentRow) -> f64 {
    let facets = inputs.comparison.accused.get(&row.id).map(Vec::as_slice).unwrap_or_default();
    let facts = facets.iter().any(|facet| *facet != Facet::Text);
    let text = 1.0 - row.similarity.map_or(0.0, contract::Ratio::get);
    let least = if facts { REPLACED_FACTS } else { LEAST_DIFFERENCE };
    text.max(least).min(1.0)
}

/// The respects in which crawlers are given other pages, most telling first.
fn facets_of(inputs: &SectionInputs<'_>, other: &[&AgentRow]) -> Vec<Facet> {
    let mut facets: Vec<Facet> = other
        .iter()
        .filter_map(|row| inputs.comparison.accused.get(&row.id))
        .flatten()
        .copied()
        .collect();
    facets.sort();
    facets.dedup();
    facets
}

/// Pages with at least this share of words in common have the same text with other facts, if prices or
/// contacts differ.
const MOSTLY_SAME: f64 = 0.8;

/// The respect that tells best how the pages differ.
fn main_facet(inputs: &SectionInputs<'_>, other: &[&AgentRow]) -> Facet {
    let facets = facets_of(inputs, other);
    // Word by word: in a short text, one other price changes most sequences of words.
    let browser_page = browser_row(&inputs.view.rows).and_then(|row| page_of(inputs, row));
    let is_mostly_same = other.iter().all(|row| {
        let pages = browser_page.zip(page_of(inputs, row));
        pages.is_some_and(|(one, two)| shared_words(&one.page.main, &two.page.main) >= MOSTLY_SAME)
    });
    let replaced = [Facet::Contacts, Facet::Prices].into_iter().find(|f| facets.contains(f));
    match replaced {
        Some(replaced) if is_mostly_same || !facets.contains(&Facet::Text) => replaced,
        _ => Facet::Text,
    }
}

/// The share of words without digits that two texts have in common, 0 to 1.
fn shared_words(one: &str, two: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        let plain = text.split_whitespace().filter(|word| !word.contains(char::is_numeric));
        plain.take(MAX_SHARED_WORDS).map(str::to_lowercase).collect()
    };
    let (one, two) = (words(one), words(two));
    match one.union(&two).count() {
        0 => 1.0,
        all => one.intersection(&two).count() as f64 / all as f64,
    }
}

/// How many words of a text are looked at.
const MAX_SHARED_WORDS: usize = 20_000;

fn what_differs(inputs: &SectionInputs<'_>, other: &[&AgentRow]) -> &'static str {
    match main_facet(inputs, other) {
        Facet::Text => "a different text",
        Facet::Contacts => "other contact details",
        Facet::Prices => "other prices",
    }
}

fn other_text_finding(
    inputs: &SectionInputs<'_>,
    browser_row: &AgentRow,
    other: &[&AgentRow],
    measured: usize,
) -> Finding {
    let facet = main_facet(inputs, other);
    let all = |verdict: EquivalenceVerdict| other.iter().all(|row| row.equivalence == verdict);
    let (id, title) = match facet {
        Facet::Text if all(EquivalenceVerdict::Reduced) => {
            ("other_text", "AI crawlers get only part of the page")
        }
        Facet::Text if all(EquivalenceVerdict::Augmented) => {
            ("other_text", "AI crawlers get more text than people")
        }
        Facet::Text => ("other_text", "AI crawlers get a different text than people"),
        Facet::Contacts => ("other_contacts", "AI crawlers get other contact details than people"),
        Facet::Prices => ("other_prices", "AI crawlers get other prices than people"),
    };
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, id, Severity::High);
    finding.title = title.to_owned();
    finding.matters_to = vec!["agents".to_owned(), "readers".to_owned(), "site_owner".to_owned()];
    finding.seen = format!(
        "The browser got {} words. {} of {measured} AI crawlers got {}: {}. {}{}",
        browser_row.words.unwrap_or(0),
        other.len(),
        what_differs(inputs, other),
        other.iter().map(|row| describe_row(row)).collect::<Vec<_>>().join("; "),
        inputs.view.variation_why,
        inputs.view.trial.as_ref().map(describe_trial).unwrap_or_default(),
    );
    finding.side_by_side = side_by_side(inputs, browser_row, other, facet);
    finding.fix = Some(
        "Serve the same text to every client. If you want to offer a shorter version for agents, publish it separately \
         (as Markdown through the Accept header, or in llms.txt) and leave the page unchanged. If you did not \
         configure this, check for a plug-in or CDN feature that rewrites pages for bots."
            .to_owned(),
    );
    finding.evidence = reading_ids(std::iter::once(browser_row).chain(other.iter().copied()));
    finding
        .evidence
        .extend(inputs.view.trial.iter().flat_map(|trial| trial.evidence.iter().cloned()));
    finding
}

fn describe_trial(trial: &contract::records::TextTrial) -> String {
    format!(
        " The trial had {} reads as people and {} as these crawlers. A site that does not look at the identity gives \
         this result at most once in {} scans.",
        trial.reference_reads,
        trial.suspect_reads,
        trial.splits / 3
    )
}

fn describe_row(row: &AgentRow) -> String {
    let alike = row.similarity.map(|alike| percent(alike.get())).unwrap_or_default();
    format!("{}: {} words, {alike} similar, {}", row.label, row.words.unwrap_or(0), row.equivalence)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Reports that the page changes by itself. It costs no points.
fn report_variation(inputs: &SectionInputs<'_>, browser_row: &AgentRow, verdicts: &mut Verdicts) {
    let mut finding = unscored_finding("equivalence", "varies", Severity::Info);
    finding.title = "The page changes from request to request".to_owned();
    finding.seen = inputs.view.variation_why.clone();
    finding.why = "Agents that read the page twice get different texts and may quote one that is gone. Tests of \
                   versions, rotating blocks and advertisements cause this."
        .to_owned();
    finding.fix = Some(
        "If agents should get a stable text, leave what rotates out of the HTML of the main part."
            .to_owned(),
    );
    finding.evidence = reading_ids(std::iter::once(browser_row));
    finding
        .evidence
        .extend(inputs.view.trial.iter().flat_map(|trial| trial.evidence.iter().cloned()));
    verdicts.add_finding(finding);
}

/// The most characters shown of each text.
const SHOWN_CHARS: usize = 400;
/// Words shown before the first difference.
const WORDS_BEFORE: usize = 6;
const SHOWN_WORDS: usize = 50;

/// What the browser and the first of the crawlers got, from where they begin to differ.
fn side_by_side(
    inputs: &SectionInputs<'_>,
    browser_row: &AgentRow,
    other: &[&AgentRow],
    facet: Facet,
) -> Option<SideBySide> {
    let crawler = other.first()?;
    let browser_page = page_of(inputs, browser_row)?;
    let crawler_page = page_of(inputs, crawler)?;
    let (left, right) = if facet == Facet::Text {
        let (one, two) = (&browser_page.page.main, &crawler_page.page.main);
        let same = one
            .split_whitespace()
            .zip(two.split_whitespace())
            .take_while(|(own, theirs)| own == theirs)
            .count();
        let from = |text: &str| -> String {
            let words = text.split_whitespace().skip(same.saturating_sub(WORDS_BEFORE));
            words.take(SHOWN_WORDS).collect::<Vec<_>>().join(" ")
        };
        (from(one), from(two))
    } else {
        let (one, two) = if facet == Facet::Contacts {
            (&browser_page.compared.contacts, &crawler_page.compared.contacts)
        } else {
            (&browser_page.compared.prices, &crawler_page.compared.prices)
        };
        let only = |one: &BTreeSet<String>, two: &BTreeSet<String>| {
            let values = one.difference(two).take(10).map(|value| without_kind(value));
            values.collect::<Vec<_>>().join(", ")
        };
        (only(one, two), only(two, one))
    };
    Some(SideBySide {
        left: browser_row.label.clone(),
        untrusted_left: display_safe(&left, SHOWN_CHARS),
        right: crawler.label.clone(),
        untrusted_right: display_safe(&right, SHOWN_CHARS),
    })
}

/// A contact without the kind that it is compared by: `tel:01632 960999` is `01632 960999`.
fn without_kind(contact: &str) -> &str {
    let value = contact.strip_prefix("data-").unwrap_or(contact);
    ["tel:", "mail:", "place:"].iter().find_map(|kind| value.strip_prefix(kind)).unwrap_or(contact)
}

fn page_of<'a>(inputs: &SectionInputs<'a>, row: &AgentRow) -> Option<&'a ParsedPage> {
    let id = row.reading.as_deref()?;
    let reading = inputs.parsed.evidence.reads.iter().find(|reading| reading.id == id)?;
    inputs.parsed.page(reading.exchange.response()?)
}
