//! Sentences around an address: `The café is right on Piazza Navona, at number 5, in Rome.` What stands before the
//! address is left out, and the words between its parts become commas.

use super::introduced_town;
use super::street_types::{compound_street, is_english, street_type};
use super::tokens::plain_word;

/// Verbs of sentences that say where something is, in lower case without accents.
const ENGLISH_VERBS: &str =
    "is are was s found sits lies located situated find finds based operates stands visit";
const OTHER_VERBS: &str = "ist sind liegt liegen befindet befinden sitzt finden findest findet hat lautet trouve situe \
     situee sis sise accueille recoit trouvez esta estan encuentra encuentran ubicada ubicado situada situado \
     trova trovate situato situata sta zit zitten ligt liggen vind vindt gevestigd staat fica ficam encontra \
     localizada localizado znajduje miesci ligger finns findes";
/// The verb is near the beginning, or the sentence is about something else.
const MAX_INTRODUCTION: usize = 14;

/// The address of a sentence in parts. Other texts stay as they are.
pub(super) fn in_parts(text: &str, region: Option<&str>) -> String {
    let text = without_label(text);
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if words.len() > super::tokens::MAX_TOKENS {
        return text;
    }
    let introduction = introduction(&words, region);
    let is_english_sentence = introduction.as_ref().is_some_and(|found| found.is_english);
    let first = introduction.as_ref().map_or(0, |found| found.length);
    let is_sentence = introduction.is_some();
    let mut out = String::with_capacity(text.len());
    let mut previous: Option<&str> = None;
    for (at, word) in words.iter().enumerate().skip(first) {
        let next = words.get(at + 1).copied();
        let splits = previous.is_some_and(|previous| {
            is_break(word, previous, next, Sentence { is_sentence, is_english_sentence }, region)
        });
        if splits {
            out.push(',');
        } else {
            if !out.is_empty() {
                out.push(' ');
            }
            // `in der Salzburger Altstadt`
            let city = introduced_town::city_of_adjective(word, next)
                .filter(|_| matches!(region, Some("DE" | "AT" | "CH")));
            // `in Seattle's Ballard neighborhood`
            let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
            let owner = owner.filter(|_| is_english_sentence && previous == Some("in"));
            match city.as_deref().or(owner) {
                Some(town) => {
                    out.push_str(town);
                    out.push(',');
                }
                None => out.push_str(word),
            }
        }
        previous = Some(word);
    }
    if let Some(town) = words.get(..first).and_then(introduced_town::town) {
        out.push_str(", ");
        out.push_str(&town);
    }
    out
}

/// A comma for the colon behind a label: `Visit our showroom: 48 Camp Road`.
fn without_label(text: &str) -> String {
    text.replace(": ", ", ").replace("： ", ", ").replace(" :", ", ").replace('：', ", ")
}

struct Introduction {
    /// How many words it has.
    length: usize,
    is_english: bool,
}

/// The words of a sentence before its address. None if there is no such sentence.
fn introduction(words: &[&str], region: Option<&str>) -> Option<Introduction> {
    let has_word = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let start = words.iter().take(MAX_INTRODUCTION);
    let verbs = start.take_while(|word| !word.contains(|c: char| c.is_ascii_digit())).enumerate();
    let mut found = None;
    for (at, word) in verbs {
        // `It's`, `L'atelier`
        let plain = plain_word(word.rsplit(['\'', '’']).next().unwrap_or(word));
        let is_english = has_word(ENGLISH_VERBS, &plain);
        let is_verb =
            is_english || has_word(OTHER_VERBS, &plain) || matches!(*word, "è" | "est" | "c'est");
        // Nothing but words of a sentence may be left out.
        let is_street = is_street(word, region) && at > 0;
        if is_street && found.is_none() {
            return None;
        }
        if is_verb && !word.ends_with(',') && found.is_none() {
            found = Some((at, is_english));
        } else if found.is_some() && (is_street || is_name(word) || is_preposition(word)) {
            break;
        }
    }
    let (verb, is_english) = found?;
    // The address may be in quotation marks.
    let begins = |word: &str| {
        let core = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        is_name(word) || is_street(word, region) || core.starts_with(|c: char| c.is_ascii_digit())
    };
    let skipped = words.iter().skip(verb + 1).position(|word| begins(word))?;
    let has_number =
        words.iter().skip(verb + 1).any(|word| word.contains(|c: char| c.is_ascii_digit()));
    has_number.then_some(Introduction { length: verb + 1 + skipped, is_english })
}

