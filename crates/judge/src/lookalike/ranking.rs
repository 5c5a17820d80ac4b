//! The names that others are compared with, in their order, and where to find them.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::fold::Seen;
use super::{registrable, typo};

const BUILT_IN: &str = include_str!("../../data/well-known-names.txt");
/// The mark in the built-in list.
const EVERYDAY: &str = "word";

/// Names below this place are well known: only these can make a name suspected, and only these are
/// looked for inside longer ones.
pub(super) const WELL_KNOWN: usize = 1_000;
/// Slips of the hand are looked for among so many names. Further down, chance neighbours are more
/// than imitations.
const SLIPS: usize = 100_000;
/// Shorter labels have too many neighbours by chance.
pub(super) const SHORTEST_SLIP: usize = 5;
/// Names with the same key that are looked at, the best-ranked first.
const SAME_KEY_MAX: usize = 64;

/// A ranking of registrable names, ready to be asked.
#[derive(Debug)]
pub struct Ranking {
    frame: String,
    bad_lines: usize,
    /// All names, one after the other; `ends` says where each ends.
    text: String,
    ends: Vec<u32>,
    by_name: Index,
    /// By the first label without hyphens.
    by_label: Index,
    /// By what the first label looks like.
    by_looks: Index,
    /// By every form of the first label with one character left out.
    by_shortened: Index,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankingRefusal {
    #[error("the ranking is larger than {} bytes", Ranking::MAX_BYTES)]
    TooLarge,
    #[error("the ranking has more than {} lines", Ranking::MAX_LINES)]
    TooManyLines,
    #[error("no line of the ranking holds a name ({bad_lines} were read)")]
    NoNames { bad_lines: usize },
}

impl Ranking {
    pub const MAX_LINES: usize = 1_000_000;
    pub const MAX_BYTES: usize = 64 << 20;
    const MAX_NAME_BYTES: usize = 253;

    /// The list that comes with the program.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static LIST: OnceLock<Ranking> = OnceLock::new();
        LIST.get_or_init(|| {
            let names = built_in_lines().filter_map(|(name, _)| name_of(name)).collect();
            let mut ranking = Self::of(names, 0);
            ranking.frame = format!("built-in list of {} well-known names", ranking.ends.len());
            ranking
        })
    }

    /// An operator's ranking: a name in each line, the best known first, or `rank,name`. Empty lines
    /// and those that begin with `#` are passed over; lines that hold no name are counted.
    pub fn read(text: &str) -> Result<Self, RankingRefusal> {
        if text.len() > Self::MAX_BYTES {
            return Err(RankingRefusal::TooLarge);
        }
        let mut ranked: Vec<(u64, String)> = Vec::new();
        let mut bad_lines = 0;
        for (number, line) in (0_u64..).zip(text.lines()) {
            if number >= Self::MAX_LINES as u64 {
                return Err(RankingRefusal::TooManyLines);
            }
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (rank, name) = match line.split_once(',') {
                Some((rank, name)) => (rank.trim().parse().ok(), name.trim()),
                None => (Some(number), line),
            };
            match (rank, name_of(name)) {
                (Some(rank), Some(name)) => ranked.push((rank, name)),
                _ => bad_lines += 1,
            }
        }
        if ranked.is_empty() {
            return Err(RankingRefusal::NoNames { bad_lines });
        }
        // Stable: of two names with one rank the earlier line comes first.
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut ranking = Self::of(ranked.into_iter().map(|(_, name)| name).collect(), bad_lines);
        let digest: String = proof::sha256(text.as_bytes()).to_hex().chars().take(16).collect();
        ranking.frame =
            format!("operator's ranking of {} names (SHA-256 {digest}…)", ranking.ends.len());
        Ok(ranking)
    }

