//! Compares readings of one domain from several networks, field by field.
//!
//! A reading counts if it is complete and the same network made no later reading that counts within ten
//! minutes. The state is the first of these that applies:
//!
//! 1. `not_recorded`: no reading counts;
//! 2. `single_vantage`: all readings come from one network. More of them would not help;
//! 3. `regional_divergence`, `network_divergence`: a field is contested. Two readings are enough for
//!    this, so that readers learn of a contradiction early;
//! 4. `insufficient_samples`: fewer than three readings;
//! 5. `cross_confirmed`.
//!
//! A field is contested when networks disagree about it at the same time and each network is consistent
//! with itself. If each value lasted for a time and was then replaced by the next, the site changed: the
//! values are spread by time. If one network alternates between values, there is no explanation, and the
//! field is not contested.

use std::collections::{BTreeMap, BTreeSet};

use contract::limits::{
    CONFIRMING_NETWORKS, CONFIRMING_READINGS, CONTESTED_WINDOW, READINGS_KEPT_PER_DOMAIN,
    SAME_NETWORK_WINDOW,
};
use contract::records::{
    CorroboratedField, CorroboratedValue, CorroboratingReading, Corroboration, CorroborationWindow,
    FieldAgreement, FieldValue, FreshnessSource, IncompleteReading, Independence, Quorum,
    ReadingNetwork, SpreadCause, ValueSpread, VantageState, VantageSummary,
};
use contract::{Domain, Issuer, Timestamp};
use serde_json::Value;

pub use super::comparable_fields::{MAX_FIELDS, comparable_fields};

use super::comparable_fields::to_field_value;

/// One reading, in the form in which readings are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparableReading {
    pub id: String,
    pub observed_at: Timestamp,
    pub observer: String,
    pub network: ReadingNetwork,
    pub basis: FreshnessSource,
    pub completed: bool,
    /// From [`comparable_fields`].
    pub fields: BTreeMap<String, Value>,
}

/// The other members of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct CorroborationContext<'a> {
    pub issuer: &'a Issuer,
    pub domain: &'a Domain,
    pub now: Timestamp,
    pub independence: Independence,
}

/// Whether the readings of a domain agree.
#[must_use]
pub fn vantage_standing(readings: &[ComparableReading]) -> VantageSummary {
    let mut compared = ReadingComparison::without_fields(readings);
    // Fewer networks cannot contradict each other, so their fields are not looked at.
    if compared.networks().len() >= CONFIRMING_NETWORKS {
        compared.compare_fields();
    }
    compared.vantage_standing()
}

/// The whole record, not yet signed. Only the newest [`READINGS_KEPT_PER_DOMAIN`] readings are compared.
#[must_use]
pub fn corroboration(
    about: &CorroborationContext<'_>,
    readings: &[ComparableReading],
) -> Corroboration {
    let compared = ReadingComparison::from_readings(readings);
    let times = || compared.all.iter().map(|reading| reading.observed_at);
    Corroboration {
        kind: about.issuer.kind("corroboration"),
        v: 1,
        schema: about.issuer.schema_url("corroboration"),
        domain: about.domain.clone(),
        generated_at: about.now.whole_seconds(),
        window: CorroborationWindow {
            from: times().min(),
            to: times().max(),
            kept_max: READINGS_KEPT_PER_DOMAIN as u32,
        },
        vantage_state: compared.vantage_standing(),
        readings: compared.all.iter().map(|reading| compared.to_record(reading)).collect(),
        quorum: compared.quorum(),
        not_completed: compared
            .all
            .iter()
            .filter(|reading| !reading.completed)
            .map(|reading| IncompleteReading {
                reading_id: reading.id.clone(),
                why: "The reading was not completed.".to_owned(),
            })
            .collect(),
        independence: about.independence.clone(),
        fields: compared.fields,
        sha256: None,
        signature: None,
    }
}

struct ReadingComparison<'a> {
    /// The newest first.
    all: Vec<&'a ComparableReading>,
    counted: Vec<&'a ComparableReading>,
    fields: Vec<CorroboratedField>,
}

impl<'a> ReadingComparison<'a> {
    fn from_readings(readings: &'a [ComparableReading]) -> Self {
        let mut compared = Self::without_fields(readings);
        compared.compare_fields();
        compared
    }

    fn without_fields(readings: &'a [ComparableReading]) -> Self {
        let mut all: Vec<&ComparableReading> = readings.iter().collect();
        all.sort_by(|a, b| (b.observed_at, &b.id).cmp(&(a.observed_at, &a.id)));
        all.truncate(READINGS_KEPT_PER_DOMAIN);
        let counted = counted_readings(&all);
        Self { all, counted, fields: Vec::new() }
    }

