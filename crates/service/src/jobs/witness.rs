//! Asking witnesses to cosign the log: each checkpoint goes to every witness, off the path of
//! answers.
//!
//! A witness remembers the log better than we do when our store was put back from an old copy. If it
//! shows a checkpoint that our own key signed and that is not of this log, the log is stopped. Its
//! word alone does not stop it: a witness must not be able to end a log by a lie.

use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use door::operator::{Answer, Call};
use proof::tlog::witness::{Request, read_answer, read_size};
use proof::tlog::{Checkpoint, MAX_NOTE_BYTES, Note, SignatureType, VerifierKey};
use proof::{Digest, ProofError};
use store::Cosignature;
use tokio::task::JoinSet;

use crate::log::SealedHead;
use crate::witness::checkpoint_path;
use crate::{SealError, Service};

/// How often it is looked whether the log has grown.
const EVERY: Duration = Duration::from_secs(2);
/// The pause after a failure doubles up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
const PATIENCE: Duration = Duration::from_secs(15);
/// Requests for one checkpoint: the first, one from the size the witness names, and one more where
/// another request of ours came in between.
const TRIES: usize = 3;

/// A witness that is asked, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessPeer {
    pub key: VerifierKey,
    /// Without a trailing slash; `add-checkpoint` is below it.
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a witness: it is written as VKEY=URL, with the key of a cosignature (type 4) and an http or https address"
)]
pub struct NotAWitness(pub String);

impl std::str::FromStr for WitnessPeer {
    type Err = NotAWitness;

    fn from_str(text: &str) -> Result<Self, NotAWitness> {
        let refused = || NotAWitness(text.to_owned());
        // A name may have an equals sign of its own.
        let at = ["=https://", "=http://"].iter().filter_map(|mark| text.find(mark)).min();
        let (key, url) = at.and_then(|at| text.split_at_checked(at)).ok_or_else(refused)?;
        let key: VerifierKey = key.trim().parse().map_err(|_: ProofError| refused())?;
        let url = url.trim_start_matches('=').trim().trim_end_matches('/');
        let plain = !url.contains(['?', '#', '@', ' ']) && !url.ends_with(':');
        if key.kind() != SignatureType::Cosignature || !plain {
            return Err(refused());
        }
        Ok(Self { key, url: url.to_owned() })
    }
}

