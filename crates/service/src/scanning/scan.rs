//! Runs one scan for a caller: check limits, read, judge, sign, store, reply.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::records::{ScanRecord, Visibility};
use contract::{Domain, NameRefusal};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use observe::CallAllowance;
use proof::KeyPurpose;
use store::{Licence, ScanScope, StoreError};

use crate::access::{AddressBlock, AllowanceError};
use crate::scanner::{ScanOutcome, ScannerError};
use crate::scanning::Scanning;
use crate::scanning::running_scans::RunningScan;
use crate::target_domains::{DomainRefusal, ReadingKind, TargetReading};

/// Bodies that are stored at the same time. Each waits for the disk twice; the disk does several in one go.
const BODIES_AT_ONCE: usize = 8;

/// How long a scan waits for a free slot before it is refused.
const SLOT_WAIT: Duration = Duration::from_secs(3);

/// A scan that a caller requests.
#[derive(Debug, Clone)]
pub struct ScanCommand {
    /// As typed: a domain or a full URL.
    pub input: String,
    pub visibility: Visibility,
    pub caller: Caller,
}

/// Who requests a scan. Decides which limits apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// No licence: counts against the daily limits of the address and of the service.
    Anonymous(AddressBlock),
    /// A form on our own pages: counts against the daily limit of the service only.
    OwnPage,
    /// The holder of this licence: no daily limit.
    LicenceHolder(Licence),
    /// Whoever has proven control of this domain: like an anonymous caller, and private scans of the domain.
    DomainOwner { domain: Domain, block: AddressBlock },
    /// A scan that a partial answer queued: counts against the daily limit of the service only.
    Queued,
    /// Our own work, such as a census: no daily limit.
    Internal,
}

/// A signed record, as the bytes that were signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanReply {
    pub bytes: Bytes,
    pub sha256: String,
    /// `None` when the site did not respond; the record is then not stored.
    pub id: Option<String>,
    /// No scan was made: this is the report of an earlier one.
    pub is_earlier_report: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    #[error("a scan of this domain, or of another name of the same site, is still running")]
    InProgress { retry_after_s: u64 },
    #[error("all scan slots of this service are in use")]
    Busy { retry_after_s: u64 },
    #[error("this site is read as often as this service may read it, over all callers")]
    TargetLimit { retry_after_s: u64 },
    #[error(
        "a private scan requires a licence for the domain, or that you have proven control of it"
    )]
    PrivateNeedsLicence,
    #[error("the plan of this licence has no private scans")]
    PrivateNotInPlan,
    #[error("this licence does not cover {domain}")]
    NotLicensed { domain: Domain },
    #[error(
        "the daily limit of free scans for this address is reached; it resets at 00:00 UTC and does not apply with a licence key"
    )]
    AddressLimitReached { retry_after_s: u64 },
    #[error(
        "the daily limit of free scans for the network {network} is reached; it resets at 00:00 UTC and does not apply with a licence key"
    )]
    NetworkLimitReached { network: String, retry_after_s: u64 },
    #[error(
        "the daily limit of free scans for this service is reached; it resets at 00:00 UTC and does not apply with a licence key"
    )]
    ServiceLimitReached { retry_after_s: u64 },
    #[error("free scans are paused; scans with a licence key are not affected")]
    Paused { retry_after_s: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
    #[error("the scan failed because of an internal error: {0}")]
    Internal(String),
}

impl Scanning {
    /// Scans a domain, or returns its public report if that is younger than the rescan window.
    pub async fn scan(self: &Arc<Self>, request: ScanCommand) -> Result<ScanReply, ScanError> {
        self.scan_watched(request, None).await
    }