/// Whether a word is the number of a house or the letter behind it: `18`, `18b`, `B`.
fn ends_house_number(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '/'));
    let is_letter = letters.len() == 1 && letters.starts_with(|c: char| c.is_ascii_alphabetic());
    letters.is_empty() || is_letter && (letters.len() < word.len() || is_name(word))
}

fn is_name(word: &str) -> bool {
    word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase)
}

fn is_street(word: &str, region: Option<&str>) -> bool {
    let plain = plain_word(word);
    plain.len() > 2 && (street_type(&plain, region).is_some() || compound_street(&plain).is_some())
}

fn is_month(word: &str) -> bool {
    matches!(
        word,
        "enero"
            | "febrero"
            | "marzo"
            | "abril"
            | "mayo"
            | "junio"
            | "julio"
            | "agosto"
            | "septiembre"
            | "octubre"
            | "noviembre"
            | "diciembre"
    )
}

fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "at" | "in"
            | "on"
            | "an"
            | "am"
            | "im"
            | "unter"
            | "auf"
            | "à"
            | "au"
            | "sur"
            | "en"
            | "a"
            | "al"
            | "op"
            | "aan"
            | "te"
            | "em"
    )
}

#[derive(Clone, Copy)]
struct Sentence {
    is_sentence: bool,
    is_english_sentence: bool,
}

/// Whether a word stands between two parts of an address. In names of streets and towns it stands between two
/// other names: `Via San Pietro in Vincoli`, `Bradford on Avon`, `Frankfurt am Main`.
fn is_break(
    word: &str,
    previous: &str,
    next: Option<&str>,
    Sentence { is_sentence, is_english_sentence }: Sentence,
    region: Option<&str>,
) -> bool {
    if !is_preposition(word) && !matches!(word, "de" | "di" | "i" | "w") {
        return false;
    }
    let is_before_name = next.is_some_and(|next| {
        is_name(next)
            || matches!(
                next,
                "the"
                    | "der"
                    | "den"
                    | "het"
                    | "la"
                    | "el"
                    | "no."
                    | "number"
                    | "numero"
                    | "nummer"
            )
            || is_street(next, region)
            || next.starts_with(|c: char| c.is_ascii_digit())
    });
    let is_behind_name = is_name(previous) && !previous.ends_with([',', ')']);
    let is_free = is_sentence && !is_behind_name;
    // `in historic downtown Charleston`, `en pleno centro de Salamanca`
    let is_before_place = word == "in" && is_english_sentence || word == "en" && is_sentence;
    (is_before_name || is_before_place)
        && match word {
            "in" => {
                is_english_sentence
                    || is_free
                    || matches!(region, Some("DE" | "AT" | "CH" | "NL" | "BE")) && is_sentence
                    || is_english(region)
                    || ends_house_number(previous)
            }
            "en" => matches!(region, Some("ES" | "MX" | "AR" | "CL" | "CO" | "PE")),
            // `Götgatan 31 i Stockholm`, `Piotrkowska 217 w Łodzi`
            "i" | "w" => {
                matches!(region, Some("SE" | "NO" | "DK" | "PL")) && ends_house_number(previous)
            }
            // `Calle Real 12 de Chiclana`
            "de" | "di" => {
                matches!(region, Some("ES" | "MX" | "AR" | "CL" | "CO" | "PE" | "IT"))
                    && ends_house_number(previous)
                    && next.is_some_and(|next| is_name(next) && !is_month(&plain_word(next)))
            }
            "à" if is_behind_name && region == Some("FR") => next.is_some_and(is_name),
            "a" | "à" => {
                is_sentence
                    && matches!(region, Some("IT" | "FR" | "BE" | "CH" | "LU"))
                    && next.is_some_and(is_name)
            }
            "at" | "on" => is_free || is_sentence && previous.ends_with(','),
            word => is_free && is_preposition(word) && !is_english_sentence,
        }
}
