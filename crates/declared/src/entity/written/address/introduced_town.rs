//! Towns that a sentence names before its address: `Their Durham office is at 200 West Main Street.`, `In Lyon, …`

use super::names::{self, PlaceName};
use super::tokens::{comparable, plain_word};

/// Words for a place of a business, in lower case without accents.
const PREMISES: &str = "office offices shop store branch location restaurant showroom studio clinic practice headquarters \
     hq salon cafe gallery boutique outlet site premises bar pub hotel bakery pharmacy surgery garage workshop \
     filiale niederlassung standort laden buro geschaft praxis vestiging winkel kantoor";
/// Words before a town at the beginning of a sentence.
const PREPOSITIONS: [&str; 8] = ["in", "à", "en", "a", "ad", "em", "w", "i"];

/// The known city that the words before an address name as its town.
pub(super) fn town(introduction: &[&str]) -> Option<String> {
    (0..introduction.len()).find_map(|at| {
        let length = city_length(introduction.get(at..)?)?;
        let follows = |word: &str| {
            let plain = plain_word(word);
            PREMISES.split_whitespace().any(|known| known == plain)
        };
        let before = at.checked_sub(1).and_then(|before| introduction.get(before));
        let is_in = at == 1
            && before.is_some_and(|word| PREPOSITIONS.contains(&word.to_lowercase().as_str()));
        let is_of_premises = introduction.get(at + length).is_some_and(|word| follows(word));
        let words = introduction.get(at..at + length)?;
        (is_in || is_of_premises).then(|| words.join(" ").trim_end_matches(',').to_owned())
    })
}

/// The city of `Salzburger Altstadt`. None if it is no known city, or no part of a city follows.
pub(super) fn city_of_adjective(word: &str, next: Option<&str>) -> Option<String> {
    let part = plain_word(next?);
    let is_part = matches!(
        part.as_str(),
        "altstadt"
            | "innenstadt"
            | "stadtzentrum"
            | "zentrum"
            | "stadtmitte"
            | "neustadt"
            | "city"
            | "stadtteil"
    );
    let stem = word.strip_suffix("er").filter(|_| is_part && is_capital(word))?;
    let full = |end: &str, with: &str| stem.strip_suffix(end).map(|stem| format!("{stem}{with}"));
    // `Bremer`, `Dresdner`, `Zürcher`
    let cities = [full("", ""), full("", "en"), full("n", "en"), full("ch", "ich")];
    cities.into_iter().flatten().find(|city| city_length(&[city.as_str()]).is_some())
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// How many of the words are the name of a city at their beginning.
fn city_length(words: &[&str]) -> Option<usize> {
    let (first, behind) = words.split_first()?;
    let found = names::names(&plain_word(first)).iter().filter(|_| is_capital(first)).find(
        |(rest, place)| {
            let next = behind.iter().map(|word| comparable(&plain_word(word)));
            matches!(place, PlaceName::City(_)) && rest.iter().cloned().eq(next.take(rest.len()))
        },
    )?;
    Some(found.0.len() + 1)
}
