//! Full disks and read-only disks: the service reports them, recovers, and damages nothing.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use contract::{Domain, NamePolicy, Timestamp};
use futures_util::future::join_all;
use proof::KeyStore;
use proof::keys::LogMark;
use service::answers::resolve::LivePolicy;
use service::{SealError, Service};
use store::{Answers, StoreError};
use store_sqlite::SqliteStore;

use crate::answers::{answer, domain};
use crate::killed::{AcknowledgedAnswer, check_log};
use crate::reached_site::answer_of_reached_site;
use crate::retention::resolve;
use crate::world::{HandClock, NOON, build_service_on, open_sound, settings};

/// A small file system that is unmounted when the test ends.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, with a message, if this process may not mount.
    fn new(megabytes: u64) -> Option<Self> {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(disk.at()).unwrap();
        let image = disk.folder.path().join("image");
        File::create(&image).unwrap().set_len(megabytes << 20).unwrap();
        let (image, at) = (image.to_str().unwrap(), disk.at());
        let at = at.to_str().unwrap();
        // No blocks are reserved for root, who runs this. Blocks have 4 KB as on larger disks, because
        // SQLite expects at least that when it reserves its shared memory.
        let mounted = (run_command("mkfs.ext4", &["-q", "-F", "-m", "0", "-b", "4096", image])
            && run_command("mount", &["-o", "loop", image, at]))
            || run_command(
                "mount",
                &["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "small", at],
            );
        if mounted {
            return Some(disk);
        }
        let must = is_root() && std::env::var_os("CI").is_some();
        assert!(!must, "a small file system cannot be mounted although this is root");
        println!("skipped: a small file system cannot be mounted here");
        None
    }

    fn at(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn data(&self) -> PathBuf {
        self.at().join("data")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let at = self.at();
        let at = at.to_str().unwrap();
        // A test that failed may have files open.
        let _ = run_command("umount", &[at]) || run_command("umount", &["-l", at]);
    }
}

fn run_command(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// Writes until nothing goes in any more, not even a byte.
fn fill_up(disk: &SmallDisk) {
    let mut rest = File::create(disk.at().join("rest")).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while rest.write_all(&vec![7; size]).and_then(|()| rest.sync_all()).is_ok() {}
    }
}

/// Content that does not compress, different for each number.
fn incompressible_content(number: u64) -> Bytes {
    let parts = (0..900_u64).map(|n| proof::sha256(&(number << 20 | n).to_be_bytes()).to_hex());
    Bytes::from(format!("\"{}\"", parts.collect::<String>()))
}

struct DiskTest {
    service: Arc<Service>,
    store: Arc<SqliteStore>,
    acknowledged: Vec<AcknowledgedAnswer>,
    next: u64,
}

impl DiskTest {
    async fn open(dir: &Path) -> Self {
        let store = Arc::new(crate::world::open_store(dir));
        let service = build_service_on(dir, settings(), HandClock::new(NOON), store.clone());
        let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
        service.log.open(mark, marked).await.unwrap();
        Self { service, store, acknowledged: Vec::new(), next: 0 }
    }

    /// Seals answers and long entries at once. Returns how many answers were refused because the disk
    /// is full; no other error may occur.
    async fn seal(&mut self, answers: u64, long: u64) -> usize {
        let numbers = self.next..self.next + answers;
        self.next += answers.max(long);
        let entries = (numbers.start..numbers.start + long)
            .map(|number| self.service.log.seal_entry("noise", incompressible_content(number)));
        let sealed = numbers.map(|number| {
            let sealing = self.service.log.seal_answer(answer(number), domain(number));
            async move { (number, sealing.await) }
        });
        let (entries, sealed) = tokio::join!(join_all(entries), join_all(sealed));
        let full = SealError::NotStored(StoreError::Full);
        for refused in entries.into_iter().filter_map(Result::err) {
            assert_eq!(refused, full);
        }
        let mut refused = 0;
        for (number, sealed) in sealed {
            match sealed {
                Ok(stored) => {
                    let (log_index, sha256) = (stored.log_index, stored.sha256);
                    self.acknowledged.push(AcknowledgedAnswer { number, log_index, sha256 });
                }
                Err(error) => {
                    assert_eq!(error, full);
                    refused += 1;
                }
            }
        }
        refused
    }

    async fn assert_readable(&self) {
        let newest = self.service.log.head().unwrap().unwrap();
        assert!(self.service.log.checkpoint().unwrap().is_some());
        for one in self.acknowledged.iter().rev().step_by(1 + self.acknowledged.len() / 20) {
            assert!(one.log_index < newest.chain.tree_size, "acknowledged but not shown");
            assert!(self.store.answer(one.sha256).await.unwrap().is_some(), "{one:?}");
        }
        let size = newest.chain.tree_size;
        assert!(self.service.log.consistency_proof(1, size).await.unwrap().is_some());
    }
}

async fn fill_and_free(megabytes: u64) {
    let Some(disk) = SmallDisk::new(megabytes) else { return };
    let ballast = disk.at().join("ballast");
    let mut file = File::create(&ballast).unwrap();
    // Half of the disk: when the store closes, the write-ahead log is copied into the database.
    file.write_all(&vec![7; usize::try_from(megabytes << 19).unwrap()]).unwrap();
    file.sync_all().unwrap();
    let mut world = DiskTest::open(&disk.data()).await;
    let (mut full, mut rounds) = (0, 0);
    let begun = Instant::now();
    // First with large entries, then until not even one answer fits.
    while full < 3 {
        let long = if full == 0 { 20 } else { 0 };
        let refused = world.seal(8, long).await;
        full += usize::from(refused == 8);
        rounds += 1;
        assert!(rounds < 4_000, "{megabytes} MB never fill up");
    }
    while world.seal(1, 0).await == 0 {}
    assert_eq!(world.service.log.fault(), None, "a full disk must not halt the log");
    world.assert_readable().await;
    assert_eq!(world.seal(1, 0).await, 1, "there is still no space");

    drop(file);
    fs::remove_file(&ballast).unwrap();
    let freed = Instant::now();
    while world.seal(4, 0).await > 0 {
        assert!(freed.elapsed() < Duration::from_secs(20), "sealing does not resume");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let resumed = freed.elapsed();
    // What was refused is sealed when it is submitted again, and only once.
    world.next = 0;
    assert_eq!(world.seal(40, 0).await, 0);
    world.assert_readable().await;
    let DiskTest { service, store, acknowledged, .. } = world;
    service.log.close().await;
    drop((service, store));
    check_log(&disk.data(), &acknowledged, true).await;
    println!(
        "{megabytes} MB: full after {rounds} rounds, {} acknowledged, resumed after {resumed:?}, {:?} in all",
        acknowledged.len(),
        begun.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_reported_and_sealing_resumes_when_there_is_space() {
    fill_and_free(16).await;
}

/// Large enough for the write-ahead log to be copied into the database while the disk is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sealing_recovers_when_the_disk_fills_up_during_a_checkpoint() {
    fill_and_free(44).await;
}

/// After a start on a full disk everything can still be read, and the log says why it seals nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_on_a_full_disk_is_opened_for_reading() {
    let Some(disk) = SmallDisk::new(16) else { return };
    let mut world = DiskTest::open(&disk.data()).await;
    for _ in 0..4 {
        assert_eq!(world.seal(4, 20).await, 0);
    }
    let DiskTest { service, store, acknowledged, .. } = world;
    service.log.close().await;
    drop((service, store));
    fill_up(&disk);
    let store = Arc::new(crate::world::open_store(&disk.data()));
    for one in &acknowledged {
        assert!(store.answer(one.sha256).await.unwrap().is_some(), "{one:?}");
    }
    let service = build_service_on(&disk.data(), settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = LogMark::open(&disk.data().join("keys")).unwrap();
    let fault = service.log.open(mark, marked).await.unwrap_err();
    assert!(fault.to_string().contains("no space left"), "{fault}");
    let refused = service.log.seal_answer(answer(1), domain(1)).await;
    assert_eq!(refused, Err(SealError::Halted(fault.to_string())));
}

async fn assert_kept_answers(service: &Arc<Service>, kept: &[(String, Bytes)], about: &str) {
    for live in [LivePolicy::Never, LivePolicy::Auto, LivePolicy::Always] {
        for (name, bytes) in kept {
            let served = resolve(service, name, live).await;
            assert_eq!(served.bytes, bytes, "{about}: {name}, {live:?}");
        }
    }
}

/// After a restart on a full disk, and behind a log that halted, kept answers are served as their bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_answers_are_served_when_nothing_can_be_sealed() {
    let Some(disk) = SmallDisk::new(16) else { return };
    let DiskTest { service, store, .. } = DiskTest::open(&disk.data()).await;
    let mut kept = Vec::new();
    for number in 0..10 {
        let name = format!("unreached{number}.com");
        kept.push((name.clone(), resolve(&service, &name, LivePolicy::Auto).await.bytes.clone()));
    }
    let at = Timestamp::from_millis(NOON);
    let reached = Domain::parse("reached.com", &NamePolicy::default()).unwrap();
    let sealed = service.log.seal_answer(answer_of_reached_site("reached.com", at), reached);
    sealed.await.unwrap();
    // The example's decisions are not ours; this is made by our rules.
    let reached = resolve(&service, "reached.com", LivePolicy::Never).await;
    kept.push(("reached.com".to_owned(), reached.bytes.clone()));
    service.log.close().await;
    drop((service, store));

    const MINUTES: [i64; 5] = [0, 5, 30, 90, 5 * 60];
    for halted in [true, false] {
        if !halted {
            fill_up(&disk);
        }
        for minutes in MINUTES {
            let clock = HandClock::new(NOON + minutes * 60_000);
            let store = Arc::new(crate::world::open_store(&disk.data()));
            let service = build_service_on(&disk.data(), settings(), clock, store.clone());
            let (mark, marked) = LogMark::open(&disk.data().join("keys")).unwrap();
            let opened = service.log.open(mark, marked).await;
            assert_eq!(opened.is_ok(), halted, "{opened:?}");
            service.log.halt("a test".to_owned());
            let about = format!("halted: {halted}, after {minutes} minutes");
            assert_kept_answers(&service, &kept, &about).await;
            service.log.close().await;
        }
    }
}

/// Fails unless store and keys are refused with an error that names the path.
fn assert_refused(store: &Path, keys: &Path, why: &str) {
    let error = SqliteStore::open(store, Default::default()).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(store.to_str().unwrap()), "{error}");
    assert_keys_refused(keys, why);
}

fn assert_keys_refused(keys: &Path, why: &str) {
    let error = LogMark::open(keys).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(keys.to_str().unwrap()), "{error}");
    let error = KeyStore::open(keys, Timestamp::from_millis(NOON)).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(keys.to_str().unwrap()), "{error}");
}

