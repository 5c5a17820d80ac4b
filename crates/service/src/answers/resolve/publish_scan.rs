//! Builds the answer from a full scan, and records in the same transaction what changed and which
//! actions are revoked.

use std::sync::Arc;

use contract::records::{ChangeEntry, ResolveAnswer};
use contract::{Domain, Timestamp};
use judge::resolve::changes::{ChangeContext, detect_changes};
use proof::Digest;
use store::{AppendExtras, NewChange};

use super::build_answer::NewReading;
use super::cached_answers::CachedAnswer;
use super::query::ResolveError;
use super::upgrade_windows::UPGRADE_JOB;
use crate::answers::Answers;
use crate::answers::revocations::AnswerRevocations;
use crate::log::ExtrasBuilder;

impl Answers {
    /// Builds the answer from a full scan. It replaces the previous answer.
    pub(super) async fn publish_scan(
        self: &Arc<Self>,
        new_reading: NewReading,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let domain = new_reading.sections.domain.clone();
        let facts = self.load_stored_facts(&domain, false).await;
        let store_reading = self.store_reading(new_reading.reading.clone(), None);
        let seal = self.seal_new_reading(new_reading, facts, None);
        let (stored, sealed) = tokio::join!(store_reading, seal);
        stored?;
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "scan").increment(1);
        sealed
    }

    /// Updates the answer about a domain from its newest public scan. Without an earlier answer, only if
    /// `also_first`: somebody is about to read its decisions on the report. The next resolve would do the
    /// same, so a failure is only logged.
    pub(crate) async fn update_answer_from_scan(
        self: &Arc<Self>,
        domain: &Domain,
        id: &str,
        also_first: bool,
    ) {
        let update = async {
            if !also_first && self.store.latest_answer(domain).await?.is_none() {
                return Ok(());
            }
            let Some(reading) = self.reading_from_scan(id, None).await? else { return Ok(()) };
            self.publish_scan(reading).await.map(|_| ())
        };
        let updated: Result<(), ResolveError> = update.await;
        match updated {
            Ok(()) => {
                // A scan that was queued for this domain is no longer needed.
                if let Ok(Some(job)) = self.store.job(UPGRADE_JOB, domain.as_str()).await
                    && let Err(error) = self.store.finish_job(job.id).await
                {
                    tracing::warn!(%error, "a queued scan that is no longer needed could not be removed");
                }
            }
            Err(error) => {
                tracing::warn!(%error, %domain, "the answer could not be updated from a scan")
            }
        }
    }

    /// Builds the answer from a scan of a census.
    pub async fn publish_census_scan(
        self: &Arc<Self>,
        id: &str,
        run: u64,
        rank: u64,
    ) -> Result<Option<Arc<CachedAnswer>>, ResolveError> {
        let Some(reading) = self.reading_from_scan(id, Some((run, rank))).await? else {
            return Ok(None);
        };
        self.publish_scan(reading).await.map(Some)
    }
}

/// What is stored in one transaction with an answer: the changes since the previous answer, the
/// revocations, and the withheld actions. It is completed once the digest of the answer is known.
pub(super) fn append_extras(
    previous: Option<Arc<ResolveAnswer>>,
    answer: Arc<ResolveAnswer>,
    revoked: AnswerRevocations,
    at: Timestamp,
) -> Option<ExtrasBuilder> {
    if previous.is_none() && revoked == AnswerRevocations::default() {
        return None;
    }
    Some(Box::new(move |sha256: &Digest| {
        let context = ChangeContext { at, after_sha256: Some(sha256.to_hex()), evidence: None };
        let entries = previous
            .map(|previous| detect_changes(&previous, &answer, &context))
            .unwrap_or_default();
        let changes = entries.iter().filter_map(|entry| to_new_change(&answer.domain, entry));
        let AnswerRevocations { revocations, withheld_actions } = revoked.with_replacement(*sha256);
        let changes = changes.collect();
        AppendExtras { changes, revocations, withheld_actions, ..AppendExtras::default() }
    }))
}

fn to_new_change(domain: &Domain, entry: &ChangeEntry) -> Option<NewChange> {
    let body = proof::canonical::to_vec(entry)
        .inspect_err(|error| tracing::error!(%error, "a change cannot be serialised"))
        .ok()?;
    Some(NewChange {
        domain: domain.clone(),
        at: entry.at,
        section: entry.section.clone(),
        direction: entry.direction.as_str().to_owned(),
        body: body.into(),
    })
}
