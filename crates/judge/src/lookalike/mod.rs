//! Impersonation check: whether a domain name resembles a well-known one.
//!
//! A likeness is a fact about two names. Its class and the rank of the imitated name show how much it
//! means. The verdict is cautious:
//!
//! - `no_lookalike`: the name is in the ranking, is below a ranked name, or resembles none of them;
//! - `suspected`: the registered part of the name spells a well-known name with similar-looking
//!   characters, or combines one with a word for signing in or paying; and the site does not redirect
//!   to the owner of that name;
//! - `lookalike`: every other likeness. It may be chance, a fan site, a reseller or a spare name of the
//!   owner.
//!
//! The number of index look-ups depends on the length of the name and not on the size of the ranking.

mod appearance;
mod lure_words;
mod ranking;
mod registrable;
mod typo;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract::Domain;
use contract::records::{Impersonation, ImpersonationVerdict, Likeness, LikenessClass};

pub use ranking::{Ranking, RankingError};
use ranking::{WELL_KNOWN, first_label, is_everyday};
pub(crate) use registrable::registrable;

/// What is known about the site besides its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedSite {
    /// The host that finally answered, after redirects.
    pub final_host: Option<String>,
}

/// The most hyphen-separated parts of a label that are checked.
const MAX_PARTS: usize = 16;
/// The shortest label that is checked, without and with a lure word next to it. Shorter ones are similar
/// by chance.
const MIN_LABEL_CHARS: usize = 5;
const MIN_LABEL_WITH_LURE: usize = 4;
/// The shortest label that is checked for the first names of the ranking.
const MIN_LABEL_TOP_RANKED: usize = 4;
const TOP_RANKED: usize = 100;
/// In shorter labels, `i` for `l` alone is as often an ordinary word as an imitation.
const MIN_LABEL_I_FOR_L: usize = 6;
/// Under a different suffix, typos count only from this length on.
const MIN_TYPO_OTHER_SUFFIX: usize = 7;
/// A shorter name with an added `s` counts as a plural, not as a typo.
const MIN_LABEL_PLURAL_S: usize = 9;
/// The most labels of a ranked name that are looked for in subdomains.
const MAX_NAME_LABELS: usize = 3;

/// Compares a domain with a ranking.
#[must_use]
pub fn impersonation(domain: &Domain, ranking: &Ranking, seen: &ObservedSite) -> Impersonation {
    let found = find_likenesses(domain.as_str(), ranking);
    let is_owners = |place: usize| {
        seen.final_host.as_deref().is_some_and(|host| belongs_to(host, ranking, place))
    };
    let verdict = if found.is_empty() {
        ImpersonationVerdict::NoLookalike
    } else if found.iter().any(|found| found.strong && !is_owners(found.place)) {
        ImpersonationVerdict::Suspected
    } else {
        ImpersonationVerdict::Lookalike
    };
    let likeness = found.into_iter().take(Impersonation::MAX_LIKENESS).map(|found| {
        let mut why = describe_class(&found.class).to_owned();
        if is_owners(found.place) {
            why.push_str(" The site redirects to that name.");
        }
        Likeness {
            of: ranking.name(found.place).to_owned(),
            rank: found.place as u64 + 1,
            class: found.class,
            why,
        }
    });
    Impersonation {
        verdict,
        brand_frame: ranking.description().to_owned(),
        likeness: likeness.collect(),
    }
}

/// Whether the host belongs to this ranked name, or to another ranked name with the same first label, as
/// companies have in several countries.
fn belongs_to(host: &str, ranking: &Ranking, place: usize) -> bool {
    let led_to = registrable(host);
    led_to == ranking.name(place)
        || (ranking.contains(led_to) && first_label(led_to) == ranking.label(place))
}

fn describe_class(class: &LikenessClass) -> &'static str {
    match class {
        LikenessClass::IdnHomograph => {
            "It uses characters of another script or with accents that look like that name."
        }
        LikenessClass::Confusable => {
            "It uses similar-looking letters or digits that spell that name."
        }
        LikenessClass::BrandWithLure => {
            "It combines that name with a word for signing in or paying."
        }
        LikenessClass::BrandWithWord => "It combines that name with another word.",
        LikenessClass::BrandSubdomain => "It uses that name as a subdomain of a different domain.",
        LikenessClass::Hyphenation => "It differs from that name only in hyphens.",
        LikenessClass::Transposition => "It swaps two letters of that name.",
        LikenessClass::DoubledLetter => "It doubles one letter of that name.",
        LikenessClass::Omission => "It leaves out one letter of that name.",
        LikenessClass::Insertion => "It adds one letter to that name.",
        LikenessClass::Replacement => {
            "It replaces one letter of that name with one that is easily mistyped for it."
        }
        LikenessClass::Bitsquat => "It differs from that name in one bit.",
        LikenessClass::OtherSuffix => "It uses the label of that name under a different suffix.",
        LikenessClass::Unrecognised(_) => "",
    }
}

