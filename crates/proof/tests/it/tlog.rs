//! The log as others read it: tiles, bundles and checkpoints written here and read by an
//! implementation that shares no code with ours.

use std::collections::BTreeMap;

use contract::Timestamp;
use data_encoding::BASE64;
use proof::merkle_tree::{BatchTree, leaf_hash};
use proof::tlog::{
    Checkpoint, Note, RightEdge, SignatureType, TileFile, TileKind, VerifierKey, cosign,
    encode_entry_bundle, encode_tile_hashes, tile_files_between,
};
use proof::{Digest, KeyPurpose, SigningKey};
use signed_note::{Signer, StandardSigner, StandardVerifier, VerifierList};
use tlog_tiles::{
    Hash, Tile, TileHashReader, TileReader, check_record, check_tree, prove_record, prove_tree,
    record_hash, tree_hash,
};

const ORIGIN: &str = "svc.example/svc-resolve-log-v1";
const SEED: [u8; 32] = [5; 32];

fn key() -> SigningKey {
    SigningKey::from_seed(&SEED, KeyPurpose::LogHeads, Timestamp::from_millis(0)).unwrap()
}

fn verifier() -> VerifierKey {
    VerifierKey::new(ORIGIN, SignatureType::Ed25519, key().public().clone()).unwrap()
}

/// A folder of files, and the checkpoint after every batch.
#[derive(Default)]
struct Written {
    files: BTreeMap<String, Vec<u8>>,
    checkpoints: Vec<String>,
    entries: Vec<Vec<u8>>,
}

