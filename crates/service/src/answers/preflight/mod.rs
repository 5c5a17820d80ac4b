//! Preflight: decides one planned action, or up to fifty. Each decision is a signed receipt that is
//! stored before it is returned.

mod evidence;
mod local;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::errors::ErrorCode;
use contract::limits::RESOLVE_BATCH_CONCURRENCY;
use contract::records::{
    DecisionReceipt, PreflightBatch, PreflightCheck, PreflightItemError, PreflightRefusal,
    PreflightResult,
};
use contract::{Issuer, NameRefusal, Timestamp};
use futures_util::stream::{self, StreamExt};
use judge::decide::preflight::{ActionTarget, PreflightQuery, decide_preflight, strictest};
use proof::canonical::LargeMember;
use proof::{Digest, KeyPurpose, ProofError, SignedLayout, SignedRecord};
use store::{StoreError, StoredDecision};

use crate::access::LiveReadPermit;
use crate::answers::Answers;
use crate::answers::decisions::DecisionError;
use crate::answers::resolve::ResolveError;
use crate::answers::stored_receipt::compress_receipt;
use crate::signing_keys::SigningKeys;

use evidence::PreflightEvidence;

/// Why there is no receipt. A decision against the action is not an error: it is a receipt.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PreflightError {
    #[error(transparent)]
    Refused(#[from] PreflightRefusal),
    #[error("{refusal}")]
    BadName { of_url: bool, refusal: NameRefusal },
    #[error("no answer about this domain is stored; permit a live read")]
    NothingStored,
    #[error("the limit of live reads for this address is reached")]
    LiveLimit { wait: Duration },
    #[error("this site is read as often as this service may read it, over all callers")]
    TargetLimit { wait: Duration },
    #[error("{0}")]
    CannotAnswer(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
}

impl PreflightError {
    /// The error code, and the request member that caused the error.
    #[must_use]
    pub fn code(&self) -> (ErrorCode, Option<&str>) {
        match self {
            Self::Refused(refusal) => (refusal.code.clone(), Some(&refusal.param)),
            Self::BadName { of_url: true, .. } => (ErrorCode::BadUrl, Some("url")),
            Self::BadName { of_url: false, .. } => (ErrorCode::BadDomain, Some("domain")),
            Self::NothingStored => (ErrorCode::NotTracked, Some("live_ms")),
            Self::LiveLimit { .. } | Self::TargetLimit { .. } => (ErrorCode::RateLimited, None),
            Self::CannotAnswer(_) => (ErrorCode::CannotAnswer, None),
            Self::Store(_) => (ErrorCode::StoreUnreadable, None),
            Self::Signing(_) => (ErrorCode::SigningUnavailable, None),
        }
    }
}

impl From<ResolveError> for PreflightError {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::BadDomain(refusal) => Self::BadName { of_url: false, refusal },
            ResolveError::NothingStored => Self::NothingStored,
            ResolveError::LiveLimit { wait } => Self::LiveLimit { wait },
            ResolveError::TargetLimit { wait } => Self::TargetLimit { wait },
            ResolveError::Store(error) => Self::Store(error),
            other => Self::CannotAnswer(other.to_string()),
        }
    }
}

impl From<DecisionError> for PreflightError {
    fn from(error: DecisionError) -> Self {
        match error {
            DecisionError::Store(error) => Self::Store(error),
            other => Self::CannotAnswer(other.to_string()),
        }
    }
}

/// A signed receipt, and what is stored of it.
struct IssuedReceipt {
    signed: SignedRecord,
    receipt: DecisionReceipt,
    stored: StoredDecision,
}