/// One likeness to a ranked name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundLikeness {
    place: usize,
    class: LikenessClass,
    /// Whether it is enough for `suspected`.
    strong: bool,
}

/// All likenesses, strongest first, each ranked name once.
fn find_likenesses(host: &str, ranking: &Ranking) -> Vec<FoundLikeness> {
    let registered = registrable(host);
    // A ranked name is never an imitation of another. Neither is a public suffix: its owner had it
    // listed as one.
    if ranking.contains(registered) || ranking.contains(host) || psl::suffix_str(host) == Some(host)
    {
        return Vec::new();
    }
    let label = first_label(registered);
    let suffix = registered.split_once('.').map_or("", |(_, suffix)| suffix);
    let mut found = Vec::new();
    find_homograph(label, suffix, ranking, &mut found);
    if found.is_empty() {
        find_same_label(label, ranking, &mut found);
        find_typos(label, suffix, ranking, &mut found);
        find_with_words(label, ranking, &mut found);
    }
    let left = host.strip_suffix(registered).unwrap_or_default().trim_end_matches('.');
    if !left.is_empty() {
        find_in_subdomains(left, label, ranking, &mut found);
    }
    let mut once: BTreeMap<usize, FoundLikeness> = BTreeMap::new();
    for found in found {
        let known = once.entry(found.place).or_insert_with(|| found.clone());
        if found.strong && !known.strong {
            *known = found;
        }
    }
    let mut found: Vec<FoundLikeness> = once.into_values().collect();
    found.sort_by_key(|found| (!found.strong, found.place));
    found
}

/// Finds a ranked name that the label spells with similar-looking characters.
fn find_homograph(label: &str, suffix: &str, ranking: &Ranking, found: &mut Vec<FoundLikeness>) {
    let look = appearance::LabelAppearance::of(label);
    let Some(place) = ranking.find_lookalike(&look, label) else { return };
    let other = ranking.label(place);
    // Labels of digits only resemble too many others.
    if !other.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    let length = look.shown.chars().count();
    if look.is_idn() {
        if length < MIN_LABEL_TOP_RANKED || (length < MIN_LABEL_CHARS && place >= WELL_KNOWN) {
            return;
        }
        // A label in one script under a suffix in that script is most likely an ordinary word. So is an
        // everyday word with accents.
        let at_home = suffix.split('.').any(|part| part.starts_with("xn--")) && !look.is_mixed();
        let accented_word = is_everyday(other) && without_marks_is(&look.shown, other);
        let strong = place < WELL_KNOWN && !at_home && !accented_word;
        found.push(FoundLikeness { place, class: LikenessClass::IdnHomograph, strong });
    } else if length >= MIN_LABEL_CHARS || (length >= MIN_LABEL_TOP_RANKED && place < TOP_RANKED) {
        let doubtful = only_i_for_l(label, other)
            && (length < MIN_LABEL_I_FOR_L || is_everyday(other) || place >= WELL_KNOWN);
        if doubtful {
            return;
        }
        let strong = place < WELL_KNOWN;
        found.push(FoundLikeness { place, class: LikenessClass::Confusable, strong });
    }
}

/// Whether `shown` differs from `plain` only in accents on Latin letters.
fn without_marks_is(shown: &str, plain: &str) -> bool {
    shown.chars().count() == plain.chars().count()
        && shown.chars().zip(plain.chars()).all(|(one, other)| {
            one == other || (!one.is_ascii() && ('\u{c0}'..='\u{24f}').contains(&one))
        })
}

fn only_i_for_l(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one
            .bytes()
            .zip(other.bytes())
            .all(|(one, other)| one == other || matches!((one, other), (b'i', b'l') | (b'l', b'i')))
}

/// Finds a ranked name with the same label under another suffix, or with other hyphens.
fn find_same_label(label: &str, ranking: &Ranking, found: &mut Vec<FoundLikeness>) {
    let Some(place) = ranking.find_label(label) else { return };
    let other = ranking.label(place);
    if is_everyday(other) {
        return;
    }
    if label == other {
        let long = label.len() >= MIN_LABEL_CHARS
            || (label.len() >= MIN_LABEL_TOP_RANKED && place < TOP_RANKED);
        if long && place < WELL_KNOWN {
            found.push(FoundLikeness { place, class: LikenessClass::OtherSuffix, strong: false });
        }
    } else if label.len() > MIN_LABEL_CHARS && ranking.checks_typos(place, other) {
        found.push(FoundLikeness { place, class: LikenessClass::Hyphenation, strong: false });
    }
}

