//! Incidents that owners report. An incident only ever tightens: it withholds actions until the owner ends it,
//! or its time is over.

use contract::limits::{INCIDENT_DAYS, INCIDENTS_PER_DAY};
use contract::records::{ControlEventType, IncidentRecord};
use contract::{Domain, Issuer, Timestamp};
use judge::control::StateChange;
use serde_json::json;
use store::{AllowanceDraw, AllowanceOutcome, Day, Incidents, NewControlEvent, OwnerIncident};

use super::events::new_event;
use super::{ControlError, DomainControl, Owner};
use crate::access::audit::{Actor, AuditedAction, record_action};

const DAY_MS: i64 = 24 * 3_600_000;
/// How far back an incident may have begun.
const LONGEST_AGO_MS: i64 = 365 * DAY_MS;
const MAX_CLOCK_SKEW_MS: i64 = 5 * 60_000;
/// Incidents that are looked at in one turn.
const PAGE: usize = 64;

impl DomainControl {
    /// Records an incident. From now on answers about the domain withhold what an incident withholds.
    pub async fn report_incident(
        &self,
        owner: &Owner,
        what: &str,
        since: Option<Timestamp>,
    ) -> Result<IncidentRecord, ControlError> {
        let now = self.clock.now().whole_seconds();
        let since = since.unwrap_or(now);
        let ago = now.millis_since(since);
        if !(-MAX_CLOCK_SKEW_MS..=LONGEST_AGO_MS).contains(&ago) {
            return Err(ControlError::BadTime);
        }
        self.draw_report(owner, "incidents of a domain", INCIDENTS_PER_DAY).await?;
        let incident = OwnerIncident {
            id: self.ids.random_id()?,
            domain: owner.domain.clone(),
            claim_id: owner.claim_id.clone(),
            what: what.to_owned(),
            since: since.min(now),
            reported_at: now,
            ends_at: now.plus_millis(i64::from(INCIDENT_DAYS) * DAY_MS),
            ended_at: None,
            ended_by: None,
        };
        let state = self.state_of(&owner.domain).await?;
        let event = incident_event(
            &incident,
            ControlEventType::IncidentReported,
            state,
            now,
            "The owner reported an incident.",
        )?;
        self.store.put_incident(incident.clone(), event).await.map_err(ControlError::from_put)?;
        self.record_owner_action(owner, "incident.report", &incident.id).await?;
        self.answers.owner_facts_changed(&owner.domain).await;
        Ok(to_record(&incident, &self.issuer))
    }

    /// Ends the incident of a domain by the owner's word.
    pub async fn end_incident(&self, owner: &Owner) -> Result<IncidentRecord, ControlError> {
        let now = self.clock.now().whole_seconds();
        let open = self.store.open_incident(&owner.domain, now).await?;
        let mut incident = open.ok_or(ControlError::NotFound)?;
        self.close_incident(&incident, now, "its owner", "The owner ended the incident.").await?;
        self.record_owner_action(owner, "incident.end", &incident.id).await?;
        incident.ended_at = Some(now);
        Ok(to_record(&incident, &self.issuer))
    }

    /// Ends the incidents whose time is over, so that nothing stays withheld because nobody asks.
    pub async fn end_overdue_incidents(&self) -> Result<(), ControlError> {
        let now = self.clock.now().whole_seconds();
        for incident in self.store.overdue_incidents(now, PAGE).await? {
            let why = format!("{INCIDENT_DAYS} days have passed since the incident was reported.");
            self.close_incident(&incident, now, "time", &why).await?;
        }
        Ok(())
    }

    async fn close_incident(
        &self,
        incident: &OwnerIncident,
        now: Timestamp,
        by: &str,
        why: &str,
    ) -> Result<(), ControlError> {
        let state = self.state_of(&incident.domain).await?;
        let event = incident_event(incident, ControlEventType::IncidentEnded, state, now, why)?;
        self.store.end_incident(&incident.id, now, by, event).await?;
        self.answers.owner_facts_changed(&incident.domain).await;
        Ok(())
    }

    /// The incident of a domain that has not ended.
    pub async fn open_incident(
        &self,
        domain: &Domain,
    ) -> Result<Option<IncidentRecord>, ControlError> {
        let open = self.store.open_incident(domain, self.clock.now()).await?;
        Ok(open.map(|incident| to_record(&incident, &self.issuer)))
    }

    /// Counts something that an owner reports: each costs an entry of the log, or a scan.
    pub(super) async fn draw_report(
        &self,
        owner: &Owner,
        label: &str,
        limit: u32,
    ) -> Result<(), ControlError> {
        if self.checks_per_day.is_none() {
            return Ok(());
        }
        let now = self.clock.now();
        let day = Day::of(now);
        let key = self.secret.mac(label, &[owner.domain.as_str().as_bytes()]);
        match self.store.draw_allowances(day.into(), vec![AllowanceDraw { key, limit }]).await? {
            AllowanceOutcome::Granted => Ok(()),
            AllowanceOutcome::Exhausted { .. } => {
                let left = day.ends_at().millis_since(now).max(1000);
                Err(ControlError::TooManyReports { retry_after_s: left.unsigned_abs() / 1000 })
            }
        }
    }

    pub(super) async fn record_owner_action(
        &self,
        owner: &Owner,
        name: &'static str,
        subject: &str,
    ) -> Result<(), ControlError> {
        let actor = Actor::DomainOwner(owner.domain.clone());
        let detail = json!({ "claim": owner.claim_id });
        let action = AuditedAction { name, subject, detail };
        record_action(self.store.as_ref(), self.clock.now(), &actor, action).await?;
        Ok(())
    }
}

/// Ends an incident by the word of the operator. Returns the incident, or `None` if there is no open one with
/// this id.
pub async fn end_incident_as_operator(
    store: &dyn Incidents,
    incident: &OwnerIncident,
    why: &str,
    now: Timestamp,
) -> Result<bool, ControlError> {
    let now = now.whole_seconds();
    let why = format!("The operator of this service ended the incident: {why}");
    // The state of the claim does not change; what it is does not matter for the event.
    let state = contract::records::ClaimState::Proven;
    let event = incident_event(incident, ControlEventType::IncidentEnded, state, now, &why)?;
    Ok(store.end_incident(&incident.id, now, "operator", event).await?)
}

fn incident_event(
    incident: &OwnerIncident,
    event: ControlEventType,
    state: contract::records::ClaimState,
    at: Timestamp,
    why: &str,
) -> Result<NewControlEvent, ControlError> {
    let change = StateChange { at, event, from: state.clone(), to: state, why: why.to_owned() };
    Ok(new_event(&incident.claim_id, None, &change, &[])?)
}

fn to_record(incident: &OwnerIncident, issuer: &Issuer) -> IncidentRecord {
    IncidentRecord {
        kind: issuer.brand.kind("incident"),
        v: 1,
        id: incident.id.clone(),
        domain: incident.domain.clone(),
        what: incident.what.clone(),
        since: incident.since,
        reported_at: incident.reported_at,
        ends_at: incident.ends_at,
        ended_at: incident.ended_at,
        effect: "While the incident lasts, answers about this domain block connecting and transacting and warn about \
                 reading and citing, and the revocation feed lists the domain."
            .to_owned(),
    }
}
