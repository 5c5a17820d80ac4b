//! The files of `deploy/`: the shell steps of the CI templates are run against a demo, and the sample
//! configuration and units are checked with the programs that read them, where there are any.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::server::{Server, wayleave};
use crate::tools;

fn deploy(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a block scalar (`key: |`), without their indentation.
fn block_after(text: &str, key: &str) -> String {
    let mut lines = text.lines().skip_while(|line| line.trim() != key).skip(1).peekable();
    let indent = lines.peek().map_or(0, |line| line.len() - line.trim_start().len());
    assert!(indent > 0, "no {key}");
    let block = lines.take_while(|line| {
        line.trim().is_empty() || line.len() - line.trim_start().len() >= indent
    });
    block.map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Runs a step in a folder of its own, as a runner does.
fn run_step(shell: &[&str], script: &str, variables: &[(&str, &str)]) -> (Output, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("step.sh");
    std::fs::write(&file, script).unwrap();
    let mut command = Command::new(shell[0]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WAYLEAVE_")) {
        command.env_remove(name);
    }
    command
        .args(&shell[1..])
        .arg(&file)
        .current_dir(folder.path())
        .env("GITHUB_OUTPUT", folder.path().join("output"))
        .env("GITHUB_STEP_SUMMARY", folder.path().join("summary"))
        .envs(variables.iter().copied());
    (command.output().unwrap(), folder)
}

fn text(folder: &TempDir, file: &str) -> String {
    std::fs::read_to_string(folder.path().join(file)).unwrap_or_default()
}

#[track_caller]
fn ended(output: &Output, code: i32, err: &str) {
    let shown = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{shown:?}");
    assert!(shown.1.contains(err), "{shown:?}");
}

#[test]
fn the_steps_of_the_ci_templates_pass_and_fail_as_they_should() {
    let server = Server::start_demo(&[]);
    let (base, binary) = (server.base(), env!("CARGO_BIN_EXE_wayleave"));
    let action = deploy("ci/github/action.yml");
    let step = block_after(&action, "run: |");
    // Every input reaches the script as a variable, never as text of the script.
    assert!(!step.contains("${{"), "{step}");
    let github = |domain: &str, more: &[(&str, &str)]| {
        let names = ["URL", "FAIL_UNDER", "FAIL_ON", "BASELINE", "SARIF_FILE"];
        let empty = names.map(|name| format!("INPUT_{name}"));
        let mut variables: Vec<(&str, &str)> =
            empty.iter().map(|name| (name.as_str(), "")).collect();
        variables.extend([
            ("INPUT_DOMAIN", domain),
            ("INPUT_URL", base.as_str()),
            ("INPUT_SARIF", "wayleave.sarif"),
            ("INPUT_BINARY", binary),
            ("WAYLEAVE_KEY", ""),
        ]);
        variables.extend(more);
        run_step(&["bash", "--noprofile", "--norc", "-eo", "pipefail"], &step, &variables)
    };
    if tools::shell().is_some() {
        let (output, folder) = github("open.lab", &[("INPUT_FAIL_UNDER", "A")]);
        ended(&output, 0, "");
        assert_eq!(text(&folder, "output"), "grade=A\n");
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
        assert_eq!(text(&folder, "output"), "grade=F\n");
        assert!(text(&folder, "wayleave.sarif").contains("\"uri\": \"a/b.txt\""));
        let (output, _) = github("no-such-site.lab", &[]);
        ended(&output, 2, "the site did not answer");
        // A domain that would be a command or an option is neither.
        let (output, folder) = github("$(touch x); --help", &[]);
        ended(&output, 2, "");
        assert!(!folder.path().join("x").exists());
    }

    let step = block_after(&deploy("ci/gitlab/wayleave.gitlab-ci.yml"), "- |");
    let gitlab = |domain: &str, bar: &str| {
        let variables = [
            ("SCAN_BINARY", binary),
            ("SCAN_DOMAIN", domain),
            ("SCAN_URL", base.as_str()),
            ("SCAN_FAIL_UNDER", bar),
            ("SCAN_FAIL_ON", ""),
            ("SCAN_BASELINE", ""),
            ("SCAN_SARIF_FILE", ""),
        ];
        run_step(&["sh", "-e"], &step, &variables)
    };
    let (output, folder) = gitlab("minimal.lab", "F");
    ended(&output, 0, "");
    assert!(text(&folder, "wayleave.json").contains("\"domain\":\"minimal.lab\""));
    ended(&gitlab("blocks-all.lab", "A").0, 1, "Failed by --fail-under A");
    ended(&gitlab("no-such-site.lab", "").0, 2, "the site did not answer");
}

#[test]
fn the_sample_configuration_is_valid() {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/wayleave.toml");
    let output = wayleave().arg("config").arg("--config").arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The image sets only keys that exist.
    let image = deploy("Dockerfile");
    let mut command = wayleave();
    for word in image.split_whitespace().filter(|word| word.starts_with("WAYLEAVE_")) {
        let (name, value) = word.split_once('=').unwrap();
        command.env(name, value);
    }
    let output = command.arg("config").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// `systemd-analyze verify` knows every setting of a unit.
#[test]
fn the_unit_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("wayleave.service");
    let text = deploy("wayleave.service")
        .replace("/usr/local/bin/wayleave", env!("CARGO_BIN_EXE_wayleave"));
    std::fs::write(&unit, text).unwrap();
    let checking = Command::new("systemd-analyze").arg("verify").arg(&unit).output();
    let Ok(output) = checking else { return };
    let shown = String::from_utf8_lossy(&output.stderr);
    let about_it: Vec<&str> =
        shown.lines().filter(|line| line.contains("wayleave.service")).collect();
    assert!(about_it.is_empty(), "{shown}");
}

/// Every metric that the code names has a description, which becomes its HELP line.
#[test]
fn every_metric_has_help() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let described = std::fs::read_to_string(crates.join("web/src/http_metrics.rs")).unwrap();
    let mut folders = vec![crates.to_owned()];
    let mut names = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir()
                && !["tests", "benches", "assets"].iter().any(|name| path.ends_with(name))
            {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let code = std::fs::read_to_string(&path).unwrap();
                for literal in code.split('"').skip(1).step_by(2) {
                    let ours = ["wayleave_", "log_", "http_"]
                        .iter()
                        .any(|start| literal.starts_with(start));
                    let ends = [
                        "_total",
                        "_seconds",
                        "_bytes",
                        "_entries",
                        "_open",
                        "_length",
                        "_in_flight",
                        "_decided",
                        "_tracked",
                    ];
                    let plain =
                        literal.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
                    if ours && plain && ends.iter().any(|end| literal.ends_with(end)) {
                        names.insert(literal.to_owned());
                    }
                }
            }
        }
    }
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(described.contains(&format!("\"{name}\"")), "{name} has no description");
    }
}

