//! Tiles and entry bundles as files: their paths, which ones exist, and their content.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::encoding::parse_decimal;
use super::right_edge::{TILE_HEIGHT, TILE_WIDTH};
use crate::ProofError;
use crate::digest::Digest;

/// The longest entry in a bundle: its length is stored in 16 bits.
pub const MAX_ENTRY_BYTES: usize = 65_535;

/// The highest level in a path.
const MAX_LEVEL: u8 = 63;

/// The level and index of a tile of hashes, full or partial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId {
    pub level: u8,
    pub index: u64,
}

impl TileId {
    /// How many hashes the tile has in a log of `size` leaves: 256 if it is complete, 0 if it does
    /// not exist.
    #[must_use]
    pub fn width(self, size: u64) -> u16 {
        let hashes = size.checked_shr(u32::from(self.level) * u32::from(TILE_HEIGHT)).unwrap_or(0);
        let before = self.index.saturating_mul(TILE_WIDTH);
        // At most 256, which fits.
        hashes.saturating_sub(before).min(TILE_WIDTH) as u16
    }

    /// The file of the tile in a log of `size` leaves, if it exists.
    #[must_use]
    pub fn file(self, size: u64) -> Option<TileFile> {
        let width = self.width(size);
        (width > 0).then_some(TileFile {
            kind: TileKind::Hashes { level: self.level },
            index: self.index,
            width,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TileKind {
    /// Hashes of one level of tiles.
    Hashes { level: u8 },
    /// The entries themselves.
    Entries,
}

/// A file below the log's prefix: `tile/<L>/<N>[.p/<W>]` or `tile/entries/<N>[.p/<W>]`, as C2SP
/// tlog-tiles names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileFile {
    pub kind: TileKind,
    pub index: u64,
    /// From 1 to 256; below 256 the file is partial.
    pub width: u16,
}

impl TileFile {
    #[must_use]
    pub fn is_full(&self) -> bool {
        u64::from(self.width) == TILE_WIDTH
    }

    /// The file of the same tile once it is complete.
    #[must_use]
    pub fn full(self) -> Self {
        Self { width: TILE_WIDTH as u16, ..self }
    }

    /// Whether this tile, in a log of `size` leaves, is at least this wide.
    #[must_use]
    pub fn exists_at(&self, size: u64) -> bool {
        let level = match self.kind {
            TileKind::Hashes { level } => level,
            TileKind::Entries => 0,
        };
        self.width <= TileId { level, index: self.index }.width(size)
    }
}

impl fmt::Display for TileFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TileKind::Hashes { level } => write!(f, "tile/{level}/")?,
            TileKind::Entries => f.write_str("tile/entries/")?,
        }
        // Groups of three digits, all but the last with an `x`, so that no file is also a folder.
        let digits = self.index.to_string();
        let pad = (3 - digits.len() % 3) % 3;
        let padded = std::iter::repeat_n('0', pad).chain(digits.chars());
        let last_group = (pad + digits.len()) / 3 - 1;
        for (n, digit) in padded.enumerate() {
            match n % 3 {
                0 if n > 0 && n / 3 < last_group => f.write_str("/x")?,
                0 if n > 0 => f.write_char('/')?,
                0 if last_group > 0 => f.write_char('x')?,
                _ => {}
            }
            f.write_char(digit)?;
        }
        if self.is_full() { Ok(()) } else { write!(f, ".p/{}", self.width) }
    }
}

impl FromStr for TileFile {
    type Err = ProofError;

    /// Parses a path. Only the canonical spelling is accepted.
    fn from_str(path: &str) -> Result<Self, ProofError> {
        parse_path_leniently(path)
            .filter(|file| file.to_string() == path)
            .ok_or(ProofError::Malformed { what: "tile path", why: "it is not in the C2SP form" })
    }
}

/// Accepts some other spellings too: the caller compares the result with the canonical one.
fn parse_path_leniently(path: &str) -> Option<TileFile> {
    let (kind, rest) = path.strip_prefix("tile/")?.split_once('/')?;
    let kind = match kind {
        "entries" => TileKind::Entries,
        level => TileKind::Hashes { level: parse_decimal(level)?.try_into().ok()? },
    };
    if matches!(kind, TileKind::Hashes { level } if level > MAX_LEVEL) {
        return None;
    }
    let (number, width) = match rest.split_once(".p/") {
        Some((number, width)) => (number, parse_decimal(width)?),
        None => (rest, TILE_WIDTH),
    };
    // Seven groups are enough for any 64-bit number.
    if number.len() > 7 * 5 || width == 0 || width > TILE_WIDTH {
        return None;
    }
    let mut index = 0_u64;
    for group in number.split('/') {
        let digits = group.strip_prefix('x').unwrap_or(group);
        if digits.len() != 3 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        index = index.checked_mul(1000)?.checked_add(digits.parse().ok()?)?;
    }
    Some(TileFile { kind, index, width: width.try_into().ok()? })
}

