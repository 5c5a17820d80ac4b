//! Sentences that name several addresses of which the writer does not know the right one: `Some sites say 5 Market
//! Place, others 12 Sadler Street.`

use super::super::super::normalize::fold;
use super::reading::WrittenAddress;

/// Words of such sentences, in lower case without accents.
const WORDS: &str = "two both either others other different several possible conflicting unclear \
     dos ambas ambos otras otra otros varias distintas segun \
     deux autres autre plusieurs selon soit differentes \
     zwei beide andere anderen mehrere entweder verschiedene laut widerspruchliche \
     due entrambe entrambi altre altri altra diverse oppure \
     twee ander verschillende volgens ofwel \
     duas outras outra dwa dwie inne inni oba obie jiny jine dve oboje tva bada andra begge andre";
/// A sentence has more words than an address with one of these in the name of its street.
const MIN_WORDS: usize = 9;

/// Whether a text names several houses of which one has the number of the other address.
pub(super) fn names_several(text: &str, address: &WrittenAddress, other: &WrittenAddress) -> bool {
    let mut numbers = address.numbers.clone();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() < 2 || !other.numbers.iter().any(|number| numbers.contains(number)) {
        return false;
    }
    let folded = fold(text);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.len() >= MIN_WORDS
        && words.iter().any(|word| WORDS.split_whitespace().any(|known| known == *word))
}
