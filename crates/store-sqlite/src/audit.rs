//! The audit log in the database.

use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{Audit, AuditEntry, BoxFuture, Digest, NewAuditEntry, StoreError};

use crate::SqliteStore;
use crate::columns::{count, sql_integer, sql_limit, time};
use crate::database::Database;
use crate::error::DatabaseError;

const COLUMNS: &str = "seq, at, actor, action, subject, detail, fingerprint";

impl Audit for Database {
    fn append_audit(&self, entry: NewAuditEntry) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let entry = entry.numbered(0);
            entry.check_size()?;
            let append = move |connection: &Connection| {
                // The number is part of the fingerprint, and a row is never changed afterwards.
                let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'";
                let last = connection.prepare_cached(sql)?.query_row([], |row| count(row, 0));
                let seq = last.optional()?.unwrap_or(0).saturating_add(1);
                insert(connection, &AuditEntry { seq, ..entry.clone() })?;
                Ok(seq)
            };
            self.writer.write("recording an action", 0, append).await
        })
    }

    fn audit_entries(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        let before = before.map_or(i64::MAX, sql_integer);
        Box::pin(self.readers.read("reading the audit log", move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM audit WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2");
            find(connection, &sql, params![before, sql_limit(limit)])
        }))
    }

    fn export_audit(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        Box::pin(self.readers.read("reading the audit log", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM audit WHERE seq > ?1 ORDER BY seq LIMIT ?2");
            find(connection, &sql, params![sql_integer(after), sql_limit(limit)])
        }))
    }

    fn import_audit(&self, entries: Vec<AuditEntry>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            entries.iter().try_for_each(AuditEntry::check_size)?;
            let import = move |connection: &Connection| {
                for entry in &entries {
                    let sql = format!("SELECT {COLUMNS} FROM audit WHERE seq = ?1");
                    match find(connection, &sql, params![sql_integer(entry.seq)])?.pop() {
                        None => insert(connection, entry)?,
                        Some(stored) if stored == *entry => {}
                        Some(_) => {
                            let id = entry.seq.to_string();
                            return Err(StoreError::Duplicate { what: "audit entry", id }.into());
                        }
                    }
                }
                Ok(())
            };
            self.writer.write("copying the audit log", 0, import).await
        })
    }
}

impl Audit for SqliteStore {
    fn append_audit(&self, entry: NewAuditEntry) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.database.append_audit(entry)
    }

    fn audit_entries(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        self.database.audit_entries(before, limit)
    }

    fn export_audit(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>> {
        self.database.export_audit(after, limit)
    }

    fn import_audit(&self, entries: Vec<AuditEntry>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_audit(entries)
    }
}

fn insert(connection: &Connection, entry: &AuditEntry) -> Result<(), DatabaseError> {
    let sql = format!("INSERT INTO audit ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    connection.prepare_cached(&sql)?.execute(params![
        sql_integer(entry.seq),
        entry.at.as_millis(),
        entry.actor,
        entry.action,
        entry.subject,
        entry.detail,
        entry.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

fn find(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<AuditEntry>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, read_row)?;
    rows.map(|row| {
        let (entry, fingerprint) = row?;
        if entry.fingerprint() == fingerprint {
            return Ok(entry);
        }
        let what = format!("entry {} of the audit log", entry.seq);
        Err(StoreError::Damaged { what, why: String::from("its fingerprint does not match") }
            .into())
    })
    .collect()
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<(AuditEntry, Digest)> {
    let entry = AuditEntry {
        seq: count(row, 0)?,
        at: time(row, 1)?,
        actor: row.get(2)?,
        action: row.get(3)?,
        subject: row.get(4)?,
        detail: row.get(5)?,
    };
    Ok((entry, Digest(row.get(6)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;

    #[tokio::test]
    async fn the_database_refuses_every_change_of_an_entry() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path(), crate::SqliteOptions::default()).unwrap();
        let entry = NewAuditEntry {
            at: Timestamp::from_millis(1),
            actor: "operator".into(),
            action: "licence.create".into(),
            subject: "l".into(),
            detail: "{}".into(),
        };
        assert_eq!(store.append_audit(entry.clone()).await, Ok(1));
        let connection = Connection::open(dir.path().join("wayleave.db")).unwrap();
        for sql in [
            "UPDATE audit SET actor = 'nobody'",
            "DELETE FROM audit",
            "INSERT OR REPLACE INTO audit SELECT seq, at, 'nobody', action, subject, detail,
             fingerprint FROM audit",
        ] {
            let refused = connection.execute_batch(sql).unwrap_err();
            assert!(refused.to_string().contains("are never"), "{refused}");
        }
        let stored = store.audit_entries(None, 9).await.unwrap();
        assert_eq!(stored, [entry.numbered(1)]);
    }
}
