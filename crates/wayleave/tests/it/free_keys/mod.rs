//! Free keys by mail, with a real mail server.

mod links;
mod mail_server;
mod off;
mod requests;
mod sending;

use std::fs::File;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::mail_server::MailServer;
use crate::server::{HttpReply, Server, wayleave};

const PATH: &str = "/api/v1/keys/free";

/// A demo that offers free keys. Its folder has its data and what it wrote to standard error.
pub(crate) struct Offering {
    pub(crate) server: Server,
    folder: tempfile::TempDir,
}

impl Offering {
    /// Without limits per address, because all tests have one address.
    pub(crate) fn start(mail_port: u16, arguments: &[&str]) -> Self {
        let off = ["--limits-enabled", "false"];
        Self::start_with_limits(mail_port, &[&off, arguments].concat())
    }

    fn start_with_limits(mail_port: u16, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = File::create(folder.path().join("stderr")).unwrap();
        let port = mail_port.to_string();
        let child = wayleave()
            .args(["demo", "--json", "--server-listen", "127.0.0.1:0", "--store-data-dir"])
            .arg(folder.path().join("data"))
            .args(["--server-base-url", "https://svc.example", "--access-free-keys", "true"])
            .args(["--mail-host", "127.0.0.1", "--mail-port", &port])
            .args(["--mail-from", "Wayleave <keys@svc.example>", "--log-filter", "trace"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        Self { server: Server::wait_until_ready(child), folder }
    }

    fn request(&self, mailbox: &str) -> HttpReply {
        self.server.post_with(PATH, "", &json!({ "email": mailbox }).to_string())
    }

    /// Asks for a key, and expects that the request is taken.
    fn take(&self, mailbox: &str) -> Value {
        let reply = self.request(mailbox);
        assert_eq!(reply.status, 202, "{}", reply.text());
        reply.json()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    /// Everything in the data directory, one file after the other.
    fn data(&self) -> Vec<u8> {
        let mut folders = vec![self.folder.path().join("data")];
        let mut bytes = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => bytes.extend(std::fs::read(path).unwrap_or_default()),
                }
            }
        }
        bytes
    }

    /// How many mails had this result.
    fn mails(&self, result: &str) -> u64 {
        let line = format!("wayleave_mails_total{{result=\"{result}\"}} ");
        let metrics = self.server.get("/metrics").text();
        let number = metrics.lines().find_map(|had| had.strip_prefix(&line));
        number.map_or(0, |number| number.parse().unwrap())
    }

    fn wait_for_mails(&self, result: &str, count: u64) {
        wait_until(&format!("{count} mails {result}"), || self.mails(result) >= count);
    }
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The path of the link in a mail.
fn link_path(mail: &Value) -> String {
    let text = mail["text"].as_str().unwrap();
    let path = text.lines().find_map(|line| line.strip_prefix("https://svc.example"));
    path.unwrap_or_else(|| panic!("{text}")).to_owned()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
