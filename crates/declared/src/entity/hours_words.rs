//! What words mean in a statement about opening hours.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordMeaning {
    /// A day of the week, from Monday.
    Day(u8),
    EveryDay,
    Weekdays,
    Weekend,
    /// Between the two ends of a range.
    To,
    And,
    /// Before the first time.
    From,
    Closed,
    /// Says that opening hours follow.
    Opening,
    /// Says that hours of something else follow, or hours for a part of the year.
    OtherHours,
    None,
}

/// Names of days that are used in full, from Monday, in several languages.
const FULL_DAYS: [&[&str]; 7] = [
    &[
        "monday",
        "mondays",
        "montag",
        "montags",
        "lundi",
        "lunes",
        "lunedi",
        "maandag",
        "mandag",
        "poniedzialek",
        "segunda",
        "maanantai",
        "pondeli",
    ],
    &[
        "tuesday",
        "tuesdays",
        "dienstag",
        "dienstags",
        "mardi",
        "martes",
        "martedi",
        "dinsdag",
        "tisdag",
        "tirsdag",
        "wtorek",
        "terca",
        "tiistai",
        "utery",
    ],
    &[
        "wednesday",
        "wednesdays",
        "mittwoch",
        "mittwochs",
        "mercredi",
        "miercoles",
        "mercoledi",
        "woensdag",
        "onsdag",
        "sroda",
        "quarta",
        "keskiviikko",
        "streda",
    ],
    &[
        "thursday",
        "thursdays",
        "donnerstag",
        "donnerstags",
        "jeudi",
        "jueves",
        "giovedi",
        "donderdag",
        "torsdag",
        "czwartek",
        "quinta",
        "torstai",
        "ctvrtek",
    ],
    &[
        "friday",
        "fridays",
        "freitag",
        "freitags",
        "vendredi",
        "viernes",
        "venerdi",
        "vrijdag",
        "fredag",
        "piatek",
        "sexta",
        "perjantai",
        "patek",
    ],
    &[
        "saturday",
        "saturdays",
        "samstag",
        "samstags",
        "sonnabend",
        "samedi",
        "sabado",
        "sabato",
        "zaterdag",
        "lordag",
        "sobota",
        "lauantai",
    ],
    &[
        "sunday",
        "sundays",
        "sonntag",
        "sonntags",
        "dimanche",
        "domingo",
        "domenica",
        "zondag",
        "sondag",
        "niedziela",
        "sunnuntai",
        "nedele",
    ],
];

/// Abbreviations by language: many are words of another one.
const SHORT_DAYS: [(&str, [&[&str]; 7]); 13] = [
    (
        "en",
        [
            &["mon"],
            &["tue", "tues"],
            &["wed", "weds"],
            &["thu", "thur", "thurs"],
            &["fri"],
            &["sat"],
            &["sun"],
        ],
    ),
    ("de", [&["mo"], &["di"], &["mi"], &["do"], &["fr"], &["sa"], &["so"]]),
    ("fr", [&["lun"], &["mar"], &["mer"], &["jeu"], &["ven"], &["sam"], &["dim"]]),
    ("es", [&["lun"], &["mar"], &["mie"], &["jue"], &["vie"], &["sab"], &["dom"]]),
    ("it", [&["lun"], &["mar"], &["mer"], &["gio"], &["ven"], &["sab"], &["dom"]]),
    ("nl", [&["ma"], &["di"], &["wo"], &["do"], &["vr"], &["za"], &["zo"]]),
    ("pt", [&["seg"], &["ter"], &["qua"], &["qui"], &["sex"], &["sab"], &["dom"]]),
    ("pl", [&["pon", "pn"], &["wt"], &["sr"], &["czw"], &["pt"], &["sob"], &["niedz", "nd"]]),
    ("sv", [&["man"], &["tis"], &["ons"], &["tors", "tor"], &["fre"], &["lor"], &["son"]]),
    ("da", [&["man"], &["tirs", "tir"], &["ons"], &["tors", "tor"], &["fre"], &["lor"], &["son"]]),
    ("no", [&["man"], &["tirs", "tir"], &["ons"], &["tors", "tor"], &["fre"], &["lor"], &["son"]]),
    ("fi", [&["ma"], &["ti"], &["ke"], &["to"], &["pe"], &["la"], &["su"]]),
    ("cs", [&["po"], &["ut"], &["st"], &["ct"], &["pa"], &["so"], &["ne"]]),
];

