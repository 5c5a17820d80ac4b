//! Whether a domain's name looks like somebody else's.
//!
//! A likeness is a fact about two names. What it is worth is said by its class and by the place of
//! the name that is imitated, and the verdict is careful:
//!
//! - `no_lookalike`: the name is in the ranking itself, or under a name that is, or like none of it;
//! - `suspected`: a well-known name by other characters that look the same, or a well-known name and
//!   a word for signing in or paying, in the part that was registered; and the site does not lead to
//!   the name's owner;
//! - `lookalike`: every other likeness. Chance, fans, resellers and the owner's own spare names are
//!   all among these.
//!
//! One look-up asks an index a number of times bounded by the length of the name, whatever the size
//! of the ranking.

mod fold;
mod ranking;
mod typo;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract::Domain;
use contract::records::{Impersonation, ImpersonationVerdict, Likeness, LikenessClass};

use fold::Seen as Look;
pub use ranking::{Ranking, RankingRefusal};
use ranking::{WELL_KNOWN, first_label, is_everyday};

/// What was seen of the site besides its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The host that finally answered, after redirects.
    pub final_host: Option<String>,
}

/// Parts of a label between hyphens that are looked at.
const PARTS_MAX: usize = 16;
/// Shorter labels are alike by chance: without a lure beside them, and with one.
const SHORTEST: usize = 5;
const SHORTEST_BESIDE_LURE: usize = 4;
/// A name may be as short as this when it is among the first of the ranking.
const SHORTEST_OF_FIRST: usize = 4;
const FIRST: usize = 100;
/// `i` for `l` alone is as often a word as an imitation in labels shorter than this.
const SHORTEST_I_FOR_L: usize = 6;
/// Under another suffix, slips count only from this length on.
const SHORTEST_SLIP_ELSEWHERE: usize = 7;
/// A name with an `s` behind it is a plural, unless it is as long as this.
const SHORTEST_WITH_S: usize = 9;
/// The most labels of a ranked name that are looked for left of a domain.
const LABELS_OF_A_NAME: usize = 3;

/// The name that was registered: a public suffix and one label. The name itself when it has no more.
pub(crate) fn registrable(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

/// Holds a domain against a ranking.
#[must_use]
pub fn impersonation(domain: &Domain, ranking: &Ranking, seen: &Seen) -> Impersonation {
    let found = resemblances(domain.as_str(), ranking);
    let is_owners = |place: usize| {
        seen.final_host.as_deref().is_some_and(|host| leads_to(host, ranking, place))
    };
    let verdict = if found.is_empty() {
        ImpersonationVerdict::NoLookalike
    } else if found.iter().any(|found| found.strong && !is_owners(found.place)) {
        ImpersonationVerdict::Suspected
    } else {
        ImpersonationVerdict::Lookalike
    };
    let likeness = found.into_iter().take(Impersonation::MAX_LIKENESS).map(|found| {
        let mut why = why(&found.class).to_owned();
        if is_owners(found.place) {
            why.push_str(" The site leads to that name.");
        }
        Likeness {
            of: ranking.name(found.place).to_owned(),
            rank: found.place as u64 + 1,
            class: found.class,
            why,
        }
    });
    Impersonation { verdict, brand_frame: ranking.frame().to_owned(), likeness: likeness.collect() }
}

/// Whether the host belongs to the name in this place, or to another ranked name with its label, as
/// owners have in several countries.
fn leads_to(host: &str, ranking: &Ranking, place: usize) -> bool {
    let led_to = registrable(host);
    led_to == ranking.name(place)
        || (ranking.holds(led_to) && first_label(led_to) == ranking.label(place))
}

fn why(class: &LikenessClass) -> &'static str {
    match class {
        LikenessClass::IdnHomograph => {
            "Characters of another script, or with marks, make it look like that name."
        }
        LikenessClass::Confusable => {
            "Letters or digits that look alike make it look like that name."
        }
        LikenessClass::BrandWithLure => "That name stands beside a word for signing in or paying.",
        LikenessClass::BrandWithWord => "That name stands beside another word.",
        LikenessClass::BrandSubdomain => "That name stands left of a domain that is not its own.",
        LikenessClass::Hyphenation => "Only hyphens tell it from that name.",
        LikenessClass::Transposition => "Two letters of that name are exchanged.",
        LikenessClass::DoubledLetter => "One letter of that name is doubled.",
        LikenessClass::Omission => "One letter of that name is left out.",
        LikenessClass::Insertion => "One letter is added to that name.",
        LikenessClass::Replacement => {
            "One letter of that name is another that is easily written instead."
        }
        LikenessClass::Bitsquat => "One bit of that name is another.",
        LikenessClass::OtherSuffix => "It is that name's label under another suffix.",
        LikenessClass::Unrecognised(_) => "",
    }
}

