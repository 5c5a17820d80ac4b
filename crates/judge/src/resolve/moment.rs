//! What of an answer depends on when it is given: its age, who else looked, what is under way. The
//! reading behind it stays as it was.

use contract::limits::{ANSWER_FRESH_HOURS, KEPT_READING};
use contract::records::{
    AnswerStatus, Assurance, ContentClock, ControlStanding, DnsSection, Freshness, FreshnessSource,
    HighRiskFields, Incident, SamplesByNetwork, StoredSections, Upgrade, UpgradeState,
    VantageStanding, VantageState,
};
use contract::{Domain, Timestamp};

use super::Sections;
use super::read::Place;

pub const HOUR_MS: i64 = 3_600_000;

/// What was asked for beside the reading, each with an answer or none in time.
#[derive(Debug, Clone)]
pub struct Moment {
    pub now: Timestamp,
    /// Whether the reading was made for an earlier ask.
    pub kept: bool,
    /// When the queued full scan is expected, if one is queued.
    pub upgrade: Option<Timestamp>,
    pub readings: Told<Readings>,
    pub clock: Told<ContentClock>,
    pub incident: Told<Option<Incident>>,
    /// What the resolver says now; nothing where it was not asked again.
    pub dns: Told<Option<DnsSection>>,
    pub control: ControlStanding,
}

/// What the latest readings of the domain show together.
#[derive(Debug, Clone)]
pub struct Readings {
    pub standing: VantageStanding,
    pub samples: SamplesByNetwork,
    pub high_risk: Option<HighRiskFields>,
}

/// A section's source had its answer in time, or had not.
#[derive(Debug, Clone, PartialEq)]
pub enum Told<T> {
    Now(T),
    NotInTime,
}

impl<T> Told<T> {
    /// What was told; if nothing was, the names of the sections that stay as stored are put down.
    fn or_stored(self, sections: &[&str], stored: &mut Vec<String>) -> Option<T> {
        match self {
            Self::Now(told) => Some(told),
            Self::NotInTime => {
                stored.extend(sections.iter().map(|name| (*name).to_owned()));
                None
            }
        }
    }
}

/// Brings the sections up to a moment.
pub fn bring_up(sections: &mut Sections, moment: Moment, place: &Place<'_>) {
    let mut stored = Vec::new();
    let as_of = sections.freshness.last_verified_at.or(sections.freshness.observed_at);
    let mut verified_at = None;
    if let Some(dns) = moment.dns.or_stored(&["dns"], &mut stored).flatten() {
        verified_at = dns.observed_at().filter(|_| dns.body().is_some());
        sections.dns = dns;
    }
    if let Some(Readings { standing, samples, high_risk }) =
        moment.readings.or_stored(&["observers", "confidence"], &mut stored)
    {
        sections.observers.independent_readings = standing.readings;
        sections.observers.samples_by_network = samples;
        sections.confidence.vantages = standing.networks;
        sections.confidence.sample = Some(standing.readings);
        sections.confidence.sample_note = Some(
            "Readings of this domain that are kept, the latest of each network within ten minutes \
             counted once."
                .to_owned(),
        );
        sections.confidence.vantage_state = Some(standing);
        sections.high_risk_fields = high_risk;
    }
    if let Some(clock) = moment.clock.or_stored(&["content_clock"], &mut stored) {
        sections.content_clock = clock;
    }
    if let Some(incident) = moment.incident.or_stored(&["incident"], &mut stored) {
        sections.incident = incident;
    }
    sections.control = moment.control;
    let freshness = &sections.freshness;
    sections.freshness =
        freshness_at(freshness.observed_at, verified_at, &freshness.source, moment.now);
    sections.served_from = moment.kept.then(|| served_from(sections));
    sections.upgrade = moment.upgrade.map(|expected| upgrade(&sections.domain, expected, place));
    sections.stored_sections = (!stored.is_empty()).then(|| StoredSections {
        sections: stored,
        as_of: as_of.unwrap_or(moment.now.whole_seconds()),
        reading: "These sections did not answer in time and are shown as stored. They change no \
                  decision."
            .to_owned(),
    });
}

