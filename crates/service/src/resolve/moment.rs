//! What the store and the resolver know at the moment of asking, each within its time.

use std::future::Future;
use std::time::Duration;

use contract::limits::{INDEPENDENT_READINGS, SECTION_TIMEOUT};
use contract::records::{
    DnsSection, FreshnessSource, HighRiskFields, Incident, NetworkSamples, ReadingNetwork,
    RevocationCause, SampleWindow, SamplesByNetwork,
};
use contract::{Domain, Timestamp};
use judge::resolve::clock::ClockFacts;
use judge::resolve::corroboration::ReadingSeen;
use judge::resolve::high_risk::FieldsAt;
use judge::resolve::{self, Moment, Place, Readings, corroboration, high_risk};
use store::{ClockAndVersions, Job, KeptReading, Standing, StoreError};

use super::making::UPGRADE;
use super::windows::UpgradeWindows;
use crate::Service;

/// What was told in time; nothing where it was not.
pub(super) struct Told {
    readings: Option<Vec<KeptReading>>,
    clock: Option<Option<ClockAndVersions>>,
    standing: Option<Option<Standing>>,
    upgrade: Option<Option<Job>>,
    dns: Option<Option<DnsSection>>,
}

impl Service {
    /// Asks everything side by side. `again` asks the resolver too: a stored reading is some days
    /// old, and a name that is gone since is worth knowing.
    pub(super) async fn told(&self, domain: &Domain, again: bool) -> Told {
        let home = format!("https://{domain}/");
        let dns = async {
            match again {
                true => Ok(Some(self.scanner.look_up(domain, SECTION_TIMEOUT).await)),
                false => Ok(None),
            }
        };
        let (readings, clock, standing, upgrade, dns) = tokio::join!(
            in_time(self.store.readings_of(domain, INDEPENDENT_READINGS)),
            in_time(self.store.clock(&home)),
            in_time(self.store.standing(domain)),
            in_time(self.store.job(UPGRADE, domain.as_str())),
            in_time(dns),
        );
        // A resolver that gave no answer was not in time either: what is stored stays.
        let dns = dns.filter(|told| told.as_ref().is_none_or(|section| section.body().is_some()));
        Told { readings, clock, standing, upgrade, dns }
    }
}

/// A little more than the section's own time, which the resolver takes to the full.
const GRACE: Duration = Duration::from_millis(20);

async fn in_time<T>(asked: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(SECTION_TIMEOUT + GRACE, asked).await {
        Ok(Ok(told)) => Some(told),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a section is shown as stored");
            None
        }
        Err(_) => None,
    }
}

impl Told {
    /// When the queued scan is due, or will be if it is queued now.
    pub(super) fn expected_upgrade(&self, windows: &UpgradeWindows, now: Timestamp) -> Timestamp {
        self.queued_upgrade().unwrap_or_else(|| windows.next(now))
    }

    /// When the queued scan is due, if one is queued.
    pub(super) fn queued_upgrade(&self) -> Option<Timestamp> {
        self.upgrade.as_ref().and_then(Option::as_ref).map(|job| job.due_at)
    }

    /// The same with a reading that is only now being kept.
    pub(super) fn with(mut self, reading: &KeptReading) -> Self {
        if let Some(readings) = &mut self.readings {
            readings.retain(|known| known.id != reading.id);
            readings.insert(0, reading.clone());
            readings.truncate(INDEPENDENT_READINGS);
        }
        self
    }

    pub(super) fn moment(
        self,
        sections: &resolve::Sections,
        kept: bool,
        upgrade: Option<Timestamp>,
        now: Timestamp,
        place: &Place<'_>,
    ) -> Moment {
        let domain = &sections.domain;
        let earlier = sections.high_risk_fields.as_ref();
        let readings = self.readings.map(|readings| together(&readings, earlier));
        let clock = self
            .clock
            .map(|clock| resolve::clock::block(domain, clock.map(facts).as_ref(), place.base_url));
        let incident = self.standing.map(|standing| standing.as_ref().and_then(incident));
        Moment {
            now,
            kept,
            upgrade,
            readings: readings.map_or(resolve::Told::NotInTime, resolve::Told::Now),
            clock: clock.map_or(resolve::Told::NotInTime, resolve::Told::Now),
            incident: incident.map_or(resolve::Told::NotInTime, resolve::Told::Now),
            dns: self.dns.map_or(resolve::Told::NotInTime, resolve::Told::Now),
            control: resolve::nobody_has_shown_control(domain, place),
        }
    }
}

fn incident(standing: &Standing) -> Option<Incident> {
    standing.causes.iter().any(|cause| cause == RevocationCause::IncidentReported.as_str()).then(
        || Incident {
            since: standing.since,
            why: "An incident at this domain was reported to us by its owner.".to_owned(),
        },
    )
}

/// What the readings show together.
fn together(readings: &[KeptReading], earlier: Option<&HighRiskFields>) -> Readings {
    let seen: Vec<ReadingSeen> = readings.iter().map(seen).collect();
    let fields: Vec<FieldsAt> = seen
        .iter()
        .filter(|reading| reading.completed)
        .map(|reading| FieldsAt {
            observed_at: reading.observed_at,
            network: reading.observer.clone(),
            fields: reading.fields.clone(),
        })
        .collect();
    let mut groups: Vec<NetworkSamples> = Vec::new();
    for reading in readings {
        match groups.iter_mut().find(|group| group.network == reading.network) {
            Some(group) => group.samples += 1,
            None => groups.push(NetworkSamples { network: reading.network.clone(), samples: 1 }),
        }
    }
    groups.sort_by(|a, b| a.network.cmp(&b.network));
    let times = || readings.iter().map(|reading| reading.observed_at);
    Readings {
        standing: corroboration::standing(&seen),
        samples: SamplesByNetwork {
            networks: u32::try_from(groups.len()).unwrap_or(u32::MAX),
            samples: u32::try_from(readings.len()).unwrap_or(u32::MAX),
            groups,
            window: SampleWindow { from: times().min(), to: times().max() },
        },
        high_risk: high_risk::pending(&fields, earlier),
    }
}

/// A kept reading as it is compared.
pub(crate) fn seen(kept: &KeptReading) -> ReadingSeen {
    ReadingSeen {
        id: kept.id.clone(),
        observed_at: kept.observed_at,
        observer: kept.network.clone(),
        network: ReadingNetwork {
            name: kept.network.clone(),
            asn: None,
            country: None,
            region: None,
            rir: None,
        },
        basis: FreshnessSource::known(&kept.basis).unwrap_or(FreshnessSource::JustInTime),
        completed: kept.completed,
        fields: serde_json::from_slice(&kept.fields).unwrap_or_default(),
    }
}

/// What an answer says of a clock.
fn facts((clock, versions): ClockAndVersions) -> ClockFacts {
    ClockFacts {
        observed: clock.last_checked_at.is_some(),
        started_at: clock.started_at,
        checks: clock.checks,
        last_checked_at: clock.last_checked_at,
        // The newest comes first; the first of all is no change.
        last_changed_at: versions
            .first()
            .filter(|newest| newest.n > 1)
            .map(|newest| newest.seen_from),
        why: clock.why,
        url: clock.url,
    }
}
