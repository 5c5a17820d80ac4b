//! Heads that somebody else was shown, held against our own chain.
//!
//! Whoever is shown another history than the rest can prove it by the head alone: it bears our
//! signature. So everybody may show us heads, and one that is ours and not of our chain is kept and
//! raises an alarm, whatever made it: a fork, a key in other hands, or a log put back from an old
//! copy.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use contract::records::{GossipAnswer, GossipResult, GossipState};
use proof::audit::MAX_HEAD_BYTES;
use proof::head::ChainHead;
use proof::verify::{Outcome, Verdict};
use proof::{Digest, KeyPolicy, canonical, verify_document};
use serde_json::{Map, Value};
use store::Sighting;

use super::SealError;
use crate::Service;

/// Contradicting heads that are kept. One is enough to prove a fork; the bound is for whoever has
/// our key and fills our disk with it.
const MOST_KEPT: usize = 1_000;

const NOTE: &str = "Every head that bears our signature and is not of our log is kept, counted in \
GET /api/v1/log, and told to whoever runs this service. Keep your own copy: it is the proof.";

/// The digests of the contradicting heads that are kept, once they have been read.
#[derive(Debug, Default)]
pub(super) struct Sightings(tokio::sync::OnceCell<Mutex<BTreeSet<Digest>>>);

/// What a head is, before the store was asked.
enum Claim {
    /// Anybody could have made it.
    NotOurs(String),
    /// It bears our signature.
    Ours(Box<Signed>),
}

struct Signed {
    sha256: Digest,
    /// Nothing where its own sums do not hold.
    chain: Result<ChainHead, String>,
    /// What weakens the signature: the key was not in force, or is compromised.
    weakness: Option<String>,
    bytes: Bytes,
}

impl Service {
    /// How many contradicting heads are kept.
    pub async fn log_contradictions(&self) -> Result<u64, SealError> {
        Ok(self.sighted().await?.lock().unwrap_or_else(PoisonError::into_inner).len() as u64)
    }

    /// Holds heads against our chain, one after the other. The log need not be open: a log that was
    /// put back from an old copy is when this matters most.
    pub async fn log_gossip(
        &self,
        heads: Vec<Map<String, Value>>,
    ) -> Result<GossipAnswer, SealError> {
        let policy = self.key_policy().map_err(SealError::NotSigned)?;
        let mut results = Vec::with_capacity(heads.len());
        let mut contradictions = 0;
        for head in heads {
            let batch = head.get("batch").and_then(Value::as_u64);
            let stated = head.get("sha256").and_then(Value::as_str);
            let stated = stated.and_then(|hex| hex.parse::<Digest>().ok());
            let (state, why) = match self.claim(head, &policy) {
                Claim::NotOurs(why) => (GossipState::NotOurs, why),
                Claim::Ours(signed) => self.compare(*signed, batch.unwrap_or_default()).await?,
            };
            contradictions +=
                u64::from(matches!(state, GossipState::Contradicts | GossipState::Ahead));
            let label = state.as_str().to_owned();
            metrics::counter!("log_gossip_heads_total", "found" => label).increment(1);
            let sth_sha256 = stated.map(|digest| digest.to_hex());
            results.push(GossipResult { state, batch, sth_sha256, why });
        }
        Ok(GossipAnswer {
            log_id: self.settings.brand.log_id(),
            checked: results.len() as u64,
            contradictions,
            results,
            head: self.log_head().ok().flatten().map(|head| self.latest(&head.chain)),
            note: NOTE.to_owned(),
        })
    }

