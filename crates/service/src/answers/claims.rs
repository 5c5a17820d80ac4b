//! What a site claims about itself, from its stored readings (`/api/v1/claims`).

use contract::Domain;
use judge::resolve::claims::{ClaimsQuery, RecordedReading, answer};
use proof::{KeyPurpose, SignedDocument};

use crate::answers::Answers;
use crate::report_error::ReportError;

impl Answers {
    /// The signed list of claims.
    pub async fn claims(
        &self,
        domain: &Domain,
        query: ClaimsQuery<'_>,
    ) -> Result<SignedDocument, ReportError> {
        let stored = self.earlier_readings(domain).await?;
        let mut readings: Vec<RecordedReading<'_>> = stored
            .iter()
            .map(|stored| RecordedReading {
                record: &stored.record,
                recorded_at: stored.recorded_at,
            })
            .collect();
        readings.reverse();
        // The list carries the time of the newest reading, so that it stays the same until there is a
        // new one.
        let now = readings
            .iter()
            .map(|reading| reading.recorded_at)
            .max()
            .unwrap_or_else(|| self.clock.now().whole_seconds());
        let answer = answer(domain, &readings, query, &self.issuer, now);
        Ok(self.keys.sign_document(&answer, KeyPurpose::Documents)?)
    }
}
