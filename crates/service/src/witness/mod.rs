//! A witness (C2SP tlog-witness): it cosigns a log's checkpoint if the log only grew since the last
//! one it cosigned.
//!
//! What it cosigned is on the disk before the signature leaves the house, and requests are decided one
//! after the other: two that race never get two heads of one size, and a crash forgets nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Clock, Timestamp};
use proof::keys::PrivateDir;
use proof::tlog::witness::{Decision, KnownLog, Request, SIZE_MEDIA_TYPE, WitnessState, decide};
use proof::tlog::{Checkpoint, Note, SignatureType, VerifierKey, cosign};
use proof::{Digest, KeyPurpose, KeyStore, ProofError, sha256};
use serde::{Deserialize, Serialize};

/// Where the witness's own key is, inside its directory.
const KEYS_FOLDER: &str = "keys";
/// Where it keeps what it cosigned.
const LOGS_FOLDER: &str = "logs";
/// A checkpoint has three short lines. One that could not be kept is not cosigned.
const MAX_CHECKPOINT_BYTES: usize = 4_096;
/// Of a log's own signatures that are kept with a checkpoint.
const MAX_OWN_SIGNATURES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error("{0} is no key of a log: a log signs with Ed25519 (type 1)")]
    NotALogKey(String),
    #[error("the state of {origin} cannot be used: {why}")]
    State { origin: String, why: String },
}

/// What is answered to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessReply {
    pub status: u16,
    pub media_type: &'static str,
    pub body: String,
}

/// A witness of the logs it was told of.
#[derive(Debug)]
pub struct Witness {
    name: String,
    keys: KeyStore,
    clock: Arc<dyn Clock>,
    /// Held while a request is decided and its outcome kept.
    ledger: Mutex<Ledger>,
}

#[derive(Debug)]
struct Ledger {
    /// Also the lock that keeps a second process out.
    dir: PrivateDir,
    logs: BTreeMap<String, Witnessed>,
}

#[derive(Debug)]
struct Witnessed {
    log: KnownLog,
    /// The last checkpoint with our cosignature.
    cosigned: Option<String>,
}

/// What is kept of a log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u8,
    origin: String,
    size: u64,
    root: Digest,
    checkpoint: String,
}

