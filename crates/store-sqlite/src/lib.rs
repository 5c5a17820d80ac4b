//! The embedded store engine: one SQLite database and a folder of artefacts in a data directory.
//!
//! `README.md` beside this crate tells the tables, the guarantees and the life of a write.

mod artifacts;
mod connect;
mod data_dir;
mod error;
mod files;
mod migrate;
mod packed;
mod readers;
mod scans;
mod sqlite_store;
mod writer;

pub use sqlite_store::{SqliteOptions, SqliteStore};
