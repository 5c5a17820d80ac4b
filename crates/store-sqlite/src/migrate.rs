//! Forward-only migrations. Each runs in its own transaction and is recorded with its digest.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use store::{Digest, StoreError};

use crate::error::{open_error, store_error};
use crate::newest_answers;

/// One step of the schema. A released step is never edited.
struct Migration {
    number: u32,
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "scans", sql: include_str!("../migrations/0001_scans.sql") },
    Migration {
        number: 2,
        name: "licences and limits",
        sql: include_str!("../migrations/0002_licences_and_limits.sql"),
    },
    Migration { number: 3, name: "log", sql: include_str!("../migrations/0003_log.sql") },
    Migration { number: 4, name: "seals", sql: include_str!("../migrations/0004_seals.sql") },
    Migration {
        number: 5,
        name: "what is kept beside answers",
        sql: include_str!("../migrations/0005_answers_beside.sql"),
    },
    Migration {
        number: 6,
        name: "outcomes and jobs",
        sql: include_str!("../migrations/0006_outcomes_and_jobs.sql"),
    },
    Migration { number: 7, name: "pruning", sql: include_str!("../migrations/0007_pruning.sql") },
    Migration {
        number: 8,
        name: "the order of answers",
        sql: include_str!("../migrations/0008_answer_order.sql"),
    },
    Migration {
        number: 9,
        name: "deleted scans",
        sql: include_str!("../migrations/0009_deleted_scans.sql"),
    },
    Migration { number: 10, name: "feeds", sql: include_str!("../migrations/0010_feeds.sql") },
    Migration {
        number: 11,
        name: "scans of MCP servers",
        sql: include_str!("../migrations/0011_mcp_scans.sql"),
    },
    Migration {
        number: 12,
        name: "pruning of scans of MCP servers",
        sql: include_str!("../migrations/0012_mcp_pruning.sql"),
    },
    Migration { number: 13, name: "conduct", sql: include_str!("../migrations/0013_conduct.sql") },
    Migration {
        number: 14,
        name: "keys of licences",
        sql: include_str!("../migrations/0014_licence_keys.sql"),
    },
    Migration {
        number: 15,
        name: "allowances of months",
        sql: include_str!("../migrations/0015_period_counts.sql"),
    },
    Migration {
        number: 16,
        name: "usage of licences",
        sql: include_str!("../migrations/0016_usage.sql"),
    },
    Migration {
        number: 17,
        name: "scans of licences",
        sql: include_str!("../migrations/0017_licence_scans.sql"),
    },
    Migration {
        number: 18,
        name: "sessions",
        sql: include_str!("../migrations/0018_sessions.sql"),
    },
    Migration { number: 19, name: "audit log", sql: include_str!("../migrations/0019_audit.sql") },
    Migration {
        number: 20,
        name: "webhooks",
        sql: include_str!("../migrations/0020_webhooks.sql"),
    },
    Migration {
        number: 21,
        name: "requests for keys",
        sql: include_str!("../migrations/0021_key_requests.sql"),
    },
    Migration {
        number: 22,
        name: "registrations of domains",
        sql: include_str!("../migrations/0022_registrations.sql"),
    },
    Migration { number: 23, name: "control", sql: include_str!("../migrations/0023_control.sql") },
    Migration {
        number: 24,
        name: "AI-accuracy records",
        sql: include_str!("../migrations/0024_accuracy.sql"),
    },
    Migration {
        number: 25,
        name: "readings without their records",
        sql: include_str!("../migrations/0025_compared_readings.sql"),
    },
    Migration {
        number: 26,
        name: "rows of receipts",
        sql: include_str!("../migrations/0026_decision_rows.sql"),
    },
    Migration {
        number: 27,
        name: "compressed receipts",
        sql: include_str!("../migrations/0027_compressed_receipts.sql"),
    },
];

/// A migration number, and the Rust code that completes that migration.
type DataMigration = (u32, fn(&Connection) -> rusqlite::Result<()>);

/// Data changes that SQL alone cannot do. Each runs in the transaction of its migration.
const DATA_MIGRATIONS: &[DataMigration] = &[(8, newest_answers::backfill)];

/// `Wayl`, set by the first migration. Distinguishes our databases from those of other programs.
const APPLICATION_ID: i64 = 0x5761_796c;

/// Migrates the schema and returns its version. Fails for a database of a newer program, of a build
/// with different migrations, or of another program.
pub(crate) fn migrate(connection: &mut Connection, place: &str) -> Result<u32, StoreError> {
    refuse_foreign(connection, place)?;
    apply_migrations(connection, MIGRATIONS, DATA_MIGRATIONS)
}

