//! Login pages: a form that asks for a password or leads to an identity provider, and hardly
//! anything else. A page with content and a login box is not one.

use super::super::wall::WallKind;
use super::gate_page::{Gate, GatePage, phrase_mark};
use super::phrases::PhraseGroup;
use super::structure::FormFacts;

/// The most words and links outside the form if title or heading say that this is a login page.
const NAMED: (usize, usize) = (120, 20);
/// The same if only the form says so.
const UNNAMED: (usize, usize) = (35, 8);
/// The same for a form in an overlay, menu or side bar.
const ASIDE: (usize, usize) = (20, 4);

pub(super) fn detect(page: &GatePage<'_>) -> Option<Gate> {
    by_password(page).or_else(|| by_provider(page)).or_else(|| by_address(page))
}

fn by_password(page: &GatePage<'_>) -> Option<Gate> {
    let asks =
        |form: &&FormFacts| form.fields.passwords > 0 && form.fields.others == 0 && !form.is_hidden;
    let forms = || page.structure.forms.iter().filter(asks);
    let form = forms().find(|form| !form.is_aside).or_else(|| forms().next())?;
    let named = page.front.first(PhraseGroup::Login);
    let said = named
        .map(|phrase| phrase_mark("title or heading", phrase))
        .or_else(|| page.action(PhraseGroup::Login).map(|phrase| phrase_mark("button", phrase)))
        .or_else(|| {
            page.text_hits.first(PhraseGroup::Login).map(|phrase| phrase_mark("text", phrase))
        })
        .or_else(|| login_address(page));
    let (words, links) = match (form.is_aside, named.is_some()) {
        (true, _) => ASIDE,
        (false, true) => NAMED,
        (false, false) => UNNAMED,
    };
    if !page.is_scarce(words, links) || page.structure.images > 12 {
        return None;
    }
    // Two passwords, or a new one, belong to a registration.
    let registers = form.fields.passwords > 1 || form.fields.new_passwords > 0;
    Some(Gate {
        kind: WallKind::Login,
        certain: match &said {
            Some(_) => !(registers && named.is_none()),
            // A name, a password and next to nothing else: in any language a login.
            None => {
                let only_form = page.is_scarce(25, 6) && page.structure.images <= 4;
                only_form && !registers && form.fields.identifiers > 0 && !form.is_aside
            }
        },
        marks: ["a form that asks for a password".to_owned()]
            .into_iter()
            .chain(said)
            .chain([page.size_mark()])
            .collect(),
    })
}

/// A page that leads to an identity provider, or asks who the visitor is before it asks for a
/// password.
fn by_provider(page: &GatePage<'_>) -> Option<Gate> {
    let named = page.front.first(PhraseGroup::Login)?;
    if !page.is_scarce(80, 12) {
        return None;
    }
    let provider = page.structure.urls.iter().find_map(|url| {
        page.table.identity_providers.iter().find(|known| url.contains(known.as_str()))
    });
    let asks_who = page.structure.forms.iter().any(|form| {
        form.fields.identifiers == 1 && form.fields.others == 0 && !form.is_aside && !form.is_hidden
    });
    let with = page.phrase(PhraseGroup::LoginWith);
    let mark = provider
        .map(|url| format!("an address of an identity provider ({url})"))
        .or_else(|| with.map(|phrase| phrase_mark("text", phrase)))
        .or_else(|| {
            let pressed = page.structure.forms.len() == 1 && page.structure.content_words <= 60;
            (asks_who && pressed).then(|| "a form that asks for an account name".to_owned())
        })?;
    Some(Gate {
        kind: WallKind::Login,
        certain: true,
        marks: vec![phrase_mark("title or heading", named), mark, page.size_mark()],
    })
}

/// The home page led to a login address, and the page that a script will fill says the same.
fn by_address(page: &GatePage<'_>) -> Option<Gate> {
    let named = page.front.first(PhraseGroup::Login)?;
    let address = login_address(page)?;
    (page.structure.words <= 30).then(|| Gate {
        kind: WallKind::Login,
        certain: true,
        marks: vec![phrase_mark("title or heading", named), address, page.size_mark()],
    })
}

fn login_address(page: &GatePage<'_>) -> Option<String> {
    let table = page.table;
    let path = page.path.split(['?', '#']).next().unwrap_or_default();
    let in_path = path
        .split('/')
        .map(|part| part.split('.').next().filter(|_| !part.ends_with(".php")).unwrap_or(part))
        .any(|part| table.login_paths.iter().any(|known| known == part));
    let label = page.host.split('.').next().unwrap_or_default();
    let in_host = table.login_hosts.iter().any(|known| known == label);
    (in_path || in_host).then(|| "the address is that of a login page".to_owned())
}