/// The metrics on an address of their own, with HELP for each, and not on the server's.
#[test]
fn metrics_have_their_own_address() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let server = Server::start_demo(&["--server-metrics-listen", &address]);
    assert_eq!(server.scan("open.lab")["grade"], "A");
    assert_eq!(server.get("/metrics").status, 404);
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stream, &mut text).unwrap();
    let named = |word: &str| -> std::collections::BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(word));
        lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
    };
    assert!(text.contains("wayleave_scans_total{outcome=\"answered\"} 1"), "{text}");
    assert_eq!(named("# TYPE "), named("# HELP "), "{text}");
    // What the dashboard shows exists.
    let dashboard = deploy("grafana-dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() >= 10);
    let known = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/src/http_metrics.rs"),
    );
    let known = known.unwrap();
    for panel in panels {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let ours = words.filter(|word| {
                ["wayleave_", "log_", "http_"].iter().any(|start| word.starts_with(start))
            });
            for name in ours {
                let name = name.trim_end_matches("_bucket").trim_end_matches("_sum");
                assert!(known.contains(&format!("\"{name}\"")), "{name} in {expression}");
            }
        }
    }
}

#[test]
fn doctor_says_what_is_broken_and_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let keys = folder.path().join("keys");
    let flags =
        ["--store-data-dir", data.to_str().unwrap(), "--store-keys-dir", keys.to_str().unwrap()];
    let doctor = |more: &[&str]| {
        let output = wayleave().arg("doctor").args(flags).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let server = Server::start_demo(&flags);
    // The keys are where they were asked for, and not in the data.
    assert!(keys.is_dir() && !data.join("keys").exists());
    server.get("/api/v1/resolve?domain=open.lab");
    let listen = server.address.to_string();
    let (code, ready) = doctor(&["--ready", "--server-listen", &listen]);
    assert_eq!(code, Some(0), "{ready}");
    let (_, beside) = doctor(&[]);
    assert!(beside.contains("warning log: in use by a running service"), "{beside}");
    drop(server);
    let (code, ready) = doctor(&["--ready", "--server-listen", &listen]);
    assert!(code == Some(1) && ready.contains("is the server running?"), "{ready}");
    let (_, whole) = doctor(&[]);
    for line in
        ["ok      log: ", "ok      permissions: ", "ok      keys: ", "GB free", "ok      clock: "]
    {
        assert!(whole.contains(line), "{line}: {whole}");
    }
    use std::os::unix::fs::PermissionsExt;
    let allow = |mode: u32| {
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o755);
    let (code, open) = doctor(&[]);
    assert!(code == Some(1) && open.contains("FAILED  permissions: others can read"), "{open}");
    assert!(open.contains(&format!("chmod 700 {}", keys.display())), "{open}");
    allow(0o700);
    // Without its keys, a log gets no new ones, and doctor says so as the server does.
    let away = folder.path().join("away");
    std::fs::rename(&keys, &away).unwrap();
    let (code, lost) = doctor(&[]);
    assert!(code == Some(1) && lost.contains("No new keys were made"), "{lost}");
    assert!(!keys.exists(), "doctor makes nothing");
    std::fs::rename(&away, &keys).unwrap();
    // A clock that was ahead when the store was written.
    let file = std::fs::File::options().write(true).open(data.join("wayleave.db")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(7200)).unwrap();
    let (code, ahead) = doctor(&[]);
    assert!(code == Some(1) && ahead.contains("FAILED  clock: "), "{ahead}");
}
