//! Appends to the log: all changes of one append in one transaction.

use contract::Timestamp;
use rusqlite::{Connection, params};
use store::log::encode_contents;
use store::{
    Append, AppendExtras, Digest, LogLease, LogTile, NewRevocation, Predecessor, StoreError,
    StoredBatch, WithheldActions,
};

use super::read;
use crate::answers::PackedAnswer;
use crate::changes::PackedChange;
use crate::columns::{sql_integer, unsigned};
use crate::error::DatabaseError;
use crate::{newest_answers, revocations};
use store::compression::{Dictionary, compress_with};

/// Grants, renews or refuses the lease. Runs in the writer's transaction, so decisions do not race.
pub(super) fn take_lease(
    connection: &Connection,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
    holder_is_gone: bool,
) -> Result<LogLease, DatabaseError> {
    let sql = "SELECT holder, epoch, until FROM log_lease WHERE id = 1";
    let (held_by, epoch, held_until): (Option<String>, i64, i64) = connection
        .prepare_cached(sql)?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let own = held_by.as_deref() == Some(holder);
    let in_force = held_until > now.as_millis() && !holder_is_gone;
    if held_by.is_some() && !own && in_force {
        return Ok(LogLease::HeldByOther { until: Timestamp::from_millis(held_until) });
    }
    let epoch = if own { epoch } else { epoch.saturating_add(1) };
    let sql = "UPDATE log_lease SET holder = ?1, epoch = ?2, until = ?3 WHERE id = 1";
    connection.prepare_cached(sql)?.execute(params![holder, epoch, until.as_millis()])?;
    Ok(LogLease::Granted { epoch: unsigned(epoch, "the log's lease")? })
}

/// An append whose work outside the transaction (hashing, compressing) is done.
pub(super) struct PackedAppend {
    epoch: u64,
    after: Option<Digest>,
    batch: Option<PackedBatch>,
    answers: Vec<PackedAnswer>,
    predecessors: Vec<Predecessor>,
    changes: Vec<PackedChange>,
    revocations: Vec<NewRevocation>,
    withheld_actions: Vec<WithheldActions>,
}

struct PackedBatch {
    kept: StoredBatch,
    kinds: Vec<Option<String>>,
    tiles: Vec<LogTile>,
    fingerprint: Digest,
    leaves: Vec<u8>,
    sth: Vec<u8>,
    contents: Vec<u8>,
}

