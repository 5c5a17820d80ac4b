//! The published description of the log, its batches, and the witnesses that cosigned them.

use std::sync::Arc;

use bytes::Bytes;
use contract::records::{
    FirstBatchRef, Jwk, LatestBatchRef, LogBatchEntry, LogCheckpoint, LogLookup, LogPromise,
    LogRecord, LogRules, LogVerify, LogWitnessedHead, LookupState, ReplacedSignature, SignatureKey,
    WitnessCosignature,
};
use contract::{Brand, Timestamp};
use proof::tlog::{SignatureType, VerifierKey};
use proof::tree_head::{CHAIN_RULE, ChainHead, LEAF_RULE, TREE_RULE};
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use store::{Cosignature, StoreError};

use super::errors::SealError;
use super::settings::LogSettings;
use super::snapshot::SignedTreeHead;
use super::transparency_log::TransparencyLog;
use crate::signing_keys::{KEY_DIRECTORY_PATH, SigningKeys};

/// Where the log is served as a folder of files, below the base URL.
pub const LOG_FILES_PATH: &str = "/log/";
/// Where the offline verifier is served.
pub const VERIFIER_PATH: &str = "/crawlcheck-verify.mjs";

/// Witnesses cosign the newest head. After this time nobody adds a cosignature to an older one.
const COSIGNING_ENDS_AFTER_MS: i64 = 3_600_000;

const VERIFY_TEXT: &str = "Fetch the heads and follow prev_sth_sha256 from the newest to batch 0. For each head, verify \
digest, signature and sums, and compute batch_root from the leaves. Or read the tiles and use them to prove \
that each checkpoint you saved is a prefix of the newest. The verifier does this for one answer, \
`wayleave log monitor` for the whole log.";

/// What the description of the log is to contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRecordQuery {
    Head,
    /// Batches from this one (or the newest) downwards, at most `limit`.
    List {
        from: Option<u64>,
        limit: usize,
    },
    Leaf(Digest),
}

/// A batch, and the cosignatures of the log at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedBatch {
    pub head: SignedTreeHead,
    /// In the order of the tree.
    pub leaves: Vec<Digest>,
    pub witnesses: Vec<WitnessCosignature>,
    /// No further cosignature is expected.
    pub settled: bool,
    /// What was in place of the head's signature before its key was compromised.
    pub replaced_signature: Option<ReplacedSignature>,
}

impl TransparencyLog {
    /// A batch with its cosignatures; `None` if the log has no such batch yet.
    pub async fn published_batch(&self, batch: u64) -> Result<Option<PublishedBatch>, SealError> {
        let Some((stored, cosignatures)) = self.batch_with_cosignatures(batch).await? else {
            return Ok(None);
        };
        let replaced_signature =
            self.keys.replaced_signature(&stored.sth).map_err(SealError::NotSigned)?;
        let head = self.servable_head(stored.sth)?;
        // A signature that was replaced once may be replaced again.
        let settled = replaced_signature.is_none()
            && head.chain.created_at.plus_millis(COSIGNING_ENDS_AFTER_MS) <= self.clock.now();
        let witnesses = cosignatures.iter().map(to_witness_cosignature).collect();
        let leaves = stored.leaves;
        Ok(Some(PublishedBatch { head, leaves, witnesses, settled, replaced_signature }))
    }

    /// The signed heads from batch `first` to batch `last`, as far as they exist, oldest first.
    pub async fn heads_between(&self, first: u64, last: u64) -> Result<Vec<Bytes>, SealError> {
        let Some(newest) = self.head()? else { return Ok(Vec::new()) };
        let last = last.min(newest.chain.batch);
        let Some(more) = last.checked_sub(first) else { return Ok(Vec::new()) };
        let count = usize::try_from(more).unwrap_or(usize::MAX).saturating_add(1);
        let heads = self.store.heads(first, count).await.map_err(SealError::NotStored)?;
        self.keys.make_servable(heads).await.map_err(SealError::NotSigned)
    }