fn file_contents(dir: &Path) -> Vec<Vec<u8>> {
    ["wayleave.db", "keys/log-mark"].map(|name| fs::read(dir.join(name)).unwrap()).to_vec()
}

#[tokio::test]
async fn a_read_only_directory_is_reported_and_nothing_is_signed() {
    let Some(disk) = SmallDisk::new(16) else { return };
    let dir = disk.data();
    let seal = async |number| {
        let service = open_sound(&dir).await;
        let stored = service.log.seal_answer(answer(number), domain(number)).await.unwrap();
        service.log.close().await;
        stored.log_index
    };
    assert_eq!(seal(0).await, 0);
    let before = file_contents(&dir);
    let at = disk.at();
    let at = at.to_str().unwrap();
    assert!(run_command("mount", &["-o", "remount,ro", at]));
    assert_refused(&dir, &dir.join("keys"), "Read-only file system");
    assert_eq!(file_contents(&dir), before);
    assert!(run_command("mount", &["-o", "remount,rw", at]));
    assert_eq!(seal(1).await, 1);

    // Only the keys are read-only: the store opens, but nothing can be signed.
    let keys = dir.join("keys");
    let keys_path = keys.to_str().unwrap();
    assert!(run_command("mount", &["--bind", keys_path, keys_path]));
    assert!(run_command("mount", &["-o", "remount,bind,ro", keys_path]));
    let before = file_contents(&dir);
    assert_keys_refused(&keys, "Read-only file system");
    assert_eq!(file_contents(&dir)[1], before[1]);
    assert!(run_command("umount", &[keys_path]));
    assert_eq!(seal(2).await, 2);
}

/// Not for root, because file permissions do not restrict root.
#[tokio::test]
async fn a_directory_without_permissions_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    if is_root() {
        println!("skipped: file permissions do not restrict root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    service.log.seal_answer(answer(0), domain(0)).await.unwrap();
    service.log.close().await;
    drop(service);
    let rights = |mode| {
        for name in ["wayleave.lock", "keys/log-mark", "keys/.lock"] {
            let path = dir.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    rights(0o000);
    assert_refused(dir.path(), &dir.path().join("keys"), "Permission denied");
    rights(0o600);
    check_log(dir.path(), &[], true).await;
}
