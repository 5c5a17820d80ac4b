//! The place of the log's mark: which file it is, and on which machine. It is stored next to the mark.
//!
//! A copy of the whole data directory has the same keys and the same mark, so nothing in it tells that it
//! is a copy. But its mark is another file: it has another inode, made at another time. A log whose mark
//! is in another place than before is not extended until an operator has decided.
//!
//! The same file on another machine is a disk that was moved or cloned; that asks for a decision too. In a
//! container the machine id is not looked at: it may be new at every start, or the same everywhere. The
//! device alone decides nothing: its number may change when a machine starts again.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::{Digest, ProofError, sha256};

use super::private_dir::PrivateDir;

/// The file's name in the key directory.
pub const PLACE_FILE_NAME: &str = "log-place";
const TITLE: &str = "wayleave-log-place-1";
const MACHINE_ID_FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
/// These exist in containers.
const CONTAINER_FILES: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];
/// These are set in containers.
const CONTAINER_VARIABLES: [&str; 2] = ["container", "KUBERNETES_SERVICE_HOST"];
const NONE: &str = "-";

/// Which file the mark is, and on which machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlace {
    device: u64,
    inode: u64,
    /// When the file was made, in nanoseconds since 1970; `None` if the file system does not tell.
    made_at: Option<u128>,
    /// A digest of the machine's id, which is not meant to be published; `None` if it has none, and in a
    /// container.
    machine: Option<Digest>,
}

impl LogPlace {
    /// The place of this open file on this machine.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            made_at: made_at(&metadata),
            machine: machine_id(),
        })
    }

    /// Whether a mark that was in `before` is the same file on the same machine now.
    #[must_use]
    pub fn is_same(&self, before: &Self) -> bool {
        self.is_same_file(before) && self.is_same_machine(before) != Some(false)
    }

    /// Whether a mark that was in `before` is the same file now.
    #[must_use]
    pub fn is_same_file(&self, before: &Self) -> bool {
        let same_time = match (self.made_at, before.made_at) {
            (Some(now), Some(before)) => now == before,
            // Without times, the number of the device or the machine must tell.
            _ => self.device == before.device || self.is_same_machine(before) == Some(true),
        };
        self.inode == before.inode && same_time
    }

    /// `None` if one of the two is not known.
    #[must_use]
    pub fn is_same_machine(&self, before: &Self) -> Option<bool> {
        Some(self.machine? == before.machine?)
    }

    /// Reads the place that was stored in a key directory; `None` if none was. A damaged file must not
    /// count as none.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, ProofError> {
        let path = directory.join(PLACE_FILE_NAME);
        let refused = |why: String| ProofError::KeyStore { path: path.clone(), why };
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let place = Self::parse(&text);
                place.map(Some).ok_or_else(|| refused("it is damaged".to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(error.to_string())),
        }
    }

    pub(super) fn write(&self, directory: &Path) -> Result<(), ProofError> {
        PrivateDir::open(directory)?.write(PLACE_FILE_NAME, self.to_line().as_bytes())
    }

    fn to_line(&self) -> String {
        let made_at = self.made_at.map_or(NONE.to_owned(), |made_at| made_at.to_string());
        let machine = self.machine.map_or(NONE.to_owned(), |machine| machine.to_hex());
        let text = format!("{TITLE} {} {} {made_at} {machine}", self.device, self.inode);
        format!("{text} {}\n", sha256(text.as_bytes()))
    }

    fn parse(line: &str) -> Option<Self> {
        let (text, check) = line.strip_suffix('\n')?.rsplit_once(' ')?;
        if check.parse() != Ok(sha256(text.as_bytes())) {
            return None;
        }
        let mut words = text.split(' ');
        if words.next()? != TITLE {
            return None;
        }
        let (device, inode) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let (made_at, machine) = (words.next()?, words.next()?);
        let made_at = if made_at == NONE { None } else { Some(made_at.parse().ok()?) };
        let machine = if machine == NONE { None } else { Some(machine.parse().ok()?) };
        words.next().is_none().then_some(Self { device, inode, made_at, machine })
    }
}

impl fmt::Display for LogPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {} on device {}", self.inode, self.device)
    }
}

fn made_at(metadata: &Metadata) -> Option<u128> {
    Some(metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}

fn machine_id() -> Option<Digest> {
    let is_container = CONTAINER_FILES.iter().any(|file| Path::new(file).exists())
        || CONTAINER_VARIABLES.iter().any(|name| std::env::var_os(name).is_some());
    if is_container {
        return None;
    }
    let ids = MACHINE_ID_FILES.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let id =
        ids.map(|id| id.trim().to_owned()).find(|id| !id.is_empty() && id != "uninitialized")?;
    Some(sha256(format!("wayleave log place {id}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> LogPlace {
        LogPlace { device: 3, inode: 7, made_at: Some(5), machine: Some(sha256(b"a")) }
    }

    #[test]
    fn a_copy_is_another_file_and_a_rename_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two, moved] = ["one", "two", "moved"].map(|name| dir.path().join(name));
        std::fs::write(&one, b"mark").unwrap();
        let of = |path: &Path| LogPlace::of(&File::open(path).unwrap()).unwrap();
        let first = of(&one);
        std::fs::copy(&one, &two).unwrap();
        assert!(!of(&two).is_same_file(&first));
        std::fs::write(&one, b"more").unwrap();
        std::fs::rename(&one, &moved).unwrap();
        assert!(of(&moved).is_same_file(&first));
    }

    #[test]
    fn another_machine_is_another_place_if_both_are_known() {
        let of = |machine| LogPlace { machine, ..place() };
        assert!(!of(Some(sha256(b"b"))).is_same(&place()));
        assert!(of(None).is_same(&place()) && place().is_same(&of(None)));
        assert!(LogPlace { device: 4, ..place() }.is_same(&place()));
        assert!(!LogPlace { inode: 8, ..of(None) }.is_same(&place()));
    }

    #[test]
    fn inode_and_time_tell_files_apart_and_the_device_does_not() {
        let machine = Some(sha256(b"b"));
        assert!(LogPlace { machine, ..place() }.is_same_file(&place()));
        assert!(LogPlace { machine: None, device: 4, ..place() }.is_same_file(&place()));
        assert!(!LogPlace { inode: 8, ..place() }.is_same_file(&place()));
        // The same number on another file system.
        assert!(!LogPlace { made_at: Some(6), ..place() }.is_same_file(&place()));
        let untimed = LogPlace { made_at: None, ..place() };
        assert!(untimed.is_same_file(&place()));
        assert!(LogPlace { device: 4, ..untimed.clone() }.is_same_file(&untimed));
        assert!(LogPlace { machine, ..untimed.clone() }.is_same_file(&untimed));
        assert!(!LogPlace { machine, device: 4, ..untimed.clone() }.is_same_file(&untimed));
    }

    #[test]
    fn is_read_back_and_a_changed_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("keys");
        std::fs::create_dir(&directory).unwrap();
        std::fs::set_permissions(&directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
        assert_eq!(LogPlace::read(&directory).unwrap(), None);
        for place in [place(), LogPlace { made_at: None, machine: None, ..place() }] {
            place.write(&directory).unwrap();
            assert_eq!(LogPlace::read(&directory).unwrap(), Some(place));
        }
        let path = directory.join(PLACE_FILE_NAME);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert!(LogPlace::read(&directory).is_err(), "{at}");
        }
    }
}
