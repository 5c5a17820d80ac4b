//! Words of streets and places, and which of two addresses' words mean the same.

use super::sound;
use super::street_types::{compound_street, direction, is_english, ordinal, street_type};
use super::tokens::{Token, comparable};
use super::two_languages::are_translations;

/// What a word is in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    Plain,
    /// Street, road, square.
    StreetType,
    /// North, upper: streets of one name have several such parts.
    Direction,
    /// A city of which we know all names.
    City,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) kind: WordKind,
    /// Whether it is or may be an abbreviation.
    pub(super) is_short: bool,
}

impl Word {
    pub(super) fn new(text: &str, kind: WordKind) -> Self {
        Self { text: comparable(text), kind, is_short: false }
    }
}

/// The word of a token. `is_last` says that no other word of the street follows.
pub(super) fn street_word(token: &Token, next: Option<&str>, region: Option<&str>) -> Word {
    let text = token.text.as_str();
    let next_is_direction = next.is_none_or(|next| {
        direction(next, region).is_some() || street_type(next, region).is_some()
    });
    let by_place = match text {
        "st" if next_is_direction => Some("street"),
        "st" | "sankt" | "saint" | "sainte" | "snt" | "sint" | "ste" | "skt" => {
            return Word::new("saint", WordKind::Plain);
        }
        "dr" if next_is_direction => Some("drive"),
        "dr" | "doctor" | "doktor" | "docteur" | "dottor" | "dott" | "doutor" => {
            return Word::new("doctor", WordKind::Plain);
        }
        "jr" if region == Some("PE") => None,
        "jr" | "junior" => return Word::new("junior", WordKind::Plain),
        "gal" | "gen" | "general" | "generala" | "generale" | "generaal" | "gral" => {
            return Word::new("general", WordKind::Plain);
        }
        "mal" | "marechal" => return Word::new("marechal", WordKind::Plain),
        "burg" | "bgm" | "burgemeester" | "burgermeister" | "buergermeister" => {
            return Word::new("burgomaster", WordKind::Plain);
        }
        "sec" | "sector" | "section" => return Word::new("sector", WordKind::Plain),
        "prof" | "professor" => return Word::new("professor", WordKind::Plain),
        "gt" | "great" if is_english(region) => return Word::new("great", WordKind::Plain),
        "lt" | "ltl" | "little" if is_english(region) => {
            return Word::new("little", WordKind::Plain);
        }
        "kudamm" => return Word::new("kurfurstendamm", WordKind::Plain),
        "sv" if !sound::has_cases(region) => None,
        "sv" | "sveti" | "sveta" | "svateho" | "svate" | "swietego" | "swietej" | "swiety" => {
            return Word::new("saint", WordKind::Plain);
        }
        "sw" if region == Some("PL") => return Word::new("saint", WordKind::Plain),
        "sta" | "santa" | "sto" | "santo" => return Word::new("santa", WordKind::Plain),
        "col" | "colonel" | "coronel" => return Word::new("coronel", WordKind::Plain),
        "cap" | "capt" | "captain" | "capitan" | "capitaine" | "capitano" | "cpt" => {
            return Word::new("captain", WordKind::Plain);
        }
        "pres" | "presidente" | "president" | "pdt" | "pdte" => {
            return Word::new("president", WordKind::Plain);
        }
        "ing" | "ingeniero" | "engenheiro" | "eng" => {
            return Word::new("engineer", WordKind::Plain);
        }
        "cmdt" | "commandant" | "cdt" => return Word::new("commandant", WordKind::Plain),
        "ds" | "dominee" if matches!(region, Some("NL" | "BE")) => {
            return Word::new("dominee", WordKind::Plain);
        }
        "flli" | "fratelli" => return Word::new("fratelli", WordKind::Plain),
        "frs" | "freres" => return Word::new("freres", WordKind::Plain),
        "card" | "cardinal" | "cardinale" => return Word::new("cardinal", WordKind::Plain),
        "sgt" | "sergeant" | "sergent" | "sergente" => {
            return Word::new("sergeant", WordKind::Plain);
        }
        "mr" | "meester" if matches!(region, Some("NL" | "BE")) => {
            return Word::new("meester", WordKind::Plain);
        }
        "gde" => return Word::new("grande", WordKind::Plain),
        "mass" if region == Some("US") => return Word::new("massachusetts", WordKind::Plain),
        "comm" if region == Some("US") => return Word::new("commonwealth", WordKind::Plain),
        "mt" | "mount" => return Word::new("mount", WordKind::Plain),
        "ft" | "fort" => return Word::new("fort", WordKind::Plain),
        _ => None,
    };
    if let Some(name) = by_place.or_else(|| street_type(text, region)) {
        return Word::new(name, WordKind::StreetType);
    }
    if let Some(name) = direction(text, region) {
        return Word::new(name, WordKind::Direction);
    }
    if let Some(number) = ordinal(text).or_else(|| text.parse().ok()) {
        return Word::new(&format!("ord{number}"), WordKind::Plain);
    }
    Word {
        text: comparable(&compound_street(text).unwrap_or_else(|| text.to_owned())),
        kind: WordKind::Plain,
        is_short: token.is_dotted
            || text.len() <= 5 && !text.contains(['a', 'e', 'i', 'o', 'u', 'y']),
    }
}