    /// The same, and reports its progress to those who watch it.
    pub(super) async fn scan_watched(
        self: &Arc<Self>,
        request: ScanCommand,
        watched: Option<&RunningScan>,
    ) -> Result<ScanReply, ScanError> {
        let result = self.scan_or_reuse(request, watched).await;
        let outcome = match &result {
            Ok((_, Source::RecentReport)) => "cached",
            Ok((reply, Source::NewScan)) if reply.id.is_some() => "answered",
            // If this count rises for many domains at once, this server may be offline.
            Ok(_) => "unreachable",
            Err(
                ScanError::BadDomain(_)
                | ScanError::PrivateNeedsLicence
                | ScanError::PrivateNotInPlan
                | ScanError::NotLicensed { .. },
            ) => "refused",
            Err(
                ScanError::InProgress { .. }
                | ScanError::Busy { .. }
                | ScanError::TargetLimit { .. }
                | ScanError::AddressLimitReached { .. }
                | ScanError::NetworkLimitReached { .. }
                | ScanError::ServiceLimitReached { .. }
                | ScanError::Paused { .. },
            ) => "turned_away",
            Err(_) => "failed",
        };
        metrics::counter!("wayleave_scans_total", "outcome" => outcome).increment(1);
        result.map(|(reply, _)| reply)
    }

    async fn scan_or_reuse(
        self: &Arc<Self>,
        request: ScanCommand,
        watched: Option<&RunningScan>,
    ) -> Result<(ScanReply, Source), ScanError> {
        let domain = self.scanner.parse_domain(&request.input)?;
        let visibility = self.stored_visibility(&request, &domain)?;
        let running = self.in_flight.try_begin(&domain);
        // Checked while this request holds the domain, so that a scan that was stored a moment ago is
        // found. Only the owner gets a new scan of his own within the window.
        let reusable = match visibility {
            store::Visibility::Public => true,
            store::Visibility::Unlisted => self.targets.has_limits(),
            store::Visibility::Private => false,
        };
        if reusable && let Some(reply) = self.reuse_recent_report(&domain).await? {
            let reply = ScanReply { is_earlier_report: true, ..reply };
            return Ok((reply, Source::RecentReport));
        }
        let Some(_running) = running else {
            return Err(ScanError::InProgress { retry_after_s: self.retry_after_s() });
        };
        // Whoever asked for the scan looks at its report next, which shows the decisions.
        let is_for_a_reader = !matches!(request.caller, Caller::Queued | Caller::Internal);
        let free_scan = match &request.caller {
            Caller::LicenceHolder(_) | Caller::Internal => None,
            Caller::OwnPage | Caller::Queued => Some(None),
            Caller::Anonymous(block) | Caller::DomainOwner { block, .. } => Some(Some(*block)),
        };
        if free_scan.is_some() {
            self.access.check_not_paused().await?;
        }
        let kind = match &request.caller {
            Caller::LicenceHolder(_) | Caller::Internal => ReadingKind::UncountedScan,
            Caller::Anonymous(_)
            | Caller::DomainOwner { .. }
            | Caller::OwnPage
            | Caller::Queued => ReadingKind::Scan,
        };
        let reading = self.targets.begin(&domain, kind, Duration::ZERO).await;
        let reading = reading.map_err(|refusal| self.target_error(refusal))?;
        // A waiting request occupies one of the server's request slots, so the wait is short.
        let Ok(Ok(_slot)) = tokio::time::timeout(SLOT_WAIT, self.slots.acquire()).await else {
            return Err(ScanError::Busy { retry_after_s: self.retry_after_s() });
        };
        let is_unlisted = visibility == store::Visibility::Unlisted && self.targets.has_limits();
        if is_unlisted && let Err(wait) = self.recent_unlisted.begin(&domain, self.rescan_window) {
            reading.cancel();
            return Err(ScanError::TargetLimit { retry_after_s: whole_seconds(wait) });
        }
        // Counted last: a scan that is refused for another reason does not count.
        let drawn = match free_scan {
            Some(block) => self.access.draw_free_scan(block).await,
            None => Ok(()),
        };
        let scanned = match drawn {
            Ok(()) => {
                watched.inspect(|watched| watched.accept());
                let report = |step| {
                    if let Some(watched) = watched {
                        watched.record(step);
                    }
                };
                // Only the answer shows what calls showed, and only public scans are used in answers.
                let is_public = visibility == store::Visibility::Public;
                let calls: Option<&dyn CallAllowance> =
                    if is_public { Some(self.access.as_ref()) } else { None };
                self.scanner.scan(&domain, request.visibility, calls, &report).await
            }
            Err(error) => {
                self.forget_scan(&domain, reading, is_unlisted);
                return Err(error.into());
            }
        };
        let outcome = match scanned {
            Err(error @ ScannerError::TargetLimit { .. }) => {
                self.forget_scan(&domain, reading, is_unlisted);
                return Err(error.into());
            }
            scanned => scanned?,
        };
        drop(reading);
        let owner = scan_holder(&request.caller);
        let reply = self.sign_and_store(outcome, visibility, owner).await?;
        // Only public scans are used in answers.
        if visibility == store::Visibility::Public
            && let Some(id) = &reply.id
        {
            self.answers.update_answer_from_scan(&domain, id, is_for_a_reader).await;
        }
        Ok((reply, Source::NewScan))
    }

