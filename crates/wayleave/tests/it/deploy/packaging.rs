//! What installs the service: the sample configuration, the image and the systemd unit.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::deploy_file;
use crate::server::wayleave;

#[test]
fn the_sample_configuration_is_valid() {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/wayleave.toml");
    let output = wayleave().arg("config").arg("--config").arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The image sets only keys that exist.
    let image = deploy_file("Dockerfile");
    let mut command = wayleave();
    let instructions = image.lines().filter(|line| !line.starts_with('#'));
    let words = instructions.flat_map(str::split_whitespace);
    for word in words.filter(|word| word.starts_with("WAYLEAVE_")) {
        let (name, value) = word.split_once('=').unwrap();
        command.env(name, value);
    }
    let output = command.arg("config").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The build of the image gets every tracked file: one that is missing would count as a change of the commit.
#[test]
#[allow(clippy::print_stderr, reason = "shows which tests were skipped")]
fn the_image_is_built_from_all_tracked_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ignored = deploy_file("Dockerfile.dockerignore");
    let patterns: Vec<&str> =
        ignored.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(patterns.contains(&"/target") && patterns.contains(&"/data"), "{patterns:?}");
    assert!(!patterns.iter().any(|pattern| pattern.contains(".git")), "{patterns:?}");
    let listing = Command::new("git")
        .args(["ls-files", "--cached", "--ignored"])
        .args(patterns.iter().map(|pattern| format!("--exclude={pattern}")))
        .current_dir(root)
        .output();
    match listing {
        Ok(output) if output.status.success() => {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        }
        _ => eprintln!("skipped: this is no git repository"),
    }
}

/// `systemd-analyze verify` knows every setting of a unit.
#[test]
#[allow(clippy::print_stderr, reason = "shows which tests were skipped")]
fn the_unit_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("wayleave.service");
    let text = deploy_file("wayleave.service")
        .replace("/usr/local/bin/wayleave", env!("CARGO_BIN_EXE_wayleave"));
    std::fs::write(&unit, text).unwrap();
    let checking = Command::new("systemd-analyze").arg("verify").arg(&unit).output();
    let Ok(output) = checking else {
        eprintln!("skipped: systemd-analyze is not installed");
        return;
    };
    let shown = String::from_utf8_lossy(&output.stderr);
    let about_it: Vec<&str> =
        shown.lines().filter(|line| line.contains("wayleave.service")).collect();
    assert!(about_it.is_empty(), "{shown}");
}
