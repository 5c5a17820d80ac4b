//! Words for the parts of a building, in lower case without accents.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words before or after the number of a part of a building.
const UNIT_WORDS: &str = "pmb suite ste unit apt apartment flat room rm floor fl flr level lvl shop office bldg building \
     block blk door tur top stiege stg stock og obergeschoss eg erdgeschoss ug etage etg piso \
     planta puerta pta esc escalera local bajo bajos atico interno int scala piano bus bte boite \
     lok lokal mieszkanie byt patro ap apto appt app appartement lot dpto depto departamento \
     oficina sala cj conjunto loja andar wohnung whg hinterhof hinterhaus vorderhaus hs lgh kat \
     daire kancelaria hof bat batiment esq esquerdo dto direito izq izquierda izda bureau dcha \
     derecha th tv mf ground basement # plot kv kvartira ofis trappa tr haus gebaude geb aufgang \
     eingang penthouse stall kiosk booth warehouse whse entrance dept department trlr trailer spc \
     hngr hangar mezzanine gf lgf cellar porte escalier rdc rez rezdechaussee entresol \
     lotissement niveau apart logement interior interiores entresuelo entlo pral puertas bloque \
     blq despacho nave modulo sotano sobreloja fundos bloco quadra qd lote galpao terreo salas \
     edificio palazzina interrato zimmer hh vh seitenfluegel dg dachgeschoss souterrain \
     gartenhaus trakt tuer verdieping verd achterhuis kamer hoog vaning uppgang oppgang opg \
     leilighet leil bolig kld kaelder stuen krs asunto huoneisto rappu pietro pok pokoj klatka \
     budynek sekcja dvere vchod emelet ajto lepcsohaz lph fszt foldszint etaj scara apartament \
     apartamentul orofos diamerisma etazh pomeshchenie podezd korpus korp stroenie litera kapi \
     lantai tang phong conj bl raum pom plan sl lj sal space stand depot tower flt apmt aptmt \
     appart bungalow villa showroom studio store stores counter godown upstairs downstairs rooftop \
     lobby hall halle pavilion wing maisonette ofc offc office stes suites units shops offices flats \
     rooms ll upr ug lg bsmt bsm rear frnt lowr uppr torre oficinas locales consultorio piso pisos \
     portal bodega planta nivel interno subsuelo galeria puesto isla ufficio negozio palazzo capannone \
     sottoscala seminterrato stanza magasin cellule hall lotissement residence kantoor winkel unit \
     winkelruimte kontor lejl lejlighed ejerlejlighed butikk butik lokale lokaali toimisto liiketila \
     kerros pomieszczenie biuro gabinet sklep stanowisko kancelar nebytovy poschodie poschodi iroda \
     uzlet birou camera mansarda parter magazin ofisi dukkan magaza zemin kompleks office komnata \
     kabinet magazin pavilon sektsiya of";
/// Those of them that are ordinary words unless a number follows.
const ORDINARY_WORDS: &str = "m hof tr top stock local shop office block building ground piano lot scala sala th fl ste \
     int bus haus eingang plan conj bl raum pom porte hoog niveau interior nave hangar spc stall \
     kiosk booth entrance escalier logement korpus stroenie trakt zimmer kamer leil opg verd etaj \
     lantai quadra lote warehouse department dept trailer penthouse cellar fundos hh vh dg phong \
     tang krs rappu scara kapi pok store bloco edificio budynek mezzanine vaning bolig em sl lj \
     sal space stand depot as tower villa showroom studio stores counter hall halle pavilion wing \
     offices flats suites units shops rooms rear portal torre planta nivel galeria isla palazzo \
     residence unit winkel butik lokale parter camera magazin hall rooftop lobby bungalow puesto \
     bodega local interno maisonette ll ug lg upr of sklep office store sektsiya kontor";
/// Words for yards and parts of a site.
const BUILDING_WORDS: &str = "hinterhof hinterhaus vorderhaus hof haus gebaude geb bat batiment building bldg block blk \
     blok bloque bloco korpus korp stroenie plot lot quadra lote qd edificio tower torre palazzina budynek \
     halle hall trakt wing nave pavilion villa residence kompleks hangar warehouse ground basement \
     lotissement palazzo";
/// Words for stairs and entrances.
const STAIRS_WORDS: &str = "aufgang eingang escalera esc scala stiege stg entrance escalier uppgang oppgang opg rappu \
     klatka vchod lepcsohaz lph scara podezd portal";
/// Words for homes. Many live in one house, so that a letter without such a number arrives nowhere.
const HOME_WORDS: &str = "flat flt flats apt apartment apmt aptmt ap apto appt app appartement appart apart pmb m \
     mieszkanie byt wohnung whg lgh daire kv kvartira leilighet leil bolig asunto huoneisto apartament \
     apartamentul diamerisma lejl lejlighed ejerlejlighed dpto depto departamento logement trlr trailer \
     as box maisonette";
