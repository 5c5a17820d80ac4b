//! What a site's public statements say about uses of its content.

use contract::Domain;
use judge::resolve::{Letterhead, rights};
use proof::{KeyPurpose, SignedDocument};

use crate::{ReportError, Service};

/// Files that carry statements about paths.
const FILES: [&str; 2] = ["/robots.txt", "/.well-known/tdmrep.json"];

impl Service {
    /// The signed answer, from the newest reading that heard something.
    pub async fn rights(
        &self,
        domain: &Domain,
        path: &str,
        agent: Option<&str>,
    ) -> Result<SignedDocument, ReportError> {
        let past = self.past(domain).await?;
        let newest = past
            .iter()
            .find(|past| rights::observed(&past.record))
            .or_else(|| past.first())
            .map(|past| &past.record);
        let bodies = match newest {
            Some(record) => self.kept_files(record, &FILES).await?,
            None => Default::default(),
        };
        let head = Letterhead { brand: self.brand(), base_url: self.base_url(), now: self.now() };
        let asked = rights::Asked { path, agent };
        let catalogue = self.scanner.catalogue();
        let answer = rights::answer(domain, newest, &bodies, catalogue, asked, &head);
        Ok(self.sign_document(&answer, KeyPurpose::Documents)?)
    }
}
