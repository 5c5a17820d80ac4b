//! Which answer of a domain is the newest, found without the domain's name.

use rusqlite::{Connection, params};
use store::answers::domain_digest;
use store::scans::kept_domain;
use store::{Digest, KeptAnswer, StoreError};

use crate::error::Refused;

/// Remembers an answer, unless a newer one of its domain is known.
pub(crate) fn remember(connection: &Connection, answer: &KeptAnswer) -> Result<(), Refused> {
    let domain = domain_digest(&answer.domain);
    put(connection, &domain, answer.answered_at.as_millis(), answer.sha256.as_bytes())?;
    Ok(())
}

fn put(
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

/// Goes through all answers that were kept before there was this table.
pub(crate) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT domain, answered_at, sha256 FROM answers")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        // One that is damaged is not found here either; reading it is an error.
        let Ok(domain) = kept_domain(&name) else { continue };
        let sha256: Vec<u8> = row.get(2)?;
        put(connection, &domain_digest(&domain), row.get(1)?, &sha256)?;
    }
    Ok(())
}

/// Fails unless an answer is of the domain that it was found by.
pub(crate) fn check(found_by: &Digest, answer: &KeptAnswer) -> Result<(), StoreError> {
    if domain_digest(&answer.domain) == *found_by {
        return Ok(());
    }
    let what = format!("the newest answer of {found_by}");
    Err(StoreError::Damaged { what, why: String::from("it is of another domain") })
}
