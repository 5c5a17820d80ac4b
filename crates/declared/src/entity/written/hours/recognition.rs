//! Small words that tell in which language a text is written, beside those that mean something here.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::{Languages, language_bit};

/// Words in the form of the lexicon, by language.
const WORDS: &[(&str, &str)] = &[
    (
        "en",
        "the is are open opens on they their it its hours from daily closed every day days and at you of until with between noon midnight",
    ),
    (
        "de",
        "der die das ist sind hat haben geoffnet offen offnet uhr von und taglich jeden tag geschlossen am wir ab sonst ausser alle bis den der bleibt rest woche",
    ),
    (
        "fr",
        "le la les est sont ouvert ouverte ouverts ouvre du au des de et tous jours ferme fermee heures sauf vous nous horaires",
    ),
    (
        "es",
        "el la los las esta abierto abierta abre abren de y todos dias cerrado cerrada horas excepto salvo horario desde",
    ),
    (
        "it",
        "il lo la gli e aperto aperta apre aprono dal dalle alle tutti giorni chiuso chiusa ore tranne orario orari della",
    ),
    (
        "nl",
        "de het is zijn open geopend van en elke dag dagelijks gesloten uur op we wij behalve vanaf alle tot rest week",
    ),
    ("pt", "o os esta aberto aberta abre das de e todos dias fechado fechada encerrado aos horas"),
    ("pl", "jest otwarte otwarta otwarty czynne czynny czynna od w godzinach nieczynne zamkniete"),
    ("sv", "ar oppet oppen oppettider fran och stangt vi har"),
    ("da", "er abent aben abningstider fra og lukket vi har"),
    ("no", "er apent apen apningstider fra og stengt vi har"),
    ("fi", "on avoinna auki suljettu kello klo"),
    ("cs", "je otevreno otevreny zavreno od denne hodin"),
    ("tr", "acik aciktir her gun arasinda saat kapali"),
];

static LANGUAGES: LazyLock<HashMap<&'static str, Languages>> = LazyLock::new(|| {
    let mut all: HashMap<&'static str, Languages> = HashMap::new();
    for (language, words) in WORDS {
        for word in words.split(' ') {
            *all.entry(word).or_default() |= language_bit(language);
        }
    }
    all
});

/// The languages in which a word is a usual one of such sentences.
pub(super) fn languages_of(word: &str) -> Languages {
    LANGUAGES.get(word).copied().unwrap_or_default()
}
