//! The open connections of one visit, separated by scheme, host, port and identity.

use std::future::Future;
use std::sync::{Arc, Mutex};

use contract::HostName;
use contract::evidence::Failure;

use super::connection::Connection;
use crate::guard::url::CheckedTarget;
use crate::mutex::lock;

/// All pool entries of a visit; dropped with the visit, so nothing is shared between visits. Any
/// read may add an entry; the mutex guards the list and is never held across an await. The list is
/// short enough to search linearly.
#[derive(Debug, Default)]
pub(crate) struct ConnectionPool(Mutex<Vec<Arc<PoolEntry>>>);

impl ConnectionPool {
    pub(crate) fn entry(&self, target: &CheckedTarget, identity: &str) -> Arc<PoolEntry> {
        let mut entries = lock(&self.0);
        let found = entries.iter().find(|entry| {
            entry.host == target.host
                && entry.identity == identity
                && (entry.tls, entry.port) == (target.tls, target.port)
        });
        if let Some(entry) = found {
            return Arc::clone(entry);
        }
        let entry = Arc::new(PoolEntry {
            tls: target.tls,
            host: target.host.clone(),
            port: target.port,
            identity: identity.to_owned(),
            state: Mutex::default(),
            first_connection_lock: tokio::sync::Mutex::default(),
        });
        entries.push(Arc::clone(&entry));
        entry
    }

    /// Drops the entries of one identity. Reads in progress keep their connections until they end.
    pub(crate) fn remove_identity(&self, identity: &str) {
        lock(&self.0).retain(|entry| entry.identity != identity);
    }

    /// Closes all connections that no read uses.
    pub(crate) fn close_idle(&self) {
        let entries = lock(&self.0).clone();
        entries.iter().for_each(|entry| entry.close_idle());
    }
}

/// The connections of one identity to one host and port. Shared by its reads through an `Arc`;
/// `state` is guarded by its own mutex.
#[derive(Debug)]
pub(crate) struct PoolEntry {
    tls: bool,
    host: HostName,
    port: u16,
    identity: String,
    state: Mutex<PoolEntryState>,
    /// Held while the first connection is opened. Only then is it known whether other reads can
    /// share it.
    first_connection_lock: tokio::sync::Mutex<()>,
}

/// Guarded by `PoolEntry::state`. The lock is never held across an await.
#[derive(Debug, Default)]
struct PoolEntryState {
    /// Idle HTTP/1.1 connections.
    idle: Vec<Connection>,
    /// The one HTTP/2 connection.
    shared: Option<Connection>,
    /// Set once an HTTP/1.1 connection was opened: further connections are then opened in parallel.
    http1_only: bool,
    failures: u64,
    last_failure: Option<Failure>,
}

impl PoolEntry {
    /// Returns an open connection, or opens one with `open`. Callers that arrive while the first
    /// connection is being opened wait for it and share it, or its failure.
    pub(crate) async fn acquire(
        &self,
        open: impl Future<Output = Result<Connection, Failure>>,
    ) -> Result<Connection, Failure> {
        let failures_before = lock(&self.state).failures;
        if let Some(connection) = self.take_open() {
            return Ok(connection);
        }
        // Without TLS every connection is HTTP/1.1 and cannot be shared.
        let alone = !self.tls || lock(&self.state).http1_only;
        if alone {
            return open.await;
        }
        let opening = self.first_connection_lock.lock().await;
        if let Some(connection) = self.take_open() {
            return Ok(connection);
        }
        if lock(&self.state).http1_only {
            drop(opening);
            return open.await;
        }
        if let Some(failure) = self.failed_since(failures_before) {
            return Err(failure);
        }
        let opened = open.await;
        let mut state = lock(&self.state);
        match &opened {
            Ok(connection) => match connection.share() {
                Some(shared) => state.shared = Some(shared),
                None => state.http1_only = true,
            },
            Err(failure) => {
                state.failures += 1;
                state.last_failure = Some(failure.clone());
            }
        }
        opened
    }

    /// Returns a connection to the pool after its last response was read to the end.
    pub(crate) fn release(&self, mut connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let mut state = lock(&self.state);
        if !connection.is_http2() {
            connection.reused = true;
            state.idle.push(connection);
        } else if state.shared.as_ref().is_none_or(Connection::is_closed) {
            state.shared = connection.share();
        }
    }

    /// Closes the connections that no read uses.
    pub(crate) fn close_idle(&self) {
        let mut state = lock(&self.state);
        let idle = std::mem::take(&mut state.idle);
        let unused = state.shared.take_if(|shared| shared.is_only_handle());
        // Closed after the lock is released.
        drop(state);
        drop((idle, unused));
    }

    fn failed_since(&self, failures: u64) -> Option<Failure> {
        let state = lock(&self.state);
        state.last_failure.clone().filter(|_| state.failures > failures)
    }

    fn take_open(&self) -> Option<Connection> {
        let mut state = lock(&self.state);
        if let Some(shared) = &state.shared {
            if !shared.is_closed() {
                return shared.share();
            }
            state.shared = None;
        }
        while let Some(connection) = state.idle.pop() {
            if !connection.is_closed() {
                return Some(connection);
            }
        }
        None
    }
}
