//! Comparing tree heads that others received with our own log.
//!
//! If somebody was shown a different history, the head they received proves it: it has our signature.
//! So anybody may send us heads. A head that our key signed and that is not in our log is stored, raises
//! an alarm and halts the log until an operator decides. Its cause may be a fork, a stolen key, or a log
//! restored from an old copy.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use contract::records::{GossipAnswer, GossipResult, GossipState};
use proof::audit::MAX_HEAD_BYTES;
use proof::tree_head::ChainHead;
use proof::verify::{CheckOutcome, Verdict};
use proof::{Digest, KeyPolicy, canonical, verify_document};
use serde_json::{Map, Value};
use store::ContradictingHead;

use super::contradictions;
use super::errors::{LogFault, SealError};
use super::transparency_log::TransparencyLog;

/// Contradicting heads that are stored. One is enough to prove a fork; the limit protects our disk
/// from somebody who has our key.
const MAX_STORED_HEADS: usize = 1_000;
/// Those of compromised keys. They prove less, and must not take the place of the others.
const MAX_WEAK_HEADS: usize = MAX_STORED_HEADS / 2;

const GOSSIP_NOTE: &str = "Every head that our key signed and that is not in our log is stored, counted in \
GET /api/v1/log, and reported to the operator of this service. Keep your own copy: it is the proof.";

/// Whether our key signed a head. The log is not consulted for this.
enum HeadOrigin {
    /// Anybody could have made it; says why.
    NotOurs(String),
    /// Our key signed it.
    Ours(Box<OwnHead>),
}

struct OwnHead {
    sha256: Digest,
    /// An error if the head contradicts itself.
    chain: Result<ChainHead, String>,
    /// What weakens the signature: the key was not valid then, or is compromised.
    weakness: Option<String>,
    bytes: Bytes,
}

impl TransparencyLog {
    /// How many contradicting heads are stored.
    pub async fn count_contradicting_heads(&self) -> Result<u64, SealError> {
        Ok(self.contradicting_digests().await?.lock().unwrap_or_else(PoisonError::into_inner).len()
            as u64)
    }

    /// Compares heads with our log, one after the other. The log need not be open: after a restore
    /// from an old copy it is not, and then this matters most.
    pub async fn check_gossip(
        &self,
        heads: Vec<Map<String, Value>>,
    ) -> Result<GossipAnswer, SealError> {
        let policy = self.keys.key_policy().map_err(SealError::NotSigned)?;
        let mut results = Vec::with_capacity(heads.len());
        let mut contradictions = 0;
        for head in heads {
            let batch = head.get("batch").and_then(Value::as_u64);
            let stated = head.get("sha256").and_then(Value::as_str);
            let stated = stated.and_then(|hex| hex.parse::<Digest>().ok());
            let (state, why) = match self.classify_head(head, &policy) {
                HeadOrigin::NotOurs(why) => (GossipState::NotOurs, why),
                HeadOrigin::Ours(signed) => {
                    self.compare_head(*signed, batch.unwrap_or_default()).await?
                }
            };
            contradictions +=
                u64::from(matches!(state, GossipState::Contradicts | GossipState::Ahead));
            let label = state.as_str().to_owned();
            metrics::counter!("log_gossip_heads_total", "found" => label).increment(1);
            let sth_sha256 = stated.map(|digest| digest.to_hex());
            results.push(GossipResult { state, batch, sth_sha256, why });
        }
        Ok(GossipAnswer {
            log_id: self.issuer.brand.log_id(),
            checked: results.len() as u64,
            contradictions,
            results,
            head: self.head().ok().flatten().map(|head| self.latest_batch_ref(&head.chain)),
            note: GOSSIP_NOTE.to_owned(),
        })
    }

    fn classify_head(&self, head: Map<String, Value>, policy: &KeyPolicy) -> HeadOrigin {
        let brand = &self.issuer.brand;
        if head.get("kind").and_then(Value::as_str) != Some(&brand.kind("log-sth")) {
            return HeadOrigin::NotOurs(format!("This is not a {}.", brand.kind("log-sth")));
        }
        if head.get("log_id").and_then(Value::as_str) != Some(&brand.log_id()) {
            return HeadOrigin::NotOurs(format!(
                "It belongs to another log than {}.",
                brand.log_id()
            ));
        }
        let document = Value::Object(head);
        let bytes = match canonical::value_to_vec(&document) {
            Ok(bytes) if bytes.len() <= MAX_HEAD_BYTES => Bytes::from(bytes),
            Ok(_) => {
                return HeadOrigin::NotOurs(format!("It is larger than {MAX_HEAD_BYTES} bytes."));
            }
            Err(error) => {
                return HeadOrigin::NotOurs(format!(
                    "It has no canonical form, so it cannot have been signed: {error}."
                ));
            }
        };
        let verdict = verify_document(&bytes, policy, brand);
        if let Some(why) = signature_fault(&verdict) {
            return HeadOrigin::NotOurs(why);
        }
        let Some(sha256) = verdict.sha256.as_deref().and_then(|hex| hex.parse().ok()) else {
            return HeadOrigin::NotOurs("It has no valid sha256 member.".to_owned());
        };
        let window = verdict.check("key window").filter(|check| check.ok != CheckOutcome::Passed);
        HeadOrigin::Ours(Box::new(OwnHead {
            sha256,
            chain: ChainHead::parse(&document).map_err(|error| error.to_string()),
            weakness: window.map(|check| check.detail.clone()),
            bytes,
        }))
    }

