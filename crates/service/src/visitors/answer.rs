//! The signed answers about visitors.

use std::sync::Arc;

use agents::verdict::MethodCheck;
use contract::Timestamp;
use contract::records::{
    VisitorAnswer, VisitorBatchAnswer, VisitorQuery, VisitorResult, VisitorVerdict,
};
use futures_util::{FutureExt, StreamExt, stream};
use proof::{KeyPurpose, ProofError, SignedRecord};

use super::address::{VisitorAddressError, parse_visitor_address};
use super::check::StartedCheck;
use super::{CheckedVisitor, VisitorDescription, Visitors};

/// Visitors of one batch for which something is looked up at once.
const LOOKED_UP_AT_ONCE: usize = 16;

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
            checked_at: now,
            claimed: result.claimed,
            feeds: result.feeds,
            kind: brand.kind("visitor"),
            operator: result.operator,
            purpose: result.purpose,
            ranges_as_of: as_of.map(Timestamp::whole_seconds),
            reading: READING.to_owned(),
            sha256: None,
            signature: None,
            spec: self.issuer.url("/spec/visitor-resolve"),
            v: 1,
            verdict: result.verdict,
            verified_by: result.verified_by,
            why: result.why,
        };
        Ok(self.keys.sign_record(&answer, KeyPurpose::Documents)?)
    }

    /// The signed answer about several visitors, in their order. One whose address is not valid does not
    /// spoil the others.
    pub async fn check_batch(
        &self,
        queries: &[VisitorQuery],
    ) -> Result<SignedRecord, VisitorError> {
        // The same lists for all.
        let checker = self.checker();
        let mut items = Vec::with_capacity(queries.len());
        let mut pending = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            let (visitor, fault) = match self.describe(query) {
                Ok(visitor) => (visitor, None),
                Err(fault) => (without_address(query), Some(fault)),
            };
            items.push(match self.start_check(Arc::clone(&checker), visitor) {
                StartedCheck::Complete(checked) => Some(self.make_item(&checked, fault)),
                StartedCheck::Pending(check) => {
                    let check = self.complete_check(check);
                    pending.push(check.map(move |checked| (number, checked, fault)));
                    None
                }
            });
        }
        let mut looked_up = stream::iter(pending).buffer_unordered(LOOKED_UP_AT_ONCE);
        while let Some((number, checked, fault)) = looked_up.next().await {
            if let Some(item) = items.get_mut(number) {
                *item = Some(self.make_item(&checked, fault));
            }
        }
        let (results, decided): (Vec<VisitorResult>, Vec<Option<Timestamp>>) =
            items.into_iter().flatten().unzip();
        let decided = decided.into_iter().flatten().min();
        let as_of = decided.or_else(|| checker.oldest_feed());
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

    /// What a batch says about a visitor, and when the oldest list was fetched that decided.
    fn make_item(
        &self,
        checked: &CheckedVisitor,
        fault: Option<VisitorAddressError>,
    ) -> (VisitorResult, Option<Timestamp>) {
        self.site_checks.add(&checked.verdict);
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
