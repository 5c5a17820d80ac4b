//! What words mean in a statement about opening hours.

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

/// The meaning of a folded word. Without a language it is read as English.
pub(super) fn meaning(word: &str, language: Option<&str>) -> WordMeaning {
    let language = language.and_then(|language| language.get(..2)).unwrap_or("en");
    let short = SHORT_DAYS
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(language))
        .and_then(|(_, days)| days.iter().position(|names| names.contains(&word)));
    let day = short.or_else(|| FULL_DAYS.iter().position(|names| names.contains(&word)));
    if let Some(day) = day.and_then(|day| u8::try_from(day).ok()) {
        return WordMeaning::Day(day);
    }
    match word {
        "daily" | "everyday" | "taglich" | "dagelijks" | "codziennie" | "dagligen" | "daglig"
        | "denne" => WordMeaning::EveryDay,
        "weekdays" | "werktags" | "wochentags" => WordMeaning::Weekdays,
        "weekends" => WordMeaning::Weekend,
        "to" | "till" | "until" | "through" | "bis" | "au" | "a" | "al" | "alle" | "tot"
        | "til" | "as" | "ate" | "do" => WordMeaning::To,
        "and" | "und" | "et" | "y" | "e" | "en" | "och" | "og" | "i" => WordMeaning::And,
        "from" | "von" | "de" | "du" | "des" | "dalle" | "van" | "fra" | "fran" | "od" | "on"
        | "uhr" | "das" | "feira" | "kl" | "klo" => WordMeaning::From,
        "closed" | "geschlossen" | "ruhetag" | "ferme" | "fermee" | "cerrado" | "chiuso"
        | "gesloten" | "stangt" | "lukket" | "zamkniete" | "encerrado" | "fechado"
        | "nieczynne" | "stengt" | "suljettu" | "zavreno" => WordMeaning::Closed,
        "open" | "opening" | "opens" | "hours" | "geoffnet" | "offnungszeiten"
        | "oeffnungszeiten" | "horaires" | "ouvert" | "ouverte" | "ouverture" | "horario"
        | "horarios" | "abierto" | "orari" | "orario" | "aperto" | "aperti" | "openingstijden"
        | "geopend" | "oppettider" | "abningstider" | "apningstider" | "godziny" | "otwarcia"
        | "otwarte" | "czynne" | "aberto" | "funcionamento" | "oppet" | "abent" | "apent"
        | "aukioloajat" | "avoinna" | "oteviraci" | "otevreno" => WordMeaning::Opening,
        "kitchen" | "phone" | "telephone" | "telephones" | "calls" | "hotline" | "helpline"
        | "support" | "delivery" | "deliveries" | "collection" | "lunch" | "dinner"
        | "breakfast" | "brunch" | "bar" | "checkin" | "checkout" | "check" | "reception"
        | "office" | "summer" | "winter" | "spring" | "autumn" | "season" | "holiday"
        | "holidays" | "christmas" | "easter" | "term" | "course" | "courses" | "class"
        | "classes" | "tours" | "tour" | "kuche" | "telefon" | "telefonisch" | "lieferung"
        | "lieferzeiten" | "burozeiten" | "sommer" | "feiertage" | "feiertag" | "ferien"
        | "fruhstuck" | "cuisine" | "livraison" | "ete" | "hiver" | "cocina" | "verano"
        | "invierno" | "cucina" | "estate" | "inverno" | "keuken" | "zomer" | "sommar" => {
            WordMeaning::OtherHours
        }
        _ => WordMeaning::None,
    }
}
