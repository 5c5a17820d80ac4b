//! `lab clock`, `lab publish` and `lab engine` beside a running demo.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// A demo whose control file is in a folder of its own, so that the labs of other tests are not found.
pub(crate) struct Demo {
    server: Option<Server>,
    /// Where its control channel is.
    file: String,
    folder: Folder,
    data_dir: String,
}

impl Demo {
    pub(crate) fn start() -> Self {
        Self::start_with(&["--no-limits"])
    }

    pub(crate) fn start_with(flags: &[&str]) -> Self {
        let folder = Folder::new();
        let mut child = piped(&mut wayleave())
            .args(["demo", "--json", "--server-listen", "127.0.0.1:0"])
            .args(flags)
            .env("TMPDIR", folder.path(""))
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || BufReader::new(stderr).lines().for_each(drop));
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let server = Server::at(child, ready["listen"].as_str().unwrap().parse().unwrap());
        Self {
            server: Some(server),
            file: ready["lab"].as_str().unwrap().to_owned(),
            folder,
            data_dir: ready["data_dir"].as_str().unwrap().to_owned(),
        }
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Runs `wayleave lab …` as the same user would.
    pub(crate) fn lab(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = wayleave();
        command.arg("lab").args(arguments).env("TMPDIR", self.folder.path(""));
        CommandOutput::of(command.output().unwrap())
    }

    /// Runs a command of the operator on the data of the demo.
    pub(crate) fn operate(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = wayleave();
        command.args(arguments).args(["--store-data-dir", &self.data_dir]);
        command.args(["--network-allow-names", "lab"]);
        CommandOutput::of(command.output().unwrap())
    }

    /// Runs a command that asks the demo.
    pub(crate) fn operate_url(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = wayleave();
        command.args(arguments).args(["--url", &self.server().base()]);
        CommandOutput::of(command.output().unwrap())
    }

    pub(crate) fn scan(&self, domain: &str) -> Value {
        self.server().scan(domain)
    }
}

#[test]
fn a_clock_that_was_moved_is_the_clock_of_the_whole_service() {
    let demo = Demo::start();
    let shown = demo.lab(&["clock", "--json"]).expect(PASSED).json();
    assert_eq!(shown["ahead_s"], 0);
    let before = demo.scan("open.lab");
    assert_eq!(demo.scan("open.lab")["id"], before["id"], "the scan of just now is reused");

    let moved = demo.lab(&["clock", "+31d"]).expect(PASSED).out;
    assert!(moved.contains("31 days ahead of the real time"), "{moved}");
    let month_later = demo.scan("open.lab");
    assert_ne!(month_later["id"], before["id"]);
    let time = |record: &Value, name: &str| -> contract::Timestamp {
        record[name].as_str().unwrap().parse().unwrap()
    };
    let days_since_first = |record: &Value, name: &str| {
        time(record, name).millis_since(time(&before, "scannedAt")) / 86_400_000
    };
    assert_eq!(days_since_first(&month_later, "scannedAt"), 31);
    assert_eq!(month_later["grade"], before["grade"]);

    // More than a year in all: certificates are still valid, and the log still grows.
    demo.lab(&["clock", "+370d"]).expect(PASSED);
    let shown = demo.lab(&["clock", "--show", "--json"]).expect(PASSED).json();
    assert_eq!(shown["ahead_s"], 401 * 86_400);
    let year_later = demo.scan("open.lab");
    assert_eq!(days_since_first(&year_later, "scannedAt"), 401);
    assert_eq!(year_later["grade"], before["grade"]);
    let answer = demo.server().get("/api/v1/resolve?domain=open.lab");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(days_since_first(&answer.json(), "answered_at"), 401);
}

