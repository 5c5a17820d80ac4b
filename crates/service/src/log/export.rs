//! Exports the log as files that anybody can store and serve: heads, tiles, entries, keys, the newest
//! checkpoint.
//!
//! The files are computed from the leaves and contents, not copied from the stored tiles, and every
//! head is verified on the way: a log that fails verification is not exported. Each file comes after
//! those it refers to, and the checkpoint comes last, so an interrupted export is a complete copy of
//! a shorter log.

use std::sync::Arc;

use bytes::Bytes;
use contract::{Brand, Clock, Issuer};
use proof::audit::{AuditFault, LogAudit};
use proof::tlog::{
    Checkpoint, Note, TILE_WIDTH, TileFile, TileKind, encode_entry_bundle, encode_tile_hashes,
};
use proof::{KeyPolicy, KeyPurpose, KeyStore, ProofError};
use store::{Store, StoreError};

use super::checkpoint::sign_checkpoint;
use super::log_record::LogRecordInputs;
use super::settings::LogSettings;
use super::snapshot::SignedTreeHead;
use crate::signing_keys::SigningKeys;

/// Tree heads per file.
pub const HEADS_PER_FILE: u64 = 1000;

/// What to export, and with which keys to sign it.
#[derive(Debug)]
pub struct ExportRequest<'a> {
    pub store: &'a dyn Store,
    pub keys: KeyStore,
    pub clock: Arc<dyn Clock>,
    pub brand: Brand,
    pub base_url: String,
    pub origin: String,
}

/// A file of an exported log; `path` is relative to the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    pub path: String,
    pub bytes: Bytes,
    pub overwrite_rule: OverwriteRule,
}

/// When an existing file may be overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverwriteRule {
    /// Never: the file does not change.
    Never,
    /// Only by content that begins with the existing content, or with the same heads under new signatures
    /// because a key was compromised.
    AppendOnly,
    /// Always: the file states how things are now.
    Always,
    /// Only by a checkpoint that is not older.
    NewerCheckpoint,
}

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    Write,
    /// The file exists with the same content.
    Keep,
}

