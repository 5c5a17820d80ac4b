//! Compares the stored readings of a domain with each other (`/api/corroboration`).

use std::collections::BTreeMap;

use contract::limits::READINGS_KEPT_PER_DOMAIN;
use contract::records::{FreshnessSource, Independence, ReadingNetwork};
use contract::{Domain, Timestamp};
use judge::resolve::corroboration::{ComparableReading, CorroborationContext, corroboration};
use proof::{KeyPurpose, ProofError};
use serde_json::Value;
use store::{ComparedReading, StoreError};

use crate::answers::{Answers, DocumentWithEtag};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorroborationError {
    #[error("no reading of this domain is stored")]
    NotTracked,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored reading cannot be parsed: {0}")]
    Unreadable(String),
}

impl Answers {
    /// Compares the newest `limit` readings. `field` keeps only fields with this prefix.
    pub async fn corroboration(
        &self,
        domain: &Domain,
        field: Option<&str>,
        limit: usize,
    ) -> Result<DocumentWithEtag, CorroborationError> {
        let readings = self.comparable_readings(domain, limit).await?;
        if readings.is_empty() {
            return Err(CorroborationError::NotTracked);
        }
        let context = CorroborationContext {
            issuer: &self.issuer,
            domain,
            now: Timestamp::from_millis(0),
            independence: independence(),
        };
        let mut record = corroboration(&context, &readings);
        if let Some(prefix) = field {
            record.fields.retain(|compared| compared.field.starts_with(prefix));
        }
        let etag = proof::sha256(&proof::canonical::to_vec(&record)?);
        record.generated_at = self.clock.now().whole_seconds();
        let document = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        Ok(DocumentWithEtag { document, etag })
    }

    /// The readings of a domain in comparable form, newest first.
    async fn comparable_readings(
        &self,
        domain: &Domain,
        limit: usize,
    ) -> Result<Vec<ComparableReading>, CorroborationError> {
        let stored =
            self.store.compared_readings_of(domain, limit.min(READINGS_KEPT_PER_DOMAIN)).await?;
        stored.into_iter().map(parse_reading).collect()
    }
}

fn parse_reading(stored: ComparedReading) -> Result<ComparableReading, CorroborationError> {
    let unreadable = |why: String| CorroborationError::Unreadable(why);
    let fields: BTreeMap<String, Value> =
        serde_json::from_slice(&stored.fields).map_err(|e| unreadable(e.to_string()))?;
    let basis = FreshnessSource::from_word(&stored.basis)
        .ok_or_else(|| unreadable(format!("`{}` is not a known basis", stored.basis)))?;
    Ok(ComparableReading {
        id: stored.id,
        observed_at: stored.observed_at,
        observer: stored.network.clone(),
        network: ReadingNetwork {
            name: stored.network,
            asn: None,
            country: None,
            region: None,
            rir: None,
        },
        basis,
        completed: stored.completed,
        fields,
    })
}

/// Which resolver a reading used is not recorded, so the weakest case is stated.
fn independence() -> Independence {
    Independence {
        same_operator: true,
        shared_resolver: true,
        note:
            "One operator made all readings. Which DNS resolver a reading used is not recorded, so \
               all readings are assumed to share one resolver."
                .to_owned(),
    }
}

#[cfg(test)]
mod tests;