    /// Takes back the counts of a scan that did not take place.
    fn forget_scan(&self, domain: &Domain, reading: TargetReading, is_unlisted: bool) {
        reading.cancel();
        if is_unlisted {
            self.recent_unlisted.cancel(domain);
        }
    }

    fn target_error(&self, refusal: DomainRefusal) -> ScanError {
        match refusal {
            DomainRefusal::InProgress => {
                ScanError::InProgress { retry_after_s: self.retry_after_s() }
            }
            DomainRefusal::Limit { retry_after } => {
                ScanError::TargetLimit { retry_after_s: whole_seconds(retry_after) }
            }
        }
    }

    /// The newest public report inside the rescan window, signed again with `cached: true`.
    async fn reuse_recent_report(&self, domain: &Domain) -> Result<Option<ScanReply>, ScanError> {
        let Some(earlier) = self.find_recent_record(domain).await? else { return Ok(None) };
        self.sign_record(ScanRecord { cached: Some(true), ..earlier }).map(Some)
    }

    async fn find_recent_record(&self, domain: &Domain) -> Result<Option<ScanRecord>, ScanError> {
        let window = i64::try_from(self.rescan_window.as_millis()).unwrap_or(i64::MAX);
        let since = self.clock.now().plus_millis(-window);
        let Some(scan) = self.store.latest_scan(domain, Some(since), ScanScope::PublicOnly).await?
        else {
            return Ok(None);
        };
        // A record of an earlier build may have another structure. Then the domain is scanned again.
        Ok(serde_json::from_slice(&scan.record)
            .inspect_err(|error| tracing::warn!(%error, "a stored record cannot be parsed"))
            .ok())
    }

    async fn sign_and_store(
        &self,
        outcome: ScanOutcome,
        visibility: store::Visibility,
        owner: Option<String>,
    ) -> Result<ScanReply, ScanError> {
        let ScanOutcome { mut record, evidence, collected: read } = outcome;
        let mut bodies = Vec::new();
        for (hex, body) in read.bodies {
            let digest: proof::Digest = hex.parse().map_err(|_| {
                ScanError::Internal("the key of a body is not a SHA-256 digest".to_owned())
            })?;
            bodies.push((digest, body));
        }
        let artifacts: Vec<proof::Digest> = bodies.iter().map(|(digest, _)| *digest).collect();
        // Only a record that will be stored has a manifest and a storage time.
        if let Some(manifest) = self.sign_manifest(&record, &artifacts)? {
            record.provenance.artifacts = Some(manifest.artifacts);
            record.provenance.manifest_signature = Some(manifest.signature);
            record.provenance.stored_at = Some(self.clock.now().whole_seconds());
        }
        let (domain, scanned_at) = (record.domain.clone(), record.scanned_at);
        let (grade, overall) = (record.grade.as_ref().map(ToString::to_string), record.overall);
        let score_version = record.score_version;
        let reply = self.sign_record(record)?;
        let Some(id) = reply.id.clone() else {
            // The site did not respond, so nothing is stored.
            return Ok(reply);
        };
        // Bodies first, then the scan that names them: a stored scan is always complete.
        let bodies = stream::iter(bodies).map(Ok);
        let put = |(digest, body)| self.store.put_artifact(digest, body, scanned_at);
        bodies.try_for_each_concurrent(BODIES_AT_ONCE, put).await?;
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
        match owner {
            Some(licence_id) => self.store.put_scan_of_licence(scan, licence_id).await?,
            None => self.store.put_scan(scan).await?,
        }
        Ok(reply)
    }

