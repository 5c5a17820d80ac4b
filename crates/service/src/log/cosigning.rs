//! Asking witnesses to cosign the log. Each checkpoint is sent to every witness in the background;
//! answers do not wait for it.
//!
//! If our store was restored from an old copy, a witness knows more of the log than we do. When it
//! shows a checkpoint that our own key signed and that contradicts this log, the log is halted. A
//! refusal without such a checkpoint does not halt it: a witness must not be able to stop a log by a
//! lie. The witnesses are asked for their checkpoint also before the first signature after a start.

use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use door::operator::{Call, CallResponse};
use proof::tlog::witness::{WitnessRequest, parse_cosignatures, parse_size};
use proof::tlog::{Checkpoint, MAX_NOTE_BYTES, Note, SignatureType, VerifierKey};
use proof::{Digest, ProofError};
use store::Cosignature;

use super::errors::{LogFault, SealError};
use super::log_end::restore_edge;
use super::snapshot::{LogSnapshot, SignedTreeHead};
use super::transparency_log::TransparencyLog;
use super::witness::checkpoint_path;
use super::witness_peer::WitnessPeer;

/// How often we check whether the log has grown.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The pause after a failure doubles up to this.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(300);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// How long the start waits for a witness.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// Requests for one checkpoint: the first, one from the size that the witness names, and one more in
/// case another request of ours came in between.
const MAX_REQUESTS_PER_CHECKPOINT: usize = 3;