/// Batches of these sizes, their leaves sorted, one log.
fn write(batches: &[u64]) -> Written {
    let mut written = Written::default();
    let mut edge = RightEdge::new();
    for (batch, size) in batches.iter().enumerate() {
        let contents = (0..*size).map(|n| format!(r#"{{"batch":{batch},"n":{n}}}"#).into_bytes());
        let by_leaf: BTreeMap<Digest, Vec<u8>> = contents.map(|c| (leaf_hash(&c), c)).collect();
        let tree = BatchTree::new(by_leaf.keys().copied());
        let (before, mut full) = (edge.size(), Vec::new());
        for leaf in tree.leaves() {
            edge.push(*leaf, &mut full);
            written.entries.push(by_leaf[leaf].clone());
        }
        for file in tile_files_between(before, edge.size()) {
            let bytes = match file.kind {
                TileKind::Entries => {
                    let start = file.index as usize * 256;
                    encode_entry_bundle(&written.entries[start..start + usize::from(file.width)])
                        .unwrap()
                }
                TileKind::Hashes { level } if file.is_full() => {
                    let is_at = |tile: &&proof::tlog::FullTile| {
                        (tile.level, tile.index) == (level, file.index)
                    };
                    full.iter().find(is_at).unwrap().hashes.clone()
                }
                TileKind::Hashes { level } => {
                    let hashes = edge.partial_tile(level);
                    assert_eq!(hashes.len(), usize::from(file.width));
                    encode_tile_hashes(hashes)
                }
            };
            written.files.insert(file.to_string(), bytes);
        }
        let checkpoint = Checkpoint::new(ORIGIN, edge.size(), edge.root()).unwrap();
        let mut note = Note::sign(&checkpoint.text(), ORIGIN, &key()).unwrap();
        let at = Timestamp::from_millis(1_700_000_000_000);
        note.add(cosign(&checkpoint, "witness.example/1", &key(), at).unwrap()).unwrap();
        written.checkpoints.push(note.to_string());
    }
    written
}

/// Our path for one of their tiles: theirs contains the tile height.
fn path(tile: &Tile) -> String {
    tile.path().replace("tile/8/", "tile/").replace("/data/", "/entries/")
}

impl TileReader for Written {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, tlog_tiles::Error> {
        // As a client does: if a partial tile is gone, the full one may exist.
        let read = |tile: &Tile| {
            let path = path(tile);
            let full = path.split(".p/").next().unwrap();
            let bytes = self.files.get(&path).or_else(|| self.files.get(full));
            let bytes = bytes.unwrap_or_else(|| panic!("{path} is missing"));
            bytes[..tile.width() as usize * 32].to_vec()
        };
        Ok(tiles.iter().map(read).collect())
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}

#[test]
fn a_second_implementation_reads_the_whole_log() {
    let log = write(&[1, 5, 300, 2000]);
    let known =
        VerifierList::new(vec![Box::new(StandardVerifier::new(&verifier().to_string()).unwrap())]);
    let mut heads: Vec<(u64, Hash)> = Vec::new();
    for written in &log.checkpoints {
        let note = signed_note::Note::from_bytes(written.as_bytes()).unwrap();
        let (verified, others) = note.verify(&known).unwrap();
        assert_eq!((verified.len(), others.len()), (1, 1), "the log's own, and a cosignature");
        let checkpoint = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
        assert_eq!(checkpoint.origin(), ORIGIN);
        heads.push((checkpoint.size(), *checkpoint.hash()));
    }
    assert_eq!(heads.iter().map(|head| head.0).collect::<Vec<_>>(), [1, 6, 306, 2306]);

    let (mut proved, mut consistent) = (0, 0);
    for (size, root) in &heads {
        let reader = TileHashReader::new(*size, *root, &log);
        assert_eq!(tree_hash(*size, &reader).unwrap(), *root);
        for n in
            (0..*size).filter(|n| n.is_multiple_of(37) || n + 1 == *size || (250..260).contains(n))
        {
            let proof = prove_record(*size, n, &reader).unwrap();
            let leaf = record_hash(&log.entries[n as usize]);
            check_record(&proof, *size, *root, n, leaf).unwrap();
            proved += 1;
        }
        for (old, old_root) in heads.iter().filter(|(old, _)| old < size) {
            let proof = prove_tree(*size, *old, &reader).unwrap();
            check_tree(&proof, *size, *root, *old, *old_root).unwrap();
            consistent += 1;
        }
    }
    assert!(proved > 90, "{proved}");
    assert_eq!(consistent, 6);
}

#[test]
fn entries_hash_to_their_leaves() {
    let log = write(&[1, 5, 300, 2000]);
    let mut entries = 0;
    for (name, bytes) in &log.files {
        let file: TileFile = name.parse().unwrap();
        if file.kind != TileKind::Entries {
            continue;
        }
        let leaves = &log.files[&name.replace("/entries/", "/0/")];
        // Parsed by hand: two bytes of length, then the entry.
        let mut rest = &bytes[..];
        for leaf in leaves.chunks(32) {
            let length = usize::from(rest[0]) << 8 | usize::from(rest[1]);
            assert_eq!(record_hash(&rest[2..2 + length]).0, leaf);
            rest = &rest[2 + length..];
            entries += 1;
        }
        assert!(rest.is_empty(), "{name}");
    }
    // Every head left its partial bundle: 1, then 6, then 256 + 50, then 8 × 256 + 2 more.
    assert_eq!(entries, 1 + 6 + 306 + 256 * 8 + 2);
}

#[test]
fn both_write_the_same_files() {
    for (old, new) in
        [(0, 1), (1, 6), (6, 306), (306, 2306), (255, 256), (0, 70_000), (65_535, 65_537)]
    {
        let ours: Vec<String> = tile_files_between(old, new)
            .filter(|file| file.kind != TileKind::Entries)
            .map(|file| file.to_string())
            .collect();
        let theirs: Vec<String> = Tile::new_tiles(8, old, new).iter().map(path).collect();
        assert_eq!(ours, theirs, "{old} {new}");
    }
    for index in [0, 7, 999, 1000, 1_234_067, u64::MAX] {
        let ours = TileFile { kind: TileKind::Entries, index, width: 256 };
        assert_eq!(ours.to_string(), path(&Tile::new(8, 0, index, 256, true)));
    }
}

#[test]
fn both_sign_the_same_note() {
    let material = BASE64.encode(&[&[1][..], &SEED].concat());
    let skey = format!("PRIVATE+KEY+{ORIGIN}+{:08x}+{material}", verifier().id());
    let signer = StandardSigner::new(&skey).unwrap();
    assert_eq!(signer.key_id(), verifier().id());
    let text = Checkpoint::new(ORIGIN, 5, leaf_hash(b"root")).unwrap().text();
    let mut theirs = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
    theirs.add_sigs(&[&signer]).unwrap();
    let ours = Note::sign(&text, ORIGIN, &key()).unwrap();
    assert_eq!(String::from_utf8(theirs.to_bytes()).unwrap(), ours.to_string());
    let read = Note::parse(&theirs.to_bytes()).unwrap();
    assert_eq!(read.verify(&[verifier()]).unwrap().len(), 1);
}

#[test]
fn damage_is_seen_by_the_other_reader_too() {
    let mut log = write(&[1, 5, 300]);
    let note = signed_note::Note::from_bytes(log.checkpoints[2].as_bytes()).unwrap();
    let checkpoint = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
    log.files.get_mut("tile/0/000").unwrap()[32 * 9] ^= 1;
    let reader = TileHashReader::new(306, *checkpoint.hash(), &log);
    let root = *checkpoint.hash();
    let holds = |n: u64| {
        let proof = prove_record(306, n, &reader)?;
        check_record(&proof, 306, root, n, record_hash(&log.entries[n as usize]))
    };
    // The neighbour's proof has the damaged hash in it; a leaf of another tile does not need it.
    assert!(holds(8).is_err());
    assert!(holds(300).is_ok());
}
