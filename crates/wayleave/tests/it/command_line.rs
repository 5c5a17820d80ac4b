//! The commands of the program, as a person or a script would call them.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hostile_domains::ask;
use crate::server::{Server, wayleave};

const GOOD: i32 = 0;
const BAD: i32 = 1;
const FAILED: i32 = 2;

/// What a finished command said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// A failure: nothing on standard output, and on standard error one message that says this,
    /// once.
    #[track_caller]
    fn failed(self, why: &str) -> Self {
        let said = self.expect(FAILED);
        assert_eq!(said.out, "", "{}", said.err);
        assert!(said.err.starts_with("wayleave: "), "{}", said.err);
        assert_eq!(said.err.matches(why).count(), 1, "{why:?} in {:?}", said.err);
        said
    }

    /// Says all of this on standard error, without colours.
    #[track_caller]
    fn says_plainly(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} in {}", self.err);
        }
        assert!(!self.err.contains('\u{1b}'), "colours in a pipe: {:?}", self.err);
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

fn run(arguments: &[&str]) -> Said {
    Said::of(wayleave().args(arguments).output().unwrap())
}

fn run_with_input(arguments: &[&str], input: &[u8]) -> Said {
    let mut child = piped(wayleave().args(arguments)).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Said::of(child.wait_with_output().unwrap())
}

fn piped(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::piped()).stderr(Stdio::piped())
}

/// A folder with files in it, gone with the test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self.path(name)
    }
}

/// `wayleave lab run`, ended with the test.
struct LabRun {
    child: Child,
    folder: Folder,
    config: String,
}

impl LabRun {
    fn start() -> Self {
        let folder = Folder::new();
        let config = folder.path("lab.toml");
        let authority = folder.path("ca.pem");
        let mut child = piped(&mut wayleave())
            .args(["lab", "run", "--config-file", &config, "--ca-file", &authority])
            .spawn()
            .unwrap();
        wait_for_line(&mut child, "The lab runs with");
        Self { child, folder, config }
    }
}

impl Drop for LabRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything said on standard error up to and with the line that holds this.
fn wait_for_line(child: &mut Child, part: &str) -> String {
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut all = String::new();
    loop {
        let before = all.len();
        assert!(said.read_line(&mut all).unwrap() > 0, "it ended without {part:?}: {all}");
        if all[before..].contains(part) {
            // Keep reading, so that the process never waits for us.
            std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
            return all;
        }
    }
}

/// The output of a command that must end by itself; one that does not is ended and told.
fn must_end(command: &mut Command) -> Said {
    let mut child = piped(command).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it runs on: {:?}", child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Said::of(child.wait_with_output().unwrap())
}

#[test]
fn every_command_explains_itself() {
    let commands: &[&[&str]] = &[
        &[],
        &["serve"],
        &["demo"],
        &["lab"],
        &["lab", "sites"],
        &["lab", "run"],
        &["scan"],
        &["verify"],
        &["canonical"],
        &["key"],
        &["key", "list"],
        &["key", "rotate"],
        &["key", "compromised"],
        &["config"],
        &["doctor"],
    ];
    for command in commands {
        let said = run(&[command, &["--help"][..]].concat()).expect(GOOD);
        assert!(said.out.contains("Usage:") && said.err.is_empty(), "{command:?}: {}", said.out);
        // Where a script will look at the exit code, its meanings are told.
        if matches!(*command, [] | ["scan"] | ["verify"] | ["doctor"]) {
            assert!(said.out.contains("Exit codes: 0 "), "{command:?}: {}", said.out);
        }
        // Every command that reads the configuration names every key of it.
        let takes_keys = ["serve", "demo", "scan", "config", "doctor", "list", "rotate"];
        if command.last().is_some_and(|last| takes_keys.contains(last)) {
            assert!(said.out.contains("--network-allow-names"), "{command:?}: {}", said.out);
        }
        assert!(run(&[command, &["-h"][..]].concat()).expect(GOOD).out.contains("Usage:"));
    }
    let version = run(&["--version"]).expect(GOOD).out;
    assert_eq!(version.trim(), concat!("wayleave ", env!("CARGO_PKG_VERSION")));
    for usage in [&["frobnicate"][..], &[], &["scan"], &["config", "--no-such-flag"], &["verify"]] {
        let said = run(usage).expect(FAILED);
        assert!(said.out.is_empty() && said.err.contains("Usage:"), "{usage:?}: {}", said.err);
    }
}