/// How old a reading is at a moment. A clock that was put back makes nothing younger than new.
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
            "An answer is fresh for {ANSWER_FRESH_HOURS} hours after observed_at. Each action says \
             how old its evidence may be."
        ),
    }
}

fn served_from(sections: &Sections) -> String {
    let age = sections.freshness.age_hours.unwrap_or_default();
    let at = sections.freshness.observed_at.map(|at| at.to_string()).unwrap_or_default();
    let hours = if age == 1 { "hour" } else { "hours" };
    match sections.status {
        AnswerStatus::Partial => {
            let kept = KEPT_READING.as_secs() / 3600;
            format!(
                "a live reading of {at}, {age} {hours} old; it is kept and served for up to {kept} hours"
            )
        }
        _ => format!("a stored reading of {at}, {age} {hours} old"),
    }
}

fn upgrade(domain: &Domain, expected: Timestamp, place: &Place<'_>) -> Upgrade {
    Upgrade {
        state: UpgradeState::Queued,
        to: Assurance::Full,
        expected: expected.to_string(),
        how: format!(
            "A full scan is queued. When it lands it replaces this answer, and {} shows it.",
            place.of_domain("/api/v1/changes", domain)
        ),
        scan_now: place.address("/api/scan"),
    }
}

/// The states by name, and what each means.
#[must_use]
pub fn vantage_words() -> std::collections::BTreeMap<String, String> {
    [
        (VantageState::SingleVantage, "All readings come from one network."),
        (VantageState::InsufficientSamples, "There are fewer than three readings."),
        (
            VantageState::CrossConfirmed,
            "Two or more networks and three or more readings agree; no finding is contested.",
        ),
        (VantageState::NetworkDivergence, "Networks were served different things."),
        (VantageState::RegionalDivergence, "Regions were served different things."),
        (VantageState::NotRecorded, "The answer was stored before readings were recorded."),
    ]
    .into_iter()
    .map(|(state, means)| (state.as_str().to_owned(), means.to_owned()))
    .collect()
}

#[cfg(test)]
mod tests {
    use contract::Brand;

    use super::*;
    use crate::resolve::testing;

    fn moment(now: Timestamp, sections: &Sections) -> Moment {
        Moment {
            now,
            kept: true,
            upgrade: None,
            readings: Told::NotInTime,
            clock: Told::Now(sections.content_clock.clone()),
            incident: Told::NotInTime,
            dns: Told::NotInTime,
            control: sections.control.clone(),
        }
    }

    #[test]
    fn an_answer_grows_old_and_a_clock_put_back_makes_it_no_younger_than_new() {
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
    fn what_did_not_answer_in_time_is_shown_as_stored_and_changes_no_decision() {
        let answer = testing::answer();
        let (brand, base_url) = (Brand::default(), "https://svc.example");
        let place = Place { brand: &brand, base_url };
        let stored = Sections::of(answer.clone());
        let mut sections = stored.clone();
        let now = stored.freshness.observed_at.unwrap().plus_millis(60_000);
        bring_up(&mut sections, moment(now, &stored), &place);
        let shown = sections.stored_sections.as_ref().unwrap();
        assert_eq!(shown.sections, ["dns", "observers", "confidence", "incident"]);
        assert_eq!(sections.dns, stored.dns);
        assert_eq!(sections.confidence, stored.confidence);
        let decided =
            |sections: &Sections| crate::decide::actions(&crate::decide::grounds(sections));
        assert_eq!(decided(&sections), decided(&stored));

        // With everything told, nothing is shown as stored.
        let mut told = stored.clone();
        let all = Moment {
            readings: Told::Now(Readings {
                standing: stored.confidence.vantage_state.clone().unwrap(),
                samples: stored.observers.samples_by_network.clone(),
                high_risk: None,
            }),
            incident: Told::Now(None),
            dns: Told::Now(None),
            ..moment(now, &stored)
        };
        bring_up(&mut told, all, &place);
        assert_eq!(told.stored_sections, None);
    }
}
