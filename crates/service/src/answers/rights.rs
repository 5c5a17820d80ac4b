//! What a site states about the use of its content (`/api/v1/rights`).

use contract::Domain;
use judge::resolve::rights;
use proof::{KeyPurpose, SignedDocument};

use crate::answers::Answers;
use crate::report_error::ReportError;

/// Files whose statements can be about a path.
const RIGHTS_FILES: [&str; 2] = ["/robots.txt", "/.well-known/tdmrep.json"];

impl Answers {
    /// The signed answer, from the newest reading in which statements could be observed.
    pub async fn rights(
        &self,
        domain: &Domain,
        path: &str,
        agent: Option<&str>,
    ) -> Result<SignedDocument, ReportError> {
        let readings = self.earlier_readings(domain).await?;
        let newest = readings
            .iter()
            .find(|reading| rights::is_observed(&reading.record))
            .or_else(|| readings.first())
            .map(|reading| &reading.record);
        let bodies = match newest {
            Some(record) => self.load_files(record, &RIGHTS_FILES).await?,
            None => Default::default(),
        };
        let query = rights::RightsQuery { path, agent };
        let catalogue = self.scanner.catalogue();
        let answer = rights::answer(domain, newest, &bodies, catalogue, query, &self.issuer);
        Ok(self.keys.sign_document(&answer, KeyPurpose::Documents)?)
    }
}