/// Which words of two lists have no counterpart in the other.
#[derive(Debug)]
pub(super) struct WordMatches {
    pub(super) one: Vec<bool>,
    pub(super) other: Vec<bool>,
    /// Whether a pair was matched that differs in a letter.
    pub(super) has_near_match: bool,
}

pub(super) fn match_words(one: &[Word], other: &[Word], region: Option<&str>) -> WordMatches {
    let mut found = WordMatches {
        one: vec![false; one.len()],
        other: vec![false; other.len()],
        has_near_match: false,
    };
    found.pair(one, other, |a, b| a.text == b.text);
    found.pair(one, other, |a, b| are_translations(&a.text, &b.text, region));
    found.pair(one, other, |a, b| {
        is_with_article(&a.text, &b.text) || is_with_article(&b.text, &a.text)
    });
    if matches!(region, Some("DE" | "AT" | "CH")) {
        found.pair(one, other, |a, b| is_same_adjective(&a.text, &b.text));
    }
    found.pair(one, other, |a, b| is_abbreviation(a, b) || is_abbreviation(b, a));
    found.pair(one, other, |a, b| is_end_of(&a.text, &b.text) || is_end_of(&b.text, &a.text));
    // Each direction starts from the same state, so that the order of the two lists does not matter.
    let (mut of_one, mut of_other) = (found.one.clone(), found.other.clone());
    join_words(other, one, &mut of_other, &mut of_one);
    join_words(one, other, &mut found.one, &mut found.other);
    for (matched, also) in
        found.one.iter_mut().zip(of_one).chain(found.other.iter_mut().zip(of_other))
    {
        *matched |= also;
    }
    let before = found.count();
    found.pair(one, other, |a, b| {
        is_misspelled(&a.text, &b.text) || is_spelled_otherwise(&a.text, &b.text)
    });
    found.has_near_match = found.count() > before;
    found
}

impl WordMatches {
    fn pair(&mut self, one: &[Word], other: &[Word], is_match: impl Fn(&Word, &Word) -> bool) {
        for (word, matched) in one.iter().zip(&mut self.one).filter(|(_, matched)| !**matched) {
            let counterpart = other
                .iter()
                .zip(&mut self.other)
                .find(|(other, taken)| !**taken && is_match(word, other));
            if let Some((_, taken)) = counterpart {
                *taken = true;
                *matched = true;
            }
        }
        // A word that is written twice on one side, such as a city that is also the street's name.
        for (word, matched) in one.iter().zip(&mut self.one).filter(|(_, matched)| !**matched) {
            *matched = other.iter().any(|other| is_match(word, other));
        }
        for (word, matched) in other.iter().zip(&mut self.other).filter(|(_, matched)| !**matched) {
            *matched = one.iter().any(|one| is_match(one, word));
        }
    }

    fn count(&self) -> usize {
        self.one.iter().chain(&self.other).filter(|matched| **matched).count()
    }
}

/// Whether every word of one list may be a short form of one in the other, whatever their writing.
pub(super) fn are_abbreviations(one: &[Word], other: &[Word]) -> bool {
    let may_be_short = |short: &Word, long: &Word| {
        let is_name = short.kind == WordKind::Plain && long.kind == WordKind::Plain;
        // `Am Markt` is no short form of `Marktstraße`.
        let is_whole = long.text.strip_prefix(short.text.as_str()).is_some_and(|rest| {
            matches!(rest, "street" | "weg" | "gasse" | "allee" | "alle" | "laan" | "lan")
        });
        // A word without its last letter is another name: `Main` and `Maine`.
        let is_shorter = short.text.len() + 2 <= long.text.len() || short.is_short;
        is_name
            && is_shorter
            && !is_whole
            && is_abbreviation(&Word { is_short: true, ..short.clone() }, long)
    };
    let all_in = |shorts: &[Word], longs: &[Word]| {
        shorts.iter().all(|short| longs.iter().any(|long| may_be_short(short, long)))
    };
    all_in(one, other) || all_in(other, one)
}

