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
}

impl Setup {
    fn new(arguments: &[&str]) -> Self {
        let data = DataDir::new();
        let server = Server::start_demo(&[data.flags().as_slice(), arguments].concat());
        Self { data, server }
    }

    /// A new licence for every domain, and its key.
    fn key(&self, plan: &str) -> String {
        licence(&self.data, &["--all-domains", "--plan", plan])
    }
}

fn key_header(key: &str) -> String {
    format!("x-svc-key: {key}\r\n")
}

/// What is left of the quota, as an answer says.
fn remaining(reply: &HttpReply) -> Option<u64> {
    reply.header("x-svc-quota-remaining").map(|text| text.parse().unwrap())
}

/// The headers by which answers to the same question may differ.
fn comparable(reply: &HttpReply) -> (u16, Vec<(String, String)>, String) {
    let varying = ["date", "x-request-id", "content-digest"];
    let kept = |(name, _): &&(String, String)| !varying.contains(&name.as_str());
    let headers = reply.headers.iter().filter(kept).cloned().collect();
    let id = reply.header("x-request-id").unwrap_or_default();
    (reply.status, headers, reply.text().replace(id, "ID"))
}
