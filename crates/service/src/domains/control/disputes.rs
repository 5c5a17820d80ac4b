//! Disputes: an owner objects to a reading, the site is read again, and both readings are kept and shown.

use std::sync::Arc;

use contract::limits::DISPUTES_PER_DAY;
use contract::records::{
    DisputeRecord, DisputeState, DisputedReport, ScanRecord, Visibility as WireVisibility,
};
use contract::{Domain, Timestamp};
use judge::scan::verdict_changes;
use store::{Dispute, DisputeCounts, Visibility};

use super::{ControlError, DomainControl, Owner};
use crate::scanning::{Caller, ScanCommand};

/// Disputes that are read again in one turn.
const READ_AT_ONCE: usize = 4;
/// A dispute whose site does not answer for so long is closed without a reading.
const GIVE_UP_MS: i64 = 24 * 3_600_000;

/// A dispute with both records, for the page that shows them side by side.
#[derive(Debug)]
pub struct DisputeView {
    pub record: DisputeRecord,
    pub disputed: Option<Box<ScanRecord>>,
    pub fresh: Option<Box<ScanRecord>>,
}

impl DomainControl {
    /// Records that an owner objects to a public report of the domain. The site is read again soon.
    pub async fn file_dispute(
        &self,
        owner: &Owner,
        scan_id: &str,
        reason: &str,
    ) -> Result<DisputeRecord, ControlError> {
        let scan = self.store.scan(scan_id).await?;
        let is_own = |scan: &store::Scan| {
            scan.domain == owner.domain && scan.visibility == Visibility::Public
        };
        if !scan.as_ref().is_some_and(is_own) {
            return Err(ControlError::NotFound);
        }
        self.draw_report(owner, "disputes of a domain", DISPUTES_PER_DAY).await?;
        let dispute = Dispute {
            id: self.ids.random_id()?,
            domain: owner.domain.clone(),
            claim_id: owner.claim_id.clone(),
            scan_id: scan_id.to_owned(),
            reason: reason.to_owned(),
            filed_at: self.clock.now().whole_seconds(),
            fresh_scan_id: None,
            closed_at: None,
            changed: None,
            outcome: None,
        };
        self.store.put_dispute(dispute.clone()).await.map_err(ControlError::from_put)?;
        self.record_owner_action(owner, "dispute.file", &dispute.id).await?;
        Ok(self.view(dispute).await?.record)
    }

    /// A dispute of this domain.
    pub async fn dispute(
        &self,
        domain: &Domain,
        id: &str,
    ) -> Result<Option<DisputeView>, ControlError> {
        let found = self.store.dispute(id).await?.filter(|found| found.domain == *domain);
        match found {
            Some(dispute) => self.view(dispute).await.map(Some),
            None => Ok(None),
        }
    }

    /// The disputes of a domain, newest first.
    pub async fn disputes_of(
        &self,
        domain: &Domain,
        limit: usize,
    ) -> Result<Vec<DisputeRecord>, ControlError> {
        let mut records = Vec::new();
        for dispute in self.store.disputes_of(domain, limit).await? {
            records.push(self.view(dispute).await?.record);
        }
        Ok(records)
    }

    pub async fn dispute_counts(&self) -> Result<DisputeCounts, ControlError> {
        Ok(self.store.dispute_counts().await?)
    }

    /// Reads the sites of open disputes again.
    pub async fn read_disputed(&self) -> Result<(), ControlError> {
        for dispute in self.store.open_disputes(READ_AT_ONCE).await? {
            if let Some(closed) = self.read_again(dispute).await? {
                self.store.close_dispute(closed).await?;
            }
        }
        Ok(())
    }

    /// The dispute as it is closed; `None` if the site is to be read later.
    async fn read_again(&self, dispute: Dispute) -> Result<Option<Dispute>, ControlError> {
        let now = self.clock.now().whole_seconds();
        let command = ScanCommand {
            input: dispute.domain.to_string(),
            visibility: WireVisibility::Public,
            caller: Caller::Internal,
        };
        let fresh = match Arc::clone(&self.scanning).scan(command).await {
            // A report from before the dispute is not a new reading of the site.
            Ok(reply) if reply.is_earlier_report => None,
            Ok(reply) => reply.id,
            Err(error) => {
                tracing::warn!(%error, domain = %dispute.domain, "a disputed site could not be read again");
                None
            }
        };
        let Some(fresh_id) = fresh else {
            let is_over = now.millis_since(dispute.filed_at) >= GIVE_UP_MS;
            let outcome = "The site could not be read again within a day.".to_owned();
            let closed = Dispute { closed_at: Some(now), outcome: Some(outcome), ..dispute };
            return Ok(is_over.then_some(closed));
        };
        let before = self.load_record(&dispute.scan_id).await?;
        let after = self.load_record(&fresh_id).await?;
        let (changed, outcome) = match before.zip(after) {
            Some((before, after)) => {
                let changes = verdict_changes(&before, &after);
                let same = "The site was read again, and the verdict is the same.".to_owned();
                let text = if changes.is_empty() { same } else { changes.join(" ") };
                (Some(!changes.is_empty()), text)
            }
            None => (None, "One of the reports cannot be read any more.".to_owned()),
        };
        Ok(Some(Dispute {
            fresh_scan_id: Some(fresh_id),
            closed_at: Some(now),
            changed,
            outcome: Some(outcome),
            ..dispute
        }))
    }

    async fn load_record(&self, id: &str) -> Result<Option<Box<ScanRecord>>, ControlError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        let record = serde_json::from_slice(&scan.record);
        Ok(record
            .inspect_err(|error| tracing::error!(%error, "a stored record cannot be parsed"))
            .ok())
    }

    async fn view(&self, dispute: Dispute) -> Result<DisputeView, ControlError> {
        let disputed = self.load_record(&dispute.scan_id).await?;
        let fresh = match &dispute.fresh_scan_id {
            Some(id) => self.load_record(id).await?,
            None => None,
        };
        let report = |id: &str, record: Option<&ScanRecord>| DisputedReport {
            id: id.to_owned(),
            report: self.issuer.url(&format!("/r/{id}")),
            grade: record
                .and_then(|record| record.grade.as_ref())
                .map(|grade| grade.as_str().to_owned()),
            scanned_at: record.map(|record| record.scanned_at),
        };
        let fresh_report = dispute.fresh_scan_id.as_ref().map(|id| report(id, fresh.as_deref()));
        let closed_at: Option<Timestamp> = dispute.closed_at;
        let record = DisputeRecord {
            kind: self.issuer.brand.kind("dispute"),
            v: 1,
            page: self.issuer.url(&format!("/registry/{}/dispute/{}", dispute.domain, dispute.id)),
            disputed: report(&dispute.scan_id, disputed.as_deref()),
            id: dispute.id,
            domain: dispute.domain,
            reason: dispute.reason,
            filed_at: dispute.filed_at,
            state: if closed_at.is_some() { DisputeState::Closed } else { DisputeState::Open },
            fresh: fresh_report,
            changed: dispute.changed,
            outcome: dispute.outcome,
            closed_at,
        };
        Ok(DisputeView { record, disputed, fresh })
    }
}
