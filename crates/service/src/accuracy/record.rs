//! Serves what was measured: the newest record, that of a day, and the verdicts over time.

use std::collections::BTreeSet;

use bytes::Bytes;
use contract::records::{AccuracyCheck, AccuracyHistory, AccuracyRecord};
use contract::{Day, Domain, Issuer, Timestamp};
use proof::{Digest, KeyPurpose, SignedDocument};
use store::{StoreError, StoredAccuracy};

use super::{Accuracy, AccuracyError};

/// Checks in a history.
const MAX_CHECKS: usize = 1_000;

/// Which record is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccuracyQuery {
    /// The name of an engine; without it, the one that was asked last.
    pub engine: Option<String>,
    /// The day of the record; without it, the newest.
    pub day: Option<Day>,
}

/// See [`Accuracy::recent`].
#[derive(Debug)]
pub struct RecentAccuracy {
    pub history: AccuracyHistory,
    pub newest: Vec<AccuracyRecord>,
    pub today: Day,
}

impl Accuracy {
    /// The signed record, byte for byte as it was stored unless its key was compromised since, and the digest of the
    /// bytes.
    pub async fn record(
        &self,
        domain: &Domain,
        query: &AccuracyQuery,
    ) -> Result<(Bytes, Digest), AccuracyError> {
        let engine = query.engine.as_deref();
        let found = match query.day {
            None => self.store.newest_accuracy(domain, engine).await?,
            Some(day) => {
                let since = self.store.accuracy_of(domain, engine, day, MAX_CHECKS).await?;
                since.into_iter().find(|found| found.day() == day)
            }
        };
        let found = found.ok_or(AccuracyError::NotMeasured)?;
        let servable = self.keys.make_servable(vec![found.record]).await?;
        let bytes = servable.into_iter().next().unwrap_or_default();
        let digest = proof::sha256(&bytes);
        Ok((bytes, digest))
    }

    /// The verdicts of the last days, signed.
    pub async fn history(
        &self,
        domain: &Domain,
        engine: Option<String>,
        days: u32,
    ) -> Result<SignedDocument, AccuracyError> {
        let history = self.unsigned_history(domain, engine, days).await?;
        Ok(self.keys.sign_document(&history, KeyPurpose::Documents)?)
    }

    pub async fn unsigned_history(
        &self,
        domain: &Domain,
        engine: Option<String>,
        days: u32,
    ) -> Result<AccuracyHistory, AccuracyError> {
        let now = self.clock.now().whole_seconds();
        let from = Day::from_number(Day::of(now).number() - i64::from(days.saturating_sub(1)));
        let mut found =
            self.store.accuracy_of(domain, engine.as_deref(), from, MAX_CHECKS + 1).await?;
        if found.is_empty()
            && self.store.newest_accuracy(domain, engine.as_deref()).await?.is_none()
        {
            return Err(AccuracyError::NotMeasured);
        }
        let has_more = found.len() > MAX_CHECKS;
        found.truncate(MAX_CHECKS);
        let checks = found.iter().map(|stored| self.to_check(stored));
        Ok(AccuracyHistory {
            kind: self.issuer.brand.kind("ai-accuracy-history"),
            v: 1,
            domain: domain.clone(),
            engine,
            from,
            // The time of the newest check, so that the same history has the same bytes.
            generated_at: found.first().map_or(from.begins_at(), |newest| newest.checked_at),
            checks: checks.collect::<Result<_, _>>()?,
            has_more,
            sha256: None,
            signature: None,
        })
    }

    /// What the page of an owner shows: the verdicts of the last days, and the newest record of each engine in them.
    pub async fn recent(
        &self,
        domain: &Domain,
        days: u32,
    ) -> Result<RecentAccuracy, AccuracyError> {
        let history = self.unsigned_history(domain, None, days).await?;
        let engines: BTreeSet<&str> =
            history.checks.iter().map(|check| check.engine.as_str()).collect();
        let mut newest = Vec::new();
        for engine in engines {
            let found = self.store.newest_accuracy(domain, Some(engine)).await?;
            newest.extend(found.as_ref().map(parse).transpose()?);
        }
        Ok(RecentAccuracy { history, newest, today: Day::of(self.clock.now()) })
    }

    /// The newest record of an engine. A damaged one counts as none, so that a new one takes its place.
    pub(super) async fn newest_readable(
        &self,
        domain: &Domain,
        engine: &str,
    ) -> Result<Option<StoredAccuracy>, StoreError> {
        match self.store.newest_accuracy(domain, Some(engine)).await {
            Err(error @ StoreError::Damaged { .. }) => {
                tracing::error!(%error, "a damaged accuracy record is measured again");
                Ok(None)
            }
            found => found,
        }
    }

    fn to_check(&self, stored: &StoredAccuracy) -> Result<AccuracyCheck, StoreError> {
        let record = parse(stored)?;
        let fields = record.fields;
        Ok(AccuracyCheck {
            record: record_url(&self.issuer, &record.domain, &record.engine, record.checked_at),
            engine: record.engine,
            checked_at: record.checked_at,
            phone: fields.phone.verdict,
            address: fields.address.verdict,
            website: fields.website.verdict,
            hours: fields.hours.verdict,
            record_sha256: stored.sha256.to_hex(),
        })
    }
}

/// The address of the record of one day.
pub(super) fn record_url(
    issuer: &Issuer,
    domain: &Domain,
    engine: &str,
    checked_at: Timestamp,
) -> String {
    let day = Day::of(checked_at);
    // The names of engines need no escaping.
    format!("{}&engine={engine}&day={day}", issuer.domain_url("/api/v1/accuracy", domain))
}

pub(super) fn parse(stored: &StoredAccuracy) -> Result<AccuracyRecord, StoreError> {
    serde_json::from_slice(&stored.record).map_err(|error| StoreError::Damaged {
        what: format!("the accuracy record {}", stored.sha256),
        why: error.to_string(),
    })
}
