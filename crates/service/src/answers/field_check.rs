//! Whether a value is what a business publishes (`/api/v1/field-check`).

use std::any::Any;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract::records::{CheckedField, FieldCheck};
use contract::schema::schema_url;
use contract::{Domain, Issuer, Timestamp};
use judge::business::{PublishedFacts, check_field, not_measured};
use proof::{Digest, KeyPurpose};

use super::{Answers, ResolveError};
use crate::access::LiveReadPermit;
use crate::bounded_cache::BoundedCache;

/// How long a signed answer is served again.
const VALID_MS: i64 = 60_000;
const MAX_BYTES: usize = 8 << 20;
/// What an entry takes beside its texts, roughly.
const ENTRY_OVERHEAD: usize = 300;

/// What is asked.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct FieldCheckQuery {
    pub domain: Domain,
    pub field: CheckedField,
    pub value: String,
    /// Consulted when the site is about to be read, because no reading of it is stored.
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// A signed answer.
#[derive(Debug)]
pub struct SignedFieldCheck {
    pub bytes: Bytes,
    pub digest: Digest,
    /// Until when it is served again.
    valid_until: Timestamp,
    /// For the server: a response that is prepared once and reused. It shares `bytes` and holds at most
    /// [`Self::PREPARED_RESPONSE_BYTES`] besides.
    pub prepared_response: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl SignedFieldCheck {
    /// What the header fields of a prepared response may take.
    pub const PREPARED_RESPONSE_BYTES: usize = 4_096;
}

type CheckKey = (Domain, CheckedField, String);

/// The answers of the last minute. Each cache has a lock of its own.
#[derive(Debug)]
pub(crate) struct FieldCheckCache {
    by_key: BoundedCache<CheckKey, Arc<SignedFieldCheck>>,
    /// By the query as it was sent, for requests that are repeated.
    by_query: BoundedCache<String, Arc<SignedFieldCheck>>,
}

impl FieldCheckCache {
    pub(crate) fn new() -> Self {
        Self {
            by_key: BoundedCache::new("field_checks", MAX_BYTES),
            by_query: BoundedCache::new("field_check_queries", MAX_BYTES),
        }
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.by_key.evict_expired(now);
        self.by_query.evict_expired(now);
    }

    pub(crate) fn clear(&self) {
        self.by_key.clear();
        self.by_query.clear();
    }

    pub(crate) fn report_size(&self) {
        self.by_key.report_size();
        self.by_query.report_size();
    }
}

impl Answers {
    /// The signed answer, from the newest stored reading of the site, or from a new one if there is none.
    pub async fn field_check(
        self: &Arc<Self>,
        query: FieldCheckQuery,
    ) -> Result<Arc<SignedFieldCheck>, ResolveError> {
        let FieldCheckQuery { domain, field, value, live_read_permit } = query;
        let now = self.clock.now();
        let key = (domain, field, value);
        if let Some(found) = self.field_checks.by_key.get(&key, now) {
            return Ok(found);
        }
        let (domain, field, value) = &key;
        let facts = self.published_facts(domain, None, live_read_permit).await?;
        let record = build_field_check(
            &self.issuer,
            domain,
            facts.as_deref(),
            field,
            value,
            self.clock.now(),
        );
        let signed = self.keys.sign_document(&record, KeyPurpose::Documents);
        let signed = signed.map_err(|error| ResolveError::Internal(error.to_string()))?;
        let until = now.plus_millis(VALID_MS);
        let answer = Arc::new(SignedFieldCheck {
            bytes: signed.bytes.into(),
            digest: signed.digest,
            valid_until: until,
            prepared_response: OnceLock::new(),
        });
        let bytes = answer.bytes.len() + key.2.len() + ENTRY_OVERHEAD;
        self.field_checks.by_key.put(key, Arc::clone(&answer), bytes, until, now, |_| true);
        Ok(answer)
    }

    /// Keeps an answer under the query that it was given to, so that the same query need not be parsed again.
    pub fn keep_field_check(&self, query: &str, answer: &Arc<SignedFieldCheck>) {
        let held = answer.bytes.len() + SignedFieldCheck::PREPARED_RESPONSE_BYTES;
        let bytes = held + 3 * query.len() + ENTRY_OVERHEAD;
        let (key, answer) = (query.to_owned(), Arc::clone(answer));
        let (until, now) = (answer.valid_until, self.clock.now());
        self.field_checks.by_query.put(key, answer, bytes, until, now, |_| true);
    }

    /// The answer that was given to this query, while it is valid.
    #[must_use]
    pub fn kept_field_check(&self, query: &str) -> Option<Arc<SignedFieldCheck>> {
        self.field_checks.by_query.get(query, self.clock.now())
    }
}

/// The answer, not signed yet. `facts` is `None` if the site could not be read.
#[must_use]
pub fn build_field_check(
    issuer: &Issuer,
    domain: &Domain,
    facts: Option<&PublishedFacts>,
    field: &CheckedField,
    value: &str,
    now: Timestamp,
) -> FieldCheck {
    let result = match facts {
        Some(facts) => check_field(facts, field, value),
        None => not_measured("The site could not be read, so it is not known what it publishes."),
    };
    let answered_at = now.whole_seconds();
    let read_at = facts.map(|facts| facts.read_at);
    let age = |read_at| answered_at.millis_since(read_at).max(0).unsigned_abs() / 1000;
    FieldCheck {
        kind: issuer.brand.kind("field-check"),
        v: 1,
        schema: schema_url("field-check", &issuer.brand, &issuer.base_url),
        domain: domain.clone(),
        field: field.clone(),
        asked_value: value.to_owned(),
        verdict: result.verdict,
        why: result.why,
        published: result.published,
        read_at,
        age_s: read_at.map(age),
        answered_at,
        sha256: None,
        signature: None,
    }
}
