//! Updates the parts of an answer that depend on the time of the request: its age, readings from other
//! networks, queued scans. The reading behind the answer does not change.

use contract::limits::{ANSWER_FRESH_HOURS, LIVE_READING_MAX_AGE};
use contract::records::{
    AnswerStatus, Assurance, ContentClock, ControlSummary, DnsSection, Freshness, FreshnessSource,
    HighRiskFields, Incident, SamplesByNetwork, StoredSections, Upgrade, UpgradeState,
    VantageSummary,
};
use contract::{Domain, Issuer, Timestamp};

use super::carried_calls::expire_calls;
use super::sections::Sections;

pub const HOUR_MS: i64 = 3_600_000;

/// What is looked up in addition to the reading, to refresh the sections. Each look-up may miss its time
/// limit.
#[derive(Debug, Clone)]
pub struct RefreshInputs {
    pub now: Timestamp,
    /// Whether the reading was made for an earlier request.
    pub is_stored_reading: bool,
    /// Whether a full scan follows, for an answer that needs one.
    pub upgrade: Option<PlannedUpgrade>,
    pub readings: TimedLookup<ReadingsSummary>,
    pub clock: TimedLookup<ContentClock>,
    pub incident: TimedLookup<Option<Incident>>,
    /// The current DNS section; `None` where the resolver was not asked again.
    pub dns: TimedLookup<Option<DnsSection>>,
    pub control: TimedLookup<ControlSummary>,
}

/// Whether a full scan follows a partial answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedUpgrade {
    Queued { due_at: Timestamp },
    QueueFull { ask_again_at: Timestamp },
}

impl PlannedUpgrade {
    /// The time that the answer states.
    #[must_use]
    pub fn at(self) -> Timestamp {
        match self {
            Self::Queued { due_at: at } | Self::QueueFull { ask_again_at: at } => at,
        }
    }
}

/// What the latest readings of the domain show, taken together.
#[derive(Debug, Clone)]
pub struct ReadingsSummary {
    pub standing: VantageSummary,
    pub samples: SamplesByNetwork,
    pub high_risk: Option<HighRiskFields>,
}

/// The result of a look-up with a time limit.
#[derive(Debug, Clone, PartialEq)]
pub enum TimedLookup<T> {
    InTime(T),
    NotInTime,
}

impl<T> TimedLookup<T> {
    /// The value, if it came in time. If not, adds the sections that keep their stored content to
    /// `stored`.
    fn or_stored(self, sections: &[&str], stored: &mut Vec<String>) -> Option<T> {
        match self {
            Self::InTime(value) => Some(value),
            Self::NotInTime => {
                stored.extend(sections.iter().map(|name| (*name).to_owned()));
                None
            }
        }
    }
}

/// Refreshes the sections for a request at `inputs.now`.
pub fn refresh_sections(sections: &mut Sections, inputs: RefreshInputs, issuer: &Issuer) {
    let mut stored = Vec::new();
    let as_of = sections.freshness.last_verified_at.or(sections.freshness.observed_at);
    let mut verified_at = None;
    if let Some(dns) = inputs.dns.or_stored(&["dns"], &mut stored).flatten() {
        verified_at = dns.observed_at().filter(|_| dns.body().is_some());
        sections.dns = dns;
    }
    if let Some(ReadingsSummary { standing, samples, high_risk }) =
        inputs.readings.or_stored(&["observers", "confidence"], &mut stored)
    {
        sections.observers.independent_readings = standing.readings;
        sections.observers.samples_by_network = samples;
        sections.confidence.vantages = standing.networks;
        sections.confidence.sample = Some(standing.readings);
        sections.confidence.sample_note = Some(
            "Stored readings of this domain. Of the readings that a network makes within ten \
             minutes, only the latest is counted."
                .to_owned(),
        );
        sections.confidence.vantage_state = Some(standing);
        sections.high_risk_fields = high_risk;
    }
    if let Some(clock) = inputs.clock.or_stored(&["content_clock"], &mut stored) {
        sections.content_clock = clock;
    }
    if let Some(incident) = inputs.incident.or_stored(&["incident"], &mut stored) {
        sections.incident = incident;
    }
    if let Some(control) = inputs.control.or_stored(&["control"], &mut stored) {
        sections.control = control;
    }
    expire_calls(&mut sections.capabilities, inputs.now);
    let freshness = &sections.freshness;
    sections.freshness =
        freshness_at(freshness.observed_at, verified_at, &freshness.source, inputs.now);
    sections.served_from = inputs.is_stored_reading.then(|| describe_source(sections));
    sections.upgrade =
        inputs.upgrade.map(|planned| describe_upgrade(&sections.domain, planned, issuer));
    sections.stored_sections = (!stored.is_empty()).then(|| StoredSections {
        sections: stored,
        as_of: as_of.unwrap_or(inputs.now.whole_seconds()),
        reading: "These sections could not be refreshed in time. They are shown as stored, and no \
                  decision changed because of them."
            .to_owned(),
    });
}

