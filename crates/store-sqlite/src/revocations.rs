//! The chain of revocations, and the actions withheld now, in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, Params, Row, params};
use store::revocations::link_revocation;
use store::scans::parse_stored_domain;
use store::{
    BoxFuture, Digest, NewRevocation, RevocationState, Revocations, RevocationsQuery, StoreError,
    StoredRevocation, WithheldActions, word_list,
};

use crate::SqliteStore;
use crate::columns::{sql_integer, sql_limit, unsigned};
use crate::error::DatabaseError;
use crate::snapshot::in_snapshot;

const COLUMNS: &str = "seq, prev, entry_sha256, at, effective_from, kind, target_kind, target_id, \
                       domain, actions, reason, why, replaced_by";
const WITHHELD_COLUMNS: &str = "domain, actions, causes, state, since, updated_at, fingerprint";

impl Revocations for SqliteStore {
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<WithheldActions>,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>> {
        Box::pin(async move {
            entries.iter().try_for_each(NewRevocation::check)?;
            standings.iter().try_for_each(WithheldActions::check)?;
            let bytes = 512 * (entries.len() + standings.len());
            let change = self.revocation_cache.begin_change();
            let write = move |connection: &Connection| {
                let _ends_with_the_write = &change;
                let kept = append_entries(connection, &entries)?;
                put_withheld_actions(connection, &standings)?;
                Ok(kept)
            };
            self.database.writer.write("storing revocations", bytes, write).await
        })
    }

    fn import_revocations(
        &self,
        entries: Vec<StoredRevocation>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            entries.iter().try_for_each(|stored| stored.entry.check())?;
            let bytes = 512 * entries.len();
            let change = self.revocation_cache.begin_change();
            let write = move |connection: &Connection| {
                let _ends_with_the_write = &change;
                import_entries(connection, &entries)
            };
            self.database.writer.write("copying revocations", bytes, write).await
        })
    }

    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading the last revocation", last_entry))
    }

    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first revocation", |connection| {
            Ok(find_entries(connection, "ORDER BY seq LIMIT 1", [])?.pop())
        }))
    }

    fn revocations(
        &self,
        query: RevocationsQuery,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>> {
        Box::pin(self.database.readers.read("reading revocations", move |connection| {
            let newest = query.after.is_none() && query.since.is_none();
            let order = if newest { "DESC" } else { "ASC" };
            let of_domain = if query.domain.is_some() { "domain = ?1" } else { "?1 IS NULL" };
            let which = format!(
                "WHERE {of_domain} AND seq > ?2 AND at >= ?3
                   AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR target_kind = ?5)
                 ORDER BY seq {order} LIMIT ?6"
            );
            let parameters = params![
                query.domain.as_ref().map(|domain| domain.as_str()),
                sql_integer(query.after.unwrap_or(0)),
                query.since.map_or(i64::MIN, Timestamp::as_millis),
                query.kind,
                query.target_kind,
                sql_limit(query.limit),
            ];
            let mut found = find_entries(connection, &which, parameters)?;
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
    ) -> BoxFuture<'a, Result<Vec<StoredRevocation>, StoreError>> {
        let (kind, id) = (target_kind.to_owned(), target_id.to_owned());
        Box::pin(self.database.readers.read("reading revocations", move |connection| {
            let which = "WHERE target_kind = ?1 AND target_id = ?2 ORDER BY seq";
            find_entries(connection, which, params![kind, id])
        }))
    }

    fn withheld_actions(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<WithheldActions>, StoreError>> {
        Box::pin(self.database.readers.read("reading withheld actions", move |connection| {
            match since {
                None => standings(connection, "WHERE causes <> '' ORDER BY domain", []),
                Some(since) => {
                    let which = "WHERE updated_at >= ?1 ORDER BY domain";
                    standings(connection, which, [since.as_millis()])
                }
            }
        }))
    }

    fn withheld_actions_for<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<WithheldActions>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading withheld actions", move |connection| {
            withheld_actions_of(connection, &domain)
        }))
    }

    fn revocation_state(
        &self,
        domains: Vec<Domain>,
    ) -> BoxFuture<'_, Result<RevocationState, StoreError>> {
        Box::pin(async move {
            if let Some(known) = self.revocation_cache.get(&domains) {
                return Ok(known);
            }
            let version = self.revocation_cache.version();
            let names = domains.clone();
            let read = move |connection: &Connection| {
                in_snapshot(connection, |connection| {
                    let withheld =
                        names.iter().map(|d| withheld_actions_of(connection, d.as_str()));
                    let withheld = withheld.collect::<Result<_, _>>()?;
                    Ok(RevocationState { withheld, last: last_entry(connection)? })
                })
            };
            let read = self.database.readers.read("reading withheld actions", read).await?;
            if let Some(version) = version {
                self.revocation_cache.put(version, &domains, &read);
            }
            Ok(read)
        })
    }
}

