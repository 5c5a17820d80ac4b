//! Reads what an answer is made from with one reader.

use contract::{Domain, Timestamp};
use rusqlite::Connection;
use store::{
    AnswerFacts, AnswerFactsQuery, AnswerInputs, AnswerStanding, BoxFuture, LatestStored,
    StoreError,
};

use crate::error::DatabaseError;
use crate::snapshot::in_snapshot;
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
            in_snapshot(connection, |connection| {
                Ok(LatestStored {
                    answer: newest_answers::latest_digest(connection, &domain)?,
                    scan: scans::find_newest_public(connection, domain.as_str())?,
                })
            })
        }))
    }

    fn answer_facts(&self, query: AnswerFactsQuery) -> BoxFuture<'_, AnswerFacts> {
        Box::pin(async move {
            let read = move |connection: &Connection| {
                in_snapshot(connection, |connection| Ok(find_facts(connection, query)))
            };
            self.database.readers.read(FACTS, read).await.unwrap_or_else(no_facts)
        })
    }

    fn standing_and_facts(
        &self,
        query: AnswerFactsQuery,
        now: Timestamp,
    ) -> BoxFuture<'_, (Result<AnswerStanding, StoreError>, AnswerFacts)> {
        Box::pin(async move {
            let read = self.database.readers.read(STANDING, move |connection| {
                in_snapshot(connection, |connection| {
                    let standing = find_standing(connection, &query.domain, now);
                    let standing = standing.map_err(|error| error.into_store_error(STANDING));
                    Ok((standing, find_facts(connection, query)))
                })
            });
            read.await.unwrap_or_else(|error| (Err(error.clone()), no_facts(error)))
        })
    }

    fn answer_standing<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<AnswerStanding, StoreError>> {
        let domain = domain.clone();
        let read = move |connection: &Connection| {
            in_snapshot(connection, |connection| find_standing(connection, &domain, now))
        };
        Box::pin(self.database.readers.read(STANDING, read))
    }
}

const STANDING: &str = "reading which answer is in force";
const FACTS: &str = "reading what an answer is made from";

fn find_standing(
    connection: &Connection,
    domain: &Domain,
    now: Timestamp,
) -> Result<AnswerStanding, DatabaseError> {
    Ok(AnswerStanding {
        latest: newest_answers::latest_digest(connection, domain)?,
        withheld: revocations::withheld_actions_of(connection, domain.as_str())?,
        incident: incidents::find_open(connection, domain, now)?,
    })
}

fn find_facts(connection: &Connection, query: AnswerFactsQuery) -> AnswerFacts {
    let AnswerFactsQuery { domain, readings, clock_url, job_kind } = query;
    AnswerFacts {
        readings: part(readings::find_compared_readings(connection, &domain, readings)),
        clock: part(clocks::find_clock(connection, &clock_url)),
        job: part(jobs::find_job(connection, job_kind, domain.as_str())),
        claims: part(control::find_claims_of(connection, &domain)),
    }
}

fn part<T>(read: Result<T, DatabaseError>) -> Result<T, StoreError> {
    read.map_err(|error| error.into_store_error(FACTS))
}

fn no_facts(error: StoreError) -> AnswerFacts {
    AnswerFacts {
        readings: Err(error.clone()),
        clock: Err(error.clone()),
        job: Err(error.clone()),
        claims: Err(error),
    }
}