/// Other words, whatever the language.
const OTHER_WORDS: [(WordMeaning, &[&str]); 9] = [
    (
        WordMeaning::EveryDay,
        &["daily", "everyday", "taglich", "dagelijks", "codziennie", "dagligen", "daglig", "denne"],
    ),
    (WordMeaning::Weekdays, &["weekdays", "werktags", "wochentags"]),
    (WordMeaning::Weekend, &["weekends"]),
    (
        WordMeaning::To,
        &[
            "to", "till", "until", "through", "bis", "au", "a", "al", "alle", "tot", "til", "as",
            "ate", "do",
        ],
    ),
    (WordMeaning::And, &["and", "und", "et", "y", "e", "en", "och", "og", "i"]),
    (
        WordMeaning::From,
        &[
            "from", "von", "de", "du", "des", "dalle", "van", "fra", "fran", "od", "on", "uhr",
            "das", "feira", "kl", "klo",
        ],
    ),
    (
        WordMeaning::Closed,
        &[
            "closed",
            "geschlossen",
            "ruhetag",
            "ferme",
            "fermee",
            "cerrado",
            "chiuso",
            "gesloten",
            "stangt",
            "lukket",
            "zamkniete",
            "encerrado",
            "fechado",
            "nieczynne",
            "stengt",
            "suljettu",
            "zavreno",
        ],
    ),
    (
        WordMeaning::Opening,
        &[
            "open",
            "opening",
            "opens",
            "hours",
            "geoffnet",
            "offnungszeiten",
            "oeffnungszeiten",
            "horaires",
            "ouvert",
            "ouverte",
            "ouverture",
            "horario",
            "horarios",
            "abierto",
            "orari",
            "orario",
            "aperto",
            "aperti",
            "openingstijden",
            "geopend",
            "oppettider",
            "abningstider",
            "apningstider",
            "godziny",
            "otwarcia",
            "otwarte",
            "czynne",
            "aberto",
            "funcionamento",
            "oppet",
            "abent",
            "apent",
            "aukioloajat",
            "avoinna",
            "oteviraci",
            "otevreno",
        ],
    ),
    (
        WordMeaning::OtherHours,
        &[
            "kitchen",
            "phone",
            "telephone",
            "telephones",
            "calls",
            "hotline",
            "helpline",
            "support",
            "delivery",
            "deliveries",
            "collection",
            "lunch",
            "dinner",
            "breakfast",
            "brunch",
            "bar",
            "checkin",
            "checkout",
            "check",
            "reception",
            "office",
            "summer",
            "winter",
            "spring",
            "autumn",
            "season",
            "holiday",
            "holidays",
            "christmas",
            "easter",
            "term",
            "course",
            "courses",
            "class",
            "classes",
            "tours",
            "tour",
            "kuche",
            "telefon",
            "telefonisch",
            "lieferung",
            "lieferzeiten",
            "burozeiten",
            "sommer",
            "feiertage",
            "feiertag",
            "ferien",
            "fruhstuck",
            "cuisine",
            "livraison",
            "ete",
            "hiver",
            "cocina",
            "verano",
            "invierno",
            "cucina",
            "estate",
            "inverno",
            "keuken",
            "zomer",
            "sommar",
        ],
    ),
];

/// The longest abbreviation of a day.
const MAX_SHORT_DAY: usize = 5;

