//! The CI templates: the GitHub action and the GitLab template, step by step as a runner runs them.

use std::path::Path;
use std::process::{Command, Output};

use lab::{Lab, LabOptions};
use tempfile::TempDir;

use super::{deploy_file, text};
use crate::server::Server;
use crate::tools;

/// The block scalars of this key (`key: |`), without their indentation.
fn blocks(text: &str, key: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let starts = (0..lines.len()).filter(|number| lines[*number].trim() == key);
    let block = |start: usize| {
        let indent = indent_of(lines[start + 1]);
        let inside = lines[start + 1..]
            .iter()
            .take_while(|line| line.trim().is_empty() || indent_of(line) >= indent);
        inside.map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
    };
    starts.map(block).collect()
}

/// Runs a step in a folder of its own, as a runner does.
fn run_step(shell: &[&str], script: &str, variables: &[(&str, &str)]) -> (Output, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("step.sh");
    std::fs::write(&file, script).unwrap();
    std::fs::create_dir(folder.path().join("temp")).unwrap();
    let mut command = Command::new(shell[0]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WAYLEAVE_")) {
        command.env_remove(name);
    }
    command
        .args(&shell[1..])
        .arg(&file)
        .current_dir(folder.path())
        .env("RUNNER_TEMP", folder.path().join("temp"))
        .env("GITHUB_OUTPUT", folder.path().join("output"))
        .env("GITHUB_STEP_SUMMARY", folder.path().join("summary"))
        .envs(variables.iter().copied());
    (command.output().unwrap(), folder)
}

#[track_caller]
fn ended(output: &Output, code: i32, err: &str) {
    let shown = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{shown:?}");
    assert!(shown.1.contains(err), "{shown:?}");
}

const BASH: [&str; 5] = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];

/// The step that gets the program, and the step that scans.
fn github_steps() -> [String; 2] {
    let steps = blocks(&deploy_file("ci/github/action.yml"), "run: |");
    // Every input reaches the scripts as a variable, never as text of the script.
    assert!(steps.iter().all(|step| !step.contains("${{")), "{steps:?}");
    steps.try_into().unwrap()
}

/// Runs the scan step of the GitHub action. `more` overrides the inputs.
fn github_scan(domain: &str, more: &[(&str, &str)]) -> (Output, TempDir) {
    let mut variables = vec![
        ("INPUT_URL", ""),
        ("INPUT_KEY", ""),
        ("INPUT_FAIL_UNDER", ""),
        ("INPUT_FAIL_ON", ""),
        ("INPUT_BASELINE", ""),
        ("INPUT_SARIF_FILE", ""),
        ("INPUT_SARIF", "wayleave.sarif"),
        ("INPUT_DOMAIN", domain),
        ("PROGRAM", env!("CARGO_BIN_EXE_wayleave")),
        ("CHECKED_OUT", ""),
    ];
    variables.extend(more);
    // A file that the checkout put into the folder.
    let checkout = "if [ -n \"$CHECKED_OUT\" ]; then cp \"$CHECKED_OUT\" .; fi\n";
    run_step(&BASH, &[checkout, &github_steps()[1]].concat(), &variables)
}

/// Runs the whole script of the GitLab template.
fn gitlab(more: &[(&str, &str)]) -> (Output, TempDir) {
    let template = deploy_file("ci/gitlab/wayleave.gitlab-ci.yml");
    let names = template.lines().filter_map(|line| line.trim().strip_suffix(": \"\""));
    let mut variables: Vec<(&str, &str)> = names.map(|name| (name, "")).collect();
    variables.extend(more);
    run_step(&["sh", "-e"], &blocks(&template, "- |").join("\n"), &variables)
}

