//! The files of `deploy/`: the shell steps of the CI templates are run against a demo and a lab, and the
//! sample configuration, the unit and the proxies are checked with the programs that read them, where there
//! are any.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use lab::{Lab, LabOptions};
use tempfile::TempDir;

use crate::server::{Server, wayleave};
use crate::tools;

fn deploy(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

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

fn text(folder: &TempDir, file: &str) -> String {
    std::fs::read_to_string(folder.path().join(file)).unwrap_or_default()
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
    let steps = blocks(&deploy("ci/github/action.yml"), "run: |");
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
    let template = deploy("ci/gitlab/wayleave.gitlab-ci.yml");
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

#[test]
fn the_sample_configuration_is_valid() {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/wayleave.toml");
    let output = wayleave().arg("config").arg("--config").arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The image sets only keys that exist.
    let image = deploy("Dockerfile");
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
    let ignored = deploy("Dockerfile.dockerignore");
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
    let text = deploy("wayleave.service")
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

/// nginx or Caddy with its file of `deploy/`, in front of an upstream of this test, without TLS.
struct Proxy {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap().local_addr().unwrap()
}

#[track_caller]
fn with_line(text: &str, line: &str, to: &str) -> String {
    assert!(text.contains(line), "{line}: {text}");
    text.replace(line, to)
}

impl Proxy {
    /// `None` if the program is not installed.
    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own proxy")]
    fn start(program: &str, upstream: SocketAddr) -> Option<Self> {
        Command::new(program).arg("-v").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let (address, at) = (free_address(), folder.path().display());
        let mut command = Command::new(program);
        let config = if program == "nginx" {
            let site = with_line(&deploy("nginx.conf"), "127.0.0.1:8080", &upstream.to_string());
            let site = with_line(&site, "listen 443 ssl http2;", &format!("listen {address};"));
            let site = with_line(&site, "listen 80;", &format!("listen {};", free_address()));
            let plain = |line: &&str| !line.contains("[::]") && !line.contains(" ssl_");
            let site: String = site.lines().filter(plain).flat_map(|line| [line, "\n"]).collect();
            let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|name| format!("{name}_temp_path {at}/{name};\n"))
                .concat();
            command.args(["-p", folder.path().to_str().unwrap(), "-c", "config"]);
            // One process, which ends when it is killed.
            format!(
                "daemon off; master_process off; pid {at}/pid; error_log {at}/log; events {{}}\n\
                 http {{\naccess_log off;\n{folders}{site}}}\n"
            )
        } else {
            let site = with_line(&deploy("Caddyfile"), "127.0.0.1:8080", &upstream.to_string());
            let site = with_line(&site, "wayleave.example {", &format!("http://{address} {{"));
            command.args(["run", "--adapter", "caddyfile", "--config", "config"]);
            format!("{{\n\tadmin off\n\tauto_https off\n}}\n{site}")
        };
        std::fs::write(folder.path().join("config"), config).unwrap();
        let log = std::fs::File::create(folder.path().join("stderr")).unwrap();
        command.current_dir(folder.path()).env("HOME", folder.path());
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let mut proxy = Self { child, address, folder };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = proxy.child.try_wait().unwrap();
            let logs = ["stderr", "log"].map(|name| text(&proxy.folder, name));
            assert!(ended.is_none(), "{program}: {logs:?}");
            assert!(begun.elapsed() < Duration::from_secs(20), "{program}: {logs:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(proxy)
    }

    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own proxy")]
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }
}

#[track_caller]
fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let (mut all, mut byte) = (Vec::new(), [0]);
    while !all.ends_with(end.as_bytes()) {
        let read = stream.read(&mut byte);
        assert!(
            matches!(read, Ok(1)),
            "{read:?} before {end:?}: {}",
            String::from_utf8_lossy(&all)
        );
        all.extend(byte);
    }
    String::from_utf8(all).unwrap()
}

/// Reports the head of every request. Sends the end of an event stream only when told to.
fn start_upstream(heads: Sender<String>, finish: Receiver<()>) -> SocketAddr {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = read_until(&mut stream, "\r\n\r\n");
            let is_stream = head.contains("/events ");
            if heads.send(head).is_err() {
                return;
            }
            if !is_stream {
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
                continue;
            }
            let first = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                         connection: close\r\n\r\nevent: progress\n\n";
            let _ = stream.write_all(first.as_bytes());
            let _ = finish.recv_timeout(Duration::from_secs(30));
            let _ = stream.write_all(b"event: end\n\n");
        }
    });
    address
}