/// One likeness.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    place: usize,
    class: LikenessClass,
    /// Enough for a suspicion.
    strong: bool,
}

/// The strongest first, each name of the ranking once.
fn resemblances(host: &str, ranking: &Ranking) -> Vec<Found> {
    let registered = registrable(host);
    // The owner of a ranked name may be like whomever: both are names in their own right.
    // So may a name that is a public suffix itself: its owner had it listed as such.
    if ranking.holds(registered) || ranking.holds(host) || psl::suffix_str(host) == Some(host) {
        return Vec::new();
    }
    let label = first_label(registered);
    let suffix = registered.split_once('.').map_or("", |(_, suffix)| suffix);
    let mut found = Vec::new();
    look_of(label, suffix, ranking, &mut found);
    if found.is_empty() {
        same_label(label, ranking, &mut found);
        slips(label, suffix, ranking, &mut found);
        beside_words(label, ranking, &mut found);
    }
    let left = host.strip_suffix(registered).unwrap_or_default().trim_end_matches('.');
    if !left.is_empty() {
        left_of(left, label, ranking, &mut found);
    }
    let mut once: BTreeMap<usize, Found> = BTreeMap::new();
    for found in found {
        let known = once.entry(found.place).or_insert_with(|| found.clone());
        if found.strong && !known.strong {
            *known = found;
        }
    }
    let mut found: Vec<Found> = once.into_values().collect();
    found.sort_by_key(|found| (!found.strong, found.place));
    found
}

/// Other characters that look like a ranked name.
fn look_of(label: &str, suffix: &str, ranking: &Ranking, found: &mut Vec<Found>) {
    let look = Look::of(label);
    let Some(place) = ranking.that_looks(&look, label) else { return };
    let other = ranking.label(place);
    // Numbers alone look like many things.
    if !other.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    let length = look.shown.chars().count();
    if look.is_idn() {
        if length < SHORTEST_OF_FIRST || (length < SHORTEST && place >= WELL_KNOWN) {
            return;
        }
        // A label of one script under a suffix of its own is somebody's word first of all; so is
        // an everyday word with its accents.
        let at_home = suffix.split('.').any(|part| part.starts_with("xn--")) && !look.is_mixed();
        let accented_word = is_everyday(other) && without_marks_is(&look.shown, other);
        let strong = place < WELL_KNOWN && !at_home && !accented_word;
        found.push(Found { place, class: LikenessClass::IdnHomograph, strong });
    } else if length >= SHORTEST || (length >= SHORTEST_OF_FIRST && place < FIRST) {
        let doubtful = only_i_for_l(label, other)
            && (length < SHORTEST_I_FOR_L || is_everyday(other) || place >= WELL_KNOWN);
        if doubtful {
            return;
        }
        let strong = place < WELL_KNOWN;
        found.push(Found { place, class: LikenessClass::Confusable, strong });
    }
}

/// Whether Latin letters with marks are all that tells `shown` from `plain`.
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

/// The same label elsewhere, or with other hyphens.
fn same_label(label: &str, ranking: &Ranking, found: &mut Vec<Found>) {
    let Some(place) = ranking.with_label(label) else { return };
    let other = ranking.label(place);
    if is_everyday(other) {
        return;
    }
    if label == other {
        let long = label.len() >= SHORTEST || (label.len() >= SHORTEST_OF_FIRST && place < FIRST);
        if long && place < WELL_KNOWN {
            found.push(Found { place, class: LikenessClass::OtherSuffix, strong: false });
        }
    } else if label.len() > SHORTEST && ranking.takes_slips(place, other) {
        found.push(Found { place, class: LikenessClass::Hyphenation, strong: false });
    }
}

