//! Readings of one domain from several networks, held against each other field by field.
//!
//! What counts as a reading: it came to its end, and the same network had not read within the ten
//! minutes before the next one that counts. Which state readings are in, the first that holds:
//!
//! 1. `not_recorded`: no reading counts;
//! 2. `single_vantage`: all are of one network. More of them would cure nothing;
//! 3. `regional_divergence`, `network_divergence`: a field is contested. Two readings are enough to
//!    say so: who is told of a contradiction can look, who is not cannot;
//! 4. `insufficient_samples`: fewer than three readings;
//! 5. `cross_confirmed`.
//!
//! A field is contested when networks disagree about it at the same time while each is at one with
//! itself. Where every value held for a time and then gave way to the next, the site changed: that is
//! spread by time. Where one network alone is shown now this and now that, nothing explains it, and
//! nothing is contested.

use std::collections::{BTreeMap, BTreeSet};

use contract::limits::{
    CONFIRMING_NETWORKS, CONFIRMING_READINGS, CONTESTED_WITHIN, INDEPENDENT_READINGS,
    READING_COUNTS_ONCE,
};
use contract::records::{
    Agreement, CorroboratedField, CorroboratedValue, CorroboratingReading, Corroboration,
    CorroborationWindow, FieldValue, FreshnessSource, Independence, NotCompleted, Quorum,
    ReadingNetwork, Spread, SpreadBy, VantageStanding, VantageState,
};
use contract::{Brand, Domain, Timestamp};
use serde_json::Value;

pub use super::fields::{FIELDS_MAX, fields};

use super::fields::shown;

/// One reading, as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadingSeen {
    pub id: String,
    pub observed_at: Timestamp,
    pub observer: String,
    pub network: ReadingNetwork,
    pub basis: FreshnessSource,
    pub completed: bool,
    /// By [`fields`].
    pub fields: BTreeMap<String, Value>,
}

/// What surrounds the comparison in a record.
#[derive(Debug, Clone, PartialEq)]
pub struct About<'a> {
    pub brand: &'a Brand,
    pub base_url: &'a str,
    pub domain: &'a Domain,
    pub now: Timestamp,
    pub independence: Independence,
}

/// How readings of a domain fit together.
#[must_use]
pub fn standing(readings: &[ReadingSeen]) -> VantageStanding {
    let compared = Compared::of(readings);
    compared.standing()
}

/// The whole record, not signed yet. At most [`INDEPENDENT_READINGS`] readings are looked at, the
/// newest.
#[must_use]
pub fn corroboration(about: &About<'_>, readings: &[ReadingSeen]) -> Corroboration {
    let compared = Compared::of(readings);
    let times = || compared.all.iter().map(|reading| reading.observed_at);
    Corroboration {
        kind: about.brand.kind("corroboration"),
        v: 1,
        schema: contract::schema::address("corroboration", about.brand, about.base_url),
        domain: about.domain.clone(),
        generated_at: about.now.whole_seconds(),
        window: CorroborationWindow {
            from: times().min(),
            to: times().max(),
            kept_max: INDEPENDENT_READINGS as u32,
        },
        vantage_state: compared.standing(),
        readings: compared.all.iter().map(|reading| compared.listed(reading)).collect(),
        quorum: compared.quorum(),
        not_completed: compared
            .all
            .iter()
            .filter(|reading| !reading.completed)
            .map(|reading| NotCompleted {
                reading_id: reading.id.clone(),
                why: "The reading did not come to its end.".to_owned(),
            })
            .collect(),
        independence: about.independence.clone(),
        fields: compared.fields,
        sha256: None,
        signature: None,
    }
}

struct Compared<'a> {
    /// The newest first.
    all: Vec<&'a ReadingSeen>,
    counted: Vec<&'a ReadingSeen>,
    fields: Vec<CorroboratedField>,
}

impl<'a> Compared<'a> {
    fn of(readings: &'a [ReadingSeen]) -> Self {
        let mut all: Vec<&ReadingSeen> = readings.iter().collect();
        all.sort_by(|a, b| (b.observed_at, &b.id).cmp(&(a.observed_at, &a.id)));
        all.truncate(INDEPENDENT_READINGS);
        let counted = counted(&all);
        let names: BTreeSet<&str> =
            counted.iter().flat_map(|reading| reading.fields.keys()).map(String::as_str).collect();
        let fields = names.into_iter().take(FIELDS_MAX).map(|name| field(name, &counted)).collect();
        Self { all, counted, fields }
    }

