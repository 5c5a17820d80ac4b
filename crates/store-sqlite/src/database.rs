//! The database: its writer and its readers, without the artefact files.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;
use store::StoreError;
use supervisor::Supervisor;

use crate::readers::Readers;
use crate::writer::Writer;

/// Implements the traits whose tables need no artefact files, so that an administrative command can
/// use them while a server runs.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) writer: Writer,
    pub(crate) readers: Arc<Readers>,
}

impl Database {
    pub(crate) fn start(
        path: PathBuf,
        writer: Connection,
        read_connections: usize,
        supervisor: &Supervisor,
    ) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        let readers = Arc::new(Readers::open(path, read_connections)?);
        let writer = Writer::start(writer, supervisor)
            .map_err(|e| StoreError::CannotOpen { place, why: e.to_string() })?;
        Ok(Self { writer, readers })
    }

    /// Only reads: every write fails.
    pub(crate) fn read_only(path: PathBuf, read_connections: usize) -> Result<Self, StoreError> {
        let readers = Arc::new(Readers::open(path, read_connections)?);
        Ok(Self { writer: Writer::refusing(), readers })
    }
}
