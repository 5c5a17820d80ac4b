//! Asks one engine about one business, and stores the signed record.

use std::sync::Arc;
use std::time::Duration;

use contract::engine_evidence::{EngineFailure, EngineReading};
use contract::limits::ENGINE_ASK_BUDGET;
use contract::records::{AccuracyPrompt, AccuracyRecord};
use contract::{Day, Domain, Issuer, Timestamp};
use declared::engine_answer::read_engine_answer;
use judge::business::{PublishedFacts, judge_statement, wrong_fields};
use observe::engine::{Engine, Question, ask_engine};
use proof::{Digest, KeyPurpose};
use store::{StoreError, StoredAccuracy};

use super::Accuracy;
use super::changes::verdict_changes;
use crate::access::LiveReadPermit;
use crate::answers::resolve::ResolveError;

/// A reading of the site that is older is replaced by a new one.
const FACTS_HOURS: u32 = 24;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error("the calls or tokens of this day are used up")]
    BudgetSpent,
    #[error("the site could not be read")]
    SiteNotRead,
    #[error("{}", .0.detail)]
    Engine(EngineFailure),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
    #[error("the evidence cannot be serialised: {0}")]
    Evidence(#[from] serde_json::Error),
}

/// Our own readings are bounded by the limits of targets alone.
struct OwnRead;

impl LiveReadPermit for OwnRead {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

impl Accuracy {
    /// Measures a domain with an engine now. `None` if there already is a record of today.
    pub async fn measure(
        &self,
        domain: &Domain,
        engine: &Engine,
    ) -> Result<Option<AccuracyRecord>, MeasureError> {
        let day = Day::of(self.clock.now());
        let before = self.newest_readable(domain, &engine.name).await?;
        if before.as_ref().is_some_and(|before| Day::of(before.checked_at) >= day) {
            return Ok(None);
        }
        let facts = self.answers.published_facts(domain, Some(FACTS_HOURS), Arc::new(OwnRead));
        let facts = facts.await?.ok_or(MeasureError::SiteNotRead)?;
        if !self.draw_call(day).await? {
            return Err(MeasureError::BudgetSpent);
        }
        let reading = ask(engine, &facts, self.clock.now()).await;
        self.count_cost(day, &reading).await?;
        if let Some(failure) = &reading.failure {
            return Err(MeasureError::Engine(failure.clone()));
        }
        let record = judge_reading(&self.issuer, &facts, &reading);
        let signed = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        let sha256 = signed.digest.to_hex();
        let changes = match before.as_ref().map(super::record::parse) {
            Some(Ok(before)) => verdict_changes(&self.issuer, &before, &record, &sha256),
            Some(Err(error)) => {
                tracing::error!(%error, "an accuracy record cannot be compared");
                Vec::new()
            }
            None => Vec::new(),
        };
        let stored = StoredAccuracy {
            domain: domain.clone(),
            engine: engine.name.clone(),
            checked_at: record.checked_at,
            sha256: signed.digest,
            record: signed.bytes.into(),
            evidence: serde_json::to_vec(&reading)?.into(),
        };
        let is_first = self.store.put_accuracy(stored, changes).await?;
        tracing::info!(%domain, engine = engine.name, wrong = ?record.wrong, "an engine was measured");
        Ok(is_first.then_some(record))
    }
}

/// Asks an engine about the business behind a site.
pub(super) async fn ask(engine: &Engine, facts: &PublishedFacts, now: Timestamp) -> EngineReading {
    let question = Question {
        domain: &facts.domain,
        name: facts.untrusted_name.as_deref(),
        city: None,
        country: facts.country.as_deref(),
    };
    ask_engine(engine, &question, now.whole_seconds(), ENGINE_ASK_BUDGET).await
}

/// The record of an answer, not signed yet.
pub(super) fn judge_reading(
    issuer: &Issuer,
    facts: &PublishedFacts,
    reading: &EngineReading,
) -> AccuracyRecord {
    let answer = reading.answer.as_deref().unwrap_or_default();
    let statement = read_engine_answer(answer, &reading.sources);
    let fields = judge_statement(facts, &statement);
    let checked_at = reading.asked_at;
    AccuracyRecord {
        kind: issuer.brand.kind("ai-accuracy"),
        v: 1,
        domain: facts.domain.clone(),
        engine: reading.engine.clone(),
        model: reading.model.clone(),
        checked_at,
        wrong: wrong_fields(&fields),
        fields,
        sources: statement.sources,
        prompt: AccuracyPrompt {
            version: reading.prompt_version,
            sha256: reading.prompt_sha256.clone(),
        },
        declared_at: facts.read_at,
        answer_sha256: Digest::of(answer.as_bytes()).to_hex(),
        // By the day: the digest of the record cannot be in the record.
        seal: issuer.url(&format!("/api/seal/lookup?day={}", Day::of(checked_at))),
        sha256: None,
        signature: None,
    }
}
