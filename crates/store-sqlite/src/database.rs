//! The database: the one writer and the readers, and nothing of the files beside it.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;
use store::StoreError;

use crate::readers::Readers;
use crate::writer::Writer;

/// The tables that need no files are kept by this alone, so that an operator's command can use
/// them while a server runs.
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
    ) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        let readers = Arc::new(Readers::open(path, read_connections)?);
        let writer = Writer::start(writer)
            .map_err(|e| StoreError::CannotOpen { place, why: e.to_string() })?;
        Ok(Self { writer, readers })
    }
}