/// Finds ranked names that are one typo away.
fn find_typos(label: &str, suffix: &str, ranking: &Ranking, found: &mut Vec<FoundLikeness>) {
    if label.starts_with("xn--") {
        return;
    }
    for place in ranking.find_near(label) {
        let other = ranking.label(place);
        let Some(class) = typo::classify_typo(label, other) else { continue };
        let elsewhere = ranking.name(place).split_once('.').map(|(_, s)| s) != Some(suffix);
        let plural = label.strip_suffix('s') == Some(other) && other.len() < MIN_LABEL_PLURAL_S;
        if plural || (elsewhere && other.len() < MIN_TYPO_OTHER_SUFFIX) {
            continue;
        }
        found.push(FoundLikeness { place, class, strong: false });
    }
}

/// Finds a well-known name combined with other words in the label.
fn find_with_words(label: &str, ranking: &Ranking, found: &mut Vec<FoundLikeness>) {
    let parts: Vec<&str> =
        label.split('-').filter(|part| !part.is_empty()).take(MAX_PARTS).collect();
    if parts.len() > 1 {
        let lures = parts.iter().filter(|part| lure_words::is_lure(part)).count();
        for part in parts.iter().filter(|part| !lure_words::is_lure(part)) {
            if let Some(place) = imitated_name(part, ranking) {
                found.push(FoundLikeness { place, class: LikenessClass::Confusable, strong: true });
            } else if let Some(place) = well_known_name(part, ranking) {
                found.extend(brand_with_words(place, part, lures));
            }
        }
    }
    for (rest, lure) in lure_words::split_off(label) {
        if rest.len() < MIN_LABEL_CHARS || rest.contains('-') {
            continue;
        }
        if let Some(place) = imitated_name(rest, ranking) {
            found.push(FoundLikeness { place, class: LikenessClass::Confusable, strong: true });
        } else if let Some(place) = well_known_name(rest, ranking)
            && !is_everyday(rest)
        {
            found.extend(brand_with_words(place, rest, usize::from(lure)));
        }
    }
}

/// The likeness of a well-known name combined with this many lure words, if any.
fn brand_with_words(place: usize, name: &str, lures: usize) -> Option<FoundLikeness> {
    let shortest = if lures > 0 { MIN_LABEL_WITH_LURE } else { MIN_LABEL_CHARS };
    if name.len() < shortest {
        return None;
    }
    match (lures, is_everyday(name)) {
        (0, true) => None,
        (0, false) => {
            Some(FoundLikeness { place, class: LikenessClass::BrandWithWord, strong: false })
        }
        // One lure word with an everyday word is ordinary language, such as "shell account".
        (lures, everyday) => Some(FoundLikeness {
            place,
            class: LikenessClass::BrandWithLure,
            strong: !everyday || lures > 1,
        }),
    }
}

/// The well-known name with exactly this label.
fn well_known_name(part: &str, ranking: &Ranking) -> Option<usize> {
    let place = ranking.find_label(part)?;
    (place < WELL_KNOWN && ranking.label(place) == part).then_some(place)
}

/// The well-known name that a part of a label spells with similar-looking characters.
fn imitated_name(part: &str, ranking: &Ranking) -> Option<usize> {
    if part.len() < MIN_LABEL_CHARS || well_known_name(part, ranking).is_some() {
        return None;
    }
    let place = ranking.find_lookalike(&appearance::LabelAppearance::of(part), part)?;
    let other = ranking.label(place);
    (place < WELL_KNOWN && other.len() >= MIN_LABEL_CHARS && !only_i_for_l(part, other))
        .then_some(place)
}

/// Finds well-known names in subdomains, which the owner of the domain chooses freely.
fn find_in_subdomains(left: &str, label: &str, ranking: &Ranking, found: &mut Vec<FoundLikeness>) {
    let labels: Vec<&str> = left.split('.').collect();
    let parts = || labels.iter().flat_map(|label| label.split('-')).take(MAX_PARTS);
    let has_lure = parts().chain(label.split('-')).any(lure_words::is_lure);
    for start in 0..labels.len() {
        for count in 2..=MAX_NAME_LABELS {
            let Some(run) = labels.get(start..start + count) else { break };
            let place = ranking.position_of(&run.join("."));
            if let Some(place) = place.filter(|place| *place < WELL_KNOWN) {
                // Library proxies use whole names as subdomains, so this alone is not suspicious.
                let class = LikenessClass::BrandSubdomain;
                found.push(FoundLikeness { place, class, strong: has_lure });
            }
        }
    }
    for part in parts() {
        if let Some(place) = imitated_name(part, ranking) {
            found.push(FoundLikeness { place, class: LikenessClass::Confusable, strong: true });
        } else if has_lure
            && part.len() >= MIN_LABEL_CHARS
            && !is_everyday(part)
            && !lure_words::is_lure(part)
            && let Some(place) = well_known_name(part, ranking)
        {
            // Companies name pages for other services like this (github.company.example). Without a
            // lure word it is not a likeness.
            found.push(FoundLikeness {
                place,
                class: LikenessClass::BrandSubdomain,
                strong: false,
            });
        }
    }
}
