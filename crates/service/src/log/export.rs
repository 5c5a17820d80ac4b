//! The log as files that anybody can keep and serve: heads, tiles, entries, keys, the newest
//! checkpoint.
//!
//! The files are made from the leaves and contents, not copied from the kept tiles, and every head is
//! verified on the way: a log that does not hold is not exported. They come in an order in which a
//! copy that breaks off is a whole copy of less: what a file refers to stands before it, and the
//! checkpoint comes last.

use std::sync::Arc;

use bytes::Bytes;
use contract::{Brand, Clock};
use proof::audit::{AuditFault, LogAudit};
use proof::tlog::{Checkpoint, Note, TILE_WIDTH, TileFile, TileKind, encode_bundle, encode_hashes};
use proof::{KeyPolicy, KeyPurpose, KeyStore, ProofError};
use store::{Store, StoreError};

use super::LogSettings;
use super::shown::About;
use super::view::SealedHead;
use crate::keys::{Keys, Signer};

/// Heads in one file.
pub const HEADS_IN_A_FILE: u64 = 1000;

/// What a log is exported from.
#[derive(Debug)]
pub struct ExportAsk<'a> {
    pub store: &'a dyn Store,
    pub keys: KeyStore,
    pub clock: Arc<dyn Clock>,
    pub brand: Brand,
    pub base_url: String,
    pub origin: String,
}

/// A file of an exported log, by its path below the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    pub path: String,
    pub bytes: Bytes,
    pub rule: Rule,
}

/// What may be done where there is such a file already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It never changes.
    Fixed,
    /// What is there is how it begins.
    Grows,
    /// It says how things are now.
    Current,
    /// The same, and nothing older than what is there.
    Checkpoint,
}

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    Write,
    /// It is there.
    Keep,
}

