//! Similarity of two texts, by hashes of runs of five words (shingles).

mod sorted_hashes;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::word_segments::{is_unspaced, segment_run};
use sorted_hashes::{count_common, sort_hashes};

/// The number of words in one shingle.
pub const SHINGLE_WORDS: usize = 5;
const WINDOW: usize = SHINGLE_WORDS;
/// Multiplier of the rolling hash: odd, with evenly spread bits.
const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX: u64 = 0xd6e8_feb8_6659_fd93;
const SEED: u64 = 0x517c_c1b7_2722_0a95;
/// `HASH_MULTIPLIER` to the power of the window size: the factor that the word that leaves the window has in the hash.
const OLDEST_WORD_FACTOR: u64 = HASH_MULTIPLIER
    .wrapping_mul(HASH_MULTIPLIER)
    .wrapping_mul(HASH_MULTIPLIER)
    .wrapping_mul(HASH_MULTIPLIER)
    .wrapping_mul(HASH_MULTIPLIER);
/// The shortest run of letters and digits that can be a session token.
const MIN_NONCE: usize = 16;

/// The shingles of a text, sorted and without duplicates. The same text always gives the same hashes on
/// every machine, so that they can be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shingles {
    hashes: Vec<u64>,
    words: usize,
}

/// Splits a text into shingles. Case, punctuation at the ends of words, clock times and session tokens
/// are ignored; prices and quantities are not. A text of fewer than five words is split into single
/// words.
#[must_use]
pub fn shingles(text: &str) -> Shingles {
    let mut cutter =
        ShingleBuilder { hashes: Vec::with_capacity(text.len() / 5), ..ShingleBuilder::default() };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let word = AsciiWord::read(rest);
        let mut length = word.length;
        if rest.get(length).is_none_or(u8::is_ascii) {
            cutter.push_ascii_word(&word, rest);
        } else {
            let more = rest.iter().skip(length).position(|byte| *byte <= b' ');
            length = more.map_or(rest.len(), |more| length + more);
            let run = text.get(at..at + length).unwrap_or_default();
            // White space beyond ASCII is not in the table of letters.
            if !cutter.push_known_run(run) {
                for part in run.split(char::is_whitespace) {
                    cutter.push_unicode_run(part);
                }
            }
        }
        at += length + 1;
    }
    cutter.finish()
}

impl Shingles {
    /// The hashes in ascending order.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The number of words that were not ignored.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// What two texts have in common.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> ShingleOverlap {
        self.overlap_of_at_least(other, 0)
    }

    /// Whether the Jaccard index of two texts is at least so many hundredths. For most texts that differ, a part of their
    /// shingles shows that it is not.
    #[must_use]
    pub fn is_jaccard_at_least(&self, other: &Self, percent: u32) -> bool {
        let all = (self.hashes.len() + other.hashes.len()) as u64;
        // The index is c / (all - c), so that c must be at least p / (100 + p) of all.
        let needed = all * u64::from(percent) / (100 + u64::from(percent));
        let needed = usize::try_from(needed).unwrap_or(usize::MAX);
        self.overlap_of_at_least(other, needed).jaccard() >= f64::from(percent) / 100.0
    }

    /// What two texts have in common. If that is less than `least`, it may be given too low.
    fn overlap_of_at_least(&self, other: &Self, least: usize) -> ShingleOverlap {
        ShingleOverlap {
            common: count_common(&self.hashes, &other.hashes, least),
            own: self.hashes.len(),
            other: other.hashes.len(),
        }
    }

    /// See [`ShingleOverlap::jaccard`].
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> f64 {
        self.overlap(other).jaccard()
    }

    /// See [`ShingleOverlap::containment`].
    #[must_use]
    pub fn containment(&self, in_other: &Self) -> f64 {
        self.overlap(in_other).containment()
    }
}

/// The numbers of shingles of two texts, and how many of them both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShingleOverlap {
    common: usize,
    own: usize,
    other: usize,
}

impl ShingleOverlap {
    /// The share of all shingles of both texts that they have in common (Jaccard index). 1 for two texts
    /// without words, 0 if only one of them is empty.
    #[must_use]
    pub fn jaccard(self) -> f64 {
        let all = self.own + self.other - self.common;
        if all == 0 { 1.0 } else { self.common as f64 / all as f64 }
    }

