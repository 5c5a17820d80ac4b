//! The scan: ask → read → judge → sign → keep → answer.

mod scanner;
mod versioned;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::records::{ScanRecord, Visibility};
use contract::{Domain, NameRefusal};
use proof::KeyPurpose;
use store::{Licence, Scope, StoreError};

pub use scanner::{Looked, Scanner};

use crate::{AddressBlock, Service, Settings};

/// How long a scan waits for others to finish before it is turned away.
const SLOT_PATIENCE: Duration = Duration::from_secs(3);

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct ScanAsk {
    /// As typed: a bare domain or a full address.
    pub input: String,
    pub visibility: Visibility,
    pub caller: Caller,
}

/// Who asks, as far as it matters for what they may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Anybody: what is begun for them counts among the day's free scans.
    Anybody(AddressBlock),
    /// A reader of our own pages: counts among everybody's, not among those of an address.
    OwnPage,
    /// Whoever showed the key of this licence. Not bound by what is free.
    Holder(Licence),
    /// Ourselves: a scan that was queued, or one of a census. Nobody's allowance pays for it.
    OurWork,
}

/// A signed record, as the very bytes that were signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanReply {
    pub bytes: Bytes,
    pub sha256: String,
    /// Null when nothing answered.
    pub id: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    #[error("a scan of this domain is still running")]
    InProgress { retry_after_s: u64 },
    #[error("more scans are running than this service takes on at once")]
    Busy { retry_after_s: u64 },
    #[error("a private scan needs a licence for the domain, or its owner")]
    PrivateNeedsLicence,
    #[error("this licence is not for {domain}")]
    NotLicensed { domain: Domain },
    #[error(
        "this address has had its free scans of today; tomorrow there are more, and with a licence key at any time"
    )]
    DaySpent { retry_after_s: u64 },
    #[error("today's free scans of this service are used up; with a licence key there are more")]
    DailyBudget { retry_after_s: u64 },
    #[error("free scans are paused; with a licence key they go on")]
    Paused { retry_after_s: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
    #[error("the scan failed on our side: {0}")]
    Internal(String),
}

impl Service {
    /// Scans a domain, or answers with the report of the last two minutes.
    pub async fn scan(self: &Arc<Self>, ask: ScanAsk) -> Result<ScanReply, ScanError> {
        let done = self.scan_or_recall(ask).await;
        let outcome = match &done {
            Ok((_, Fate::Recalled)) => "cached",
            Ok((reply, Fate::Made)) if reply.id.is_some() => "answered",
            // Many of these at once: it may be us who are offline.
            Ok(_) => "unreachable",
            Err(
                ScanError::BadDomain(_)
                | ScanError::PrivateNeedsLicence
                | ScanError::NotLicensed { .. },
            ) => "refused",
            Err(
                ScanError::InProgress { .. }
                | ScanError::Busy { .. }
                | ScanError::DaySpent { .. }
                | ScanError::DailyBudget { .. }
                | ScanError::Paused { .. },
            ) => "turned_away",
            Err(_) => "failed",
        };
        metrics::counter!("wayleave_scans_total", "outcome" => outcome).increment(1);
        done.map(|(reply, _)| reply)
    }

    async fn scan_or_recall(
        self: &Arc<Self>,
        ask: ScanAsk,
    ) -> Result<(ScanReply, Fate), ScanError> {
        let domain = self.scanner.domain(&ask.input)?;
        let kept_as = kept_as(&ask, &domain)?;
        let running = self.scanning.begin(&domain);
        // Asked while the domain is ours, so that a scan that has just been kept is seen. Whoever
        // wants a report that is not public is not given a public one instead.
        if kept_as == store::Visibility::Public
            && let Some(reply) = self.recall(&domain).await?
        {
            return Ok((reply, Fate::Recalled));
        }
        let Some(_running) = running else {
            return Err(ScanError::InProgress { retry_after_s: retry_after_s(&self.settings) });
        };
        let free = match &ask.caller {
            Caller::Holder(_) | Caller::OurWork => None,
            Caller::OwnPage => Some(None),
            Caller::Anybody(block) => Some(Some(*block)),
        };
        if free.is_some() {
            self.refuse_while_paused().await?;
        }
        // Waiting holds a place among the requests being answered, so it is short.
        let Ok(Ok(_slot)) = tokio::time::timeout(SLOT_PATIENCE, self.scan_slots.acquire()).await
        else {
            return Err(ScanError::Busy { retry_after_s: retry_after_s(&self.settings) });
        };
        // The last thing before it begins: what is refused for any other reason costs nothing.
        if let Some(block) = free {
            self.take_free_scan(block).await?;
        }
        let looked = self.scanner.look(&domain, ask.visibility, &|_| {}).await?;
        let reply = self.sign_and_keep(looked, kept_as).await?;
        // Only what is public speaks in answers.
        if kept_as == store::Visibility::Public
            && let Some(id) = &reply.id
        {
            self.scan_landed(&domain, id).await;
        }
        Ok((reply, Fate::Made))
    }

