//! The newest answer of each domain, indexed by a digest of the domain name.

use rusqlite::{Connection, params};
use store::answers::domain_digest;
use store::scans::parse_stored_domain;
use store::{Digest, StoreError, StoredAnswer};

use crate::error::DatabaseError;

/// Records an answer as the newest of its domain, unless a newer one is recorded.
pub(crate) fn record_if_newest(
    connection: &Connection,
    answer: &StoredAnswer,
) -> Result<(), DatabaseError> {
    let domain = domain_digest(&answer.domain);
    upsert(connection, &domain, answer.answered_at.as_millis(), answer.sha256.as_bytes())?;
    Ok(())
}

fn upsert(
    connection: &Connection,
    domain: &Digest,
    answered_at: i64,
    sha256: &[u8],
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO newest_answers (domain_sha256, answered_at, sha256) VALUES (?1, ?2, ?3)
               ON CONFLICT (domain_sha256) DO UPDATE
               SET answered_at = excluded.answered_at, sha256 = excluded.sha256
               WHERE (excluded.answered_at, excluded.sha256) > (answered_at, sha256)";
    connection.prepare_cached(sql)?.execute(params![domain.as_bytes(), answered_at, sha256])?;
    Ok(())
}

/// Fills the table from the answers that were stored before it existed.
pub(crate) fn backfill(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT domain, answered_at, sha256 FROM answers")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        // A damaged row is skipped here; reading that answer reports the damage.
        let Ok(domain) = parse_stored_domain(&name) else { continue };
        let sha256: Vec<u8> = row.get(2)?;
        upsert(connection, &domain_digest(&domain), row.get(1)?, &sha256)?;
    }
    Ok(())
}

/// Fails if an answer belongs to another domain than the one it was found by.
pub(crate) fn check_domain(found_by: &Digest, answer: &StoredAnswer) -> Result<(), StoreError> {
    if domain_digest(&answer.domain) == *found_by {
        return Ok(());
    }
    let what = format!("the newest answer of {found_by}");
    Err(StoreError::Damaged { what, why: String::from("it belongs to another domain") })
}
