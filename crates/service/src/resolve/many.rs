//! Many domains in one call: in the order asked, each answer signed by itself.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::Domain;
use contract::limits::{RESOLVE_BATCH_BUDGET, RESOLVE_BATCH_LIVE};
use contract::records::ResolveBatch;
use futures_util::stream::{self, StreamExt};

use proof::{KeyPurpose, ProofError};

use super::{HotAnswer, Live, ResolveAsk, ResolveError};
use crate::{MayRead, Service};

#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ManyAsk {
    /// As typed.
    pub domains: Vec<String>,
    pub live: Live,
    pub max_age_hours: Option<u32>,
    pub may_read: Arc<dyn MayRead>,
}

/// What came of each domain, in the order asked.
#[derive(Debug)]
pub struct Many(pub Vec<Result<Arc<HotAnswer>, NotAnswered>>);

#[derive(Debug, thiserror::Error)]
pub enum NotAnswered {
    #[error(transparent)]
    Failed(ResolveError),
    #[error("the time of this call was over before it was read")]
    TimeIsUp,
}

impl Service {
    /// The whole of a batch, signed.
    pub fn sign_resolve_batch(&self, record: &ResolveBatch) -> Result<Bytes, ProofError> {
        Ok(self.sign_document(record, KeyPurpose::Documents)?.bytes.into())
    }

    /// Duplicates are answered once and given as often as they were asked for.
    pub async fn resolve_many(self: &Arc<Self>, ask: ManyAsk) -> Many {
        let parsed: Vec<Result<Domain, ResolveError>> =
            ask.domains.iter().map(|name| self.domain(name).map_err(ResolveError::from)).collect();
        let mut distinct: Vec<Domain> = parsed.iter().flatten().cloned().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let ends = tokio::time::Instant::now() + RESOLVE_BATCH_BUDGET;
        let answered = stream::iter(distinct)
            .map(|domain| {
                let one = ResolveAsk {
                    domain: domain.clone(),
                    live: ask.live,
                    max_age_hours: ask.max_age_hours,
                    may_read: Arc::clone(&ask.may_read),
                };
                async move {
                    // A live reading takes a second: what could not end in time is not begun.
                    let begins_by = ends - Duration::from_millis(1_100);
                    let late = tokio::time::Instant::now() > begins_by;
                    let told = match late && self.hot_answer(&domain).is_none() {
                        true => Err(Told::TimeIsUp),
                        false => self.resolve(one).await.map_err(Told::Failed),
                    };
                    (domain, told)
                }
            })
            .buffer_unordered(RESOLVE_BATCH_LIVE)
            .collect::<std::collections::BTreeMap<_, _>>()
            .await;
        let each = parsed.into_iter().map(|parsed| {
            let domain = parsed.map_err(NotAnswered::Failed)?;
            match answered.get(&domain) {
                Some(Ok(hot)) => Ok(Arc::clone(hot)),
                Some(Err(Told::Failed(error))) => Err(NotAnswered::Failed(error.clone())),
                Some(Err(Told::TimeIsUp)) | None => Err(NotAnswered::TimeIsUp),
            }
        });
        Many(each.collect())
    }
}

enum Told {
    Failed(ResolveError),
    TimeIsUp,
}