    /// Whether a licence is for the domain that a request names.
    #[must_use]
    pub fn is_licensed(&self, licence: &Licence, input: &str) -> bool {
        self.scanner.parse_domain(input).is_ok_and(|domain| licence.covers(&domain))
    }

    /// The time after which a running scan has ended.
    pub(super) fn retry_after_s(&self) -> u64 {
        self.deadline.as_secs().max(1)
    }

    fn sign_record(&self, record: ScanRecord) -> Result<ScanReply, ScanError> {
        let id = record.id.clone();
        let unsigned =
            ScanRecord { replaced_signature: None, sha256: None, signature: None, ..record };
        let signed = self.keys.sign_document(&unsigned, KeyPurpose::Documents)?;
        Ok(ScanReply {
            sha256: signed.digest.to_string(),
            bytes: signed.bytes.into(),
            id,
            is_earlier_report: false,
        })
    }

    /// The visibility to store the scan with, if this caller may request it.
    pub(super) fn stored_visibility(
        &self,
        request: &ScanCommand,
        domain: &Domain,
    ) -> Result<store::Visibility, ScanError> {
        if let Caller::LicenceHolder(licence) = &request.caller
            && !licence.covers(domain)
        {
            return Err(ScanError::NotLicensed { domain: domain.clone() });
        }
        match (&request.visibility, &request.caller) {
            (Visibility::Public, _) => Ok(store::Visibility::Public),
            (Visibility::Unlisted, _) => Ok(store::Visibility::Unlisted),
            (Visibility::Private, Caller::LicenceHolder(licence)) => {
                if self.access.plan_of(licence).has_private_scans {
                    Ok(store::Visibility::Private)
                } else {
                    Err(ScanError::PrivateNotInPlan)
                }
            }
            (Visibility::Private, Caller::DomainOwner { domain: owned, .. }) if owned == domain => {
                Ok(store::Visibility::Private)
            }
            (Visibility::Private | Visibility::Unrecognised(_), _) => {
                Err(ScanError::PrivateNeedsLicence)
            }
        }
    }
}

/// Under whom a scan is listed: the licence, or the owner of the domain.
pub(super) fn scan_holder(caller: &Caller) -> Option<String> {
    match caller {
        Caller::LicenceHolder(licence) => Some(licence.id.clone()),
        Caller::DomainOwner { domain, .. } => Some(owner_holder(domain)),
        _ => None,
    }
}

/// The name under which scans of the owner of a domain are listed.
#[must_use]
pub fn owner_holder(domain: &Domain) -> String {
    format!("owner:{domain}")
}

impl From<ScannerError> for ScanError {
    fn from(error: ScannerError) -> Self {
        match error {
            ScannerError::Proof(error) => Self::Signing(error),
            ScannerError::Internal(why) => Self::Internal(why),
            ScannerError::TargetLimit { retry_after } => {
                Self::TargetLimit { retry_after_s: whole_seconds(retry_after) }
            }
        }
    }
}

impl From<AllowanceError> for ScanError {
    fn from(error: AllowanceError) -> Self {
        match error {
            AllowanceError::AddressLimitReached { retry_after_s } => {
                Self::AddressLimitReached { retry_after_s }
            }
            AllowanceError::NetworkLimitReached { network, retry_after_s } => {
                Self::NetworkLimitReached { network, retry_after_s }
            }
            AllowanceError::ServiceLimitReached { retry_after_s } => {
                Self::ServiceLimitReached { retry_after_s }
            }
            AllowanceError::Paused { retry_after_s } => Self::Paused { retry_after_s },
            AllowanceError::Store(error) => Self::Store(error),
        }
    }
}

/// Rounded up, at least 1.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0 || wait.is_zero())
}

/// Where a reply comes from.
enum Source {
    NewScan,
    /// A public report from inside the rescan window.
    RecentReport,
}
