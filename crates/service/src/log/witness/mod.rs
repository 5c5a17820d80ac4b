//! A witness (C2SP tlog-witness): it cosigns a log's checkpoint if the log only grew since the last
//! checkpoint it cosigned.
//!
//! What it cosigned is on disk before the signature is sent, and requests are decided one after the
//! other. So two concurrent requests never get two heads of one size, and a crash forgets nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Clock, Timestamp};
use proof::keys::PrivateDir;
use proof::tlog::witness::{
    KnownLog, SIZE_MEDIA_TYPE, WitnessDecision, WitnessRequest, WitnessState, decide_cosignature,
};
use proof::tlog::{Checkpoint, Note, SignatureType, VerifierKey, cosign};
use proof::{Digest, KeyPurpose, KeyStore, ProofError, sha256};
use serde::{Deserialize, Serialize};

/// The folder of the witness's own keys, inside its directory.
const KEYS_FOLDER: &str = "keys";
/// The folder of what it cosigned, inside its directory.
const LOGS_FOLDER: &str = "logs";
/// A checkpoint has three short lines. A longer one is refused.
const MAX_CHECKPOINT_BYTES: usize = 4_096;
/// How many of a log's own signatures are stored with a checkpoint.
const MAX_OWN_SIGNATURES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error("{0} is not the key of a log: a log signs with Ed25519 (type 1)")]
    NotALogKey(String),
    #[error("the stored state of {origin} cannot be used: {why}")]
    State { origin: String, why: String },
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessReply {
    pub status: u16,
    pub media_type: &'static str,
    pub body: String,
}

/// A witness of the configured logs.
#[derive(Debug)]
pub struct Witness {
    name: String,
    keys: KeyStore,
    clock: Arc<dyn Clock>,
    /// Locked while a request is decided and its result is written to disk.
    ledger: Mutex<WitnessLedger>,
}

#[derive(Debug)]
struct WitnessLedger {
    /// Also the lock against a second process.
    dir: PrivateDir,
    logs: BTreeMap<String, WitnessedLog>,
}

#[derive(Debug)]
struct WitnessedLog {
    log: KnownLog,
    /// The last checkpoint with our cosignature.
    cosigned: Option<String>,
}

/// The file that the witness stores for each log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCheckpoint {
    v: u8,
    origin: String,
    size: u64,
    root: Digest,
    checkpoint: String,
}