#[test]
fn canonical_writes_the_bytes_that_are_hashed() {
    let folder = Folder::new();
    let text = r#" { "b" : 1.0, "a" : [ 1e2, "é\u000a", { } ] , "\u00e9" : null } "#;
    let canonical = r#"{"a":[100,"é\n",{}],"b":1,"é":null}"#;
    let file = folder.write("in.json", text);
    assert_eq!(run(&["canonical", &file]).expect(GOOD).out, canonical);
    assert_eq!(run_with_input(&["canonical", "-"], text.as_bytes()).expect(GOOD).out, canonical);
    // Canonical already: nothing changes.
    assert_eq!(run_with_input(&["canonical", "-"], canonical.as_bytes()).out, canonical);

    let digest = run(&["canonical", "--sha256", &file]).expect(GOOD).out;
    let by_others = Command::new("sha256sum").arg(folder.write("out", canonical)).output().unwrap();
    let by_others = String::from_utf8(by_others.stdout).unwrap();
    assert_eq!(digest.trim(), by_others.split(' ').next().unwrap());
    let both = run(&["canonical", "--json", &file]).expect(GOOD).json();
    assert_eq!(both, json!({ "canonical": canonical, "sha256": digest.trim() }));

    for (broken, why) in [
        ("", "it ends where"),
        ("{", "not strict JSON"),
        ("{\"a\":1} x", "something follows"),
        ("{\"a\":1,\"a\":2}", "a member of this name was before"),
        ("\"\\ud800\"", "surrogate"),
        ("1e999", "too large"),
        ("[1,]", "not strict JSON"),
        ("\u{feff}{}", "not strict JSON"),
    ] {
        run_with_input(&["canonical", "-"], broken.as_bytes()).failed(why);
    }
    run_with_input(&["canonical", "-"], b"\"\xff\"").failed("not strict JSON");
    run_with_input(&["canonical", "-"], "[".repeat(200_000).as_bytes()).failed("not strict JSON");
    run(&["canonical", &folder.path("nowhere.json")]).failed("nowhere.json cannot be read");
    run(&["canonical", folder.0.path().to_str().unwrap()]).failed("cannot be read");
}

#[test]
fn verify_accepts_only_what_it_could_check_to_the_end() {
    let server = Server::shared();
    let folder = Folder::new();
    let record = ask(server, &json!("open.lab"));
    let file = folder.write("record.json", &record.body);
    let get = |path| server.get(path).body;
    let keys = folder.write("keys.json", get("/.well-known/http-message-signatures-directory"));
    let rotation = folder.write("rotation.json", get("/.well-known/security-key-rotation.json"));

    // Whose key it is, nobody said.
    let said = run(&["verify", &file]).expect(BAD);
    assert!(said.out.contains(": not fully checked (svc-scan)"), "{}", said.out);
    assert!(said.out.contains("not checked  key published: no directory"), "{}", said.out);
    assert!(!said.out.contains("failed"), "{}", said.out);
    let told = run(&["verify", "--json", &file]).expect(BAD).json();
    assert_eq!(told[0]["conclusion"], "incomplete");

    let said = run(&["verify", "--keys", &keys, "--rotation", &rotation, &file]).expect(GOOD);
    assert!(said.out.contains(": accepted (svc-scan)"), "{}", said.out);
    assert!(!said.out.contains('\u{1b}'), "colours in a pipe");
    run_with_input(&["verify", "--keys", &keys, "-"], &record.body).expect(GOOD);
    run(&["verify", "--keys", &server.base(), &file]).expect(GOOD);
    // Signed under another brand is signed by somebody else.
    run(&["verify", "--keys", &keys, "--brand", "other", &file]).expect(BAD);

    let tampered = record.text().replace("\"domain\":\"open.lab\"", "\"domain\":\"0pen.lab\"");
    assert_ne!(tampered, record.text());
    let tampered = folder.write("tampered.json", tampered);
    let mut unsigned = record.json();
    unsigned.as_object_mut().unwrap().remove("signature");
    let unsigned = folder.write("unsigned.json", unsigned.to_string());
    let not_json = folder.write("broken.json", "{");
    for bad in [&tampered, &unsigned, &not_json] {
        for with_keys in [true, false] {
            let mut arguments = vec!["verify", bad];
            if with_keys {
                arguments.extend(["--keys", &keys]);
            }
            let said = run(&arguments).expect(BAD);
            assert!(said.out.contains(": refused ("), "{}", said.out);
            assert!(said.out.contains("failed "), "{}", said.out);
        }
    }
    // One bad file among good ones decides, and every file is told of.
    let told = run(&["verify", "--json", "--keys", &keys, &file, &tampered, &file]).expect(BAD);
    let conclusions: Vec<Value> =
        told.json().as_array().unwrap().iter().map(|one| one["conclusion"].clone()).collect();
    assert_eq!(conclusions, ["accepted", "refused", "accepted"]);

    let nowhere = folder.path("nowhere.json");
    run(&["verify", "--keys", &keys, &nowhere]).failed("nowhere.json cannot be read");
    run(&["verify", "--keys", &nowhere, &file]).failed("nowhere.json cannot be read");
    run(&["verify", "--keys", &not_json, &file]).failed("the key directory is not valid");
    run(&["verify", "--keys", "http://127.0.0.1:1", &file]).failed("cannot be read");
    run(&["verify", "--brand", "Not Good", &file]).failed("--brand");
}

