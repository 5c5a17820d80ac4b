//! The log on a store whose operations fail: before they have any effect, or after they took effect.

use std::sync::Arc;
use std::time::Duration;

use proof::keys::LogMark;
use service::{SealError, Service};
use store::StoreError;

use crate::answers::{answer, domain};
use crate::failing_store::{FailingStore, FailurePoint};
use crate::killed::{AcknowledgedAnswer, check_log};
use crate::world::{HandClock, NOON, build_service_on, settings};

/// What the log does after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedReaction {
    /// The next answer is sealed.
    GoesOn,
    /// Nothing more is sealed.
    Halts,
    /// The next answer finds that the log has changed; after that nothing is sealed.
    HaltsAtTheNext,
}

fn failed() -> StoreError {
    StoreError::Failed { doing: "a test", why: "injected by the test".to_owned() }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable { why: "the disk is gone".to_owned() }
}

fn damaged() -> StoreError {
    StoreError::Damaged { what: "a page".to_owned(), why: "injected by the test".to_owned() }
}

async fn seal(
    service: &Service,
    number: u64,
    acknowledged: &mut Vec<AcknowledgedAnswer>,
) -> Result<(), SealError> {
    let sealed = service.log.seal_answer(answer(number), domain(number)).await?;
    acknowledged.push(AcknowledgedAnswer {
        number,
        log_index: sealed.log_index,
        sha256: sealed.sha256,
    });
    Ok(())
}

async fn check_failure(
    verb: &'static str,
    when: FailurePoint,
    error: StoreError,
    then: ExpectedReaction,
) {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    // By another process, so that the log has to look them up in the store.
    let earlier = crate::world::open_sound(dir.path()).await;
    seal(&earlier, 0, &mut acknowledged).await.unwrap();
    seal(&earlier, 1, &mut acknowledged).await.unwrap();
    earlier.log.close().await;
    drop(earlier);
    let inner = crate::world::open_store(dir.path());
    let store = Arc::new(FailingStore::new(inner));
    let mut settings = settings();
    settings.log.interval = Duration::from_millis(1);
    // Renewed for every batch, so that this can fail too.
    settings.log.lease = Duration::ZERO;
    let service = build_service_on(dir.path(), settings, HandClock::new(NOON), store.clone());
    let (mark, marked) = LogMark::open(&dir.path().join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();

    *store.fault.lock().unwrap() = Some((verb, when, error.clone()));
    // `batch_at` is called only for a leaf that is already in the log.
    let number = if verb == "batch_at" { 0 } else { 2 };
    let about = format!("{verb} {when:?} {error}");
    let refused = seal(&service, number, &mut acknowledged).await;
    assert_eq!(refused, Err(SealError::NotStored(error.clone())), "{about}");
    assert!(store.fault.lock().unwrap().is_none(), "{about}: the fault did not occur");
    let head = service.log.head().unwrap().unwrap();
    assert_eq!(head.chain.tree_size, 2, "{about}: shown but not acknowledged");

    let next = seal(&service, 3, &mut acknowledged).await;
    match then {
        ExpectedReaction::GoesOn => {
            next.unwrap();
            seal(&service, 2, &mut acknowledged).await.unwrap();
            assert_eq!(service.log.fault(), None, "{about}");
        }
        ExpectedReaction::Halts => {
            assert!(matches!(next, Err(SealError::Halted(_))), "{about}: {next:?}")
        }
        ExpectedReaction::HaltsAtTheNext => {
            let moved = matches!(next, Err(SealError::NotStored(StoreError::LogConflict { .. })));
            assert!(moved, "{about}: {next:?}");
            let next = seal(&service, 2, &mut acknowledged).await;
            assert!(matches!(next, Err(SealError::Halted(_))), "{about}: {next:?}");
        }
    }
    assert_eq!(service.log.fault().is_some(), then != ExpectedReaction::GoesOn, "{about}");
    let fatal = service.supervisor().failure().is_some();
    let wanted = matches!(error, StoreError::Unavailable { .. });
    assert_eq!(fatal, wanted, "{about}: whether only a restart helps");
    service.log.close().await;
    drop((service, store));

    // A restart continues from the stored log, and nothing is in the log twice.
    check_log(dir.path(), &acknowledged, true).await;
    let service = crate::world::open_sound(dir.path()).await;
    for number in 0..5 {
        seal(&service, number, &mut acknowledged).await.unwrap();
    }
    assert_eq!(service.log.head().unwrap().unwrap().chain.tree_size, 5, "{about}");
    service.log.close().await;
    drop(service);
    check_log(dir.path(), &acknowledged, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_store_says_of_an_append_the_log_is_not_forked() {
    for error in [failed(), StoreError::Full] {
        check_failure("append", FailurePoint::Before, error.clone(), ExpectedReaction::GoesOn)
            .await;
        check_failure("append", FailurePoint::After, error, ExpectedReaction::HaltsAtTheNext).await;
    }
    for when in [FailurePoint::Before, FailurePoint::After] {
        check_failure("append", when, unavailable(), ExpectedReaction::Halts).await;
    }
    let moved = StoreError::LogConflict { why: "injected by the test".to_owned() };
    check_failure("append", FailurePoint::Before, moved, ExpectedReaction::Halts).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_before_an_append_is_reported_and_stops_only_what_it_must() {
    for verb in ["take_log_lease", "leaf_places", "batch_at"] {
        for when in [FailurePoint::Before, FailurePoint::After] {
            check_failure(verb, when, failed(), ExpectedReaction::GoesOn).await;
            check_failure(verb, when, StoreError::Full, ExpectedReaction::GoesOn).await;
            check_failure(verb, when, unavailable(), ExpectedReaction::Halts).await;
            check_failure(verb, when, damaged(), ExpectedReaction::Halts).await;
        }
    }
}
