//! What anybody is shown of the log: its description, its batches, and who has seen them.

use std::sync::Arc;

use bytes::Bytes;
use contract::records::{
    Jwk, LogBatchEntry, LogCheckpoint, LogFirst, LogLatest, LogLookup, LogPromise, LogRecord,
    LogRules, LogVerify, LogWitness, LogWitnessed, LookupState, SignatureKey,
};
use contract::{Brand, Timestamp};
use proof::head::{CHAIN_RULE, ChainHead, LEAF_RULE, TREE_RULE};
use proof::tlog::{Note, NoteSignature, SignatureType, VerifierKey};
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use store::{Cosignature, StoreError};

use super::view::SealedHead;
use super::{LogSettings, SealError};
use crate::Service;
use crate::keys::{KEY_DIRECTORY_PATH, Signer};

/// Where the log is as a folder of files, below the base address.
pub const LOG_FILES_PATH: &str = "/log/";
/// Where the offline verifier is.
pub const VERIFIER_PATH: &str = "/crawlcheck-verify.mjs";

/// Witnesses speak of the newest head. After this time nobody adds to an older one.
const SETTLED_AFTER_MS: i64 = 3_600_000;

const HOW: &str = "Fetch the heads and walk prev_sth_sha256 from the newest to batch 0; of each, verify \
digest, signature and sums, and make batch_root anew from the leaves. Or read the tiles and prove with them \
that each checkpoint you kept is a beginning of the newest. The verifier does this for one answer, \
`wayleave log monitor` for the whole log.";

/// What of the log is to be described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordAsk {
    Head,
    /// Batches from this one (or the newest) down, at most so many.
    List {
        from: Option<u64>,
        limit: usize,
    },
    Leaf(Digest),
}

/// A batch, and who has seen the log at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownBatch {
    pub head: SealedHead,
    /// In the order of the tree.
    pub leaves: Vec<Digest>,
    pub witnesses: Vec<LogWitness>,
    /// Nobody adds to it any more.
    pub settled: bool,
}

impl Service {
    /// A batch as it is shown; nothing where there is no such batch yet.
    pub async fn log_shown(&self, batch: u64) -> Result<Option<ShownBatch>, SealError> {
        let Some((kept, said)) = self.log_batch(batch).await? else { return Ok(None) };
        let head = SealedHead::read(kept.sth).map_err(SealError::NotSigned)?;
        let settled = head.chain.created_at.plus_millis(SETTLED_AFTER_MS) <= self.clock.now();
        let witnesses = said.iter().map(witness).collect();
        Ok(Some(ShownBatch { head, leaves: kept.leaves, witnesses, settled }))
    }

    /// Signed heads from one batch to another, as far as there are any, the oldest first.
    pub async fn log_heads_between(&self, first: u64, last: u64) -> Result<Vec<Bytes>, SealError> {
        let Some(newest) = self.log_head()? else { return Ok(Vec::new()) };
        let last = last.min(newest.chain.batch);
        let Some(more) = last.checked_sub(first) else { return Ok(Vec::new()) };
        let count = usize::try_from(more).unwrap_or(usize::MAX).saturating_add(1);
        self.store.heads(first, count).await.map_err(SealError::NotKept)
    }

    /// The newest checkpoint, with what witnesses said of it. Nothing while the log is empty.
    pub async fn log_cosigned_checkpoint(&self) -> Result<Option<Note>, SealError> {
        let Some(head) = self.log_head()? else { return Ok(None) };
        let said = self.store.cosignatures(head.chain.tree_size).await;
        let said = said.map_err(SealError::NotKept)?;
        self.cosigned(&head, &said).map(Some)
    }

    /// The newest head that a witness cosigned.
    pub async fn log_witnessed(&self) -> Result<Option<LogWitnessed>, SealError> {
        let newest = self.log_head()?.map_or(0, |head| head.chain.tree_size);
        let size = self.store.last_cosigned().await.map_err(SealError::NotKept)?;
        // What is kept and not acknowledged yet is not shown.
        let Some(size) = size.filter(|size| (1..=newest).contains(size)) else { return Ok(None) };
        let batch = self.store.batch_at(size - 1).await.map_err(SealError::NotKept)?;
        let Some(batch) = batch.filter(|batch| batch.tree_size() == size) else {
            return Err(SealError::NotKept(StoreError::Damaged {
                what: "a cosigned size".to_owned(),
                why: "no batch ends there".to_owned(),
            }));
        };
        let said = self.store.cosignatures(size).await.map_err(SealError::NotKept)?;
        let head = SealedHead::read(batch.sth).map_err(SealError::NotSigned)?;
        Ok(Some(LogWitnessed {
            batch: head.chain.batch,
            tree_size: size,
            sth_sha256: head.chain.sha256.to_hex(),
            checkpoint: self.cosigned(&head, &said)?.to_string(),
            witnesses: said.iter().map(witness).collect(),
        }))
    }

