//! Loads what the store and the DNS resolver know about a domain, each within its time limit.

use std::future::Future;
use std::time::Duration;

use contract::limits::{READINGS_KEPT_PER_DOMAIN, SECTION_TIMEOUT};
use contract::records::{
    ControlSummary, DnsSection, FreshnessSource, HighRiskFields, Incident, NetworkSamples,
    ReadingNetwork, SampleWindow, SamplesByNetwork,
};
use contract::{Domain, Issuer, Timestamp};
use judge::resolve::clock::ClockSummary;
use judge::resolve::corroboration::ComparableReading;
use judge::resolve::{
    self, PlannedUpgrade, ReadingsSummary, RefreshInputs, corroboration, high_risk,
};
use store::{
    AnswerFacts, AnswerFactsQuery, AnswerStanding, ClockAndVersions, ComparedReading, Job,
    OwnerIncident, StoreError, StoredClaim, StoredReading,
};

use super::upgrade_windows::{UPGRADE_JOB, UpgradeWindows};
use crate::answers::Answers;
use crate::stored_claims::summarise_claims;

/// Facts about a domain. The outer `None` means that the lookup failed or was not done in time.
pub(super) struct StoredFacts {
    readings: Option<Vec<ComparedReading>>,
    clock: Option<Option<ClockAndVersions>>,
    upgrade: Option<Option<Job>>,
    dns: Option<Option<DnsSection>>,
    /// Who controlled the domain at the time of the lookup.
    control: Option<ControlSummary>,
}

/// What the owner of a domain did and stated.
pub(super) struct OwnerState {
    /// The incident that is open.
    pub(super) incident: Option<OwnerIncident>,
    /// `None` if the claims could not be read in time.
    pub(super) control: Option<ControlSummary>,
}

impl Answers {
    /// Runs all lookups concurrently. `check_dns` also queries the DNS resolver: a stored reading may
    /// be days old, and the name may have been deleted since.
    pub(super) async fn load_stored_facts(&self, domain: &Domain, check_dns: bool) -> StoredFacts {
        let facts = async { Ok(self.store.answer_facts(facts_query(domain)).await) };
        let dns = self.lookup_dns_if(check_dns, domain);
        let (facts, dns) = tokio::join!(within_time_limit(facts), dns);
        self.to_stored_facts(domain, facts, dns)
    }

    /// The same, and in the same read which answer is in force. That is waited for, however long it takes.
    pub(super) async fn load_standing_and_facts(
        &self,
        domain: &Domain,
        check_dns: bool,
    ) -> Result<(AnswerStanding, StoredFacts), StoreError> {
        let now = self.clock.now();
        let read = async { Ok(self.store.standing_and_facts(facts_query(domain), now).await) };
        let dns = self.lookup_dns_if(check_dns, domain);
        let (read, dns) = tokio::join!(within_time_limit(read), dns);
        let (standing, facts) = match read {
            Some((standing, facts)) => (standing?, Some(facts)),
            None => (self.store.answer_standing(domain, now).await?, None),
        };
        Ok((standing, self.to_stored_facts(domain, facts, dns)))
    }

    async fn lookup_dns_if(&self, wanted: bool, domain: &Domain) -> Option<Option<DnsSection>> {
        if !wanted {
            return Some(None);
        }
        within_time_limit(async {
            Ok(Some(self.scanner.lookup_dns(domain, SECTION_TIMEOUT).await))
        })
        .await
    }

    fn to_stored_facts(
        &self,
        domain: &Domain,
        facts: Option<AnswerFacts>,
        dns: Option<Option<DnsSection>>,
    ) -> StoredFacts {
        // A failed DNS lookup counts as not done in time: the stored section stays.
        let dns = dns.filter(|dns| dns.as_ref().is_none_or(|section| section.body().is_some()));
        let Some(AnswerFacts { readings, clock, job, claims }) = facts else {
            return StoredFacts { readings: None, clock: None, upgrade: None, dns, control: None };
        };
        StoredFacts {
            readings: found(readings),
            clock: found(clock),
            upgrade: found(job),
            dns,
            control: found(claims.and_then(|claims| self.summarise_control(domain, &claims))),
        }
    }

    /// Who controls the domain; `None` if the claims could not be read in time.
    pub(super) async fn load_control(&self, domain: &Domain) -> Option<ControlSummary> {
        let claims = async {
            let claims = self.store.claims_of(domain).await?;
            self.summarise_control(domain, &claims)
        };
        within_time_limit(claims).await
    }

    fn summarise_control(
        &self,
        domain: &Domain,
        claims: &[StoredClaim],
    ) -> Result<ControlSummary, StoreError> {
        summarise_claims(domain, claims, self.clock.now(), &self.issuer)
    }
}