impl Witness {
    /// Opens the witness in `dir`; creates its key at the first start. If another process has it open,
    /// waits until that process ends.
    pub fn open(
        dir: &Path,
        name: &str,
        keys_of_logs: Vec<VerifierKey>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, WitnessError> {
        let keys = KeyStore::open(&dir.join(KEYS_FOLDER), clock.now())?;
        let mut logs: BTreeMap<String, WitnessedLog> = BTreeMap::new();
        let ledger_dir = PrivateDir::open(&dir.join(LOGS_FOLDER))?;
        for key in keys_of_logs {
            if key.kind() != SignatureType::Ed25519 {
                return Err(WitnessError::NotALogKey(key.to_string()));
            }
            // The name of a log's key is the log's origin.
            let origin = key.name().to_owned();
            if let Some(known) = logs.get_mut(&origin) {
                known.log.keys.push(key);
                continue;
            }
            let stored = read_stored(&ledger_dir, dir, &origin)?;
            let state = stored.as_ref().map_or_else(WitnessState::empty, |stored| WitnessState {
                size: stored.size,
                root: stored.root,
            });
            let log = KnownLog { origin: origin.clone(), keys: vec![key], state };
            logs.insert(
                origin,
                WitnessedLog { log, cosigned: stored.map(|stored| stored.checkpoint) },
            );
        }
        let witness = Self {
            name: name.to_owned(),
            keys,
            clock,
            ledger: Mutex::new(WitnessLedger { dir: ledger_dir, logs }),
        };
        witness.verifier_key()?;
        Ok(witness)
    }

    /// The key that others verify our cosignatures with.
    pub fn verifier_key(&self) -> Result<VerifierKey, ProofError> {
        let key = self.keys.signer(KeyPurpose::LogHeads, self.now())?;
        VerifierKey::new(&self.name, SignatureType::Cosignature, key.public().clone())
    }

    fn now(&self) -> Timestamp {
        self.clock.now().whole_seconds()
    }

    /// Handles `add-checkpoint`. Writes to disk: do not call it on an async worker thread.
    #[must_use]
    pub fn add_checkpoint(&self, body: &[u8]) -> WitnessReply {
        let Ok(request) = WitnessRequest::parse(body) else {
            return text_reply(400, "this is not a witness request");
        };
        if request.note().text().len() > MAX_CHECKPOINT_BYTES {
            return text_reply(400, "the checkpoint is too long");
        }
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ledger.logs.get(request.checkpoint().origin()).map(|known| &known.log);
        let decision = decide_cosignature(&request, known);
        let status = decision.status();
        match decision {
            WitnessDecision::Cosign(state) => self.cosign(&request, state, &mut ledger),
            WitnessDecision::Conflict { size } => {
                WitnessReply { status, media_type: SIZE_MEDIA_TYPE, body: format!("{size}\n") }
            }
            WitnessDecision::UnknownOrigin => {
                text_reply(status, "this witness does not know the log")
            }
            WitnessDecision::BadSignature => {
                text_reply(status, "the checkpoint is not signed by a known key of the log")
            }
            WitnessDecision::BadProof => text_reply(status, "the consistency proof is not valid"),
            WitnessDecision::BadRequest => {
                text_reply(status, "the old size is larger than the new one")
            }
        }
    }

    fn cosign(
        &self,
        request: &WitnessRequest,
        state: WitnessState,
        ledger: &mut WitnessLedger,
    ) -> WitnessReply {
        let failed = |why: String| {
            tracing::error!(%why, "a checkpoint was not cosigned");
            text_reply(500, "the witness could not sign or store the checkpoint")
        };
        let checkpoint = request.checkpoint();
        let signature = self
            .keys
            .signer(KeyPurpose::LogHeads, self.now())
            .and_then(|key| cosign(checkpoint, &self.name, &key, self.now()));
        let signature = match signature {
            Ok(signature) => signature,
            Err(error) => return failed(error.to_string()),
        };
        let Some(known) = ledger.logs.get_mut(checkpoint.origin()) else {
            return text_reply(404, "this witness does not know the log");
        };
        let line = signature.to_string();
        let stored = StoredCheckpoint {
            v: 1,
            origin: checkpoint.origin().to_owned(),
            size: state.size,
            root: state.root,
            checkpoint: format!(
                "{}\n{}{line}",
                request.note().text(),
                own_signatures(request.note(), &known.log.keys)
            ),
        };
        // First to disk, then to memory, then the response.
        let written = serde_json::to_vec(&stored).map_err(|e| e.to_string()).and_then(|bytes| {
            let name = state_file_name(checkpoint.origin());
            ledger.dir.write(&name, &bytes).map_err(|e| e.to_string())
        });
        if let Err(why) = written {
            return failed(why);
        }
        known.log.state = state;
        known.cosigned = Some(stored.checkpoint);
        WitnessReply { status: 200, media_type: "text/plain; charset=utf-8", body: line }
    }

    /// The last cosigned checkpoint of the log whose origin has this SHA-256 (hexadecimal).
    #[must_use]
    pub fn checkpoint(&self, origin_sha256: &str) -> Option<String> {
        let wanted: Digest = origin_sha256.parse().ok()?;
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let mut logs = ledger.logs.iter();
        let found = logs.find(|(origin, _)| sha256(origin.as_bytes()) == wanted);
        found.and_then(|(_, known)| known.cosigned.clone())
    }
}

/// The path, below a witness's URL, of its last checkpoint of a log.
#[must_use]
pub fn checkpoint_path(origin: &str) -> String {
    format!("/{}/checkpoint", sha256(origin.as_bytes()))
}

fn text_reply(status: u16, why: &str) -> WitnessReply {
    WitnessReply { status, media_type: "text/plain; charset=utf-8", body: format!("{why}\n") }
}

fn state_file_name(origin: &str) -> String {
    format!("{}.json", sha256(origin.as_bytes()))
}

/// The signature lines of the log itself; lines by other signers are dropped.
fn own_signatures(note: &Note, keys: &[VerifierKey]) -> String {
    let own = note
        .signatures()
        .iter()
        .filter(|line| keys.iter().any(|key| (key.name(), key.id()) == (line.name(), line.id())));
    own.take(MAX_OWN_SIGNATURES).map(ToString::to_string).collect()
}

fn read_stored(
    ledger: &PrivateDir,
    dir: &Path,
    origin: &str,
) -> Result<Option<StoredCheckpoint>, WitnessError> {
    let name = state_file_name(origin);
    if !dir.join(LOGS_FOLDER).join(&name).exists() {
        return Ok(None);
    }
    let bytes = ledger.read(&name)?;
    let bad = |why: &str| WitnessError::State { origin: origin.to_owned(), why: why.to_owned() };
    let stored: StoredCheckpoint =
        serde_json::from_slice(&bytes).map_err(|e| bad(&e.to_string()))?;
    // With a state that differs from the signed checkpoint the witness would contradict itself.
    let checkpoint = Note::parse(stored.checkpoint.as_bytes())
        .and_then(|note| Checkpoint::parse(note.text()))
        .map_err(|e| bad(&e.to_string()))?;
    let stated = (checkpoint.origin(), checkpoint.size(), checkpoint.root());
    if stored.v != 1 || stated != (origin, stored.size, stored.root) {
        return Err(bad("it does not match its checkpoint"));
    }
    Ok(Some(stored))
}