/// Why a checkpoint was not cosigned.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// May be tried again later.
    #[error("{0}")]
    Later(String),
    #[error("{0}")]
    Log(#[from] SealError),
    #[error("{0}")]
    Proof(#[from] ProofError),
    /// Our own signature says that the log was another.
    #[error("{0}")]
    Contradicted(String),
}

/// Runs until it is dropped: one task for each witness, so that none waits for another.
pub async fn witnesses(service: Arc<Service>) {
    let mut tasks = JoinSet::new();
    for peer in service.settings.log.witnesses.clone() {
        tasks.spawn(follow(Arc::clone(&service), peer));
    }
    while tasks.join_next().await.is_some() {}
}

async fn follow(service: Arc<Service>, peer: WitnessPeer) {
    let mut asked = Asked { known: service.cosigned_by(&peer).await, sent: None };
    let mut failures = 0_u32;
    loop {
        let wait = match service.ask_witness(&peer, &mut asked).await {
            Ok(()) => {
                if failures > 0 {
                    tracing::info!(witness = peer.key.name(), "the witness cosigns again");
                }
                failures = 0;
                EVERY
            }
            Err(refusal) => {
                failures = failures.saturating_add(1);
                let pause = EVERY.saturating_mul(1 << failures.min(16)).min(LONGEST_PAUSE);
                if let Refusal::Contradicted(why) = &refusal {
                    let why = format!("the witness {}: {why}", peer.key.name());
                    tracing::error!(%why, "ALARM: THE LOG CONTRADICTS WHAT OUR KEY SIGNED");
                    service.halt_log(why);
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

/// What is remembered of a witness while the process lives.
struct Asked {
    /// The size it last cosigned, as far as we know.
    known: u64,
    /// The size that is cosigned and kept.
    sent: Option<u64>,
}

/// What came of one request.
enum Said {
    Cosigned(Vec<Cosignature>),
    /// It stands at this size.
    Stands(u64),
    /// It has another tree of that size.
    OtherTree,
}

impl Service {
    /// The size that a witness cosigned last, by what is kept here.
    async fn cosigned_by(&self, peer: &WitnessPeer) -> u64 {
        let Ok(Some(size)) = self.store.last_cosigned().await else { return 0 };
        let said = self.store.cosignatures(size).await.unwrap_or_default();
        // Another witness may be further: then the conflict tells the size.
        if said.iter().any(|said| said.witness == peer.key.name()) { size } else { 0 }
    }

    /// Has the newest checkpoint cosigned, unless it is.
    async fn ask_witness(&self, peer: &WitnessPeer, asked: &mut Asked) -> Result<(), Refusal> {
        let Some(head) = self.log_head()? else { return Ok(()) };
        let size = head.chain.tree_size;
        if asked.sent == Some(size) {
            return Ok(());
        }
        let note = self.checkpoint_of(&head)?;
        for _ in 0..TRIES {
            if asked.known > size {
                return Err(self.contradiction(peer, &head, asked.known).await);
            }
            match self.request(peer, &note, asked.known, size).await? {
                Said::Cosigned(said) => {
                    let kept = self.store.put_cosignatures(said).await;
                    kept.map_err(|e| Refusal::Log(SealError::NotKept(e)))?;
                    metrics::counter!("log_cosignatures_total").increment(1);
                    *asked = Asked { known: size, sent: Some(size) };
                    return Ok(());
                }
                Said::Stands(at) if at != asked.known => asked.known = at,
                // It stands where we said, and still refuses: another root of that size.
                Said::Stands(_) | Said::OtherTree => {
                    return Err(self.contradiction(peer, &head, asked.known).await);
                }
            }
        }
        Err(Refusal::Later("it names another size each time it is asked".to_owned()))
    }

    async fn request(
        &self,
        peer: &WitnessPeer,
        note: &Note,
        old: u64,
        size: u64,
    ) -> Result<Said, Refusal> {
        let proof = match self.log_consistency(old, size).await? {
            Some(consistency) => consistency.proof,
            // From nothing there is nothing to prove.
            None => Vec::new(),
        };
        let request = Request::new(old, proof, note.clone())?.to_string();
        let url = format!("{}/add-checkpoint", peer.url);
        let body = Some((request.as_bytes(), "text/plain; charset=utf-8"));
        let answer = call("POST", &url, body).await?;
        match answer.status {
            200 => {
                let keys = std::slice::from_ref(&peer.key);
                let said = read_answer(note, &answer.body, keys)?;
                let kept = said.into_iter().map(|(line, time)| Cosignature {
                    tree_size: size,
                    witness: line.name().to_owned(),
                    line: line.to_string().trim_end().to_owned(),
                    at: seconds(time),
                });
                Ok(Said::Cosigned(kept.collect()))
            }
            409 => match read_size(&answer.body) {
                Some(at) => Ok(Said::Stands(at)),
                None => Err(Refusal::Later("it names no size in its refusal".to_owned())),
            },
            422 => Ok(Said::OtherTree),
            status => Err(Refusal::Later(format!("{url} answered {status}"))),
        }
    }

    /// The witness says that the log was another. Whether that is so is told by the checkpoint it
    /// holds, which bears our own signature or proves nothing.
    async fn contradiction(&self, peer: &WitnessPeer, head: &SealedHead, size: u64) -> Refusal {
        let said = format!("it stands at {size} leaves and refuses {}", head.chain.tree_size);
        match self.proven_contradiction(peer, head).await {
            Ok(Some(proven)) => Refusal::Contradicted(proven),
            Ok(None) => Refusal::Later(format!(
                "{said}, and shows no checkpoint of ours that contradicts the log. If you trust it, \
                 look at the log before you go on"
            )),
            Err(why) => Refusal::Later(format!("{said}, and its checkpoint cannot be read: {why}")),
        }
    }

    async fn proven_contradiction(
        &self,
        peer: &WitnessPeer,
        head: &SealedHead,
    ) -> Result<Option<String>, Refusal> {
        let origin = &self.settings.log.origin;
        let url = format!("{}{}", peer.url, checkpoint_path(origin));
        let answer = call("GET", &url, None).await?;
        if answer.status != 200 {
            return Err(Refusal::Later(format!("{url} answered {}", answer.status)));
        }
        let note = Note::parse(&answer.body)?;
        let checkpoint = Checkpoint::parse(note.text())?;
        let keys = self.checkpoint_keys()?;
        if checkpoint.origin() != origin || note.verify(&keys).is_err() {
            return Ok(None);
        }
        let (size, root) = (checkpoint.size(), checkpoint.root());
        let ours: Option<Digest> = if size == 0 {
            None
        } else {
            self.log_consistency(size, head.chain.tree_size).await?.map(|found| found.from.1)
        };
        Ok(match ours {
            _ if size > head.chain.tree_size => Some(format!(
                "it holds a checkpoint of {size} leaves signed by our key, and the log has {}: the \
                 log was put back from an old copy. Put the newer copy back",
                head.chain.tree_size
            )),
            Some(ours) if ours != root => Some(format!(
                "it holds a checkpoint of {size} leaves signed by our key with the root {root}, and \
                 the log's root there is {ours}: the log has another history"
            )),
            _ => None,
        })
    }

    /// The keys that our checkpoints were ever signed by.
    fn checkpoint_keys(&self) -> Result<Vec<VerifierKey>, ProofError> {
        let origin = &self.settings.log.origin;
        let heads = self.log_heads_keys().into_iter();
        heads.map(|key| VerifierKey::new(origin, SignatureType::Ed25519, key)).collect()
    }
}

async fn call(method: &str, url: &str, body: Option<(&[u8], &str)>) -> Result<Answer, Refusal> {
    let call = Call {
        method,
        url,
        body,
        accept: "text/plain, */*;q=0.5",
        max_answer_bytes: MAX_NOTE_BYTES,
        patience: PATIENCE,
    };
    call.make().await.map_err(|e| Refusal::Later(format!("{url}: {e}")))
}

fn seconds(time: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(1000))
}

#[cfg(test)]
mod tests;
