use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rusqlite::{ErrorCode, ffi};

use super::*;

fn table() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let connection = crate::connect::writer_connection(&dir.path().join("test.db")).unwrap();
    connection.execute_batch("CREATE TABLE kept (x INTEGER PRIMARY KEY) STRICT").unwrap();
    (dir, connection)
}

async fn put(writer: &Writer, x: i64) -> Result<(), StoreError> {
    writer
        .write("putting", 8, move |connection| {
            connection.execute("INSERT INTO kept (x) VALUES (?1)", [x])?;
            Ok(())
        })
        .await
}

fn stored_rows(dir: &tempfile::TempDir) -> Vec<i64> {
    let connection = Connection::open(dir.path().join("test.db")).unwrap();
    let mut statement = connection.prepare("SELECT x FROM kept ORDER BY x").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn io_error() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC), None)
}

#[tokio::test]
async fn writes_that_wait_together_share_a_commit_and_keep_their_own_fate() {
    let (dir, connection) = table();
    let commits = Arc::new(AtomicI32::new(0));
    let gate = Arc::new(AtomicBool::new(false));
    let (counter, opened) = (Arc::clone(&commits), Arc::clone(&gate));
    let writer = Writer::start_with(
        connection,
        Box::new(move |connection| {
            // The first commit takes long, so that the rest must wait together.
            while !opened.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            counter.fetch_add(1, Ordering::Relaxed);
            connection.execute_batch("COMMIT")
        }),
        &Supervisor::default(),
    )
    .unwrap();
    let writes = futures_util::future::join_all([1, 2, 3, 2, 4, 1, 5].map(|x| put(&writer, x)));
    let open = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        gate.store(true, Ordering::Relaxed);
    };
    let (results, ()) = tokio::join!(writes, open);
    let fates: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(fates, [true, true, true, false, true, false, true]);
    assert!(commits.load(Ordering::Relaxed) <= 3, "{commits:?}");
    drop(writer);
    assert_eq!(stored_rows(&dir), [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_refused_write_leaves_nothing_of_itself() {
    let (dir, connection) = table();
    let writer = Writer::start(connection, &Supervisor::default()).unwrap();
    let half = writer.write("half a write", 8, |connection| {
        connection.execute("INSERT INTO kept (x) VALUES (7)", [])?;
        Err::<(), _>(StoreError::Full.into())
    });
    assert_eq!(half.await, Err(StoreError::Full));
    put(&writer, 8).await.unwrap();
    drop(writer);
    assert_eq!(stored_rows(&dir), [8]);
}

#[tokio::test]
async fn a_commit_that_fails_on_the_disk_is_never_tried_again() {
    let (dir, connection) = table();
    let commits = Arc::new(AtomicI32::new(0));
    let counter = Arc::clone(&commits);
    let supervisor = Supervisor::default();
    let writer = Writer::start_with(
        connection,
        Box::new(move |connection| match counter.fetch_add(1, Ordering::Relaxed) {
            1 => Err(io_error()),
            _ => connection.execute_batch("COMMIT"),
        }),
        &supervisor,
    )
    .unwrap();
    put(&writer, 1).await.unwrap();
    let failed = put(&writer, 2).await.unwrap_err();
    assert!(
        matches!(&failed, StoreError::Unavailable { why } if why.contains("disk I/O")),
        "{failed}"
    );
    for x in 3..10 {
        assert_eq!(put(&writer, x).await, Err(failed.clone()), "{x}");
    }
    assert_eq!(commits.load(Ordering::Relaxed), 2, "nothing was committed afterwards");
    let failure = supervisor.wait_for_failure().await;
    assert_eq!(failure.part, "store-writer");
    assert!(failure.why.contains("disk I/O"), "{failure}");
    drop(writer);
    assert_eq!(stored_rows(&dir), [1]);
}

#[tokio::test]
async fn a_write_that_fails_on_the_disk_takes_its_group_with_it() {
    let (dir, connection) = table();
    let writer = Writer::start(connection, &Supervisor::default()).unwrap();
    put(&writer, 1).await.unwrap();
    let failed =
        writer.write("failing", 8, |_| Err::<(), _>(DatabaseError::Sqlite(io_error()))).await;
    assert!(matches!(failed, Err(StoreError::Unavailable { .. })), "{failed:?}");
    assert!(matches!(put(&writer, 2).await, Err(StoreError::Unavailable { .. })));
    drop(writer);
    assert_eq!(stored_rows(&dir), [1]);
}

#[tokio::test]
async fn a_panic_of_the_thread_is_reported_and_every_caller_is_answered() {
    let (dir, connection) = table();
    let supervisor = Supervisor::default();
    let writer = Writer::start(connection, &supervisor).unwrap();
    put(&writer, 1).await.unwrap();
    let panicking = writer.write::<()>("panicking", 8, |_| panic!("as planned"));
    let (first, panicked, last) = tokio::join!(put(&writer, 2), panicking, put(&writer, 3));
    for result in [panicked, last, put(&writer, 4).await] {
        assert!(matches!(result, Err(StoreError::Unavailable { .. })), "{result:?}");
    }
    let failure = supervisor.wait_for_failure().await;
    assert_eq!(failure.to_string(), "store-writer: the thread panicked");
    drop(writer);
    let acknowledged = if first.is_ok() { vec![1, 2] } else { vec![1] };
    assert_eq!(stored_rows(&dir), acknowledged);
}

#[tokio::test]
async fn a_full_disk_is_reported_and_survived() {
    let (dir, connection) = table();
    let writer = Writer::start(connection, &Supervisor::default()).unwrap();
    let limit = |pages: i64| {
        writer.write("limiting", 0, move |connection| {
            Ok(connection.pragma_update(None, "max_page_count", pages)?)
        })
    };
    limit(4).await.unwrap();
    let large = || {
        writer.write("filling", 0, |connection| {
            connection.execute_batch(
                "CREATE TABLE IF NOT EXISTS large (x BLOB) STRICT;
                 INSERT INTO large (x) VALUES (zeroblob(1000000))",
            )?;
            Ok(())
        })
    };
    let neighbours = tokio::join!(put(&writer, 1), large(), put(&writer, 2));
    assert_eq!(neighbours.1, Err(StoreError::Full));
    for result in [&neighbours.0, &neighbours.2] {
        assert!(matches!(result, Ok(()) | Err(StoreError::Full)), "{result:?}");
    }
    limit(1_000_000).await.unwrap();
    large().await.unwrap();
    put(&writer, 3).await.unwrap();
    drop(writer);
    let acknowledged: Vec<i64> = [(neighbours.0, 1), (neighbours.2, 2), (Ok(()), 3)]
        .into_iter()
        .filter_map(|(result, x)| result.is_ok().then_some(x))
        .collect();
    assert_eq!(stored_rows(&dir), acknowledged);
}

#[tokio::test]
async fn the_log_is_copied_back_while_writing_and_gone_at_the_end() {
    let (dir, connection) = table();
    let writer = Writer::start(connection, &Supervisor::default()).unwrap();
    let log = dir.path().join("test.db-wal");
    let mut longest = 0;
    for _ in 0..100 {
        writer
            .write("filling", 0, |connection| {
                connection.execute_batch(
                    "CREATE TABLE IF NOT EXISTS large (x BLOB) STRICT;
                     INSERT INTO large (x) VALUES (zeroblob(1000000))",
                )?;
                Ok(())
            })
            .await
            .unwrap();
        longest = longest.max(std::fs::metadata(&log).unwrap().len());
    }
    // 100 MB were written; the log starts over every 16 MiB.
    assert!(longest < 20_000_000, "{longest}");
    drop(writer);
    let left = std::fs::metadata(&log).map_or(0, |facts| facts.len());
    assert_eq!(left, 0, "an orderly end empties the log");
}

#[tokio::test]
async fn what_waits_when_the_store_is_dropped_is_still_written() {
    let (dir, connection) = table();
    let writer = Writer::start(connection, &Supervisor::default()).unwrap();
    let queue = Arc::clone(&writer.queue);
    for x in 0..50 {
        let (reply, _) = oneshot::channel();
        let write = move |connection: &Connection| {
            connection.execute("INSERT INTO kept (x) VALUES (?1)", [x])?;
            Ok(())
        };
        let permit = Arc::clone(&writer.permits).acquire_owned().await.unwrap();
        let waiting =
            WaitingWrite { doing: "", bytes: 0, write, result: None, reply, _permit: permit };
        assert!(queue.push(Box::new(waiting)).is_ok());
    }
    drop(queue);
    drop(writer);
    assert_eq!(stored_rows(&dir), (0..50).collect::<Vec<_>>());
}

#[test]
fn what_is_fatal_and_what_is_not() {
    for (code, fatal) in [
        (ffi::SQLITE_IOERR_FSYNC, true),
        (ffi::SQLITE_IOERR_WRITE, true),
        (ffi::SQLITE_CORRUPT, true),
        (ffi::SQLITE_NOTADB, true),
        (ffi::SQLITE_FULL, false),
        (ffi::SQLITE_BUSY, false),
        (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, false),
    ] {
        let refused =
            DatabaseError::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert_eq!(refused.is_fatal(), fatal, "{code}");
    }
    assert_eq!(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC).code, ErrorCode::SystemIoFailure);
}

#[tokio::test]
async fn callers_that_come_back_together_are_committed_together() {
    let (dir, connection) = table();
    let commits = Arc::new(AtomicI32::new(0));
    let counter = Arc::clone(&commits);
    let writer = Writer::start_with(
        connection,
        Box::new(move |connection| {
            counter.fetch_add(1, Ordering::Relaxed);
            connection.execute_batch("COMMIT")
        }),
        &Supervisor::default(),
    )
    .unwrap();
    let callers = (0..50).map(|caller| {
        let writer = &writer;
        async move {
            for number in 0..10 {
                put(writer, caller * 10 + number).await.unwrap();
            }
        }
    });
    futures_util::future::join_all(callers).await;
    // Ten at best; a lone first write, and a busy machine, cost a few more.
    assert!(commits.load(Ordering::Relaxed) < 100, "{commits:?}");
    drop(writer);
    assert_eq!(stored_rows(&dir).len(), 500);
}

/// A commit that waits until the gate is set, so that the writes after the first must wait together.
fn commit_behind_gate() -> (Arc<AtomicBool>, Commit) {
    let gate = Arc::new(AtomicBool::new(false));
    let opened = Arc::clone(&gate);
    let commit: Commit = Box::new(move |connection| {
        while !opened.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        connection.execute_batch("COMMIT")
    });
    (gate, commit)
}

#[tokio::test]
async fn a_refused_write_has_the_others_of_its_group_repeated_once() {
    let (dir, connection) = table();
    let (gate, commit) = commit_behind_gate();
    let writer = Writer::start_with(connection, commit, &Supervisor::default()).unwrap();
    let runs = Arc::new(AtomicI32::new(0));
    let counted = |x: i64, refused: bool| {
        let (writer, runs) = (&writer, Arc::clone(&runs));
        async move {
            let write = move |connection: &Connection| {
                runs.fetch_add(1, Ordering::Relaxed);
                connection.execute("INSERT INTO kept (x) VALUES (?1)", [x])?;
                if refused { Err(StoreError::Full.into()) } else { Ok(x) }
            };
            writer.write("counting", 8, write).await
        }
    };
    let first = put(&writer, 1);
    let group = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        tokio::join!(counted(2, false), counted(3, true), counted(4, false))
    };
    let open = async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        gate.store(true, Ordering::Relaxed);
    };
    let (first, group, ()) = tokio::join!(first, group, open);
    assert_eq!((first, group), (Ok(()), (Ok(2), Err(StoreError::Full), Ok(4))));
    // 2 and 3 without savepoints, then all three with them.
    assert_eq!(runs.load(Ordering::Relaxed), 5);
    drop(writer);
    assert_eq!(stored_rows(&dir), [1, 2, 4]);
}

#[tokio::test]
async fn a_write_that_ignores_that_sqlite_rolled_back_has_its_group_refused() {
    let (dir, connection) = table();
    let (gate, commit) = commit_behind_gate();
    let writer = Writer::start_with(connection, commit, &Supervisor::default()).unwrap();
    let first = put(&writer, 1);
    let group = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let careless = writer.write("ignoring an error", 8, |connection| {
            // The row is there: SQLite ends the transaction by itself, and with it what was put before.
            let _ = connection.execute("INSERT OR ROLLBACK INTO kept (x) VALUES (1)", []);
            assert!(connection.is_autocommit());
            Ok(())
        });
        tokio::join!(put(&writer, 2), careless, put(&writer, 3))
    };
    let open = async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        gate.store(true, Ordering::Relaxed);
    };
    let (first, group, ()) = tokio::join!(first, group, open);
    let was_stored = [group.0.is_ok(), group.1.is_ok(), group.2.is_ok()];
    assert_eq!((first, was_stored), (Ok(()), [false; 3]));
    put(&writer, 4).await.unwrap();
    drop(writer);
    assert_eq!(stored_rows(&dir), [1, 4]);
}
