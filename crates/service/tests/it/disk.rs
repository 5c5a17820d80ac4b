//! Disks that are full, and disks that cannot be written: told, got over, and nothing broken.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use contract::Timestamp;
use futures_util::future::join_all;
use proof::KeyStore;
use proof::keys::LogMark;
use service::{SealError, Service};
use store::{Answers, StoreError};
use store_sqlite::SqliteStore;

use crate::answers::{answer, domain};
use crate::killed::{Told, check};
use crate::world::{HandClock, NOON, build_on, open_sound, settings};

/// A file system of its own, gone with the test.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Nothing where this process may not mount, which is said.
    fn new(megabytes: u64) -> Option<Self> {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(disk.at()).unwrap();
        let image = disk.folder.path().join("image");
        File::create(&image).unwrap().set_len(megabytes << 20).unwrap();
        let (image, at) = (image.to_str().unwrap(), disk.at());
        let at = at.to_str().unwrap();
        // No blocks set aside for root, who runs this; and blocks of 4 KB as on any larger disk,
        // because SQLite counts on no smaller ones when it reserves its shared memory.
        let mounted = (done("mkfs.ext4", &["-q", "-F", "-m", "0", "-b", "4096", image])
            && done("mount", &["-o", "loop", image, at]))
            || done("mount", &["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "small", at]);
        if mounted {
            return Some(disk);
        }
        let must = is_root() && std::env::var_os("CI").is_some();
        assert!(!must, "a small file system cannot be mounted, and root may");
        println!("left out, because a small file system cannot be mounted here");
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
        let _ = done("umount", &[at]) || done("umount", &["-l", at]);
    }
}

fn done(program: &str, arguments: &[&str]) -> bool {
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

/// What does not compress, another for each number.
fn noise(number: u64) -> Bytes {
    let parts = (0..900_u64).map(|n| proof::sha256(&(number << 20 | n).to_be_bytes()).to_hex());
    Bytes::from(format!("\"{}\"", parts.collect::<String>()))
}

struct World {
    service: Arc<Service>,
    store: Arc<SqliteStore>,
    told: Vec<Told>,
    next: u64,
}

impl World {
    async fn open(dir: &Path) -> Self {
        let store = Arc::new(crate::world::store(dir));
        let service = build_on(dir, settings(), HandClock::new(NOON), store.clone());
        let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
        service.open_log(mark, marked).await.unwrap();
        Self { service, store, told: Vec::new(), next: 0 }
    }

    /// Seals so many answers and so many long entries at once; how many answers were refused for
    /// want of space. Nothing else may be wrong.
    async fn seal(&mut self, answers: u64, long: u64) -> usize {
        let numbers = self.next..self.next + answers;
        self.next += answers.max(long);
        let entries = (numbers.start..numbers.start + long)
            .map(|number| self.service.seal_entry("noise", noise(number)));
        let sealed = numbers.map(|number| {
            let sealing = self.service.seal_answer(answer(number), domain(number));
            async move { (number, sealing.await) }
        });
        let (entries, sealed) = tokio::join!(join_all(entries), join_all(sealed));
        let full = SealError::NotKept(StoreError::Full);
        for refused in entries.into_iter().filter_map(Result::err) {
            assert_eq!(refused, full);
        }
        let mut refused = 0;
        for (number, sealed) in sealed {
            match sealed {
                Ok(kept) => {
                    let (log_index, sha256) = (kept.log_index, kept.sha256);
                    self.told.push(Told { number, log_index, sha256 });
                }
                Err(error) => {
                    assert_eq!(error, full);
                    refused += 1;
                }
            }
        }
        refused
    }

    async fn reads(&self) {
        let newest = self.service.log_head().unwrap().unwrap();
        assert!(self.service.log_checkpoint().unwrap().is_some());
        for told in self.told.iter().rev().step_by(1 + self.told.len() / 20) {
            assert!(told.log_index < newest.chain.tree_size, "told of and not shown");
            assert!(self.store.answer(told.sha256).await.unwrap().is_some(), "{told:?}");
        }
        let size = newest.chain.tree_size;
        assert!(self.service.log_consistency(1, size).await.unwrap().is_some());
    }
}

async fn fill_and_free(megabytes: u64) {
    let Some(disk) = SmallDisk::new(megabytes) else { return };
    let ballast = disk.at().join("ballast");
    let mut file = File::create(&ballast).unwrap();
    // Half of it: what is in the write-ahead log goes into the database as well when it closes.
    file.write_all(&vec![7; usize::try_from(megabytes << 19).unwrap()]).unwrap();
    file.sync_all().unwrap();
    let mut world = World::open(&disk.data()).await;
    let (mut full, mut rounds) = (0, 0);
    let begun = Instant::now();
    // First in large pieces, and then until not even one answer fits.
    while full < 3 {
        let long = if full == 0 { 20 } else { 0 };
        let refused = world.seal(8, long).await;
        full += usize::from(refused == 8);
        rounds += 1;
        assert!(rounds < 4_000, "{megabytes} MB never fill up");
    }
    while world.seal(1, 0).await == 0 {}
    assert_eq!(world.service.log_fault(), None, "a full disk is no reason to halt");
    world.reads().await;
    assert_eq!(world.seal(1, 0).await, 1, "there is still no space");

    drop(file);
    fs::remove_file(&ballast).unwrap();
    let freed = Instant::now();
    while world.seal(4, 0).await > 0 {
        assert!(freed.elapsed() < Duration::from_secs(5), "sealing does not go on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let went_on = freed.elapsed();
    // What was refused is sealed when it is asked for again, and once.
    world.next = 0;
    assert_eq!(world.seal(40, 0).await, 0);
    world.reads().await;
    let World { service, store, told, .. } = world;
    service.close_log().await;
    drop((service, store));
    check(&disk.data(), &told, true).await;
    println!(
        "{megabytes} MB: full after {rounds} rounds, {} told, on after {went_on:?}, {:?} in all",
        told.len(),
        begun.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_and_sealing_goes_on_when_there_is_space() {
    fill_and_free(16).await;
}

/// Large enough for the write-ahead log to be copied into the database while the disk is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_is_full_in_the_midst_of_a_checkpoint_is_got_over() {
    fill_and_free(44).await;
}

/// Started on a full disk, everything can still be read, and the log says why it takes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_on_a_full_disk_is_opened_for_reading() {
    let Some(disk) = SmallDisk::new(16) else { return };
    let mut world = World::open(&disk.data()).await;
    for _ in 0..4 {
        assert_eq!(world.seal(4, 20).await, 0);
    }
    let World { service, store, told, .. } = world;
    service.close_log().await;
    drop((service, store));
    fill_up(&disk);
    let store = Arc::new(crate::world::store(&disk.data()));
    for one in &told {
        assert!(store.answer(one.sha256).await.unwrap().is_some(), "{one:?}");
    }
    let service = build_on(&disk.data(), settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = LogMark::open(&disk.data().join("keys")).unwrap();
    let fault = service.open_log(mark, marked).await.unwrap_err();
    assert!(fault.to_string().contains("no space left"), "{fault}");
    let refused = service.seal_answer(answer(1), domain(1)).await;
    assert_eq!(refused, Err(SealError::Halted(fault.to_string())));
}

/// Fails unless each of these is refused with a reason that names the place.
fn refused(store: &Path, keys: &Path, why: &str) {
    let error = SqliteStore::open(store, Default::default()).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(store.to_str().unwrap()), "{error}");
    keys_refused(keys, why);
}

fn keys_refused(keys: &Path, why: &str) {
    let error = LogMark::open(keys).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(keys.to_str().unwrap()), "{error}");
    let error = KeyStore::open(keys, Timestamp::from_millis(NOON)).unwrap_err().to_string();
    assert!(error.contains(why) && error.contains(keys.to_str().unwrap()), "{error}");
}

fn contents(dir: &Path) -> Vec<Vec<u8>> {
    ["wayleave.db", "keys/log-mark"].map(|name| fs::read(dir.join(name)).unwrap()).to_vec()
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_told_and_nothing_is_signed() {
    let Some(disk) = SmallDisk::new(16) else { return };
    let dir = disk.data();
    let seal = async |number| {
        let service = open_sound(&dir).await;
        let kept = service.seal_answer(answer(number), domain(number)).await.unwrap();
        service.close_log().await;
        kept.log_index
    };
    assert_eq!(seal(0).await, 0);
    let before = contents(&dir);
    let at = disk.at();
    let at = at.to_str().unwrap();
    assert!(done("mount", &["-o", "remount,ro", at]));
    refused(&dir, &dir.join("keys"), "Read-only file system");
    assert_eq!(contents(&dir), before);
    assert!(done("mount", &["-o", "remount,rw", at]));
    assert_eq!(seal(1).await, 1);

    // The keys alone: the store opens, and nothing could be signed.
    let keys = dir.join("keys");
    let place = keys.to_str().unwrap();
    assert!(done("mount", &["--bind", place, place]));
    assert!(done("mount", &["-o", "remount,bind,ro", place]));
    let before = contents(&dir);
    keys_refused(&keys, "Read-only file system");
    assert_eq!(contents(&dir)[1], before[1]);
    assert!(done("umount", &[place]));
    assert_eq!(seal(2).await, 2);
}

/// For everybody but root, whom rights do not bind.
#[tokio::test]
async fn a_place_without_rights_is_told() {
    use std::os::unix::fs::PermissionsExt;
    if is_root() {
        println!("left out, because rights do not bind root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    service.seal_answer(answer(0), domain(0)).await.unwrap();
    service.close_log().await;
    drop(service);
    let rights = |mode| {
        for name in ["wayleave.lock", "keys/log-mark", "keys/.lock"] {
            let path = dir.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    rights(0o000);
    refused(dir.path(), &dir.path().join("keys"), "Permission denied");
    rights(0o600);
    check(dir.path(), &[], true).await;
}