/// Every tile and bundle of a log of `size` leaves: level by level, bundles last.
pub fn tile_files(size: u64) -> impl Iterator<Item = TileFile> {
    tile_files_between(0, size)
}

/// The files to write when the log grows from `old` to `new` leaves, level by level, bundles last.
pub fn tile_files_between(old: u64, new: u64) -> impl Iterator<Item = TileFile> {
    let hashes = (0..=u64::BITS as u8 / TILE_HEIGHT - 1).map(|level| TileKind::Hashes { level });
    hashes.chain([TileKind::Entries]).flat_map(move |kind| {
        let level = match kind {
            TileKind::Hashes { level } => level,
            TileKind::Entries => 0,
        };
        let shift = u32::from(level) * u32::from(TILE_HEIGHT);
        let (from, to) = (old >> shift, new >> shift);
        let first = from / TILE_WIDTH;
        let end = if to > from { to.div_ceil(TILE_WIDTH) } else { first };
        (first..end).map(move |index| TileFile {
            kind,
            index,
            width: TileId { level, index }.width(new),
        })
    })
}

/// The hashes in a tile file: 1 to 256. `None` if the length does not fit.
#[must_use]
pub fn decode_tile_hashes(bytes: &[u8]) -> Option<Vec<Digest>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    let fits = rest.is_empty() && (1..=TILE_WIDTH).contains(&(hashes.len() as u64));
    fits.then(|| hashes.iter().copied().map(Digest).collect())
}

#[must_use]
pub fn encode_tile_hashes(hashes: &[Digest]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.0).collect()
}

/// A bundle of entries. `None` if there are no entries, more than 256, or one that is too long.
#[must_use]
pub fn encode_entry_bundle<E: AsRef<[u8]>>(entries: &[E]) -> Option<Vec<u8>> {
    if !(1..=TILE_WIDTH).contains(&(entries.len() as u64)) {
        return None;
    }
    let mut bytes = Vec::with_capacity(entries.iter().map(|entry| 2 + entry.as_ref().len()).sum());
    for entry in entries {
        let length = u16::try_from(entry.as_ref().len()).ok()?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(entry.as_ref());
    }
    Some(bytes)
}