    /// The last public report of the rescan window, marked as such and signed as it is served.
    async fn recall(&self, domain: &Domain) -> Result<Option<ScanReply>, ScanError> {
        let Some(earlier) = self.recent(domain).await? else { return Ok(None) };
        self.sign(ScanRecord { cached: Some(true), ..earlier }).map(Some)
    }

    async fn recent(&self, domain: &Domain) -> Result<Option<ScanRecord>, ScanError> {
        let window = i64::try_from(self.settings.rescan_window.as_millis()).unwrap_or(i64::MAX);
        let since = self.clock.now().plus_millis(-window);
        let Some(scan) = self.store.latest_scan(domain, Some(since), Scope::Listed).await? else {
            return Ok(None);
        };
        // A record of an earlier build may have another shape: then the domain is read anew.
        Ok(serde_json::from_slice(&scan.record)
            .inspect_err(|error| tracing::warn!(%error, "a kept record cannot be read"))
            .ok())
    }

    async fn sign_and_keep(
        &self,
        looked: Looked,
        visibility: store::Visibility,
    ) -> Result<ScanReply, ScanError> {
        let Looked { mut record, evidence, read } = looked;
        let mut bodies = Vec::new();
        for (name, body) in read.bodies {
            let name: proof::Digest = name
                .parse()
                .map_err(|_| ScanError::Internal("a body without a digest".to_owned()))?;
            bodies.push((name, body));
        }
        let artifacts: Vec<proof::Digest> = bodies.iter().map(|(name, _)| *name).collect();
        // Only what is kept has a manifest, and a moment when it was kept.
        if let Some(manifest) = self.name_manifest(&record, &artifacts)? {
            record.provenance.artifacts = Some(manifest.artifacts);
            record.provenance.manifest_signature = Some(manifest.signature);
            record.provenance.stored_at = Some(self.clock.now().whole_seconds());
        }
        let (domain, scanned_at) = (record.domain.clone(), record.scanned_at);
        let (grade, overall) = (record.grade.as_ref().map(ToString::to_string), record.overall);
        let score_version = record.score_version;
        let reply = self.sign(record)?;
        let Some(id) = reply.id.clone() else {
            // Nothing answered: nothing is kept.
            return Ok(reply);
        };
        // Bodies first, then the scan that names them: what is acknowledged is whole.
        for (name, body) in bodies {
            self.store.put_artifact(name, body, scanned_at).await?;
        }
        let scan = store::Scan {
            id,
            domain,
            scanned_at,
            visibility,
            score_version,
            grade,
            overall,
            record: reply.bytes.clone(),
            evidence: evidence.into(),
            artifacts,
        };
        self.store.put_scan(scan).await?;
        Ok(reply)
    }

    fn sign(&self, record: ScanRecord) -> Result<ScanReply, ScanError> {
        let id = record.id.clone();
        let unsigned = ScanRecord { sha256: None, signature: None, ..record };
        let signed = self.sign_document(&unsigned, KeyPurpose::Documents)?;
        Ok(ScanReply { sha256: signed.digest.to_string(), bytes: signed.bytes.into(), id })
    }
}

/// Where a reply comes from.
enum Fate {
    Made,
    /// It is the report of the last two minutes.
    Recalled,
}

/// By then a running scan is over.
fn retry_after_s(settings: &Settings) -> u64 {
    settings.scan_deadline.as_secs().max(1)
}

/// What the scan will be kept as, when this caller may ask for it.
fn kept_as(ask: &ScanAsk, domain: &Domain) -> Result<store::Visibility, ScanError> {
    if let Caller::Holder(licence) = &ask.caller
        && !licence.covers(domain)
    {
        return Err(ScanError::NotLicensed { domain: domain.clone() });
    }
    match (&ask.visibility, &ask.caller) {
        (Visibility::Public, _) => Ok(store::Visibility::Public),
        (Visibility::Unlisted, _) => Ok(store::Visibility::Unlisted),
        (Visibility::Private, Caller::Holder(_)) => Ok(store::Visibility::Private),
        (Visibility::Private | Visibility::Unrecognised(_), _) => {
            Err(ScanError::PrivateNeedsLicence)
        }
    }
}
