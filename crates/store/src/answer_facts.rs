//! What is stored about a domain that an answer states or depends on, read together: an engine with one reader for
//! all of it is asked once and not once for each.

use contract::{Domain, Timestamp};

use crate::{
    Answers, BoxFuture, ClockAndVersions, Clocks, ComparedReading, Control, Digest, Incidents, Job,
    Jobs, OwnerIncident, Readings, Revocations, ScanRow, ScanScope, Scans, StoreError, StoredClaim,
    WithheldActions,
};

/// Which facts are read.
#[derive(Debug, Clone)]
pub struct AnswerFactsQuery {
    pub domain: Domain,
    /// At most so many readings, the newest.
    pub readings: usize,
    /// The page whose content clock is read.
    pub clock_url: String,
    /// The kind of the job that scans the domain.
    pub job_kind: &'static str,
}

/// Each may fail by itself: an answer then repeats what the one before it says about that.
#[derive(Debug)]
pub struct AnswerFacts {
    pub readings: Result<Vec<ComparedReading>, StoreError>,
    pub clock: Result<Option<ClockAndVersions>, StoreError>,
    pub job: Result<Option<Job>, StoreError>,
    pub claims: Result<Vec<StoredClaim>, StoreError>,
}

/// The newest of what is stored about a domain.
#[derive(Debug)]
pub struct LatestStored {
    /// The digest of the latest answer.
    pub answer: Option<Digest>,
    /// The newest public scan.
    pub scan: Option<ScanRow>,
}

/// What decides which answer may be served now. Without it none is.
#[derive(Debug)]
pub struct AnswerStanding {
    /// The digest of the latest answer.
    pub latest: Option<Digest>,
    pub withheld: Option<WithheldActions>,
    /// The incident that is open at the time asked about.
    pub incident: Option<OwnerIncident>,
}

/// Reads several kinds of data at once. The methods here have the results of the methods of each kind; an engine
/// implements them to read in one go.
pub trait AnswerInputs:
    Answers + Scans + Readings + Clocks + Jobs + Control + Revocations + Incidents
{
    fn latest_stored<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<LatestStored, StoreError>> {
        Box::pin(async move {
            let scans = self.scans_of(domain, ScanScope::PublicOnly, None, 1).await?;
            Ok(LatestStored {
                answer: self.latest_digests(vec![domain.clone()]).await?.pop().flatten(),
                scan: scans.into_iter().next(),
            })
        })
    }

    fn answer_facts(&self, query: AnswerFactsQuery) -> BoxFuture<'_, AnswerFacts> {
        Box::pin(async move {
            AnswerFacts {
                readings: self.compared_readings_of(&query.domain, query.readings).await,
                clock: self.clock(&query.clock_url).await,
                job: self.job(query.job_kind, query.domain.as_str()).await,
                claims: self.claims_of(&query.domain).await,
            }
        })
    }

    /// Both of the following, for an answer that will be made again.
    fn standing_and_facts(
        &self,
        query: AnswerFactsQuery,
        now: Timestamp,
    ) -> BoxFuture<'_, (Result<AnswerStanding, StoreError>, AnswerFacts)> {
        Box::pin(async move {
            (self.answer_standing(&query.domain, now).await, self.answer_facts(query.clone()).await)
        })
    }

    fn answer_standing<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<AnswerStanding, StoreError>> {
        Box::pin(async move {
            Ok(AnswerStanding {
                latest: self.latest_digests(vec![domain.clone()]).await?.pop().flatten(),
                withheld: self.withheld_actions_for(domain).await?,
                incident: self.open_incident(domain, now).await?,
            })
        })
    }
}
