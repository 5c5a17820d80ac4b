//! Walls of unknown vendors: a refusing status, and pages that demand proof of a browser or a human.
//!
//! The hard case is a success status with almost no text. It can be a challenge, or the empty shell
//! of a script application. A shell has an element for its content (with an id, or a custom
//! element), a title and styles, and does not mention humans or robots. In doubt a page is not
//! called a challenge.

use std::sync::LazyLock;

use regex::Regex;

use super::mark_table::MarkTable;
use super::normalised_response::NormalisedResponse;
use super::text::excerpt;
use super::wall::{Wall, WallKind};

/// The most `noscript` elements searched.
const MAX_NOSCRIPTS: usize = 8;

pub(super) fn recognise_unknown_vendor(
    seen: &NormalisedResponse,
    table: &MarkTable,
    in_front: &[String],
) -> Option<Wall> {
    let refuses = table.is_refusal_status(seen.status);
    let by_status = table.status_meaning(seen.status).filter(|_| refuses);
    let (kind, certain, found) = match detect_challenge(seen, table, refuses) {
        // A refusing status confirms what the page shows.
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

/// Whether this page is a challenge or CAPTCHA, and what shows it.
fn detect_challenge(
    seen: &NormalisedResponse,
    table: &MarkTable,
    refuses: bool,
) -> Option<(WallKind, String)> {
    if !seen.is_html || !seen.is_complete {
        return None;
    }
    let captcha = table.captchas.iter().find(|captcha| seen.markup.contains(&captcha.holds));
    // On ordinary pages a CAPTCHA protects a form, and a long 403 page may contain such a form.
    if let Some(captcha) =
        captcha.filter(|_| refuses && seen.has_at_most_words(table.limits.vendor_text_words))
    {
        return Some((WallKind::Captcha, format!("CAPTCHA by {}", captcha.label)));
    }
    if !seen.has_at_most_words(table.limits.unnamed_words) || has_form_input(seen) {
        return None;
    }
    if let Some(words) = find_challenge_frame(seen, table) {
        let description = format!("empty page with a frame whose address has “{words}”");
        return Some((WallKind::Challenge, description));
    }
    let scripts = seen.markup.matches("<script").count();
    if scripts == 0 {
        return None;
    }
    let shell = has_app_root(seen);
    if let Some(words) = find_challenge_phrase(seen, table, shell) {
        let kind = if captcha.is_some() { WallKind::Captcha } else { WallKind::Challenge };
        return Some((kind, format!("short page with a script and the text “{}”", excerpt(words))));
    }
    if refuses || shell || !seen.has_at_most_words(table.limits.blank_words) {
        return None;
    }
    let sets_cookie = seen.markup.contains("document.cookie");
    let navigates = ["location", ".submit("].iter().any(|step| seen.markup.contains(step));
    if sets_cookie && navigates {
        let description = "empty page whose script sets a cookie and reloads the page";
        return Some((WallKind::Challenge, description.to_owned()));
    }
    let content_tags = ["<link", "<style", "<frame", "<iframe", "<img", "type=\"module\""];
    let is_bare = !content_tags.iter().any(|part| seen.markup.contains(part));
    // A script that only navigates to another URL is a redirect.
    (scripts == 1 && is_bare && seen.title.is_none() && !navigates)
        .then(|| (WallKind::Challenge, "empty page with one script and no title".to_owned()))
}

/// The first challenge phrase on the page. Phrases that a loading application may show too count
/// only on pages that are not an application shell.
fn find_challenge_phrase<'t>(
    seen: &NormalisedResponse,
    table: &'t MarkTable,
    shell: bool,
) -> Option<&'t str> {
    let noscript_parts = noscript_contents(&seen.markup);
    let says = |words: &&String| {
        seen.text.contains(words.as_str())
            || seen.title.as_ref().is_some_and(|title| title.contains(words.as_str()))
            || noscript_parts.iter().any(|part| part.contains(words.as_str()))
    };
    let vague = table.vague_challenge_words.iter().filter(|_| !shell);
    table.challenge_words.iter().chain(vague).find(says).map(String::as_str)
}

/// The word by which the frame of an otherwise empty page is a challenge.
fn find_challenge_frame(seen: &NormalisedResponse, table: &MarkTable) -> Option<&'static str> {
    if !seen.has_at_most_words(table.limits.blank_words) {
        return None;
    }
    let (_, after) = seen.markup.split_once("<iframe")?;
    let tag = after.split('>').next().unwrap_or_default();
    let (_, address) = tag.split_once("src=")?;
    ["captcha", "challenge", "incident_id", "botcheck", "bot-check"]
        .into_iter()
        .find(|word| address.contains(word))
}

fn noscript_contents(markup: &str) -> Vec<&str> {
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

/// A page with fields for a password, an address or a message is a form, not a challenge.
fn has_form_input(seen: &NormalisedResponse) -> bool {
    ["password", "email", "search", "tel"].iter().any(|kind| {
        ["type=\"", "type='", "type="]
            .iter()
            .any(|before| seen.markup.contains(&format!("{before}{kind}")))
    }) || seen.markup.contains("<textarea")
}

/// None only if the expression did not compile, which a test excludes.
static APP_ROOT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"<(?:div|main|section|body)\s[^<>]{0,300}\bid\s*=|<[a-z]+-[a-z0-9-]+[\s>/]").ok()
});

fn has_app_root(seen: &NormalisedResponse) -> bool {
    APP_ROOT.as_ref().is_none_or(|place| place.is_match(&seen.markup))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_compiles() {
        assert!(APP_ROOT.is_some());
    }

    #[test]
    fn every_noscript_is_read_and_a_flood_of_them_is_not() {
        assert_eq!(noscript_contents("a<noscript>b</noscript>c<noscript>d"), [">b", ">d"]);
        assert_eq!(noscript_contents(&"<noscript>".repeat(9_000)).len(), 1);
        assert_eq!(noscript_contents(&"<noscript></noscript>".repeat(9_000)).len(), MAX_NOSCRIPTS);
    }
}
