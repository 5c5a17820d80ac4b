//! Reading and judging, without signing or keeping: what a service and the command line share.

use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use contract::evidence::Observer;
use contract::records::{DnsSection, ScanRecord, Visibility};
use contract::{Brand, Clock, Domain, NamePolicy};
use door::{Door, RecordType};
use judge::rulepack::Rulepack;
use judge::scan::{Frame, Sealed};
use observe::{Depth, Read, ScanPlan};
use proof::sha256;

use super::ScanError;
use crate::{Ids, PRODUCT, Settings, VERSION};

/// Everything a look at a domain needs. Nothing in here changes after it is made.
#[derive(Debug, Clone)]
pub struct Scanner {
    door: Door,
    catalogue: Arc<Catalogue>,
    rules: Arc<Rulepack>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    brand: Brand,
    base_url: String,
    vantage: String,
    deadline: Duration,
}

/// A domain looked at: the record (not signed), what it was judged from, and the bodies.
#[derive(Debug, Clone)]
pub struct Looked {
    pub record: ScanRecord,
    /// The evidence in canonical form; its digest stands in the record.
    pub evidence: Vec<u8>,
    pub read: Read,
}

impl Scanner {
    #[must_use]
    pub fn new(
        settings: &Settings,
        door: Door,
        catalogue: Catalogue,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        Self {
            catalogue: Arc::new(catalogue.filled_in(VERSION, &settings.base_url)),
            rules: Arc::new(Rulepack::current()),
            door,
            clock,
            ids,
            brand: settings.brand.clone(),
            base_url: settings.base_url.clone(),
            vantage: settings.vantage.clone(),
            deadline: settings.scan_deadline,
        }
    }

    pub(crate) fn door(&self) -> &Door {
        &self.door
    }

    pub(crate) fn policy(&self) -> &door::Policy {
        self.door.policy()
    }

    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    pub(crate) fn rules(&self) -> &Rulepack {
        &self.rules
    }

    /// Reads what a caller typed, under the names this door lets through.
    pub fn domain(&self, input: &str) -> Result<Domain, ScanError> {
        Ok(Domain::parse(input, self.names())?)
    }

    /// What counts as a public name here.
    pub(crate) fn names(&self) -> &NamePolicy {
        &self.door.policy().names
    }

    /// Reads a domain and judges what came. `progress` is told after each read.
    pub async fn look(
        &self,
        domain: &Domain,
        visibility: Visibility,
        progress: observe::Progress<'_>,
    ) -> Result<Looked, ScanError> {
        self.read_and_judge(domain, visibility, Depth::Full, self.deadline, progress).await
    }

    /// Reads what can be read within the budget of an answer, and judges it.
    pub async fn look_live(&self, domain: &Domain, budget: Duration) -> Result<Looked, ScanError> {
        self.read_and_judge(domain, Visibility::Public, Depth::Live, budget, &|_| {}).await
    }

    /// What the resolver says of a domain now.
    pub(crate) async fn look_up(&self, domain: &Domain, within: Duration) -> DnsSection {
        let visit = self.door.visit(within);
        let reading = visit.look_up(domain.as_str(), &[RecordType::A, RecordType::Aaaa]).await;
        judge::resolve::network::dns_section(&reading)
    }

    async fn read_and_judge(
        &self,
        domain: &Domain,
        visibility: Visibility,
        depth: Depth,
        deadline: Duration,
        progress: observe::Progress<'_>,
    ) -> Result<Looked, ScanError> {
        let plan = ScanPlan {
            depth,
            domain,
            door: &self.door,
            catalogue: &self.catalogue,
            clock: self.clock.as_ref(),
            observer: Observer {
                name: PRODUCT.to_owned(),
                version: VERSION.to_owned(),
                vantage: self.vantage.clone(),
            },
            deadline,
            token: self.unguessable()?,
            progress,
        };
        let read = plan.run().await;
        let id = self.unguessable()?;
        let scanner = self.clone();
        // Parsing pages is work for a processor, not for the loop that serves everybody.
        tokio::task::spawn_blocking(move || scanner.judge(read, &id, visibility))
            .await
            .map_err(|e| ScanError::Internal(e.to_string()))?
    }

    fn judge(&self, read: Read, id: &str, visibility: Visibility) -> Result<Looked, ScanError> {
        let evidence = proof::canonical::to_vec(&read.evidence)?;
        let frame = Frame {
            brand: &self.brand,
            base_url: &self.base_url,
            id,
            visibility,
            evidence_sha256: Some(sha256(&evidence).to_string()),
            sealed: Sealed::default(),
        };
        let record =
            judge::scan::judge(&read.evidence, &read.bodies, &self.catalogue, &self.rules, &frame);
        Ok(Looked { record, evidence, read })
    }

    fn unguessable(&self) -> Result<String, ScanError> {
        self.ids.unguessable().map_err(|e| ScanError::Internal(e.to_string()))
    }
}