    fn networks(&self) -> BTreeSet<&'a str> {
        self.counted.iter().map(|reading| reading.network.name.as_str()).collect()
    }

    fn contested(&self) -> impl Iterator<Item = &CorroboratedField> {
        self.fields.iter().filter(|field| field.contested)
    }

    fn standing(&self) -> VantageStanding {
        let networks = self.networks();
        let state = if self.counted.is_empty() {
            VantageState::NotRecorded
        } else if networks.len() < CONFIRMING_NETWORKS {
            VantageState::SingleVantage
        } else if self.contested().next().is_some() {
            // One field that regions do not explain is one that networks disagree about.
            if self.contested().all(|field| field.spread.by == SpreadBy::Region) {
                VantageState::RegionalDivergence
            } else {
                VantageState::NetworkDivergence
            }
        } else if self.counted.len() < CONFIRMING_READINGS {
            VantageState::InsufficientSamples
        } else {
            VantageState::CrossConfirmed
        };
        VantageStanding {
            means: means(&state).to_owned(),
            state,
            networks: networks.len() as u32,
            readings: self.counted.len() as u32,
            states: VantageState::WORDS
                .iter()
                .filter_map(|word| VantageState::known(word))
                .map(|state| (state.as_str().to_owned(), means(&state).to_owned()))
                .collect(),
            from: networks.into_iter().map(str::to_owned).collect(),
        }
    }

    fn listed(&self, reading: &ReadingSeen) -> CorroboratingReading {
        let fields = proof::canonical::to_vec(&reading.fields).unwrap_or_default();
        CorroboratingReading {
            reading_id: reading.id.clone(),
            observed_at: reading.observed_at,
            observer: reading.observer.clone(),
            network: reading.network.clone(),
            basis: reading.basis.clone(),
            completed: reading.completed,
            counted: self.counted.iter().any(|counted| counted.id == reading.id),
            reading_sha256: proof::sha256(&fields).to_hex(),
        }
    }

    fn quorum(&self) -> Quorum {
        let contested: Vec<&CorroboratedField> = self.contested().collect();
        let with_most = |reading: &&&ReadingSeen| {
            contested.iter().all(|field| {
                let measured =
                    field.values.iter().any(|value| value.readings.contains(&reading.id));
                // Values come with the most readings first.
                let most = field.values.first();
                !measured || most.is_some_and(|value| value.readings.contains(&reading.id))
            })
        };
        let agreeing = self.counted.iter().filter(with_most).count();
        Quorum {
            rule: format!(
                "at least {CONFIRMING_READINGS} readings by at least {CONFIRMING_NETWORKS} networks, and no field contested"
            ),
            networks_needed: CONFIRMING_NETWORKS as u32,
            readings_needed: CONFIRMING_READINGS as u32,
            met: contested.is_empty()
                && self.networks().len() >= CONFIRMING_NETWORKS
                && self.counted.len() >= CONFIRMING_READINGS,
            result: format!("{agreeing}/{}", self.counted.len()),
        }
    }
}

fn means(state: &VantageState) -> &'static str {
    match state {
        VantageState::SingleVantage => "Every reading came from one network.",
        VantageState::InsufficientSamples => "There are fewer than three readings.",
        VantageState::CrossConfirmed => {
            "Two or more networks and three or more readings, and nothing is contested."
        }
        VantageState::NetworkDivergence => "Networks were shown different things at the same time.",
        VantageState::RegionalDivergence => "Regions were shown different things at the same time.",
        VantageState::NotRecorded => "No reading that counts is kept.",
        VantageState::Unrecognised(_) => "",
    }
}

/// The readings that count, the newest first.
fn counted<'a>(all: &[&'a ReadingSeen]) -> Vec<&'a ReadingSeen> {
    let mut counted: Vec<&ReadingSeen> = Vec::new();
    for reading in all.iter().copied().filter(|reading| reading.completed) {
        let same = |other: &&&ReadingSeen| other.network.name == reading.network.name;
        // The last one put in is the one that follows this in time.
        let next = counted.iter().rev().find(same);
        if next.is_none_or(|next| !is_within(next, reading, READING_COUNTS_ONCE)) {
            counted.push(reading);
        }
    }
    counted
}

fn is_within(one: &ReadingSeen, other: &ReadingSeen, time: std::time::Duration) -> bool {
    let apart = one.observed_at.millis_since(other.observed_at).unsigned_abs();
    u128::from(apart) < time.as_millis()
}

/// One field as the readings that measured it show it.
fn field(name: &str, counted: &[&ReadingSeen]) -> CorroboratedField {
    // Oldest first, by value in the order they were first seen.
    let shown_by: Vec<(&ReadingSeen, Option<FieldValue>)> = counted
        .iter()
        .rev()
        .filter_map(|reading| Some((*reading, shown(reading.fields.get(name)?))))
        .collect();
    let mut by_value: BTreeMap<Option<FieldValue>, Vec<&ReadingSeen>> = BTreeMap::new();
    for (reading, value) in &shown_by {
        by_value.entry(value.clone()).or_default().push(reading);
    }
    let total = shown_by.len();
    let most = by_value.values().map(Vec::len).max().unwrap_or(0);
    let agreement = match (total, by_value.len()) {
        (0 | 1, _) => Agreement::Single,
        (_, 1) => Agreement::Unanimous,
        _ if most * 2 > total => Agreement::Majority,
        _ => Agreement::Split,
    };
    let (contested, by) = explained(&shown_by, by_value.len());
    let mut values: Vec<CorroboratedValue> = by_value.into_iter().map(value).collect();
    values.sort_by_key(|value| (std::cmp::Reverse(value.readings.len()), value.first));
    let note = match (&by, by_none_differs(&agreement)) {
        (SpreadBy::Network, _) => "Networks differ. Compare by network.",
        (SpreadBy::Region, _) => "Regions differ. Compare by region.",
        (SpreadBy::Time, _) => "The site changed between readings.",
        (_, true) => "Readings differ, and neither network nor time explains it.",
        (_, false) if total < 2 => "One reading only.",
        (_, false) => "Every reading shows the same.",
    };
    CorroboratedField {
        field: name.to_owned(),
        values,
        agreement,
        contested,
        spread: Spread { by },
        note: note.to_owned(),
    }
}

