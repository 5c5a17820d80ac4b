//! Parts of a town or of a street that have numbers: sectors, phases, sections, lanes. Two numbers of one kind are
//! two places.

use super::street_types::ordinal;
use super::tokens::Token;

/// The kind of such a part, by the word before its number.
fn kind(word: &str, region: Option<&str>) -> Option<&'static str> {
    Some(match word {
        "sector" | "sec" | "section" | "sektor" => "sector",
        "phase" | "ph" => "phase",
        "soi" => "soi",
        "stage" if region == Some("IN") => "stage",
        "district" | "quan" | "q" if region == Some("VN") => "district",
        "block" | "blk" if matches!(region, Some("IN" | "PK" | "BD")) => "block",
        "road" | "rd" | "r" if region == Some("BD") => "road",
        "street" | "st" if region == Some("PK") => "street",
        _ => return None,
    })
}

/// The parts that an address names, each with its number.
pub(super) fn numbered_parts(
    tokens: &[Token],
    region: Option<&str>,
) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(kind) = kind(&token.text, region) else { continue };
        let mark = usize::from(
            tokens.get(at + 1).is_some_and(|next| matches!(next.text.as_str(), "#" | "no")),
        );
        let next = tokens.get(at + 1 + mark).filter(|next| next.segment == token.segment);
        let number = next.and_then(|next| match next.text.as_str() {
            "i" => Some("1".to_owned()),
            "v" => Some("5".to_owned()),
            "x" => Some("10".to_owned()),
            text if next.is_number => Some(text.trim_start_matches('0').to_owned()),
            text => ordinal(text).map(|number| number.to_string()),
        });
        parts.extend(number.map(|number| (kind, number)));
    }
    parts
}

/// Whether two addresses name parts of one kind with other numbers.
pub(super) fn differ(one: &[(&'static str, String)], other: &[(&'static str, String)]) -> bool {
    let only = |parts: &[(&'static str, String)], wanted: &str| -> Option<String> {
        let mut numbers =
            parts.iter().filter(|(kind, _)| *kind == wanted).map(|(_, number)| number);
        let first = numbers.next()?;
        numbers.all(|number| number == first).then(|| first.clone())
    };
    one.iter().any(
        |(kind, _)| matches!((only(one, kind), only(other, kind)), (Some(a), Some(b)) if a != b),
    )
}
