//! Reads a domain and judges what was read, without signing or storing. Shared by the server and
//! the command line.

use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, Role};
use bytes::Bytes;
use contract::evidence::Observer;
use contract::mcp_evidence::McpEvidence;
use contract::records::{DnsSection, ScanRecord, Visibility};
use contract::{Clock, Domain, Issuer, NamePolicy, NameRefusal};
use declared::rdap::Bootstrap;
use door::{Door, RecordType, RequestSigner};
use judge::rulepack::Rulepack;
use judge::scan::{RecordMetadata, StorageMetadata};
use observe::{
    BootstrapRead, CallAllowance, CollectedEvidence, FeedRead, FeedReadOutcome, McpBudget,
    McpLineWalk, McpWalk, RegistrationOutcome, RegistrationRead, ScanDepth, ScanPlan,
};
use proof::sha256;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::judging_slots::JudgingSlots;
use crate::own_reads::OwnReads;
use crate::product::{PRODUCT, VERSION};
use crate::random_ids::Ids;

#[derive(Debug, thiserror::Error)]
pub enum ScannerError {
    #[error(transparent)]
    Proof(#[from] proof::ProofError),
    #[error("the scan failed because of an internal error: {0}")]
    Internal(String),
    /// Nothing was read: this process reads as much of the site's address as it may.
    #[error("this service is reading as much of the address of this site as it may")]
    TargetLimit { retry_after: Duration },
}

/// Everything a scan of a domain needs. Immutable after construction, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Scanner {
    door: Door,
    catalogue: Arc<Catalogue>,
    rules: Arc<Rulepack>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    settings: ScannerSettings,
    own_reads: Arc<OwnReads>,
    pub(crate) judging: JudgingSlots,
}

/// What an operator decides about scanning.
#[derive(Debug, Clone)]
pub struct ScannerSettings {
    pub issuer: Issuer,
    /// The operator's name for the network that scans are sent from.
    pub vantage: String,
    /// For all reads of one full scan together.
    pub deadline: Duration,
}

/// The result of one scan: the unsigned record, the evidence it was judged from, and the bodies.
#[derive(Debug, Clone)]
pub struct ScanOutcome {
    pub record: ScanRecord,
    /// The evidence as canonical JSON. The record states its digest.
    pub evidence: Vec<u8>,
    pub collected: CollectedEvidence,
}

impl Scanner {
    #[must_use]
    pub fn new(
        settings: ScannerSettings,
        door: Door,
        catalogue: Catalogue,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        let base_url = &settings.issuer.base_url;
        let catalogue = catalogue.with_placeholders_filled(VERSION, base_url);
        Self {
            own_reads: Arc::new(OwnReads::new(base_url, &catalogue, door.policy().source_address)),
            catalogue: Arc::new(catalogue),
            rules: Arc::new(Rulepack::current()),
            judging: JudgingSlots::default(),
            door,
            clock,
            ids,
            settings,
        }
    }

    /// From now on, requests under our own name are signed.
    pub(crate) fn sign_own_requests(&self, signer: Arc<dyn RequestSigner>) {
        if let Some(own) = self.catalogue.identity_with_role(Role::Own) {
            self.door.sign_requests(&own.id, signer);
        }
    }

    /// Which readings of our own site are running.
    pub(crate) fn own_reads(&self) -> Arc<OwnReads> {
        Arc::clone(&self.own_reads)
    }

    pub(crate) fn door(&self) -> &Door {
        &self.door
    }

    /// Reads a file under our own name, following redirects. The error is a sentence.
    pub async fn read_file(&self, url: &str) -> Result<Bytes, String> {
        const TIME: Duration = Duration::from_secs(20);
        let read = FeedRead {
            url,
            door: self.door(),
            catalogue: self.catalogue(),
            deadline: TIME,
            etag: None,
            last_modified: None,
        };
        match read.run().await {
            FeedReadOutcome::Content { body, .. } => Ok(body),
            FeedReadOutcome::Failed(why) => Err(why),
            FeedReadOutcome::NotModified => Err("The server sent no content.".to_owned()),
        }
    }

    pub(crate) fn issuer(&self) -> &Issuer {
        &self.settings.issuer
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

    /// Parses a domain or URL that a caller typed. Refuses names that are not public here.
    pub fn parse_domain(&self, text: &str) -> Result<Domain, NameRefusal> {
        Domain::parse(text, self.name_policy())
    }

    /// Which names count as public in this deployment.
    pub(crate) fn name_policy(&self) -> &NamePolicy {
        &self.door.policy().names
    }

    /// Runs a full scan. `progress` is called after each read. Without `calls`, no declared operation is
    /// called.
    pub async fn scan(
        &self,
        domain: &Domain,
        visibility: Visibility,
        calls: Option<&dyn CallAllowance>,
        progress: observe::ProgressCallback<'_>,
    ) -> Result<ScanOutcome, ScannerError> {
        let (depth, deadline) = (ScanDepth::Full, self.settings.deadline);
        let read = self.collect(domain, depth, deadline, calls, progress).await?;
        self.judge_and(read, visibility, |outcome| outcome).await
    }

    /// Reads as much as the time budget of an answer allows, and judges it.
    pub async fn read_live(
        &self,
        domain: &Domain,
        budget: Duration,
    ) -> Result<ScanOutcome, ScannerError> {
        self.read_live_and(domain, budget, |outcome| outcome).await
    }

    /// The same with further work that takes CPU time. It follows at once: queued by itself, it would wait until
    /// all readings that ended at the same time are judged.
    pub(crate) async fn read_live_and<T: Send + 'static>(
        &self,
        domain: &Domain,
        budget: Duration,
        work: impl FnOnce(ScanOutcome) -> T + Send + 'static,
    ) -> Result<T, ScannerError> {
        let read = self.collect(domain, ScanDepth::Live, budget, None, &|_| {}).await?;
        self.judge_and(read, Visibility::Public, work).await
    }