/// Why a checkpoint was not cosigned.
#[derive(Debug, thiserror::Error)]
enum CosignError {
    /// We try again later.
    #[error("{0}")]
    Retry(String),
    #[error("{0}")]
    Log(#[from] SealError),
    #[error("{0}")]
    Proof(#[from] ProofError),
    /// The witness has a checkpoint that our key signed and that contradicts the log.
    #[error("{0}")]
    Contradicted(String),
}

/// Runs until it is dropped: one loop per witness, so that a slow witness delays no other. They are
/// one task, so that a panic of one ends all and is noticed.
pub(crate) async fn request_cosignatures(log: Arc<TransparencyLog>) {
    let peers = log.settings.witnesses.clone();
    if peers.is_empty() {
        return std::future::pending().await;
    }
    let loops = peers.into_iter().map(|peer| run_witness_loop(Arc::clone(&log), peer));
    futures_util::future::join_all(loops).await;
}

async fn run_witness_loop(log: Arc<TransparencyLog>, peer: WitnessPeer) {
    let mut progress =
        WitnessProgress { cosigned_size: log.last_cosigned_size(&peer).await, stored_size: None };
    let mut failures = 0_u32;
    loop {
        let wait = match log.cosign_newest(&peer, &mut progress).await {
            Ok(()) => {
                if failures > 0 {
                    tracing::info!(witness = peer.key.name(), "the witness cosigns again");
                }
                failures = 0;
                POLL_INTERVAL
            }
            Err(refusal) => {
                failures = failures.saturating_add(1);
                let pause =
                    POLL_INTERVAL.saturating_mul(1 << failures.min(16)).min(MAX_RETRY_PAUSE);
                if let CosignError::Contradicted(why) = &refusal {
                    let why = format!("the witness {}: {why}", peer.key.name());
                    tracing::error!(%why, "ALARM: THE LOG CONTRADICTS A CHECKPOINT THAT OUR KEY SIGNED");
                    log.halt(why);
                } else {
                    tracing::warn!(
                        witness = peer.key.name(), failures, again_in = ?pause, why = %refusal,
                        "the witness did not cosign"
                    );
                }
                metrics::counter!("log_witness_failures_total").increment(1);
                pause
            }
        };
        tokio::time::sleep(wait).await;
    }
}

/// How far a witness has cosigned; kept in memory by the task of that witness.
struct WitnessProgress {
    /// The log size it cosigned last, as far as we know.
    cosigned_size: u64,
    /// The log size whose cosignature we have stored.
    stored_size: Option<u64>,
}

/// What a witness says about the log before it is opened.
enum AtStart {
    /// It has no checkpoint that our key signed.
    Unknown,
    /// Its checkpoint is a part of the log, or all of it.
    Agrees {
        is_end: bool,
    },
    Contradicts(String),
}

/// How a witness answered a request.
enum WitnessResponse {
    Cosigned(Vec<Cosignature>),
    /// Its last checkpoint of our log has this size.
    AtSize(u64),
    /// Its tree at that size has another root.
    DifferentTree,
}

impl TransparencyLog {
    /// The log size that a witness cosigned last, according to our store.
    async fn last_cosigned_size(&self, peer: &WitnessPeer) -> u64 {
        let Ok(Some(size)) = self.store.last_cosigned().await else { return 0 };
        let cosignatures = self.store.cosignatures(size).await.unwrap_or_default();
        // Only the newest size is checked. If another witness is further ahead, this one's conflict
        // reply will name its size.
        if cosignatures.iter().any(|line| line.witness == peer.key.name()) { size } else { 0 }
    }

    /// Asks every witness for its last checkpoint of this log, before anything is signed. Fails only if one
    /// shows a checkpoint that our key signed and that contradicts the log. A witness that does not answer
    /// in time, or does not serve checkpoints, stops nothing. Returns the names of those whose checkpoint is
    /// the end of the log.
    pub(super) async fn ask_witnesses(&self, tip: &LogSnapshot) -> Result<Vec<String>, LogFault> {
        let asked = self.settings.witnesses.iter().map(|peer| async move {
            let name = peer.key.name();
            let asked = tokio::time::timeout(START_TIMEOUT, self.compare_at_start(peer, tip)).await;
            match asked {
                Ok(Ok(AtStart::Unknown)) => {
                    tracing::info!(witness = name, "the witness has no checkpoint of the log yet");
                    Ok(None)
                }
                Ok(Ok(AtStart::Agrees { is_end })) => {
                    tracing::info!(witness = name, "the witness has the same history of the log");
                    Ok(is_end.then(|| name.to_owned()))
                }
                Ok(Ok(AtStart::Contradicts(why))) => Err(format!("the witness {name}: {why}")),
                Ok(Err(why)) => {
                    tracing::warn!(witness = name, %why, "the witness could not be asked at the start");
                    Ok(None)
                }
                Err(_) => {
                    tracing::warn!(witness = name, "the witness did not answer in time at the start");
                    Ok(None)
                }
            }
        });
        let replies = futures_util::future::join_all(asked).await;
        match replies.into_iter().collect::<Result<Vec<Option<String>>, String>>() {
            Ok(names) => Ok(names.into_iter().flatten().collect()),
            Err(why) => Err(LogFault::Contradicted { why }),
        }
    }

    async fn compare_at_start(
        &self,
        peer: &WitnessPeer,
        tip: &LogSnapshot,
    ) -> Result<AtStart, CosignError> {
        let Some((size, root)) = self.fetch_own_checkpoint(peer).await? else {
            return Ok(AtStart::Unknown);
        };
        let end = tip.edge.size();
        let ours = if size == 0 || size > end {
            None
        } else {
            let edge = restore_edge(self.store.as_ref(), size).await;
            let edge = edge.map_err(|e| CosignError::Log(SealError::NotStored(e)))?;
            let missing = || CosignError::Retry(format!("tiles of our tree of {size} are missing"));
            Some(edge.ok_or_else(missing)?.root())
        };
        Ok(match describe_contradiction(size, root, end, ours) {
            Some(why) => AtStart::Contradicts(why),
            None => AtStart::Agrees { is_end: size == end },
        })
    }

    /// Has the newest checkpoint cosigned, unless it is already.
    async fn cosign_newest(
        &self,
        peer: &WitnessPeer,
        progress: &mut WitnessProgress,
    ) -> Result<(), CosignError> {
        let Some(head) = self.head()? else { return Ok(()) };
        let size = head.chain.tree_size;
        if progress.stored_size == Some(size) {
            return Ok(());
        }
        let note = self.checkpoint_for_head(&head)?;
        for _ in 0..MAX_REQUESTS_PER_CHECKPOINT {
            if progress.cosigned_size > size {
                return Err(self.explain_conflict(peer, &head, progress.cosigned_size).await);
            }
            match self.send_checkpoint(peer, &note, progress.cosigned_size, size).await? {
                WitnessResponse::Cosigned(cosignatures) => {
                    let stored = self.store.put_cosignatures(cosignatures).await;
                    stored.map_err(|e| CosignError::Log(SealError::NotStored(e)))?;
                    metrics::counter!("log_cosignatures_total").increment(1);
                    *progress = WitnessProgress { cosigned_size: size, stored_size: Some(size) };
                    return Ok(());
                }
                WitnessResponse::AtSize(at) if at != progress.cosigned_size => {
                    progress.cosigned_size = at
                }
                // It is at the size we named and still refuses: its tree has another root there.
                WitnessResponse::AtSize(_) | WitnessResponse::DifferentTree => {
                    return Err(self.explain_conflict(peer, &head, progress.cosigned_size).await);
                }
            }
        }
        Err(CosignError::Retry("it names a different size each time".to_owned()))
    }

    async fn send_checkpoint(
        &self,
        peer: &WitnessPeer,
        note: &Note,
        old: u64,
        size: u64,
    ) -> Result<WitnessResponse, CosignError> {
        let proof = match self.consistency_proof(old, size).await? {
            Some(consistency) => consistency.proof,
            // Nothing has to be proven when it starts from an empty tree.
            None => Vec::new(),
        };
        let request = WitnessRequest::new(old, proof, note.clone())?.to_string();
        let url = format!("{}/add-checkpoint", peer.url);
        let body = Some((request.as_bytes(), "text/plain; charset=utf-8"));
        let answer = send_request("POST", &url, body).await?;
        match answer.status {
            200 => {
                let keys = std::slice::from_ref(&peer.key);
                let lines = parse_cosignatures(note, &answer.body, keys)?;
                let cosignatures = lines.into_iter().map(|(line, time)| Cosignature {
                    tree_size: size,
                    witness: line.name().to_owned(),
                    line: line.to_string().trim_end().to_owned(),
                    at: from_unix_seconds(time),
                });
                Ok(WitnessResponse::Cosigned(cosignatures.collect()))
            }
            409 => match parse_size(&answer.body) {
                Some(at) => Ok(WitnessResponse::AtSize(at)),
                None => {
                    Err(CosignError::Retry("its conflict reply does not name a size".to_owned()))
                }
            },
            422 => Ok(WitnessResponse::DifferentTree),
            status => Err(CosignError::Retry(format!("{url} answered {status}"))),
        }
    }

    /// The witness claims that our log had a different history. Its own checkpoint decides: with our
    /// signature it proves the claim, without it proves nothing.
    async fn explain_conflict(
        &self,
        peer: &WitnessPeer,
        head: &SignedTreeHead,
        size: u64,
    ) -> CosignError {
        let refusal = format!(
            "its checkpoint has {size} leaves and it refuses ours with {}",
            head.chain.tree_size
        );
        match self.find_proven_contradiction(peer, head).await {
            Ok(Some(proven)) => CosignError::Contradicted(proven),
            Ok(None) => CosignError::Retry(format!(
                "{refusal}, but it shows no checkpoint of ours that contradicts the log. If you trust \
                 this witness, check the log before you go on"
            )),
            Err(why) => {
                CosignError::Retry(format!("{refusal}, and its checkpoint cannot be read: {why}"))
            }
        }
    }

    async fn find_proven_contradiction(
        &self,
        peer: &WitnessPeer,
        head: &SignedTreeHead,
    ) -> Result<Option<String>, CosignError> {
        let Some((size, root)) = self.fetch_own_checkpoint(peer).await? else { return Ok(None) };
        let end = head.chain.tree_size;
        let ours: Option<Digest> = if size == 0 {
            None
        } else {
            self.consistency_proof(size, end).await?.map(|found| found.from.1)
        };
        Ok(describe_contradiction(size, root, end, ours))
    }

    /// Size and root of the last checkpoint of this log that a witness has; `None` if it has none that our
    /// key signed.
    async fn fetch_own_checkpoint(
        &self,
        peer: &WitnessPeer,
    ) -> Result<Option<(u64, Digest)>, CosignError> {
        let origin = &self.settings.origin;
        let url = format!("{}{}", peer.url, checkpoint_path(origin));
        let answer = send_request("GET", &url, None).await?;
        match answer.status {
            200 => {}
            404 => return Ok(None),
            status => return Err(CosignError::Retry(format!("{url} answered {status}"))),
        }
        let note = Note::parse(&answer.body)?;
        let checkpoint = Checkpoint::parse(note.text())?;
        let keys = self.own_checkpoint_keys()?;
        if checkpoint.origin() != origin || note.verify(&keys).is_err() {
            return Ok(None);
        }
        Ok(Some((checkpoint.size(), checkpoint.root())))
    }

    /// Every key that ever signed our checkpoints, without those that others may have.
    fn own_checkpoint_keys(&self) -> Result<Vec<VerifierKey>, ProofError> {
        let origin = &self.settings.origin;
        let compromised = self.keys.compromised();
        let heads = self.keys.log_head_keys().into_iter();
        let heads = heads.filter(|key| !compromised.contains_key(key.kid()));
        heads.map(|key| VerifierKey::new(origin, SignatureType::Ed25519, key)).collect()
    }
}

/// How a checkpoint that our key signed contradicts a log of `end` leaves; `ours` is the log's root at the
/// checkpoint's size.
fn describe_contradiction(
    size: u64,
    root: Digest,
    end: u64,
    ours: Option<Digest>,
) -> Option<String> {
    match ours {
        _ if size > end => Some(format!(
            "it has a checkpoint of {size} leaves that our key signed, but the log has {end}: the log was restored \
             from an old copy. Restore the newer copy"
        )),
        Some(ours) if ours != root => Some(format!(
            "it has a checkpoint of {size} leaves that our key signed with the root {root}, but the log's root at that \
             size is {ours}: the log has a different history"
        )),
        _ => None,
    }
}

async fn send_request(
    method: &str,
    url: &str,
    body: Option<(&[u8], &str)>,
) -> Result<CallResponse, CosignError> {
    let call = Call {
        method,
        url,
        body,
        accept: "text/plain, */*;q=0.5",
        max_response_bytes: MAX_NOTE_BYTES,
        timeout: REQUEST_TIMEOUT,
    };
    call.send().await.map_err(|e| CosignError::Retry(format!("{url}: {e}")))
}

fn from_unix_seconds(time: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(1000))
}
