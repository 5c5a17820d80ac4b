//! Walls that nobody signed: a bare status, and pages that want proof of a browser or a person.
//!
//! The hard case is a success status with next to no text. A challenge looks like that, and so
//! does the shell of an application that its script would fill. A shell has a place for what comes
//! (an element with an id, a custom element), a title of its own, styles; it does not speak of
//! humans and robots. What cannot be told apart is not called a challenge.

use std::sync::LazyLock;

use regex::Regex;

use super::seen::{Seen, excerpt};
use super::table::Table;
use super::{Wall, WallKind};

/// `noscript` elements that are read.
const MAX_NOSCRIPTS: usize = 8;

pub(super) fn wall(seen: &Seen, table: &Table, in_front: &[String]) -> Option<Wall> {
    let refuses = table.may_refuse(seen.status);
    let by_status = table.status(seen.status).filter(|_| refuses);
    let (kind, certain, found) = match challenge(seen, table, refuses) {
        // A status that refuses and a page that asks for proof agree with each other.
        Some((kind, found)) => (kind, by_status.is_some(), Some(found)),
        None => {
            let (kind, certain) = by_status?;
            (kind, certain, None)
        }
    };
    Some(Wall {
        vendor: None,
        vendor_id: None,
        kind,
        certain,
        marks: found
            .into_iter()
            .chain([format!("status {}", seen.status)])
            .chain(in_front.iter().cloned())
            .collect(),
        price: None,
    })
}

/// Whether this page wants proof of something, and how that shows.
fn challenge(seen: &Seen, table: &Table, refuses: bool) -> Option<(WallKind, String)> {
    if !seen.is_html || !seen.whole {
        return None;
    }
    let puzzle = table.captchas.iter().find(|captcha| seen.markup.contains(&captcha.holds));
    // On ordinary pages a puzzle guards a form, and a whole 403 page may carry such a form.
    if let Some(puzzle) =
        puzzle.filter(|_| refuses && seen.has_at_most(table.limits.vendor_text_words))
    {
        return Some((WallKind::Captcha, format!("a puzzle of {}", puzzle.label)));
    }
    if !seen.has_at_most(table.limits.unnamed_words) || asks_for_input(seen) {
        return None;
    }
    let scripts = seen.markup.matches("<script").count();
    if scripts == 0 {
        return None;
    }
    let shell = has_a_place_for_an_application(seen);
    if let Some(words) = wording(seen, table, shell) {
        let kind = if puzzle.is_some() { WallKind::Captcha } else { WallKind::Challenge };
        return Some((kind, format!("a short page with a script that says “{}”", excerpt(words))));
    }
    if refuses || shell || !seen.has_at_most(table.limits.blank_words) {
        return None;
    }
    let sets_cookie = seen.markup.contains("document.cookie");
    let leaves = ["location", ".submit("].iter().any(|step| seen.markup.contains(step));
    if sets_cookie && leaves {
        let seen = "an empty page whose script sets a cookie and loads the page again";
        return Some((WallKind::Challenge, seen.to_owned()));
    }
    let dressed = ["<link", "<style", "<frame", "<iframe", "<img", "type=\"module\""];
    let plain = !dressed.iter().any(|part| seen.markup.contains(part));
    // A script that only leads elsewhere is a redirect.
    (scripts == 1 && plain && seen.title.is_none() && !leaves).then(|| {
        (WallKind::Challenge, "an empty page without a title and with one script".to_owned())
    })
}

/// Words that ask for proof. Those that a page still loading may say too count only where no
/// application could be loading.
fn wording<'t>(seen: &Seen, table: &'t Table, shell: bool) -> Option<&'t str> {
    let unscripted = noscripts(&seen.markup);
    let says = |words: &&String| {
        seen.text.contains(words.as_str())
            || seen.title.as_ref().is_some_and(|title| title.contains(words.as_str()))
            || unscripted.iter().any(|part| part.contains(words.as_str()))
    };
    let vague = table.vague_challenge_words.iter().filter(|_| !shell);
    table.challenge_words.iter().chain(vague).find(says).map(String::as_str)
}

fn noscripts(markup: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = markup;
    while let Some((_, after)) = rest.split_once("<noscript") {
        let (inside, tail) = after.split_once("</noscript").unwrap_or((after, ""));
        parts.push(inside);
        rest = tail;
        if parts.len() == MAX_NOSCRIPTS {
            break;
        }
    }
    parts
}

/// A page that takes a password, an address or a message is a form, whatever its puzzle says.
fn asks_for_input(seen: &Seen) -> bool {
    ["password", "email", "search", "tel"].iter().any(|kind| {
        ["type=\"", "type='", "type="]
            .iter()
            .any(|before| seen.markup.contains(&format!("{before}{kind}")))
    }) || seen.markup.contains("<textarea")
}

/// None only if the expression did not compile, which a test rules out.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"<(?:div|main|section|body)\s[^<>]{0,300}\bid\s*=|<[a-z]+-[a-z0-9-]+[\s>/]").ok()
});

fn has_a_place_for_an_application(seen: &Seen) -> bool {
    PLACE.as_ref().is_none_or(|place| place.is_match(&seen.markup))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_compiles() {
        assert!(PLACE.is_some());
    }

    #[test]
    fn every_noscript_is_read_and_a_flood_of_them_is_not() {
        assert_eq!(noscripts("a<noscript>b</noscript>c<noscript>d"), [">b", ">d"]);
        assert_eq!(noscripts(&"<noscript>".repeat(9_000)).len(), 1);
        assert_eq!(noscripts(&"<noscript></noscript>".repeat(9_000)).len(), MAX_NOSCRIPTS);
    }
}
