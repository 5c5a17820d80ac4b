//! Licences over HTTP: quotas, what only their holders see, signing in, and the audit log.

mod audit;
mod gated;
mod manage;
mod manage_abuse;
mod quota;

use crate::licence_api::{DataDir, licence};
use crate::server::{HttpReply, Server};

/// A demo with data that commands share.
struct Setup {
    data: DataDir,
    server: Server,
    /// Flags of the configuration, for commands too.
    flags: Vec<String>,
}

impl Setup {
    fn new(arguments: &[&str]) -> Self {
        let data = DataDir::new();
        let server = Server::start_demo(&[data.flags().as_slice(), arguments].concat());
        let flags = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { data, server, flags }
    }

    /// A new licence for every domain, and its key.
    fn key(&self, plan: &str) -> String {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        licence(&self.data, &[&["--all-domains", "--plan", plan], flags.as_slice()].concat())
    }
}

fn key_header(key: &str) -> String {
    format!("x-svc-key: {key}\r\n")
}

/// What is left of the quota, as an answer says.
fn remaining(reply: &HttpReply) -> Option<u64> {
    reply.header("x-svc-quota-remaining").map(|text| text.parse().unwrap())
}

/// Everything of an answer but the time, to compare with another.
fn comparable(reply: &HttpReply) -> (u16, Vec<(String, String)>, String) {
    let headers = reply.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    (reply.status, headers, reply.text())
}