pub(crate) fn withheld_actions_of(
    connection: &Connection,
    domain: &str,
) -> Result<Option<WithheldActions>, DatabaseError> {
    Ok(standings(connection, "WHERE domain = ?1", [domain])?.pop())
}

/// Appends entries to the chain. Runs in the writer's transaction, so appends do not race. Fails if
/// the last entry is damaged.
pub(crate) fn append_entries(
    connection: &Connection,
    new: &[NewRevocation],
) -> Result<Vec<StoredRevocation>, DatabaseError> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let mut previous = last_entry(connection)?;
    let mut kept = Vec::with_capacity(new.len());
    for entry in new {
        let linked = link_revocation(previous.as_ref(), entry.clone())?;
        insert_entry(connection, &linked)?;
        kept.push(linked.clone());
        previous = Some(linked);
    }
    Ok(kept)
}

/// Stores entries that have their numbers and digests already.
fn import_entries(
    connection: &Connection,
    entries: &[StoredRevocation],
) -> Result<(), DatabaseError> {
    let mut previous = last_entry(connection)?;
    for entry in entries {
        entry.check()?;
        if let Some(last) = previous.filter(|last| !entry.follows(last)) {
            let id = last.seq.saturating_add(1).to_string();
            let what = "revocation of another chain";
            return Err(StoreError::Duplicate { what, id }.into());
        }
        insert_entry(connection, entry)?;
        previous = Some(entry.clone());
    }
    Ok(())
}

fn insert_entry(connection: &Connection, linked: &StoredRevocation) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO revocations ({COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
    );
    let entry = &linked.entry;
    connection.prepare_cached(&sql)?.execute(params![
        sql_integer(linked.seq),
        linked.prev.as_ref().map(Digest::as_bytes),
        linked.entry_sha256.as_bytes(),
        entry.at.as_millis(),
        entry.effective_from.as_millis(),
        entry.kind,
        entry.target_kind,
        entry.target_id,
        entry.domain.as_ref().map(Domain::as_str),
        word_list::join_words(&entry.actions),
        entry.reason,
        entry.why,
        entry.replaced_by.as_ref().map(Digest::as_bytes),
    ])?;
    Ok(())
}

pub(crate) fn put_withheld_actions(
    connection: &Connection,
    new: &[WithheldActions],
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT OR REPLACE INTO standings ({WITHHELD_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    let mut put = connection.prepare_cached(&sql)?;
    for standing in new {
        put.execute(params![
            standing.domain.as_str(),
            word_list::join_words(&standing.actions),
            word_list::join_words(&standing.causes),
            standing.state,
            standing.since.as_millis(),
            standing.updated_at.as_millis(),
            standing.fingerprint().as_bytes(),
        ])?;
    }
    Ok(())
}

fn last_entry(connection: &Connection) -> Result<Option<StoredRevocation>, DatabaseError> {
    Ok(find_entries(connection, "ORDER BY seq DESC LIMIT 1", [])?.pop())
}

fn find_entries(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<StoredRevocation>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM revocations {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params, RawRevocation::from_row)?;
    rows.map(|raw| Ok(raw?.into_revocation()?)).collect()
}

struct RawRevocation {
    seq: i64,
    prev: Option<[u8; 32]>,
    entry_sha256: [u8; 32],
    domain: Option<String>,
    actions: String,
    /// All but the domain and the actions, which are not parsed yet.
    entry: NewRevocation,
}

impl RawRevocation {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    fn into_revocation(self) -> Result<StoredRevocation, StoreError> {
        let domain = self.domain.as_deref().map(parse_stored_domain).transpose()?;
        let kept = StoredRevocation {
            seq: unsigned(self.seq, "a revocation's number")?,
            prev: self.prev.map(Digest),
            entry_sha256: Digest(self.entry_sha256),
            entry: NewRevocation {
                domain,
                actions: word_list::split_words(&self.actions),
                ..self.entry
            },
        };
        kept.check()?;
        Ok(kept)
    }
}

fn standings(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<WithheldActions>, DatabaseError> {
    let sql = format!("SELECT {WITHHELD_COLUMNS} FROM standings {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let (actions, causes): (String, String) = (row.get(1)?, row.get(2)?);
        let standing = WithheldActions {
            domain: parse_stored_domain(&name)?,
            actions: word_list::split_words(&actions),
            causes: word_list::split_words(&causes),
            state: row.get(3)?,
            since: Timestamp::from_millis(row.get(4)?),
            updated_at: Timestamp::from_millis(row.get(5)?),
        };
        if standing.fingerprint() != Digest(row.get(6)?) {
            let what = format!("the withheld actions of {name}");
            let why = String::from("its fingerprint does not match");
            return Err(StoreError::Damaged { what, why }.into());
        }
        found.push(standing);
    }
    Ok(found)
}