    /// Looks up the addresses of a domain now.
    pub(crate) async fn lookup_dns(&self, domain: &Domain, time_limit: Duration) -> DnsSection {
        let visit = self.door.visit(time_limit);
        let reading = visit.look_up(domain.as_str(), &[RecordType::A, RecordType::Aaaa]).await;
        judge::resolve::dns_and_tls::dns_section(&reading)
    }

    /// Reads the registration of a registered domain from its registry.
    pub(crate) async fn read_registration(
        &self,
        domain: &Domain,
        server: &str,
        deadline: Duration,
    ) -> RegistrationOutcome {
        let (door, catalogue) = (self.door(), self.catalogue());
        RegistrationRead { domain, server, door, catalogue, deadline }.run().await
    }

    /// Reads the list of registries. The error is a sentence.
    pub(crate) async fn read_registry_list(
        &self,
        url: &str,
        deadline: Duration,
    ) -> Result<Bootstrap, String> {
        let (door, catalogue) = (self.door(), self.catalogue());
        BootstrapRead { url, door, catalogue, deadline }.run().await
    }

    /// Walks over the lists of an MCP server.
    pub(crate) async fn walk_mcp(&self, url: &str, budget: McpBudget) -> McpEvidence {
        let walk = McpWalk {
            url,
            door: &self.door,
            catalogue: &self.catalogue,
            clock: &*self.clock,
            observer: self.observer(),
            website: &self.settings.issuer.base_url,
            budget,
        };
        walk.run().await.evidence
    }

    /// Walks over the lists of an MCP server that is a process.
    pub(crate) async fn walk_mcp_process<R, W>(&self, output: R, input: W) -> McpEvidence
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let walk = McpLineWalk {
            clock: &*self.clock,
            observer: self.observer(),
            website: &self.settings.issuer.base_url,
            budget: McpBudget::default(),
        };
        walk.run(output, input).await
    }

    fn observer(&self) -> Observer {
        Observer {
            name: PRODUCT.to_owned(),
            version: VERSION.to_owned(),
            vantage: self.settings.vantage.clone(),
        }
    }

    async fn collect(
        &self,
        domain: &Domain,
        depth: ScanDepth,
        deadline: Duration,
        calls: Option<&dyn CallAllowance>,
        progress: observe::ProgressCallback<'_>,
    ) -> Result<CollectedEvidence, ScannerError> {
        let plan = ScanPlan {
            depth,
            domain,
            door: &self.door,
            catalogue: &self.catalogue,
            clock: self.clock.as_ref(),
            observer: self.observer(),
            deadline,
            token: self.new_unguessable_id()?,
            calls,
            progress,
        };
        let own_read = self.own_reads.begin(domain.as_str(), &self.clock);
        let read = plan.run().await;
        drop(own_read);
        match read.target_refusal {
            Some(refusal) => Err(ScannerError::TargetLimit { retry_after: refusal.retry_after }),
            None => Ok(read),
        }
    }

    /// Parsing pages takes CPU time, so it runs outside the async executor, as does the work that follows.
    async fn judge_and<T: Send + 'static>(
        &self,
        read: CollectedEvidence,
        visibility: Visibility,
        work: impl FnOnce(ScanOutcome) -> T + Send + 'static,
    ) -> Result<T, ScannerError> {
        let id = self.new_unguessable_id()?;
        let scanner = self.clone();
        let bytes = read.bodies.values().map(Bytes::len).sum();
        let judge = move || scanner.judge_collected(read, &id, visibility).map(work);
        self.judging.run(bytes, judge).await.map_err(ScannerError::Internal)?
    }

    fn judge_collected(
        &self,
        read: CollectedEvidence,
        id: &str,
        visibility: Visibility,
    ) -> Result<ScanOutcome, ScannerError> {
        let evidence = proof::canonical::to_vec(&read.evidence)?;
        let metadata = RecordMetadata {
            issuer: &self.settings.issuer,
            id,
            visibility,
            evidence_sha256: Some(sha256(&evidence).to_string()),
            storage: StorageMetadata::default(),
        };
        let record = judge::scan::judge(
            &read.evidence,
            &read.bodies,
            &self.catalogue,
            &self.rules,
            &metadata,
        );
        Ok(ScanOutcome { record, evidence, collected: read })
    }

    pub(crate) fn new_unguessable_id(&self) -> Result<String, ScannerError> {
        self.ids.random_id().map_err(|e| ScannerError::Internal(e.to_string()))
    }
}
