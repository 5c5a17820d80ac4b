//! The data directory of an older build, unpacked.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

const ARCHIVE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/data-of-cafd2c4/data.tar.gz");

/// A copy of the directory. The README beside the archive says what is in it.
pub(crate) fn unpack() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar");
    assert!(tar.args(["-xzf", ARCHIVE, "-C"]).arg(folder.path()).status().unwrap().success());
    folder
}

pub(crate) fn flags(folder: &Path) -> [&str; 2] {
    ["--store-data-dir", folder.to_str().unwrap()]
}
