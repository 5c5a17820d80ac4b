//! Words that people leave out of an address.

use super::street_types::is_english;

/// Articles and prepositions, words of sentences around an address, and words for kinds of districts.
const SMALL_WORDS: &str = "dell nell all dall nel nella sull de la le les du des del della dello dei delle do da dos das di d l the of at in an der \
     die dem den im am and y e et und van het el los las on a o i b bei near ku city shi to \
     fu ken cho we us our are is located find visit address adresse direccion shop store chs \
     chsl coop co op housing society ltd pvt arrondissement kerulet bezirk cbd county \
     province provincia region prefecture";

/// Whether a word is often left out.
pub(super) fn is_small_word(text: &str, region: Option<&str>) -> bool {
    // `E Main Street`
    if text == "e" && (is_english(region) || matches!(region, Some("TW" | "CN"))) {
        return false;
    }
    SMALL_WORDS.split_whitespace().any(|word| word == text)
        && !(text == "o" && region == Some("CA"))
}
