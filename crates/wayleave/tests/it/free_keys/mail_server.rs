//! A real mail server: aiosmtpd, in a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::wait_until;
use crate::tools;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/smtp_server.py");

/// Stopped when dropped. A reader thread appends what it received to `mails`; the mutex guards it.
pub(super) struct MailServer {
    child: Child,
    pub(super) port: u16,
    mails: Arc<Mutex<Vec<Value>>>,
}

impl MailServer {
    /// `None` if there is no Python with the library.
    pub(super) fn start(arguments: &[&str]) -> Option<Self> {
        let mut command = tools::python()?;
        command.arg(PROGRAM).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let port = ready["port"].as_u64().unwrap().try_into().unwrap();
        let mails = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&mails);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                received.lock().unwrap().push(serde_json::from_str(&line).unwrap());
            }
        });
        Some(Self { child, port, mails })
    }

    pub(super) fn received(&self) -> Vec<Value> {
        self.mails.lock().unwrap().clone()
    }

    /// Waits until there are so many mails, and returns the last one.
    pub(super) fn wait_for(&self, count: usize) -> Value {
        wait_until(&format!("{count} mails"), || self.received().len() >= count);
        self.received()[count - 1].clone()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