/// The entries of a bundle, which must hold exactly `width` entries and nothing else.
#[must_use]
pub fn decode_entry_bundle(bytes: &[u8], width: u16) -> Option<Vec<&[u8]>> {
    if !(1..=TILE_WIDTH).contains(&u64::from(width)) {
        return None;
    }
    let mut rest = bytes;
    let mut entries = Vec::with_capacity(usize::from(width));
    for _ in 0..width {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (entry, after) = after.split_at_checked(u16::from_be_bytes(*length).into())?;
        entries.push(entry);
        rest = after;
    }
    rest.is_empty().then_some(entries)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hashes(level: u8, index: u64, width: u16) -> TileFile {
        TileFile { kind: TileKind::Hashes { level }, index, width }
    }

    #[test]
    fn paths_are_those_of_c2sp() {
        for (file, path) in [
            (hashes(0, 0, 256), "tile/0/000"),
            (hashes(0, 1_234_067, 256), "tile/0/x001/x234/067"),
            (hashes(3, 1000, 7), "tile/3/x001/000.p/7"),
            (hashes(63, 999, 255), "tile/63/999.p/255"),
            (
                TileFile { kind: TileKind::Entries, index: 12_345, width: 256 },
                "tile/entries/x012/345",
            ),
            (TileFile { kind: TileKind::Entries, index: 5, width: 1 }, "tile/entries/005.p/1"),
            (hashes(0, u64::MAX, 256), "tile/0/x018/x446/x744/x073/x709/x551/615"),
        ] {
            assert_eq!(file.to_string(), path);
            assert_eq!(path.parse(), Ok(file));
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        for path in [
            "",
            "tile",
            "tile/",
            "tile/0",
            "tile/0/",
            "/tile/0/000",
            "tile/00/000",
            "tile/+1/000",
            "tile/64/000",
            "tile/256/000",
            "tile/-1/000",
            "tile/data/000",
            "tile/0/0",
            "tile/0/0000",
            "tile/0/1",
            "tile/0/x000",
            "tile/0/x000/000",
            "tile/0/x000/067",
            "tile/0/001/067",
            "tile/0/x001/x067",
            "tile/0/x001/x234/067/",
            "tile/0/x001//067",
            "tile/0/x001/../067",
            "tile/0/x018/x446/x744/x073/x709/x551/616",
            "tile/0/x001/x000/x000/x000/x000/x000/x000/000",
            "tile/0/000.p",
            "tile/0/000.p/",
            "tile/0/000.p/0",
            "tile/0/000.p/01",
            "tile/0/000.p/256",
            "tile/0/000.p/1/",
            "tile/0/000.p/1.p/1",
            "tile/0/000 ",
            "tile/0/٠٠٠",
        ] {
            assert!(path.parse::<TileFile>().is_err(), "{path}");
        }
    }

    #[test]
    fn a_size_has_the_tiles_that_c2sp_counts() {
        // The example of the specification: 70,000 leaves.
        let files: Vec<TileFile> = tile_files(70_000).collect();
        let count = |level, full| {
            let of_level = |file: &&TileFile| file.kind == TileKind::Hashes { level };
            files.iter().filter(of_level).filter(|file| file.is_full() == full).count()
        };
        assert_eq!([count(0, true), count(0, false)], [273, 1]);
        assert_eq!([count(1, true), count(1, false)], [1, 1]);
        assert_eq!([count(2, true), count(2, false)], [0, 1]);
        for file in [hashes(0, 273, 112), hashes(1, 1, 17), hashes(2, 0, 1)] {
            assert!(files.contains(&file), "{file}");
        }
        let bundles = files.iter().filter(|file| file.kind == TileKind::Entries);
        assert_eq!(bundles.count(), 274);
        assert_eq!(files.len(), 274 + 2 + 1 + 274);
        assert!(files.iter().all(|file| file.exists_at(70_000)));
        assert!(!hashes(0, 273, 113).exists_at(70_000));
        assert_eq!(tile_files(0).count(), 0);
        let of_256: Vec<String> = tile_files(256).map(|file| file.to_string()).collect();
        assert_eq!(of_256, ["tile/0/000", "tile/1/000.p/1", "tile/entries/000"]);
    }

    #[test]
    fn growth_writes_what_is_new() {
        let between = |old, new| -> Vec<String> {
            tile_files_between(old, new).map(|file| file.to_string()).collect()
        };
        assert_eq!(between(5, 5), [""; 0]);
        assert_eq!(between(7, 5), [""; 0]);
        assert_eq!(between(5, 7), ["tile/0/000.p/7", "tile/entries/000.p/7"]);
        assert_eq!(between(256, 257), ["tile/0/001.p/1", "tile/entries/001.p/1"]);
        assert_eq!(
            between(250, 258),
            [
                "tile/0/000",
                "tile/0/001.p/2",
                "tile/1/000.p/1",
                "tile/entries/000",
                "tile/entries/001.p/2"
            ]
        );
    }

    #[test]
    fn bundles_hold_entries_of_every_length() {
        let entries = [vec![], vec![1], vec![2; MAX_ENTRY_BYTES]];
        let bundle = encode_entry_bundle(&entries).unwrap();
        assert_eq!(bundle.len(), 2 + 3 + 2 + MAX_ENTRY_BYTES);
        assert_eq!(decode_entry_bundle(&bundle, 3).unwrap(), entries);
        for wrong in [0, 1, 2, 4, 256, 257] {
            assert_eq!(decode_entry_bundle(&bundle, wrong), None, "{wrong}");
        }
        assert_eq!(decode_entry_bundle(&bundle[..bundle.len() - 1], 3), None);
        assert_eq!(decode_entry_bundle(&[&bundle[..], &[0]].concat(), 3), None);
        assert_eq!(encode_entry_bundle(&[vec![0; MAX_ENTRY_BYTES + 1]]), None);
        assert_eq!(encode_entry_bundle::<Vec<u8>>(&[]), None);
        assert!(encode_entry_bundle(&[b""; 256]).is_some());
        assert_eq!(encode_entry_bundle(&[b""; 257]), None);
    }

    proptest! {
        #[test]
        fn every_file_has_one_path(level in 0_u8..=63, index in any::<u64>(), shift in 0_u32..64, width in 1_u16..=256, entries: bool) {
            let kind = if entries { TileKind::Entries } else { TileKind::Hashes { level } };
            let file = TileFile { kind, index: index >> shift, width };
            prop_assert_eq!(file.to_string().parse(), Ok(file));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(path in "tile/(entries|[0-9]{1,3})(/x?[0-9]{2,4}){1,8}(\\.p/[0-9]{1,3})?") {
            if let Ok(file) = path.parse::<TileFile>() {
                prop_assert_eq!(file.to_string(), path);
            }
        }

        #[test]
        fn no_path_panics(path in ".*") {
            let _ = path.parse::<TileFile>();
        }

        #[test]
        fn no_bundle_panics(bytes in prop::collection::vec(any::<u8>(), 0..2000), width in any::<u16>()) {
            if let Some(entries) = decode_entry_bundle(&bytes, width) {
                prop_assert_eq!(encode_entry_bundle(&entries), Some(bytes.clone()));
            }
            if let Some(hashes) = decode_tile_hashes(&bytes) {
                prop_assert_eq!(encode_tile_hashes(&hashes), bytes);
            }
        }

        #[test]
        fn any_size_has_a_width_for_any_tile(level in any::<u8>(), index in any::<u64>(), size in any::<u64>()) {
            let width = TileId { level, index }.width(size);
            prop_assert!(width <= 256);
        }
    }
}
