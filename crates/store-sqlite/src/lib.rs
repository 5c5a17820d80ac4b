//! The embedded store engine: one SQLite database and a folder of artefacts in a data directory.
//!
//! `README.md` beside this crate tells the tables, the guarantees and the life of a write.

mod answers;
mod artifacts;
mod connect;
mod data_dir;
mod database;
mod desk;
mod error;
mod files;
mod licences;
mod limits;
mod log;
mod migrate;
mod packed;
mod readers;
mod scans;
mod seals;
mod sqlite_store;
mod switches;
mod writer;

pub use desk::SqliteDesk;
pub use sqlite_store::{SqliteOptions, SqliteStore};
