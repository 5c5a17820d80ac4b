//! The chain of revocations, and what is withheld now, in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, Params, Row, params};
use store::revocations::link;
use store::scans::kept_domain;
use store::{
    BoxFuture, Digest, KeptRevocation, NewRevocation, Revocations, RevocationsAsk, Standing,
    StoreError, words,
};

use crate::SqliteStore;
use crate::error::Refused;
use crate::sqlite_store::{natural, number, sql_limit};

const COLUMNS: &str = "seq, prev, entry_sha256, at, effective_from, kind, target_kind, target_id, \
                       domain, actions, reason, why, replaced_by";
const STANDING: &str = "domain, actions, causes, state, since, updated_at, fingerprint";

impl Revocations for SqliteStore {
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<Standing>,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>> {
        Box::pin(async move {
            entries.iter().try_for_each(NewRevocation::check)?;
            standings.iter().try_for_each(Standing::check)?;
            let bytes = 512 * (entries.len() + standings.len());
            let write = move |connection: &Connection| {
                let kept = append(connection, &entries)?;
                put_standings(connection, &standings)?;
                Ok(kept)
            };
            self.database.writer.write("keeping revocations", bytes, write).await
        })
    }

    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading the last revocation", last))
    }

    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first revocation", |connection| {
            Ok(entries(connection, "ORDER BY seq LIMIT 1", [])?.pop())
        }))
    }

    fn revocations(
        &self,
        ask: RevocationsAsk,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading revocations", move |connection| {
            let newest = ask.after.is_none() && ask.since.is_none();
            let order = if newest { "DESC" } else { "ASC" };
            let of_domain = if ask.domain.is_some() { "domain = ?1" } else { "?1 IS NULL" };
            let which = format!(
                "WHERE {of_domain} AND seq > ?2 AND at >= ?3
                   AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR target_kind = ?5)
                 ORDER BY seq {order} LIMIT ?6"
            );
            let asked = params![
                ask.domain.as_ref().map(|domain| domain.as_str()),
                number(ask.after.unwrap_or(0)),
                ask.since.map_or(i64::MIN, Timestamp::as_millis),
                ask.kind,
                ask.target_kind,
                sql_limit(ask.limit),
            ];
            let mut found = entries(connection, &which, asked)?;
            if newest {
                found.reverse();
            }
            Ok(found)
        }))
    }

    fn revocations_of<'a>(
        &'a self,
        target_kind: &'a str,
        target_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<KeptRevocation>, StoreError>> {
        let (kind, id) = (target_kind.to_owned(), target_id.to_owned());
        Box::pin(self.database.readers.read("reading revocations", move |connection| {
            let which = "WHERE target_kind = ?1 AND target_id = ?2 ORDER BY seq";
            entries(connection, which, params![kind, id])
        }))
    }

    fn standings(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<Standing>, StoreError>> {
        Box::pin(self.database.readers.read("reading standings", move |connection| match since {
            None => standings(connection, "WHERE causes <> '' ORDER BY domain", []),
            Some(since) => {
                let which = "WHERE updated_at >= ?1 ORDER BY domain";
                standings(connection, which, [since.as_millis()])
            }
        }))
    }

    fn standing<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading a standing", move |connection| {
            Ok(standings(connection, "WHERE domain = ?1", [domain])?.pop())
        }))
    }
}

/// Adds entries after the last one, in the writer's transaction: nobody adds one in between. An
/// end that is damaged is not built upon.
pub(crate) fn append(
    connection: &Connection,
    new: &[NewRevocation],
) -> Result<Vec<KeptRevocation>, Refused> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let mut before = last(connection)?;
    let sql = format!(
        "INSERT INTO revocations ({COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
    );
    let mut insert = connection.prepare_cached(&sql)?;
    let mut kept = Vec::with_capacity(new.len());
    for entry in new {
        let linked = link(before.as_ref(), entry.clone())?;
        insert.execute(params![
            number(linked.seq),
            linked.prev.as_ref().map(Digest::as_bytes),
            linked.entry_sha256.as_bytes(),
            entry.at.as_millis(),
            entry.effective_from.as_millis(),
            entry.kind,
            entry.target_kind,
            entry.target_id,
            entry.domain.as_ref().map(Domain::as_str),
            words::write(&entry.actions),
            entry.reason,
            entry.why,
            entry.replaced_by.as_ref().map(Digest::as_bytes),
        ])?;
        kept.push(linked.clone());
        before = Some(linked);
    }
    Ok(kept)
}

pub(crate) fn put_standings(connection: &Connection, new: &[Standing]) -> Result<(), Refused> {
    let sql = format!(
        "INSERT OR REPLACE INTO standings ({STANDING}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    let mut put = connection.prepare_cached(&sql)?;
    for standing in new {
        put.execute(params![
            standing.domain.as_str(),
            words::write(&standing.actions),
            words::write(&standing.causes),
            standing.state,
            standing.since.as_millis(),
            standing.updated_at.as_millis(),
            standing.fingerprint().as_bytes(),
        ])?;
    }
    Ok(())
}

fn last(connection: &Connection) -> Result<Option<KeptRevocation>, Refused> {
    Ok(entries(connection, "ORDER BY seq DESC LIMIT 1", [])?.pop())
}

fn entries(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<KeptRevocation>, Refused> {
    let sql = format!("SELECT {COLUMNS} FROM revocations {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params, Raw::read)?;
    rows.map(|raw| Ok(raw?.understood()?)).collect()
}

struct Raw {
    seq: i64,
    prev: Option<[u8; 32]>,
    entry_sha256: [u8; 32],
    domain: Option<String>,
    actions: String,
    /// All but the domain and the actions, which are still texts.
    entry: NewRevocation,
}

impl Raw {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            prev: row.get(1)?,
            entry_sha256: row.get(2)?,
            domain: row.get(8)?,
            actions: row.get(9)?,
            entry: NewRevocation {
                at: Timestamp::from_millis(row.get(3)?),
                effective_from: Timestamp::from_millis(row.get(4)?),
                kind: row.get(5)?,
                target_kind: row.get(6)?,
                target_id: row.get(7)?,
                domain: None,
                actions: Vec::new(),
                reason: row.get(10)?,
                why: row.get(11)?,
                replaced_by: row.get::<_, Option<[u8; 32]>>(12)?.map(Digest),
            },
        })
    }

    fn understood(self) -> Result<KeptRevocation, StoreError> {
        let domain = self.domain.as_deref().map(kept_domain).transpose()?;
        let kept = KeptRevocation {
            seq: natural(self.seq, "a revocation's number")?,
            prev: self.prev.map(Digest),
            entry_sha256: Digest(self.entry_sha256),
            entry: NewRevocation { domain, actions: words::read(&self.actions), ..self.entry },
        };
        kept.check()?;
        Ok(kept)
    }
}

fn standings(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<Standing>, Refused> {
    let sql = format!("SELECT {STANDING} FROM standings {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let (actions, causes): (String, String) = (row.get(1)?, row.get(2)?);
        let standing = Standing {
            domain: kept_domain(&name)?,
            actions: words::read(&actions),
            causes: words::read(&causes),
            state: row.get(3)?,
            since: Timestamp::from_millis(row.get(4)?),
            updated_at: Timestamp::from_millis(row.get(5)?),
        };
        if standing.fingerprint() != Digest(row.get(6)?) {
            let what = format!("the standing of {name}");
            let why = String::from("its fingerprint is another");
            return Err(StoreError::Damaged { what, why }.into());
        }
        found.push(standing);
    }
    Ok(found)
}
