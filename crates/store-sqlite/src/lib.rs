//! The embedded store engine: one SQLite database and a folder of artefacts in a data directory.
//!
//! The crate's `README.md` describes the tables, the guarantees and how a write is processed.

mod admin;
mod answers;
mod artifact_files;
mod artifacts;
mod audit;
mod backup;
mod census;
mod changes;
mod clocks;
mod columns;
mod compression;
mod conduct;
mod connect;
mod data_dir;
mod database;
mod decisions;
mod deleted_bodies;
mod deletions;
mod deliveries;
mod error;
mod feeds;
mod idempotency;
mod inspect;
mod jobs;
mod key_requests;
mod licence_data;
mod licence_rows;
mod licence_scans;
mod licences;
mod limits;
mod log;
mod mcp_scans;
mod migrate;
mod newest_answers;
mod outcomes;
mod pruning;
mod readers;
mod readings;
mod registrations;
mod revocations;
mod scans;
mod seals;
mod sessions;
mod sqlite_store;
mod switches;
mod usage;
mod webhooks;
mod writer;

pub use admin::{SqliteAdmin, has_database, has_log, require_finished_restore, schema_versions};
pub use backup::{CopiedFiles, abandon_restore, begin_restore, copy_data_dir, finish_restore};
pub use feeds::stored_feeds;
pub use migrate::SchemaVersions;
pub use sqlite_store::{SqliteOptions, SqliteStore};