/// Every key, with a value for its environment variable and how the configuration shows it.
fn settings() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("server.listen", "127.0.0.1:4321", json!("127.0.0.1:4321")),
        ("server.base_url", "https://svc.somewhere.org/", json!("https://svc.somewhere.org")),
        ("server.brand", "abc", json!("abc")),
        ("server.trusted_proxies", "10.9.0.0/16, ::1/128", json!(["10.9.0.0/16", "::1/128"])),
        ("server.max_connections", "4321", json!(4321)),
        ("server.max_requests", "4322", json!(4322)),
        ("store.data_dir", "/somewhere/else", json!("/somewhere/else")),
        ("store.artifact_days", "0", json!(0)),
        ("network.resolver", "127.0.0.1:4323", json!("127.0.0.1:4323")),
        ("network.allow_networks", "127.77.0.0/16", json!(["127.77.0.0/16"])),
        ("network.refuse_networks", "192.0.2.0/24", json!(["192.0.2.0/24"])),
        ("network.allow_names", "lab,quoted-lab", json!(["lab", "quoted-lab"])),
        ("network.http_port", "4324", json!(4324)),
        ("network.https_port", "4325", json!(4325)),
        ("network.allow_ports", "8443, 8444", json!([8443, 8444])),
        ("network.extra_ca", "/somewhere/\"ca\".pem", json!("/somewhere/\"ca\".pem")),
        ("network.source_address", "127.0.0.1", json!("127.0.0.1")),
        ("network.vantage", "a b = \"c\"", json!("a b = \"c\"")),
        ("agents.catalogue", "/somewhere/agents.json", json!("/somewhere/agents.json")),
        ("scan.deadline_ms", "4326", json!(4326)),
        ("scan.at_once", "4327", json!(4327)),
        ("log.filter", "debug,hyper=warn", json!("debug,hyper=warn")),
        ("log.format", "json", json!("json")),
    ]
}

fn shown<'a>(config: &'a Value, key: &str) -> &'a Value {
    let (section, name) = key.split_once('.').unwrap();
    &config[section][name]
}

