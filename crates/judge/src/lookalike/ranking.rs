//! The ranking of well-known names that domains are compared with, and its indexes.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::appearance::LabelAppearance;
use super::registrable::registrable;
use super::typo;

const BUILT_IN: &str = include_str!("../../data/well-known-names.txt");
/// Marks names in the built-in list that are also words of everyday language.
const EVERYDAY_MARK: &str = "word";

/// The first names of the ranking, which count as well known. Only these can make a name `suspected`, and
/// only these are looked for inside longer labels.
pub(super) const WELL_KNOWN: usize = 1_000;
/// Typos are looked for among the first names only. Further down, most similar names are chance.
const TYPO_RANKS: usize = 100_000;
/// The shortest label that is checked for typos. Shorter ones have too many neighbours by chance.
pub(super) const MIN_TYPO_LABEL: usize = 5;
/// The most names with the same key that are compared, best-ranked first.
const MAX_SAME_KEY: usize = 64;

/// A ranking of registrable names with its indexes.
#[derive(Debug)]
pub struct Ranking {
    description: String,
    bad_lines: usize,
    /// All names, concatenated; `ends` has the end of each.
    text: String,
    ends: Vec<u32>,
    by_name: Index,
    /// By the first label without hyphens.
    by_label: Index,
    /// By the appearance of the first label.
    by_looks: Index,
    /// By every form of the first label with one character left out.
    by_shortened: Index,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankingError {
    #[error("the ranking is larger than {} bytes", Ranking::MAX_BYTES)]
    TooLarge,
    #[error("the ranking has more than {} lines", Ranking::MAX_LINES)]
    TooManyLines,
    #[error("no line of the ranking has a valid name ({bad_lines} lines were read)")]
    NoNames { bad_lines: usize },
}

impl Ranking {
    pub const MAX_LINES: usize = 1_000_000;
    pub const MAX_BYTES: usize = 64 << 20;
    const MAX_NAME_BYTES: usize = 253;

    /// The built-in list.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static LIST: OnceLock<Ranking> = OnceLock::new();
        LIST.get_or_init(|| {
            let names = built_in_lines().filter_map(|(name, _)| parse_name(name)).collect();
            let mut ranking = Self::from_names(names, 0);
            ranking.description =
                format!("built-in list of {} well-known names", ranking.ends.len());
            ranking
        })
    }

    /// Parses an operator's ranking: one name per line, the best known first, or `rank,name`. Empty lines
    /// and lines that begin with `#` are skipped; lines without a valid name are counted.
    pub fn parse(text: &str) -> Result<Self, RankingError> {
        if text.len() > Self::MAX_BYTES {
            return Err(RankingError::TooLarge);
        }
        let mut ranked: Vec<(u64, String)> = Vec::new();
        let mut bad_lines = 0;
        for (number, line) in (0_u64..).zip(text.lines()) {
            if number >= Self::MAX_LINES as u64 {
                return Err(RankingError::TooManyLines);
            }
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (rank, name) = match line.split_once(',') {
                Some((rank, name)) => (rank.trim().parse().ok(), name.trim()),
                None => (Some(number), line),
            };
            match (rank, parse_name(name)) {
                (Some(rank), Some(name)) => ranked.push((rank, name)),
                _ => bad_lines += 1,
            }
        }
        if ranked.is_empty() {
            return Err(RankingError::NoNames { bad_lines });
        }
        // Stable: of two names with one rank the earlier line comes first.
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut ranking =
            Self::from_names(ranked.into_iter().map(|(_, name)| name).collect(), bad_lines);
        let digest: String = proof::sha256(text.as_bytes()).to_hex().chars().take(16).collect();
        ranking.description =
            format!("operator's ranking of {} names (SHA-256 {digest}…)", ranking.ends.len());
        Ok(ranking)
    }

