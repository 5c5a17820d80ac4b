//! Connections of one visit, kept apart by scheme, host, port and identity.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::HostName;
use contract::evidence::Failure;

use super::wire::Connection;
use crate::guard::url::Target;

/// All lanes of a visit. Gone with it: nothing is kept from one visit to the next. Few enough to
/// be looked through.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Vec<Arc<Lane>>>);

impl Pool {
    pub(crate) fn lane(&self, target: &Target, identity: &str) -> Arc<Lane> {
        let mut lanes = lock(&self.0);
        let found = lanes.iter().find(|lane| {
            lane.host == target.host
                && lane.identity == identity
                && (lane.tls, lane.port) == (target.tls, target.port)
        });
        if let Some(lane) = found {
            return Arc::clone(lane);
        }
        let lane = Arc::new(Lane {
            tls: target.tls,
            host: target.host.clone(),
            port: target.port,
            identity: identity.to_owned(),
            state: Mutex::default(),
            first: tokio::sync::Mutex::default(),
        });
        lanes.push(Arc::clone(&lane));
        lane
    }

    /// Lets go of what one identity has open; reads under way keep theirs to their end.
    pub(crate) fn forget(&self, identity: &str) {
        lock(&self.0).retain(|lane| lane.identity != identity);
    }
}

/// The connections that one identity has to one host and port.
#[derive(Debug)]
pub(crate) struct Lane {
    tls: bool,
    host: HostName,
    port: u16,
    identity: String,
    state: Mutex<State>,
    /// Held while the first connection is opened: whether the others may share it is not known
    /// before that.
    first: tokio::sync::Mutex<()>,
}

/// Guarded by `Lane::state`, never across an await.
#[derive(Debug, Default)]
struct State {
    /// Idle HTTP/1.1 connections.
    idle: Vec<Connection>,
    /// The one HTTP/2 connection.
    shared: Option<Connection>,
    /// Set once an HTTP/1.1 connection was opened: further ones are opened side by side.
    one_request_each: bool,
    failures: u64,
    last_failure: Option<Failure>,
}

impl Lane {
    /// An open connection if there is one, else a new one through `open`. Those who come while the
    /// first connection is being opened wait for it, and share it or its failure.
    pub(crate) async fn connection(
        &self,
        open: impl Future<Output = Result<Connection, Failure>>,
    ) -> Result<Connection, Failure> {
        let failures_before = lock(&self.state).failures;
        if let Some(connection) = self.take() {
            return Ok(connection);
        }
        // Without TLS every connection is HTTP/1.1 and nothing can be shared.
        let alone = !self.tls || lock(&self.state).one_request_each;
        if alone {
            return open.await;
        }
        let first = self.first.lock().await;
        if let Some(connection) = self.take() {
            return Ok(connection);
        }
        if lock(&self.state).one_request_each {
            drop(first);
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
                None => state.one_request_each = true,
            },
            Err(failure) => {
                state.failures += 1;
                state.last_failure = Some(failure.clone());
            }
        }
        opened
    }

    /// Keeps a connection whose last response was read to the end.
    pub(crate) fn give_back(&self, mut connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let mut state = lock(&self.state);
        if !connection.is_http2() {
            connection.used = true;
            state.idle.push(connection);
        } else if state.shared.as_ref().is_none_or(Connection::is_closed) {
            state.shared = connection.share();
        }
    }

    fn failed_since(&self, failures: u64) -> Option<Failure> {
        let state = lock(&self.state);
        state.last_failure.clone().filter(|_| state.failures > failures)
    }

    fn take(&self) -> Option<Connection> {
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

/// A panic elsewhere leaves these maps whole: every change to them is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
