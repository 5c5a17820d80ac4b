//! Removes what is past its retention. Every step is one small write, so that others hardly wait.

use contract::Timestamp;
use rusqlite::{Connection, params};
use store::answers::domain_digest;
use store::scans::parse_stored_domain;
use store::{
    AnswerCutoffs, BoxFuture, Digest, Prunable, PrunedAnswers, Pruning, PruningCursor, StoreError,
    StoreSize,
};

use crate::SqliteStore;
use crate::accuracy::DELETE_ACCURACY;
use crate::columns::{sql_limit, unsigned};
use crate::conduct::DELETE_CONDUCT;
use crate::deliveries::DELETE_DELIVERIES;
use crate::error::DatabaseError;
use crate::mcp_scans::{OLD_SCANS, OLD_SURFACES};
use crate::registrations::{
    DELETE_REGISTRATION_CHANGES, DELETE_REGISTRATIONS, DELETE_UNREAD_REGISTRATIONS,
};
use crate::usage::prune_usage;

impl Pruning for SqliteStore {
    fn prune_answers(
        &self,
        cutoffs: AnswerCutoffs,
        after: Option<PruningCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<PrunedAnswers, StoreError>> {
        const DOING: &str = "removing old answers";
        Box::pin(async move {
            // Examined on a reading connection: most answers stay, and the writer is not needed.
            let find =
                move |connection: &Connection| find_old_answers(connection, cutoffs, after, limit);
            let (old, next) = self.database.readers.read(DOING, find).await?;
            if old.is_empty() {
                return Ok(PrunedAnswers { removed: 0, next });
            }
            let delete = move |connection: &Connection| delete_answers(connection, &old);
            let removed = self.database.writer.write(DOING, 0, delete).await?;
            Ok(PrunedAnswers { removed, next })
        })
    }

    fn prune(
        &self,
        what: Prunable,
        before: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        let of_mcp_servers = match what {
            Prunable::McpScans => Some(&OLD_SCANS),
            Prunable::McpSurfaces => Some(&OLD_SURFACES),
            _ => None,
        };
        if let Some(old) = of_mcp_servers {
            return Box::pin(self.prune_mcp(old, before, limit));
        }
        let revokes = matches!(what, Prunable::Revocations | Prunable::ClearedActions);
        let change = revokes.then(|| self.revocation_cache.begin_change());
        Box::pin(self.database.writer.write("removing old data", 0, move |connection| {
            let _ends_with_the_write = &change;
            let (before, limit) = (before.as_millis(), sql_limit(limit));
            let delete =
                |sql: &str| connection.prepare_cached(sql)?.execute(params![before, limit]);
            let removed = match what {
                Prunable::UnreachedReadings => delete(DELETE_UNREACHED_READINGS)?,
                Prunable::Readings => delete(DELETE_READINGS)?,
                Prunable::Changes => prune_changes(connection, before, limit)?,
                Prunable::Revocations => prune_revocations(connection, before, limit)?,
                Prunable::ClearedActions => delete(DELETE_CLEARED_ACTIONS)?,
                Prunable::Receipts => delete(DELETE_RECEIPTS)?,
                Prunable::Scans => delete(DELETE_SCANS)?,
                Prunable::Conduct => delete(DELETE_CONDUCT)?,
                Prunable::Deliveries => delete(DELETE_DELIVERIES)?,
                Prunable::Registrations => delete(DELETE_REGISTRATIONS)?,
                Prunable::UnreadRegistrations => delete(DELETE_UNREAD_REGISTRATIONS)?,
                Prunable::RegistrationChanges => delete(DELETE_REGISTRATION_CHANGES)?,
                Prunable::Accuracy => delete(DELETE_ACCURACY)?,
                Prunable::Usage => prune_usage(connection, before, limit)?,
                // Done above, because they are found without the writer.
                Prunable::McpScans | Prunable::McpSurfaces => 0,
            };
            Ok(removed as u64)
        }))
    }

    fn size(&self) -> BoxFuture<'_, Result<StoreSize, StoreError>> {
        Box::pin(self.database.readers.read("reading the size", |connection| {
            let number = |name: &str| -> Result<u64, DatabaseError> {
                let value: i64 = connection.pragma_query_value(None, name, |row| row.get(0))?;
                Ok(unsigned(value, "the size of the database")?)
            };
            let page = number("page_size")?;
            Ok(StoreSize {
                database_bytes: number("page_count")?.saturating_mul(page),
                free_bytes: number("freelist_count")?.saturating_mul(page),
            })
        }))
    }
}

// Each removes at most `?2` rows from before `?1`, which it finds through an index.
const DELETE_UNREACHED_READINGS: &str = "DELETE FROM readings WHERE rowid IN (
    SELECT rowid FROM readings WHERE completed = 0 AND observed_at < ?1
    ORDER BY observed_at LIMIT ?2)";
const DELETE_READINGS: &str = "DELETE FROM readings WHERE rowid IN (
    SELECT rowid FROM readings WHERE observed_at < ?1 ORDER BY observed_at LIMIT ?2)";
const DELETE_CLEARED_ACTIONS: &str = "DELETE FROM standings WHERE domain IN (
    SELECT domain FROM standings WHERE updated_at < ?1 AND causes = '' LIMIT ?2)";
const DELETE_RECEIPTS: &str = "DELETE FROM decisions WHERE lookup IN (
    SELECT lookup FROM decisions WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)";
