//! Streets of Brussels, Helsinki and other towns with two languages, where every street has two names.

use super::sound::spelling;
use super::two_languages::mean_same;
use super::words::{Word, WordKind};

/// Words of street names that mean the same, in the form in which words are compared.
const SAME_MEANING: &str = "\
    neuve nieuw nieuwe new neu neue nuova; gare station stations bahnhof statione; eglise kerk kirch; \
    grand grande groot grote gross; petit petite klein kleine; haut haute hoog hoge ober; \
    bas basse laag lage unter; marche markt; roi king koning konings konig; reine koningin; \
    royale koninklijke konings; ecole school schul; moulin molen muhle; long longue lang lange; \
    pont brug brucke; loi wet; commerce handels handel; arts kunst; fleurs bloemen; prince prins; \
    princesse prinses; midi zuid; nord noord; regence regentschap regentschaps; boucher boter; \
    chateau kasteel schloss; louise louiza; liberte vrijheids vrijheid; industrie nijverheids; \
    congres congres; science wetenschaps; croix kruis kreuz; vieux vieille oud oude alt alte; \
    saint sint sankt; colonies kolonien; bois bos bosch; lac see; poste post; pres weide; \
    puits put; chapelle kapel; hopital hospitaal; tilleuls linden; chene eik; cerf hert; \
    aleksanterin alexanders; pohjois norra; etela sodra; kirkko kyrko; kauppa handels; satama hamn; \
    koulu skol; rauhan freds; kuninkaan kungs; asema stations; puisto park; silta bro; merimiehen sjomans; \
    lansi vastra; ita ostra; iso stora; vanha gamla; uusi nya; keskus central";

/// Endings of one word that stand for the type of the street.
const TYPES: [&str; 19] = [
    "steenweg", "street", "platz", "plein", "gasse", "gatan", "gata", "vagen", "vag", "laan",
    "lan", "alle", "kade", "weg", "katu", "kuja", "polku", "tie", "tori",
];

/// Whether two streets with types of two languages have the same name.
pub(super) fn is_same_name(one: &[Word], other: &[Word], region: Option<&str>) -> bool {
    let (a, b) = (names(one), names(other));
    let has_counterpart =
        |name: &String, list: &[String]| list.iter().any(|other| is_same(name, other, region));
    !a.is_empty()
        && !b.is_empty()
        && a.iter().all(|name| has_counterpart(name, &b))
        && b.iter().all(|name| has_counterpart(name, &a))
}

fn names(street: &[Word]) -> Vec<String> {
    let plain = street.iter().filter(|word| word.kind == WordKind::Plain);
    let stem = |word: &Word| {
        let stem = TYPES.iter().find_map(|ending| word.text.strip_suffix(ending));
        stem.unwrap_or(&word.text).to_owned()
    };
    // Types of streets in Celtic languages.
    let is_type = |name: &str| {
        matches!(name, "heol" | "stryd" | "ffordd" | "lon" | "sraid" | "bothar" | "straed")
    };
    plain.map(stem).filter(|name| !name.is_empty() && !is_type(name)).collect()
}

fn is_same(one: &str, other: &str, region: Option<&str>) -> bool {
    if one == other || mean_same(one, other, region) {
        return true;
    }
    let means = |group: &str, name: &str| group.split_whitespace().any(|word| word == name);
    if SAME_MEANING.split(';').any(|group| means(group, one) && means(group, other)) {
        return true;
    }
    // Names of people: `Aleksanterin`, `Alexanders`.
    let (a, b) = (spelling(one), spelling(other));
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    same >= 4 && a.len().min(b.len()) <= same + 3
}