    fn compare_fields(&mut self) {
        let counted = &self.counted;
        let names: BTreeSet<&str> =
            counted.iter().flat_map(|reading| reading.fields.keys()).map(String::as_str).collect();
        let compared = names.into_iter().take(MAX_FIELDS).map(|name| compare_field(name, counted));
        self.fields = compared.collect();
    }

    fn networks(&self) -> BTreeSet<&'a str> {
        self.counted.iter().map(|reading| reading.network.name.as_str()).collect()
    }

    fn contested(&self) -> impl Iterator<Item = &CorroboratedField> {
        self.fields.iter().filter(|field| field.contested)
    }

    fn vantage_standing(&self) -> VantageSummary {
        let networks = self.networks();
        let state = if self.counted.is_empty() {
            VantageState::NotRecorded
        } else if networks.len() < CONFIRMING_NETWORKS {
            VantageState::SingleVantage
        } else if self.contested().next().is_some() {
            // If regions do not explain one of the fields, networks disagree about it.
            if self.contested().all(|field| field.spread.by == SpreadCause::Region) {
                VantageState::RegionalDivergence
            } else {
                VantageState::NetworkDivergence
            }
        } else if self.counted.len() < CONFIRMING_READINGS {
            VantageState::InsufficientSamples
        } else {
            VantageState::CrossConfirmed
        };
        VantageSummary {
            means: describe_state(&state).to_owned(),
            state,
            networks: networks.len() as u32,
            readings: self.counted.len() as u32,
            states: vantage_state_meanings(),
            from: networks.into_iter().map(str::to_owned).collect(),
        }
    }

    fn to_record(&self, reading: &ComparableReading) -> CorroboratingReading {
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
        let with_most = |reading: &&&ComparableReading| {
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
                "at least {CONFIRMING_READINGS} readings from at least {CONFIRMING_NETWORKS} networks, and no contested field"
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

/// Every vantage state with its meaning.
#[must_use]
pub fn vantage_state_meanings() -> BTreeMap<String, String> {
    VantageState::WORDS
        .iter()
        .filter_map(|word| VantageState::from_word(word))
        .map(|state| (state.as_str().to_owned(), describe_state(&state).to_owned()))
        .collect()
}

fn describe_state(state: &VantageState) -> &'static str {
    match state {
        VantageState::SingleVantage => "All readings come from one network.",
        VantageState::InsufficientSamples => "There are fewer than three readings.",
        VantageState::CrossConfirmed => {
            "At least three readings from at least two networks, and no field is contested."
        }
        VantageState::NetworkDivergence => {
            "Different networks received different content at the same time."
        }
        VantageState::RegionalDivergence => {
            "Different regions received different content at the same time."
        }
        VantageState::NotRecorded => "No complete reading is stored.",
        VantageState::Unrecognised(_) => "",
    }
}

/// The readings that count, the newest first.
fn counted_readings<'a>(all: &[&'a ComparableReading]) -> Vec<&'a ComparableReading> {
    let mut counted: Vec<&ComparableReading> = Vec::new();
    for reading in all.iter().copied().filter(|reading| reading.completed) {
        let same = |other: &&&ComparableReading| other.network.name == reading.network.name;
        // The reading added last is the next one in time.
        let next = counted.iter().rev().find(same);
        if next.is_none_or(|next| !is_within(next, reading, SAME_NETWORK_WINDOW)) {
            counted.push(reading);
        }
    }
    counted
}

fn is_within(
    one: &ComparableReading,
    other: &ComparableReading,
    time: std::time::Duration,
) -> bool {
    let apart = one.observed_at.millis_since(other.observed_at).unsigned_abs();
    u128::from(apart) < time.as_millis()
}