    /// The share of the first text's shingles that the other text also has: 1 for a shortened copy.
    #[must_use]
    pub fn containment(self) -> f64 {
        if self.own == 0 { 1.0 } else { self.common as f64 / self.own as f64 }
    }

    /// The same seen from the other text.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { own: self.other, other: self.own, ..self }
    }
}

#[derive(Default)]
struct ShingleBuilder {
    hashes: Vec<u64>,
    /// The hashes of the last words; the oldest is at `place`.
    window: [u64; WINDOW],
    place: usize,
    rolling: u64,
    words: usize,
    scratch: String,
}

impl ShingleBuilder {
    fn push_ascii_word(&mut self, word: &AsciiWord, rest: &[u8]) {
        let Some(kept) = rest.get(word.start..word.end).filter(|kept| !kept.is_empty()) else {
            return;
        };
        if !is_volatile(kept) {
            self.push_word_hash(word.hash);
        }
    }

    /// Adds a run of characters that are not all ASCII.
    fn push_unicode_run(&mut self, run: &str) {
        if self.push_known_run(run) {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(run);
        scratch.extend(normal.chars().flat_map(char::to_lowercase));
        let mut rest = scratch.as_str();
        while let Some(at) = rest.find(is_unspaced) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.push_unicode_word(before);
            let length = from.find(|c| !is_unspaced(c)).unwrap_or(from.len());
            let (unspaced, after) = from.split_at_checked(length).unwrap_or((from, ""));
            segment_run(unspaced, |word| self.push_unicode_word(word));
            rest = after;
        }
        self.push_unicode_word(rest);
        self.scratch = scratch;
    }

    fn push_unicode_word(&mut self, word: &str) {
        let word = word.trim_matches(|c: char| !is_word_edge(c));
        if !word.is_empty() && !is_volatile(word.as_bytes()) {
            self.push_word_hash(hash_word(word));
        }
    }

    /// Adds a run if all of its letters are in the table, which is the common case. Otherwise adds
    /// nothing and returns false.
    fn push_known_run(&mut self, run: &str) -> bool {
        let mut hash = SEED;
        // The hash up to the last character that a word may end with.
        let mut whole = SEED;
        let (mut start, mut end) = (None, 0);
        for (at, c) in run.char_indices() {
            let (small, ends_word) = match KNOWN.get(c as usize) {
                Some(0) => return false,
                Some(packed) => (u32::from(packed & !ENDS_WORD), packed & ENDS_WORD != 0),
                None => match known_letter(c) {
                    Some((small, ends_word)) if !is_unspaced(c) => (u32::from(small), ends_word),
                    _ => return false,
                },
            };
            if ends_word {
                start = start.or(Some(at));
                end = at + c.len_utf8();
            }
            if start.is_some() {
                hash = hash_step(hash, small);
                whole = if ends_word { hash } else { whole };
            }
        }
        let word = start.and_then(|start| run.get(start..end)).unwrap_or_default();
        if !word.is_empty() && !is_volatile(word.as_bytes()) {
            self.push_word_hash(whole);
        }
        true
    }

    fn push_word_hash(&mut self, hash: u64) {
        if let Some(oldest) = self.window.get_mut(self.place) {
            let leaves = std::mem::replace(oldest, hash);
            // The word that leaves was multiplied as often as words have come since.
            let change = hash.wrapping_sub(leaves.wrapping_mul(OLDEST_WORD_FACTOR));
            self.rolling = self.rolling.wrapping_add(change).wrapping_mul(HASH_MULTIPLIER);
        }
        self.place = if self.place + 1 == WINDOW { 0 } else { self.place + 1 };
        self.words += 1;
        if self.words >= WINDOW {
            self.hashes.push(finalize_hash(self.rolling));
        }
    }

    fn finish(mut self) -> Shingles {
        if self.words < WINDOW {
            self.hashes
                .extend(self.window.iter().take(self.words).map(|hash| finalize_hash(*hash)));
        }
        sort_hashes(&mut self.hashes);
        self.hashes.dedup();
        Shingles { hashes: self.hashes, words: self.words }
    }
}

/// The first word of a text, up to its end or to the first character beyond ASCII. One pass finds its
/// end, strips the punctuation around it and hashes it.
struct AsciiWord {
    /// Bytes up to the white space, control character or other character that ends the word.
    length: usize,
    start: usize,
    end: usize,
    hash: u64,
}