impl Witness {
    /// Opens the witness in `dir`, with its key made at the first start. Waits for another process
    /// that has it open to end.
    pub fn open(
        dir: &Path,
        name: &str,
        keys_of_logs: Vec<VerifierKey>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, WitnessError> {
        // A name that a note cannot carry is refused before anything is made.
        let keys = KeyStore::open(&dir.join(KEYS_FOLDER), clock.now())?;
        let mut logs: BTreeMap<String, Witnessed> = BTreeMap::new();
        let ledger_dir = PrivateDir::open(&dir.join(LOGS_FOLDER))?;
        for key in keys_of_logs {
            if key.kind() != SignatureType::Ed25519 {
                return Err(WitnessError::NotALogKey(key.to_string()));
            }
            // A log's key is named after its origin.
            let origin = key.name().to_owned();
            if let Some(known) = logs.get_mut(&origin) {
                known.log.keys.push(key);
                continue;
            }
            let kept = read_kept(&ledger_dir, dir, &origin)?;
            let state = kept.as_ref().map_or_else(WitnessState::empty, |kept| WitnessState {
                size: kept.size,
                root: kept.root,
            });
            let log = KnownLog { origin: origin.clone(), keys: vec![key], state };
            logs.insert(origin, Witnessed { log, cosigned: kept.map(|kept| kept.checkpoint) });
        }
        let witness = Self {
            name: name.to_owned(),
            keys,
            clock,
            ledger: Mutex::new(Ledger { dir: ledger_dir, logs }),
        };
        witness.verifier_key()?;
        Ok(witness)
    }

    /// What others check our cosignatures by.
    pub fn verifier_key(&self) -> Result<VerifierKey, ProofError> {
        let key = self.keys.signer(KeyPurpose::LogHeads, self.now())?;
        VerifierKey::new(&self.name, SignatureType::Cosignature, key.public().clone())
    }

    fn now(&self) -> Timestamp {
        self.clock.now().whole_seconds()
    }

    /// Answers `add-checkpoint`. Writes to the disk: not for the loop that serves everybody.
    #[must_use]
    pub fn add_checkpoint(&self, body: &[u8]) -> WitnessReply {
        let Ok(request) = Request::parse(body) else {
            return refusal(400, "this is no request to a witness");
        };
        if request.note().text().len() > MAX_CHECKPOINT_BYTES {
            return refusal(400, "the checkpoint is too long");
        }
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ledger.logs.get(request.checkpoint().origin()).map(|known| &known.log);
        let decision = decide(&request, known);
        let status = decision.status();
        match decision {
            Decision::Cosign(state) => self.cosign(&request, state, &mut ledger),
            Decision::Conflict { size } => {
                WitnessReply { status, media_type: SIZE_MEDIA_TYPE, body: format!("{size}\n") }
            }
            Decision::UnknownOrigin => refusal(status, "this log is not known here"),
            Decision::BadSignature => refusal(status, "no known key of the log has signed it"),
            Decision::BadProof => refusal(status, "the proof does not lead from the old tree"),
            Decision::BadRequest => refusal(status, "the old size is above the new one"),
        }
    }

    fn cosign(&self, request: &Request, state: WitnessState, ledger: &mut Ledger) -> WitnessReply {
        let failed = |why: String| {
            tracing::error!(%why, "a checkpoint was not cosigned");
            refusal(500, "the witness could not keep or sign it")
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
            return refusal(404, "this log is not known here");
        };
        let line = signature.to_string();
        let kept = Kept {
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
        // First the disk, then the memory, then the answer.
        let written = serde_json::to_vec(&kept).map_err(|e| e.to_string()).and_then(|bytes| {
            let name = file_name(checkpoint.origin());
            ledger.dir.write(&name, &bytes).map_err(|e| e.to_string())
        });
        if let Err(why) = written {
            return failed(why);
        }
        known.log.state = state;
        known.cosigned = Some(kept.checkpoint);
        WitnessReply { status: 200, media_type: "text/plain; charset=utf-8", body: line }
    }

    /// The last checkpoint that was cosigned, by the SHA-256 of its log's origin in hexadecimal.
    #[must_use]
    pub fn checkpoint(&self, origin_sha256: &str) -> Option<String> {
        let wanted: Digest = origin_sha256.parse().ok()?;
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let mut logs = ledger.logs.iter();
        let found = logs.find(|(origin, _)| sha256(origin.as_bytes()) == wanted);
        found.and_then(|(_, known)| known.cosigned.clone())
    }
}

/// The path below a witness's address at which its last checkpoint of a log is read.
#[must_use]
pub fn checkpoint_path(origin: &str) -> String {
    format!("/{}/checkpoint", sha256(origin.as_bytes()))
}

fn refusal(status: u16, why: &str) -> WitnessReply {
    WitnessReply { status, media_type: "text/plain; charset=utf-8", body: format!("{why}\n") }
}

fn file_name(origin: &str) -> String {
    format!("{}.json", sha256(origin.as_bytes()))
}

/// The signature lines of the log itself; those of strangers are not passed on.
fn own_signatures(note: &Note, keys: &[VerifierKey]) -> String {
    let own = note
        .signatures()
        .iter()
        .filter(|line| keys.iter().any(|key| (key.name(), key.id()) == (line.name(), line.id())));
    own.take(MAX_OWN_SIGNATURES).map(ToString::to_string).collect()
}

fn read_kept(ledger: &PrivateDir, dir: &Path, origin: &str) -> Result<Option<Kept>, WitnessError> {
    let name = file_name(origin);
    if !dir.join(LOGS_FOLDER).join(&name).exists() {
        return Ok(None);
    }
    let bytes = ledger.read(&name)?;
    let bad = |why: &str| WitnessError::State { origin: origin.to_owned(), why: why.to_owned() };
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|e| bad(&e.to_string()))?;
    // A state that is not what was signed would make the witness contradict itself.
    let checkpoint = Note::parse(kept.checkpoint.as_bytes())
        .and_then(|note| Checkpoint::parse(note.text()))
        .map_err(|e| bad(&e.to_string()))?;
    let stated = (checkpoint.origin(), checkpoint.size(), checkpoint.root());
    if kept.v != 1 || stated != (origin, kept.size, kept.root) {
        return Err(bad("it is not that of its checkpoint"));
    }
    Ok(Some(kept))
}
