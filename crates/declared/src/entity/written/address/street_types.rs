//! Types of streets, directions and ordinals, in several languages.

use super::native_street_types::native_type;

/// German and Dutch streets have their type in the same word: `Hauptstr.`, `Kerkstraat`.
pub(super) fn compound_street(text: &str) -> Option<String> {
    const ENDINGS: [(&str, &str); 16] = [
        ("vn", "vei"),
        ("pln", "plein"),
        ("strasse", "street"),
        ("straat", "street"),
        ("str", "street"),
        ("gaten", "gata"),
        ("gatan", "gata"),
        ("gata", "gata"),
        ("gate", "gata"),
        ("gt", "gata"),
        ("veien", "vei"),
        ("vegen", "vei"),
        ("vei", "vei"),
        ("vagen", "vag"),
        ("damm", "damm"),
        ("dm", "damm"),
    ];
    // The verb of `Der Laden liegt in der Torstraße 5`.
    if text == "liegt" {
        return None;
    }
    ENDINGS.iter().find_map(|(ending, name)| {
        let stem = text.strip_suffix(ending)?;
        (stem.chars().count() >= 3).then(|| format!("{stem}{name}"))
    })
}

/// One name for each type of street. Short forms that mean something else elsewhere count in their own
/// countries only.
pub(super) fn street_type(text: &str, region: Option<&str>) -> Option<&'static str> {
    let is_in = |list: &[&str]| region.is_none_or(|region| list.contains(&region));
    const SPANISH: &[&str] =
        &["ES", "MX", "AR", "CO", "CL", "PE", "UY", "EC", "VE", "BO", "PY", "CR", "PA"];
    const FRENCH: &[&str] = &["FR", "BE", "CH", "LU", "MC", "CA"];
    const PORTUGUESE: &[&str] = &["PT", "BR"];
    Some(match text {
        "str" if matches!(region, Some("RO" | "MD")) => "strada",
        "str" if region == Some("IT") => "strada",
        "lu" if matches!(region, Some("CN" | "TW")) => "road",
        "jie" | "dajie" if matches!(region, Some("CN" | "TW")) => "street",
        "dadao" if matches!(region, Some("CN" | "TW")) => "avenue",
        "street" | "str" | "strasse" | "straat" | "stre" | "strt" => "street",
        "road" | "rd" => "road",
        "avenue" | "ave" | "av" | "avn" | "avenida" | "avda" | "avd" | "avinguda" | "avgda" => {
            "avenue"
        }
        "boulevard" | "blvd" | "boul" | "bd" | "bld" | "bvd" | "bulevar" | "bulvar" | "bulvari"
        | "blv" | "bulevardul" => "boulevard",
        "drive" | "drv" => "drive",
        "lane" | "ln" => "lane",
        "yard" | "yd" => "yard",
        "court" | "ct" | "crt" => "court",
        // These are confused with each other where one of them is written in short.
        "place" | "pl" | "plaza" | "plz" | "pza" | "plza" | "placa" | "plac" | "platz"
        | "piazza" | "pzza" | "praca" | "pca" => "place",
        "square" | "sq" => "square",
        "crescent" | "cres" | "cresc" => "crescent",
        "highway" | "hwy" => "highway",
        "parkway" | "pkwy" | "pky" => "parkway",
        "park" | "pk" => "park",
        "terrace" | "terr" | "tce" => "terrace",
        "ter" if is_english(region) => "terrace",
        "close" => "close",
        "cl" if is_english(region) => "close",
        "gardens" | "gdns" => "gardens",
        "grove" | "grv" => "grove",
        "circle" | "cir" | "circ" => "circle",
        "circuit" | "cct" | "crct" => "circuit",
        "avenues" | "avs" => "avenue",
        "boulevarde" | "bl" if is_english(region) => "boulevard",
        "trail" | "trl" => "trail",
        "turnpike" | "tpke" => "turnpike",
        "expressway" | "expy" => "expressway",
        "way" | "wy" => "way",
        "route" | "rte" => "route",
        "bridge" | "brg" => "bridge",
        "parade" | "pde" => "parade",
        "esplanade" | "esp" if is_english(region) => "esplanade",
        "promenade" | "prom" => "promenade",
        "mews" | "mws" => "mews",
        "alley" | "aly" if is_english(region) => "alley",
        "loop" | "lp" if is_english(region) => "loop",
        "point" | "pt" if is_english(region) => "point",
        "ridge" | "rdg" if is_english(region) => "ridge",
        "heights" | "hts" if is_english(region) => "heights",
        "hill" | "hl" if is_english(region) => "hill",
        "green" | "grn" if is_english(region) => "green",
        "quay" | "qy" if is_english(region) => "quay",
        "junction" | "jct" if is_english(region) => "junction",
        "crossing" | "xing" if is_english(region) => "crossing",
        "causeway" | "cswy" => "causeway",
        "freeway" | "fwy" => "freeway",
        "valley" | "vly" if is_english(region) => "valley",
        "village" | "vlg" if is_english(region) => "village",
        "estate" | "est" if matches!(region, Some("GB" | "IE" | "ZA" | "NG" | "IN" | "HK")) => {
            "estate"
        }
        "centre" | "center" | "ctr" | "cntr" => "centre",
        "mall" => "mall",
        "plein" | "pln" => "plein",
        "tér" | "ter" if region == Some("HU") => "ter",
        "prospect" | "pr" | "prkt" if matches!(region, Some("RU" | "UA" | "BY" | "KZ")) => {
            "prospekt"
        }
        "pereulok" | "per" => "pereulok",
        "naberezhnaya" | "nab" => "naberezhnaya",
        "shosse" | "sh" if matches!(region, Some("RU" | "UA" | "BY" | "KZ")) => "shosse",
        "ploshchad" | "ploshcha" => "place",
        "rua" | "kale" | "kalea" if region == Some("ES") => "calle",
        "praza" | "enparantza" => "place",
        "etorbidea" | "hiribidea" if region == Some("ES") => "avenue",
        "pasealekua" | "pasealeku" | "ibilbidea" if region == Some("ES") => "paseo",
        "bidea" if region == Some("ES") => "camino",
        "zeharkalea" if region == Some("ES") => "travessa",
        "errepidea" if region == Some("ES") => "carretera",
        "calle" | "carrer" => "calle",
        "c" | "cl" if is_in(SPANISH) => "calle",
        "paseo" | "passeig" | "pso" => "paseo",
        "pg" | "po" if is_in(SPANISH) => "paseo",
        "carretera" | "ctra" | "crta" => "carretera",
        "camino" | "cno" => "camino",
        "travesia" | "trva" | "travessa" | "trav" | "travessia" | "travessera" => "travessa",
        "tv" if is_in(PORTUGUESE) => "travessa",
        "ronda" | "rda" => "ronda",
        "rua" => "rua",
        "r" if region.is_some() && is_in(PORTUGUESE) => "rua",
        "largo" | "lgo" | "lg" => "largo",
        "estrada" | "estr" => "estrada",
        "alameda" => "alameda",
        "al" if region.is_some() && (is_in(PORTUGUESE) || is_in(SPANISH)) => "alameda",
        // Streets of Canada have names in both languages.
        "rue" | "r" if region == Some("CA") => "street",
        "chemin" | "ch" if region == Some("CA") => "road",
        "rue" => "rue",
        "r" if is_in(FRENCH) => "rue",
        "impasse" => "impasse",
        "imp" if is_in(FRENCH) => "impasse",
        "allee" | "allees" => "allee",
        "all" if is_in(FRENCH) => "allee",
        "chemin" | "chem" => "chemin",
        "che" | "ch" if is_in(FRENCH) => "chemin",
        "chaussee" | "chee" => "chaussee",
        "faubourg" | "fbg" => "faubourg",
        "fg" if is_in(FRENCH) => "faubourg",
        "quai" => "quai",
        "soseaua" | "sos" if matches!(region, Some("RO" | "MD")) => "soseaua",
        "calea" | "cal" if matches!(region, Some("RO" | "MD")) => "calea",
        "aleea" | "al" if matches!(region, Some("RO" | "MD")) => "aleea",
        "piata" | "pta" if matches!(region, Some("RO" | "MD")) => "piata",
        "duong" | "d" if region == Some("VN") => "duong",
        "quan" | "q" if region == Some("VN") => "quan",
        "phuong" | "p" if region == Some("VN") => "phuong",
        "cesta" | "c" if matches!(region, Some("SI" | "HR" | "SK" | "CZ")) => "cesta",
        "odos" if matches!(region, Some("GR" | "CY")) => "ulica",
        "leoforos" | "leof" | "l" if matches!(region, Some("GR" | "CY")) => "avenue",
        "via" => "via",
        "v" if is_in(&["IT", "CH", "SM"]) => "via",
        "viale" | "vle" => "viale",
        "corso" | "cso" => "corso",
        "vicolo" | "vlo" => "vicolo",
        "strada" => "strada",
        "aleja" | "aleje" => "aleja",
        "al" if is_in(&["PL"]) => "aleja",
        "ulica" | "ul" | "ulitsa" | "vul" | "vulitsya" => "ulica",
        "osiedle" => "osiedle",
        "os" if is_in(&["PL"]) => "osiedle",
        "namesti" | "nam" | "namestie" => "namesti",
        "trida" => "trida",
        "utca" => "utca",
        "u" if is_in(&["HU"]) => "utca",
        "korut" | "krt" => "korut",
        "sokak" | "sok" | "sokagi" | "sk" => "sokak",
        "cadde" | "cad" | "caddesi" | "cd" => "cadde",
        "mahallesi" | "mah" | "mahalle" => "mahalle",
        "jalan" | "jl" | "jln" => "jalan",
        "prospekt" | "prosp" | "prospect" => "prospekt",
        "gt" if is_english(region) => return None,
        "gata" | "gate" | "gt" | "gatan" | "gade" | "gaten" => "gata",
        "vei" | "veien" | "vegen" | "vn" if region == Some("NO") => "vei",
        _ => return native_type(text, region),
    })
}

