//! Towns that share their name with others, so that it takes more than the name to tell which is meant.

use super::reading::WrittenAddress;
use super::small_towns::is_small_town;
use super::street_types::is_english;
use super::tokens::comparable;
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
    if is_only_near(one, other) || is_only_near(other, one) || is_other_side(one, other, region) {
        return TownMatch::Unsure;
    }
    compare_places(&one.places, &other.places, region)
}

/// Whether an address has no town in common with another but one that its own is near to.
fn is_only_near(address: &WrittenAddress, other: &WrittenAddress) -> bool {
    let is_known = |word: &Word| other.places.iter().any(|known| known.text == word.text);
    // A city has the first of its names here, whatever it is called in the text.
    let is_near = |word: &Word| address.near.contains(&word.text) || word.kind == WordKind::City;
    !address.near.is_empty()
        && !address.places.iter().any(|word| is_known(word) && !is_near(word))
        && !other.near.iter().any(|town| address.near.contains(town))
}

/// Whether one of two towns is called by a direction from the other: `Fitzroy` and `Fitzroy North`.
fn is_other_side(one: &WrittenAddress, other: &WrittenAddress, region: Option<&str>) -> bool {
    let is_direction = |word: &Word| word.kind == WordKind::Direction;
    let has_side_of = |address: &WrittenAddress, plain: &WrittenAddress| {
        let is_named = |word: &Word| plain.places.iter().any(|place| place.text == word.text);
        // `Hove, East Sussex` is in no eastern part of Hove.
        let is_of_county =
            |at: usize| address.places.get(at + 1).is_some_and(|behind| is_county(behind, region));
        let pairs = address.places.iter().zip(address.places.iter().skip(1)).enumerate();
        !plain.places.iter().any(is_direction)
            && pairs.into_iter().any(|(at, (word, next))| {
                is_direction(word) && is_named(next)
                    || is_direction(next) && is_named(word) && !is_of_county(at + 1)
            })
    };
    is_english(region) && (has_side_of(one, other) || has_side_of(other, one))
}

/// Whether two towns that have no name in common may have one postal code, so that each may have the street. Elsewhere
/// codes are for a few houses, or addresses name a quarter in the place of its town.
pub(super) fn share_code(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> bool {
    const REGIONS: [&str; 13] =
        ["US", "DE", "AT", "CH", "FR", "IT", "ES", "BE", "SE", "NO", "DK", "FI", "CZ"];
    // People name the borough or the neighbourhood.
    const BOROUGHS: [&str; 5] = ["queens", "brooklyn", "bronx", "manhattan", "new york"];
    let is_town = |address: &WrittenAddress| {
        let is_borough = |word: &Word| BOROUGHS.contains(&word.text.as_str());
        !address.places.is_empty()
            && !address.is_transliterated
            && address.places.iter().all(|word| word.text.is_ascii())
            && !address.places.iter().any(is_borough)
            && address.state != Some("ny")
    };
    region.is_some_and(|region| REGIONS.contains(&region)) && is_town(one) && is_town(other)
}

/// Whether two addresses name small towns that have nothing in common. One of a large city may be a suburb of it.
pub(super) fn are_others(
    one: &WrittenAddress,
    other: &WrittenAddress,
    region: Option<&str>,
) -> bool {
    let is_town = |address: &WrittenAddress| {
        (address.has_town_behind || address.places.len() == 1 && address.cities().next().is_some())
            && address.cities().all(is_small_town)
            && !address.places.iter().any(|word| is_centre(&word.text))
            && !address.places.iter().all(|word| is_county(word, region))
    };
    is_town(one) && is_town(other) && !shares_part(one, other) && !shares_part(other, one)
}

/// Whether an address has a word of the name of a city in the other: `Clermont` and `Clermont-Ferrand`.
fn shares_part(address: &WrittenAddress, other: &WrittenAddress) -> bool {
    other.cities().flat_map(str::split_whitespace).any(|part| {
        part.len() > 3 && address.places.iter().any(|word| comparable(part) == word.text)
    })
}

/// Whether a word is the county of many towns, so that two addresses in it need not be in one town.
pub(super) fn is_county(word: &Word, region: Option<&str>) -> bool {
    const COUNTIES: &str = "somerset wiltshire norfolk suffolk kent surrey essex sussex hampshire dorset devon cornwall \
     gloucestershire oxfordshire berkshire buckinghamshire hertfordshire bedfordshire cambridgeshire \
     northamptonshire leicestershire rutland lincolnshire nottinghamshire derbyshire staffordshire shropshire \
     herefordshire worcestershire warwickshire cheshire lancashire cumbria yorkshire northumberland tyneside \
     merseyside gwynedd powys dyfed clwyd gwent ceredigion pembrokeshire carmarthenshire monmouthshire \
     glamorgan conwy flintshire midlands humberside renfrewshire dunbartonshire yorks hants herts beds bucks oxon \
     cambs lancs leics lincs notts northants staffs worcs wilts glos salop fife perthshire angus aberdeenshire ayrshire lanarkshire lothian antrim down \
     armagh tyrone fermanagh kerry mayo donegal clare tipperary wexford wicklow kildare meath leitrim cavan";
    matches!(region, Some("GB" | "IE"))
        && word.kind != WordKind::City
        && COUNTIES.split_whitespace().any(|county| comparable(county) == word.text)
}

/// Words that the names of many towns have: `Bad Kissingen`, `San Fernando`.
pub(super) fn is_common_part(word: &str) -> bool {
    const PARTS: &str = "bad saint san santa santo sant new fort port mount great little north south east west upper lower \
     main sur mer les bains beach springs falls lake sul mare alto alta monte castel villa los el la le am upon on";
    PARTS.split_whitespace().any(|part| part == word)
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

fn compare_places(one: &[Word], other: &[Word], region: Option<&str>) -> TownMatch {
    // Chile has one Santiago.
    let is_shared = |word: &Word| {
        SHARED_NAMES.contains(&word.text.as_str())
            && !(region == Some("CL") && word.text == "santiago")
    };
    let Some(name) = one
        .iter()
        .find(|word| is_shared(word) && other.iter().any(|other| other.text == word.text))
    else {
        return TownMatch::Same;
    };
    let matches = match_words(one, other, region);
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
    // `Rothenburg o.d.T.` and `Rothenburg ob der Tauber`
    let is_short_for = |short: &Word, words: &[Word], matched: &[bool]| {
        let mut lonely = words.iter().zip(matched).filter(|(_, matched)| !**matched);
        short.is_short
            && lonely.any(|(word, _)| word.text.chars().next() == short.text.chars().next())
    };
    let has_short = |shorts: &[Word], of_shorts: &[bool], longs: &[Word], of_longs: &[bool]| {
        let mut lonely = shorts.iter().zip(of_shorts).filter(|(_, matched)| !**matched);
        lonely.any(|(short, _)| is_short_for(short, longs, of_longs))
    };
    if has_short(one, &matches.one, other, &matches.other)
        || has_short(other, &matches.other, one, &matches.one)
    {
        return TownMatch::Same;
    }
    match (lonely(one, &matches.one), lonely(other, &matches.other)) {
        (false, false) => TownMatch::Same,
        (true, true) if one.iter().chain(other).any(|word| word.is_short) => TownMatch::Unsure,
        (true, true) => TownMatch::Other,
        _ => TownMatch::Unsure,
    }
}