#[test]
fn proofs_are_pasted_as_a_claim_page_shows_them() {
    let demo = Demo::start();
    let element = "<meta name=\"svc-verification\" content=\"-AbC_1\">";
    let out = demo.lab(&["publish", "yours.lab", "--meta", element]).expect(PASSED).out;
    assert_eq!(out, format!("https://yours.lab/ now has {element}.\n"));
    let out = demo.lab(&["publish", "yours.lab", "--meta", "-second"]).expect(PASSED).out;
    assert!(out.contains("content=\"-second\""), "{out}");
    let out = demo.lab(&["publish", "open.lab", "--txt", "\"token=AbC\""]).expect(PASSED).out;
    assert_eq!(out, "_svc-challenge.open.lab now has a TXT record \"token=AbC\".\n");
    let out = demo.lab(&["publish", "yours.lab", "--file", "-AbC"]).expect(PASSED).out;
    assert_eq!(out, "https://yours.lab/.well-known/svc-challenge.txt now has the line -AbC.\n");
    let list = demo.lab(&["proofs", "--json"]).expect(PASSED).json();
    assert_eq!(list["proofs"].as_array().unwrap().len(), 4, "{list}");
    assert!(demo.lab(&["proofs"]).expect(PASSED).out.contains("token=AbC"));

    let out = demo.lab(&["unpublish", "yours.lab", "--meta", "--value", "-second"]).expect(PASSED);
    assert_eq!(out.out, "Removed one value of yours.lab.\n");
    let out = demo.lab(&["unpublish", "yours.lab"]).expect(PASSED).out;
    assert_eq!(out, "Removed 2 values of yours.lab.\n");
    let out = demo.lab(&["unpublish", "yours.lab", "--file"]).expect(PASSED).out;
    assert_eq!(out, "Nothing of the kind was published for yours.lab.\n");

    demo.lab(&["publish", "nosuch.lab", "--txt", "x"]).expect_error("no site nosuch.lab");
    demo.lab(&["publish", "yours.lab", "--meta", "<meta name=\"x\">"]).expect_error("no content");
    demo.lab(&["clock", "-1d"]).expect_error("only moves forward");
    demo.lab(&["clock", "+1w"]).expect_error("is not a time");
    for usage in
        [&["publish", "yours.lab"][..], &["publish", "yours.lab", "--txt", "a", "--file", "b"]]
    {
        assert!(demo.lab(usage).expect(COULD_NOT_CHECK).err.contains("Usage:"));
    }
}

#[test]
fn the_engine_of_a_demo_can_be_changed() {
    let demo = Demo::start();
    let listed = demo.lab(&["engine"]).expect(PASSED).out;
    assert!(listed.contains("MODEL") && listed.contains("wrong-phone"), "{listed}");
    let out = demo.lab(&["engine", "wrong-phone", "right"]).expect(PASSED).out;
    assert_eq!(out, "The model wrong-phone is now right.\n");
    let list = demo.lab(&["engine", "--json"]).expect(PASSED).json();
    let changed = json!({ "model": "wrong-phone", "behaviour": "right" });
    assert!(list["models"].as_array().unwrap().contains(&changed), "{list}");
    demo.lab(&["engine", "right", "no-such"]).expect_error("A behaviour is one of these");
    assert!(demo.lab(&["engine", "right"]).expect(COULD_NOT_CHECK).err.contains("Usage:"));
}

#[test]
fn the_newest_lab_is_found_and_others_by_their_file() {
    let mut demo = Demo::start();
    let mode = std::fs::metadata(&demo.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let url = std::fs::read_to_string(&demo.file).unwrap();
    // A lab without a service, in the same folder.
    let mut other = piped(&mut wayleave())
        .args(["lab", "run", "--ca-file", &demo.folder.path("ca.pem")])
        .env("TMPDIR", demo.folder.path(""))
        .spawn()
        .unwrap();
    wait_for_line(&mut other, "The lab is running with");
    demo.lab(&["clock"]).expect_error("This lab runs without a service");
    demo.lab(&["publish", "yours.lab", "--txt", "of the other"]).expect(PASSED);
    for lab in [demo.file.as_str(), url.trim()] {
        demo.lab(&["clock", "--lab", lab]).expect(PASSED);
        let list = demo.lab(&["proofs", "--json", "--lab", lab]).expect(PASSED).json();
        assert_eq!(list["proofs"], json!([]));
    }
    // A lab that was killed leaves its file behind, and the next one is found.
    other.kill().unwrap();
    other.wait().unwrap();
    demo.lab(&["clock"]).expect(PASSED);
    demo.server = None;
    assert!(!Path::new(&demo.file).exists(), "the file is removed at the end");
    demo.lab(&["clock"]).expect_error("no lab of yours is running");
    demo.lab(&["clock", "--lab", &demo.file]).expect_error("cannot be read");
    demo.lab(&["clock", "--lab", url.trim()]).expect_error("the lab cannot be reached");
}
