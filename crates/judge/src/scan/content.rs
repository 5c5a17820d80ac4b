//! What the home page says to a reader that runs no scripts.

use contract::evidence::{Reading, Target};
use contract::ratio::Ratio;
use contract::records::{AgentView, ContentReading, DeclaredLink, InstructionLike};
use declared::files::{Markdown, Served, markdown_negotiation};

use super::compare;
use super::look::{Look, Sheet, is_success};
use super::served::{browser, is_served};
use super::signals::headers;

/// The page that stands for the site: the browser's, or the first that was served.
pub(super) fn the_page<'a, 'l>(
    look: &'l Look<'a>,
    view: &AgentView,
) -> Option<(&'a Reading, &'l Sheet)> {
    let row = browser(&view.rows)
        .filter(|row| is_served(row))
        .or_else(|| view.rows.iter().find(|row| is_served(row)))?;
    let id = row.reading.as_deref()?;
    let reading = look.reads(Target::Home).find(|reading| reading.id == id)?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let html = response.header("content-type").is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.contains("html") || kind.contains("xml") || kind.starts_with("text/")
    });
    Some((reading, look.page(response).filter(|_| html)?))
}

pub(super) fn content(
    look: &Look<'_>,
    found: Option<(&Reading, &Sheet)>,
    instruction_like: Vec<InstructionLike>,
) -> ContentReading {
    let page = found.map(|(_, sheet)| &sheet.page);
    let markdown = markdown(look);
    let text = |value: Option<&String>, most: usize| value.map(|value| super::shown(value, most));
    ContentReading {
        reading: found.map(|(reading, _)| reading.id.clone()),
        words: found.map(|(_, sheet)| sheet.words),
        main_words: found.map(|(_, sheet)| super::count(sheet.shingles.words())),
        script_shell: found.map(|(_, sheet)| is_shell(look, sheet)),
        untrusted_title: text(page.and_then(|page| page.title.as_ref()), 200),
        untrusted_description: text(page.and_then(|page| page.description.as_ref()), 300)
            .filter(|description| !description.is_empty()),
        language: text(page.and_then(|page| page.language.as_ref()), 40),
        canonical: text(page.and_then(|page| page.canonical.as_ref()), 300),
        markdown: markdown.as_ref().map(|(read, _)| read.offered),
        markdown_similarity: markdown
            .as_ref()
            .filter(|(read, _)| read.offered)
            .zip(found)
            .and_then(|((_, sheet), (_, page))| Ratio::new(compare::alike(sheet, page))),
        markdown_faults: markdown
            .iter()
            .flat_map(|(read, _)| read.faults.iter().cloned().map(super::checks::told))
            .collect(),
        instruction_like,
        links: found.map(|(reading, sheet)| links(reading, sheet)).unwrap_or_default(),
    }
}

/// Whether scripts would have to fill the page: a root to fill, or scripts and hardly a word.
fn is_shell(look: &Look<'_>, sheet: &Sheet) -> bool {
    let few = sheet.words < look.rules.thresholds.enough_words;
    few && (sheet.page.app_root || (sheet.page.scripts > 0 && sheet.words == 0))
}

/// The answer to a wish for Markdown, and its text.
fn markdown<'l>(look: &'l Look<'_>) -> Option<(Markdown, &'l Sheet)> {
    let reading = look.reads(Target::Markdown).last()?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let fields = headers(response);
    let served = Served {
        asked_url: &reading.exchange.url,
        final_url: &response.url,
        redirects: reading.exchange.hops.len().saturating_sub(1),
        status: response.status,
        headers: &fields,
        body: look.body(response)?,
        cut: response.body.cut.is_some(),
        read_at_s: reading.exchange.started_at.as_millis() / 1_000,
    };
    Some((markdown_negotiation(&served), look.page(response)?))
}

/// Relations worth knowing: those that lead an agent to something meant for it.
const RELATIONS: [&str; 16] = [
    "api-catalog",
    "service-desc",
    "service-doc",
    "service-meta",
    "status",
    "license",
    "alternate",
    "describedby",
    "ai-catalog",
    "ard",
    "canonical",
    "privacy-policy",
    "terms-of-service",
    "blocked-by",
    "llms-txt",
    "mcp",
];

fn links(reading: &Reading, sheet: &Sheet) -> Vec<DeclaredLink> {
    let fields = reading.exchange.response().into_iter().flat_map(|response| {
        declared::link::parse(response.headers_named("link")).into_iter().flat_map(|link| {
            let target = link.target;
            link.rels.into_iter().map(move |rel| (rel, target.clone(), "header"))
        })
    });
    let elements = sheet.page.links.iter().flat_map(|link| {
        link.rel
            .split_ascii_whitespace()
            .map(|rel| (rel.to_ascii_lowercase(), link.href.clone(), "element"))
            .collect::<Vec<_>>()
    });
    fields
        .chain(elements)
        .filter(|(rel, _, _)| RELATIONS.contains(&rel.as_str()))
        .take(60)
        .map(|(rel, target, carrier)| DeclaredLink {
            rel,
            untrusted_target: super::shown(&target, 300),
            carrier: carrier.to_owned(),
        })
        .collect()
}