/// `LaSalle` and `Salle`: the article is left out of names when it is a word of its own.
fn is_with_article(long: &str, short: &str) -> bool {
    ["la", "le", "de", "du", "el", "van", "der", "den", "del"]
        .iter()
        .any(|article| short.len() >= 4 && long.strip_prefix(article) == Some(short))
}

/// `Alter Markt` and `am Alten Markt`.
fn is_same_adjective(one: &str, other: &str) -> bool {
    const STEMS: &str = "alt neu gross klein lang kurz hoh nieder ober unter breit schmal rot weiss schwarz grun blau \
     golden heilig deutsch tief krumm hinter vorder mittler still eng lieb frei";
    let stem = |word: &str| -> Option<String> {
        let endings = ["en", "er", "es", "em", "e"];
        let stem = endings.iter().find_map(|ending| word.strip_suffix(ending))?;
        STEMS.split_whitespace().any(|known| known == stem).then(|| stem.to_owned())
    };
    matches!((stem(one), stem(other)), (Some(a), Some(b)) if a == b)
}

/// Whether a short word consists of letters of a long one, in their order: `storg.`, `bldg`.
fn is_abbreviation(short: &Word, long: &Word) -> bool {
    let is_initial = short.text.chars().count() == 1;
    if !(short.is_short || is_initial) || short.text.len() >= long.text.len() {
        return false;
    }
    let mut letters = long.text.chars();
    let is_within = short.text.chars().all(|c| letters.any(|letter| letter == c));
    is_within && short.text.chars().next() == long.text.chars().next()
}

/// Whether a place in a script without spaces ends or begins with another: prefectures and words such as
/// “city” are often left out.
fn is_end_of(end: &str, whole: &str) -> bool {
    let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}');
    if end.chars().count() >= 2 && end.chars().all(is_hangul) && whole.starts_with(end) {
        return true;
    }
    let is_without_spaces =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    if end.chars().count() < 3 || !end.chars().all(is_without_spaces) {
        return false;
    }
    // Kyoto has the way along the streets between the ward and the quarter.
    let start: String = end.chars().take(3).collect();
    let same_end = end.chars().rev().zip(whole.chars().rev()).take_while(|(a, b)| a == b).count();
    whole.ends_with(end) || whole.contains(&start) && same_end >= 3
}

/// Matches a word with several that make it up, or whose initials it consists of.
fn join_words(ones: &[Word], others: &[Word], matched: &mut [bool], taken: &mut [bool]) {
    for (word, matched) in ones.iter().zip(matched).filter(|(_, matched)| !**matched) {
        for length in 2..=3 {
            let fits = |run: &[Word]| {
                let joined: String = run.iter().map(|part| part.text.as_str()).collect();
                let initials: String =
                    run.iter().filter_map(|part| part.text.chars().next()).collect();
                joined == word.text || word.text.chars().count() == length && initials == word.text
            };
            let Some(start) = others.windows(length).position(fits) else { continue };
            *matched = true;
            taken.iter_mut().skip(start).take(length).for_each(|taken| *taken = true);
        }
    }
}

/// `Laxmi` and `Lakshmi`.
fn is_spelled_otherwise(one: &str, other: &str) -> bool {
    let is_name = |word: &str| word.len() >= 5 && word.bytes().all(|b| b.is_ascii_lowercase());
    is_name(one) && is_name(other) && sound::spelling(one) == sound::spelling(other)
}

/// Matches names whose letters were written by their sound, because one of them is in another script, and
/// names in another case.
pub(super) fn match_sounds(
    one: &[Word],
    other: &[Word],
    found: &mut WordMatches,
    is_other_script: bool,
    has_cases: bool,
) {
    let is_name = |word: &Word| word.kind == WordKind::Plain && !word.text.starts_with("ord");
    found.pair(one, other, |a, b| {
        is_name(a)
            && is_name(b)
            && (is_other_script && sound::sounds_same(&a.text, &b.text)
                || has_cases && sound::is_inflected(&a.text, &b.text))
    });
}

/// Whether two long words differ in one letter only.
fn is_misspelled(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let has_digit = one.bytes().chain(other.bytes()).any(|b| b.is_ascii_digit());
    if has_digit || a.len().min(b.len()) < 6 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    same_start + same_end + 1 >= longest
        // Two neighbours swapped.
        || a.len() == b.len() && same_start + same_end + 2 == longest
            && a.get(same_start) == b.get(same_start + 1)
            && a.get(same_start + 1) == b.get(same_start)
}