/// The age of a reading at a given time. If the clock was set back, the age is zero, not negative.
pub(super) fn freshness_at(
    observed_at: Option<Timestamp>,
    verified_at: Option<Timestamp>,
    source: &FreshnessSource,
    now: Timestamp,
) -> Freshness {
    let age_ms = observed_at.map(|then| now.millis_since(then).max(0));
    let fresh_until =
        observed_at.map(|then| then.plus_millis(i64::from(ANSWER_FRESH_HOURS) * HOUR_MS));
    Freshness {
        observed_at,
        age_hours: age_ms.map(|age| u32::try_from(age / HOUR_MS).unwrap_or(u32::MAX)),
        source: source.clone(),
        last_verified_at: verified_at.or(observed_at),
        fresh_until,
        stale: fresh_until.is_some_and(|end| now > end),
        fresh_policy: format!(
            "An answer is fresh for {ANSWER_FRESH_HOURS} hours after observed_at. max_age_hours of \
             each action limits the age of its evidence."
        ),
    }
}

fn describe_source(sections: &Sections) -> String {
    let age = sections.freshness.age_hours.unwrap_or_default();
    let at = sections.freshness.observed_at.map(|at| at.to_string()).unwrap_or_default();
    let hours = if age == 1 { "hour" } else { "hours" };
    match sections.status {
        AnswerStatus::Partial => {
            let kept = LIVE_READING_MAX_AGE.as_secs() / 3600;
            format!(
                "a live reading from {at}, {age} {hours} old; it is reused for up to {kept} hours"
            )
        }
        _ => format!("a stored reading from {at}, {age} {hours} old"),
    }
}

fn describe_upgrade(domain: &Domain, planned: PlannedUpgrade, issuer: &Issuer) -> Upgrade {
    let (state, how) = match planned {
        PlannedUpgrade::Queued { .. } => (
            UpgradeState::Queued,
            format!(
                "A full scan is queued. When it is finished, it replaces this answer. {} lists the change.",
                issuer.domain_url("/api/v1/changes", domain)
            ),
        ),
        PlannedUpgrade::QueueFull { .. } => (
            UpgradeState::QueueFull,
            "The queue of full scans is full, so none is queued for this domain. Ask again after the \
             time in expected, or start a scan at scan_now."
                .to_owned(),
        ),
    };
    Upgrade {
        state,
        to: Assurance::Full,
        expected: planned.at().to_string(),
        how,
        scan_now: issuer.url("/api/scan"),
    }
}

#[cfg(test)]
mod tests {
    use contract::Brand;

    use super::*;
    use crate::resolve::testing;

    fn inputs(now: Timestamp, sections: &Sections) -> RefreshInputs {
        RefreshInputs {
            now,
            is_stored_reading: true,
            upgrade: None,
            readings: TimedLookup::NotInTime,
            clock: TimedLookup::InTime(sections.content_clock.clone()),
            incident: TimedLookup::NotInTime,
            dns: TimedLookup::NotInTime,
            control: TimedLookup::InTime(sections.control.clone()),
        }
    }

    #[test]
    fn the_age_grows_with_time_and_is_never_negative() {
        let observed = Timestamp::from_millis(1_790_000_000_000);
        let at = |hours: i64, more: i64| {
            let now = observed.plus_millis(hours * HOUR_MS + more);
            freshness_at(Some(observed), None, &FreshnessSource::JustInTime, now)
        };
        for (hours, more, age, stale) in [
            (0, 0, 0, false),
            (0, HOUR_MS - 1, 0, false),
            (1, 0, 1, false),
            (168, 0, 168, false),
            (168, 1, 168, true),
            (-5, 0, 0, false),
        ] {
            let freshness = at(hours, more);
            assert_eq!(
                (freshness.age_hours, freshness.stale),
                (Some(age), stale),
                "{hours} {more}"
            );
            assert_eq!(freshness.last_verified_at, Some(observed));
        }
        let nothing = freshness_at(None, None, &FreshnessSource::JustInTime, observed);
        assert_eq!((nothing.age_hours, nothing.stale, nothing.fresh_until), (None, false, None));
    }

    #[test]
    fn sections_that_were_not_refreshed_in_time_are_shown_as_stored_and_change_no_decision() {
        let answer = testing::answer();
        let (brand, base_url) = (Brand::default(), "https://svc.example");
        let issuer = Issuer::new(brand.clone(), base_url);
        let stored = Sections::from_answer(answer.clone());
        let mut sections = stored.clone();
        let now = stored.freshness.observed_at.unwrap().plus_millis(60_000);
        refresh_sections(&mut sections, inputs(now, &stored), &issuer);
        let shown = sections.stored_sections.as_ref().unwrap();
        assert_eq!(shown.sections, ["dns", "observers", "confidence", "incident"]);
        assert_eq!(sections.dns, stored.dns);
        assert_eq!(sections.confidence, stored.confidence);
        let decided = |sections: &Sections| {
            crate::decide::decide_actions(&crate::decide::decision_inputs(sections))
        };
        assert_eq!(decided(&sections), decided(&stored));

        // If every look-up came in time, nothing is shown as stored.
        let mut refreshed = stored.clone();
        let all = RefreshInputs {
            readings: TimedLookup::InTime(ReadingsSummary {
                standing: stored.confidence.vantage_state.clone().unwrap(),
                samples: stored.observers.samples_by_network.clone(),
                high_risk: None,
            }),
            incident: TimedLookup::InTime(None),
            dns: TimedLookup::InTime(None),
            ..inputs(now, &stored)
        };
        refresh_sections(&mut refreshed, all, &issuer);
        assert_eq!(refreshed.stored_sections, None);
    }
}
