//! Sealed answers come back with proofs that verify.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use proof::merkle_tree::{verify_consistency, verify_inclusion};
use service::{LogSettings, SealError};

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, assert_verifies, open, open_sound, policy, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_logged_signed_and_stored_when_it_is_returned() {
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    let sealed = join_all((0..40).map(|n| service.log.seal_answer(answer(n), domain(n)))).await;
    let keys = policy(&service);
    let mut places = BTreeSet::new();
    for answer in &sealed {
        let answer = answer.as_ref().unwrap();
        assert_verifies(answer, &keys);
        assert!(places.insert(answer.log_index), "two answers have one log index");
    }
    assert_eq!(places, (0..40).collect());
    service.log.close().await;
    drop(service);

    // After a restart nothing has changed, and the same decision has the same log index.
    let service = open_sound(dir.path()).await;
    let again = service.log.seal_answer(answer(3), domain(3)).await.unwrap();
    assert_eq!(&again, sealed[3].as_ref().unwrap());
    assert_eq!(service.log.head().unwrap().unwrap().chain.tree_size, 40);
    service.log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_are_as_large_as_they_may_be_and_no_larger() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.log =
        LogSettings { max_leaves: 16, interval: Duration::from_secs(3600), ..settings.log };
    let (service, opened) = open(dir.path(), settings, HandClock::new(NOON)).await;
    opened.unwrap();
    // The first goes alone; then only a full batch is closed within the hour.
    service.log.seal_entry("x", Bytes::from_static(b"{\"first\":1}")).await.unwrap();
    let many = join_all((0..32).map(|n| service.log.seal_answer(answer(n), domain(n)))).await;
    assert!(many.iter().all(Result::is_ok));
    let head = service.log.head().unwrap().unwrap();
    assert_eq!((head.chain.batch, head.chain.batch_size, head.chain.tree_size), (2, 16, 33));
    // What is waiting when the service stops is sealed.
    let late = tokio::spawn({
        let service = Arc::clone(&service);
        async move { service.log.seal_answer(answer(99), domain(99)).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!late.is_finished(), "the batch is neither full nor due");
    service.log.close().await;
    assert_eq!(late.await.unwrap().unwrap().log_index, 33);
    let refused = service.log.seal_answer(answer(100), domain(100)).await.unwrap_err();
    assert!(matches!(refused, SealError::Halted(_)), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proofs_hold_between_all_heads_and_for_every_leaf() {
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    let mut leaves = Vec::new();
    for size in [1_u64, 5, 7, 300, 2] {
        let sealed = join_all((0..size).map(|n| {
            let content = Bytes::from(format!("{{\"batch\":{size},\"n\":{n}}}"));
            service.log.seal_entry("test", content)
        }))
        .await;
        leaves.extend(sealed.into_iter().map(|sealed| sealed.unwrap().leaf));
    }
    let newest = service.log.head().unwrap().unwrap();
    let size = newest.chain.tree_size;
    assert_eq!(size, 315);
    for leaf in leaves {
        let found = service.log.inclusion_proof(leaf, None).await.unwrap().unwrap();
        let head = &found.sealed.head.chain;
        assert!(verify_inclusion(
            &leaf,
            found.sealed.index,
            head.batch_size,
            &found.sealed.path,
            &head.batch_root
        ));
        assert_eq!(Some(found.tree_root), newest.tree_root);
        let at = found.sealed.log_index;
        assert!(verify_inclusion(&leaf, at, size, &found.tree_path, &found.tree_root));
        let entry = service.log.entry(leaf).await.unwrap().unwrap();
        assert_eq!(proof::merkle_tree::leaf_hash(&entry.content), leaf);
    }
    for from in [1, 2, 6, 13, 255, 256, 257, 313, 315] {
        for to in [1, 6, 13, 256, 300, 315] {
            let found = service.log.consistency_proof(from, to).await.unwrap();
            assert_eq!(found.is_some(), from <= to, "{from} {to}");
            let Some(found) = found else { continue };
            let (old, new) = (&found.from.1, &found.to.1);
            assert!(verify_consistency(from, to, old, new, &found.proof), "{from} {to}");
        }
    }
    assert_eq!(service.log.consistency_proof(0, 5).await, Ok(None));
    assert_eq!(service.log.consistency_proof(1, 316).await, Ok(None));
    let unknown = proof::sha256(b"unknown");
    assert_eq!(service.log.inclusion_proof(unknown, None).await, Ok(None));
    service.log.close().await;
}

#[tokio::test]
async fn what_is_too_long_is_refused_and_what_just_fits_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    let content = |length: usize| Bytes::from(format!("\"{}\"", "x".repeat(length - 2)));
    assert_eq!(service.log.seal_entry("x", content(65_536)).await, Err(SealError::TooLarge));
    service.log.seal_entry("x", content(65_535)).await.unwrap();
    service.log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_long_entries_are_split_into_batches_that_a_store_accepts() {
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    let long = |n: usize| Bytes::from(format!("\"{n:06}{}\"", "x".repeat(65_000)));
    let sealed = join_all((0..400).map(|n| service.log.seal_entry("x", long(n)))).await;
    assert!(sealed.iter().all(Result::is_ok), "26 MB at once");
    assert!(service.log.head().unwrap().unwrap().chain.batch >= 3);
    service.log.close().await;
}

#[tokio::test]
async fn nothing_is_sealed_before_the_log_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::world::open_store(dir.path());
    let service = crate::world::build_service(dir.path(), settings(), HandClock::new(NOON), store);
    let refused = service.log.seal_answer(answer(1), domain(1)).await;
    assert_eq!(refused.unwrap_err(), SealError::NotOpen);
    assert!(service.log.head().is_err() && service.log.fault().is_some());
}
