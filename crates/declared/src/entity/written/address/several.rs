//! Texts with several addresses, such as a list of branches.

use super::reading::{self, WrittenAddress};
use super::words::{Word, WordKind};

const MAX_ADDRESSES: usize = 8;
/// Between addresses on one line.
const SEPARATORS: [&str; 9] =
    [" / ", " and ", " und ", " et ", " sowie ", " & ", " y ", " e ", ". "];
/// Between addresses of which the writer does not know the right one.
const CHOICES: [&str; 8] =
    [" or ", " oder ", " ou ", " of ", " lub ", " eller ", " nebo ", " или "];

/// The addresses of a text, if it has several complete ones. `are_same` says whether two of them may be one.
pub(super) fn addresses(
    text: &str,
    region: Option<&str>,
    are_same: impl Fn(&WrittenAddress, &WrittenAddress) -> bool,
) -> Option<Vec<WrittenAddress>> {
    let lines: Vec<&str> =
        text.split(['\n', ';', '|']).filter(|line| !line.trim().is_empty()).collect();
    let distinct = |parts: &[&str], is_wanted: &dyn Fn(&WrittenAddress) -> bool| {
        if !(2..=MAX_ADDRESSES).contains(&parts.len()) {
            return None;
        }
        let mut found: Vec<WrittenAddress> = Vec::new();
        for address in parts.iter().filter_map(|part| reading::read(part, region)) {
            if is_wanted(&address) && !found.iter().any(|known| are_same(known, &address)) {
                found.push(address);
            }
        }
        (found.len() >= 2).then_some(found)
    };
    // `77 Geary Street or 49 Geary Street, San Francisco`: the town stands only once.
    // `of` is a choice in Dutch only.
    let is_dutch = matches!(region, Some("NL" | "BE"));
    for choice in CHOICES.into_iter().filter(|choice| is_dutch || *choice != " of ") {
        let parts: Vec<&str> = lines.iter().flat_map(|line| line.split(choice)).collect();
        if parts.len() > lines.len()
            && let Some(found) = distinct(&parts, &is_house)
        {
            return Some(found);
        }
    }
    // `London: 8 Clerkenwell Green, EC1R 0DE. Edinburgh: 20 Thistle Street, EH2 1EN`
    let parts = match lines.as_slice() {
        [line] => SEPARATORS
            .iter()
            .map(|separator| line.split(separator).collect::<Vec<&str>>())
            .find(|parts| (2..=MAX_ADDRESSES).contains(&parts.len()))
            .unwrap_or(lines),
        _ => lines,
    };
    distinct(&parts, &is_complete)
}

fn is_complete(address: &WrittenAddress) -> bool {
    let has_house = address.number.is_some() && !address.street.is_empty();
    // `Unit 6, Trafford Park Road, Manchester M17 1WH`
    let has_unit = !address.units.is_empty() && !address.places.is_empty();
    has_house && (address.code.is_some() || address.cities().next().is_some())
        || has_unit && address.code.is_some()
}

fn is_house(address: &WrittenAddress) -> bool {
    let is_name = |word: &Word| word.kind == WordKind::StreetType || word.text.len() > 3;
    address.number.is_some() && address.street.iter().any(is_name)
}

/// Whether a text lists towns with a house in each, of which one is that of the other address:
/// `Antwerpen (Meir 78), Gent (Veldstraat 30)`.
pub(super) fn lists_town_of(list: &WrittenAddress, single: &WrittenAddress) -> bool {
    let mut towns: Vec<&str> = list.cities().collect();
    towns.sort_unstable();
    towns.dedup();
    let names = |town: &str| list.street.iter().chain(&list.places).any(|word| word.text == town);
    towns.len() >= 2
        && list.numbers.len() >= 2
        && single.cities().any(names)
        && single.numbers.first().is_some_and(|number| list.numbers.contains(number))
}
