//! Names of countries, states and cities that are written in several ways. Only names that addresses
//! of businesses often differ in: there is no list of all places here.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::cities::cities;
use super::tokens::{comparable, plain_word};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceName {
    /// ISO 3166-1 alpha-2.
    Country(&'static str),
    /// A state or province, by its code.
    State(&'static str),
    /// A city, by one of its names.
    City(&'static str),
}

/// By ISO 3166-1 alpha-2, with the names in the languages of their neighbours and visitors.
const COUNTRIES: &[(&str, &str)] = &[
    (
        "GB",
        "uk|u k|united kingdom|great britain|england|scotland|wales|cymru|northern ireland|vereinigtes königreich|großbritannien|royaume-uni|grande-bretagne|reino unido|regno unito|verenigd koninkrijk|gbr|england uk",
    ),
    (
        "US",
        "usa|united states|united states of america|u.s.a.|us|u.s.|vereinigte staaten|états-unis|estados unidos|stati uniti|eua|eeuu|ee uu|verenigde staten",
    ),
    ("CA", "canada|kanada|canadá"),
    ("IE", "ireland|eire|éire|irland|irlande|irlanda|republic of ireland|ierland"),
    (
        "DE",
        "germany|deutschland|allemagne|alemania|germania|duitsland|alemanha|niemcy|tyskland|německo|saksa|bundesrepublik deutschland|brd",
    ),
    ("AT", "austria|österreich|oesterreich|autriche|oostenrijk|österrike|rakousko"),
    ("CH", "switzerland|schweiz|suisse|svizzera|svizra|suiza|suíça|zwitserland|szwajcaria"),
    ("LI", "liechtenstein"),
    ("FR", "france|frankreich|francia|frankrijk|frança|francja|frankrike"),
    ("MC", "monaco"),
    ("BE", "belgium|belgië|belgie|belgique|belgien|bélgica|belgio"),
    (
        "NL",
        "netherlands|the netherlands|nederland|niederlande|holland|pays-bas|países bajos|países baixos|paesi bassi",
    ),
    ("LU", "luxembourg|luxemburg|lëtzebuerg|luxemburgo|lussemburgo"),
    ("IT", "italy|italia|italien|italie|itália|włochy|italië"),
    ("ES", "spain|españa|spanien|espagne|espanha|spagna|spanje|hiszpania"),
    ("PT", "portugal|portogallo"),
    ("AD", "andorra"),
    ("SE", "sweden|sverige|schweden|suède|suecia|svezia|zweden"),
    ("DK", "denmark|danmark|dänemark|danemark|dinamarca|danimarca|denemarken"),
    ("NO", "norway|norge|norwegen|noreg|norvège|noruega|norvegia"),
    ("FI", "finland|suomi|finnland|finlande|finlandia"),
    ("IS", "iceland|ísland|island"),
    ("EE", "estonia|eesti|estland"),
    ("LV", "latvia|latvija|lettland"),
    ("LT", "lithuania|lietuva|litauen"),
    ("PL", "poland|polska|polen|pologne|polonia|polónia"),
    (
        "CZ",
        "czech republic|czechia|česko|česká republika|tschechien|tschechische republik|république tchèque",
    ),
    ("SK", "slovakia|slovensko|slowakei|slovaquie|slovak republic"),
    ("HU", "hungary|magyarország|ungarn|hongrie|hungría|ungheria"),
    ("RO", "romania|românia|rumänien|roumanie"),
    ("BG", "bulgaria|българия|bulgarien|bulgarie"),
    ("GR", "greece|hellas|ελλάδα|griechenland|grèce|grecia|ellada"),
    ("CY", "cyprus|κύπρος|zypern|chypre"),
    ("MT", "malta"),
    ("HR", "croatia|hrvatska|kroatien|croatie"),
    ("SI", "slovenia|slovenija|slowenien|slovénie"),
    ("RS", "serbia|srbija|србија|serbien|serbie"),
    ("BA", "bosnia and herzegovina|bosna i hercegovina"),
    ("MK", "north macedonia"),
    ("AL", "albania|shqipëria"),
    ("TR", "turkey|türkiye|türkei|turquie|turquía|turchia"),
    ("RU", "russia|россия|russian federation|российская федерация|russland|russie|rusia"),
    ("UA", "ukraine|україна|украина"),
    ("BY", "belarus|беларусь"),
    ("KZ", "kazakhstan|казахстан"),
    ("BR", "brazil|brasil|brasilien|brésil|brasile"),
    ("MX", "mexico|méxico|mexiko|mexique|messico|estados unidos mexicanos"),
    ("AR", "argentina|argentinien|república argentina"),
    ("CL", "chile"),
    ("CO", "colombia|kolumbien"),
    ("PE", "peru|perú"),
    ("UY", "uruguay"),
    ("EC", "ecuador"),
    ("VE", "venezuela"),
    ("CR", "costa rica"),
    ("DO", "dominican republic|república dominicana"),
    ("JP", "japan|日本|日本国|japon|japón|giappone|nippon"),
    ("CN", "china|中国|中國|prc|p.r. china|pr china|people's republic of china|chine"),
    ("TW", "taiwan|台灣|臺灣|台湾|taiwan r o c"),
    ("KR", "south korea|korea|republic of korea|대한민국|한국|südkorea|corée du sud|corea del sur"),
    ("IN", "india|bharat|भारत|indien|inde"),
    ("PK", "pakistan"),
    ("BD", "bangladesh"),
    ("LK", "sri lanka"),
    ("NP", "nepal"),
    ("TH", "thailand|ประเทศไทย|thaïlande|tailandia"),
    ("VN", "vietnam|viet nam|việt nam"),
    ("MY", "malaysia"),
    ("ID", "indonesia|indonesien"),
    ("PH", "philippines|pilipinas|philippinen|filipinas"),
    ("AU", "australia|australien|australie"),
    ("NZ", "new zealand|aotearoa|neuseeland|nouvelle-zélande"),
    ("ZA", "south africa|suid-afrika|südafrika|rsa"),
    ("EG", "egypt|مصر|ägypten"),
    ("MA", "morocco|maroc|marokko|المغرب"),
    ("TN", "tunisia|tunisie|tunesien"),
    ("KE", "kenya"),
    ("NG", "nigeria"),
    ("GH", "ghana"),
    ("SG", "singapore|singapur|singapour|新加坡|singapura"),
    ("HK", "hong kong|hongkong|香港|hong kong sar"),
    (
        "AE",
        "united arab emirates|uae|u.a.e.|الإمارات|الإمارات العربية المتحدة|vereinigte arabische emirate",
    ),
    ("SA", "saudi arabia|ksa|السعودية|المملكة العربية السعودية"),
    ("QA", "qatar"),
    ("IL", "israel|ישראל"),
    ("LB", "lebanon|liban"),
];

/// States and provinces whose names and codes are both in use. Codes of two countries may be the same: they
/// are only compared with each other.
const STATES: &[(&str, &str)] = &[
    ("al", "alabama"),
    ("ak", "alaska"),
    ("az", "arizona"),
    ("ar", "arkansas"),
    ("ca", "california"),
    ("co", "colorado"),
    ("ct", "connecticut"),
    ("de", "delaware"),
    ("fl", "florida"),
    ("ga", "georgia"),
    ("hi", "hawaii"),
    ("id", "idaho"),
    ("il", "illinois"),
    ("in", "indiana"),
    ("ia", "iowa"),
    ("ks", "kansas"),
    ("ky", "kentucky"),
    ("la", "louisiana"),
    ("me", "maine"),
    ("md", "maryland"),
    ("ma", "massachusetts"),
    ("mi", "michigan"),
    ("mn", "minnesota"),
    ("ms", "mississippi"),
    ("mo", "missouri"),
    ("mt", "montana"),
    ("ne", "nebraska"),
    ("nv", "nevada"),
    ("nh", "new hampshire"),
    ("nj", "new jersey"),
    ("nm", "new mexico"),
    ("ny", "new york"),
    ("nc", "north carolina"),
    ("nd", "north dakota"),
    ("oh", "ohio"),
    ("ok", "oklahoma"),
    ("or", "oregon"),
    ("pa", "pennsylvania"),
    ("ri", "rhode island"),
    ("sc", "south carolina"),
    ("sd", "south dakota"),
    ("tn", "tennessee"),
    ("tx", "texas"),
    ("ut", "utah"),
    ("vt", "vermont"),
    ("va", "virginia"),
    ("wa", "washington"),
    ("wv", "west virginia"),
    ("wi", "wisconsin"),
    ("wy", "wyoming"),
    ("dc", "district of columbia"),
    ("pr", "puerto rico"),
    ("on", "ontario"),
    ("qc", "quebec|québec"),
    ("bc", "british columbia"),
    ("ab", "alberta"),
    ("mb", "manitoba"),
    ("sk", "saskatchewan"),
    ("ns", "nova scotia"),
    ("nb", "new brunswick"),
    ("nl", "newfoundland and labrador"),
    ("pe", "prince edward island"),
    ("nsw", "new south wales"),
    ("vic", "victoria"),
    ("qld", "queensland"),
    ("sa", "south australia"),
    ("tas", "tasmania"),
    ("act", "australian capital territory"),
    ("nt", "northern territory"),
];

/// Names by their first word, each with the words behind it.
type NamesByWord = HashMap<String, Vec<(Vec<String>, PlaceName)>>;

/// All names, of those with one first word the longest first.
static NAMES: LazyLock<NamesByWord> = LazyLock::new(|| {
    let mut names = NamesByWord::new();
    let mut add = |written: &'static str, place: PlaceName| {
        let mut words = written
            .split([' ', '-'])
            .map(|word| comparable(&plain_word(word)))
            .filter(|word| !word.is_empty());
        if let Some(first) = words.next() {
            names.entry(first).or_default().push((words.collect(), place));
        }
    };
    for (code, written) in COUNTRIES {
        written.split('|').for_each(|name| add(name, PlaceName::Country(code)));
    }
    for (code, written) in STATES {
        written.split('|').for_each(|name| add(name, PlaceName::State(code)));
    }
    for written in cities() {
        let first = written.split('|').next().unwrap_or_default();
        written.split('|').for_each(|name| add(name, PlaceName::City(first)));
    }
    for list in names.values_mut() {
        list.sort_by_key(|(rest, place)| {
            (std::cmp::Reverse(rest.len()), !matches!(place, PlaceName::City(_)))
        });
    }
    names
});

/// The names that begin with a word, the longest first, cities before states and countries.
pub(super) fn names(first: &str) -> &'static [(Vec<String>, PlaceName)] {
    NAMES.get(&comparable(first)).map_or(&[], Vec::as_slice)
}

/// The state or province with this code, in countries that write codes behind the city.
pub(super) fn state_of_code(word: &str) -> Option<&'static str> {
    STATES.iter().map(|(code, _)| *code).find(|code| *code == word)
}

/// The number of a state: a name and a code are the same.
pub(super) fn has_state_codes(region: Option<&str>) -> bool {
    region.is_none_or(|region| matches!(region, "US" | "CA" | "AU"))
}

/// The state of Brazil with this code.
pub(super) fn brazilian_state(word: &str) -> Option<&'static str> {
    const CODES: [&str; 27] = [
        "ac", "al", "ap", "am", "ba", "ce", "df", "es", "go", "ma", "mt", "ms", "mg", "pa", "pb",
        "pr", "pe", "pi", "rj", "rn", "rs", "ro", "rr", "sc", "sp", "se", "to",
    ];
    CODES.into_iter().find(|code| *code == word)
}
