use std::time::Duration;

use super::*;

async fn failure_of(supervisor: &Supervisor) -> Option<String> {
    let failure = tokio::time::timeout(Duration::from_secs(5), supervisor.wait_for_failure()).await;
    failure.ok().map(|failure| failure.to_string())
}

#[tokio::test]
async fn a_task_that_panics_or_returns_is_a_failure() {
    let supervisor = Supervisor::default();
    supervisor.spawn_task("loop", async { panic!("as planned") });
    assert_eq!(failure_of(&supervisor).await.as_deref(), Some("loop: the task panicked"));

    let supervisor = Supervisor::default();
    supervisor.spawn_task("loop", async {});
    assert_eq!(failure_of(&supervisor).await.as_deref(), Some("loop: the task ended"));
}

#[tokio::test]
async fn a_thread_that_panics_or_gives_up_is_a_failure() {
    let supervisor = Supervisor::default();
    let thread = supervisor.spawn_thread("worker", || panic!("as planned")).unwrap();
    thread.wait_for_end().await;
    assert_eq!(failure_of(&supervisor).await.as_deref(), Some("worker: the thread panicked"));
    thread.join();

    let supervisor = Supervisor::default();
    let give_up = || Err("the disk failed".to_owned());
    let thread = supervisor.spawn_thread("worker", give_up).unwrap();
    thread.wait_for_end().await;
    assert_eq!(supervisor.failure().unwrap().to_string(), "worker: the disk failed");
}

#[tokio::test]
async fn an_orderly_end_is_no_failure() {
    let supervisor = Supervisor::default();
    let thread = supervisor.spawn_thread("worker", || Ok(())).unwrap();
    thread.wait_for_end().await;
    thread.join();
    let task = supervisor.spawn_task("loop", std::future::pending());
    supervisor.begin_stop();
    task.abort();
    tokio::time::sleep(Duration::from_millis(20)).await;
    supervisor.report_vanished_threads();
    assert_eq!(supervisor.failure(), None);
}

#[tokio::test]
async fn the_first_failure_is_kept() {
    let supervisor = Supervisor::default();
    supervisor.report_failure("disk", "it failed");
    supervisor.report_failure("worker", "it ended because the disk failed");
    assert_eq!(supervisor.failure().unwrap().part, "disk");
}

#[tokio::test]
async fn a_thread_that_the_kernel_does_not_know_is_a_failure() {
    let supervisor = Supervisor::default();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = supervisor
        .spawn_thread("worker", move || {
            let _ = stopped.recv();
            Ok(())
        })
        .unwrap();
    while supervisor.state.threads.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    supervisor.report_vanished_threads();
    assert_eq!(supervisor.failure(), None, "it is there");
    // No thread has a number above the largest that the kernel gives out.
    supervisor.state.threads.lock().unwrap()[0].set_id(i32::MAX);
    supervisor.report_vanished_threads();
    assert_eq!(supervisor.failure().unwrap().to_string(), "worker: the thread disappeared");
    thread.wait_for_end().await;
    drop(stop);
}