    fn from_names(names: Vec<String>, bad_lines: usize) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        let mut seen = BTreeSet::new();
        for name in &names {
            // Several lines can have the same registrable name. Its best rank counts.
            if seen.insert(name.as_str()) {
                text.push_str(name);
                ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            }
        }
        drop(seen);
        let mut ranking = Self {
            description: String::new(),
            bad_lines,
            text,
            ends,
            by_name: Index::default(),
            by_label: Index::default(),
            by_looks: Index::default(),
            by_shortened: Index::default(),
        };
        let places = || (0..ranking.ends.len()).map(|place| (place, ranking.name(place)));
        let by_name = places().map(|(place, name)| (hash_key(name.as_bytes()), place)).collect();
        let by_label = places()
            .map(|(place, name)| (hash_key(without_hyphens(first_label(name)).as_bytes()), place))
            .collect();
        let by_looks = places()
            .map(|(place, name)| {
                (hash_key(LabelAppearance::of(first_label(name)).folded.as_bytes()), place)
            })
            .collect();
        let by_shortened = places()
            .filter(|(place, name)| ranking.checks_typos(*place, first_label(name)))
            .flat_map(|(place, name)| {
                typo::shortened(first_label(name)).map(move |form| (hash_key(&form), place))
            })
            .collect();
        ranking.by_name = by_name;
        ranking.by_label = by_label;
        ranking.by_looks = by_looks;
        ranking.by_shortened = by_shortened;
        ranking
    }

    /// A description of the ranking, for `brand_frame`.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of lines without a valid name.
    #[must_use]
    pub fn bad_lines(&self) -> usize {
        self.bad_lines
    }

    /// Whether the name is in the ranking.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.position_of(name).is_some()
    }

    pub(super) fn position_of(&self, name: &str) -> Option<usize> {
        self.by_name.at(hash_key(name.as_bytes())).find(|place| self.name(*place) == name)
    }

    /// The best-ranked name with this first label, ignoring hyphens.
    pub(super) fn find_label(&self, label: &str) -> Option<usize> {
        let bare = without_hyphens(label);
        self.by_label
            .at(hash_key(bare.as_bytes()))
            .find(|place| without_hyphens(self.label(*place)) == bare)
    }

    /// The best-ranked name with the same appearance and a different spelling.
    pub(super) fn find_lookalike(&self, seen: &LabelAppearance, label: &str) -> Option<usize> {
        self.by_looks.at(hash_key(seen.folded.as_bytes())).find(|place| {
            let other = self.label(*place);
            other != label
                && other.is_ascii()
                && !other.starts_with("xn--")
                && LabelAppearance::of(other).folded == seen.folded
        })
    }

    /// Names whose first label may be one typo away.
    pub(super) fn find_near(&self, label: &str) -> BTreeSet<usize> {
        typo::shortened(label).flat_map(|form| self.by_shortened.at(hash_key(&form))).collect()
    }

    pub(super) fn name(&self, place: usize) -> &str {
        let end = |place: usize| self.ends.get(place).map(|end| *end as usize);
        let start = place.checked_sub(1).map_or(Some(0), end);
        start.zip(end(place)).and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }

    pub(super) fn label(&self, place: usize) -> &str {
        first_label(self.name(place))
    }

    /// Whether typos of this name are looked for. The shorter the label, the better ranked the name must
    /// be, because short labels have more neighbours by chance.
    pub(super) fn checks_typos(&self, place: usize, label: &str) -> bool {
        let reach = match label.len() {
            0..MIN_TYPO_LABEL => 0,
            MIN_TYPO_LABEL..=6 => WELL_KNOWN,
            7..=8 => TYPO_RANKS / 5,
            _ => TYPO_RANKS,
        };
        place < reach && !label.starts_with("xn--") && !is_everyday(label)
    }
}

/// Whether the label is also a word of everyday language.
pub(super) fn is_everyday(label: &str) -> bool {
    static WORDS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        built_in_lines()
            .filter(|(_, mark)| *mark == EVERYDAY_MARK)
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

/// The registrable name in A-labels; `None` if the text is not a name.
fn parse_name(text: &str) -> Option<String> {
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

fn hash_key(bytes: &[u8]) -> u32 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    // Half of the hash is enough, because matches are compared in full.
    (hasher.finish() >> 32) as u32
}

/// Positions in the ranking by key, sorted. Each entry is eight bytes: the key in the upper half, the
/// position in the lower half.
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
            .take(MAX_SAME_KEY)
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
            assert_eq!(parse_name(name).as_deref(), Some(name));
            assert!(["", EVERYDAY_MARK].contains(&mark), "{name} {mark}");
        }
        assert_eq!(ranking.position_of("google.com"), Some(0));
        assert!(is_everyday("apple") && !is_everyday("paypal"));
    }

    #[test]
    fn an_operators_file_is_read_in_either_form() {
        let plain =
            Ranking::parse("# ours\nwww.First.example\n\nsecond.example\nfirst.example\n").unwrap();
        assert_eq!((plain.len(), plain.bad_lines()), (2, 0));
        assert_eq!((plain.name(0), plain.name(1)), ("first.example", "second.example"));
        let csv = Ranking::parse("rank,name\r\n2,b.example\r\n1,a.example\r\n3,\r\n-,c.example\n")
            .unwrap();
        assert_eq!((csv.name(0), csv.name(1)), ("a.example", "b.example"));
        assert_eq!(csv.bad_lines(), 3);
        assert!(csv.description().starts_with("operator's ranking of 2 names (SHA-256 "));
        let idn = Ranking::parse("bücher.example\n").unwrap();
        assert_eq!(idn.name(0), "xn--bcher-kva.example");
    }

    #[test]
    fn what_is_no_ranking_is_refused() {
        assert_eq!(
            Ranking::parse("nothing\nhere at all\n").unwrap_err(),
            RankingError::NoNames { bad_lines: 2 }
        );
        assert_eq!(Ranking::parse("").unwrap_err(), RankingError::NoNames { bad_lines: 0 });
        let long = "\n".repeat(Ranking::MAX_LINES + 1);
        assert_eq!(Ranking::parse(&long).unwrap_err(), RankingError::TooManyLines);
    }

    #[test]
    fn the_index_and_each_lookup_are_bounded() {
        let lines: String = (0..50_000).map(|n| format!("name-number-{n}.example\n")).collect();
        let ranking = Ranking::parse(&lines).unwrap();
        assert_eq!(ranking.len(), 50_000);
        assert!(ranking.by_shortened.0.len() < 50_000 * 20);
        // The upper bound of one look-up: `MAX_SAME_KEY` names for each form of the label.
        let near = ranking.find_near("name-number-1234");
        assert!(near.len() <= 17 * MAX_SAME_KEY, "{}", near.len());
        assert_eq!(ranking.position_of("name-number-49999.example"), Some(49_999));
        assert_eq!(ranking.position_of("name-number-50000.example"), None);
    }
}
