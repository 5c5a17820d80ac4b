//! Third-party programs that tests compare with: Node, and a Python with libraries.
//!
//! `./test` sets them up. If one is missing a test is skipped and says so, unless `CI` or
//! `WAYLEAVE_INTEROP` is set: then it fails.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Node 20 or later, if it is installed.
pub(crate) fn node() -> Option<Command> {
    static MAJOR: OnceLock<Option<u32>> = OnceLock::new();
    let major = MAJOR.get_or_init(|| {
        let version = Command::new("node").arg("--version").output().ok()?;
        let version = String::from_utf8(version.stdout).ok()?;
        version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
    });
    match major {
        Some(20..) => Some(Command::new("node")),
        Some(_) => skip_test("node is older than 20"),
        None => skip_test("node is not installed"),
    }
}

/// The Python that WAYLEAVE_PYTHON names; it has the libraries of
/// `tests/interop/requirements.txt`.
pub(crate) fn python() -> Option<Command> {
    match std::env::var_os("WAYLEAVE_PYTHON") {
        Some(path) => Some(Command::new(path)),
        None => skip_test("WAYLEAVE_PYTHON does not name a Python with the libraries"),
    }
}

/// The two Pythons with MCP servers, of `tests/interop/mcp-requirements.txt` and of
/// `mcp-1-requirements.txt`: of each line of the SDK one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpPython {
    Second,
    First,
}

impl McpPython {
    pub(crate) fn command(self) -> Option<Command> {
        let name = match self {
            Self::Second => "WAYLEAVE_MCP_PYTHON",
            Self::First => "WAYLEAVE_MCP_PYTHON_1",
        };
        match std::env::var_os(name) {
            Some(path) => Some(Command::new(path)),
            None => skip_test(&format!("{name} does not name a Python with MCP servers")),
        }
    }
}

/// The folder that WAYLEAVE_NODE_MODULES names; it has the packages of `tests/interop/package.json`.
pub(crate) fn node_modules() -> Option<PathBuf> {
    match std::env::var_os("WAYLEAVE_NODE_MODULES") {
        Some(path) => Some(PathBuf::from(path)),
        None => skip_test("WAYLEAVE_NODE_MODULES does not name a folder with the packages"),
    }
}

/// A shell with curl and jq, which runs the commands of the README and docs.
pub(crate) fn shell() -> Option<Command> {
    static HERE: OnceLock<bool> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        let output = Command::new("bash").args(["-c", "command -v curl && command -v jq"]).output();
        output.is_ok_and(|output| output.status.success())
    });
    if *here { Some(Command::new("bash")) } else { skip_test("bash, curl or jq is missing") }
}

/// The file of axe-core, if Chromium and its driver are installed too.
pub(crate) fn browser() -> Option<PathBuf> {
    static HERE: OnceLock<bool> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        ["chromium", "chromedriver"].iter().all(|program| {
            Command::new(program)
                .arg("--version")
                .output()
                .is_ok_and(|output| output.status.success())
        })
    });
    if !here {
        return skip_test("chromium or chromedriver is missing");
    }
    let axe = node_modules()?.join("axe-core/axe.min.js");
    if axe.exists() { Some(axe) } else { skip_test("axe-core is not among the Node packages") }
}

/// A script of `tests/interop`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/interop").join(name)
}

/// The single-file verifier for Node.
pub(crate) fn verifier() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../web/assets/crawlcheck-verify.mjs")
}

#[expect(clippy::print_stderr, reason = "shows which tests were skipped")]
pub(crate) fn skip_test<T>(why: &str) -> Option<T> {
    let must = ["CI", "WAYLEAVE_INTEROP"]
        .into_iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    assert!(must.is_none(), "{why}, and {} is set", must.unwrap_or_default());
    eprintln!("skipped: {why}");
    None
}
