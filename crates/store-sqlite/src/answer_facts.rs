//! Reads what an answer is made from with one reader.

use contract::{Domain, Timestamp};
use store::{
    AnswerFacts, AnswerFactsQuery, AnswerInputs, AnswerStanding, BoxFuture, LatestStored,
    StoreError,
};

use crate::error::DatabaseError;
use crate::{
    SqliteStore, clocks, control, incidents, jobs, newest_answers, readings, revocations, scans,
};

impl AnswerInputs for SqliteStore {
    fn latest_stored<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<LatestStored, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read("reading the latest answer", move |connection| {
            Ok(LatestStored {
                answer: newest_answers::latest_digest(connection, &domain)?,
                scan: scans::find_newest_public(connection, domain.as_str())?,
            })
        }))
    }

    fn answer_facts(&self, query: AnswerFactsQuery) -> BoxFuture<'_, AnswerFacts> {
        const DOING: &str = "reading what an answer is made from";
        Box::pin(async move {
            let read = self.database.readers.read(DOING, move |connection| {
                let AnswerFactsQuery { domain, readings, clock_url, job_kind } = query;
                Ok(AnswerFacts {
                    readings: part(readings::find_compared_readings(connection, &domain, readings)),
                    clock: part(clocks::find_clock(connection, &clock_url)),
                    job: part(jobs::find_job(connection, job_kind, domain.as_str())),
                    claims: part(control::find_claims_of(connection, &domain)),
                })
            });
            read.await.unwrap_or_else(|error| AnswerFacts {
                readings: Err(error.clone()),
                clock: Err(error.clone()),
                job: Err(error.clone()),
                claims: Err(error),
            })
        })
    }

    fn answer_standing<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<AnswerStanding, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read(
            "reading which answer is in force",
            move |connection| {
                Ok(AnswerStanding {
                    latest: newest_answers::latest_digest(connection, &domain)?,
                    withheld: revocations::withheld_actions_of(connection, domain.as_str())?,
                    incident: incidents::find_open(connection, &domain, now)?,
                })
            },
        ))
    }
}

fn part<T>(read: Result<T, DatabaseError>) -> Result<T, StoreError> {
    read.map_err(|error| error.into_store_error("reading what an answer is made from"))
}
