//! A pool of read-only connections, used from the runtime's blocking threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use store::StoreError;
use tokio::sync::Semaphore;

use crate::connect;
use crate::error::{DatabaseError, store_error};

/// Shared by all reading tasks. `permits` limits how many connections are in use at once; `idle`
/// (guarded by its mutex) holds the others.
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
            idle.push(
                connect::reader_connection(&path)
                    .map_err(|e| store_error("opening a reader", &e))?,
            );
        }
        Ok(Self { path, permits: Arc::new(Semaphore::new(count)), idle: Mutex::new(idle) })
    }

    /// Runs `read` with a connection on a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        doing: &'static str,
        read: impl FnOnce(&Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let closed = |e: &dyn std::fmt::Display| StoreError::Failed { doing, why: e.to_string() };
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|e| closed(&e))?;
        let readers = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let connection = readers.acquire_connection()?;
            let result = read(&connection);
            readers.release_connection(connection);
            drop(permit);
            result
        })
        .await
        .map_err(|e| closed(&e))?
        .map_err(|refused| refused.into_store_error(doing))
    }

    fn acquire_connection(&self) -> Result<Connection, DatabaseError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // A permit without an idle connection means that one was lost in a panic: open a new one.
        idle.map_or_else(|| Ok(connect::reader_connection(&self.path)?), Ok)
    }

    fn release_connection(&self, connection: Connection) {
        // If a transaction could not be ended, later reads would see the state of its beginning.
        if !connection.is_autocommit() {
            tracing::warn!("a reader of the store is replaced: it could not end its transaction");
            return;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