/// Compares one field over the readings that measured it.
fn compare_field(name: &str, counted: &[&ComparableReading]) -> CorroboratedField {
    // Oldest first, by value in the order they were first seen.
    let shown_by: Vec<(&ComparableReading, Option<FieldValue>)> = counted
        .iter()
        .rev()
        .filter_map(|reading| Some((*reading, to_field_value(reading.fields.get(name)?))))
        .collect();
    let mut by_value: BTreeMap<Option<FieldValue>, Vec<&ComparableReading>> = BTreeMap::new();
    for (reading, value) in &shown_by {
        by_value.entry(value.clone()).or_default().push(reading);
    }
    let total = shown_by.len();
    let most = by_value.values().map(Vec::len).max().unwrap_or(0);
    let agreement = match (total, by_value.len()) {
        (0 | 1, _) => FieldAgreement::Single,
        (_, 1) => FieldAgreement::Unanimous,
        _ if most * 2 > total => FieldAgreement::Majority,
        _ => FieldAgreement::Split,
    };
    let (contested, by) = explain_spread(&shown_by, by_value.len());
    let mut values: Vec<CorroboratedValue> = by_value.into_iter().map(corroborated_value).collect();
    values.sort_by_key(|value| (std::cmp::Reverse(value.readings.len()), value.first));
    let note = match (&by, has_disagreement(&agreement)) {
        (SpreadCause::Network, _) => "The value differs by network.",
        (SpreadCause::Region, _) => "The value differs by region.",
        (SpreadCause::Time, _) => "The value changed between readings.",
        (_, true) => "Readings differ, and neither network, region nor time explains it.",
        (_, false) if total < 2 => "Only one reading has this field.",
        (_, false) => "All readings agree.",
    };
    CorroboratedField {
        field: name.to_owned(),
        values,
        agreement,
        contested,
        spread: ValueSpread { by },
        note: note.to_owned(),
    }
}

fn has_disagreement(agreement: &FieldAgreement) -> bool {
    matches!(agreement, FieldAgreement::Majority | FieldAgreement::Split)
}

fn corroborated_value(
    (value, readings): (Option<FieldValue>, Vec<&ComparableReading>),
) -> CorroboratedValue {
    let networks: BTreeSet<&str> =
        readings.iter().map(|reading| reading.network.name.as_str()).collect();
    let times = || readings.iter().map(|reading| reading.observed_at);
    // `readings` is never empty here.
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

/// Whether the field is contested, and what explains different values.
fn explain_spread(
    shown_by: &[(&ComparableReading, Option<FieldValue>)],
    distinct: usize,
) -> (bool, SpreadCause) {
    if distinct < 2 {
        return (false, SpreadCause::None);
    }
    if is_by_time(shown_by, distinct) {
        return (false, SpreadCause::Time);
    }
    let newest = shown_by.last().map(|(reading, _)| *reading);
    let lately: Vec<&(&ComparableReading, Option<FieldValue>)> = shown_by
        .iter()
        .filter(|(reading, _)| newest.is_some_and(|new| is_within(new, reading, CONTESTED_WINDOW)))
        .collect();
    let whole: Vec<&(&ComparableReading, Option<FieldValue>)> = shown_by.iter().collect();
    for shown_by in [lately, whole] {
        let by_network = value_by_group(&shown_by, |reading| Some(reading.network.name.as_str()));
        let Some(by_network) = by_network.filter(|groups| differ(groups)) else { continue };
        let by_region = value_by_group(&shown_by, |reading| reading.network.region.as_deref());
        // If each region has only one network, the region explains no more than the network.
        let regional =
            by_region.is_some_and(|regions| differ(&regions) && regions.len() < by_network.len());
        return (true, if regional { SpreadCause::Region } else { SpreadCause::Network });
    }
    (false, SpreadCause::None)
}

/// Whether each value lasted for a time and was then replaced by the next.
fn is_by_time(shown_by: &[(&ComparableReading, Option<FieldValue>)], distinct: usize) -> bool {
    let changes: Vec<(&ComparableReading, &ComparableReading)> = shown_by
        .windows(2)
        .filter_map(|pair| match pair {
            [(before, old), (after, new)] if old != new => Some((*before, *after)),
            _ => None,
        })
        .collect();
    // A value that comes back was not replaced.
    if changes.len() + 1 != distinct {
        return false;
    }
    let mut values_by_network: BTreeMap<&str, BTreeSet<&Option<FieldValue>>> = BTreeMap::new();
    for (reading, value) in shown_by {
        values_by_network.entry(reading.network.name.as_str()).or_default().insert(value);
    }
    let seen_by_one = values_by_network.values().any(|values| values.len() > 1);
    // If no network saw the change itself, time explains only readings that are far apart.
    seen_by_one || changes.iter().all(|(before, after)| !is_within(before, after, CONTESTED_WINDOW))
}

/// The value of each group. `None` when the readings of a group disagree, or a reading has no group.
fn value_by_group<'a>(
    shown_by: &[&'a (&'a ComparableReading, Option<FieldValue>)],
    group: impl Fn(&'a ComparableReading) -> Option<&'a str>,
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