impl Answers {
    /// Decides one check. The receipt is stored when this returns.
    pub async fn preflight(
        self: &Arc<Self>,
        check: &PreflightCheck,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<Bytes, PreflightError> {
        // Boxed, because the future holds a whole answer.
        let decided = Box::pin(self.issue_receipt(check, permit)).await?;
        self.store.put_decisions(vec![decided.stored]).await?;
        Ok(decided.signed.bytes.into())
    }

    /// Decides several checks. The results are in the order of the checks; an error in one does not
    /// affect the others. All receipts are stored when this returns.
    pub async fn preflight_batch(
        self: &Arc<Self>,
        checks: Vec<Result<PreflightCheck, PreflightRefusal>>,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<Bytes, PreflightError> {
        let decided: Vec<Result<IssuedReceipt, PreflightError>> = stream::iter(checks)
            .map(|check| {
                let (answers, permit) = (Arc::clone(self), Arc::clone(&permit));
                // Each is a task of its own, so that together they do not hold up a worker.
                async move {
                    let check = check?;
                    let issuing = tokio::spawn(async move {
                        Box::pin(answers.issue_receipt(&check, permit)).await
                    });
                    issuing
                        .await
                        .map_err(|error| PreflightError::CannotAnswer(error.to_string()))?
                }
            })
            .buffered(RESOLVE_BATCH_CONCURRENCY)
            .collect()
            .await;
        let to_store = decided.iter().flatten().map(|decided| decided.stored.clone()).collect();
        self.store.put_decisions(to_store).await?;
        let (issuer, keys, now) = (self.issuer.clone(), Arc::clone(&self.keys), self.clock.now());
        // Fifty receipts are put together and hashed, which takes milliseconds.
        let signing = tokio::task::spawn_blocking(move || sign_batch(decided, &issuer, now, &keys));
        signing.await.map_err(|error| PreflightError::CannotAnswer(error.to_string()))?
    }

    async fn issue_receipt(
        self: &Arc<Self>,
        check: &PreflightCheck,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<IssuedReceipt, PreflightError> {
        let target = ActionTarget::from_check(check, self.scanner.name_policy())
            .map_err(|refusal| PreflightError::BadName { of_url: check.url.is_some(), refusal })?;
        let evidence = self.gather_evidence(check, &target, permit).await?;
        let now = self.clock.now();
        if evidence.is_decided_soon() {
            return decide_and_sign(check, &target, &evidence, now, &self.issuer, &self.keys);
        }
        let (check, issuer, keys) = (check.clone(), self.issuer.clone(), Arc::clone(&self.keys));
        // It would hold up an async worker.
        let issuing = tokio::task::spawn_blocking(move || {
            decide_and_sign(&check, &target, &evidence, now, &issuer, &keys)
        });
        issuing.await.map_err(|error| PreflightError::CannotAnswer(error.to_string()))?
    }
}

/// The signed batch of receipts and errors, in the order of the checks.
fn sign_batch(
    decided: Vec<Result<IssuedReceipt, PreflightError>>,
    issuer: &Issuer,
    checked_at: Timestamp,
    keys: &SigningKeys,
) -> Result<Bytes, PreflightError> {
    let worst = strictest(decided.iter().flatten().map(|decided| &decided.receipt.decision));
    let count = u32::try_from(decided.len()).unwrap_or(u32::MAX);
    // The receipts are inserted as they were signed, without parsing or serialising them again.
    let mut write_results = |out: &mut Vec<u8>| {
        out.push(b'[');
        for (index, result) in (0..).zip(&decided) {
            if index > 0 {
                out.push(b',');
            }
            let error = result.as_ref().err().map(item_error);
            let item = PreflightResult { index, result: None, error };
            out.append(&mut proof::canonical::to_vec(&item)?);
            if let Ok(decided) = result {
                // After all other members in canonical order.
                out.pop();
                out.extend_from_slice(br#","result":"#);
                embed(&decided.signed.bytes, out)?;
                out.push(b'}');
            }
        }
        out.push(b']');
        Ok(())
    };
    let receipts = decided.iter().flatten().map(|decided| decided.signed.bytes.len());
    let length = receipts.sum::<usize>() + 200 * decided.len();
    let results = LargeMember { name: "results", length, write: &mut write_results };
    let Issuer { brand, base_url } = issuer;
    let batch = PreflightBatch {
        kind: brand.kind("preflight-batch"),
        v: 1,
        schema: contract::schema::schema_url("preflight-batch", brand, base_url),
        checked_at,
        count,
        results: Vec::new(),
        worst,
        sha256: None,
        signature: None,
    };
    let signed = keys.sign_record_with(&batch, results, KeyPurpose::Documents)?;
    Ok(signed.bytes.into())
}

/// Appends a signed receipt as a value inside another canonical document.
fn embed(receipt: &[u8], out: &mut Vec<u8>) -> Result<(), ProofError> {
    match SignedLayout::find(receipt) {
        Some(layout) if layout.write_canonical(receipt, out) => Ok(()),
        _ => proof::embedding::write_canonical(receipt, out),
    }
}

fn decide_and_sign(
    check: &PreflightCheck,
    target: &ActionTarget,
    evidence: &PreflightEvidence,
    now: Timestamp,
    issuer: &Issuer,
    keys: &SigningKeys,
) -> Result<IssuedReceipt, PreflightError> {
    let query = PreflightQuery { check, target, now };
    let receipt = decide_preflight(query, evidence.to_facts(), issuer)?;
    sign_receipt(receipt, evidence.answer_sha256, keys)
}

fn sign_receipt(
    receipt: DecisionReceipt,
    answer_sha256: Digest,
    keys: &SigningKeys,
) -> Result<IssuedReceipt, PreflightError> {
    let signed = keys.sign_record(&receipt, KeyPurpose::Decisions)?;
    let packed = compress_receipt(&signed.bytes)?;
    let stored = StoredDecision {
        lookup: StoredDecision::lookup_of(&signed.digest),
        domain: receipt.domain.clone(),
        action: receipt.action.as_str().to_owned(),
        decision: receipt.decision.as_str().to_owned(),
        answer_sha256,
        decided_at: receipt.decided_at,
        expires_at: receipt.expires_at,
        sealed: Bytes::from(proof::envelope::encrypt(&signed.digest, &packed)?),
    };
    Ok(IssuedReceipt { signed, receipt, stored })
}

fn item_error(error: &PreflightError) -> PreflightItemError {
    let (code, param) = error.code();
    let message = match error {
        // Internal details are not for the caller.
        PreflightError::Store(_) => "The store cannot be read. Try again.".to_owned(),
        PreflightError::Signing(_) => "The receipt could not be signed. Try again.".to_owned(),
        PreflightError::CannotAnswer(_) => "No answer can be given now. Try again.".to_owned(),
        other => other.to_string(),
    };
    PreflightItemError { code, error: message, param: param.map(str::to_owned) }
}
