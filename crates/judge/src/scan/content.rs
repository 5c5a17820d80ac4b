//! What the home page contains for a client that runs no scripts.

use contract::evidence::{ReadTarget, Reading};
use contract::ratio::Ratio;
use contract::records::{AgentView, ContentReading, DeclaredLink, InstructionLikeText};
use contract::text::display_safe;
use declared::files::{MarkdownOffer, ServedFile, check_markdown_negotiation};

use super::agent_rows::{browser_row, is_served};
use super::convert::{header_pairs, saturating_u32, to_file_fault};
use super::page_similarity;
use super::parsed_evidence::{ParsedEvidence, ParsedPage, is_success};

/// The page that represents the site: the browser's, or else the first that was served.
pub(super) fn representative_page<'a, 'l>(
    parsed: &'l ParsedEvidence<'a>,
    view: &AgentView,
) -> Option<(&'a Reading, &'l ParsedPage)> {
    let row = browser_row(&view.rows)
        .filter(|row| is_served(row))
        .or_else(|| view.rows.iter().find(|row| is_served(row)))?;
    let id = row.reading.as_deref()?;
    let reading = parsed.readings(ReadTarget::Home).find(|reading| reading.id == id)?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let html = response.header("content-type").is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.contains("html") || kind.contains("xml") || kind.starts_with("text/")
    });
    Some((reading, parsed.page(response).filter(|_| html)?))
}

pub(super) fn build_content_reading(
    parsed: &ParsedEvidence<'_>,
    found: Option<(&Reading, &ParsedPage)>,
    instruction_like: Vec<InstructionLikeText>,
) -> ContentReading {
    let page = found.map(|(_, parsed_page)| &parsed_page.page);
    let markdown = markdown_response(parsed);
    let text = |value: Option<&String>, most: usize| value.map(|value| display_safe(value, most));
    ContentReading {
        reading: found.map(|(reading, _)| reading.id.clone()),
        words: found.map(|(_, parsed_page)| parsed_page.words),
        main_words: found.map(|(_, parsed_page)| saturating_u32(parsed_page.shingles.words())),
        script_shell: found.map(|(_, parsed_page)| is_script_shell(parsed, parsed_page)),
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
            .and_then(|((_, parsed_page), (_, page))| {
                Ratio::new(page_similarity::similarity(parsed_page, page))
            }),
        markdown_faults: markdown
            .iter()
            .flat_map(|(read, _)| read.faults.iter().cloned().map(to_file_fault))
            .collect(),
        instruction_like,
        links: found
            .map(|(reading, parsed_page)| declared_links(reading, parsed_page))
            .unwrap_or_default(),
    }
}

/// Whether the page is filled by scripts: it has few words and an application root, or scripts and no
/// words.
fn is_script_shell(parsed: &ParsedEvidence<'_>, parsed_page: &ParsedPage) -> bool {
    let few = parsed_page.words < parsed.rules.thresholds.enough_words;
    few && (parsed_page.page.is_app_shell
        || (parsed_page.page.scripts > 0 && parsed_page.words == 0))
}

/// The response to a request for Markdown, and its page.
fn markdown_response<'l>(
    parsed: &'l ParsedEvidence<'_>,
) -> Option<(MarkdownOffer, &'l ParsedPage)> {
    let reading = parsed.readings(ReadTarget::Markdown).last()?;
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let fields = header_pairs(response);
    let served = ServedFile {
        requested_url: &reading.exchange.url,
        final_url: &response.url,
        redirects: reading.exchange.hops.len().saturating_sub(1),
        status: response.status,
        headers: &fields,
        body: parsed.body(response)?,
        truncated: response.body.cut.is_some(),
        read_at_s: reading.exchange.started_at.as_millis() / 1_000,
    };
    Some((check_markdown_negotiation(&served), parsed.page(response)?))
}

/// Link relations that lead agents to machine-readable resources and policies.
const LINK_RELATIONS: [&str; 16] = [
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

fn declared_links(reading: &Reading, parsed_page: &ParsedPage) -> Vec<DeclaredLink> {
    let fields = reading.exchange.response().into_iter().flat_map(|response| {
        declared::link::parse(response.headers_named("link")).into_iter().flat_map(|link| {
            let target = link.target;
            link.rels.into_iter().map(move |rel| (rel, target.clone(), "header"))
        })
    });
    let elements = parsed_page.page.links.iter().flat_map(|link| {
        link.rel
            .split_ascii_whitespace()
            .map(|rel| (rel.to_ascii_lowercase(), link.href.clone(), "element"))
            .collect::<Vec<_>>()
    });
    fields
        .chain(elements)
        .filter(|(rel, _, _)| LINK_RELATIONS.contains(&rel.as_str()))
        .take(60)
        .map(|(rel, target, carrier)| DeclaredLink {
            rel,
            untrusted_target: display_safe(&target, 300),
            carrier: carrier.to_owned(),
        })
        .collect()
}
