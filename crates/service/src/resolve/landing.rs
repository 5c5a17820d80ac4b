//! A full scan lands: the answer is replaced, and what changed is written down with it.

use std::sync::Arc;

use contract::Domain;
use contract::records::{ChangeEntry, ResolveAnswer};
use judge::resolve::changes::{Seen, changes};
use proof::Digest;
use store::{Beside, NewChange, Standing};

use super::making::{Fresh, UPGRADE};
use super::{HotAnswer, ResolveError};
use crate::Service;
use crate::log::WriteBeside;
use crate::revocations::{Entries, revocation_entries};

impl Service {
    /// The answer from a full scan, in the place of the last one.
    pub(super) async fn land(
        self: &Arc<Self>,
        fresh: Fresh,
        before: Option<Box<ResolveAnswer>>,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        let domain = fresh.sections.domain.clone();
        let told = self.told(&domain, false).await;
        let keep = self.keep_reading(fresh.reading.clone(), None);
        let (kept, sealed) = tokio::join!(keep, self.seal_sections(fresh, told, None, before));
        kept?;
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "scan").increment(1);
        sealed
    }

    /// Makes the answer from the newest public scan, for a domain that was answered about before.
    /// An answer is also made from it when somebody next asks, so nothing is lost if this fails.
    pub(crate) async fn scan_landed(self: &Arc<Self>, domain: &Domain, id: &str) {
        let landed = async {
            let Some(before) = self.last_answer(domain).await? else { return Ok(()) };
            let Some(fresh) = self.fresh_from_scan(id, None).await? else { return Ok(()) };
            self.land(fresh, Some(before)).await.map(|_| ())
        };
        let landed: Result<(), ResolveError> = landed.await;
        match landed {
            Ok(()) => {
                // What was queued is done, whoever did it.
                if let Ok(Some(job)) = self.store.job(UPGRADE, domain.as_str()).await
                    && let Err(error) = self.store.finish_job(job.id).await
                {
                    tracing::warn!(%error, "a scan that was made stays queued");
                }
            }
            Err(error) => tracing::warn!(%error, %domain, "a scan landed without its answer"),
        }
    }

    /// Makes the answer from a scan that was made for a ranked list.
    pub async fn land_census(
        self: &Arc<Self>,
        id: &str,
        run: u64,
        rank: u64,
    ) -> Result<Option<Arc<HotAnswer>>, ResolveError> {
        let Some(fresh) = self.fresh_from_scan(id, Some((run, rank))).await? else {
            return Ok(None);
        };
        let before = self.last_answer(&fresh.sections.domain).await?;
        self.land(fresh, before).await.map(Some)
    }

    /// What is written in one step with an answer: its changes against the one before, and what it
    /// takes back.
    pub(super) fn beside(
        &self,
        before: Option<Box<ResolveAnswer>>,
        after: ResolveAnswer,
        standing: Option<&Standing>,
    ) -> Option<WriteBeside> {
        let now = self.clock.now().whole_seconds();
        let taken_back = revocation_entries(before.as_deref(), &after, standing, now);
        if before.is_none() && taken_back == Entries::default() {
            return None;
        }
        Some(Box::new(move |after_sha256: &Digest| {
            let seen = Seen { at: now, after_sha256: Some(after_sha256.to_hex()), evidence: None };
            let entries = before.map(|before| changes(&before, &after, &seen)).unwrap_or_default();
            let changes = entries.iter().filter_map(|entry| new_change(&after.domain, entry));
            let Entries { revocations, standings } = taken_back.replaced_by(*after_sha256);
            Beside { changes: changes.collect(), revocations, standings }
        }))
    }
}

fn new_change(domain: &Domain, entry: &ChangeEntry) -> Option<NewChange> {
    let body = proof::canonical::to_vec(entry)
        .inspect_err(|error| tracing::error!(%error, "a change cannot be written down"))
        .ok()?;
    Some(NewChange {
        domain: domain.clone(),
        at: entry.at,
        section: entry.section.clone(),
        direction: entry.direction.as_str().to_owned(),
        body: body.into(),
    })
}