/// One slip away from a ranked name.
fn slips(label: &str, suffix: &str, ranking: &Ranking, found: &mut Vec<Found>) {
    if label.starts_with("xn--") {
        return;
    }
    for place in ranking.near(label) {
        let other = ranking.label(place);
        let Some(class) = typo::slip(label, other) else { continue };
        let elsewhere = ranking.name(place).split_once('.').map(|(_, s)| s) != Some(suffix);
        let plural = label.strip_suffix('s') == Some(other) && other.len() < SHORTEST_WITH_S;
        if plural || (elsewhere && other.len() < SHORTEST_SLIP_ELSEWHERE) {
            continue;
        }
        found.push(Found { place, class, strong: false });
    }
}

/// A well-known name among other words of the label.
fn beside_words(label: &str, ranking: &Ranking, found: &mut Vec<Found>) {
    let parts: Vec<&str> =
        label.split('-').filter(|part| !part.is_empty()).take(PARTS_MAX).collect();
    if parts.len() > 1 {
        let lures = parts.iter().filter(|part| words::is_lure(part)).count();
        for part in parts.iter().filter(|part| !words::is_lure(part)) {
            if let Some(place) = imitated(part, ranking) {
                found.push(Found { place, class: LikenessClass::Confusable, strong: true });
            } else if let Some(place) = well_known(part, ranking) {
                found.extend(beside(place, part, lures));
            }
        }
    }
    for (rest, lure) in words::split_off(label) {
        if rest.len() < SHORTEST || rest.contains('-') {
            continue;
        }
        if let Some(place) = imitated(rest, ranking) {
            found.push(Found { place, class: LikenessClass::Confusable, strong: true });
        } else if let Some(place) = well_known(rest, ranking)
            && !is_everyday(rest)
        {
            found.extend(beside(place, rest, usize::from(lure)));
        }
    }
}

/// What a well-known name beside so many lures is.
fn beside(place: usize, name: &str, lures: usize) -> Option<Found> {
    let shortest = if lures > 0 { SHORTEST_BESIDE_LURE } else { SHORTEST };
    if name.len() < shortest {
        return None;
    }
    match (lures, is_everyday(name)) {
        (0, true) => None,
        (0, false) => Some(Found { place, class: LikenessClass::BrandWithWord, strong: false }),
        // One such word beside an everyday word is still everyday language: a shell account.
        (lures, everyday) => Some(Found {
            place,
            class: LikenessClass::BrandWithLure,
            strong: !everyday || lures > 1,
        }),
    }
}

/// The well-known name with exactly this label.
fn well_known(part: &str, ranking: &Ranking) -> Option<usize> {
    let place = ranking.with_label(part)?;
    (place < WELL_KNOWN && ranking.label(place) == part).then_some(place)
}

/// The well-known name that a part of a label is made to look like.
fn imitated(part: &str, ranking: &Ranking) -> Option<usize> {
    if part.len() < SHORTEST || well_known(part, ranking).is_some() {
        return None;
    }
    let place = ranking.that_looks(&Look::of(part), part)?;
    let other = ranking.label(place);
    (place < WELL_KNOWN && other.len() >= SHORTEST && !only_i_for_l(part, other)).then_some(place)
}

/// Names left of the domain, where whoever has the domain can put any.
fn left_of(left: &str, label: &str, ranking: &Ranking, found: &mut Vec<Found>) {
    let labels: Vec<&str> = left.split('.').collect();
    let parts = || labels.iter().flat_map(|label| label.split('-')).take(PARTS_MAX);
    let lured = parts().chain(label.split('-')).any(words::is_lure);
    for start in 0..labels.len() {
        for count in 2..=LABELS_OF_A_NAME {
            let Some(run) = labels.get(start..start + count) else { break };
            let place = ranking.place_of(&run.join("."));
            if let Some(place) = place.filter(|place| *place < WELL_KNOWN) {
                // Libraries show whole names so behind their proxies: alone it is no suspicion.
                let class = LikenessClass::BrandSubdomain;
                found.push(Found { place, class, strong: lured });
            }
        }
    }
    for part in parts() {
        if let Some(place) = imitated(part, ranking) {
            found.push(Found { place, class: LikenessClass::Confusable, strong: true });
        } else if lured
            && part.len() >= SHORTEST
            && !is_everyday(part)
            && !words::is_lure(part)
            && let Some(place) = well_known(part, ranking)
        {
            // Companies name the pages that lead to others' services so; without a word for
            // signing in it is not even a likeness.
            found.push(Found { place, class: LikenessClass::BrandSubdomain, strong: false });
        }
    }
}