/// Whether a type of street is an English word, which visitors write for the one in the country's language.
pub(super) fn is_english_type(name: &str, region: Option<&str>) -> bool {
    let is_romance = matches!(
        region,
        Some(
            "FR" | "BE"
                | "CH"
                | "LU"
                | "MC"
                | "IT"
                | "ES"
                | "PT"
                | "BR"
                | "MX"
                | "AR"
                | "CL"
                | "CO"
                | "PE"
                | "UY"
                | "EC"
                | "VE"
                | "MA"
                | "TN"
                | "DZ"
                | "SN"
                | "CI"
        )
    );
    // These are words of Romance languages too. The text is that in which words are compared.
    matches!(name, "avenu" | "boulevard" | "place") && !is_romance
        || matches!(
            name,
            "street" | "road" | "square" | "lane" | "highway" | "alley" | "drive" | "quay"
        )
}

pub(super) fn direction(text: &str, region: Option<&str>) -> Option<&'static str> {
    if text == "o" && region == Some("CA") {
        return Some("west");
    }
    // Elsewhere a single letter is an initial: `P.zza S. Marco`.
    if text == "c" && region == Some("HK") {
        return Some("central");
    }
    let has_english = is_english(region) || matches!(region, Some("CN" | "TW" | "TH" | "VN"));
    if text.len() <= 2 && !has_english {
        return None;
    }
    Some(match text {
        "n" | "north" | "nord" | "norte" | "nth" | "nte" => "north",
        "s" | "south" | "sud" | "sur" | "sul" | "sth" => "south",
        "e" | "east" | "est" | "este" | "ost" | "ote" | "oriente" => "east",
        "w" | "west" | "ouest" | "oeste" | "ovest" | "pte" | "poniente" => "west",
        "ne" | "northeast" => "northeast",
        "nw" | "northwest" => "northwest",
        "se" | "southeast" => "southeast",
        "sw" | "southwest" => "southwest",
        "central" if region == Some("HK") => "central",
        "upper" | "upr" => "upper",
        "lower" | "lwr" => "lower",
        _ => return None,
    })
}

