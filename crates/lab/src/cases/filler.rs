//! Words and sentences without meaning, for the texts of case files. Nothing here is a price, a
//! number, a name or an instruction, so that no reading depends on it.

use crate::chance::Chance;

const OPENINGS: &[&str] = &[
    "In the morning",
    "After the rain",
    "Behind the old mill",
    "Near the river",
    "On quiet days",
    "During the long winter",
    "At the edge of town",
    "Before the market opens",
    "Under the tall windows",
    "Across the narrow bridge",
];
const SUBJECTS: &[&str] = &[
    "the carpenters",
    "our neighbours",
    "two gardeners",
    "the younger pupils",
    "several fishermen",
    "the evening choir",
    "a few weavers",
    "the lighthouse keepers",
    "many travellers",
    "the village baker and his sons",
];
const VERBS: &[&str] = &[
    "repair", "gather", "carry", "polish", "describe", "arrange", "paint", "measure", "collect",
    "remember",
];
const OBJECTS: &[&str] = &[
    "wooden chairs",
    "heavy baskets",
    "the first apples",
    "woollen blankets",
    "old maps of the coast",
    "copper lamps",
    "small boats",
    "stories about the harbour",
    "coloured ribbons",
    "jars of dark honey",
];
const ENDINGS: &[&str] = &[
    "with patient hands",
    "while the bells ring",
    "for the summer fair",
    "beside the warm stove",
    "and talk about the weather",
    "until the lamps are lit",
    "as their parents did",
    "without any hurry",
    "along the stone wall",
    "when the tide is low",
];
const LISTS: [&[&str]; 5] = [OPENINGS, SUBJECTS, VERBS, OBJECTS, ENDINGS];

/// `count` words of English sentences that depend on seed and count alone. Texts of different
/// lengths have nothing in common, so that a page can have several.
pub(super) fn sentences(seed: &str, count: usize) -> String {
    let mut chance = Chance::seeded(&format!("{seed}/{count}"));
    let mut words: Vec<String> = Vec::new();
    while words.len() < count {
        for (number, list) in LISTS.iter().enumerate() {
            let phrase = chance.pick(list).copied().unwrap_or_default();
            words.extend(phrase.split(' ').map(str::to_owned));
            if let (0, Some(last)) = (number, words.last_mut()) {
                last.push(',');
            }
        }
        if let Some(last) = words.last_mut() {
            last.push('.');
        }
    }
    words.truncate(count);
    words.join(" ")
}

/// `count` random words.
pub(super) fn words(chance: &mut Chance, count: u64) -> String {
    let mut text = String::new();
    for _ in 0..count {
        let phrase = chance.pick(&LISTS).and_then(|list| chance.pick(list)).copied();
        let one: Vec<&str> = phrase.unwrap_or_default().split(' ').collect();
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(chance.pick(&one).copied().unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_have_the_length_asked_for_and_belong_to_their_seed() {
        for count in [0, 1, 7, 300] {
            assert_eq!(sentences("a", count).split_whitespace().count(), count);
        }
        assert_eq!(sentences("a", 300), sentences("a", 300));
        assert!(!sentences("a", 300).starts_with(&sentences("a", 200)));
        assert_ne!(sentences("a", 50), sentences("b", 50));
    }

    #[test]
    fn random_words_differ_each_time() {
        let mut chance = Chance::new();
        let (one, two) = (words(&mut chance, 40), words(&mut chance, 40));
        assert_eq!(one.split(' ').count(), 40);
        assert_ne!(one, two);
    }
}
