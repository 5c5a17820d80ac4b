//! Whether a value is what a business publishes (`/api/v1/field-check`).

use std::sync::Arc;

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
}

type CheckKey = (Domain, CheckedField, String);

/// The answers of the last minute. The cache has a lock of its own.
#[derive(Debug)]
pub(crate) struct FieldCheckCache(BoundedCache<CheckKey, Arc<SignedFieldCheck>>);

impl FieldCheckCache {
    pub(crate) fn new() -> Self {
        Self(BoundedCache::new("field_checks", MAX_BYTES))
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    pub(crate) fn report_size(&self) {
        self.0.report_size();
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
        if let Some(found) = self.field_checks.0.get(&key, now) {
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
        let answer =
            Arc::new(SignedFieldCheck { bytes: signed.bytes.into(), digest: signed.digest });
        let bytes = answer.bytes.len() + key.2.len() + ENTRY_OVERHEAD;
        let until = now.plus_millis(VALID_MS);
        self.field_checks.0.put(key, Arc::clone(&answer), bytes, until, now, |_| true);
        Ok(answer)
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
