//! Converts SQLite's errors to the store's.

use rusqlite::ErrorCode;
use store::StoreError;

/// Why a closure that works on a connection failed.
#[derive(Debug)]
pub(crate) enum DatabaseError {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl DatabaseError {
    /// Whether the disk or the database file failed. SQLite could continue, but must not: the state
    /// on the disk after a failed write or sync is unknown, and another attempt may hide the
    /// failure.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(
            self.code(),
            Some(
                ErrorCode::SystemIoFailure
                    | ErrorCode::DatabaseCorrupt
                    | ErrorCode::NotADatabase
                    | ErrorCode::FileLockingProtocolFailed
            )
        )
    }

    pub(crate) fn into_store_error(self, doing: &'static str) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sqlite(error) => store_error(doing, &error),
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            Self::Store(_) => None,
        }
    }
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for DatabaseError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

pub(crate) fn store_error(doing: &'static str, error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { what: String::from("the database"), why: error.to_string() }
        }
        _ => StoreError::Failed { doing, why: error.to_string() },
    }
}

/// The same for errors before the database is open: the message names the file.
pub(crate) fn open_error(place: &str, error: &rusqlite::Error) -> StoreError {
    let place = place.to_owned();
    match store_error("opening", error) {
        StoreError::Failed { why, .. } => StoreError::CannotOpen { place, why },
        StoreError::Damaged { why, .. } => StoreError::Damaged { what: place, why },
        other => other,
    }
}