#[test]
fn the_steps_of_the_ci_templates_pass_and_fail_as_they_should() {
    let server = Server::start_demo(&[]);
    let (base, binary) = (server.base(), env!("CARGO_BIN_EXE_wayleave"));
    let github = |domain: &str, more: &[(&str, &str)]| {
        github_scan(domain, &[&[("INPUT_URL", base.as_str())], more].concat())
    };
    if tools::shell().is_some() {
        let (output, folder) = github("open.lab", &[("INPUT_FAIL_UNDER", "A")]);
        ended(&output, 0, "");
        assert_eq!(text(&folder, "output"), "grade=A\nchecked=true\n");
        assert!(text(&folder, "summary").starts_with("### Wayleave: open.lab A"));
        assert!(text(&folder, "wayleave.sarif").contains("\"uri\": \"robots.txt\""));
        let more =
            [("INPUT_FAIL_UNDER", "B"), ("INPUT_FAIL_ON", "high"), ("INPUT_SARIF_FILE", "a/b.txt")];
        let (output, folder) = github("blocks-ai.lab", &more);
        ended(&output, 1, "Failed by --fail-under B: the grade is F");
        assert!(
            String::from_utf8_lossy(&output.stdout)
                .contains("::error::Wayleave: the site did not pass")
        );
        assert_eq!(text(&folder, "output"), "grade=F\nchecked=true\n");
        assert!(text(&folder, "wayleave.sarif").contains("\"uri\": \"a/b.txt\""));
        let (output, folder) = github("no-such-site.lab", &[]);
        ended(&output, 2, "the site did not answer");
        assert!(text(&folder, "output").ends_with("checked=false\n"));
        // A domain that would be a command or an option is neither.
        let (output, folder) = github("$(touch x); --help", &[]);
        ended(&output, 2, "");
        assert!(!folder.path().join("x").exists());
        assert_eq!(text(&folder, "output"), "checked=false\n");
    }

    let gitlab = |domain: &str, bar: &str| {
        gitlab(&[
            ("SCAN_BINARY", binary),
            ("SCAN_DOMAIN", domain),
            ("SCAN_URL", base.as_str()),
            ("SCAN_FAIL_UNDER", bar),
        ])
    };
    let (output, folder) = gitlab("minimal.lab", "F");
    ended(&output, 0, "");
    assert!(text(&folder, "wayleave.json").contains("\"domain\":\"minimal.lab\""));
    ended(&gitlab("blocks-all.lab", "A").0, 1, "Failed by --fail-under A");
    ended(&gitlab("no-such-site.lab", "").0, 2, "the site did not answer");
}

/// Without a server the runner itself scans: here a lab, which a configuration file points it at.
#[test]
fn the_steps_of_the_ci_templates_scan_without_a_server() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let lab = runtime.block_on(Lab::start_with_sites(LabOptions::default(), &[])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (config, authority) = (folder.path().join("lab.toml"), folder.path().join("ca.pem"));
    std::fs::write(&authority, &lab.network().ca_pem).unwrap();
    std::fs::write(&config, lab.network().to_toml(&authority)).unwrap();
    let config = ("WAYLEAVE_CONFIG", config.to_str().unwrap());
    if tools::shell().is_some() {
        let (output, folder) = github_scan("open.lab", &[config, ("INPUT_FAIL_UNDER", "A")]);
        ended(&output, 0, "");
        assert_eq!(text(&folder, "output"), "grade=A\nchecked=true\n");
        // The baseline may be the file that the step writes to.
        let last = folder.path().join("wayleave.json");
        let more = [
            config,
            ("CHECKED_OUT", last.to_str().unwrap()),
            ("INPUT_BASELINE", "wayleave.json"),
            ("INPUT_FAIL_ON", "info"),
        ];
        ended(&github_scan("open.lab", &more).0, 0, "");
        let (output, folder) = github_scan("blocks-ai.lab", &[config, ("INPUT_FAIL_UNDER", "B")]);
        ended(&output, 1, "Failed by --fail-under B");
        assert_eq!(text(&folder, "output"), "grade=F\nchecked=true\n");
    }
    let (output, folder) = gitlab(&[
        config,
        ("SCAN_BINARY", env!("CARGO_BIN_EXE_wayleave")),
        ("SCAN_DOMAIN", "open.lab"),
        ("SCAN_FAIL_UNDER", "A"),
    ]);
    ended(&output, 0, "");
    assert!(text(&folder, "wayleave.json").contains("\"domain\":\"open.lab\""));
    assert!(text(&folder, "wayleave.sarif").contains("\"version\": \"2.1.0\""));
}

/// A key of the job is used if the action gets none, and only then. The program is one that prints its key.
#[test]
fn an_empty_key_input_leaves_the_key_of_the_job() {
    if tools::shell().is_none() {
        return;
    }
    let here = StandIns::new();
    let program = here.add("prints-key", "echo \"key: $WAYLEAVE_KEY\" >&2; exit 2");
    for (job, input, used) in [("of-job", "", "of-job"), ("of-job", "of-input", "of-input")] {
        let more = [("WAYLEAVE_KEY", job), ("INPUT_KEY", input), ("PROGRAM", program.as_str())];
        ended(&github_scan("open.lab", &more).0, 2, &format!("key: {used}\n"));
    }
}

/// A folder of small programs that stand in for others on PATH.
struct StandIns(TempDir);

impl StandIns {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns its path. Another process writes it: while this one has it open for writing, a process that
    /// another test starts could inherit that, and then it could not be executed.
    fn add(&self, name: &str, script: &str) -> String {
        let path = self.0.path().join(name).to_str().unwrap().to_owned();
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\"";
        let status = Command::new("sh").args(["-c", write, "sh", script, &path]).status().unwrap();
        assert!(status.success());
        path
    }