    fn claim(&self, head: Map<String, Value>, policy: &KeyPolicy) -> Claim {
        let brand = &self.settings.brand;
        if head.get("kind").and_then(Value::as_str) != Some(&brand.kind("log-sth")) {
            return Claim::NotOurs(format!("It is not a {}.", brand.kind("log-sth")));
        }
        if head.get("log_id").and_then(Value::as_str) != Some(&brand.log_id()) {
            return Claim::NotOurs(format!("It is of another log than {}.", brand.log_id()));
        }
        let document = Value::Object(head);
        let bytes = match canonical::value_to_vec(&document) {
            Ok(bytes) if bytes.len() <= MAX_HEAD_BYTES => Bytes::from(bytes),
            Ok(_) => return Claim::NotOurs(format!("It is longer than {MAX_HEAD_BYTES} bytes.")),
            Err(error) => return Claim::NotOurs(format!("It cannot be signed: {error}.")),
        };
        let verdict = verify_document(&bytes, policy, brand);
        if let Some(why) = unsigned(&verdict) {
            return Claim::NotOurs(why);
        }
        let Some(sha256) = verdict.sha256.as_deref().and_then(|hex| hex.parse().ok()) else {
            return Claim::NotOurs("It states no sha256.".to_owned());
        };
        let window = verdict.check("key window").filter(|check| check.ok != Outcome::Passed);
        Claim::Ours(Box::new(Signed {
            sha256,
            chain: ChainHead::read(&document).map_err(|error| error.to_string()),
            weakness: window.map(|check| check.detail.clone()),
            bytes,
        }))
    }

    async fn compare(
        &self,
        signed: Signed,
        batch: u64,
    ) -> Result<(GossipState, String), SealError> {
        let (state, why) = match &signed.chain {
            Err(why) => (GossipState::Contradicts, format!("It does not hold by itself: {why}.")),
            Ok(chain) => match self.store.batch(chain.batch).await.map_err(SealError::NotKept)? {
                Some(kept) if kept.sth_sha256 == signed.sha256 => {
                    let why = format!("This is the head of our batch {}.", chain.batch);
                    return Ok((GossipState::Known, why));
                }
                Some(kept) => (
                    GossipState::Contradicts,
                    format!(
                        "Our head of batch {} is {}; this one bears our signature as well.",
                        chain.batch, kept.sth_sha256
                    ),
                ),
                None => (
                    GossipState::Ahead,
                    format!("It bears our signature, and our log has no batch {}.", chain.batch),
                ),
            },
        };
        let why = match &signed.weakness {
            Some(weakness) => format!("{why} Of its key: {weakness}."),
            None => why,
        };
        self.sight(signed, batch, &why).await?;
        Ok((state, why))
    }

    /// Keeps a contradicting head and raises the alarm.
    async fn sight(&self, signed: Signed, batch: u64, why: &str) -> Result<(), SealError> {
        let sighted = self.sighted().await?;
        let is_new = {
            let mut known = sighted.lock().unwrap_or_else(PoisonError::into_inner);
            known.len() < MOST_KEPT && known.insert(signed.sha256)
        };
        tracing::error!(
            batch,
            sth_sha256 = %signed.sha256,
            why,
            kept = is_new,
            "ALARM: a head that bears our signature and is not of our log was shown to us"
        );
        metrics::counter!("log_contradicting_heads_total").increment(1);
        if !is_new {
            return Ok(());
        }
        let digest = signed.sha256;
        let sighting = Sighting {
            sth_sha256: digest,
            batch,
            seen_at: self.clock.now(),
            sth: signed.bytes,
            why: why.to_owned(),
        };
        let kept = self.store.put_sighting(sighting).await;
        if kept.is_err() {
            sighted.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest);
        }
        kept.map_err(SealError::NotKept)
    }

    async fn sighted(&self) -> Result<&Mutex<BTreeSet<Digest>>, SealError> {
        let read = self.log.sightings.0.get_or_try_init(async || {
            let kept = self.store.sightings().await?;
            Ok(Mutex::new(kept.into_iter().map(|kept| kept.sth_sha256).collect()))
        });
        read.await.map_err(SealError::NotKept)
    }
}

/// Why the signature proves nothing, if so. Every check must have been made: one that is absent is
/// not one that passed. Sums and the key's window are looked at apart.
fn unsigned(verdict: &Verdict) -> Option<String> {
    for name in ["parse", "digest", "thumbprint", "signature form", "message", "signature"] {
        match verdict.check(name) {
            Some(check) if check.ok == Outcome::Passed => {}
            Some(check) => return Some(format!("Its signature does not hold: {}.", check.detail)),
            None => return Some("Its signature does not hold.".to_owned()),
        }
    }
    for name in ["key published", "key purpose"] {
        match verdict.check(name) {
            Some(check) if check.ok == Outcome::Passed => {}
            Some(check) => {
                return Some(format!("Its key is not our key for heads: {}.", check.detail));
            }
            None => return Some("Its key is not our key for heads.".to_owned()),
        }
    }
    None
}
