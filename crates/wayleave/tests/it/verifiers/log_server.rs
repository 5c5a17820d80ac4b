//! A small HTTP server with the log's endpoints, for a test log.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use proof::Digest;
use proof::merkle_tree::consistency_proof;
use proof::tree_head::ChainHead;
use serde_json::{Value, json};

/// What is served, and how it is falsified.
#[derive(Clone)]
pub(crate) struct LogServer {
    pub(crate) heads: Vec<Value>,
    pub(crate) leaves: Vec<Digest>,
    pub(crate) directory: Value,
    pub(crate) rotation: Value,
    /// Served as the newest head at `/api/v1/log` instead of the real one.
    pub(crate) newest: Option<Value>,
    /// Served instead of the real proof.
    pub(crate) proof: Option<Value>,
    /// Paths with this prefix get 404.
    pub(crate) missing: Option<&'static str>,
}

impl LogServer {
    pub(crate) fn of(log: &super::test_log::TestLog) -> Self {
        Self {
            heads: log.heads.clone(),
            leaves: log.all_leaves(),
            directory: log.directory.clone(),
            rotation: log.rotation.clone(),
            newest: None,
            proof: None,
            missing: None,
        }
    }

    /// Runs until the end of the tests and returns the URL.
    pub(crate) fn start(self) -> String {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(self);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                std::thread::spawn(move || served.answer_request(stream));
            }
        });
        format!("http://{address}")
    }

    fn answer_request(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let Some(Ok(first)) = lines.next() else { return };
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let body = self.answer(&target);
        let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
        let body = body.unwrap_or(json!({ "error": "There is nothing here." })).to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    }

    fn answer(&self, target: &str) -> Option<Value> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if self.missing.is_some_and(|missing| path.starts_with(missing)) {
            return None;
        }
        let number = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse::<usize>().ok())
        };
        match path {
            "/.well-known/http-message-signatures-directory" => Some(self.directory.clone()),
            "/.well-known/security-key-rotation.json" => Some(self.rotation.clone()),
            "/api/v1/log" => Some(
                json!({ "head": self.newest.as_ref().or(self.heads.last())?, "batches": self.heads.len() }),
            ),
            "/api/v1/log/sths" => {
                let (to, count) = (number("to")?, number("n")?.min(200));
                let upto = self.heads.get(..=to)?;
                Some(json!({ "sths": upto.iter().rev().take(count).collect::<Vec<_>>() }))
            }
            "/api/v1/log/consistency" => {
                let (from, to) = (number("from")?, number("to")?);
                let leaves = self.leaves.get(..to)?;
                let root = |size: usize| proof::merkle_tree::root(&self.leaves[..size]);
                let proof = consistency_proof(leaves, from as u64)?;
                Some(json!({
                    "from": { "tree_size": from, "tree_root": root(from) },
                    "to": { "tree_size": to, "tree_root": root(to) },
                    "proof": self.proof.clone().unwrap_or(json!(proof)),
                }))
            }
            _ => None,
        }
    }
}

/// The size of the tree under this head.
pub(crate) fn tree_size(head: &Value) -> u64 {
    ChainHead::parse(head).unwrap().tree_size
}