    fn cosigned(&self, head: &SealedHead, said: &[Cosignature]) -> Result<Note, SealError> {
        let mut note = self.checkpoint_of(head).map_err(SealError::NotSigned)?;
        for said in said {
            let added = NoteSignature::parse(said.line.trim_end_matches('\n'));
            if let Err(error) = added.and_then(|signature| note.add(signature)) {
                tracing::warn!(%error, witness = said.witness, "a cosignature cannot be shown");
            }
        }
        Ok(note)
    }

    /// The description of the log, signed.
    pub async fn log_record(&self, ask: RecordAsk) -> Result<SignedDocument, SealError> {
        let head = self.log_head()?;
        let mut record = self.described(head.as_deref()).await?;
        match ask {
            RecordAsk::Head => {}
            RecordAsk::List { from, limit } => {
                record.list = self.listed(from, limit).await?;
                let last = record.list.last().map(|last| last.batch);
                record.cursor = last.and_then(|batch| batch.checked_sub(1)).map(|n| n.to_string());
                record.has_more = record.cursor.is_some();
            }
            RecordAsk::Leaf(leaf) => record.lookup = Some(self.looked_up(leaf).await?),
        }
        self.sign_document(&record, KeyPurpose::Documents).map_err(SealError::NotSigned)
    }

    async fn described(&self, head: Option<&SealedHead>) -> Result<LogRecord, SealError> {
        let about = About {
            signer: &self.signer(),
            brand: &self.settings.brand,
            base_url: &self.settings.base_url,
            log: &self.settings.log,
            now: self.clock.now(),
            contradictions: self.log_contradictions().await?,
        };
        about.describe(head).map_err(SealError::NotSigned)
    }

    pub(super) fn latest(&self, chain: &ChainHead) -> LogLatest {
        latest(chain, &self.settings.base_url)
    }

    async fn listed(
        &self,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LogBatchEntry>, SealError> {
        let heads = self.log_heads(from, limit).await?;
        let read = heads.into_iter().map(|bytes| {
            let chain = SealedHead::read(bytes).map_err(SealError::NotSigned)?.chain;
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

    async fn looked_up(&self, leaf: Digest) -> Result<LogLookup, SealError> {
        let leaf_hash = leaf.to_hex();
        let Some(found) = self.log_inclusion(leaf, None).await? else {
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

/// What the description of a log is made from, with a service around it or without.
pub(super) struct About<'a> {
    pub(super) signer: &'a Signer,
    pub(super) brand: &'a Brand,
    pub(super) base_url: &'a str,
    pub(super) log: &'a LogSettings,
    pub(super) now: Timestamp,
    pub(super) contradictions: u64,
}

impl About<'_> {
    pub(super) fn describe(&self, head: Option<&SealedHead>) -> Result<LogRecord, ProofError> {
        let (brand, base_url) = (self.brand, self.base_url);
        let at = |path: &str| format!("{base_url}{path}");
        let key = self.signer.key(KeyPurpose::LogHeads)?;
        let public = key.public();
        let origin = &self.log.origin;
        let vkey = VerifierKey::new(origin, SignatureType::Ed25519, public.clone())?;
        let chain = head.map(|head| &head.chain);
        Ok(LogRecord {
            kind: brand.kind("log"),
            v: 1,
            schema: contract::schema::address("log", brand, base_url),
            log_id: brand.log_id(),
            generated_at: self.now.whole_seconds(),
            tree_size: chain.map_or(0, |chain| chain.tree_size),
            batches: chain.map_or(0, |chain| chain.batch.saturating_add(1)),
            head: head.map(|head| head.document.clone()),
            latest: chain.map(|chain| latest(chain, base_url)),
            first: chain.map(|_| LogFirst { batch: 0, address: at("/api/v1/log/sth/0") }),
            rules: LogRules {
                leaf: LEAF_RULE.to_owned(),
                tree: TREE_RULE.to_owned(),
                chain: CHAIN_RULE.to_owned(),
            },
            content_rule: proof::content::CONTENT_RULE.to_owned(),
            key: SignatureKey {
                kid: public.kid().to_owned(),
                jwk: Jwk { kty: Jwk::KTY.to_owned(), crv: Jwk::CRV.to_owned(), x: public.x() },
                published_in: at(KEY_DIRECTORY_PATH),
            },
            witnesses: at("/api/v1/log/witness/latest"),
            promise: LogPromise {
                max_batch_interval_s: self.log.interval.as_millis().div_ceil(1_000) as u64,
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
            verify: LogVerify { how: HOW.to_owned(), verifier: at(VERIFIER_PATH) },
            sha256: None,
            signature: None,
        })
    }
}

fn latest(chain: &ChainHead, base_url: &str) -> LogLatest {
    LogLatest {
        batch: chain.batch,
        sth_sha256: chain.sha256.to_hex(),
        created_at: chain.created_at,
        address: format!("{base_url}/api/v1/log/sth/{}", chain.batch),
    }
}

fn witness(said: &Cosignature) -> LogWitness {
    LogWitness {
        token: said.line.trim_end_matches('\n').to_owned(),
        at: said.at,
        run: Some(said.witness.clone()),
        name: said.witness.clone(),
    }
}