#[test]
fn every_key_is_a_variable_and_a_flag_and_can_be_read_back() {
    let keys = run(&["config", "--keys", "--json"]).expect(GOOD).json();
    let keys = keys.as_array().unwrap();
    let settings = settings();
    let listed: Vec<&str> = keys.iter().map(|key| key["key"].as_str().unwrap()).collect();
    assert_eq!(listed, settings.iter().map(|(key, _, _)| *key).collect::<Vec<_>>());
    let table = run(&["config", "--keys"]).expect(GOOD).out;
    let word = |key: &Value, name: &str| key[name].as_str().unwrap().to_owned();
    for key in keys {
        let row = table.lines().find(|row| row.starts_with(&format!("{} ", word(key, "key"))));
        let row = row.unwrap_or_else(|| panic!("{key}"));
        assert!(row.contains(&word(key, "variable")) && row.contains(&word(key, "help")), "{row}");
    }

    let folder = Folder::new();
    let in_force = |command: &mut Command| Said::of(command.output().unwrap()).expect(GOOD);
    let mut by_variable = wayleave();
    let mut by_flag = wayleave();
    by_variable.arg("config");
    by_flag.arg("config");
    for (key, (_, value, _)) in keys.iter().zip(&settings) {
        by_variable.env(word(key, "variable"), value);
        by_flag.args([word(key, "flag"), (*value).to_owned()]);
    }
    let toml = in_force(&mut by_variable).out;
    assert_eq!(in_force(&mut by_flag).out, toml);
    let config = in_force(by_variable.arg("--json")).json();
    for (key, _, expected) in &settings {
        assert_eq!(shown(&config, key), expected, "{key}");
    }
    // What was printed is itself a file, and means the same.
    let file = folder.write("printed.toml", &toml);
    assert_eq!(run(&["config", "--config", &file]).expect(GOOD).out, toml);
    assert_eq!(run(&["config", "--config", &file, "--json"]).expect(GOOD).json(), config);
    let mut named = wayleave();
    named.arg("config").env("WAYLEAVE_CONFIG", &file);
    assert_eq!(in_force(&mut named).out, toml);
    let defaults = run(&["config"]).expect(GOOD).out;
    let file = folder.write("defaults.toml", &defaults);
    assert_eq!(run(&["config", "--config", &file]).expect(GOOD).out, defaults);

    // Flags beat variables beat the file.
    let file = folder
        .write("own.toml", "[server]\nbrand = \"file\"\nmax_requests = 7\n[scan]\nat_once = 3");
    let mut layered = wayleave();
    layered.args(["config", "--json", "--config", &file, "--server-brand", "flag"]);
    layered.env("WAYLEAVE_SERVER_BRAND", "variable").env("WAYLEAVE_SERVER_MAX_REQUESTS", "8");
    let config = in_force(&mut layered).json();
    for (key, expected) in [
        ("server.brand", json!("flag")),
        ("server.max_requests", json!(8)),
        ("scan.at_once", json!(3)),
    ] {
        assert_eq!(shown(&config, key), &expected, "{key}");
    }
}

#[test]
fn a_configuration_that_makes_no_sense_is_refused_by_name() {
    let folder = Folder::new();
    for (text, named) in [
        ("[server]\nlisten_on = \"127.0.0.1:1\"", "listen_on"),
        ("[sever]\nlisten = \"127.0.0.1:1\"", "sever"),
        ("[network]\nallow_network = []", "`allow_network`"),
        ("[server]\nlisten = 8080", "listen"),
        ("[network]\nallow_networks = [\"10.0.0.0/33\"]", "allow_networks"),
        ("[scan]\nat_once = 0", "scan.at_once"),
        ("[scan]\nat_once = -1", "at_once"),
        ("[server", "is not valid TOML"),
        ("[server]\nbrand = \"a\"\nbrand = \"b\"", "is not valid TOML"),
    ] {
        let file = folder.write("bad.toml", text);
        for command in
            [&["config"][..], &["serve"], &["demo"], &["scan", "open.lab"], &["key", "list"]]
        {
            let arguments = [command, &["--config", file.as_str()]].concat();
            let said = must_end(wayleave().args(&arguments)).expect(FAILED);
            assert!(said.out.is_empty(), "{arguments:?}: {}", said.out);
            assert!(said.err.contains(named), "{arguments:?} {text:?}: {}", said.err);
        }
        let told = run(&["doctor", "--json", "--config", &file]).expect(BAD).json();
        assert_eq!((&told[0]["name"], &told[0]["state"]), (&json!("configuration"), &json!("bad")));
        assert!(told[0]["says"].as_str().unwrap().contains(named), "{told}");
    }
    run(&["config", "--config", &folder.path("nowhere.toml")]).failed("nowhere.toml");
    run(&["config", "--scan-at-once", "many"]).failed("--scan-at-once");
    let mut command = wayleave();
    command.arg("config").env("WAYLEAVE_SCAN_DEADLINE_MS", "soon");
    Said::of(command.output().unwrap()).failed("WAYLEAVE_SCAN_DEADLINE_MS");
    let missing = folder.path("ca.pem");
    run(&["scan", "iana.org", "--network-extra-ca", &missing]).failed("network.extra_ca");
}

