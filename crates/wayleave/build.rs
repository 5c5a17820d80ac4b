//! Collects facts about this build (target, profile, compiler, commit) and passes them to the program
//! as environment variables. Facts that cannot be determined are omitted; this never fails a build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WAYLEAVE_COMMIT");
    println!("cargo::rerun-if-env-changed=WAYLEAVE_RUN");
    set_build_env("TARGET", env::var("TARGET").ok());
    set_build_env("PROFILE", profile());
    set_build_env(
        "RUSTC",
        env::var_os("RUSTC").and_then(|rustc| command_output(Command::new(rustc).arg("--version"))),
    );
    set_build_env("RUN", env::var("WAYLEAVE_RUN").ok().filter(|run| !run.is_empty()));

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = Repository::at(&root);
    let head = repository.as_ref().and_then(|git| git.run_git(&["rev-parse", "HEAD"]));
    let given_commit = env::var("WAYLEAVE_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given_commit.or_else(|| head.clone());
    if let Some(git) = &repository {
        git.watch_commits();
        // Whether the sources are clean is known only if every source file is watched, which makes
        // each build run this script. That is done for release builds only.
        if profile().as_deref() != Some("debug") {
            for watched in ["crates", "Cargo.toml", "Cargo.lock"] {
                println!("cargo::rerun-if-changed={}", root.join(watched).display());
            }
            // Unchanged sources are those of HEAD, so they are clean only if the commit is HEAD.
            let clean = git
                .run_git(&["status", "--porcelain"])
                .map(|changes| changes.is_empty() && commit == head);
            set_build_env("CLEAN", clean.map(|clean| clean.to_string()));
        }
    }
    set_build_env("COMMIT", commit);
}

/// Sets `BUILT_{name}`, if the value is one line of printable ASCII.
fn set_build_env(name: &str, value: Option<String>) {
    if let Some(value) =
        value.filter(|value| value.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
    {
        println!("cargo::rustc-env=BUILT_{name}={value}");
    }
}

/// The name of the profile. Cargo's PROFILE variable is only `debug` or `release`, so the name is taken
/// from the output path, `…/<profile>/build/<package>/out`.
fn profile() -> Option<String> {
    let output = PathBuf::from(env::var_os("OUT_DIR")?);
    let name = output.ancestors().nth(3)?.file_name()?.to_str()?;
    Some(name.to_owned())
}

struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The git repository whose root is `root`; not one that merely contains it.
    fn at(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let git = Self { root };
        let top = PathBuf::from(git.run_git(&["rev-parse", "--show-toplevel"])?);
        (top.canonicalize().ok()? == git.root).then_some(git)
    }

    fn run_git(&self, arguments: &[&str]) -> Option<String> {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.root).args(arguments);
        // Inside a git hook these variables would point git to the hook's index.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(name);
        }
        command_output(&mut git)
    }

    /// Watches the files that change with each commit or checkout. A missing file is not watched,
    /// because Cargo would then run this script at every build.
    fn watch_commits(&self) {
        let head = self.run_git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        let names = ["HEAD", "logs/HEAD", "packed-refs"].map(str::to_owned);
        for name in names.into_iter().chain(head) {
            let Some(path) = self.run_git(&["rev-parse", "--git-path", &name]) else { continue };
            let path = self.root.join(path);
            if path.is_file() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
}

/// The standard output of a command that succeeded, without trailing white space.
fn command_output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}
