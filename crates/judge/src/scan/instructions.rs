//! Text that tells machines what to do: found on every page that was served, and told with those
//! who were given it.

use std::collections::BTreeMap;

use contract::evidence::{Reading, Target};
use contract::records::{AgentView, InstructionLike};
use declared::instructions::{Context, Passage, about_security, detect};

use super::compare;
use super::look::{Look, Sheet, is_success};
use super::served::{browser, is_ai, is_served};

/// Files that are instructions by design.
const BY_DESIGN: [&str; 3] = ["/llms.txt", "/agents.md", "/llms-full.txt"];

/// What was found; also notes on each row whether its page holds such text.
pub(super) fn instructions(look: &Look<'_>, view: &mut AgentView) -> Vec<InstructionLike> {
    let browser = browser(&view.rows).filter(|row| is_served(row));
    let persons = browser.and_then(|row| row.body_sha256.clone());
    let person = browser.and_then(|row| row.reading.clone()).and_then(|id| sheet_of(look, &id));
    let noise = view.self_similarity.map(contract::Ratio::get);
    let mut found: Vec<InstructionLike> = Vec::new();
    // Identities that were given the same bytes share one look at them.
    let mut seen: BTreeMap<(String, bool), Vec<InstructionLike>> = BTreeMap::new();
    for row in view.rows.iter_mut().filter(|row| is_served(row)) {
        let (Some(reading), Some(digest)) = (row.reading.clone(), row.body_sha256.clone()) else {
            continue;
        };
        let Some(sheet) = sheet_of(look, &reading) else { continue };
        // The unnamed control is no agent: what it alone is given is not aimed at them.
        let apart = is_ai(row) && persons.as_ref() != Some(&digest);
        let compared = person.filter(|_| apart);
        let hits =
            seen.entry((digest, apart)).or_insert_with(|| on_page(look, sheet, compared, noise));
        row.instruction_like_text = Some(!hits.is_empty());
        for hit in hits.iter() {
            add(&mut found, hit.clone(), &row.id, &reading);
        }
    }
    for path in BY_DESIGN {
        if let Some((reading, text)) = file(look, path) {
            let passage = Passage { surface: "file", text: &text };
            for hit in detect(&[passage], Context::default()) {
                add(&mut found, told(hit, false), &reading.identity, &reading.id);
            }
        }
    }
    found
}

fn sheet_of<'l>(look: &'l Look<'_>, id: &str) -> Option<&'l Sheet> {
    let reading = look.reads(Target::Home).find(|reading| reading.id == id)?;
    look.page(reading.exchange.response()?)
}

fn on_page(
    look: &Look<'_>,
    sheet: &Sheet,
    person: Option<&Sheet>,
    noise: Option<f64>,
) -> Vec<InstructionLike> {
    let found = looked_through(look, sheet, person, noise, false);
    // What the page is about excuses and never accuses: it is asked for only where it matters.
    let excused =
        !found.is_empty() && about_security(sheet.page.title.as_deref(), &sheet.page.main);
    if excused { looked_through(look, sheet, person, noise, true) } else { found }
}

fn looked_through(
    look: &Look<'_>,
    sheet: &Sheet,
    person: Option<&Sheet>,
    noise: Option<f64>,
    security: bool,
) -> Vec<InstructionLike> {
    let page = &sheet.page;
    let context = |only_ai| Context { only_ai, about_security: security };
    // What the browser was given too is for everybody; of a page that is not even like itself nothing
    // is said about who was given what.
    let steady = compare::is_like_itself(noise, look.rules);
    let shared_text = person.is_none_or(|person| {
        !steady
            || person.page.text == page.text
            || compare::is_the_same(compare::alike(sheet, person), noise, look.rules)
    });
    // Not `text`, which holds what a style hides as well.
    let visible = [&page.main, &page.edges].map(|text| Passage { surface: "visible", text });
    let mut hits: Vec<InstructionLike> = detect(&visible, context(!shared_text))
        .into_iter()
        .map(|hit| told(hit, !shared_text))
        .collect();
    let (shared, own): (Vec<_>, Vec<_>) = page.hidden.iter().partition(|hidden| {
        person.is_none_or(|person| person.page.hidden.iter().any(|theirs| theirs == *hidden))
    });
    let data: Vec<Passage<'_>> =
        page.json_ld.iter().map(|text| Passage { surface: "json_ld", text }).collect();
    let known = person.is_none_or(|person| person.page.json_ld == page.json_ld);
    hits.extend(detect(&data, context(!known)).into_iter().map(|hit| told(hit, !known)));
    for (hidden, only_ai) in [(shared, false), (own, true)] {
        let passages: Vec<Passage<'_>> = hidden
            .iter()
            .map(|hidden| Passage { surface: hidden.surface.as_str(), text: &hidden.text })
            .collect();
        hits.extend(detect(&passages, context(only_ai)).into_iter().map(|hit| told(hit, only_ai)));
    }
    hits
}

fn file<'a>(look: &Look<'a>, path: &str) -> Option<(&'a Reading, String)> {
    let reading = look.reading(Target::MachineFile, path)?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let body = look.body(response)?;
    let page = declared::shape::looks_like_html(body);
    (!page).then(|| (reading, String::from_utf8_lossy(body).into_owned()))
}

fn told(hit: declared::instructions::Hit, only_ai: bool) -> InstructionLike {
    InstructionLike {
        surface: hit.surface,
        rule: hit.rule.to_owned(),
        concealed: hit.concealed,
        only_ai,
        untrusted_excerpt: super::shown(&hit.excerpt, 200),
        untrusted_decoded: hit.decoded.map(|text| super::shown(&text, 400)),
        identities: Vec::new(),
        evidence: Vec::new(),
    }
}

/// One passage is told once, with everybody who was given it.
fn add(found: &mut Vec<InstructionLike>, hit: InstructionLike, identity: &str, reading: &str) {
    let same = |held: &InstructionLike| {
        held.surface == hit.surface
            && held.rule == hit.rule
            && held.untrusted_excerpt == hit.untrusted_excerpt
    };
    let at = match found.iter().position(same) {
        Some(at) => at,
        None if found.len() < 40 => {
            found.push(hit);
            found.len() - 1
        }
        None => return,
    };
    if let Some(held) = found.get_mut(at) {
        held.identities.push(identity.to_owned());
        held.evidence.push(reading.to_owned());
    }
}
