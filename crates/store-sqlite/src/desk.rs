//! The operator's desk: what a command may change while a server has the store open.

use std::path::Path;

use store::{Licences, StoreError, Switches};

use crate::connect;
use crate::data_dir::DataDir;
use crate::database::Database;
use crate::migrate::{migrate, must_be_current};

/// Licences and switches of a data directory, whether or not a server has it open.
///
/// Beside a server this is a second process on the same database. SQLite lets one of them write at
/// a time and the other wait; each write here is one small transaction, and the server reads what
/// it needs anew for every request, so it learns of a change at once. Scans and artefacts stay the
/// server's alone.
#[derive(Debug)]
pub struct SqliteDesk {
    database: Database,
    /// The directory, when nobody else has it. Let go after the writer has ended.
    _dir: Option<DataDir>,
}

impl SqliteDesk {
    /// Opens the database in `dir`. Where no server runs, it is made or brought up to date first;
    /// beside a server it must already be what this program knows.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let (held, path) = match DataDir::open(dir) {
            Ok(held) => (Some(held), dir.join(DataDir::DATABASE)),
            Err(StoreError::InUse { .. }) => (None, dir.join(DataDir::DATABASE)),
            Err(other) => return Err(other),
        };
        let place = path.display().to_string();
        let mut connection = connect::writer(&path)?;
        match &held {
            Some(held) => {
                migrate(&mut connection, &place)?;
                held.sync()?;
            }
            None => must_be_current(&connection, &place)?,
        }
        Ok(Self { database: Database::start(path, connection, 1)?, _dir: held })
    }

    #[must_use]
    pub fn licences(&self) -> &dyn Licences {
        &self.database
    }

    #[must_use]
    pub fn switches(&self) -> &dyn Switches {
        &self.database
    }
}