impl PackedAppend {
    pub(super) fn new(append: Append) -> Result<Self, StoreError> {
        append.check()?;
        let failed = |e: std::io::Error| StoreError::Failed {
            doing: "compressing a batch",
            why: e.to_string(),
        };
        let batch = match append.batch {
            None => None,
            Some(batch) => {
                let kept = batch.to_stored();
                let contents = encode_contents(batch.entries.iter().map(|entry| &entry.content));
                Some(PackedBatch {
                    fingerprint: kept.fingerprint(),
                    leaves: kept.leaves.iter().flat_map(|leaf| *leaf.as_bytes()).collect(),
                    contents: compress_with(Dictionary::Content, &contents).map_err(failed)?,
                    sth: compress_with(Dictionary::Head, &kept.sth).map_err(failed)?,
                    kinds: batch.entries.into_iter().map(|entry| entry.kind).collect(),
                    tiles: batch.tiles,
                    kept,
                })
            }
        };
        let answers = append.answers.into_iter().map(PackedAnswer::new);
        let answers = answers.collect::<Result<_, _>>()?;
        let AppendExtras { predecessors, changes, revocations, withheld_actions } = append.extras;
        let changes = changes.into_iter().map(PackedChange::new).collect::<Result<_, _>>()?;
        let (epoch, after) = (append.epoch, append.previous_head);
        Ok(Self {
            epoch,
            after,
            batch,
            answers,
            predecessors,
            changes,
            revocations,
            withheld_actions,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let batch = self.batch.as_ref().map_or(0, |batch| {
            let tiles = batch.tiles.len() * LogTile::BYTES;
            batch.contents.len() + 2 * batch.leaves.len() + batch.sth.len() + tiles
        });
        let answers = self.answers.iter().map(PackedAnswer::bytes).sum::<usize>();
        batch + answers + self.changes.iter().map(PackedChange::bytes).sum::<usize>()
    }

    /// Whether it changes what is revoked or withheld.
    pub(super) fn revokes(&self) -> bool {
        !self.revocations.is_empty() || !self.withheld_actions.is_empty()
    }

    pub(super) fn write(&self, connection: &Connection) -> Result<(), DatabaseError> {
        self.check_lease_and_head(connection)?;
        let check = |named| newest_answers::check_predecessor(connection, named);
        self.predecessors.iter().try_for_each(check)?;
        if let Some(batch) = &self.batch {
            batch.insert(connection)?;
        }
        self.answers.iter().try_for_each(|answer| answer.insert(connection))?;
        self.changes.iter().try_for_each(|change| change.insert(connection))?;
        revocations::append_entries(connection, &self.revocations)?;
        revocations::put_withheld_actions(connection, &self.withheld_actions)
    }

    /// Fails if the caller has lost the lease or does not build on the last head.
    fn check_lease_and_head(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let moved = |why: String| DatabaseError::Store(StoreError::LogConflict { why });
        let sql = "SELECT epoch FROM log_lease WHERE id = 1";
        let epoch: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        if epoch != sql_integer(self.epoch) {
            let own = self.epoch;
            return Err(moved(format!(
                "lease {epoch} is in force, but this append was made under lease {own}"
            )));
        }
        // Also compares the fingerprint: a damaged last batch is reported and not extended.
        let last = read::last_batch(connection)?;
        if last.as_ref().map(|last| last.sth_sha256) != self.after {
            return Err(moved("its last head is not the one this append builds on".to_owned()));
        }
        let (next, size) = last.map_or((0, 0), |last| (last.batch + 1, last.tree_size()));
        let size = match &self.batch {
            None => size,
            Some(new) if (new.kept.batch, new.kept.first_index) == (next, size) => {
                new.kept.tree_size()
            }
            Some(_) => {
                return Err(moved(format!("its next batch is {next}, starting at index {size}")));
            }
        };
        match self.answers.iter().find(|answer| answer.log_index() >= size) {
            None => Ok(()),
            Some(answer) => {
                let why = format!(
                    "an answer has log index {}, but the log has {size} leaves",
                    answer.log_index()
                );
                Err(StoreError::Failed { doing: "extending the log", why }.into())
            }
        }
    }
}

impl PackedBatch {
    fn insert(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql = "INSERT INTO log_batches
                   (batch, first_index, sth_sha256, fingerprint, leaves, sth, contents)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        connection.prepare_cached(sql)?.execute(params![
            sql_integer(self.kept.batch),
            sql_integer(self.kept.first_index),
            self.kept.sth_sha256.as_bytes(),
            self.fingerprint.as_bytes(),
            self.leaves,
            self.sth,
            self.contents,
        ])?;
        let sql = "INSERT INTO log_leaves (leaf, log_index, kind) VALUES (?1, ?2, ?3)
                   ON CONFLICT (leaf) DO NOTHING";
        let mut insert = connection.prepare_cached(sql)?;
        for (place, (leaf, kind)) in
            (sql_integer(self.kept.first_index)..).zip(self.kept.leaves.iter().zip(&self.kinds))
        {
            if insert.execute(params![leaf.as_bytes(), place, kind])? == 0 {
                let why = format!("the leaf {leaf} is already in an earlier batch");
                return Err(DatabaseError::Store(StoreError::LogConflict { why }));
            }
        }
        let sql =
            "INSERT INTO log_tiles (level, tile, fingerprint, hashes) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = connection.prepare_cached(sql)?;
        for tile in &self.tiles {
            let (level, index, fingerprint) =
                (tile.level, sql_integer(tile.index), tile.fingerprint());
            insert.execute(params![level, index, fingerprint.as_bytes(), &tile.hashes[..]])?;
        }
        Ok(())
    }
}
