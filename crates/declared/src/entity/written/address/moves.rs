//! Texts that tell the old and the new address of a business that moved.

use super::super::super::normalize::fold;
use super::reading::WrittenAddress;

/// Words of such texts, in lower case without accents.
const WORDS: &[&str] = &[
    "formerly",
    "former",
    "previously",
    "previous",
    "moved",
    "moving",
    "relocated",
    "relocating",
    "relocation",
    "fruher",
    "ehemals",
    "ehemalige",
    "bisher",
    "bisherige",
    "umzug",
    "umgezogen",
    "vormals",
    "verzogen",
    "ancienne",
    "anciennement",
    "demenage",
    "demenagement",
    "demenagera",
    "transfere",
    "auparavant",
    "antes",
    "anterior",
    "anteriormente",
    "trasladado",
    "trasladamos",
    "mudado",
    "mudamos",
    "mudou",
    "mudanca",
    "antiga",
    "antigua",
    "precedente",
    "precedentemente",
    "trasferito",
    "trasferiti",
    "trasferimento",
    "prima",
    "voorheen",
    "verhuisd",
    "verhuist",
    "vroeger",
    "dawniej",
    "poprzednio",
    "przeniesiony",
    "przeprowadzka",
    "prestehovali",
    "predtym",
    "tidigare",
    "flyttat",
    "tidligere",
    "flyttet",
    "aiemmin",
    "muuttanut",
    "korabban",
    "eski",
    "tasindi",
    "ранее",
    "переехали",
    "раньше",
    "раніше",
    "переїхали",
];

/// Whether a text tells of a move and has more than one number, of which one is that of the other address.
pub(super) fn tells_of_move(text: &str, address: &WrittenAddress, other: &WrittenAddress) -> bool {
    let folded = fold(text);
    let mut words = folded.split(|c: char| !c.is_alphabetic());
    let mut numbers = address.numbers.clone();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() >= 2
        && words.any(|word| WORDS.contains(&word))
        && other.numbers.iter().any(|number| numbers.contains(number))
}
