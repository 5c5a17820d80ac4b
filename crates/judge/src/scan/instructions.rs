//! Finds text that gives instructions to machines on every served page, and which identities got it.

use std::collections::BTreeMap;

use contract::evidence::{ReadTarget, Reading};
use contract::records::{AgentView, InstructionLikeText};
use contract::text::display_safe;
use declared::comparison::Facet;
use declared::instructions::{
    HarmlessLines, PageContext, Passage, find_instructions_among, is_about_security,
};

use super::agent_rows::{browser_row, is_ai, is_served};
use super::parsed_evidence::{ParsedEvidence, ParsedPage, is_success};
use super::text_comparison::TextComparison;

/// Files that are meant to give instructions to machines.
const INSTRUCTION_FILES: [&str; 3] = ["/llms.txt", "/agents.md", "/llms-full.txt"];

/// What was found on the pages and in the files of a site.
pub(super) struct FoundInstructions {
    texts: Vec<InstructionLikeText>,
    /// Whether the page of a row contains any. None if there is no page to search.
    on_rows: Vec<Option<bool>>,
}

impl FoundInstructions {
    /// Notes on each row whether its page contains any, and returns all.
    pub(super) fn note_on(self, view: &mut AgentView) -> Vec<InstructionLikeText> {
        for (row, found) in view.rows.iter_mut().zip(self.on_rows) {
            row.instruction_like_text = found;
        }
        self.texts
    }
}

/// Finds all instructions.
pub(super) fn find_instructions(
    parsed: &ParsedEvidence<'_>,
    comparison: &TextComparison<'_>,
    view: &AgentView,
) -> FoundInstructions {
    let browser = browser_row(&view.rows).filter(|row| is_served(row));
    let browser_digest = browser.and_then(|row| row.body_sha256.clone());
    let people = browser.map(|_| comparison.people()).unwrap_or_default();
    let mut found: Vec<InstructionLikeText> = Vec::new();
    // Identities that got the same bytes share one search result.
    let mut searched: BTreeMap<(String, bool), Vec<InstructionLikeText>> = BTreeMap::new();
    let mut harmless = HarmlessLines::default();
    let mut on_rows = vec![None; view.rows.len()];
    for (row, on_row) in view.rows.iter().zip(&mut on_rows).filter(|(row, _)| is_served(row)) {
        let (Some(reading), Some(digest)) = (row.reading.clone(), row.body_sha256.clone()) else {
            continue;
        };
        let Some(parsed_page) = page_of_reading(parsed, &reading) else { continue };
        // Text that only the unnamed control client gets is not aimed at AI crawlers. What one crawler
        // got once may be chance: only a trial shows that a text is meant for it alone.
        let differs = is_ai(row)
            && browser_digest.as_ref() != Some(&digest)
            && comparison.accused.contains_key(&row.id);
        let compared = if differs { people } else { &[] };
        let hits = searched
            .entry((digest, differs))
            .or_insert_with(|| detect_on_page(parsed_page, compared, &mut harmless));
        *on_row = Some(!hits.is_empty());
        for hit in hits.iter() {
            add_hit(&mut found, hit.clone(), &row.id, &reading);
        }
    }
    for path in INSTRUCTION_FILES {
        if let Some((reading, text)) = read_text_file(parsed, path) {
            let passage = Passage { surface: "file", text: &text };
            for hit in declared::instructions::find_instructions(&[passage], PageContext::default())
            {
                add_hit(
                    &mut found,
                    to_instruction_like(hit, false),
                    &reading.identity,
                    &reading.id,
                );
            }
        }
    }
    FoundInstructions { texts: found, on_rows }
}

fn page_of_reading<'l>(parsed: &'l ParsedEvidence<'_>, id: &str) -> Option<&'l ParsedPage> {
    let reading = parsed.readings(ReadTarget::Home).find(|reading| reading.id == id)?;
    parsed.page(reading.exchange.response()?)
}

