//! The embedded store engine: one SQLite database and a folder of artefacts in a data directory.
//!
//! `README.md` beside this crate tells the tables, the guarantees and the life of a write.

mod answers;
mod artifacts;
mod census;
mod changes;
mod clocks;
mod columns;
mod connect;
mod data_dir;
mod database;
mod decisions;
mod desk;
mod error;
mod files;
mod jobs;
mod licences;
mod limits;
mod log;
mod migrate;
mod newest;
mod once;
mod outcomes;
mod packed;
mod readers;
mod readings;
mod revocations;
mod scans;
mod seals;
mod sqlite_store;
mod switches;
mod writer;

pub use desk::SqliteDesk;
pub use sqlite_store::{SqliteOptions, SqliteStore};
