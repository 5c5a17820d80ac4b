//! What this build knows of its own making, handed on to the program. What cannot be learnt is left
//! out; nothing in here makes a build fail.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WAYLEAVE_COMMIT");
    println!("cargo::rerun-if-env-changed=WAYLEAVE_RUN");
    hand_on("TARGET", env::var("TARGET").ok());
    hand_on("PROFILE", profile());
    hand_on(
        "RUSTC",
        env::var_os("RUSTC").and_then(|rustc| said(Command::new(rustc).arg("--version"))),
    );
    hand_on("RUN", env::var("WAYLEAVE_RUN").ok().filter(|run| !run.is_empty()));

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = Repository::at(&root);
    let head = repository.as_ref().and_then(|git| git.ask(&["rev-parse", "HEAD"]));
    let given = env::var("WAYLEAVE_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given.or_else(|| head.clone());
    if let Some(git) = &repository {
        git.watch_commits();
        // Every change of a source would have to be watched to be sure of it. That is done for what
        // is given to others; while somebody works on the code it is left unsaid.
        if profile().as_deref() != Some("debug") {
            for watched in ["crates", "Cargo.toml", "Cargo.lock"] {
                println!("cargo::rerun-if-changed={}", root.join(watched).display());
            }
            // Sources without a change are those of the commit that is checked out, and of no other.
            let clean = git
                .ask(&["status", "--porcelain"])
                .map(|changes| changes.is_empty() && commit == head);
            hand_on("CLEAN", clean.map(|clean| clean.to_string()));
        }
    }
    hand_on("COMMIT", commit);
}

/// As `BUILT_…`, if it is one plain line.
fn hand_on(name: &str, value: Option<String>) {
    if let Some(value) =
        value.filter(|value| value.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
    {
        println!("cargo::rustc-env=BUILT_{name}={value}");
    }
}

/// The profile by its own name: Cargo tells a script only of which of its two kinds it is, and
/// keeps its output in `…/<profile>/build/<package>/out`.
fn profile() -> Option<String> {
    let output = PathBuf::from(env::var_os("OUT_DIR")?);
    let name = output.ancestors().nth(3)?.file_name()?.to_str()?;
    Some(name.to_owned())
}

struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository of these very sources; not one that merely lies around them.
    fn at(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let git = Self { root };
        let top = PathBuf::from(git.ask(&["rev-parse", "--show-toplevel"])?);
        (top.canonicalize().ok()? == git.root).then_some(git)
    }

    fn ask(&self, arguments: &[&str]) -> Option<String> {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.root).args(arguments);
        // A build inside a hook must not be answered for the hook's index.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(name);
        }
        said(&mut git)
    }

    /// The files that change with each commit or checkout. One that is not there is not named:
    /// Cargo would run this at every build.
    fn watch_commits(&self) {
        let head = self.ask(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        let names = ["HEAD", "logs/HEAD", "packed-refs"].map(str::to_owned);
        for name in names.into_iter().chain(head) {
            let Some(place) = self.ask(&["rev-parse", "--git-path", &name]) else { continue };
            let place = self.root.join(place);
            if place.is_file() {
                println!("cargo::rerun-if-changed={}", place.display());
            }
        }
    }
}

/// What a program that succeeded wrote, without the last line's end.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}