/// Finds the instructions on a page. `people` are the pages that people got; none if the page is one of
/// them. `harmless` are lines of other pages of the site.
pub(super) fn detect_on_page<'l>(
    parsed_page: &'l ParsedPage,
    people: &[&ParsedPage],
    harmless: &mut HarmlessLines<'l>,
) -> Vec<InstructionLikeText> {
    let found = detect_in_context(parsed_page, people, false, harmless);
    // Pages about security may quote instructions. This is checked only if something was found.
    let excused = !found.is_empty()
        && is_about_security(parsed_page.page.title.as_deref(), &parsed_page.page.main);
    if excused { detect_in_context(parsed_page, people, true, harmless) } else { found }
}

fn detect_in_context<'l>(
    parsed_page: &'l ParsedPage,
    people: &[&ParsedPage],
    security: bool,
    harmless: &mut HarmlessLines<'l>,
) -> Vec<InstructionLikeText> {
    let page = &parsed_page.page;
    let context = |only_ai| PageContext { only_ai, about_security: security };
    // Text that a person got too is not crawler-only. A page that varies is compared with all pages
    // that people got.
    let is_shared = |same: &dyn Fn(&ParsedPage) -> bool| {
        people.is_empty() || people.iter().any(|own| same(own))
    };
    let shared_text = is_shared(&|own| {
        own.page.text == page.text || own.compared.is_same(&parsed_page.compared, Facet::Text)
    });
    let visible = [
        Passage { surface: "visible", text: &page.visible },
        Passage { surface: "quoted", text: &page.quoted },
    ];
    let mut hits: Vec<InstructionLikeText> =
        find_instructions_among(&visible, context(!shared_text), harmless)
            .into_iter()
            .map(|hit| to_instruction_like(hit, !shared_text))
            .collect();
    let (shared, own): (Vec<_>, Vec<_>) = page.hidden.iter().partition(|hidden| {
        is_shared(&|own| own.page.hidden.iter().any(|theirs| theirs == *hidden))
    });
    let data: Vec<Passage<'_>> =
        page.json_ld.iter().map(|text| Passage { surface: "json_ld", text }).collect();
    let shared_data = is_shared(&|own| own.page.json_ld == page.json_ld);
    hits.extend(
        find_instructions_among(&data, context(!shared_data), harmless)
            .into_iter()
            .map(|hit| to_instruction_like(hit, !shared_data)),
    );
    for (hidden, only_ai) in [(shared, false), (own, true)] {
        let passages: Vec<Passage<'_>> = hidden
            .iter()
            .map(|hidden| Passage { surface: hidden.surface.as_str(), text: &hidden.text })
            .collect();
        hits.extend(
            find_instructions_among(&passages, context(only_ai), harmless)
                .into_iter()
                .map(|hit| to_instruction_like(hit, only_ai)),
        );
    }
    hits
}

fn read_text_file<'a>(parsed: &ParsedEvidence<'a>, path: &str) -> Option<(&'a Reading, String)> {
    let reading = parsed.last_reading(ReadTarget::MachineFile, path)?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let body = parsed.body(response)?;
    let page = declared::sniff::looks_like_html(body);
    (!page).then(|| (reading, String::from_utf8_lossy(body).into_owned()))
}

fn to_instruction_like(
    hit: declared::instructions::InstructionHit,
    only_ai: bool,
) -> InstructionLikeText {
    InstructionLikeText {
        surface: hit.surface,
        rule: hit.rule.to_owned(),
        concealed: hit.concealed,
        only_ai,
        untrusted_excerpt: display_safe(&hit.excerpt, 200),
        untrusted_decoded: hit.decoded.map(|text| display_safe(&text, 400)),
        identities: Vec::new(),
        evidence: Vec::new(),
    }
}

/// Adds a passage, or adds the identity to the same passage found before.
pub(super) fn add_hit(
    found: &mut Vec<InstructionLikeText>,
    hit: InstructionLikeText,
    identity: &str,
    reading: &str,
) {
    let is_same = |other: &InstructionLikeText| {
        other.surface == hit.surface
            && other.rule == hit.rule
            && other.untrusted_excerpt == hit.untrusted_excerpt
    };
    let at = match found.iter().position(is_same) {
        Some(at) => at,
        None if found.len() < 40 => {
            found.push(hit);
            found.len() - 1
        }
        None => return,
    };
    if let Some(entry) = found.get_mut(at) {
        entry.identities.push(identity.to_owned());
        entry.evidence.push(reading.to_owned());
    }
}