fn states(checks: &Value) -> Vec<(&str, &str)> {
    checks
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (check["name"].as_str().unwrap(), check["state"].as_str().unwrap()))
        .collect()
}

#[test]
fn doctor_tells_a_good_set_up_from_a_bad_one() {
    let lab = LabRun::start();
    let data = lab.folder.path("data");
    let examine = |more: &[&str]| {
        let mut arguments = vec!["doctor", "--config", &lab.config, "--store-data-dir", &data];
        arguments.extend(["--server-listen", "127.0.0.1:0"]);
        arguments.extend(more);
        run(&arguments)
    };
    let checks = examine(&["--json", "--probe", "open.lab"]).expect(GOOD).json();
    let found = states(&checks);
    for check in [
        ("configuration", "good"),
        ("clock", "good"),
        ("agents.catalogue", "good"),
        ("network.resolver", "good"),
        // A lab is not what strangers should be served with, and is told so.
        ("network", "doubt"),
        ("store", "doubt"),
    ] {
        assert!(found.contains(&check), "{check:?} in {found:?}");
    }
    assert!(!Path::new(&data).exists(), "looking makes nothing");

    let said = examine(&["--probe", "open.lab"]).expect(GOOD);
    assert!(said.out.contains("good  network.resolver: "), "{}", said.out);
    assert!(!said.out.contains('\u{1b}') && said.err.is_empty(), "{} {}", said.out, said.err);

    let said = examine(&["--probe", "no-such-name.lab"]).expect(BAD);
    assert!(said.out.contains("BAD   network.resolver: "), "{}", said.out);
    assert!(said.out.contains("NXDOMAIN"), "{}", said.out);
    let said = examine(&["--probe", "open.lab", "--network-resolver", "127.0.0.1:1"]).expect(BAD);
    assert!(said.out.contains("BAD   network.resolver: "), "{}", said.out);
    let missing = lab.folder.path("none.json");
    let said = examine(&["--probe", "open.lab", "--agents-catalogue", &missing]).expect(BAD);
    assert!(said.out.contains("BAD   agents.catalogue: "), "{}", said.out);

    // A store that is no store, and keys that are no keys.
    let broken = lab.folder.path("broken");
    std::fs::create_dir_all(PathBuf::from(&broken).join("keys")).unwrap();
    std::fs::write(PathBuf::from(&broken).join("keys/documents-0001-x.json"), "{").unwrap();
    std::fs::create_dir(PathBuf::from(&broken).join("wayleave.db")).unwrap();
    let mut command = wayleave();
    command.args(["doctor", "--json", "--probe", "open.lab", "--config", &lab.config]);
    command.args(["--store-data-dir", &broken, "--server-listen", "127.0.0.1:0"]);
    let checks = Said::of(command.output().unwrap()).expect(BAD).json();
    for check in [("keys", "bad"), ("store", "bad"), ("network.resolver", "good")] {
        assert!(states(&checks).contains(&check), "{check:?} in {checks}");
    }
}

