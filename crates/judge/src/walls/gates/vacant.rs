//! Pages of sites that are not there (yet): parked domains, maintenance and coming-soon notices,
//! default pages of servers and hosts, directory listings without content.

use super::super::text::excerpt;
use super::super::wall::WallKind;
use super::folded_text::fold;
use super::gate_page::{Gate, GatePage, phrase_mark};
use super::phrases::PhraseGroup;

/// A directory with more entries than this is an archive, which is content.
const MAX_ENTRIES: usize = 6;

pub(super) fn detect_parked(page: &GatePage<'_>) -> Option<Gate> {
    let table = page.table;
    let structure = &page.structure;
    let service = table
        .parking_services
        .iter()
        .find(|known| structure.urls.iter().any(|url| url.contains(known.holds.as_str())));
    let service = service.map(|known| format!("an address of the parking service {}", known.label));
    let offered = table
        .phrases_of(PhraseGroup::ParkedHost)
        .find(|phrase| {
            follows_host(&page.front_text, &page.host, phrase)
                || (structure.words <= 150 && follows_host(&page.text, &page.host, phrase))
        })
        .map(|phrase| format!("the page says of its own domain: “{}”", excerpt(phrase)));
    let in_front = page.front.first(PhraseGroup::Parked);
    let phrase = in_front
        .map(|phrase| phrase_mark("title or heading", phrase))
        .or_else(|| page.text_hits.first(PhraseGroup::Parked).map(|p| phrase_mark("text", p)));
    let class =
        structure.has_class(&table.classes.parked).map(|class| format!("element called {class}"));
    let names_host = page.host.contains('.') && page.text.contains(page.host.as_str());
    let small = page.is_scarce(160, 25);
    let certain = match (&service, &phrase, &offered) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => page.is_scarce(250, 40),
        (Some(_), None, None) => page.is_scarce(60, 15) && structure.images <= 3,
        (None, _, Some(_)) => small,
        (None, Some(_), None) if in_front.is_some() => small,
        (None, Some(_), None) => small && (names_host || class.is_some() || structure.words <= 60),
        (None, None, None) => false,
    };
    certain.then(|| Gate {
        kind: WallKind::Parked,
        certain: true,
        marks: offered
            .into_iter()
            .chain(phrase)
            .chain(service)
            .chain(class)
            .chain([page.size_mark()])
            .collect(),
    })
}

/// Whether a text has the host directly followed by this phrase.
fn follows_host(text: &str, host: &str, phrase: &str) -> bool {
    let host = fold(host, 260);
    if host.len() < 4 || !host.contains('.') {
        return false;
    }
    text.match_indices(host.as_str()).take(20).any(|(at, _)| {
        let rest = text.get(at + host.len()..).unwrap_or_default();
        rest.trim_start_matches([' ', '"', '\'', '”', '»', '」', ':', ',']).starts_with(phrase)
    })
}

pub(super) fn detect_maintenance(page: &GatePage<'_>) -> Option<Gate> {
    let structure = &page.structure;
    let in_front = page.front.first(PhraseGroup::Maintenance);
    let in_text = page.text_hits.first(PhraseGroup::Maintenance);
    let hint_in_front = page.front.first(PhraseGroup::MaintenanceHint);
    let hint_in_text = page.text_hits.first(PhraseGroup::MaintenanceHint);
    let class = structure.has_class(&page.table.classes.maintenance);
    // A page that sells or shows something is not a notice.
    if structure.images > 8 || structure.forms.iter().any(|form| form.fields.others > 0) {
        return None;
    }
    let unavailable = page.status == 503;
    let stands_for_page = if in_front.is_some() {
        page.is_scarce(110, 10)
    } else if in_text.is_some() {
        page.is_scarce(if unavailable || class.is_some() { 110 } else { 50 }, 8)
    } else if hint_in_front.is_some() {
        // Workshops maintain, and shops announce: the heading must say nothing else.
        let bare = page.short_front(PhraseGroup::MaintenanceHint, 5).is_some();
        page.is_scarce(if unavailable || class.is_some() { 90 } else { 30 }, 8)
            && (bare || unavailable || class.is_some())
    } else if hint_in_text.is_some() {
        page.is_scarce(if unavailable || class.is_some() { 80 } else { 15 }, 4)
    } else {
        false
    };
    let mark = in_front
        .or(hint_in_front)
        .map(|phrase| phrase_mark("title or heading", phrase))
        .or_else(|| in_text.or(hint_in_text).map(|phrase| phrase_mark("text", phrase)))?;
    stands_for_page.then(|| Gate {
        kind: WallKind::Maintenance,
        certain: true,
        marks: [mark]
            .into_iter()
            .chain(class.map(|class| format!("element called {class}")))
            .chain([page.size_mark()])
            .collect(),
    })
}

