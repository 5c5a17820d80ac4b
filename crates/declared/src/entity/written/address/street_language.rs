//! Which language a street's name is in, where two are in use in one country.

/// The language of a street's type, where two are in use in one country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreetLanguage {
    French,
    Germanic,
    Italian,
    Finnish,
    Celtic,
}

pub(super) fn street_language<'w>(
    words: impl IntoIterator<Item = &'w str>,
) -> Option<StreetLanguage> {
    words.into_iter().find_map(|word| {
        let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
        match word {
            "ru" | "rue" | "avenu" | "boulevard" | "chemin" | "quai" | "impasse" | "chausse"
            | "chaussee" => Some(StreetLanguage::French),
            "via" | "viale" | "corso" | "vicolo" => Some(StreetLanguage::Italian),
            "sraid" | "bothar" | "heol" | "stryd" | "ffordd" => Some(StreetLanguage::Celtic),
            _ if ends(&["katu", "tie", "kuja", "polku"]) => Some(StreetLanguage::Finnish),
            _ if word.len() > 6
                && ends(&[
                    "street", "laan", "lan", "plein", "platz", "gasse", "weg", "steenweg", "gatan",
                    "vagen", "gata", "vag", "vei",
                ]) =>
            {
                Some(StreetLanguage::Germanic)
            }
            _ => None,
        }
    })
}