/// The number of an ordinal: `5th`, `fifth`, `III`.
pub(super) fn ordinal(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let ending = text.get(digits..)?;
        let is_ordinal =
            matches!(ending, "st" | "nd" | "rd" | "th" | "e" | "er" | "eme" | "de" | "ste");
        return text.get(..digits)?.parse().ok().filter(|_| is_ordinal);
    }
    // `Paris XVe`
    if let Some(number) =
        text.strip_suffix('e').filter(|text| text.len() >= 2).and_then(roman_number)
    {
        return Some(number);
    }
    const WORDS: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth", "eleventh", "twelfth",
    ];
    let word = (1..).zip(WORDS).find(|(_, word)| *word == text).map(|(number, _)| number);
    // Streets are called after dates: `Via XX Settembre`, `Via Venti Settembre`.
    let named = match text {
        "eerste" | "erste" | "ersten" | "premier" | "premiere" | "primera" | "primer" => Some(1),
        "tweede" | "zweite" | "zweiten" | "deuxieme" | "segunda" | "segundo" => Some(2),
        "derde" | "dritte" | "dritten" | "troisieme" | "tercera" | "tercer" => Some(3),
        "vierde" | "vierte" | "quatrieme" => Some(4),
        "vijfde" | "cinquieme" => Some(5),
        "quattro" => Some(4),
        "venti" => Some(20),
        "venticinque" => Some(25),
        _ => None,
    };
    word.or(named).or_else(|| roman_number(text))
}

/// A Roman number of several letters up to 39: single letters are initials.
fn roman_number(text: &str) -> Option<u32> {
    if text.len() < 2 {
        return None;
    }
    let tens = text.bytes().take_while(|byte| *byte == b'x').count();
    let ones = match text.get(tens..)? {
        "" => 0,
        "i" => 1,
        "ii" => 2,
        "iii" => 3,
        "iv" => 4,
        "v" => 5,
        "vi" => 6,
        "vii" => 7,
        "viii" => 8,
        "ix" => 9,
        _ => return None,
    };
    u32::try_from(tens).ok().filter(|tens| *tens <= 3).map(|tens| tens * 10 + ones)
}

/// Whether addresses of a region are written in English.
pub(super) fn is_english(region: Option<&str>) -> bool {
    region.is_none_or(|region| {
        matches!(
            region,
            "US" | "CA"
                | "GB"
                | "IE"
                | "AU"
                | "NZ"
                | "IN"
                | "SG"
                | "ZA"
                | "HK"
                | "MY"
                | "PH"
                | "KE"
                | "NG"
                | "GH"
                | "PK"
                | "LK"
                | "BD"
                | "AE"
                | "MT"
                | "JM"
                | "TT"
        )
    })
}