fn by_none_differs(agreement: &Agreement) -> bool {
    matches!(agreement, Agreement::Majority | Agreement::Split)
}

fn value((value, readings): (Option<FieldValue>, Vec<&ReadingSeen>)) -> CorroboratedValue {
    let networks: BTreeSet<&str> =
        readings.iter().map(|reading| reading.network.name.as_str()).collect();
    let times = || readings.iter().map(|reading| reading.observed_at);
    // No list of readings here is empty.
    let epoch = Timestamp::from_millis(0);
    let (value, value_sha256) = match value {
        Some(FieldValue::Digest(digest)) => (None, Some(digest.value_sha256)),
        other => (other, None),
    };
    CorroboratedValue {
        value,
        value_sha256,
        networks: networks.len() as u32,
        first: times().min().unwrap_or(epoch),
        last: times().max().unwrap_or(epoch),
        readings: readings.into_iter().map(|reading| reading.id.clone()).collect(),
    }
}

/// Whether what differs is contested, and what explains it.
fn explained(shown_by: &[(&ReadingSeen, Option<FieldValue>)], distinct: usize) -> (bool, SpreadBy) {
    if distinct < 2 {
        return (false, SpreadBy::None);
    }
    if is_by_time(shown_by, distinct) {
        return (false, SpreadBy::Time);
    }
    let newest = shown_by.last().map(|(reading, _)| *reading);
    let lately: Vec<&(&ReadingSeen, Option<FieldValue>)> = shown_by
        .iter()
        .filter(|(reading, _)| newest.is_some_and(|new| is_within(new, reading, CONTESTED_WITHIN)))
        .collect();
    let whole: Vec<&(&ReadingSeen, Option<FieldValue>)> = shown_by.iter().collect();
    for shown_by in [lately, whole] {
        let by_network = groups(&shown_by, |reading| Some(reading.network.name.as_str()));
        let Some(by_network) = by_network.filter(|groups| differ(groups)) else { continue };
        let by_region = groups(&shown_by, |reading| reading.network.region.as_deref());
        // A region of one network says no more than the network does.
        let regional =
            by_region.is_some_and(|regions| differ(&regions) && regions.len() < by_network.len());
        return (true, if regional { SpreadBy::Region } else { SpreadBy::Network });
    }
    (false, SpreadBy::None)
}

/// Whether each value held for a time and then gave way to the next.
fn is_by_time(shown_by: &[(&ReadingSeen, Option<FieldValue>)], distinct: usize) -> bool {
    let changes: Vec<(&ReadingSeen, &ReadingSeen)> = shown_by
        .windows(2)
        .filter_map(|pair| match pair {
            [(before, old), (after, new)] if old != new => Some((*before, *after)),
            _ => None,
        })
        .collect();
    // Values that come back did not give way.
    if changes.len() + 1 != distinct {
        return false;
    }
    let mut values_by_network: BTreeMap<&str, BTreeSet<&Option<FieldValue>>> = BTreeMap::new();
    for (reading, value) in shown_by {
        values_by_network.entry(reading.network.name.as_str()).or_default().insert(value);
    }
    let seen_by_one = values_by_network.values().any(|values| values.len() > 1);
    // Without a network that saw it happen, time explains only what lies far apart.
    seen_by_one || changes.iter().all(|(before, after)| !is_within(before, after, CONTESTED_WITHIN))
}

/// The one value that each group shows. Nothing when a group is not at one with itself, or a reading
/// belongs to none.
fn groups<'a>(
    shown_by: &[&'a (&'a ReadingSeen, Option<FieldValue>)],
    group: impl Fn(&'a ReadingSeen) -> Option<&'a str>,
) -> Option<BTreeMap<&'a str, &'a Option<FieldValue>>> {
    let mut groups: BTreeMap<&str, &Option<FieldValue>> = BTreeMap::new();
    for (reading, value) in shown_by {
        if *groups.entry(group(reading)?).or_insert(value) != value {
            return None;
        }
    }
    Some(groups)
}

fn differ(groups: &BTreeMap<&str, &Option<FieldValue>>) -> bool {
    groups.values().collect::<BTreeSet<_>>().len() > 1
}

#[cfg(test)]
mod tests;
