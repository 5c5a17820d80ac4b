//! A receiver of events: a Python process at the lab's [`lab::MCP_PEER_HOST`], and what it got.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::tools;

/// Where [`lab::MCP_PEER_HOST`] leads.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 77, 0, 99);
const START_TIME: Duration = Duration::from_secs(60);
const START_ATTEMPTS: usize = 5;

/// Stopped when dropped.
pub(crate) struct Receiver {
    child: Child,
    pub(crate) port: u16,
    folder: TempDir,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Receiver {
    /// Nothing if Python or its libraries are not installed. Another test may take the port that was free:
    /// then another one is tried.
    pub(crate) fn start() -> Option<Self> {
        for _ in 0..START_ATTEMPTS {
            let port = TcpListener::bind((ADDRESS, 0)).unwrap().local_addr().unwrap().port();
            let folder = tempfile::tempdir().unwrap();
            let child = launch(tools::python()?, port, &folder);
            let mut receiver = Self { child, port, folder };
            if receiver.is_ready_in_time() {
                return Some(receiver);
            }
        }
        panic!("the receiver did not start");
    }

    #[allow(clippy::disallowed_methods, reason = "a test looks whether its own peer listens")]
    fn is_ready_in_time(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < START_TIME {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if TcpStream::connect((ADDRESS, self.port)).is_ok() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}:{}{path}", lab::MCP_PEER_HOST, self.port)
    }

    /// Where it loads the keys from.
    pub(crate) fn trust(&self, service: &str) {
        std::fs::write(self.folder.path().join("service"), service).unwrap();
    }

    /// From now on the path `/hold` answers.
    pub(crate) fn answer_held(&self) {
        std::fs::write(self.folder.path().join("open"), "").unwrap();
    }

    /// What it wrote, oldest first.
    pub(crate) fn received(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("received"));
        let text = text.unwrap_or_default();
        // The last line may be half written.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What came at a path, oldest first.
    pub(crate) fn received_at(&self, path: &str) -> Vec<Value> {
        let mut found = self.received();
        found.retain(|entry| entry["path"] == path);
        found
    }
}

fn launch(mut python: Command, port: u16, folder: &TempDir) -> Child {
    python
        .arg(tools::script("webhook_receiver.py"))
        .args([ADDRESS.to_string(), port.to_string()])
        .arg(folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}