    /// The newest head that a witness cosigned.
    pub async fn witnessed_head(&self) -> Result<Option<LogWitnessedHead>, SealError> {
        let newest = self.head()?.map_or(0, |head| head.chain.tree_size);
        let size = self.store.last_cosigned().await.map_err(SealError::NotStored)?;
        // A head that is stored but not acknowledged yet is not shown.
        let Some(size) = size.filter(|size| (1..=newest).contains(size)) else { return Ok(None) };
        let batch = self.store.batch_at(size - 1).await.map_err(SealError::NotStored)?;
        let Some(batch) = batch.filter(|batch| batch.tree_size() == size) else {
            return Err(SealError::NotStored(StoreError::Damaged {
                what: "a cosigned size".to_owned(),
                why: "no batch of the log ends at that size".to_owned(),
            }));
        };
        let cosignatures = self.store.cosignatures(size).await.map_err(SealError::NotStored)?;
        let head = SignedTreeHead::parse(batch.sth).map_err(SealError::NotSigned)?;
        Ok(Some(LogWitnessedHead {
            batch: head.chain.batch,
            tree_size: size,
            sth_sha256: head.chain.sha256.to_hex(),
            checkpoint: self.checkpoint_with_cosignatures(&head, &cosignatures)?.to_string(),
            witnesses: cosignatures.iter().map(to_witness_cosignature).collect(),
        }))
    }

    /// The signed description of the log.
    pub async fn signed_record(&self, ask: LogRecordQuery) -> Result<SignedDocument, SealError> {
        let head = self.head()?;
        let mut record = self.build_record(head.as_deref()).await?;
        match ask {
            LogRecordQuery::Head => {}
            LogRecordQuery::List { from, limit } => {
                record.list = self.list_batches(from, limit).await?;
                let last = record.list.last().map(|last| last.batch);
                record.cursor = last.and_then(|batch| batch.checked_sub(1)).map(|n| n.to_string());
                record.has_more = record.cursor.is_some();
            }
            LogRecordQuery::Leaf(leaf) => record.lookup = Some(self.look_up_leaf(leaf).await?),
        }
        self.keys.sign_document(&record, KeyPurpose::Documents).map_err(SealError::NotSigned)
    }

    async fn build_record(&self, head: Option<&SignedTreeHead>) -> Result<LogRecord, SealError> {
        let about = LogRecordInputs {
            keys: &self.keys,
            brand: &self.issuer.brand,
            base_url: &self.issuer.base_url,
            settings: &self.settings,
            now: self.clock.now(),
            contradictions: self.count_contradicting_heads().await?,
        };
        about.build_record(head).map_err(SealError::NotSigned)
    }

    pub(super) fn latest_batch_ref(&self, chain: &ChainHead) -> LatestBatchRef {
        latest(chain, &self.issuer.base_url)
    }

    async fn list_batches(
        &self,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LogBatchEntry>, SealError> {
        let heads = self.heads_up_to(from, limit).await?;
        let read = heads.into_iter().map(|bytes| {
            let chain = SignedTreeHead::parse(bytes).map_err(SealError::NotSigned)?.chain;
            Ok(LogBatchEntry {
                batch: chain.batch,
                first_index: chain.first_index,
                batch_size: chain.batch_size,
                tree_size: chain.tree_size,
                batch_root: chain.batch_root.to_hex(),
                sth_sha256: chain.sha256.to_hex(),
                created_at: chain.created_at,
            })
        });
        read.collect()
    }

    async fn look_up_leaf(&self, leaf: Digest) -> Result<LogLookup, SealError> {
        let leaf_hash = leaf.to_hex();
        let Some(found) = self.inclusion_proof(leaf, None).await? else {
            return Ok(LogLookup {
                state: LookupState::Unknown,
                leaf_hash,
                batch: None,
                index: None,
                log_index: None,
                path: None,
                sth: None,
            });
        };
        let sealed = found.sealed;
        Ok(LogLookup {
            state: LookupState::Included,
            leaf_hash,
            batch: Some(sealed.head.chain.batch),
            index: Some(sealed.index),
            log_index: Some(sealed.log_index),
            path: Some(sealed.path.iter().map(Digest::to_hex).collect()),
            sth: Some(Arc::unwrap_or_clone(sealed.head).document),
        })
    }
}

/// What the description of a log is built from. `export` uses it without a running service.
pub(super) struct LogRecordInputs<'a> {
    pub(super) keys: &'a SigningKeys,
    pub(super) brand: &'a Brand,
    pub(super) base_url: &'a str,
    pub(super) settings: &'a LogSettings,
    pub(super) now: Timestamp,
    pub(super) contradictions: u64,
}