    fn of(names: Vec<String>, bad_lines: usize) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        let mut seen = BTreeSet::new();
        for name in &names {
            // Several lines come to one registrable name; its best place counts.
            if seen.insert(name.as_str()) {
                text.push_str(name);
                ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            }
        }
        drop(seen);
        let mut ranking = Self {
            frame: String::new(),
            bad_lines,
            text,
            ends,
            by_name: Index::default(),
            by_label: Index::default(),
            by_looks: Index::default(),
            by_shortened: Index::default(),
        };
        let places = || (0..ranking.ends.len()).map(|place| (place, ranking.name(place)));
        let by_name = places().map(|(place, name)| (key(name.as_bytes()), place)).collect();
        let by_label = places()
            .map(|(place, name)| (key(without_hyphens(first_label(name)).as_bytes()), place))
            .collect();
        let by_looks = places()
            .map(|(place, name)| (key(Seen::of(first_label(name)).looks.as_bytes()), place))
            .collect();
        let by_shortened = places()
            .filter(|(place, name)| ranking.takes_slips(*place, first_label(name)))
            .flat_map(|(place, name)| {
                typo::shortened(first_label(name)).map(move |form| (key(&form), place))
            })
            .collect();
        ranking.by_name = by_name;
        ranking.by_label = by_label;
        ranking.by_looks = by_looks;
        ranking.by_shortened = by_shortened;
        ranking
    }

    /// What the ranking is, for `brand_frame`.
    #[must_use]
    pub fn frame(&self) -> &str {
        &self.frame
    }

    /// Names in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Lines that held no name.
    #[must_use]
    pub fn bad_lines(&self) -> usize {
        self.bad_lines
    }

    /// Whether the name is one of the ranking's own.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.place_of(name).is_some()
    }

    pub(super) fn place_of(&self, name: &str) -> Option<usize> {
        self.by_name.at(key(name.as_bytes())).find(|place| self.name(*place) == name)
    }

    /// The best-ranked name whose first label is this one, hyphens aside.
    pub(super) fn with_label(&self, label: &str) -> Option<usize> {
        let bare = without_hyphens(label);
        self.by_label
            .at(key(bare.as_bytes()))
            .find(|place| without_hyphens(self.label(*place)) == bare)
    }

    /// The best-ranked name that looks so and is written otherwise.
    pub(super) fn that_looks(&self, seen: &Seen, label: &str) -> Option<usize> {
        self.by_looks.at(key(seen.looks.as_bytes())).find(|place| {
            let other = self.label(*place);
            other != label
                && other.is_ascii()
                && !other.starts_with("xn--")
                && Seen::of(other).looks == seen.looks
        })
    }

    /// Names whose first label may be one slip away.
    pub(super) fn near(&self, label: &str) -> BTreeSet<usize> {
        typo::shortened(label).flat_map(|form| self.by_shortened.at(key(&form))).collect()
    }

    pub(super) fn name(&self, place: usize) -> &str {
        let end = |place: usize| self.ends.get(place).map(|end| *end as usize);
        let start = place.checked_sub(1).map_or(Some(0), end);
        start.zip(end(place)).and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }

    pub(super) fn label(&self, place: usize) -> &str {
        first_label(self.name(place))
    }

    /// The shorter a label, the better known a name must be before a neighbour is more than chance.
    pub(super) fn takes_slips(&self, place: usize, label: &str) -> bool {
        let reach = match label.len() {
            0..SHORTEST_SLIP => 0,
            SHORTEST_SLIP..=6 => WELL_KNOWN,
            7..=8 => SLIPS / 5,
            _ => SLIPS,
        };
        place < reach && !label.starts_with("xn--") && !is_everyday(label)
    }
}

/// Whether the label is a word of everyday language as well.
pub(super) fn is_everyday(label: &str) -> bool {
    static WORDS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        built_in_lines()
            .filter(|(_, mark)| *mark == EVERYDAY)
            .map(|(name, _)| first_label(name))
            .collect()
    });
    words.contains(label)
}

fn built_in_lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
}

/// The registrable name in A-labels; nothing for what is no name.
fn name_of(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.len() > Ranking::MAX_NAME_BYTES {
        return None;
    }
    let plain = |text: &str| {
        text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b))
    };
    let name = if plain(text) { text.to_owned() } else { idna::domain_to_ascii(text).ok()? };
    let good = plain(&name)
        && name.contains('.')
        && name.split('.').all(|label| (1..=63).contains(&label.len()));
    good.then(|| registrable(&name).to_owned())
}