pub(super) fn detect_default_page(page: &GatePage<'_>) -> Option<Gate> {
    let title = if page.title.is_empty() { &page.front_text } else { &page.title };
    let known = page.table.default_pages.iter().find(|known| {
        let titled = known.title.iter().any(|wanted| {
            let wanted = fold(wanted, 200);
            title.strip_prefix(wanted.as_str()).is_some_and(|rest| {
                rest.is_empty()
                    || (!known.exact
                        && !rest.starts_with(char::is_alphanumeric)
                        && rest.chars().count() <= 30)
            })
        });
        titled && known.holds.iter().any(|part| page.text.contains(fold(part, 200).as_str()))
    });
    if let Some(known) = known {
        return Some(Gate {
            kind: WallKind::Placeholder,
            certain: true,
            marks: vec![
                format!("the default page of {}", known.label),
                phrase_mark("title", title),
                page.size_mark(),
            ],
        });
    }
    detect_directory(page)
}

/// A listing of a directory that holds hardly anything.
fn detect_directory(page: &GatePage<'_>) -> Option<Gate> {
    let starts =
        ["index of /", "directory listing for /", "directory listing of /", "listing of /"];
    let starts = |text: &str| starts.iter().any(|start| text.starts_with(start));
    let is_iis = page.title.ends_with(" - /") && page.text.contains("[to parent directory]");
    if !starts(&page.title) && !starts(&page.front_text) && !is_iis {
        return None;
    }
    let is_entry = |url: &&String| !url.starts_with(['?', '#', '/']) && !url.starts_with("..");
    let entries = page.structure.urls.iter().filter(is_entry).count();
    let small = entries <= MAX_ENTRIES && page.structure.longest_passage <= 40;
    small.then(|| Gate {
        kind: WallKind::Placeholder,
        certain: true,
        marks: vec![
            phrase_mark("title", &page.title),
            format!("a directory listing with {entries} entries"),
        ],
    })
}

/// A host says that there is no site, in its own words.
pub(super) fn detect_placeholder_notice(page: &GatePage<'_>) -> Option<Gate> {
    let in_front = page.front.first(PhraseGroup::Placeholder);
    // A page that tells its reader where to put files is for the owner.
    let file = page.table.server_files.iter().find(|file| page.text.contains(file.as_str()));
    let phrase = in_front
        .or_else(|| page.text_hits.first(PhraseGroup::Placeholder))
        .or(file.map(String::as_str))?;
    let said_often = file.is_some() || page.text_hits.count(PhraseGroup::Placeholder) > 1;
    let stands_for_page = match in_front {
        Some(_) => page.is_scarce(110, 12),
        None => page.is_scarce(if said_often { 90 } else { 50 }, 8),
    };
    stands_for_page.then(|| Gate {
        kind: WallKind::Placeholder,
        certain: true,
        marks: vec![
            phrase_mark(if in_front.is_some() { "title or heading" } else { "text" }, phrase),
            page.size_mark(),
        ],
    })
}