fn facts_query(domain: &Domain) -> AnswerFactsQuery {
    AnswerFactsQuery {
        domain: domain.clone(),
        readings: READINGS_KEPT_PER_DOMAIN,
        clock_url: format!("https://{domain}/"),
        job_kind: UPGRADE_JOB,
    }
}

/// Added to the time limit, because a DNS lookup may use all of it.
const TIMEOUT_GRACE: Duration = Duration::from_millis(20);

async fn within_time_limit<T>(lookup: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(SECTION_TIMEOUT + TIMEOUT_GRACE, lookup).await {
        Ok(result) => found(result),
        Err(_) => None,
    }
}

fn found<T>(result: Result<T, StoreError>) -> Option<T> {
    result
        .inspect_err(|error| {
            tracing::warn!(%error, "a lookup failed; the section is served as stored");
        })
        .ok()
}

impl StoredFacts {
    /// When the queued scan is due, or would be if it were queued now.
    pub(super) fn expected_upgrade_at(
        &self,
        windows: &UpgradeWindows,
        now: Timestamp,
    ) -> Timestamp {
        self.queued_upgrade_at().unwrap_or_else(|| windows.next(now))
    }

    /// When the queued scan is due, if one is queued.
    pub(super) fn queued_upgrade_at(&self) -> Option<Timestamp> {
        self.upgrade.as_ref().and_then(Option::as_ref).map(|job| job.due_at)
    }

    /// Whether it is known if a scan is queued.
    pub(super) fn upgrade_was_read(&self) -> bool {
        self.upgrade.is_some()
    }

    /// Whether the earlier readings were read in time. Only they show pending high-risk changes.
    pub(super) fn readings_were_read(&self) -> bool {
        self.readings.is_some()
    }

    /// Who controls the domain, if it was looked up in time.
    pub(super) fn control(&self) -> Option<&ControlSummary> {
        self.control.as_ref()
    }

    /// Adds a reading that is being stored at the same time.
    pub(super) fn with_new_reading(mut self, reading: &StoredReading) -> Self {
        if let Some(readings) = &mut self.readings {
            readings.retain(|known| known.id != reading.id);
            readings.insert(0, reading.clone().into_compared());
            readings.truncate(READINGS_KEPT_PER_DOMAIN);
        }
        self
    }

    /// `sections` have the pending high-risk changes of the previous answer.
    pub(super) fn to_refresh_inputs(
        &self,
        sections: &resolve::Sections,
        is_stored_reading: bool,
        upgrade: Option<PlannedUpgrade>,
        owner: OwnerState,
        now: Timestamp,
        issuer: &Issuer,
    ) -> RefreshInputs {
        let domain = &sections.domain;
        let earlier = sections.high_risk_fields.as_ref();
        let readings = self.readings.as_ref();
        let readings = readings.map(|readings| summarise_readings(readings, earlier));
        let clock = self.clock.as_ref().map(|clock| {
            resolve::clock::clock_section(
                domain,
                clock.as_ref().map(clock_summary).as_ref(),
                &issuer.base_url,
            )
        });
        RefreshInputs {
            now,
            is_stored_reading,
            upgrade,
            readings: readings
                .map_or(resolve::TimedLookup::NotInTime, resolve::TimedLookup::InTime),
            clock: clock.map_or(resolve::TimedLookup::NotInTime, resolve::TimedLookup::InTime),
            incident: resolve::TimedLookup::InTime(owner.incident.as_ref().map(describe_incident)),
            dns: self
                .dns
                .clone()
                .map_or(resolve::TimedLookup::NotInTime, resolve::TimedLookup::InTime),
            control: owner
                .control
                .map_or(resolve::TimedLookup::NotInTime, resolve::TimedLookup::InTime),
        }
    }
}

/// The owner's own words are not part of an answer: agents read answers, and whoever took a site over could
/// address them.
pub(super) fn describe_incident(incident: &OwnerIncident) -> Incident {
    Incident {
        since: incident.since,
        ends_at: Some(incident.ends_at),
        why: "The owner of this domain reported an incident.".to_owned(),
    }
}

