//! Japanese addresses in their own script. They go from the prefecture to the house, mostly without spaces, and
//! end in the numbers of a quarter, a block and a house.

mod latin;
mod reading;
mod writing;

use super::super::WrittenMatch;
use reading::{JapaneseAddress, names_town, read_all};

pub(super) use latin::{contradicts_latin, is_lot_of};

/// Whether a text is written in Japanese script.
pub(super) fn is_japanese(text: &str, region: Option<&str>) -> bool {
    let is_han = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let is_kana = |c: char| matches!(c, '\u{3041}'..='\u{30ff}');
    match region {
        Some("JP") => text.contains(is_han),
        None => {
            let names_prefecture =
                || reading::PREFECTURES.iter().any(|(name, _)| text.contains(name));
            text.contains(is_han)
                && (text.contains(is_kana) || text.contains("丁目") || names_prefecture())
        }
        Some(_) => false,
    }
}

/// Compares two texts in Japanese script.
pub(super) fn compare(one: &str, other: &str) -> WrittenMatch {
    let is_box = |text: &str| text.contains("私書箱");
    if is_box(one) != is_box(other) {
        return WrittenMatch::Undecidable;
    }
    let (ones, others) = (read_all(one), read_all(other));
    let is_other_of = |address: &JapaneseAddress, list: &[JapaneseAddress]| {
        !list.iter().any(|known| compare_one(known, address) == WrittenMatch::Equal)
    };
    match (ones.as_slice(), others.as_slice()) {
        ([a], [b]) => compare_one(a, b),
        // Several houses of which one agrees: nobody knows which of them is meant.
        (ones, others) if ones.iter().all(|one| is_other_of(one, others)) => {
            let all_differ = ones.iter().all(|one| {
                others.iter().all(|other| compare_one(one, other) == WrittenMatch::Different)
            });
            if all_differ { WrittenMatch::Different } else { WrittenMatch::Undecidable }
        }
        (ones, others)
            if !ones.iter().any(|one| is_other_of(one, others))
                && !others.iter().any(|other| is_other_of(other, ones)) =>
        {
            WrittenMatch::Equal
        }
        _ => WrittenMatch::Undecidable,
    }
}

/// The text without buildings, floors and words of sentences, whose numbers are none of the house. None if it has
/// no single house.
pub(super) fn without_building(text: &str) -> Option<String> {
    let addresses = read_all(text);
    let [address] = addresses.as_slice() else { return None };
    if address.blocks.is_empty() || text.contains("私書箱") {
        return None;
    }
    let prefecture = reading::PREFECTURES
        .iter()
        .find(|(_, latin)| Some(*latin) == address.prefecture)
        .map_or("", |(name, _)| name);
    let code = address.code.as_deref().unwrap_or_default();
    let blocks = address.blocks.join("-");
    Some(format!("{code} {prefecture}{}{blocks}", without_way(&address.name)))
}

fn compare_one(one: &JapaneseAddress, other: &JapaneseAddress) -> WrittenMatch {
    use WrittenMatch::{Different, Equal, Undecidable};
    if one.blocks.is_empty() || other.blocks.is_empty() {
        return Undecidable;
    }
    let differ =
        |a: &Option<String>, b: &Option<String>| matches!((a, b), (Some(a), Some(b)) if a != b);
    let is_other_prefecture =
        matches!((one.prefecture, other.prefecture), (Some(a), Some(b)) if a != b);
    if differ(&one.code, &other.code) || is_other_prefecture {
        return Different;
    }
    let same_code = one.code.is_some() && one.code == other.code;
    let blocks = compare_blocks(one, other);
    let names = compare_names(&one.name, &other.name, same_code);
    match (blocks, names) {
        (Different, _) | (_, Different) => Different,
        (Undecidable, _) | (_, Undecidable) => Undecidable,
        (Equal, Equal) if differ(&one.floor, &other.floor) => Different,
        (Equal, Equal) => match (room(one), room(other)) {
            (Some(a), Some(b)) if a != b => Different,
            _ => Equal,
        },
    }
}