#[test]
fn a_scan_from_here_is_shown_and_its_exit_code_means_something() {
    let lab = LabRun::start();
    let scan = |domain: &str, more: &[&str]| {
        let mut arguments = vec!["scan", domain, "--config", &lab.config];
        arguments.extend(more);
        run(&arguments)
    };
    let said = scan("https://www.open.lab/x?y", &[]).expect(GOOD);
    assert!(said.out.starts_with("open.lab: A (100 of 100)"), "{}", said.out);
    for part in ["Home page", "GPTBot", "Machine files", "/robots.txt", "not scored: "] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert!(!said.out.contains('\u{1b}'), "colours in a pipe: {:?}", said.out);
    assert_eq!(said.err, "", "a bar in a pipe");

    let record = scan("open.lab", &["--json"]).expect(GOOD).json();
    assert_eq!(record["kind"], "svc-scan");
    assert_eq!((&record["domain"], &record["grade"]), (&json!("open.lab"), &json!("A")));
    assert_eq!(record["checks"].as_array().map(Vec::len), Some(8));
    // Nothing is kept, so nothing is signed and nothing pointed to.
    assert_eq!((&record["signature"], &record["links"]["report"]), (&Value::Null, &Value::Null));

    let said = scan("blocks-ai.lab", &[]).expect(GOOD);
    assert!(said.out.contains("AI identities are turned away"), "{}", said.out);
    scan("open.lab", &["--fail-under", "A"]).expect(GOOD);
    let said = scan("blocks-ai.lab", &["--fail-under", "A"]).expect(BAD);
    assert!(said.out.starts_with("blocks-ai.lab: F"), "{}", said.out);
    scan("blocks-ai.lab", &["--fail-under", "f", "--json"]).expect(GOOD);
    scan("blocks-ai.lab", &["--fail-under", "d", "--json"]).expect(BAD);
    assert!(scan("open.lab", &["--fail-under", "E"]).expect(FAILED).err.contains("A, B, C, D, F"));

    let said = scan("no-such-site.lab", &[]).expect(BAD);
    assert!(said.out.starts_with("no-such-site.lab: nothing answered"), "{}", said.out);
    let record = scan("no-such-site.lab", &["--json"]).expect(BAD).json();
    assert_eq!((&record["unreachable"], &record["id"]), (&json!(true), &Value::Null));

    for (bad, why) in [
        ("127.0.0.1", "an IP address is not a domain"),
        ("lab", "a public suffix"),
        ("localhost", "reserved"),
        ("open.nosuchtld", "does not exist"),
        ("ftp://open.lab", "only http and https"),
        ("user@open.lab", "user name"),
        ("open.lab:22", "this port"),
        ("", "no domain was given"),
    ] {
        scan(bad, &[]).failed(why);
    }
}

#[test]
fn a_scan_by_a_server_is_shown_the_same() {
    let server = Server::shared();
    let base = server.base();
    // Made once, so that the next are answered with the report of the last two minutes.
    for domain in ["open.lab", "blocks-ai.lab"] {
        assert_eq!(ask(server, &json!(domain)).status, 200);
    }
    let said = run(&["scan", "open.lab", "--url", &base]).expect(GOOD);
    assert!(said.out.starts_with("open.lab: A"), "{}", said.out);
    assert!(said.out.contains(&format!("{base}/r/")), "{}", said.out);
    assert!(!said.out.contains('\u{1b}') && said.err.is_empty(), "{:?} {}", said.out, said.err);
    let said = run(&["scan", "open.lab", "--json", "--url", &format!("{base}/")]).expect(GOOD);
    let folder = Folder::new();
    let record = folder.write("record.json", &said.out);
    run(&["verify", "--keys", &base, &record]).expect(GOOD);
    run(&["scan", "blocks-ai.lab", "--fail-under", "A", "--url", &base]).expect(BAD);
    run(&["scan", "no-such-site.lab", "--url", &base]).expect(BAD);
    run(&["scan", "127.0.0.1", "--url", &base]).failed("An IP address is not a domain.");
    run(&["scan", "open.lab", "--url", "http://127.0.0.1:1"]).failed("Connection refused");
    run(&["scan", "open.lab", "--url", "file:///etc/passwd"]).failed("not an http or https one");
    run(&["scan", "open.lab", "--url", "ftp://127.0.0.1"]).failed("not an http or https one");
    run(&["scan", "open.lab", "--url", &format!("{base}/nowhere")]).failed("answered 404");
}