/// Summarises the stored readings of a domain.
fn summarise_readings(
    readings: &[ComparedReading],
    earlier: Option<&HighRiskFields>,
) -> ReadingsSummary {
    // Where all readings say the same, nothing is contested or pending, whatever it is that they say.
    let agree = earlier.is_none() && all_say_the_same(readings);
    let with_fields = |reading| to_comparable_reading(reading, !agree);
    let comparable: Vec<ComparableReading> = readings.iter().map(with_fields).collect();
    let mut groups: Vec<NetworkSamples> = Vec::new();
    for reading in readings {
        match groups.iter_mut().find(|group| group.network == reading.network) {
            Some(group) => group.samples += 1,
            None => groups.push(NetworkSamples { network: reading.network.clone(), samples: 1 }),
        }
    }
    groups.sort_by(|a, b| a.network.cmp(&b.network));
    let times = || readings.iter().map(|reading| reading.observed_at);
    ReadingsSummary {
        standing: corroboration::vantage_standing(&comparable),
        samples: SamplesByNetwork {
            networks: u32::try_from(groups.len()).unwrap_or(u32::MAX),
            samples: u32::try_from(readings.len()).unwrap_or(u32::MAX),
            groups,
            window: SampleWindow { from: times().min(), to: times().max() },
        },
        high_risk: high_risk::pending_changes(&comparable, earlier),
    }
}

/// Whether the readings that were completed have the same fields. Fields are stored in canonical form.
fn all_say_the_same(readings: &[ComparedReading]) -> bool {
    let mut completed = readings.iter().filter(|reading| reading.completed);
    let first = completed.next();
    completed.all(|other| first.is_some_and(|first| first.fields == other.fields))
}

/// A stored reading in comparable form. It has no fields if they cannot be parsed, and without `with_fields`.
fn to_comparable_reading(stored: &ComparedReading, with_fields: bool) -> ComparableReading {
    let fields = if with_fields { serde_json::from_slice(&stored.fields).ok() } else { None };
    ComparableReading {
        id: stored.id.clone(),
        observed_at: stored.observed_at,
        observer: stored.network.clone(),
        network: ReadingNetwork {
            name: stored.network.clone(),
            asn: None,
            country: None,
            region: None,
            rir: None,
        },
        basis: FreshnessSource::from_word(&stored.basis).unwrap_or(FreshnessSource::JustInTime),
        completed: stored.completed,
        fields: fields.unwrap_or_default(),
    }
}

/// The facts of a content clock that an answer states.
fn clock_summary((clock, versions): &ClockAndVersions) -> ClockSummary {
    ClockSummary {
        observed: clock.last_checked_at.is_some(),
        started_at: clock.started_at,
        checks: clock.checks,
        last_checked_at: clock.last_checked_at,
        // The newest version comes first. Version 1 is the first reading, not a change.
        last_changed_at: versions
            .first()
            .filter(|newest| newest.n > 1)
            .map(|newest| newest.seen_from),
        why: clock.why.clone(),
        url: clock.url.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use store::scans::parse_stored_domain;

    use super::*;

    fn reading(number: i64, network: &str, completed: bool, fields: &Value) -> ComparedReading {
        ComparedReading {
            id: format!("{number:032x}"),
            domain: parse_stored_domain("shop.lab").unwrap(),
            observed_at: Timestamp::from_millis(1_800_000_000_000 + number * 7_200_000),
            network: network.to_owned(),
            basis: "scan".to_owned(),
            scan_id: None,
            completed,
            fields: proof::canonical::to_vec(fields).unwrap().into(),
        }
    }

    /// Whether the fields are parsed or not, the summary is the same.
    #[test]
    fn readings_that_say_the_same_are_summarised_as_if_their_fields_were_compared() {
        let same = json!({ "entity.url": "https://shop.lab/", "tls.issuer": "x" });
        let other = json!({ "entity.url": "https://taken.lab/", "tls.issuer": "x" });
        let earlier: HighRiskFields = serde_json::from_value(
            json!({ "pending": [{ "field": "entity.url", "seen_at": "2027-01-15T08:00:00Z" }] }),
        )
        .unwrap();
        let networks = ["a", "b", "c"];
        let mut pending = 0;
        for fields in [[&same; 3], [&same, &other, &same], [&other, &same, &same]] {
            for completed in [[true; 3], [true, false, true]] {
                for count in 0..=3 {
                    let readings: Vec<ComparedReading> = (0..count)
                        .map(|at| reading(3 - at as i64, networks[at], completed[at], fields[at]))
                        .collect();
                    let full: Vec<_> = readings
                        .iter()
                        .map(|reading| to_comparable_reading(reading, true))
                        .collect();
                    for earlier in [None, Some(&earlier)] {
                        let summary = summarise_readings(&readings, earlier);
                        assert_eq!(summary.standing, corroboration::vantage_standing(&full));
                        assert_eq!(summary.high_risk, high_risk::pending_changes(&full, earlier));
                        pending += usize::from(summary.high_risk.is_some());
                    }
                }
            }
        }
        assert!(pending > 0);
        assert!(all_say_the_same(&[]) && all_say_the_same(&[reading(1, "a", true, &same)]));
        assert!(!all_say_the_same(&[reading(1, "a", true, &same), reading(2, "a", true, &other)]));
    }
}
