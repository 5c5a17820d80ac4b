//! What is proved of the log, checked the way a stranger would.

use proof::{
    Digest,
    merkle_tree::{verify_consistency, verify_inclusion},
};
use serde_json::{Value, json};

use super::fixture::{TestServer, digest, digests, start};

/// A log whose heads are at sizes of every shape, and those heads.
async fn grown() -> (TestServer, Vec<Value>) {
    let test_server = start().await;
    for (from, count) in [(0, 1), (1, 2), (3, 5), (8, 8), (16, 1), (17, 40), (57, 7)] {
        test_server.enter(from, count).await;
    }
    let sths = test_server.json("/api/v1/log/sths?n=200", "log-sths").await;
    let mut heads = sths["sths"].as_array().unwrap().clone();
    heads.reverse();
    (test_server, heads)
}

fn size(head: &Value) -> u64 {
    head["tree_size"].as_u64().unwrap()
}

#[tokio::test]
async fn the_log_only_grew_between_any_two_heads() {
    let (test_server, heads) = grown().await;
    assert!(heads.len() >= 7);
    for (older, from) in heads.iter().enumerate() {
        for to in heads.iter().skip(older) {
            let path = format!("/api/v1/log/consistency?from={}&to={}", size(from), size(to));
            let proved = test_server.json(&path, "log-consistency").await;
            // The roots are those that were signed.
            assert_eq!(
                proved["from"],
                json!({ "tree_size": size(from), "tree_root": from["tree_root"] })
            );
            assert_eq!(
                proved["to"],
                json!({ "tree_size": size(to), "tree_root": to["tree_root"] })
            );
            let (a, b) = (digest(&from["tree_root"]), digest(&to["tree_root"]));
            let proof = digests(&proved["proof"]);
            assert!(verify_consistency(size(from), size(to), &a, &b, &proof), "{path}");
            if size(from) < size(to) {
                let other = proof::sha256(b"another");
                assert!(!verify_consistency(size(from), size(to), &other, &b, &proof));
            }
        }
    }
    let newest = size(heads.last().unwrap());
    let open = test_server.get("/api/v1/log/consistency?from=1").await;
    assert_eq!(open.json()["to"]["tree_size"], newest);
    assert_eq!(open.header("cache-control"), Some("public, max-age=30"));
    let closed = test_server.get(&format!("/api/v1/log/consistency?from=1&to={newest}")).await;
    assert_eq!(closed.header("cache-control"), Some("public, max-age=31536000, immutable"));
}

#[tokio::test]
async fn every_leaf_is_proved_under_its_head_and_under_later_ones() {
    let (test_server, heads) = grown().await;
    for head in &heads {
        let batch = head["batch"].as_u64().unwrap();
        let shown = test_server.json(&format!("/api/v1/log/leaves/{batch}"), "log-leaves").await;
        for (index, leaf) in digests(&shown["leaves"]).iter().enumerate() {
            if index % 3 > 0 {
                continue;
            }
            for later in heads.iter().skip(usize::try_from(batch).unwrap()).step_by(2) {
                let path = format!("/api/v1/log/inclusion?leaf={leaf}&tree_size={}", size(later));
                let proved = test_server.json(&path, "log-inclusion").await;
                assert_eq!(proved["sth"], *head);
                assert_eq!(proved["index"], index);
                let log_index = head["first_index"].as_u64().unwrap() + index as u64;
                assert_eq!(proved["log_index"], log_index);
                assert!(verify_inclusion(
                    leaf,
                    index as u64,
                    head["batch_size"].as_u64().unwrap(),
                    &digests(&proved["path"]),
                    &digest(&head["batch_root"]),
                ));
                assert_eq!(proved["tree_root"], later["tree_root"]);
                assert!(verify_inclusion(
                    leaf,
                    log_index,
                    size(later),
                    &digests(&proved["tree_path"]),
                    &digest(&later["tree_root"]),
                ));
            }
            if batch > 0 {
                let before = size(&heads[usize::try_from(batch).unwrap() - 1]);
                let path = format!("/api/v1/log/inclusion?leaf={leaf}&tree_size={before}");
                let reply = test_server.get(&path).await;
                assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"));
            }
        }
    }
}

#[tokio::test]
async fn a_leaf_that_is_not_in_a_batch_is_between_neighbours() {
    let (test_server, heads) = grown().await;
    let (mut first, mut last, mut between) = (0, 0, 0);
    for head in &heads {
        let (batch, size) = (&head["batch"], head["batch_size"].as_u64().unwrap());
        let root = digest(&head["batch_root"]);
        let check = |side: &Value| -> Option<(Digest, u64)> {
            if side.is_null() {
                return None;
            }
            let (leaf, index) = (digest(&side["leaf_hash"]), side["index"].as_u64().unwrap());
            assert!(verify_inclusion(&leaf, index, size, &digests(&side["path"]), &root));
            Some((leaf, index))
        };
        let edges = [Digest([0; 32]), Digest([255; 32])];
        for probe in (0..8_u8).map(|n| proof::sha256(&[n])).chain(edges) {
            let path = format!("/api/v1/log/absence?batch={batch}&leaf={probe}");
            let proved = test_server.json(&path, "log-absence").await;
            assert_eq!((&proved["state"], &proved["found"]), (&json!("absent"), &Value::Null));
            assert_eq!(proved["sth"], *head);
            match (check(&proved["left"]), check(&proved["right"])) {
                (Some((left, at)), Some((right, next))) => {
                    assert!(left < probe && probe < right && at + 1 == next);
                    between += 1;
                }
                (Some((left, at)), None) => {
                    assert!(left < probe && at + 1 == size);
                    last += 1;
                }
                (None, Some((right, at))) => {
                    assert!(probe < right && at == 0);
                    first += 1;
                }
                (None, None) => panic!("nothing is proved"),
            }
        }
        let leaves = test_server.json(&format!("/api/v1/log/leaves/{batch}"), "log-leaves").await;
        let there = leaves["leaves"][0].as_str().unwrap();
        let path = format!("/api/v1/log/absence?batch={batch}&leaf={there}");
        let found = test_server.json(&path, "log-absence").await;
        assert_eq!((&found["state"], &found["left"]), (&json!("included"), &Value::Null));
        assert_eq!(check(&found["found"]), Some((there.parse().unwrap(), 0)));
    }
    assert!(first > 0 && last > 0 && between > 0, "{first} {last} {between}");
}