/// The words that mean the same in every language.
static MEANINGS: LazyLock<HashMap<&'static str, WordMeaning>> = LazyLock::new(|| {
    let days = (0_u8..).zip(FULL_DAYS).map(|(day, names)| (WordMeaning::Day(day), names));
    let mut meanings = HashMap::new();
    for (meaning, words) in days.chain(OTHER_WORDS) {
        for word in words {
            meanings.entry(*word).or_insert(meaning);
        }
    }
    meanings
});

/// For each first and last letter, the lengths of the words with a meaning, as bits. A page has thousands
/// of words, and nearly all of them end here.
static SHAPES: LazyLock<[[u32; LETTERS]; LETTERS]> = LazyLock::new(|| {
    let short = SHORT_DAYS.iter().flat_map(|(_, days)| days.iter().copied().flatten());
    let mut shapes = [[0; LETTERS]; LETTERS];
    for word in MEANINGS.keys().chain(short) {
        if let Some((first, last, length)) = shape(word)
            && let Some(lengths) = shapes.get_mut(first).and_then(|row| row.get_mut(last))
        {
            *lengths |= length;
        }
    }
    shapes
});
const LETTERS: usize = 26;

/// The numbers of the first and the last letter of a word, and its length as a bit; none for words that
/// are too long or have other letters there, which no word with a meaning has.
fn shape(word: &str) -> Option<(usize, usize, u32)> {
    let letter = |byte: Option<&u8>| byte.map(|byte| usize::from(byte.wrapping_sub(b'a')));
    let (first, last) = (letter(word.as_bytes().first())?, letter(word.as_bytes().last())?);
    Some((first, last, 1_u32.checked_shl(u32::try_from(word.len()).ok()?)?))
}

/// The meaning of a folded word. Without a language it is read as English.
pub(super) fn meaning(word: &str, language: Option<&str>) -> WordMeaning {
    let is_known = shape(word).is_some_and(|(first, last, length)| {
        SHAPES.get(first).and_then(|row| row.get(last)).is_some_and(|known| known & length != 0)
    });
    if !is_known {
        return WordMeaning::None;
    }
    short_day(word, language).or_else(|| MEANINGS.get(word).copied()).unwrap_or(WordMeaning::None)
}

/// The day of which a word is the abbreviation.
fn short_day(word: &str, language: Option<&str>) -> Option<WordMeaning> {
    if word.len() > MAX_SHORT_DAY {
        return None;
    }
    let language = language.and_then(|language| language.get(..2)).unwrap_or("en");
    let (_, days) = SHORT_DAYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(language))?;
    let day = days.iter().position(|names| names.contains(&word))?;
    u8::try_from(day).ok().map(WordMeaning::Day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_lists_is_known() {
        for (language, days) in SHORT_DAYS {
            for (day, names) in (0_u8..).zip(days) {
                for name in names {
                    assert_eq!(meaning(name, Some(language)), WordMeaning::Day(day), "{name}");
                }
            }
        }
        for (word, known) in MEANINGS.iter() {
            assert_eq!(meaning(word, Some("xx")), *known, "{word}");
        }
    }

    #[test]
    fn every_word_has_one_meaning() {
        let words = FULL_DAYS.into_iter().chain(OTHER_WORDS.map(|(_, words)| words));
        assert_eq!(words.map(<[&str]>::len).sum::<usize>(), MEANINGS.len());
        let short = SHORT_DAYS.iter().flat_map(|(_, days)| days.iter().copied().flatten());
        assert_eq!(short.map(|word| word.len()).max(), Some(MAX_SHORT_DAY));
    }

    #[test]
    fn short_days_belong_to_their_language() {
        assert_eq!(meaning("do", Some("de-AT")), WordMeaning::Day(3));
        assert_eq!(meaning("do", None), WordMeaning::To);
        assert_eq!(meaning("thurs", None), WordMeaning::Day(3));
        assert_eq!(meaning("dimanche", Some("xx")), WordMeaning::Day(6));
        assert_eq!(meaning("ferry", None), WordMeaning::None);
    }
}