/// How much was exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ExportSummary {
    pub batches: u64,
    pub tree_size: u64,
    pub files: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the log cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error(
        "the log fails verification and is not exported: {0}. Run `wayleave log fsck` for details"
    )]
    Log(#[from] AuditFault),
    #[error("signing failed: {0}")]
    Proof(#[from] ProofError),
    #[error("batch {0} of the log is missing")]
    Missing(u64),
    /// The folder contains something else: an export never rewrites a mirror.
    #[error("{path} contradicts the log: {why}. It was not overwritten")]
    Conflict { path: String, why: String },
    #[error("{path} cannot be written: {why}")]
    Write { path: String, why: String },
}

impl ExportFile {
    /// What to do with the file, given the existing content at its path.
    pub fn action(&self, existing: Option<&[u8]>) -> Result<FileAction, ExportError> {
        let Some(existing) = existing else { return Ok(FileAction::Write) };
        if existing == self.bytes {
            return Ok(FileAction::Keep);
        }
        let conflict =
            |why: &str| Err(ExportError::Conflict { path: self.path.clone(), why: why.to_owned() });
        match self.overwrite_rule {
            OverwriteRule::Never => conflict("its content differs, and such a file never changes"),
            OverwriteRule::AppendOnly if self.bytes.starts_with(existing) => Ok(FileAction::Write),
            OverwriteRule::AppendOnly if states_same_heads(existing, &self.bytes) => {
                Ok(FileAction::Write)
            }
            OverwriteRule::AppendOnly if existing.starts_with(&self.bytes) => conflict(
                "it is longer than the log: the log was restored from an old copy, or truncated",
            ),
            OverwriteRule::AppendOnly => {
                conflict("its content differs: it belongs to a different history")
            }
            OverwriteRule::Always => Ok(FileAction::Write),
            OverwriteRule::NewerCheckpoint => {
                match (checkpoint_size(existing), checkpoint_size(&self.bytes)) {
                    (Some(old), Some(new)) if old <= new => Ok(FileAction::Write),
                    (Some(_), _) => conflict("it is the checkpoint of a longer log"),
                    (None, _) => conflict("it is not a checkpoint"),
                }
            }
        }
    }
}

/// Whether the new file of heads begins with the heads of the existing one.
fn states_same_heads(existing: &[u8], new: &[u8]) -> bool {
    let digests = |file: &[u8]| -> Option<Vec<String>> {
        let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let digest = |line: &[u8]| {
            let head = proof::canonical::parse_strict(line).ok()?;
            let stated = head.get("sha256")?.as_str()?.to_owned();
            let computed = proof::canonical::document_digest(head.as_object()?).ok()?.to_hex();
            (stated == computed).then_some(stated)
        };
        lines.map(digest).collect()
    };
    match (digests(existing), digests(new)) {
        (Some(existing), Some(new)) => new.starts_with(&existing),
        _ => false,
    }
}

fn checkpoint_size(note: &[u8]) -> Option<u64> {
    Some(Checkpoint::parse(Note::parse(note).ok()?.text()).ok()?.size())
}

/// Passes every file of the log to `put`. An error from `put` ends the export.
pub async fn export_log(
    request: ExportRequest<'_>,
    put: &mut (dyn FnMut(ExportFile) -> Result<(), ExportError> + Send),
) -> Result<ExportSummary, ExportError> {
    let ExportRequest { store, keys, clock, brand, base_url, origin } = request;
    let (directory, rotation) = (keys.directory(&brand), keys.rotation_record(&brand));
    let now = clock.now();
    let issuer = Issuer::new(brand.clone(), &base_url);
    let keys = SigningKeys::new(keys, issuer, Arc::clone(&clock));
    // Whether the key was ours is for the reader to verify: the folder contains the key directory.
    let audit = LogAudit::new(KeyPolicy::without_directory(), brand.clone());
    let mut walk = Exporter {
        audit,
        heads: Vec::new(),
        entries: Vec::new(),
        summary: ExportSummary::default(),
    };
    let last = store.last_batch().await?;
    let mut newest = None;
    for number in 0..last.map_or(0, |last| last.batch.saturating_add(1)) {
        let stored = store.batch(number).await?.ok_or(ExportError::Missing(number))?;
        let contents = store.log_entries(stored.first_index, stored.leaves.len()).await?;
        let mut full = Vec::new();
        walk.audit.check_batch_with_tiles(
            &stored.sth,
            &stored.leaves,
            Some(&contents),
            &mut full,
        )?;
        for tile in full {
            let kind = TileKind::Hashes { level: tile.level };
            let width = TILE_WIDTH as u16;
            walk.put_tile(TileFile { kind, index: tile.index, width }, tile.hashes, put)?;
        }
        walk.add_entries(contents, put)?;
        let sth = keys.resign_if_compromised(stored.sth)?;
        walk.add_head(number, &sth, put)?;
        newest = Some(sth);
    }
    walk.put_partial_tiles(put)?;
    walk.put_heads_file(put)?;
    let newest = newest.map(SignedTreeHead::parse).transpose()?;
    let current = |path: &str, bytes: Vec<u8>, rule| ExportFile {
        path: path.to_owned(),
        bytes: Bytes::from(bytes),
        overwrite_rule: rule,
    };
    walk.put_file(
        current("keys.json", directory.to_string().into_bytes(), OverwriteRule::Always),
        put,
    )?;
    walk.put_file(
        current("rotation.json", rotation.to_string().into_bytes(), OverwriteRule::Always),
        put,
    )?;
    let inputs = LogRecordInputs {
        keys: &keys,
        brand: &brand,
        base_url: &base_url,
        settings: &LogSettings::new(origin.clone()),
        now,
        contradictions: store.contradicting_heads().await?.len() as u64,
    };
    let record = serde_json::to_value(inputs.build_record(newest.as_ref())?)
        .map_err(|e| ProofError::NotCanonical(e.to_string()))?;
    let record = keys.sign_value(record, KeyPurpose::Documents)?.bytes;
    walk.put_file(current("log.json", record, OverwriteRule::Always), put)?;
    if let Some(head) = &newest {
        let note = sign_checkpoint(&keys, head, &origin)?.to_string();
        walk.put_file(
            current("checkpoint", note.into_bytes(), OverwriteRule::NewerCheckpoint),
            put,
        )?;
    }
    Ok(walk.summary)
}

type PutFile<'a> = dyn FnMut(ExportFile) -> Result<(), ExportError> + Send + 'a;

/// The export in progress.
struct Exporter {
    audit: LogAudit,
    /// Lines of the current file of heads.
    heads: Vec<u8>,
    /// Contents of the current entry bundle.
    entries: Vec<Bytes>,
    summary: ExportSummary,
}

impl Exporter {
    fn put_file(&mut self, file: ExportFile, put: &mut PutFile<'_>) -> Result<(), ExportError> {
        self.summary.files += 1;
        put(file)
    }

    fn put_tile(
        &mut self,
        file: TileFile,
        bytes: Vec<u8>,
        put: &mut PutFile<'_>,
    ) -> Result<(), ExportError> {
        let path = file.to_string();
        self.put_file(
            ExportFile { path, bytes: Bytes::from(bytes), overwrite_rule: OverwriteRule::Never },
            put,
        )
    }

    fn add_entries(
        &mut self,
        contents: Vec<Bytes>,
        put: &mut PutFile<'_>,
    ) -> Result<(), ExportError> {
        let mut index = self.summary.tree_size / TILE_WIDTH;
        self.summary.tree_size += contents.len() as u64;
        for content in contents {
            self.entries.push(content);
            if self.entries.len() as u64 == TILE_WIDTH {
                self.put_bundle(index, put)?;
                index += 1;
            }
        }
        Ok(())
    }

    fn put_bundle(&mut self, index: u64, put: &mut PutFile<'_>) -> Result<(), ExportError> {
        let entries = std::mem::take(&mut self.entries);
        // `None` if there are no entries; there are never more than a tile has.
        let Some(bytes) = encode_entry_bundle(&entries) else { return Ok(()) };
        let file = TileFile { kind: TileKind::Entries, index, width: entries.len() as u16 };
        self.put_tile(file, bytes, put)
    }

    fn put_partial_tiles(&mut self, put: &mut PutFile<'_>) -> Result<(), ExportError> {
        self.put_bundle(self.summary.tree_size / TILE_WIDTH, put)?;
        let edge = self.audit.right_edge().clone();
        let mut hashes = edge.size();
        for level in 0..edge.levels() {
            let partial = edge.partial_tile(level);
            if !partial.is_empty() {
                let kind = TileKind::Hashes { level };
                let (index, width) = (hashes / TILE_WIDTH, partial.len() as u16);
                self.put_tile(TileFile { kind, index, width }, encode_tile_hashes(partial), put)?;
            }
            hashes /= TILE_WIDTH;
        }
        Ok(())
    }

    fn add_head(
        &mut self,
        batch: u64,
        sth: &[u8],
        put: &mut PutFile<'_>,
    ) -> Result<(), ExportError> {
        self.heads.extend_from_slice(sth);
        self.heads.push(b'\n');
        self.summary.batches = batch + 1;
        if (batch + 1).is_multiple_of(HEADS_PER_FILE) { self.put_heads_file(put) } else { Ok(()) }
    }

    fn put_heads_file(&mut self, put: &mut PutFile<'_>) -> Result<(), ExportError> {
        let bytes = std::mem::take(&mut self.heads);
        if bytes.is_empty() {
            return Ok(());
        }
        let first = (self.summary.batches - 1) / HEADS_PER_FILE * HEADS_PER_FILE;
        let path = format!("sths/{first:09}.jsonl");
        self.put_file(
            ExportFile {
                path,
                bytes: Bytes::from(bytes),
                overwrite_rule: OverwriteRule::AppendOnly,
            },
            put,
        )
    }
}

#[cfg(test)]
mod tests;