impl AsciiWord {
    fn read(text: &[u8]) -> Self {
        let known = |byte: &u8| KNOWN.get(usize::from(*byte)).copied().unwrap_or_default();
        let is_inside = |byte: &&u8| **byte > b' ' && byte.is_ascii();
        let start = text
            .iter()
            .take_while(is_inside)
            .take_while(|byte| known(byte) & ENDS_WORD == 0)
            .count();
        let mut word = Self { length: start, start, end: start, hash: SEED };
        let mut hash = SEED;
        for byte in text.iter().skip(start).take_while(is_inside) {
            let known = known(byte);
            hash = hash_step(hash, u32::from(known & !ENDS_WORD));
            word.length += 1;
            if known & ENDS_WORD != 0 {
                word.hash = hash;
                word.end = word.length;
            }
        }
        word
    }
}

/// Hashes a word in lower case.
fn hash_word(word: &str) -> u64 {
    word.chars().fold(SEED, |hash, c| hash_step(hash, u32::from(c)))
}

/// Adds one letter to a hash. `finalize_hash` mixes the bits at the end.
const fn hash_step(hash: u64, letter: u32) -> u64 {
    (hash ^ letter as u64).wrapping_mul(MIX)
}

fn finalize_hash(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(MIX);
    let hash = (hash ^ hash >> 29).wrapping_mul(HASH_MULTIPLIER);
    hash ^ hash >> 32
}

/// Clock times and tokens of a session or build: they change although the page does not.
#[inline]
fn is_volatile(word: &[u8]) -> bool {
    match word {
        [first, ..] if first.is_ascii_digit() && word.len() <= 12 => is_clock(word),
        // Nearly all words end here.
        _ if word.len() < MIN_NONCE => false,
        _ => is_nonce(word),
    }
}

/// `9:05`, `09:05:59`, `9:05am`, `12:00:00.123z`
fn is_clock(word: &[u8]) -> bool {
    let mut parts = word.split(|byte| *byte == b':');
    let hours = parts.next().unwrap_or_default();
    let Some(minutes) = parts.next() else { return false };
    let digits = |part: &[u8]| part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits(hours) == hours.len()
        && hours.len() <= 2
        && digits(minutes) == 2
        && (minutes.len() == 2 || minutes.get(2).is_some_and(u8::is_ascii_alphabetic))
        && parts.all(|part| digits(part) == 2)
}

/// Whether a long run mixes letters and digits as no word or number does.
fn is_nonce(word: &[u8]) -> bool {
    let mut switches = 0_usize;
    let mut before = 0_u8;
    let (mut digits, mut letters, mut hex) = (0_usize, 0_usize, 0_usize);
    for byte in word {
        let kind = match byte {
            b'0'..=b'9' => 1,
            b'a'..=b'z' => 2,
            b'A'..=b'Z' => 3,
            b'+' | b'/' | b'=' | b'_' | b'-' => 4,
            _ => return false,
        };
        digits += usize::from(kind == 1);
        letters += usize::from(kind == 2 || kind == 3);
        hex += usize::from(byte.is_ascii_hexdigit() || *byte == b'-');
        switches += usize::from(kind != before);
        before = kind;
    }
    let all_hex = hex == word.len() && digits > 0 && letters > 0;
    all_hex || (digits >= 2 && letters >= 2 && switches * 3 >= word.len())
}

/// Whether a word may start and end with a character.
fn is_word_edge(c: char) -> bool {
    c.is_alphanumeric() || is_money(c)
}

fn is_money(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¤' | '¥' | '%' | '\u{20a0}'..='\u{20cf}')
}

/// The lower-case form of a character that compatibility normalisation does not change, and whether a
/// word may end with it; none for characters that are not in the table.
fn known_letter(c: char) -> Option<(char, bool)> {
    if let Some(packed) = KNOWN.get(c as usize) {
        let small = char::from_u32(u32::from(packed & !ENDS_WORD)).filter(|_| *packed != 0)?;
        return Some((small, packed & ENDS_WORD != 0));
    }
    match c {
        '\u{3041}'..='\u{3093}'
        | '\u{30a1}'..='\u{30f6}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{20ac}' => Some((c, true)),
        '\u{2010}' | '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201e}' => Some((c, false)),
        _ => None,
    }
}

/// Set in `KNOWN` for characters that a word may start and end with.
const ENDS_WORD: u16 = 0x8000;

