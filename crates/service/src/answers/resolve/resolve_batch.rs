//! Resolves several domains in one call. The results are in the order of the request; each answer is
//! signed by itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::Domain;
use contract::limits::{RESOLVE_BATCH_BUDGET, RESOLVE_BATCH_CONCURRENCY};
use contract::records::ResolveBatch;
use futures_util::stream::{self, StreamExt};
use proof::canonical::LargeMember;
use proof::{KeyPurpose, ProofError};
use tokio::time::Instant;

use super::cached_answers::CachedAnswer;
use super::query::{LivePolicy, ResolveError, ResolveQuery};
use crate::access::LiveReadPermit;
use crate::answers::Answers;

/// A domain is not started later than this before the end of the batch: a live read takes a second.
const TIME_FOR_LIVE_READ: Duration = Duration::from_millis(1_100);

#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ResolveBatchQuery {
    /// As typed.
    pub domains: Vec<String>,
    pub live: LivePolicy,
    pub max_age_hours: Option<u32>,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// The result for each domain, in the order of the request.
#[derive(Debug)]
pub struct ResolveBatchResults(pub Vec<Result<Arc<CachedAnswer>, BatchItemError>>);

#[derive(Debug, Clone, thiserror::Error)]
pub enum BatchItemError {
    #[error(transparent)]
    Failed(ResolveError),
    #[error("the time limit of the batch was reached before this domain was read")]
    TimeLimitReached,
}

impl Answers {
    /// Signs the record of a whole batch with these answers. Their bytes are copied: a hundred answers are two
    /// megabytes of JSON, which nobody needs parsed.
    pub fn sign_resolve_batch(
        &self,
        record: &ResolveBatch,
        answers: &[Arc<CachedAnswer>],
    ) -> Result<Bytes, ProofError> {
        let mut write_list = |out: &mut Vec<u8>| {
            out.push(b'[');
            for (place, answer) in answers.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                answer.write_canonical(out)?;
            }
            out.push(b']');
            Ok(())
        };
        let length = answers.iter().map(|answer| answer.bytes.len() + 1).sum::<usize>() + 1;
        let list = LargeMember { name: "answers", length, write: &mut write_list };
        let signed = self.keys.sign_record_with(record, list, KeyPurpose::Documents)?;
        Ok(signed.bytes.into())
    }

    /// A domain that is listed several times is resolved once; the result appears at each position.
    pub async fn resolve_batch(self: &Arc<Self>, query: ResolveBatchQuery) -> ResolveBatchResults {
        let parsed: Vec<Result<Domain, ResolveError>> = query
            .domains
            .iter()
            .map(|name| self.scanner.parse_domain(name).map_err(ResolveError::from))
            .collect();
        let mut distinct: Vec<Domain> = parsed.iter().flatten().cloned().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let start_by = Instant::now() + RESOLVE_BATCH_BUDGET - TIME_FOR_LIVE_READ;
        let results: BTreeMap<Domain, Result<Arc<CachedAnswer>, BatchItemError>> =
            stream::iter(distinct)
                .map(|domain| {
                    let one = ResolveQuery {
                        domain: domain.clone(),
                        live: query.live,
                        max_age_hours: query.max_age_hours,
                        live_read_permit: Arc::clone(&query.live_read_permit),
                    };
                    async move {
                        let too_late = Instant::now() > start_by;
                        let result = match too_late && self.cached_answer(&domain).is_none() {
                            true => Err(BatchItemError::TimeLimitReached),
                            false => self.resolve(one).await.map_err(BatchItemError::Failed),
                        };
                        (domain, result)
                    }
                })
                .buffer_unordered(RESOLVE_BATCH_CONCURRENCY)
                .collect()
                .await;
        let in_order = parsed.into_iter().map(|domain| {
            let domain = domain.map_err(BatchItemError::Failed)?;
            results.get(&domain).cloned().unwrap_or(Err(BatchItemError::TimeLimitReached))
        });
        ResolveBatchResults(in_order.collect())
    }
}
