//! Cuts the power of a disk under load at arbitrary times: every acknowledged entry is in the log exactly
//! once afterwards. Killing a process does not show this, because what it wrote is still in memory.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::killed::{AcknowledgedAnswer, check_log, read_acknowledged, start_child};
use crate::volatile_disk::{Survivors, VolatileDisk};
use crate::world::{HandClock, NOON, build_service_on, open_store, settings};

/// How many power cuts CI makes; `POWER_CUTS=1000` for more.
const ROUNDS: u64 = 60;
const CONTROL_ROUNDS: u64 = 10;

/// Held by a test that mounts disks. The number of a mounted disk's device is the first that is free, and the
/// log notices when it opens on another device, as a copy would.
static MOUNTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn rounds(default: u64) -> u64 {
    std::env::var("POWER_CUTS").map_or(default, |rounds| rounds.parse().unwrap())
}

/// Whether a disk can be mounted here. With `CI` set, not being able to is a failure.
fn can_mount() -> bool {
    match VolatileDisk::new().mount() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "no disk can be mounted: {error}");
            println!("skipped: no disk can be mounted here: {error}");
            false
        }
    }
}

/// Lets a process seal answers on the disk and cuts the power, every fourth time while the log opens.
fn seal_until_the_power_fails(disk: &VolatileDisk, round: u64) -> Vec<AcknowledgedAnswer> {
    let mounted = disk.mount().unwrap();
    let mut child = start_child(mounted.path(), round * 1_000_000, &[]);
    let (id, after) = (child.id(), round * 37 % 50 + 1);
    let wait = Duration::from_millis((round * 97) % 41);
    let kill = move || {
        std::thread::sleep(wait);
        Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
    };
    let early = (round % 4 == 3).then(|| std::thread::spawn(kill));
    let mut late = None;
    let acknowledged = read_acknowledged(&mut child, |count| {
        if early.is_none() && count == after {
            late = Some(std::thread::spawn(kill));
        }
    });
    [early, late].into_iter().flatten().for_each(|killer| killer.join().unwrap());
    assert!(!child.wait().unwrap().success(), "the child ended by itself");
    drop(mounted);
    let survivors =
        if round.is_multiple_of(2) { Survivors::Nothing } else { Survivors::Half(round) };
    disk.cut_power(survivors);
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_power_fails() {
    let _mounting = MOUNTING.lock().await;
    if !can_mount() {
        return;
    }
    let disk = VolatileDisk::new();
    let (mut all, mut productive) = (Vec::new(), 0);
    let rounds = rounds(ROUNDS);
    for round in 0..rounds {
        let acknowledged = seal_until_the_power_fails(&disk, round);
        productive += u64::from(!acknowledged.is_empty());
        let mounted = disk.mount().unwrap();
        check_log(mounted.path(), &acknowledged, round % 50 == 0).await;
        all.extend(acknowledged);
    }
    let mounted = disk.mount().unwrap();
    check_log(mounted.path(), &all, true).await;
    println!("{rounds} power cuts, {productive} of them under load, {} answers", all.len());
    assert!(productive * 2 >= rounds, "only {productive} rounds of {rounds} got to seal");
}

/// Whether everything that was acknowledged is there, on a disk that may have lost anything.
async fn is_complete(dir: &Path, acknowledged: &[AcknowledgedAnswer]) -> bool {
    let store = std::sync::Arc::new(open_store(dir));
    let service = build_service_on(dir, settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.join("keys")).unwrap();
    let opened = service.log.open(mark, marked).await;
    let mut complete = opened.is_ok();
    for one in acknowledged {
        complete &= matches!(store::Answers::answer(&*store, one.sha256).await, Ok(Some(_)));
    }
    service.log.close().await;
    complete
}

/// The control: with a disk that does not sync the write-ahead log, the same test finds losses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_cuts_of_a_disk_that_does_not_sync_are_noticed() {
    let _mounting = MOUNTING.lock().await;
    if !can_mount() {
        return;
    }
    let (mut lost, mut productive) = (0, 0);
    for round in 0..CONTROL_ROUNDS {
        let disk = VolatileDisk::with_unsynced_ending(Some("-wal"));
        let acknowledged = seal_until_the_power_fails(&disk, round * 4);
        let mounted = disk.mount().unwrap();
        productive += u64::from(!acknowledged.is_empty());
        lost += u64::from(!is_complete(mounted.path(), &acknowledged).await);
    }
    println!("{lost} of {CONTROL_ROUNDS} power cuts lost answers without syncs");
    assert!(productive * 2 >= CONTROL_ROUNDS, "only {productive} rounds got to seal");
    assert!(lost * 10 >= CONTROL_ROUNDS * 3, "{lost} of {CONTROL_ROUNDS}");
}
