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
mod tests {
    use super::*;

    const ONE: Migration = Migration { number: 1, name: "one", sql: "CREATE TABLE a (x) ;" };
    const TWO: Migration = Migration { number: 2, name: "two", sql: "CREATE TABLE b (x) ;" };
    const BROKEN: Migration =
        Migration { number: 2, name: "broken", sql: "CREATE TABLE c (x); CREATE TABLE a (x);" };

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY 1")
            .unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn the_numbers_are_one_two_three() {
        for (at, migration) in (1..).zip(MIGRATIONS) {
            assert_eq!(migration.number, at, "{}", migration.name);
        }
    }

    /// The digest of every migration that has landed. A database stores these digests and is refused
    /// by a program with others, so a line here never changes: another schema is another migration.
    const LANDED: &[(&str, &str)] = &[
        ("0001_scans.sql", "2654a79b7ba08eae7da66d992b479f40c71a808f95b6f9958acdc9c9fb903800"),
        (
            "0002_licences_and_limits.sql",
            "b3a38d66261ae1601e3538e51904b68baeea5ca7193c4d36f2bf13898564039f",
        ),
        ("0003_log.sql", "b385a34652a572f3f86b036dbfe0d54ed8c23d542a33beea9f1fd960ea025e3c"),
        ("0004_seals.sql", "2603b7378ba0e82bab7e4a59a96ff3cfb1856934933c66ae7b8a205ff97c5928"),
        (
            "0005_answers_beside.sql",
            "23ccbb835620ea50a7590ed86701a4765763a31b5e7504bd11bc48d44b82551c",
        ),
        (
            "0006_outcomes_and_jobs.sql",
            "6443058bb6005a0f744f68ecf89f27719a643d20f6ccc113a441f8290f8c0f58",
        ),
        ("0007_pruning.sql", "5358d293b5824196d19263797a2b735a6b9c8632973e8aaba23e48c38811c0d2"),
        (
            "0008_answer_order.sql",
            "1cb82f7e955d39cffcddcf4741568da71f1750213c29c24a918f589e4624a80f",
        ),
        (
            "0009_deleted_scans.sql",
            "4254750fcac00bdd188a8cd2b5b224428e9b2bbb404d515239675ec2d5adefca",
        ),
        ("0010_feeds.sql", "0e73e7ae36b85fa8b64bc1a14a51dd3c388c2eb31450f50aba6e686b7d4309ed"),
        ("0011_mcp_scans.sql", "f6b33aa5b39d35f37326d70c60e7eb6bc72eec18c1d3523d61073151299e8152"),
        (
            "0012_mcp_pruning.sql",
            "6811ad494a84b1ea93946f5ce21804571df4edeb648606c8fa1af133f73bc05a",
        ),
        ("0013_conduct.sql", "74496039ffe164bda3df3db70177097a01b2c548ae3c314af4d55c08f812cdfe"),
    ];

    #[test]
    fn landed_migrations_never_change() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let mut files: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let landed: Vec<&str> = LANDED.iter().map(|(name, _)| *name).collect();
        assert_eq!(files, landed, "add a new migration to LANDED; never take one out");
        assert_eq!(MIGRATIONS.len(), LANDED.len(), "every file is a migration");
        for (migration, (name, digest)) in MIGRATIONS.iter().zip(LANDED) {
            let in_file = std::fs::read(folder.join(name)).unwrap();
            assert_eq!(
                in_file,
                migration.sql.as_bytes(),
                "{name} is migration {}",
                migration.number
            );
            assert_eq!(
                Digest::of(&in_file).to_string(),
                *digest,
                "{name} has landed and must not change: write another migration instead"
            );
        }
    }

    #[test]
    fn each_step_is_applied_once_and_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(apply_migrations(&mut connection, &[ONE], &[]), Ok(1));
        assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
        assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
        assert_eq!(tables(&connection), ["a", "b", "migrations"]);
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_behind() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply_migrations(&mut connection, &[ONE], &[]).unwrap();
        let refused = apply_migrations(&mut connection, &[ONE, BROKEN], &[]).unwrap_err();
        assert!(matches!(refused, StoreError::Failed { .. }), "{refused}");
        assert_eq!(tables(&connection), ["a", "migrations"]);
        assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
    }

    #[test]
    fn newer_changed_and_missing_steps_are_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply_migrations(&mut connection, &[ONE, TWO], &[]).unwrap();
        assert_eq!(
            apply_migrations(&mut connection, &[ONE], &[]),
            Err(StoreError::NewerSchema { found: 2, known: 1 })
        );
        let changed = Migration { sql: "CREATE TABLE a (x);", ..ONE };
        assert_eq!(
            apply_migrations(&mut connection, &[changed, TWO], &[]),
            Err(StoreError::ChangedMigration { number: 1 })
        );
        connection.execute("DELETE FROM migrations WHERE number = 1", []).unwrap();
        assert_eq!(
            apply_migrations(&mut connection, &[ONE, TWO], &[]),
            Err(StoreError::ChangedMigration { number: 1 })
        );
    }

    #[test]
    fn the_latest_answers_of_before_are_those_that_were_stored_last() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply_migrations(&mut connection, &MIGRATIONS[..4], DATA_MIGRATIONS).unwrap();
        // The clock ran ahead for the second one.
        for (number, domain, at) in
            [(9_u8, "a.lab", 5), (2, "a.lab", 7), (3, "a.lab", 6), (4, "b.lab", 1)]
        {
            let sql =
                "INSERT INTO answers (sha256, domain, answered_at, log_index, fingerprint, answer)
                       VALUES (?1, ?2, ?3, 0, ?1, x'00')";
            connection.execute(sql, params![[number; 32], domain, at]).unwrap();
        }
        migrate(&mut connection, "some.db").unwrap();
        let newest = |name: &str| {
            let sql = "SELECT sha256, answered_at FROM newest_answers WHERE domain_sha256 = ?1";
            let of = Digest::of(name.as_bytes());
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?));
            connection.query_row(sql, [of.as_bytes()], read).optional().unwrap()
        };
        assert_eq!(newest("a.lab"), Some(([3; 32], 6_i64)));
        assert_eq!(newest("b.lab"), Some(([4; 32], 1)));
        assert_eq!(newest("c.lab"), None);
    }

    #[test]
    fn a_foreign_database_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let refused = migrate(&mut connection, "some.db").unwrap_err();
        assert_eq!(refused.to_string(), "some.db cannot be opened: it belongs to another program");
        assert_eq!(tables(&connection), ["theirs"]);
    }
}
