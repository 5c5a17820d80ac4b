//! RFC 9162: official proofs, our own log vectors, and ct-merkle as the oracle.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use data_encoding::BASE64;
use proof::merkle_tree::{
    BatchTree, consistency_proof, leaf_hash, node_hash, root, verify_consistency, verify_inclusion,
};
use proof::{Digest, sha256};
use proptest::prelude::*;
use serde_json::Value;

use crate::vectors;

fn digest(value: &Value) -> Option<Digest> {
    // Some official cases write an absent digest as null.
    let text = value.as_str().unwrap_or_default();
    BASE64.decode(text.as_bytes()).unwrap().try_into().ok().map(Digest)
}

fn digests(value: &Value) -> Option<Vec<Digest>> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(digest).collect()
}

#[test]
fn official_inclusion_proofs() {
    let files = vectors::json_files("merkle-inclusion");
    for (path, case) in &files {
        let parts =
            digest(&case["leafHash"]).zip(digest(&case["root"])).zip(digests(&case["proof"]));
        let good = parts.is_some_and(|((leaf, root), proof)| {
            let [index, size] = ["leafIdx", "treeSize"].map(|name| case[name].as_u64().unwrap());
            verify_inclusion(&leaf, index, size, &proof, &root)
        });
        assert_eq!(good, case["wantErr"] == false, "{path}");
    }
    assert!(files.is_empty() || files.len() == 98);
}

#[test]
fn official_consistency_proofs() {
    let files = vectors::json_files("merkle-consistency");
    let mut left_out = 0;
    for (path, case) in &files {
        let parts = digest(&case["root1"]).zip(digest(&case["root2"])).zip(digests(&case["proof"]));
        let wanted = case["wantErr"] == false;
        // One case has roots of 12 bytes, equal and so "consistent": no digest of ours, left out.
        if parts.is_none() && wanted {
            left_out += 1;
            continue;
        }
        let good = parts.is_some_and(|((old, new), proof)| {
            let [old_size, new_size] = ["size1", "size2"].map(|name| case[name].as_u64().unwrap());
            verify_consistency(old_size, new_size, &old, &new, &proof)
        });
        assert_eq!(good, wanted, "{path}");
    }
    assert!(files.is_empty() || (files.len(), left_out) == (98, 1), "{} {left_out}", files.len());
}

#[test]
fn our_log_vectors() {
    let Some(file) = vectors::json("log_vectors.json") else { return };
    for batch in file["batches"].as_array().unwrap() {
        let hex = |value: &Value| value.as_str().unwrap().parse::<Digest>().unwrap();
        let leaves: Vec<Digest> =
            batch["leaves_sorted"].as_array().unwrap().iter().map(hex).collect();
        let tree = BatchTree::new(leaves.iter().rev().copied());
        assert_eq!(tree.leaves(), leaves);
        assert_eq!(tree.root(), hex(&batch["root_A"]));
        assert_eq!(root(&leaves), hex(&batch["root_A"]));
        assert_ne!(tree.root(), hex(&batch["root_B"]), "leaves are not hashed again");
        for (index, path) in batch["paths_A"].as_array().unwrap().iter().enumerate() {
            let path: Vec<Digest> = path.as_array().unwrap().iter().map(hex).collect();
            let index = index as u64;
            assert_eq!(tree.path(index).unwrap(), path);
            let leaf = &leaves[index as usize];
            assert!(verify_inclusion(leaf, index, tree.size(), &path, &hex(&batch["root_A"])));
            assert!(!verify_inclusion(leaf, index, tree.size(), &path, &hex(&batch["root_B"])));
        }
    }
}

