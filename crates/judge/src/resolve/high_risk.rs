//! High-risk changes: changes that somebody who took over a domain would make. These are who runs the
//! site, which endpoints it declares, and which registrable domain its host belongs to.
//!
//! Each change is pending until a reading finds the new value again after 24 hours. A takeover that
//! lasts an hour is therefore never confirmed. An owner who really changes something waits a day.

use std::collections::{BTreeMap, BTreeSet};

use contract::Timestamp;
use contract::limits::HIGH_RISK_CONFIRMED_AFTER;
use contract::records::{HighRiskField, HighRiskFields};
use serde_json::Value;

use super::comparable_fields::ENDPOINTS_FIELD_PREFIX;
use super::corroboration::ComparableReading;

/// The high-risk fields, besides the declared endpoints.
const HIGH_RISK_FIELDS: [&str; 4] =
    ["entity.same_as", "entity.untrusted_name", "entity.url", "subject.registrable"];

/// The changes that are not confirmed yet. `readings`: newest first; those that were not completed are
/// ignored. `earlier`: what the previous answer listed, so that many readings in a short time cannot push the
/// old value out of the window.
#[must_use]
pub fn pending_changes(
    readings: &[ComparableReading],
    earlier: Option<&HighRiskFields>,
) -> Option<HighRiskFields> {
    let names: BTreeSet<&str> = readings
        .iter()
        .filter(|reading| reading.completed)
        .flat_map(|reading| reading.fields.keys())
        .map(String::as_str)
        .filter(|field| is_high_risk(field))
        .collect();
    let pending: Vec<HighRiskField> = names
        .into_iter()
        .filter_map(|field| {
            let seen_at = pending_since(field, readings, earlier)?;
            Some(HighRiskField { field: field.to_owned(), seen_at })
        })
        .collect();
    (!pending.is_empty()).then_some(HighRiskFields { pending })
}

fn is_high_risk(field: &str) -> bool {
    HIGH_RISK_FIELDS.contains(&field) || field.starts_with(ENDPOINTS_FIELD_PREFIX)
}

fn pending_since(
    field: &str,
    readings: &[ComparableReading],
    earlier: Option<&HighRiskFields>,
) -> Option<Timestamp> {
    // Oldest first. Readings that did not measure the field are ignored. Each network is compared only with
    // itself: a site may send visitors from one country elsewhere.
    let mut by_network: BTreeMap<&str, Vec<(Timestamp, &Value)>> = BTreeMap::new();
    for reading in readings.iter().rev().filter(|reading| reading.completed) {
        if let Some(value) = reading.fields.get(field) {
            by_network.entry(&reading.observer).or_default().push((reading.observed_at, value));
        }
    }
    let courses: Vec<FieldHistory> =
        by_network.values().map(|shown| FieldHistory::from_values(field, shown)).collect();
    if let Some(since) = courses.iter().filter_map(|course| course.waiting_since).min() {
        return Some(since);
    }
    if courses.iter().any(|course| course.changed) {
        return None;
    }
    // These readings show one value only. A change that the previous answer listed still counts for a day.
    let earlier = earlier?.pending.iter().find(|pending| pending.field == field)?.seen_at;
    let last = courses.iter().filter_map(|course| course.last).max()?;
    (!is_confirmed(earlier, last)).then_some(earlier)
}

/// The history of a field as one network saw it.
struct FieldHistory {
    waiting_since: Option<Timestamp>,
    /// More than one value was seen.
    changed: bool,
    last: Option<Timestamp>,
}

impl FieldHistory {
    fn from_values(field: &str, shown: &[(Timestamp, &Value)]) -> Self {
        let mut confirmed: Option<&Value> = None;
        let mut waiting: Option<(Timestamp, &Value)> = None;
        let mut course = Self { waiting_since: None, changed: false, last: None };
        for &(at, value) in shown {
            // A value that was removed is no risk; a later value is compared with the one before the
            // removal. A first endpoint is a change, a first entity value is not.
            if value.is_null()
                && (confirmed.is_some() || !field.starts_with(ENDPOINTS_FIELD_PREFIX))
            {
                continue;
            }
            course.last = Some(at);
            match (confirmed, waiting) {
                (None, _) => confirmed = Some(value),
                (Some(known), _) if known == value => waiting = None,
                (Some(_), Some((since, candidate))) if candidate == value => {
                    if is_confirmed(since, at) {
                        confirmed = Some(value);
                        waiting = None;
                    }
                }
                (Some(_), _) => {
                    course.changed = true;
                    waiting = Some((at, value));
                }
            }
        }
        course.waiting_since = waiting.map(|(since, _)| since);
        course
    }
}

fn is_confirmed(since: Timestamp, until: Timestamp) -> bool {
    u128::try_from(until.millis_since(since))
        .is_ok_and(|stood| stood >= HIGH_RISK_CONFIRMED_AFTER.as_millis())
}

#[cfg(test)]
mod tests {
    use contract::records::{FreshnessSource, ReadingNetwork};
    use serde_json::json;

    use super::*;

    const CARD: &str = "capabilities.endpoints./.well-known/agent-card.json";
    const LED_TO: &str = "subject.registrable";

