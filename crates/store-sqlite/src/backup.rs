//! Copies a data directory while a server may be using it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use store::StoreError;

use crate::artifact_files::files_in;
use crate::connect;
use crate::data_dir::{DataDir, hex_subdirs, make_one_private_dir, make_private_dir, sync_dir};
use crate::error::open_error;

/// How much was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopiedFiles {
    pub database_bytes: u64,
    pub artifacts: u64,
}

/// Begins a restore into `dir`, which must be missing, empty, or left by a restore that did not finish;
/// what that left is removed. Until [`finish_restore`], nobody can open the store in it.
pub fn begin_restore(dir: &Path) -> Result<(), StoreError> {
    let refused = |why: String| StoreError::CannotOpen { place: dir.display().to_string(), why };
    let failed = |e: io::Error| refused(e.to_string());
    make_private_dir(dir).map_err(failed)?;
    if dir.join(DataDir::UNFINISHED_RESTORE).exists() {
        return remove_contents(dir).map_err(failed);
    }
    if fs::read_dir(dir).map_err(failed)?.next().is_some() {
        let why = "it is not empty; restore into empty folders, and keep what is there";
        return Err(refused(why.to_owned()));
    }
    let marker = File::create(dir.join(DataDir::UNFINISHED_RESTORE)).map_err(failed)?;
    marker.sync_all().and_then(|()| sync_dir(dir)).map_err(failed)
}

/// Everything is restored and on the disk: the store may be opened from now on.
pub fn finish_restore(dir: &Path) -> Result<(), StoreError> {
    let failed = |e: io::Error| StoreError::Failed { doing: "finishing", why: e.to_string() };
    sync_dir(dir).map_err(failed)?;
    fs::remove_file(dir.join(DataDir::UNFINISHED_RESTORE)).map_err(failed)?;
    sync_dir(dir).map_err(failed)
}

/// Removes what a restore that was not finished has copied, and leaves `dir` empty.
pub fn abandon_restore(dir: &Path) -> Result<(), StoreError> {
    let failed = |e: io::Error| StoreError::Failed { doing: "removing a copy", why: e.to_string() };
    if dir.join(DataDir::UNFINISHED_RESTORE).exists() {
        remove_contents(dir).map_err(failed)?;
        fs::remove_file(dir.join(DataDir::UNFINISHED_RESTORE)).map_err(failed)?;
    }
    Ok(())
}

/// Everything except the marker, which goes last.
fn remove_contents(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false if entry.file_name() == DataDir::UNFINISHED_RESTORE => {}
            false => fs::remove_file(entry.path())?,
        }
    }
    sync_dir(dir)
}

/// Copies database and artefacts of `from` into the new directory `to`; both are on the disk when this
/// returns. The database is copied as it was at one moment: everything that was acknowledged before, and
/// no half of a transaction. Artefacts are copied after it, so that every artefact that it names is there,
/// unless its retention has ended since.
pub fn copy_data_dir(from: &Path, to: &Path) -> Result<CopiedFiles, StoreError> {
    DataDir::require_finished_restore(from)?;
    let source = from.join(DataDir::DATABASE);
    if !source.is_file() {
        let why = "there is no database".to_owned();
        return Err(StoreError::CannotOpen { place: source.display().to_string(), why });
    }
    let target = DataDir::open(to)?;
    copy_database(&source, &target.database())?;
    let failed = |e: io::Error| StoreError::Failed { doing: "copying files", why: e.to_string() };
    File::open(target.database()).and_then(|file| file.sync_all()).map_err(failed)?;
    let database_bytes = fs::metadata(target.database()).map_err(failed)?.len();
    let artifacts = copy_artifacts(&from.join("artifacts"), &target.artifacts()).map_err(failed)?;
    target.sync()?;
    Ok(CopiedFiles { database_bytes, artifacts })
}

fn copy_database(source: &Path, target: &Path) -> Result<(), StoreError> {
    let place = source.display().to_string();
    let copied = (|| {
        let from = connect::reader_connection(source)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut to = Connection::open_with_flags(target, flags)?;
        // All pages in one step: a copy in several steps begins again whenever another process writes. A
        // reader of a write-ahead log sees one moment, and does not keep the server from writing.
        let step = Backup::new(&from, &mut to)?.step(-1)?;
        let sound: String = to.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((step, sound))
    })();
    let (step, sound) = copied.map_err(|e: rusqlite::Error| open_error(&place, &e))?;
    let why = match (step, sound.as_str()) {
        (StepResult::Done, "ok") => return Ok(()),
        (StepResult::Done, damage) => format!("the copy is damaged: {damage}"),
        _ => "it is locked by another program".to_owned(),
    };
    Err(StoreError::CannotOpen { place, why })
}

/// Copies the files that are complete, each with its time, and returns how many there were.
fn copy_artifacts(from: &Path, to: &Path) -> io::Result<u64> {
    if !from.is_dir() {
        return Ok(0);
    }
    make_one_private_dir(to)?;
    let mut copied = 0;
    for (first, first_dir) in hex_subdirs(from)? {
        let first_target = to.join(format!("{first:02x}"));
        make_one_private_dir(&first_target)?;
        for (second, dir) in hex_subdirs(&first_dir)? {
            let target = first_target.join(format!("{second:02x}"));
            make_one_private_dir(&target)?;
            for (_, path) in files_in(&dir)? {
                let Some(name) = path.file_name() else { continue };
                match copy_with_time(&path, &target.join(name)) {
                    Ok(()) => copied += 1,
                    // Its retention ended while the others were copied.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            sync_dir(&target)?;
        }
        sync_dir(&first_target)?;
    }
    sync_dir(to)?;
    Ok(copied)
}

fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let received_at = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    let file = File::options().write(true).open(to)?;
    file.set_modified(received_at)?;
    file.sync_all()
}
