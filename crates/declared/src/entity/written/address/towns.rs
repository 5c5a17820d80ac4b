//! Towns that share their name with others, so that it takes more than the name to tell which is meant.

use super::reading::WrittenAddress;
use super::words::{Word, WordKind, match_words};

/// Whether two addresses name one town.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TownMatch {
    Same,
    Unsure,
    Other,
}

/// Names of many towns, in the form in which words are compared. They are told apart by a river or a region.
const SHARED_NAMES: &[&str] = &[
    "neustadt",
    "halle",
    "neukirchen",
    "neunkirchen",
    "nunkirchen",
    "altenkirchen",
    "rothenburg",
    "rotenburg",
    "mulheim",
    "muhlhausen",
    "kirchheim",
    "neuburg",
    "oldenburg",
    "lauingen",
    "offenburg",
    "limburg",
    "homburg",
    "weissenburg",
    "freiberg",
    "burg",
    "hausen",
    "altstadt",
    "altdorf",
    "zell",
    "buchholz",
    "rheinfelden",
    "laufenburg",
    "kirchberg",
    "neudorf",
    "neumarkt",
    "friedberg",
    "konigstein",
    "sulzbach",
    "munster",
    "stein",
    "newcastle",
    "kingston",
    "stratford",
    "ashford",
    "newport",
    "whitchurch",
    "bradford",
    "richmond",
    "sutton",
    "preston",
    "hampton",
    "villeneuve",
    "chalons",
    "saint",
    "castelnuovo",
    "villanueva",
    "santiago",
    "reggio",
    "vitoria",
    "brod",
    "mlada",
    "nowa",
    "nowy",
];

/// Names of towns in several states of the USA.
const AMERICAN_NAMES: &[&str] = &[
    "portland",
    "springfield",
    "columbus",
    "jackson",
    "albany",
    "rochester",
    "aurora",
    "arlington",
    "lexington",
    "salem",
    "burlington",
    "manchester",
    "athens",
    "paris",
    "richmond",
    "glendale",
    "peoria",
    "lincoln",
    "madison",
    "columbia",
    "charleston",
    "kansas",
    "wilmington",
    "newark",
    "franklin",
    "clinton",
    "greenville",
    "georgetown",
    "fairview",
    "bristol",
    "dover",
    "oxford",
    "cambridge",
    "concord",
    "lebanon",
    "milford",
    "washington",
    "vancouver",
    "birmingham",
    "pasadena",
    "hollywood",
    "riverside",
    "auburn",
    "troy",
    "marion",
    "monroe",
    "newport",
    "ashland",
    "centerville",
    "dayton",
    "quincy",
    "canton",
    "florence",
    "decatur",
    "lafayette",
];

/// Compares the towns of two addresses that have a name in common.
pub(super) fn compare(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> TownMatch {
    let says_which = |address: &WrittenAddress| address.state.is_some() || address.code.is_some();
    let is_american = |address: &WrittenAddress| {
        let mut words = address.places.iter();
        words.any(|word| AMERICAN_NAMES.contains(&word.text.as_str()))
    };
    if region == Some("US")
        && says_which(one) != says_which(other)
        && is_american(one)
        && is_american(other)
    {
        return TownMatch::Unsure;
    }
    compare_places(&one.places, &other.places)
}

/// Words for the middle of any town.
fn is_centre(word: &str) -> bool {
    matches!(
        word,
        "centro"
            | "centre"
            | "center"
            | "downtown"
            | "zentrum"
            | "stadt"
            | "ville"
            | "cercado"
            | "centrum"
    )
}

fn compare_places(one: &[Word], other: &[Word]) -> TownMatch {
    let is_shared = |word: &Word| SHARED_NAMES.contains(&word.text.as_str());
    let Some(name) = one
        .iter()
        .find(|word| is_shared(word) && other.iter().any(|other| other.text == word.text))
    else {
        return TownMatch::Same;
    };
    let matches = match_words(one, other);
    // Another name that both have tells which of the towns it is.
    let has_more = |words: &[Word], matched: &[bool]| {
        words.iter().zip(matched).any(|(word, matched)| *matched && word.text != name.text)
    };
    let lonely = |words: &[Word], matched: &[bool]| {
        words.iter().zip(matched).any(|(word, matched)| {
            !*matched && word.kind != WordKind::City && !is_centre(&word.text)
        })
    };
    if has_more(one, &matches.one) || has_more(other, &matches.other) {
        return TownMatch::Same;
    }
    match (lonely(one, &matches.one), lonely(other, &matches.other)) {
        (false, false) => TownMatch::Same,
        (true, true) => TownMatch::Other,
        _ => TownMatch::Unsure,
    }
}
