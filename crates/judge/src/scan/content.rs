//! What the home page says to a reader that runs no scripts.

use contract::evidence::{Reading, Target};
use contract::records::ContentReading;
use declared::page::Page;

use super::look::{Look, is_success};
use super::served::{browser, is_served};

/// The page that stands for the site: the browser's, or the first that was served.
pub(super) fn the_page<'a, 'l>(
    look: &'l Look<'a>,
    view: &contract::records::AgentView,
) -> Option<(&'a Reading, &'l Page)> {
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

pub(super) fn content(look: &Look<'_>, view: &contract::records::AgentView) -> ContentReading {
    let found = the_page(look, view);
    let page = found.map(|(_, page)| page);
    ContentReading {
        reading: found.map(|(reading, _)| reading.id.clone()),
        words: page.map(|page| super::count(page.words().count())),
        main_words: None,
        script_shell: page.map(|page| page.words().next().is_none()),
        untrusted_title: page
            .and_then(|page| page.title.as_deref())
            .map(|title| super::shown(title, 200)),
        untrusted_description: None,
        language: None,
        canonical: None,
        markdown: None,
        instruction_like: Vec::new(),
        links: Vec::new(),
    }
}