#[test]
fn a_key_that_was_replaced_stays_published_and_what_it_signed_holds() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let list = || run(&["key", "list", "--json", flags[0], flags[1]]).expect(GOOD).json();
    let documents = |keys: &Value| -> Vec<(String, bool)> {
        let all = keys.as_array().unwrap().iter().filter(|key| key["purpose"] == "documents");
        all.map(|key| {
            (key["kid"].as_str().unwrap().to_owned(), key["stopped_signing_at"].is_null())
        })
        .collect()
    };
    let first = list();
    assert_eq!(first.as_array().map(Vec::len), Some(4), "one key for each purpose");
    let old = documents(&first)[0].0.clone();
    let table = run(&["key", "list", flags[0], flags[1]]).expect(GOOD).out;
    assert!(table.contains(&old) && table.contains("log heads"), "{table}");

    let server = Server::demo(&flags);
    let record = folder.write("record.json", ask(&server, &json!("open.lab")).body);
    drop(server);
    let said =
        run(&["key", "rotate", "documents", "--after", "0", flags[0], flags[1]]).expect(GOOD);
    assert!(said.err.contains("The new key for documents begins to sign at"), "{}", said.err);
    assert!(said.out.contains(&old), "{}", said.out);
    let now = list();
    assert_eq!(now.as_array().map(Vec::len), Some(5));
    let found = documents(&now);
    assert_eq!(found.iter().filter(|(_, signs)| *signs).count(), 1, "{found:?}");
    assert!(found.contains(&(old.clone(), false)), "{found:?}");

    let server = Server::demo(&flags);
    let rotation = server.get("/.well-known/security-key-rotation.json").json();
    let retired = rotation["retired"].as_array().unwrap();
    assert_eq!(
        retired.iter().filter(|key| key["thumbprint"] == old.as_str()).count(),
        1,
        "{rotation}"
    );
    // Both what the old key signed and what the new one signs.
    let base = server.base();
    run(&["verify", "--keys", &base, &record]).expect(GOOD);
    let answer = ask(&server, &json!("minimal.lab"));
    let new = folder.write("new.json", &answer.body);
    assert_ne!(answer.json()["signature"]["kid"], old.as_str());
    run(&["verify", "--keys", &base, &new]).expect(GOOD);
    drop(server);

    // What others may hold proves nothing from then on.
    let since = "2020-01-01T00:00:00Z";
    run(&["key", "compromised", &old, since, flags[0], flags[1]]).expect(GOOD);
    let server = Server::demo(&flags);
    run(&["verify", "--keys", &server.base(), &record]).expect(BAD);
    run(&["verify", "--keys", &server.base(), &new]).expect(GOOD);

    let wrong = run(&["key", "rotate", "nonsense", flags[0], flags[1]]).expect(FAILED);
    assert!(wrong.err.contains("nonsense"), "{}", wrong.err);
    run(&["key", "compromised", "nobody", since, flags[0], flags[1]]).failed("nobody");
    assert_eq!(list().as_array().map(Vec::len), Some(5), "nothing was made by a mistake");
}

#[test]
fn a_data_directory_and_a_port_have_one_server() {
    let folder = Folder::new();
    let data = folder.path("data");
    let server = Server::demo(&["--store-data-dir", &data]);
    let id = ask(&server, &json!("minimal.lab")).json()["id"].as_str().unwrap().to_owned();
    for command in ["serve", "demo"] {
        let mut second = wayleave();
        second.args([command, "--server-listen", "127.0.0.1:0", "--store-data-dir", &data]);
        must_end(&mut second).expect(FAILED).says_plainly(&["in use by another process", &data]);
    }
    let mut second = wayleave();
    let other = folder.path("other");
    let taken = server.address.to_string();
    second.args(["serve", "--server-listen", &taken, "--store-data-dir", &other]);
    must_end(&mut second).expect(FAILED).says_plainly(&["server.listen", &taken]);
    assert!(!Path::new(&other).exists(), "a server that cannot serve makes nothing");
    // The first is none the worse for it.
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 200);
    let checks =
        run(&["doctor", "--json", "--store-data-dir", &data, "--network-resolver", "127.0.0.1:1"]);
    let checks = checks.expect(BAD).json();
    assert!(states(&checks).contains(&("store", "doubt")), "{checks}");
}

#[test]
fn a_log_in_a_pipe_is_plain() {
    let folder = Folder::new();
    for (format, part) in [("text", "serving"), ("json", "\"message\":\"serving\"")] {
        let mut server = wayleave();
        server.args(["serve", "--server-listen", "127.0.0.1:0", "--log-format", format]);
        server.args(["--network-resolver", "127.0.0.1:1"]);
        server.args(["--store-data-dir", &folder.path(format)]);
        let mut child = piped(&mut server).spawn().unwrap();
        let log = wait_for_line(&mut child, part);
        let _ = child.kill();
        let _ = child.wait();
        assert!(!log.contains('\u{1b}'), "colours in a pipe: {log:?}");
        if format == "json" {
            for line in log.lines() {
                assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
            }
        }
    }
}

/// `wayleave … | head -1`: the reader has what it wanted, and nothing is wrong.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["lab", "sites", "--json"][..], &["config", "--keys"], &["lab", "sites"]] {
        let mut child = piped(&mut wayleave()).args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (GOOD, ""), "{arguments:?}");
    }
}
