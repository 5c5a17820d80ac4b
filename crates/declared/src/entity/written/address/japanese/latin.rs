//! What an address in Latin letters says against one in Japanese script.

use super::reading::{PREFECTURES, read_all};

/// Whether the address in Latin letters is in another prefecture, or in the quarter on another side.
pub(in super::super) fn contradicts_latin(japanese: &str, latin: &str) -> bool {
    let japanese = super::writing::plain(japanese);
    let words = words(latin);
    is_other_prefecture(&japanese, &words) || is_other_side(&japanese, &words)
}

fn is_other_prefecture(japanese: &str, words: &[String]) -> bool {
    let found = PREFECTURES
        .iter()
        .filter_map(|(name, latin)| Some((japanese.find(name)?, *latin)))
        .min_by_key(|(at, _)| *at);
    let Some((_, own)) = found else { return false };
    let names = |wanted: &str| words.iter().any(|word| word == wanted);
    // A city may have the name of another prefecture, unless it is the last one that is named.
    let last = words.iter().rev().find(|word| PREFECTURES.iter().any(|(_, latin)| latin == word));
    let is_named = |latin: &str| {
        let name = PREFECTURES.iter().find(|(_, other)| *other == latin);
        name.is_some_and(|(name, _)| japanese.contains(name.trim_end_matches(['県', '府', '都'])))
    };
    !names(own) && last.is_some_and(|last| !is_named(last))
}

/// `北新宿` and `Nishi-Shinjuku`.
fn is_other_side(japanese: &str, words: &[String]) -> bool {
    const SIDES: [(char, &str); 4] =
        [('北', "kita"), ('南', "minami"), ('東', "higashi"), ('西', "nishi")];
    let names = |side: &str| words.iter().any(|word| word == side);
    let is_missing = |(kanji, side): &(char, &str)| names(side) && !japanese.contains(*kanji);
    let is_left = |(kanji, side): &(char, &str)| {
        japanese.contains(*kanji) && !words.iter().any(|word| word.contains(side))
    };
    SIDES.iter().any(is_missing) && SIDES.iter().any(is_left)
}

fn words(latin: &str) -> Vec<String> {
    let words = latin.split(|c: char| !c.is_alphanumeric()).map(super::super::tokens::plain_word);
    words.filter(|word| !word.is_empty()).collect()
}

/// Wards with their names in Latin letters. Those of several cities have one name.
const WARDS: [(&str, &str); 56] = [
    ("上京区", "kamigyo"),
    ("中京区", "nakagyo"),
    ("下京区", "shimogyo"),
    ("左京区", "sakyo"),
    ("右京区", "ukyo"),
    ("西京区", "nishikyo"),
    ("東山区", "higashiyama"),
    ("山科区", "yamashina"),
    ("伏見区", "fushimi"),
    ("千代田区", "chiyoda"),
    ("中央区", "chuo"),
    ("港区", "minato"),
    ("新宿区", "shinjuku"),
    ("文京区", "bunkyo"),
    ("台東区", "taito"),
    ("墨田区", "sumida"),
    ("江東区", "koto"),
    ("品川区", "shinagawa"),
    ("目黒区", "meguro"),
    ("大田区", "ota"),
    ("世田谷区", "setagaya"),
    ("渋谷区", "shibuya"),
    ("中野区", "nakano"),
    ("杉並区", "suginami"),
    ("豊島区", "toshima"),
    ("北区", "kita"),
    ("南区", "minami"),
    ("東区", "higashi"),
    ("西区", "nishi"),
    ("中区", "naka"),
    ("荒川区", "arakawa"),
    ("板橋区", "itabashi"),
    ("練馬区", "nerima"),
    ("足立区", "adachi"),
    ("葛飾区", "katsushika"),
    ("江戸川区", "edogawa"),
    ("浪速区", "naniwa"),
    ("天王寺区", "tennoji"),
    ("阿倍野区", "abeno"),
    ("福島区", "fukushima"),
    ("都島区", "miyakojima"),
    ("淀川区", "yodogawa"),
    ("此花区", "konohana"),
    ("生野区", "ikuno"),
    ("中村区", "nakamura"),
    ("熱田区", "atsuta"),
    ("千種区", "chikusa"),
    ("博多区", "hakata"),
    ("早良区", "sawara"),
    ("青葉区", "aoba"),
    ("太白区", "taihaku"),
    ("神奈川区", "kanagawa"),
    ("川崎区", "kawasaki"),
    ("兵庫区", "hyogo"),
    ("灘区", "nada"),
    ("葵区", "aoi"),
];

/// Whether the address in Latin letters is the same lot of the same ward. Where the lots of a quarter are counted
/// through, an address has a single number; few digits would be those of many houses.
pub(in super::super) fn is_lot_of(japanese: &str, latin: &str) -> bool {
    let addresses = read_all(japanese);
    let [address] = addresses.as_slice() else { return false };
    let [lot] = address.blocks.as_slice() else { return false };
    let words = words(latin);
    let mut numbers = words.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let is_number =
        numbers.next() == Some(lot) && numbers.all(|number| address.has_code_part(number));
    let is_ward = WARDS
        .iter()
        .any(|(ward, name)| address.name.contains(ward) && words.iter().any(|word| word == name));
    lot.len() >= 2 && is_number && is_ward
}
