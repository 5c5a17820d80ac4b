//! What the servers of one lab list now, and what was asked of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::content::LabMcpServer;
use super::host::LabMcpHost;
use super::hosts::mcp_servers;

/// By host. Connections and tests change it; the mutex guards it and is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct McpServers(Mutex<HashMap<&'static str, RunningServer>>);

#[derive(Debug)]
pub(super) struct RunningServer {
    pub(super) content: LabMcpServer,
    pub(super) sessions: BTreeSet<String>,
    pub(super) methods: Vec<String>,
    /// How many sessions and streams were opened.
    pub(super) opened: u64,
    /// How often the tools were asked for.
    pub(super) tool_lists: u64,
    /// The open streams of the form of 2024-11-05.
    pub(super) streams: HashMap<String, mpsc::UnboundedSender<Bytes>>,
}

const MAX_METHODS: usize = 10_000;

impl McpServers {
    fn lock(&self) -> MutexGuard<'_, HashMap<&'static str, RunningServer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a step with the state of one server. `None` if there is no such server.
    pub(super) fn with<T>(
        &self,
        name: &str,
        step: impl FnOnce(&LabMcpHost, &mut RunningServer) -> T,
    ) -> Option<T> {
        let host = mcp_servers().iter().find(|host| host.name == name)?;
        let mut all = self.lock();
        let running = all.entry(host.name).or_insert_with(|| RunningServer {
            content: (host.content)(),
            sessions: BTreeSet::new(),
            methods: Vec::new(),
            opened: 0,
            tool_lists: 0,
            streams: HashMap::new(),
        });
        Some(step(host, running))
    }

    /// False if there is no such server.
    pub(crate) fn edit(&self, name: &str, change: impl FnOnce(&mut LabMcpServer)) -> bool {
        self.with(name, |_, running| change(&mut running.content)).is_some()
    }

    pub(crate) fn open_sessions(&self, name: &str) -> usize {
        self.with(name, |_, running| running.sessions.len()).unwrap_or_default()
    }

    pub(crate) fn methods(&self, name: &str) -> Vec<String> {
        self.with(name, |_, running| running.methods.clone()).unwrap_or_default()
    }
}

impl RunningServer {
    pub(super) fn note_method(&mut self, method: &str) {
        if self.methods.len() < MAX_METHODS {
            self.methods.push(method.to_owned());
        }
    }
}