/// The schema of a database and the one that this program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersions {
    /// Never larger than `known`. 0 for a database without tables.
    pub found: u32,
    pub known: u32,
}

/// Reads the version of the schema and changes nothing. Fails for a database of a newer program or of
/// another program.
pub(crate) fn read_schema_versions(
    connection: &Connection,
    place: &str,
) -> Result<SchemaVersions, StoreError> {
    refuse_foreign(connection, place)?;
    let read = |e: rusqlite::Error| open_error(place, &e);
    let known = MIGRATIONS.last().map_or(0, |migration| migration.number);
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migrations')";
    let is_begun: bool = connection.query_row(sql, [], |row| row.get(0)).map_err(read)?;
    if !is_begun {
        return Ok(SchemaVersions { found: 0, known });
    }
    let sql = "SELECT max(number) FROM migrations";
    let found: Option<u32> = connection.query_row(sql, [], |row| row.get(0)).map_err(read)?;
    match found.unwrap_or(0) {
        found if found > known => Err(StoreError::NewerSchema { found, known }),
        found => Ok(SchemaVersions { found, known }),
    }
}

/// Fails unless the database has exactly the current schema. Changes nothing, because another
/// process has the database open.
pub(crate) fn require_current_schema(
    connection: &Connection,
    place: &str,
) -> Result<(), StoreError> {
    refuse_foreign(connection, place)?;
    let known = MIGRATIONS.last().map_or(0, |migration| migration.number);
    let found: Option<u32> = connection
        .query_row("SELECT max(number) FROM migrations", [], |row| row.get(0))
        .map_err(|e| open_error(place, &e))?;
    match found.unwrap_or(0) {
        found if found == known => Ok(()),
        found if found > known => Err(StoreError::NewerSchema { found, known }),
        _ => {
            let why = String::from(
                "the server that has it open is an older version, or is still starting",
            );
            Err(StoreError::CannotOpen { place: place.to_owned(), why })
        }
    }
}

fn refuse_foreign(connection: &Connection, place: &str) -> Result<(), StoreError> {
    let read = |e: rusqlite::Error| open_error(place, &e);
    let id: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(read)?;
    let objects: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name <> 'migrations'", [], |row| {
            row.get(0)
        })
        .map_err(read)?;
    if id == APPLICATION_ID || (id == 0 && objects == 0) {
        return Ok(());
    }
    let why = String::from("it belongs to another program");
    Err(StoreError::CannotOpen { place: place.to_owned(), why })
}

fn apply_migrations(
    connection: &mut Connection,
    migrations: &[Migration],
    carried_over: &[DataMigration],
) -> Result<u32, StoreError> {
    let failed = |e: rusqlite::Error| store_error("migrating the schema", &e);
    connection
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS migrations (
                 number INTEGER NOT NULL PRIMARY KEY,
                 name   TEXT    NOT NULL,
                 sha256 TEXT    NOT NULL
             ) STRICT",
        )
        .map_err(failed)?;
    let known = migrations.last().map_or(0, |migration| migration.number);
    let found: Option<u32> = connection
        .query_row("SELECT max(number) FROM migrations", [], |row| row.get(0))
        .map_err(failed)?;
    if let Some(found) = found.filter(|found| *found > known) {
        return Err(StoreError::NewerSchema { found, known });
    }
    for migration in migrations {
        let digest = Digest::of(migration.sql.as_bytes()).to_string();
        // Check and step are one transaction, so that a step is never applied twice.
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let applied: Option<String> = transaction
            .query_row(
                "SELECT sha256 FROM migrations WHERE number = ?1",
                [migration.number],
                |row| row.get(0),
            )
            .optional()
            .map_err(failed)?;
        match applied {
            Some(applied) if applied == digest => continue,
            Some(_) => return Err(StoreError::ChangedMigration { number: migration.number }),
            // A gap below the last applied step: somebody removed a row.
            None if found.is_some_and(|found| found > migration.number) => {
                return Err(StoreError::ChangedMigration { number: migration.number });
            }
            None => {}
        }
        transaction.execute_batch(migration.sql).map_err(failed)?;
        for (_, carry_over) in carried_over.iter().filter(|(of, _)| *of == migration.number) {
            carry_over(&transaction).map_err(failed)?;
        }
        transaction
            .execute(
                "INSERT INTO migrations (number, name, sha256) VALUES (?1, ?2, ?3)",
                params![migration.number, migration.name, digest],
            )
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        tracing::info!(number = migration.number, name = migration.name, "migrated the store");
    }
    Ok(known)
}

#[cfg(test)]
mod tests;