    fn hour(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000).plus_millis(hours * 3_600_000)
    }

    fn reading(hours: i64, fields: BTreeMap<String, Value>) -> ComparableReading {
        let network = ReadingNetwork {
            name: "lab-1".to_owned(),
            asn: None,
            country: None,
            region: None,
            rir: None,
        };
        ComparableReading {
            id: String::new(),
            observed_at: hour(hours),
            observer: network.name.clone(),
            network,
            basis: FreshnessSource::Scan,
            completed: true,
            fields,
        }
    }

    /// Readings as (hour, value), written oldest first.
    fn readings(field: &str, values: &[(i64, Value)]) -> Vec<ComparableReading> {
        let reading = |(hours, value): &(i64, Value)| {
            reading(*hours, BTreeMap::from([(field.to_owned(), value.clone())]))
        };
        values.iter().rev().map(reading).collect()
    }

    fn since(field: &str, values: &[(i64, Value)]) -> Option<Timestamp> {
        let found = pending_changes(&readings(field, values), None)?;
        assert_eq!((found.pending.len(), found.pending[0].field.as_str()), (1, field));
        Some(found.pending[0].seen_at)
    }

    #[test]
    fn a_change_waits_until_it_has_stood_for_a_day() {
        let (a, b) = (json!("a.example"), json!("b.example"));
        assert_eq!(since(LED_TO, &[(0, a.clone())]), None);
        assert_eq!(since(LED_TO, &[(0, a.clone()), (1, a.clone())]), None);
        let changed = [(0, a.clone()), (1, b.clone())];
        assert_eq!(since(LED_TO, &changed), Some(hour(1)));
        let almost = [(0, a.clone()), (1, b.clone()), (24, b.clone())];
        assert_eq!(since(LED_TO, &almost), Some(hour(1)));
        let stood = [(0, a.clone()), (1, b.clone()), (25, b.clone())];
        assert_eq!(since(LED_TO, &stood), None);
        // Back to what it was: nothing is pending.
        assert_eq!(since(LED_TO, &[(0, a.clone()), (1, b.clone()), (2, a.clone())]), None);
        // A value that alternates is never confirmed.
        let unsteady = [(0, a.clone()), (1, b.clone()), (20, a), (26, b)];
        assert_eq!(since(LED_TO, &unsteady), Some(hour(26)));
    }

    #[test]
    fn a_reading_without_a_measurement_states_nothing() {
        let (a, b) = (json!("a.example"), json!("b.example"));
        let mut seen = readings(LED_TO, &[(0, a), (1, b)]);
        seen.insert(0, reading(40, BTreeMap::new()));
        assert_eq!(pending_changes(&seen, None).unwrap().pending[0].seen_at, hour(1));
        // A reading that was cut short may lack a value that the site still states.
        let cut = BTreeMap::from([(LED_TO.to_owned(), json!("c.example"))]);
        seen.insert(0, ComparableReading { completed: false, ..reading(41, cut) });
        assert_eq!(pending_changes(&seen, None).unwrap().pending[0].seen_at, hour(1));
        assert_eq!(pending_changes(&[], None), None);
    }

    #[test]
    fn a_new_declaration_is_a_change_and_a_first_name_is_not() {
        let (none, x, y) = (Value::Null, json!("x"), json!("y"));
        assert_eq!(since(CARD, &[(0, none.clone()), (1, x.clone())]), Some(hour(1)));
        assert_eq!(since("entity.url", &[(0, none.clone()), (1, x.clone())]), None);
        // A removed value is no risk; a different value in its place is.
        assert_eq!(since(CARD, &[(0, x.clone()), (1, none.clone())]), None);
        assert_eq!(since(CARD, &[(0, x.clone()), (1, none.clone()), (2, x.clone())]), None);
        assert_eq!(since(CARD, &[(0, x), (1, none), (2, y)]), Some(hour(2)));
    }

    #[test]
    fn a_difference_between_networks_is_no_change() {
        let (a, b) = (json!("a.example"), json!("b.example"));
        let mut seen = readings(LED_TO, &[(0, a.clone()), (1, b.clone()), (2, a), (3, b.clone())]);
        for reading in &mut seen {
            if reading.fields[LED_TO] == b {
                reading.observer = "lab-2".to_owned();
            }
        }
        assert_eq!(pending_changes(&seen, None), None);
    }

    #[test]
    fn other_fields_are_not_high_risk() {
        let changed = [(0, json!(200)), (1, json!(403))];
        assert_eq!(since("delivery.identities.gptbot.status", &changed), None);
    }

    #[test]
    fn many_readings_do_not_push_the_old_value_out_of_the_window() {
        let earlier = HighRiskFields {
            pending: vec![HighRiskField { field: LED_TO.to_owned(), seen_at: hour(0) }],
        };
        let only_new: Vec<(i64, Value)> = (1..=12).map(|at| (at, json!("b.example"))).collect();
        let found = pending_changes(&readings(LED_TO, &only_new), Some(&earlier)).unwrap();
        assert_eq!(found.pending[0].seen_at, hour(0));
        let a_day_later = [(20, json!("b.example")), (24, json!("b.example"))];
        assert_eq!(pending_changes(&readings(LED_TO, &a_day_later), Some(&earlier)), None);
        // If the readings themselves show the change, they count.
        let back = [(-1, json!("a.example")), (0, json!("b.example")), (1, json!("a.example"))];
        assert_eq!(pending_changes(&readings(LED_TO, &back), Some(&earlier)), None);
    }
}