pub(super) fn first_label(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

fn without_hyphens(label: &str) -> String {
    label.replace('-', "")
}

fn key(bytes: &[u8]) -> u32 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    // Half of the hash is enough: what is found is compared in full.
    (hasher.finish() >> 32) as u32
}

/// Places by key, sorted, eight bytes each: the key above, the place below.
#[derive(Debug, Default)]
struct Index(Vec<u64>);

impl FromIterator<(u32, usize)> for Index {
    fn from_iter<I: IntoIterator<Item = (u32, usize)>>(entries: I) -> Self {
        let mut packed: Vec<u64> = entries
            .into_iter()
            .map(|(key, place)| (u64::from(key) << 32) | (place as u64 & u64::from(u32::MAX)))
            .collect();
        packed.sort_unstable();
        packed.dedup();
        packed.shrink_to_fit();
        Self(packed)
    }
}

impl Index {
    /// The best-ranked first.
    fn at(&self, key: u32) -> impl Iterator<Item = usize> + '_ {
        let start = self.0.partition_point(|entry| entry >> 32 < u64::from(key));
        self.0
            .iter()
            .skip(start)
            .take_while(move |entry| *entry >> 32 == u64::from(key))
            .take(SAME_KEY_MAX)
            .map(|entry| (entry & u64::from(u32::MAX)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_holds_registrable_names_once() {
        let ranking = Ranking::built_in();
        let written = built_in_lines().count();
        assert!(written > 500);
        assert_eq!(ranking.len(), written);
        for (name, mark) in built_in_lines() {
            assert_eq!(name_of(name).as_deref(), Some(name));
            assert!(["", EVERYDAY].contains(&mark), "{name} {mark}");
        }
        assert_eq!(ranking.place_of("google.com"), Some(0));
        assert!(is_everyday("apple") && !is_everyday("paypal"));
    }

    #[test]
    fn an_operators_file_is_read_in_either_form() {
        let plain =
            Ranking::read("# ours\nwww.First.example\n\nsecond.example\nfirst.example\n").unwrap();
        assert_eq!((plain.len(), plain.bad_lines()), (2, 0));
        assert_eq!((plain.name(0), plain.name(1)), ("first.example", "second.example"));
        let csv = Ranking::read("rank,name\r\n2,b.example\r\n1,a.example\r\n3,\r\n-,c.example\n")
            .unwrap();
        assert_eq!((csv.name(0), csv.name(1)), ("a.example", "b.example"));
        assert_eq!(csv.bad_lines(), 3);
        assert!(csv.frame().starts_with("operator's ranking of 2 names (SHA-256 "));
        let idn = Ranking::read("bücher.example\n").unwrap();
        assert_eq!(idn.name(0), "xn--bcher-kva.example");
    }

    #[test]
    fn what_is_no_ranking_is_refused() {
        assert_eq!(
            Ranking::read("nothing\nhere at all\n").unwrap_err(),
            RankingRefusal::NoNames { bad_lines: 2 }
        );
        assert_eq!(Ranking::read("").unwrap_err(), RankingRefusal::NoNames { bad_lines: 0 });
        let long = "\n".repeat(Ranking::MAX_LINES + 1);
        assert_eq!(Ranking::read(&long).unwrap_err(), RankingRefusal::TooManyLines);
    }

    #[test]
    fn what_is_kept_grows_with_the_names_and_what_is_touched_does_not() {
        let lines: String = (0..50_000).map(|n| format!("name-number-{n}.example\n")).collect();
        let ranking = Ranking::read(&lines).unwrap();
        assert_eq!(ranking.len(), 50_000);
        assert!(ranking.by_shortened.0.len() < 50_000 * 20);
        // The most that one look-up can touch: every form of the label, so many names each.
        let near = ranking.near("name-number-1234");
        assert!(near.len() <= 17 * SAME_KEY_MAX, "{}", near.len());
        assert_eq!(ranking.place_of("name-number-49999.example"), Some(49_999));
        assert_eq!(ranking.place_of("name-number-50000.example"), None);
    }
}