/// The proxies state the client's address and nobody else does, and pass the progress of a scan on at once.
#[track_caller]
fn check_proxy(program: &str, lines: &[&str]) {
    let ((heads, seen), (finish, told)) = (channel(), channel());
    let Some(proxy) = Proxy::start(program, start_upstream(heads, told)) else {
        // Not installed: at least the lines that matter are there.
        let file = deploy(if program == "nginx" { "nginx.conf" } else { "Caddyfile" });
        for line in lines {
            assert!(file.lines().any(|found| found.trim() == *line), "{program}: {line}");
        }
        return;
    };
    let host = format!("host: {}", proxy.address);
    let headers = format!(
        "{host}\r\nx-forwarded-for: 198.51.100.1\r\nforwarded: for=198.51.100.2\r\nconnection: close\r\n"
    );
    // The form of the home page, which must not be redirected.
    let mut form =
        proxy.send(&format!("POST /scan HTTP/1.1\r\n{headers}content-length: 0\r\n\r\n"));
    assert!(read_until(&mut form, "\r\n").starts_with("HTTP/1.1 204"), "{program}");
    let head = seen.recv().unwrap().to_ascii_lowercase();
    assert!(head.starts_with("post /scan http/1.1\r\n"), "{program}: {head}");
    assert!(head.contains("\r\nx-forwarded-for: 127.0.0.1\r\n"), "{program}: {head}");
    assert!(head.contains(&format!("\r\n{host}\r\n")), "{program}: {head}");
    assert!(!head.contains("198.51.100.") && !head.contains("\r\nforwarded:"), "{program}: {head}");
    let mut metrics = proxy.send(&format!("GET /metrics HTTP/1.1\r\n{headers}\r\n"));
    assert!(read_until(&mut metrics, "\r\n").starts_with("HTTP/1.1 404"), "{program}");
    // The first event arrives while the upstream has not sent the last one.
    let mut events = proxy.send(&format!("GET /scan/abc/events HTTP/1.1\r\n{headers}\r\n"));
    read_until(&mut events, "event: progress\n\n");
    let head = seen.recv().unwrap().to_ascii_lowercase();
    assert!(!head.contains("198.51.100.") && !head.contains("\r\nforwarded:"), "{program}: {head}");
    finish.send(()).unwrap();
    read_until(&mut events, "event: end\n\n");
}

#[test]
fn nginx_states_the_client_and_does_not_hold_back_progress() {
    check_proxy(
        "nginx",
        &[
            "proxy_set_header X-Forwarded-For $remote_addr;",
            "proxy_set_header Forwarded \"\";",
            "proxy_set_header Host $http_host;",
            "location ~ ^/scan/[^/]+/events$ {",
            "proxy_buffering off;",
            "location = /metrics { return 404; }",
        ],
    );
}

#[test]
fn caddy_states_the_client_and_does_not_hold_back_progress() {
    let lines =
        ["header_up X-Forwarded-For {remote_host}", "header_up -Forwarded", "respond /metrics 404"];
    check_proxy("caddy", &lines);
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
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
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
    let written = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written + std::time::Duration::from_secs(7200)).unwrap();
    let (code, ahead) = doctor(&[]);
    assert!(code == Some(1) && ahead.contains("FAILED  clock: "), "{ahead}");
}
