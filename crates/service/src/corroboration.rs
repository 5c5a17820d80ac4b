//! The kept readings of a domain, held against each other (`/api/corroboration`).

use std::collections::BTreeMap;

use contract::limits::INDEPENDENT_READINGS;
use contract::records::{FreshnessSource, Independence, ReadingNetwork};
use contract::{Domain, Timestamp};
use judge::resolve::corroboration::{About, ReadingSeen, corroboration};
use proof::{KeyPurpose, ProofError};
use serde_json::Value;
use store::{KeptReading, StoreError};

use crate::Service;
use crate::changes::Listed;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorroborationError {
    #[error("no reading of this domain is kept")]
    NotTracked,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a kept reading cannot be read: {0}")]
    Unreadable(String),
}

impl Service {
    /// The newest `limit` readings compared; `field` leaves only fields that begin so.
    pub async fn corroboration(
        &self,
        domain: &Domain,
        field: Option<&str>,
        limit: usize,
    ) -> Result<Listed, CorroborationError> {
        let readings = self.readings_seen(domain, limit).await?;
        if readings.is_empty() {
            return Err(CorroborationError::NotTracked);
        }
        let about = About {
            brand: &self.settings.brand,
            base_url: &self.settings.base_url,
            domain,
            now: Timestamp::from_millis(0),
            independence: independence(),
        };
        let mut record = corroboration(&about, &readings);
        if let Some(prefix) = field {
            record.fields.retain(|shown| shown.field.starts_with(prefix));
        }
        let name = proof::sha256(&proof::canonical::to_vec(&record)?);
        record.generated_at = self.clock.now().whole_seconds();
        let document = self.sign_document(&record, KeyPurpose::Documents)?;
        Ok(Listed { document, name })
    }

    /// The readings of a domain as they are compared, the newest first.
    pub(crate) async fn readings_seen(
        &self,
        domain: &Domain,
        limit: usize,
    ) -> Result<Vec<ReadingSeen>, CorroborationError> {
        let kept = self.store.readings_of(domain, limit.min(INDEPENDENT_READINGS)).await?;
        kept.into_iter().map(seen).collect()
    }
}

fn seen(kept: KeptReading) -> Result<ReadingSeen, CorroborationError> {
    let unreadable = |why: String| CorroborationError::Unreadable(why);
    let fields: BTreeMap<String, Value> =
        serde_json::from_slice(&kept.fields).map_err(|e| unreadable(e.to_string()))?;
    let basis = FreshnessSource::known(&kept.basis)
        .ok_or_else(|| unreadable(format!("`{}` is no basis", kept.basis)))?;
    Ok(ReadingSeen {
        id: kept.id,
        observed_at: kept.observed_at,
        observer: kept.network.clone(),
        network: ReadingNetwork {
            name: kept.network,
            asn: None,
            country: None,
            region: None,
            rir: None,
        },
        basis,
        completed: kept.completed,
        fields,
    })
}

/// Which resolver a reading used is not kept, so no more is claimed than the least.
fn independence() -> Independence {
    Independence {
        same_operator: true,
        shared_resolver: true,
        note: "One operator made all readings. Whether two networks asked through one resolver is \
               not recorded, so it is taken that they did."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests;
