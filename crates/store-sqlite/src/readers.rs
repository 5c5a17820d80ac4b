//! A few connections that read, used from the runtime's blocking threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use store::StoreError;
use tokio::sync::Semaphore;

use crate::connect;
use crate::error::{Refused, store_error};

/// Shared by every reading task. `permits` counts the connections that may be out at once; `idle`
/// holds those that are in.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn open(path: PathBuf, count: usize) -> Result<Self, StoreError> {
        let count = count.max(1);
        let mut idle = Vec::with_capacity(count);
        for _ in 0..count {
            idle.push(connect::reader(&path).map_err(|e| store_error("opening a reader", &e))?);
        }
        Ok(Self { path, permits: Arc::new(Semaphore::new(count)), idle: Mutex::new(idle) })
    }

    /// Runs `read` with a connection on a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        doing: &'static str,
        read: impl FnOnce(&Connection) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, StoreError> {
        let closed = |e: &dyn std::fmt::Display| StoreError::Failed { doing, why: e.to_string() };
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|e| closed(&e))?;
        let readers = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let connection = readers.take()?;
            let result = read(&connection);
            readers.give_back(connection);
            drop(permit);
            result
        })
        .await
        .map_err(|e| closed(&e))?
        .map_err(|refused| refused.into_store_error(doing))
    }

    fn take(&self) -> Result<Connection, Refused> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // None is idle only when one was lost to a panic: it is replaced.
        idle.map_or_else(|| Ok(connect::reader(&self.path)?), Ok)
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
