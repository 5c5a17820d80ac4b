//! What the home page contains for a client that runs no scripts.

use contract::evidence::{ReadTarget, Reading, Response};
use contract::ratio::Ratio;
use contract::records::{
    AgentRow, AgentView, ContentReading, DeclaredLink, InstructionLikeText, RefreshTarget,
};
use contract::text::display_safe;
use declared::files::{MarkdownOffer, ServedFile, check_markdown_negotiation};
use declared::page::{Page, PageKind};

use super::agent_rows::{browser_row, is_ai, is_served};
use super::convert::{header_pairs, saturating_u32, to_file_fault};
use super::page_similarity;
use super::parsed_evidence::{ParsedEvidence, ParsedPage, is_success};

/// The page that represents the site: the browser's, or else the first that was served. If the browser
/// gets a page that scripts fill and AI identities get its text, it is theirs.
pub(super) fn representative_page<'a, 'l>(
    parsed: &'l ParsedEvidence<'a>,
    view: &AgentView,
) -> Option<(&'a Reading, &'l ParsedPage)> {
    let reading = representative_reading(parsed, view)?;
    let response = reading.exchange.response()?;
    let page = parsed.page(response).filter(|_| page_kind(parsed, response).is_readable())?;
    Some((reading, page))
}

/// The reading of what represents the site, which need not be a page.
fn representative_reading<'a>(
    parsed: &ParsedEvidence<'a>,
    view: &AgentView,
) -> Option<&'a Reading> {
    let reading_of = |row: &AgentRow| {
        let id = row.reading.as_deref()?;
        let reading = parsed.readings(ReadTarget::Home).find(|reading| reading.id == id)?;
        reading.exchange.response().filter(|response| is_success(response))?;
        is_served(row).then_some(reading)
    };
    let prerendered = prerendered_row(parsed, view).and_then(reading_of);
    prerendered
        .or_else(|| browser_row(&view.rows).and_then(reading_of))
        .or_else(|| view.rows.iter().find_map(reading_of))
}

/// The first AI identity that got the text of a page which the browser got as an empty shell.
fn prerendered_row<'v>(parsed: &ParsedEvidence<'_>, view: &'v AgentView) -> Option<&'v AgentRow> {
    let enough = parsed.rules.thresholds.enough_words;
    let browser = browser_row(&view.rows).filter(|row| is_served(row))?;
    let page = page_of_row(parsed, browser)?;
    let shell = is_script_shell(parsed, page);
    // The shell may show a menu and a footer around the part that scripts fill.
    let few = page.words < enough && page.page.scripts > 0;
    let is_full_version = |row: &&AgentRow| {
        let text = page_of_row(parsed, row);
        row.words.is_some_and(|words| words >= enough)
            && text.is_some_and(|text| shell || (few && is_same_title(&text.page, &page.page)))
    };
    view.rows.iter().filter(|row| is_ai(row) && is_served(row)).find(is_full_version)
}

fn page_of_row<'l>(parsed: &'l ParsedEvidence<'_>, row: &AgentRow) -> Option<&'l ParsedPage> {
    let id = row.reading.as_deref()?;
    let reading = parsed.readings(ReadTarget::Home).find(|reading| reading.id == id)?;
    parsed.page(reading.exchange.response()?)
}

fn is_same_title(one: &Page, other: &Page) -> bool {
    one.title.is_some() && one.title == other.title
}

fn page_kind(parsed: &ParsedEvidence<'_>, response: &Response) -> PageKind {
    let body = parsed.body(response).unwrap_or_default();
    PageKind::of(body, response.header("content-type"))
}

/// Whether a response says that it is a page or another text.
pub(super) fn is_text(response: &Response) -> bool {
    response.header("content-type").is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.contains("html") || kind.contains("xml") || kind.starts_with("text/")
    })
}

pub(super) fn build_content_reading(
    parsed: &ParsedEvidence<'_>,
    view: &AgentView,
    found: Option<(&Reading, &ParsedPage)>,
    instruction_like: Vec<InstructionLikeText>,
) -> ContentReading {
    let page = found.map(|(_, parsed_page)| &parsed_page.page);
    let served = representative_reading(parsed, view);
    let response = served.and_then(|reading| reading.exchange.response());
    let kind = response.map(|response| page_kind(parsed, response));
    // What is not a page has no words that an agent reads.
    let not_a_page = kind.is_some_and(|kind| !kind.is_readable());
    let markdown = markdown_response(parsed);
    let text = |value: Option<&String>, most: usize| value.map(|value| display_safe(value, most));
    let reading = found.map(|(reading, _)| reading).or(served.filter(|_| not_a_page));
    ContentReading {
        reading: reading.map(|reading| reading.id.clone()),
        page_kind: kind.map(|kind| kind.as_str().to_owned()),
        words: found.map(|(_, page)| page.words).or(not_a_page.then_some(0)),
        noscript_words: page.map(|page| page.noscript_words),
        main_words: found
            .map(|(_, parsed_page)| saturating_u32(parsed_page.compared.shingles.words())),
        script_shell: found.map(|(_, parsed_page)| is_script_shell(parsed, parsed_page)),
        prerendered: prerendered_row(parsed, view).is_some(),
        cut: response.is_some_and(Response::is_read_to_limit)
            || page.is_some_and(|page| page.truncated && !page.text.is_empty()),
        refresh: found.and_then(|(reading, parsed_page)| refresh_target(reading, parsed_page)),
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

/// Where a meta element sends browsers. A page that only loads itself again leads nowhere.
fn refresh_target(reading: &Reading, parsed_page: &ParsedPage) -> Option<RefreshTarget> {
    let page = &parsed_page.page;
    let refresh = page.refresh.as_ref()?;
    let here = &reading.exchange.response()?.url;
    let mut target = page.resolve(here, refresh.target.as_deref()?)?;
    let same_page = {
        let mut plain = target.clone();
        plain.set_fragment(None);
        plain.as_str() == here.split('#').next().unwrap_or_default()
    };
    if same_page || !matches!(target.scheme(), "http" | "https") {
        return None;
    }
    let own = page.resolve(here, here)?;
    let same_site = match (own.host_str(), target.host_str()) {
        (Some(own), Some(other)) => is_same_site(own, other),
        _ => false,
    };
    target.set_fragment(None);
    Some(RefreshTarget {
        seconds: refresh.seconds,
        untrusted_target: display_safe(target.as_str(), 300),
        same_site,
    })
}

/// Whether one host is the other, or below it.
fn is_same_site(one: &str, other: &str) -> bool {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let (one, other) = (bare(one), bare(other));
    let below = |host: &str, parent: &str| {
        host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
    };
    one == other || below(&one, &other) || below(&other, &one)
}

/// Whether the page is filled by scripts: it has few words and an application root, or scripts and no
/// words.
pub(super) fn is_script_shell(parsed: &ParsedEvidence<'_>, parsed_page: &ParsedPage) -> bool {
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
