//! Before an action: one decision, or up to fifty, each as a signed receipt that is kept before it
//! is given out.

mod evidence;
mod local;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::NameRefusal;
use contract::errors::ErrorCode;
use contract::limits::RESOLVE_BATCH_LIVE;
use contract::records::{
    DecisionReceipt, PreflightBatch, PreflightCheck, PreflightFault, PreflightRefusal,
    PreflightResult,
};
use futures_util::stream::{self, StreamExt};
use judge::decide::preflight::{Ask, Dress, Target, preflight, worst};
use proof::{KeyPurpose, ProofError, SignedDocument};
use serde_json::Value;
use store::{KeptDecision, StoreError};

use crate::decisions::DecisionError;
use crate::resolve::ResolveError;
use crate::{MayRead, Service};

/// Why there is no receipt. None of these is a decision: a decision against the caller is a receipt.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PreflightError {
    #[error(transparent)]
    Refused(#[from] PreflightRefusal),
    #[error("{refusal}")]
    BadName { of_url: bool, refusal: NameRefusal },
    #[error("nothing is kept of this domain; allow a live reading")]
    NothingKept,
    #[error("this address has had as many live readings as it may for now")]
    LiveLimit { wait: Duration },
    #[error("{0}")]
    CannotAnswer(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
}

impl PreflightError {
    /// The code that goes with it, and the member at fault.
    #[must_use]
    pub fn code(&self) -> (ErrorCode, Option<&str>) {
        match self {
            Self::Refused(refusal) => (refusal.code.clone(), Some(&refusal.param)),
            Self::BadName { of_url: true, .. } => (ErrorCode::BadUrl, Some("url")),
            Self::BadName { of_url: false, .. } => (ErrorCode::BadDomain, Some("domain")),
            Self::NothingKept => (ErrorCode::NotTracked, Some("live_ms")),
            Self::LiveLimit { .. } => (ErrorCode::RateLimited, None),
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
            ResolveError::NothingKept => Self::NothingKept,
            ResolveError::LiveLimit { wait } => Self::LiveLimit { wait },
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

/// A receipt and what is kept of it.
struct Decided {
    signed: SignedDocument,
    receipt: DecisionReceipt,
    kept: KeptDecision,
}

impl Service {
    /// Decides one check. The receipt is kept when this returns.
    pub async fn preflight(
        self: &Arc<Self>,
        check: &PreflightCheck,
        may_read: Arc<dyn MayRead>,
    ) -> Result<Bytes, PreflightError> {
        // An answer and all that is made of it are large: they are not carried on the stack.
        let decided = Box::pin(self.decide(check, may_read)).await?;
        self.store.put_decisions(vec![decided.kept]).await?;
        Ok(decided.signed.bytes.into())
    }

    /// Decides many, in their order; one that is refused leaves the others alone. All receipts are
    /// kept when this returns.
    pub async fn preflight_batch(
        self: &Arc<Self>,
        checks: Vec<Result<PreflightCheck, PreflightRefusal>>,
        may_read: Arc<dyn MayRead>,
    ) -> Result<Bytes, PreflightError> {
        let decided: Vec<Result<Decided, PreflightError>> = stream::iter(checks)
            .map(|check| {
                let may_read = Arc::clone(&may_read);
                async move { Box::pin(self.decide(&check?, may_read)).await }
            })
            .buffered(RESOLVE_BATCH_LIVE)
            .collect()
            .await;
        let kept = decided.iter().flatten().map(|decided| decided.kept.clone()).collect();
        self.store.put_decisions(kept).await?;
        let worst = worst(decided.iter().flatten().map(|decided| &decided.receipt.decision));
        let count = u32::try_from(decided.len()).unwrap_or(u32::MAX);
        let (mut results, mut receipts) = (Vec::new(), Vec::new());
        for (index, one) in (0..).zip(decided) {
            let (receipt, error) = match one {
                Ok(decided) => (Some(decided.signed.document), None),
                Err(error) => (None, Some(fault(&error))),
            };
            results.push(PreflightResult { index, result: None, error });
            receipts.push(receipt);
        }
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        let batch = PreflightBatch {
            kind: brand.kind("preflight-batch"),
            v: 1,
            schema: contract::schema::address("preflight-batch", brand, base_url),
            checked_at: self.clock.now(),
            count,
            results,
            worst,
            sha256: None,
            signature: None,
        };
        let mut batch = serde_json::to_value(batch)
            .map_err(|error| ProofError::NotCanonical(error.to_string()))?;
        // The very receipts that were signed, not what this build would write again.
        let members = batch.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten();
        for (result, receipt) in members.zip(receipts) {
            if let (Some(members), Some(receipt)) = (result.as_object_mut(), receipt) {
                members.insert("result".to_owned(), receipt);
            }
        }
        Ok(self.signer().sign_value(batch, KeyPurpose::Documents)?.bytes.into())
    }

    async fn decide(
        self: &Arc<Self>,
        check: &PreflightCheck,
        may_read: Arc<dyn MayRead>,
    ) -> Result<Decided, PreflightError> {
        let target = Target::of(check, self.scanner.names())
            .map_err(|refusal| PreflightError::BadName { of_url: check.url.is_some(), refusal })?;
        let evidence = self.evidence(check, &target, may_read).await?;
        let now = self.clock.now();
        let (brand, base_url) = (&self.settings.brand, self.settings.base_url.as_str());
        let ask = Ask { check, target: &target, now };
        let receipt = preflight(ask, evidence.known(), Dress { brand, base_url })?;
        let signed = self.sign_document(&receipt, KeyPurpose::Decisions)?;
        let kept = KeptDecision {
            lookup: KeptDecision::lookup_of(&signed.digest),
            domain: receipt.domain.clone(),
            action: receipt.action.as_str().to_owned(),
            decision: receipt.decision.as_str().to_owned(),
            answer_sha256: evidence.answer_sha256,
            decided_at: receipt.decided_at,
            expires_at: receipt.expires_at,
            sealed: Bytes::from(proof::envelope::seal(&signed.digest, &signed.bytes)?),
        };
        Ok(Decided { signed, receipt, kept })
    }
}

fn fault(error: &PreflightError) -> PreflightFault {
    let (code, param) = error.code();
    let sentence = match error {
        // What went wrong inside is nobody's business.
        PreflightError::Store(_) => "What is kept cannot be read now; try again.".to_owned(),
        PreflightError::Signing(_) => "This could not be signed.".to_owned(),
        PreflightError::CannotAnswer(_) => "This cannot be answered now.".to_owned(),
        told => told.to_string(),
    };
    PreflightFault { code, error: sentence, param: param.map(str::to_owned) }
}