/// Latin, Greek and Cyrillic: the lower-case letter, with the highest bit set if a word may end with it;
/// zero for unknown characters.
const KNOWN: [u16; 0x460] = {
    let mut table = [0; 0x460];
    let mut rest: &mut [u16] = &mut table;
    let mut code: u16 = 0;
    while let [first, tail @ ..] = rest {
        *first = match code {
            // $, %, digits
            0x24 | 0x25 | 0x30..=0x39 => code | ENDS_WORD,
            0x41..=0x5a => (code + 0x20) | ENDS_WORD,
            0x61..=0x7a => code | ENDS_WORD,
            0x01..=0x7f => code,
            0xd7 | 0xf7 => code,
            0xc0..=0xde | 0x391..=0x3a1 | 0x3a3..=0x3a9 | 0x410..=0x42f => {
                (code + 0x20) | ENDS_WORD
            }
            0xdf..=0xff | 0x3b1..=0x3c9 | 0x430..=0x45f => code | ENDS_WORD,
            0x400..=0x40f => (code + 0x50) | ENDS_WORD,
            _ => 0,
        };
        rest = tail;
        code += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// The texts differ in a few words, so that the index is near the limit.
        #[test]
        fn the_limit_is_decided_as_by_the_whole_index(
            words in proptest::collection::vec(0_u16..900, 1..400),
            others in proptest::collection::vec((0_usize..400, 0_u16..900), 0..12)
        ) {
            let text = |words: &[u16]| {
                words.iter().map(|word| format!("w{word} ")).collect::<String>()
            };
            let mut changed = words.clone();
            for (at, word) in others {
                if let Some(place) = changed.get_mut(at) {
                    *place = word;
                }
            }
            let (one, other) = (shingles(&text(&words)), shingles(&text(&changed)));
            for percent in [0, 50, 90, 100] {
                let expected = one.jaccard(&other) >= f64::from(percent) / 100.0;
                proptest::prop_assert_eq!(one.is_jaccard_at_least(&other, percent), expected);
            }
        }
    }

    #[test]
    fn from_nothing_in_common_to_the_same() {
        let of = |a: &str, b: &str| {
            let (a, b) = (shingles(a), shingles(b));
            (a.jaccard(&b), a.containment(&b))
        };
        assert_eq!(of("a b c d e f", "a b c d e f"), (1.0, 1.0));
        assert_eq!(of("a b c d e f", "g h i j k l"), (0.0, 0.0));
        assert_eq!(of("", ""), (1.0, 1.0));
        assert_eq!(of("a", ""), (0.0, 0.0));
        assert_eq!(of("", "a"), (0.0, 1.0));
        // Of abcde, bcdef and bcdex one run in three is common.
        let (jaccard, containment) = of("a b c d e f", "a b c d e x");
        assert!((jaccard - 1.0 / 3.0).abs() < 1e-9 && (containment - 0.5).abs() < 1e-9);
        // A shortened copy is contained and not the same.
        let (jaccard, containment) = of("a b c d e f", "a b c d e f g h i j k l");
        assert!(containment == 1.0 && jaccard < 0.5);
        // Short texts are told apart by their words.
        assert_eq!(of("free trial", "trial, free!"), (1.0, 1.0));
        assert_eq!(of("free trial", "paid trial").0, 1.0 / 3.0);
    }

    proptest::proptest! {
        /// A shingle says nothing about the text before it: what follows another beginning is the same.
        #[test]
        fn only_the_shingles_that_contain_a_changed_word_differ(
            before in proptest::collection::vec("[a-z]{1,9}", 0..40),
            other in proptest::collection::vec("[a-z]{1,9}", 0..40),
            end in proptest::collection::vec("[a-z]{1,9}", WINDOW..60)
        ) {
            let of = |beginning: &[String]| shingles(&[beginning, &end].concat().join(" "));
            let alone = of(&[]);
            proptest::prop_assert_eq!(alone.containment(&of(&before)), 1.0);
            proptest::prop_assert_eq!(alone.containment(&of(&other)), 1.0);
        }
    }

    #[test]
    fn one_changed_word_changes_five_shingles() {
        let words: Vec<String> = (0..1_000).map(|n| format!("word{n}")).collect();
        let whole = shingles(&words.join(" "));
        for (place, expected) in [(0, 1), (2, 3), (300, 5), (997, 3), (999, 1)] {
            let mut changed = words.clone();
            changed[place] = "other".to_owned();
            let overlap = whole.overlap(&shingles(&changed.join(" ")));
            assert_eq!(overlap.own - overlap.common, expected, "word {place}");
        }
    }

    #[test]
    fn volatile_words_are_ignored_and_prices_are_not() {
        let same = |a: &str, b: &str| shingles(a) == shingles(b);
        assert!(same("Only today: “New” shoes", "only TODAY new shoes."));
        assert!(same("it is 12:05 now and 9:30am then", "it is 13:40:22 now and then"));
        assert!(same("id 3f2a9c0d11ee42b7a9 is it", "id 99aa8c0d11ee42b7ff is it"));
        assert!(same("id kJ8x2LmQ0pZ7vB3n is it", "id is it"));
        assert!(same("ＡＢＣ ﬁne Größe", "abc fine größe"));
        assert!(same("Gro\u{308}ße “12:05”", "größe"));
        assert!(same("«ТЕЛЕФОН» и т.д.", "телефон И Т.Д"));
        assert!(!same("телефон", "телефоны"));
        assert!(!same("shoes for $19.99 today", "shoes for $18.99 today"));
        assert!(!same("shoes 20 € now", "shoes 30 € now"));
        assert!(!same("nine 9 lives", "nine lives"));
        assert!(same(
            "internationalisation-of-things matters",
            "Internationalisation-of-Things matters"
        ));
        assert_eq!(
            shingles("internationalisation electroencephalography 4111111111111111").words(),
            3
        );
    }

    #[test]
    fn scripts_without_spaces_are_compared_by_word() {
        let (a, b) = (shingles("東京都は日本の首都である"), shingles("東京都は日本の首都でない"));
        assert_eq!(a.words(), 8);
        assert_eq!(shingles("Tin は ２０").words(), 3);
        assert!(a.jaccard(&b) > 0.2 && a.jaccard(&b) < 1.0);
        let thai = "ร้านของเราเปิดทุกวันเวลาเก้าโมงเช้า และปิดเวลาหกโมงเย็น";
        let other = "พิพิธภัณฑ์ปิดซ่อมแซมจนถึงเดือนหน้า กรุณาติดต่อเจ้าหน้าที่";
        assert_eq!(shingles(thai).jaccard(&shingles(thai)), 1.0);
        assert!(shingles(thai).jaccard(&shingles(other)) < 0.05);
        // Punctuation of these scripts is no word.
        assert_eq!(shingles("面包。").words(), shingles("面包").words());
    }

    #[test]
    fn long_lists_are_sorted_too() {
        let text: String = (0..20_000).map(|n| format!("w{} ", n * 7_919 % 10_007)).collect();
        let shingles = shingles(&text);
        assert!(shingles.hashes().is_sorted_by(|a, b| a < b));
        assert!(shingles.hashes().len() > 10_000);
    }

    #[test]
    fn small_letters_are_those_of_the_standard_library() {
        let nfkc = ComposingNormalizerBorrowed::new_nfkc();
        for c in '\0'..=char::MAX {
            let Some((small, is_word)) = known_letter(c) else { continue };
            let written = c.to_string();
            assert_eq!(small.to_string(), nfkc.normalize(&written).to_lowercase(), "{c:?}");
            assert_eq!(is_word, is_word_edge(c), "{c:?}");
        }
    }

    #[test]
    fn hashes_are_the_same_everywhere() {
        // A kept hash must still mean the same text next year.
        assert_eq!(shingles("Wayleave").hashes(), [finalize_hash(hash_word("wayleave"))]);
        assert_eq!(shingles("Wegerecht für Leitungen").hashes().len(), 3);
        assert_eq!(hash_word("wayleave"), 0x6a88_6fdd_492c_249b);
        assert_eq!(shingles("one two three four five").hashes().len(), 1);
        assert_eq!(shingles("a b c d e f").hashes(), shingles("A. b, c; d e (f)").hashes());
        assert_ne!(hash_word("ab"), hash_word("ba"));
    }

    proptest::proptest! {
        #[test]
        fn likeness_is_symmetric_and_bounded(a in ".{0,200}", b in "[a-e ]{0,60}") {
            let (x, y) = (shingles(&a), shingles(&b));
            let likeness = x.jaccard(&y);
            proptest::prop_assert!((0.0..=1.0).contains(&likeness));
            proptest::prop_assert_eq!(likeness, y.jaccard(&x));
            proptest::prop_assert_eq!(x.jaccard(&x), 1.0);
            proptest::prop_assert!((0.0..=1.0).contains(&x.containment(&y)));
        }
    }
}
