//! The files of `deploy/`: the shell steps of the CI templates are run against a demo and a lab, and the
//! sample configuration, the unit and the proxies are checked with the programs that read them, where there
//! are any.

mod ci;
mod metrics;
mod packaging;
mod proxies;
mod proxy;
mod visitors;

use std::path::Path;

use tempfile::TempDir;

/// The text of a file of `deploy/`.
fn deploy_file(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file that a program wrote to this folder; empty if it wrote none.
fn text(folder: &TempDir, file: &str) -> String {
    std::fs::read_to_string(folder.path().join(file)).unwrap_or_default()
}