#[test]
fn small_trees_by_hand() {
    let [a, b, c] = [b"a", b"b", b"c"].map(|content| leaf_hash(content));
    assert_eq!(a, sha256(b"\0a"));
    assert_eq!(node_hash(&a, &b), sha256(&[&[1][..], a.as_bytes(), b.as_bytes()].concat()));
    assert_eq!(root(&[]), sha256(b""));
    assert_eq!(root(&[a]), a);
    assert_eq!(root(&[a, b, c]), node_hash(&node_hash(&a, &b), &c));
    let empty = BatchTree::new([]);
    assert_eq!((empty.size(), empty.root(), empty.path(0)), (0, sha256(b""), None));
    let twice = BatchTree::new([b, a, b, a, c]);
    assert_eq!(twice.size(), 3);
    assert!(twice.leaves().is_sorted());
    for leaf in [a, b, c] {
        let index = twice.index_of(&leaf).unwrap();
        assert!(verify_inclusion(&leaf, index, 3, &twice.path(index).unwrap(), &twice.root()));
    }
    assert_eq!(twice.index_of(&sha256(b"other")), None);
    assert_eq!(twice.path(3), None);
    assert!(!verify_inclusion(&a, 0, 0, &[], &a));
    assert!(verify_inclusion(&a, 0, 1, &[], &a));
    assert!(!verify_inclusion(&a, u64::MAX, u64::MAX, &[], &a));
    assert!(!verify_consistency(0, 3, &root(&[]), &root(&[a, b, c]), &[]));
    assert_eq!(consistency_proof(&[a], 0), None);
    assert_eq!(consistency_proof(&[a], 2), None);
}

fn oracle(count: u64) -> (MemoryBackedTree<sha2::Sha256, [u8; 8]>, Vec<Digest>) {
    let mut tree = MemoryBackedTree::new();
    let mut leaves = Vec::new();
    for n in 0..count {
        tree.push(n.to_be_bytes());
        leaves.push(leaf_hash(&n.to_be_bytes()));
    }
    (tree, leaves)
}

fn pieces(proof: &[u8]) -> Vec<Digest> {
    let (chunks, rest) = proof.as_chunks::<32>();
    assert!(rest.is_empty());
    chunks.iter().copied().map(Digest).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equal_to_the_oracle(count in 1_u64..200, old in 1_u64..200) {
        let (tree, leaves) = oracle(count);
        let whole = root(&leaves);
        let theirs = tree.root();
        prop_assert_eq!(&whole.as_bytes()[..], &theirs.as_bytes()[..]);
        let index = old % count;
        let path = pieces(tree.prove_inclusion(index as usize).as_bytes());
        prop_assert!(verify_inclusion(&leaves[index as usize], index, count, &path, &whole));
        let old = old.min(count);
        let proof = consistency_proof(&leaves, old).unwrap();
        if old < count {
            let theirs = pieces(tree.prove_consistency((count - old) as usize).as_bytes());
            prop_assert_eq!(&proof, &theirs);
        }
        let before = root(&leaves[..old as usize]);
        prop_assert!(verify_consistency(old, count, &before, &whole, &proof));
    }

    #[test]
    fn batches_prove_their_leaves_and_nothing_else(count in 1_u64..120, index in 0_u64..120, bit in 0_usize..256) {
        let tree = BatchTree::new((0..count).map(|n| leaf_hash(&n.to_be_bytes())));
        prop_assert_eq!(tree.root(), root(tree.leaves()));
        let index = index % count;
        let leaf = tree.leaves()[index as usize];
        let path = tree.path(index).unwrap();
        let good = |leaf: &Digest, index, size, path: &[Digest]| verify_inclusion(leaf, index, size, path, &tree.root());
        prop_assert!(good(&leaf, index, count, &path));
        let mut other = leaf;
        other.0[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!good(&other, index, count, &path));
        for wrong in 0..count {
            prop_assert_eq!(good(&leaf, wrong, count, &path), wrong == index);
        }
        prop_assert!(!good(&leaf, index, count, &[&path[..], &[leaf]].concat()));
        if let [shorter @ .., _] = &path[..] {
            prop_assert!(!good(&leaf, index, count, shorter));
            let mut damaged = path.clone();
            damaged[bit % path.len()].0[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!good(&leaf, index, count, &damaged));
        }
    }

    #[test]
    fn a_changed_history_is_not_consistent(count in 2_u64..100, old in 1_u64..100, bit in 0_usize..256) {
        let old = 1 + old % (count - 1);
        let (_, leaves) = oracle(count);
        let proof = consistency_proof(&leaves, old).unwrap();
        let (before, whole) = (root(&leaves[..old as usize]), root(&leaves));
        let mut rewritten = leaves.clone();
        rewritten[bit % old as usize].0[bit / 8] ^= 1;
        let other = root(&rewritten[..old as usize]);
        prop_assert!(!verify_consistency(old, count, &other, &whole, &proof));
        prop_assert!(!verify_consistency(old, count, &before, &root(&rewritten), &proof));
        prop_assert!(!verify_consistency(old, count, &before, &whole, &[&proof[..], &[before]].concat()));
        prop_assert!(!verify_consistency(old, count, &before, &whole, &proof[1..]));
    }
}
