//! Rows with a fingerprint over all their columns, which is compared when they are read.

use contract::Domain;
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};
use store::scans::parse_stored_domain;
use store::{Digest, StoreError};

use crate::error::DatabaseError;

/// The values of the rows that a query finds. `read` returns a value and its stored fingerprint. A column that
/// cannot be converted is damage too, so that a copy reports it and continues.
pub(crate) fn find_checked<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    what: &str,
    fingerprint: fn(&T) -> Digest,
    read: fn(&Row<'_>) -> rusqlite::Result<(T, Digest)>,
) -> Result<Vec<T>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let damaged = |why: String| {
            let name = row.get::<_, Value>(0).map(|value| show_value(&value)).unwrap_or_default();
            StoreError::Damaged { what: format!("the {what} {name}"), why }
        };
        let (value, stored) = read(row).map_err(|e| damaged(e.to_string()))?;
        if fingerprint(&value) != stored {
            return Err(damaged(String::from("its fingerprint does not match")).into());
        }
        found.push(value);
    }
    Ok(found)
}

/// A stored domain.
pub(crate) fn domain(row: &Row<'_>, column: usize) -> rusqlite::Result<Domain> {
    let text: String = row.get(column)?;
    parse_stored_domain(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}

fn show_value(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}