    async fn compare_head(
        &self,
        signed: OwnHead,
        batch: u64,
    ) -> Result<(GossipState, String), SealError> {
        let (state, why) = match &signed.chain {
            Err(why) => (
                GossipState::Contradicts,
                format!("Our key signed it, but it contradicts itself: {why}."),
            ),
            Ok(chain) => match self.store.batch(chain.batch).await.map_err(SealError::NotStored)? {
                Some(stored) if stored.sth_sha256 == signed.sha256 => {
                    let why = format!("This is the head of our batch {}.", chain.batch);
                    return Ok((GossipState::Known, why));
                }
                Some(stored) => (
                    GossipState::Contradicts,
                    format!(
                        "Our key signed it, but our head of batch {} is {}.",
                        chain.batch, stored.sth_sha256
                    ),
                ),
                None => (
                    GossipState::Ahead,
                    format!("Our key signed it, but our log has no batch {} yet.", chain.batch),
                ),
            },
        };
        let why = match &signed.weakness {
            Some(weakness) => format!("{why} About its key: {weakness}."),
            None => why,
        };
        let created_at = signed.chain.as_ref().ok().map(|chain| chain.created_at);
        if signed.weakness.is_none() {
            let store = self.store.as_ref();
            let decided = contradictions::decided_at(store).await.map_err(SealError::NotStored)?;
            let was_seen = contradictions::is_decided_by_sight(store, &signed.sha256, decided);
            // Halted before it is stored: storing may fail.
            if contradictions::is_undecided(created_at, decided)
                && !was_seen.await.map_err(SealError::NotStored)?
            {
                let why = why.trim_end_matches('.').to_owned();
                self.halt(LogFault::Contradicted { why }.to_string());
            }
        }
        self.store_contradicting_head(signed, batch, &why).await?;
        Ok((state, why))
    }

    /// Stores a contradicting head and raises the alarm.
    async fn store_contradicting_head(
        &self,
        signed: OwnHead,
        batch: u64,
        why: &str,
    ) -> Result<(), SealError> {
        let sighted = self.contradicting_digests().await?;
        let is_new = {
            let mut known = sighted.lock().unwrap_or_else(PoisonError::into_inner);
            let limit = if signed.weakness.is_some() { MAX_WEAK_HEADS } else { MAX_STORED_HEADS };
            known.len() < limit && known.insert(signed.sha256)
        };
        tracing::error!(
            batch,
            sth_sha256 = %signed.sha256,
            why,
            stored = is_new,
            "ALARM: we received a head that our key signed and that is not in our log"
        );
        metrics::counter!("log_contradicting_heads_total").increment(1);
        if !is_new {
            return Ok(());
        }
        let digest = signed.sha256;
        let sighting = ContradictingHead {
            sth_sha256: digest,
            batch,
            seen_at: self.clock.now(),
            sth: signed.bytes,
            why: why.to_owned(),
        };
        let stored = self.store.put_contradicting_head(sighting).await;
        if stored.is_err() {
            sighted.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest);
        }
        stored.map_err(SealError::NotStored)
    }

    async fn contradicting_digests(&self) -> Result<&Mutex<BTreeSet<Digest>>, SealError> {
        let loaded = self.contradicting_heads.get_or_try_init(async || {
            let heads = self.store.contradicting_heads().await?;
            Ok(Mutex::new(heads.into_iter().map(|head| head.sth_sha256).collect()))
        });
        loaded.await.map_err(SealError::NotStored)
    }
}

/// Why the signature does not prove that the head is ours; `None` if it does. Every check must be
/// present and passed. Sums and the key's validity are judged separately.
fn signature_fault(verdict: &Verdict) -> Option<String> {
    for name in ["parse", "digest", "thumbprint", "signature form", "message", "signature"] {
        match verdict.check(name) {
            Some(check) if check.ok == CheckOutcome::Passed => {}
            Some(check) => return Some(format!("Its signature is not valid: {}.", check.detail)),
            None => return Some("Its signature is not valid.".to_owned()),
        }
    }
    for name in ["key published", "key purpose"] {
        match verdict.check(name) {
            Some(check) if check.ok == CheckOutcome::Passed => {}
            Some(check) => {
                return Some(format!(
                    "Its key is not one of our log-heads keys: {}.",
                    check.detail
                ));
            }
            None => return Some("Its key is not one of our log-heads keys.".to_owned()),
        }
    }
    None
}
