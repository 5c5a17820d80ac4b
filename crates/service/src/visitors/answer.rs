//! The signed answers about visitors.

use agents::verdict::MethodCheck;
use contract::Timestamp;
use contract::records::{
    VisitorAnswer, VisitorBatchAnswer, VisitorQuery, VisitorResult, VisitorVerdict,
};
use futures_util::StreamExt;
use proof::{KeyPurpose, ProofError, SignedRecord};

use super::address::{VisitorAddressError, parse_visitor_address};
use super::{CheckedVisitor, VisitorDescription, Visitors};

/// Visitors of one batch that are checked at once: only those that need a look-up wait.
const CHECKED_AT_ONCE: usize = 16;

const READING: &str = "verified: the operator's published addresses, DNS names or keys confirm the visitor. \
    spoofed: they deny it. unverifiable: neither is possible, which says nothing against the visitor. \
    not_a_known_agent: the user agent names no known agent; most visitors are people. A verdict says who \
    the visitor is, not what it may do. Nothing about the visitor was stored.";

#[derive(Debug, thiserror::Error)]
pub enum VisitorError {
    #[error(transparent)]
    Address(#[from] VisitorAddressError),
    #[error("the answer could not be signed: {0}")]
    Signing(#[from] ProofError),
}

impl Visitors {
    /// The signed answer about one visitor.
    pub async fn check_one(&self, query: &VisitorQuery) -> Result<SignedRecord, VisitorError> {
        let checked = self.check_for_site(self.describe(query)?).await;
        self.sign_answer(&checked)
    }

    /// The signed answer about one visitor, and what each way of verifying it said.
    pub async fn check_one_by_methods(
        &self,
        query: &VisitorQuery,
    ) -> Result<(SignedRecord, Vec<MethodCheck>), VisitorError> {
        let visitor = self.describe(query)?;
        let checked = self.check(visitor).await;
        let methods = checked.methods(visitor, self.clock.now());
        Ok((self.sign_answer(&checked)?, methods))
    }

    fn sign_answer(&self, checked: &CheckedVisitor) -> Result<SignedRecord, VisitorError> {
        let result = checked.to_result();
        let as_of = checked.verdict.ranges_as_of.or_else(|| checked.checker.oldest_feed());
        let (brand, now) = (&self.issuer.brand, self.clock.now().whole_seconds());
        let answer = VisitorAnswer {
            kind: brand.kind("visitor"),
            v: 1,
            checked_at: now,
            ranges_as_of: as_of.map(Timestamp::whole_seconds),
            reading: READING.to_owned(),
            spec: self.issuer.url("/spec/visitor-resolve"),
            claimed: result.claimed,
            operator: result.operator,
            purpose: result.purpose,
            verdict: result.verdict,
            verified_by: result.verified_by,
            why: result.why,
            feeds: result.feeds,
            sha256: None,
            signature: None,
        };
        Ok(self.keys.sign_record(&answer, KeyPurpose::Documents)?)
    }

    /// The signed answer about several visitors, in their order. One whose address is not valid does not
    /// spoil the others.
    pub async fn check_batch(
        &self,
        queries: &[VisitorQuery],
    ) -> Result<SignedRecord, VisitorError> {
        let mut checks = Vec::with_capacity(queries.len());
        for query in queries {
            checks.push(self.check_item(query));
        }
        let checked: Vec<(VisitorResult, Option<Timestamp>)> =
            futures_util::stream::iter(checks).buffered(CHECKED_AT_ONCE).collect().await;
        let decided = checked.iter().filter_map(|(_, as_of)| *as_of).min();
        let as_of = decided.or_else(|| self.checker().oldest_feed());
        let results: Vec<VisitorResult> = checked.into_iter().map(|(result, _)| result).collect();
        let (brand, now) = (&self.issuer.brand, self.clock.now().whole_seconds());
        let answer = VisitorBatchAnswer {
            kind: brand.kind("visitor"),
            v: 1,
            checked_at: now,
            ranges_as_of: as_of.map(Timestamp::whole_seconds),
            spec: self.issuer.url("/spec/visitor-resolve"),
            count: u32::try_from(results.len()).unwrap_or(u32::MAX),
            results,
            sha256: None,
            signature: None,
        };
        Ok(self.keys.sign_record(&answer, KeyPurpose::Documents)?)
    }

    async fn check_item(&self, query: &VisitorQuery) -> (VisitorResult, Option<Timestamp>) {
        let (visitor, fault) = match self.describe(query) {
            Ok(visitor) => (visitor, None),
            Err(fault) => (without_address(query), Some(fault)),
        };
        let checked = self.check_for_site(visitor).await;
        let mut result = checked.to_result();
        if let Some(fault) = fault
            && result.verdict == VisitorVerdict::Unverifiable
        {
            result.why = fault.to_string();
        }
        (result, checked.verdict.ranges_as_of)
    }

    /// The visitor of a query. Fails if its address is not valid.
    fn describe<'a>(
        &self,
        query: &'a VisitorQuery,
    ) -> Result<VisitorDescription<'a>, VisitorAddressError> {
        let address = query.ip.as_deref().filter(|text| !text.is_empty());
        let address = address.map(|text| parse_visitor_address(text, &self.proxies.get()));
        Ok(VisitorDescription { address: address.transpose()?, ..without_address(query) })
    }
}

fn without_address(query: &VisitorQuery) -> VisitorDescription<'_> {
    VisitorDescription {
        user_agent: query.ua.as_bytes(),
        address: None,
        headers: query.headers.as_ref(),
        authority: query.authority.as_deref(),
    }
}