const DELETE_SCANS: &str = "DELETE FROM scans WHERE rowid IN (
    SELECT rowid FROM scans WHERE scanned_at < ?1
        AND NOT EXISTS (SELECT 1 FROM disputes WHERE scan_id = scans.id)
        AND NOT EXISTS (SELECT 1 FROM disputes WHERE fresh_scan_id = scans.id)
    ORDER BY scanned_at LIMIT ?2)";

/// An answer to be removed, and its domain.
pub(crate) type OldAnswer = (Digest, String);

/// Examines a page of answers. Also returns where the next page starts.
fn find_old_answers(
    connection: &Connection,
    cutoffs: AnswerCutoffs,
    after: Option<PruningCursor>,
    limit: usize,
) -> Result<(Vec<OldAnswer>, Option<PruningCursor>), DatabaseError> {
    // Reads only the index of times and the first columns; the answers themselves are not touched.
    let sql = "SELECT a.answered_at, a.sha256, a.domain,
                      a.sha256 <> (SELECT last.sha256 FROM answers last WHERE last.domain = a.domain
                                   ORDER BY last.position DESC LIMIT 1),
                      EXISTS (SELECT 1 FROM readings r
                              WHERE r.completed = 1 AND r.domain = a.domain)
                      OR EXISTS (SELECT 1 FROM scans s
                                 WHERE s.visibility = 'public' AND s.domain = a.domain)
               FROM answers a
               WHERE (a.answered_at, a.sha256) > (?1, ?2) AND a.answered_at < ?3
               ORDER BY a.answered_at, a.sha256 LIMIT ?4";
    let last_cutoff = cutoffs.superseded.max(cutoffs.unreached).max(cutoffs.newest);
    let (from, from_sha256) = after.map_or((i64::MIN, Vec::new()), |after| {
        (after.answered_at.as_millis(), after.sha256.as_bytes().to_vec())
    });
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows =
        statement.query(params![from, from_sha256, last_cutoff.as_millis(), sql_limit(limit)])?;
    let (mut old, mut next, mut examined) = (Vec::new(), None, 0_usize);
    while let Some(row) = rows.next()? {
        let answered_at = Timestamp::from_millis(row.get(0)?);
        let sha256 = Digest(row.get(1)?);
        let (superseded, reached): (bool, bool) = (row.get(3)?, row.get(4)?);
        let is_old = (superseded && answered_at < cutoffs.superseded)
            || (!reached && answered_at < cutoffs.unreached)
            || answered_at < cutoffs.newest;
        if is_old {
            old.push((sha256, row.get(2)?));
        }
        next = Some(PruningCursor { answered_at, sha256 });
        examined += 1;
    }
    Ok((old, next.filter(|_| examined >= limit)))
}

/// Removes these answers, and all others about a domain whose latest answer is among them.
pub(crate) fn delete_answers(
    connection: &Connection,
    old: &[OldAnswer],
) -> Result<u64, DatabaseError> {
    let mut delete = connection.prepare_cached("DELETE FROM answers WHERE sha256 = ?1")?;
    let sql = "DELETE FROM newest_answers WHERE domain_sha256 = ?1 AND sha256 = ?2";
    let mut forget = connection.prepare_cached(sql)?;
    let mut delete_rest = connection.prepare_cached("DELETE FROM answers WHERE domain = ?1")?;
    let mut removed = 0;
    for (sha256, domain) in old {
        removed += delete.execute(params![sha256.as_bytes()])?;
        // A damaged name has no entry there.
        if let Ok(name) = parse_stored_domain(domain) {
            let was_latest =
                forget.execute(params![domain_digest(&name).as_bytes(), sha256.as_bytes()])? > 0;
            // A clock that ran ahead can have given a superseded answer a later time. It must not
            // outlast the latest one.
            if was_latest {
                removed += delete_rest.execute(params![domain])?;
            }
        }
    }
    Ok(removed as u64)
}

/// Changes go from the first number on, so that the rest has no gap.
fn prune_changes(connection: &Connection, before: i64, limit: i64) -> rusqlite::Result<usize> {
    let sql = "SELECT seq, at FROM changes
               WHERE seq < (SELECT max(seq) FROM changes) ORDER BY seq LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![limit])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? >= before {
            break;
        }
        last = Some(row.get::<_, i64>(0)?);
    }
    let Some(last) = last else { return Ok(0) };
    connection.prepare_cached("DELETE FROM changes WHERE seq <= ?1")?.execute(params![last])
}

/// Entries go from the first number on, up to the first that is still in force.
fn prune_revocations(connection: &Connection, before: i64, limit: i64) -> rusqlite::Result<usize> {
    // In force: it revokes or suspends, and nothing later was said about its target.
    let sql = "SELECT e.seq, e.at, e.kind IN ('revoked', 'suspended') AND NOT EXISTS (
                   SELECT 1 FROM revocations later WHERE later.target_kind = e.target_kind
                   AND later.target_id = e.target_id AND later.seq > e.seq)
               FROM revocations e
               WHERE e.seq < (SELECT max(seq) FROM revocations) ORDER BY e.seq LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![limit])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? >= before || row.get(2)? {
            break;
        }
        last = Some(row.get::<_, i64>(0)?);
    }
    let Some(last) = last else { return Ok(0) };
    connection.prepare_cached("DELETE FROM revocations WHERE seq <= ?1")?.execute(params![last])
}