type Words = LazyLock<HashSet<&'static str>>;

static UNITS: Words = LazyLock::new(|| UNIT_WORDS.split_whitespace().collect());
static ORDINARY: Words = LazyLock::new(|| ORDINARY_WORDS.split_whitespace().collect());

/// Whether a word names a part of a building. Some are letters of other words elsewhere.
pub(super) fn is_unit_word(text: &str, region: Option<&str>) -> bool {
    match text {
        "m" => region == Some("PL"),
        "d" | "k" | "blok" => region == Some("TR"),
        "as" => region == Some("FI"),
        // `of.` is short for an office.
        "of" => region.is_some_and(|region| {
            is_spanish(region) || matches!(region, "RU" | "UA" | "BY" | "KZ" | "BG")
        }),
        "ug" | "lg" => region.is_none_or(|region| {
            matches!(region, "DE" | "AT" | "CH" | "GB" | "HK" | "SG" | "MY" | "AU" | "IN")
        }),
        // In English these are names of buildings.
        "villa" | "hall" | "palazzo" | "residence" | "galeria" | "isla" | "wing" => false,
        "kl" => matches!(region, Some("DK" | "NO")),
        _ => UNITS.contains(text) && is_of_language(text, region),
    }
}

/// Words of one language that are names or other words in the next: `Via San Pietro` is no floor.
const NATIVE_WORDS: [(&str, &str); 8] = [
    ("PL", "pietro pok pokoj klatka budynek sekcja biuro gabinet sklep stanowisko pomieszczenie"),
    ("CZ SK", "patro byt dvere vchod poschodie poschodi kancelar nebytovy"),
    ("HU", "emelet ajto lepcsohaz lph fszt foldszint iroda uzlet em"),
    ("RO MD", "etaj scara apartamentul birou camera mansarda parter"),
    ("TR", "kat daire ofisi dukkan magaza zemin kapi"),
    ("FI", "krs asunto huoneisto rappu kerros lokaali toimisto liiketila"),
    (
        "SE DK NO FI",
        "vaning uppgang oppgang opg leilighet leil bolig kld kaelder stuen sal kontor lejl lejlighed butikk butik \
         lokale trappa plan",
    ),
    ("ID MY VN", "lantai tang phong"),
];

/// Whether a word of one language is written in this region.
fn is_of_language(text: &str, region: Option<&str>) -> bool {
    let mut lists = NATIVE_WORDS.iter().filter(|(_, words)| has_word(words, text)).peekable();
    lists.peek().is_none()
        || lists.any(|(regions, _)| region.is_some_and(|region| has_word(regions, region)))
}

fn is_spanish(region: &str) -> bool {
    matches!(
        region,
        "ES" | "MX"
            | "AR"
            | "CL"
            | "CO"
            | "PE"
            | "UY"
            | "EC"
            | "VE"
            | "BO"
            | "PY"
            | "CR"
            | "PA"
            | "GT"
            | "DO"
    )
}

pub(super) fn is_ordinary_word(text: &str) -> bool {
    ORDINARY.contains(text)
}

/// Whether one of the words of a list is this one.
fn has_word(list: &str, text: &str) -> bool {
    list.split_whitespace().any(|word| word == text)
}

pub(super) fn is_building(text: &str) -> bool {
    has_word(BUILDING_WORDS, text)
}

pub(super) fn is_stairs(text: &str) -> bool {
    has_word(STAIRS_WORDS, text)
}

pub(super) fn is_home(text: &str) -> bool {
    has_word(HOME_WORDS, text)
}

/// Words that may stand behind the number of a floor.
pub(super) fn is_floor(text: &str) -> bool {
    const FLOORS: &str = "floor fl flr level og obergeschoss ug stock etage etg piso planta piano \
     patro andar kat tr trappa emelet em pietro verdieping verd hoog vaning krs etaj etazh niveau \
     lantai sal lvl nivel kerros poschodie poschodi plan bajo bajos atico eg erdgeschoss dg \
     dachgeschoss tang mezzanine sotano entresuelo entresol andares orofos rdc niv";
    has_word(FLOORS, text)
}

/// Sides of a floor, which are parts of the number of a flat.
pub(super) fn side(text: &str) -> Option<&'static str> {
    Some(match text {
        "esq" | "esquerdo" | "izq" | "izda" | "izquierda" | "tv" => "left",
        "dto" | "direito" | "dcha" | "derecha" | "th" => "right",
        "mf" => "middle",
        _ => return None,
    })
}
