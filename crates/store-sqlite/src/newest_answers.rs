//! The latest answer of each domain, indexed by a digest of the domain name. Every new answer replaces
//! the one before it, in the transaction that stores it, so no time has to be compared.

use contract::Domain;
use rusqlite::{Connection, OptionalExtension, params};
use store::answers::domain_digest;
use store::scans::parse_stored_domain;
use store::{Digest, Predecessor, StoreError, StoredAnswer};

use crate::error::DatabaseError;

/// Records an answer that was just inserted as the latest of its domain.
pub(crate) fn record_latest(
    connection: &Connection,
    answer: &StoredAnswer,
) -> Result<(), DatabaseError> {
    let domain = domain_digest(&answer.domain);
    replace(connection, &domain, answer.answered_at.as_millis(), answer.sha256.as_bytes())?;
    Ok(())
}

fn replace(
    connection: &Connection,
    domain: &Digest,
    answered_at: i64,
    sha256: &[u8],
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO newest_answers (domain_sha256, answered_at, sha256)
               VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![domain.as_bytes(), answered_at, sha256])?;
    Ok(())
}

/// Fills the table from all stored answers.
pub(crate) fn backfill(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM newest_answers", [])?;
    let sql = "SELECT domain, answered_at, sha256 FROM answers ORDER BY position";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        // A damaged row is skipped here; reading that answer reports the damage.
        let Ok(domain) = parse_stored_domain(&name) else { continue };
        let sha256: Vec<u8> = row.get(2)?;
        replace(connection, &domain_digest(&domain), row.get(1)?, &sha256)?;
    }
    Ok(())
}

/// The digest of the latest answer of a domain.
pub(crate) fn latest_digest(
    connection: &Connection,
    domain: &Domain,
) -> Result<Option<Digest>, DatabaseError> {
    let sql = "SELECT sha256 FROM newest_answers WHERE domain_sha256 = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row(params![domain_digest(domain).as_bytes()], |row| Ok(Digest(row.get(0)?)))
        .optional()?;
    Ok(found)
}

/// Fails unless the named answer is the latest of its domain.
pub(crate) fn check_predecessor(
    connection: &Connection,
    named: &Predecessor,
) -> Result<(), DatabaseError> {
    if latest_digest(connection, &named.domain)? == named.answer {
        return Ok(());
    }
    Err(StoreError::AnswerSuperseded { domain: named.domain.clone() }.into())
}

/// Fails if an answer belongs to another domain than the one it was found by.
pub(crate) fn check_domain(found_by: &Digest, answer: &StoredAnswer) -> Result<(), StoreError> {
    if domain_digest(&answer.domain) == *found_by {
        return Ok(());
    }
    let what = format!("the latest answer of {found_by}");
    Err(StoreError::Damaged { what, why: String::from("it belongs to another domain") })
}