/// The number of the room, which some write behind that of the house: `1-6-9-302`.
fn room(address: &JapaneseAddress) -> Option<&str> {
    address.room.as_deref().or(address.blocks.get(3).map(String::as_str))
}

fn compare_blocks(one: &JapaneseAddress, other: &JapaneseAddress) -> WrittenMatch {
    use WrittenMatch::{Different, Equal, Undecidable};
    let house = |address: &JapaneseAddress| -> Vec<String> {
        address.blocks.iter().take(3).cloned().collect()
    };
    let (a, b) = (house(one), house(other));
    if a == b {
        return Equal;
    }
    if is_within(&a, other) || is_within(&b, one) {
        return Undecidable;
    }
    let is_part = a.starts_with(&b) || b.starts_with(&a);
    if is_part { Undecidable } else { Different }
}

/// Whether a house is one of several that the other address names.
fn is_within(house: &[String], several: &JapaneseAddress) -> bool {
    let Some(last) = &several.last_house else { return false };
    let (Some((number, before)), Some((first, street))) =
        (house.split_last(), several.blocks.split_last())
    else {
        return false;
    };
    let value = |text: &String| text.parse::<u32>().ok();
    before == street
        && matches!((value(number), value(first), value(last)), (Some(n), Some(a), Some(b)) if (a..=b).contains(&n))
}

/// Compares the names from the city to the quarter. Words of a sentence may stand before one of them, and the city
/// may be left out before its ward.
fn compare_names(one: &str, other: &str, same_code: bool) -> WrittenMatch {
    use WrittenMatch::{Different, Equal, Undecidable};
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_town = |name: &str| names_town(name) || same_code;
    if longer.ends_with(shorter) {
        return if is_town(shorter) { Equal } else { Undecidable };
    }
    // In Kyoto the way along the streets stands between the ward and the quarter.
    let (a, b) = (without_way(one), without_way(other));
    if a != one || b != other {
        let (shorter, longer) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
        if longer.ends_with(shorter.as_str()) && is_town(shorter) {
            return Equal;
        }
        let has_quarter = |name: &str| !name.ends_with('区');
        if !has_quarter(&a) || !has_quarter(&b) {
            return Undecidable;
        }
    }
    if !is_town(one) || !is_town(other) {
        // Words of a text that is no address, or a quarter alone.
        let quarter = |name: &str| name.chars().rev().take(2).collect::<String>();
        let is_same = quarter(one) == quarter(other);
        return if is_same || !names_town(shorter) { Undecidable } else { Different };
    }
    // `高山市古川町` for `飛騨高山市古川町`: a part is left out within the name.
    if is_left_out(shorter, longer) { Undecidable } else { Different }
}

/// Whether a name is another one of which a part in the middle was left out.
fn is_left_out(shorter: &str, longer: &str) -> bool {
    let same_start = shorter.chars().zip(longer.chars()).take_while(|(a, b)| a == b).count();
    let same_end =
        shorter.chars().rev().zip(longer.chars().rev()).take_while(|(a, b)| a == b).count();
    same_start + same_end >= shorter.chars().count()
}

/// A name without the way along the streets of Kyoto: `中京区場の町` for `中京区烏丸通三条上る場の町`.
fn without_way(name: &str) -> String {
    const ENDS: [&str; 8] =
        ["上る", "下る", "東入る", "西入る", "東入", "西入", "上ケる", "下ケる"];
    let Some((ward, rest)) = name.split_once('区') else { return name.to_owned() };
    let end = ENDS.iter().filter_map(|end| rest.rfind(end).map(|at| at + end.len())).max();
    match end.and_then(|end| rest.get(end..)) {
        Some(quarter) => {
            // `東入2丁目御旅町`
            let quarter = quarter.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{ward}区{}", quarter.strip_prefix("丁目").unwrap_or(quarter))
        }
        None => name.to_owned(),
    }
}