impl LogRecordInputs<'_> {
    pub(super) fn build_record(
        &self,
        head: Option<&SignedTreeHead>,
    ) -> Result<LogRecord, ProofError> {
        let (brand, base_url) = (self.brand, self.base_url);
        let at = |path: &str| format!("{base_url}{path}");
        let key = self.keys.signing_key(KeyPurpose::LogHeads)?;
        let public = key.public();
        let origin = &self.settings.origin;
        let vkey = VerifierKey::new(origin, SignatureType::Ed25519, public.clone())?;
        let chain = head.map(|head| &head.chain);
        Ok(LogRecord {
            kind: brand.kind("log"),
            v: 1,
            schema: contract::schema::schema_url("log", brand, base_url),
            log_id: brand.log_id(),
            generated_at: self.now.whole_seconds(),
            tree_size: chain.map_or(0, |chain| chain.tree_size),
            batches: chain.map_or(0, |chain| chain.batch.saturating_add(1)),
            head: head.map(|head| head.document.clone()),
            latest: chain.map(|chain| latest(chain, base_url)),
            first: chain.map(|_| FirstBatchRef { batch: 0, address: at("/api/v1/log/sth/0") }),
            rules: LogRules {
                leaf: LEAF_RULE.to_owned(),
                tree: TREE_RULE.to_owned(),
                chain: CHAIN_RULE.to_owned(),
            },
            content_rule: proof::decision_content::CONTENT_RULE.to_owned(),
            key: SignatureKey {
                kid: public.kid().to_owned(),
                jwk: Jwk { kty: Jwk::KTY.to_owned(), crv: Jwk::CRV.to_owned(), x: public.x() },
                published_in: at(KEY_DIRECTORY_PATH),
            },
            witnesses: at("/api/v1/log/witness/latest"),
            promise: LogPromise {
                max_batch_interval_s: self.settings.interval.as_millis().div_ceil(1_000) as u64,
                max_delay_s: 0,
            },
            checkpoint: LogCheckpoint {
                origin: origin.clone(),
                vkey: vkey.to_string(),
                address: at("/log/checkpoint"),
            },
            tiles: at("/log/tile/"),
            files: at(LOG_FILES_PATH),
            contradictions: self.contradictions,
            list: Vec::new(),
            cursor: None,
            has_more: false,
            lookup: None,
            verify: LogVerify { how: VERIFY_TEXT.to_owned(), verifier: at(VERIFIER_PATH) },
            sha256: None,
            signature: None,
        })
    }
}

fn latest(chain: &ChainHead, base_url: &str) -> LatestBatchRef {
    LatestBatchRef {
        batch: chain.batch,
        sth_sha256: chain.sha256.to_hex(),
        created_at: chain.created_at,
        address: format!("{base_url}/api/v1/log/sth/{}", chain.batch),
    }
}

fn to_witness_cosignature(cosignature: &Cosignature) -> WitnessCosignature {
    WitnessCosignature {
        token: cosignature.line.trim_end_matches('\n').to_owned(),
        at: cosignature.at,
        run: Some(cosignature.witness.clone()),
        name: cosignature.witness.clone(),
    }
}
