//! What a site says about itself, over its kept readings.

use contract::Domain;
use judge::resolve::Letterhead;
use judge::resolve::claims::{Heard, Wanted, answer};
use proof::{KeyPurpose, SignedDocument};

use crate::{ReportError, Service};

impl Service {
    /// The signed list of claims.
    pub async fn claims(
        &self,
        domain: &Domain,
        wanted: Wanted<'_>,
    ) -> Result<SignedDocument, ReportError> {
        let past = self.past(domain).await?;
        let mut heard: Vec<Heard<'_>> = past
            .iter()
            .map(|past| Heard { record: &past.record, recorded_at: past.recorded_at })
            .collect();
        heard.reverse();
        // The list is as of the last thing that was written down, so that it keeps its name until
        // there is something new.
        let now = heard.iter().map(|heard| heard.recorded_at).max().unwrap_or_else(|| self.now());
        let head = Letterhead { brand: self.brand(), base_url: self.base_url(), now };
        let answer = answer(domain, &heard, wanted, &head);
        Ok(self.sign_document(&answer, KeyPurpose::Documents)?)
    }
}