/// What was exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Exported {
    pub batches: u64,
    pub tree_size: u64,
    pub files: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the log cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error("the log does not hold, and is not exported: {0}. `wayleave log fsck` tells more")]
    Log(#[from] AuditFault),
    #[error("it cannot be signed: {0}")]
    Proof(#[from] ProofError),
    #[error("batch {0} of the log is missing")]
    Missing(u64),
    /// The folder holds something else: a mirror never rewrites.
    #[error("{path} is not what the log says: {why}. It is left as it is")]
    Conflict { path: String, why: String },
    #[error("{path} cannot be written: {why}")]
    Write { path: String, why: String },
}

impl ExportFile {
    /// Whether it is to be written over what is there.
    pub fn placing(&self, there: Option<&[u8]>) -> Result<Placing, ExportError> {
        let Some(there) = there else { return Ok(Placing::Write) };
        if there == self.bytes {
            return Ok(Placing::Keep);
        }
        let conflict =
            |why: &str| Err(ExportError::Conflict { path: self.path.clone(), why: why.to_owned() });
        match self.rule {
            Rule::Fixed => conflict("it differs, and such a file never changes"),
            Rule::Grows if self.bytes.starts_with(there) => Ok(Placing::Write),
            Rule::Grows if there.starts_with(&self.bytes) => {
                conflict("it goes on where the log ends: the log was put back, or cut")
            }
            Rule::Grows => conflict("it begins differently: it is of another history"),
            Rule::Current => Ok(Placing::Write),
            Rule::Checkpoint => match (size(there), size(&self.bytes)) {
                (Some(old), Some(new)) if old <= new => Ok(Placing::Write),
                (Some(_), _) => conflict("it is of a longer log"),
                (None, _) => conflict("it is no checkpoint"),
            },
        }
    }
}

fn size(note: &[u8]) -> Option<u64> {
    Some(Checkpoint::parse(Note::parse(note).ok()?.text()).ok()?.size())
}

/// Gives every file of the log to `put`, which says whether to go on.
pub async fn export(
    ask: ExportAsk<'_>,
    put: &mut (dyn FnMut(ExportFile) -> Result<(), ExportError> + Send),
) -> Result<Exported, ExportError> {
    let ExportAsk { store, keys, clock, brand, base_url, origin } = ask;
    let (directory, rotation) = (keys.directory(&brand), keys.rotation_record(&brand));
    let now = clock.now();
    let keys = Arc::new(Keys::new(keys, brand.clone(), base_url.clone(), now));
    let signer = Signer::new(keys, clock, &base_url);
    // Whose key it was is for whoever verifies: the folder holds the directory for it.
    let audit = LogAudit::new(KeyPolicy::without_directory(), brand.clone());
    let mut walk =
        Walk { audit, heads: Vec::new(), entries: Vec::new(), done: Exported::default() };
    let last = store.last_batch().await?;
    let mut newest = None;
    for number in 0..last.map_or(0, |last| last.batch.saturating_add(1)) {
        let kept = store.batch(number).await?.ok_or(ExportError::Missing(number))?;
        let contents = store.log_entries(kept.first_index, kept.leaves.len()).await?;
        let mut full = Vec::new();
        walk.audit.next_with_tiles(&kept.sth, &kept.leaves, Some(&contents), &mut full)?;
        for tile in full {
            let kind = TileKind::Hashes { level: tile.level };
            let width = TILE_WIDTH as u16;
            walk.tile(TileFile { kind, index: tile.index, width }, tile.hashes, put)?;
        }
        walk.entries(contents, put)?;
        walk.head(number, &kept.sth, put)?;
        newest = Some(kept.sth);
    }
    walk.partial_tiles(put)?;
    walk.heads_file(put)?;
    let newest = newest.map(SealedHead::read).transpose()?;
    let current = |path: &str, bytes: Vec<u8>, rule| ExportFile {
        path: path.to_owned(),
        bytes: Bytes::from(bytes),
        rule,
    };
    walk.put(current("keys.json", directory.to_string().into_bytes(), Rule::Current), put)?;
    walk.put(current("rotation.json", rotation.to_string().into_bytes(), Rule::Current), put)?;
    let about = About {
        signer: &signer,
        brand: &brand,
        base_url: &base_url,
        log: &LogSettings::new(origin.clone()),
        now,
        contradictions: store.sightings().await?.len() as u64,
    };
    let record = serde_json::to_value(about.describe(newest.as_ref())?)
        .map_err(|e| ProofError::NotCanonical(e.to_string()))?;
    let record = signer.sign_value(record, KeyPurpose::Documents)?.bytes;
    walk.put(current("log.json", record, Rule::Current), put)?;
    if let Some(head) = &newest {
        let note = signed_checkpoint(&signer, head, &origin)?.to_string();
        walk.put(current("checkpoint", note.into_bytes(), Rule::Checkpoint), put)?;
    }
    Ok(walk.done)
}

/// A head as a checkpoint, signed by the log-heads key of the moment.
pub(crate) fn signed_checkpoint(
    signer: &Signer,
    head: &SealedHead,
    origin: &str,
) -> Result<Note, ProofError> {
    let root = head
        .tree_root
        .ok_or_else(|| ProofError::Head("it has no root over all leaves of the log".to_owned()))?;
    let checkpoint = Checkpoint::new(origin, head.chain.tree_size, root)?;
    let key = signer.key(KeyPurpose::LogHeads)?;
    Note::sign(&checkpoint.text(), origin, &key)
}

type Put<'a> = dyn FnMut(ExportFile) -> Result<(), ExportError> + Send + 'a;

struct Walk {
    audit: LogAudit,
    /// Lines of the file of heads that is being made.
    heads: Vec<u8>,
    /// Contents of the bundle that is being made.
    entries: Vec<Bytes>,
    done: Exported,
}

impl Walk {
    fn put(&mut self, file: ExportFile, put: &mut Put<'_>) -> Result<(), ExportError> {
        self.done.files += 1;
        put(file)
    }

    fn tile(
        &mut self,
        file: TileFile,
        bytes: Vec<u8>,
        put: &mut Put<'_>,
    ) -> Result<(), ExportError> {
        let path = file.to_string();
        self.put(ExportFile { path, bytes: Bytes::from(bytes), rule: Rule::Fixed }, put)
    }

    fn entries(&mut self, contents: Vec<Bytes>, put: &mut Put<'_>) -> Result<(), ExportError> {
        let mut index = self.done.tree_size / TILE_WIDTH;
        self.done.tree_size += contents.len() as u64;
        for content in contents {
            self.entries.push(content);
            if self.entries.len() as u64 == TILE_WIDTH {
                self.bundle(index, put)?;
                index += 1;
            }
        }
        Ok(())
    }

    fn bundle(&mut self, index: u64, put: &mut Put<'_>) -> Result<(), ExportError> {
        let entries = std::mem::take(&mut self.entries);
        // No more than a tile is wide; none is none.
        let Some(bytes) = encode_bundle(&entries) else { return Ok(()) };
        let file = TileFile { kind: TileKind::Entries, index, width: entries.len() as u16 };
        self.tile(file, bytes, put)
    }

    fn partial_tiles(&mut self, put: &mut Put<'_>) -> Result<(), ExportError> {
        self.bundle(self.done.tree_size / TILE_WIDTH, put)?;
        let edge = self.audit.edge().clone();
        let mut hashes = edge.size();
        for level in 0..edge.levels() {
            let partial = edge.partial(level);
            if !partial.is_empty() {
                let kind = TileKind::Hashes { level };
                let (index, width) = (hashes / TILE_WIDTH, partial.len() as u16);
                self.tile(TileFile { kind, index, width }, encode_hashes(partial), put)?;
            }
            hashes /= TILE_WIDTH;
        }
        Ok(())
    }

    fn head(&mut self, batch: u64, sth: &[u8], put: &mut Put<'_>) -> Result<(), ExportError> {
        self.heads.extend_from_slice(sth);
        self.heads.push(b'\n');
        self.done.batches = batch + 1;
        if (batch + 1).is_multiple_of(HEADS_IN_A_FILE) { self.heads_file(put) } else { Ok(()) }
    }

    fn heads_file(&mut self, put: &mut Put<'_>) -> Result<(), ExportError> {
        let bytes = std::mem::take(&mut self.heads);
        if bytes.is_empty() {
            return Ok(());
        }
        let first = (self.done.batches - 1) / HEADS_IN_A_FILE * HEADS_IN_A_FILE;
        let path = format!("sths/{first:09}.jsonl");
        self.put(ExportFile { path, bytes: Bytes::from(bytes), rule: Rule::Grows }, put)
    }
}

#[cfg(test)]
mod tests;