    /// PATH with these first, and without whatever else is installed for the user.
    fn path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.0.path().display())
    }
}

/// Builds a program that says `built`, and notes where and how it was called.
const STAND_IN_CARGO: &str = r#"
while [ "$1" != --target-dir ]; do arguments="$arguments $1"; shift; done
mkdir -p "$2/release"
printf '#!/bin/sh\necho "built in %s by%s" >&2; exit 2\n' "$PWD" "$arguments" > "$2/release/wayleave"
chmod 755 "$2/release/wayleave""#;

#[test]
fn the_ci_templates_get_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let here = StandIns::new();
    let release = here.add("release", "echo released >&2; exit 2");
    let digest = proof::Digest::of(&std::fs::read(&release).unwrap()).to_hex();
    let (url, other_digest) = (format!("file://{release}"), "0".repeat(64));
    here.add("cargo", STAND_IN_CARGO);
    here.add("git", "for folder; do :; done; mkdir -p \"$folder\"; echo \"git $*\" >&2");
    let action = root.join("deploy/ci/github");
    let built = "build --locked --release --no-default-features -p wayleave";

    // GitHub: the step prints the program's path; running it says which one it is.
    let get = |path: &str, more: &[(&str, &str)]| {
        let mut variables = vec![
            ("PATH", path),
            ("GITHUB_ACTION_PATH", action.to_str().unwrap()),
            ("INPUT_BINARY", ""),
            ("INPUT_RELEASE_URL", ""),
            ("INPUT_RELEASE_SHA256", ""),
        ];
        variables.extend(more);
        let (output, folder) = run_step(&BASH, &github_steps()[0], &variables);
        let printed = String::from_utf8(output.stdout).unwrap();
        let Some(program) =
            text(&folder, "output").trim_end().strip_prefix("path=").map(str::to_owned)
        else {
            assert_eq!(output.status.code(), Some(2), "{printed}");
            return printed;
        };
        let output = Command::new(program).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let path = here.path();
    if tools::shell().is_some() {
        assert_eq!(get(&path, &[("INPUT_BINARY", release.as_str())]), "released\n");
        let missing = get(&path, &[("INPUT_BINARY", "no-such-program")]);
        assert_eq!(missing, "::error::Wayleave: the runner has no program no-such-program.\n");
        let from = |digest| [("INPUT_RELEASE_URL", url.as_str()), ("INPUT_RELEASE_SHA256", digest)];
        assert_eq!(get(&path, &from(&digest)), "released\n");
        assert!(get(&path, &from(&other_digest)).contains("does not have the SHA-256"));
        assert!(get(&path, &from("")).contains("release-url needs release-sha256"));
        let no_file = [("INPUT_RELEASE_URL", "file:///no/such/file"), from(&digest)[1]];
        assert!(get(&path, &no_file).contains("could not be downloaded"));
        assert_eq!(get(&path, &[]), format!("built in {} by {built}\n", root.display()));
    }

    // GitLab: the script also runs it, and ends with its code.
    let gitlab = |path: &str, more: &[(&str, &str)]| {
        let (output, _) = gitlab(&[&[("PATH", path), ("SCAN_DOMAIN", "open.lab")], more].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(gitlab(&path, &[("SCAN_BINARY", release.as_str())]), "released\n");
    if tools::shell().is_some() {
        let from = |digest| [("SCAN_RELEASE_URL", url.as_str()), ("SCAN_RELEASE_SHA256", digest)];
        assert_eq!(gitlab(&path, &from(&digest)), "released\n");
        assert!(gitlab(&path, &from(&other_digest)).contains("does not have the SHA-256"));
        assert!(gitlab(&path, &from("")).contains("needs SCAN_RELEASE_SHA256"));
    }
    assert!(gitlab(&path, &[]).contains("there is no program"));
    let source = [("SCAN_SOURCE", "https://source.example/w.git"), ("SCAN_REF", "v0.1.0")];
    let said = gitlab(&path, &source);
    let cloned = "git clone --quiet --depth 1 --branch v0.1.0 -- https://source.example/w.git /";
    assert!(said.starts_with(cloned), "{said}");
    assert!(said.contains("/source by ") && said.contains(built), "{said}");

    // A `wayleave` on PATH is preferred to a build.
    here.add("wayleave", "echo on PATH >&2; exit 2");
    if tools::shell().is_some() {
        assert_eq!(get(&path, &[]), "on PATH\n");
    }
    assert_eq!(gitlab(&path, &source), "on PATH\n");
}
