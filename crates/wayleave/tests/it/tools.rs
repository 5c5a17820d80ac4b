//! Programs of others that tests hold us against: Node, and a Python with libraries.
//!
//! `./test` sets them up. Where one is missing a test says so and is left out, unless the
//! environment says that it must be there.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Node 20 or later, if it is here.
pub(crate) fn node() -> Option<Command> {
    static MAJOR: OnceLock<Option<u32>> = OnceLock::new();
    let major = MAJOR.get_or_init(|| {
        let version = Command::new("node").arg("--version").output().ok()?;
        let version = String::from_utf8(version.stdout).ok()?;
        version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
    });
    match major {
        Some(20..) => Some(Command::new("node")),
        Some(_) => left_out("node is older than 20"),
        None => left_out("there is no node"),
    }
}

/// The Python that WAYLEAVE_PYTHON names: one with the libraries of
/// `tests/interop/requirements.txt`.
pub(crate) fn python() -> Option<Command> {
    match std::env::var_os("WAYLEAVE_PYTHON") {
        Some(path) => Some(Command::new(path)),
        None => left_out("WAYLEAVE_PYTHON does not name a Python with the libraries"),
    }
}

/// The folder of packages that WAYLEAVE_NODE_MODULES names: those of `tests/interop/package.json`.
pub(crate) fn node_modules() -> Option<PathBuf> {
    match std::env::var_os("WAYLEAVE_NODE_MODULES") {
        Some(path) => Some(PathBuf::from(path)),
        None => left_out("WAYLEAVE_NODE_MODULES does not name a folder with the packages"),
    }
}

/// A shell with curl and jq, in which the commands of our pages are typed.
pub(crate) fn shell() -> Option<Command> {
    static HERE: OnceLock<bool> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        let asked = Command::new("bash").args(["-c", "command -v curl && command -v jq"]).output();
        asked.is_ok_and(|asked| asked.status.success())
    });
    if *here { Some(Command::new("bash")) } else { left_out("bash, curl or jq is missing") }
}

/// A script of `tests/interop`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/interop").join(name)
}

/// The verifier that needs nothing but Node.
pub(crate) fn verifier() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../web/assets/crawlcheck-verify.mjs")
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests is told what was left out")]
fn left_out<T>(why: &str) -> Option<T> {
    let must = ["CI", "WAYLEAVE_INTEROP"]
        .into_iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    assert!(must.is_none(), "{why}, and {} is set", must.unwrap_or_default());
    eprintln!("left out: {why}");
    None
}
