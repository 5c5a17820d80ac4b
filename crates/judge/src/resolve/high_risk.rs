//! Changes that a thief would make: who the site says it is, what it says can be called, and where it
//! leads. Each is pending until it has stood for a day.
//!
//! Somebody who took over a name for an hour does not get it confirmed; an owner who moves waits a
//! day, or shows the change to the next reading.

use std::collections::{BTreeMap, BTreeSet};

use contract::Timestamp;
use contract::limits::HIGH_RISK_CONFIRMED_AFTER;
use contract::records::{HighRiskField, HighRiskFields};
use serde_json::Value;

use super::fields::ENDPOINTS;

/// The fields of one reading, when it was made, and from where.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldsAt {
    pub observed_at: Timestamp,
    /// Each network is compared with itself: a site may well lead people of one country elsewhere.
    pub network: String,
    pub fields: BTreeMap<String, Value>,
}

const WATCHED: [&str; 4] =
    ["entity.same_as", "entity.untrusted_name", "entity.url", "subject.registrable"];
/// What is seen and not confirmed. `readings` are the newest first; `earlier` is what the answer
/// before said, so that many readings in a short time cannot push the old value out of sight.
#[must_use]
pub fn pending(readings: &[FieldsAt], earlier: Option<&HighRiskFields>) -> Option<HighRiskFields> {
    let names: BTreeSet<&str> = readings
        .iter()
        .flat_map(|reading| reading.fields.keys())
        .map(String::as_str)
        .filter(|field| is_watched(field))
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

fn is_watched(field: &str) -> bool {
    WATCHED.contains(&field) || field.starts_with(ENDPOINTS)
}

fn pending_since(
    field: &str,
    readings: &[FieldsAt],
    earlier: Option<&HighRiskFields>,
) -> Option<Timestamp> {
    // Oldest first. Readings that did not measure the field say nothing about it.
    let mut by_network: BTreeMap<&str, Vec<(Timestamp, &Value)>> = BTreeMap::new();
    for reading in readings.iter().rev() {
        if let Some(value) = reading.fields.get(field) {
            by_network.entry(&reading.network).or_default().push((reading.observed_at, value));
        }
    }
    let courses: Vec<Course> = by_network.values().map(|shown| Course::of(field, shown)).collect();
    if let Some(since) = courses.iter().filter_map(|course| course.waiting_since).min() {
        return Some(since);
    }
    if courses.iter().any(|course| course.changed) {
        return None;
    }
    // No other value is among these readings. If one was, and it is not long ago, it still counts.
    let earlier = earlier?.pending.iter().find(|pending| pending.field == field)?.seen_at;
    let last = courses.iter().filter_map(|course| course.last).max()?;
    (!has_stood(earlier, last)).then_some(earlier)
}

/// How a field went as one network saw it.
struct Course {
    waiting_since: Option<Timestamp>,
    /// More than one value was seen.
    changed: bool,
    last: Option<Timestamp>,
}

impl Course {
    fn of(field: &str, shown: &[(Timestamp, &Value)]) -> Self {
        let mut confirmed: Option<&Value> = None;
        let mut waiting: Option<(Timestamp, &Value)> = None;
        let mut course = Self { waiting_since: None, changed: false, last: None };
        for &(at, value) in shown {
            // What was there and is gone leads nobody astray; what comes in its place is compared
            // with what was there. A place to call where there was none is a change, a first name is not.
            if value.is_null() && (confirmed.is_some() || !field.starts_with(ENDPOINTS)) {
                continue;
            }
            course.last = Some(at);
            match (confirmed, waiting) {
                (None, _) => confirmed = Some(value),
                (Some(known), _) if known == value => waiting = None,
                (Some(_), Some((since, candidate))) if candidate == value => {
                    if has_stood(since, at) {
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

fn has_stood(since: Timestamp, until: Timestamp) -> bool {
    u128::try_from(until.millis_since(since))
        .is_ok_and(|stood| stood >= HIGH_RISK_CONFIRMED_AFTER.as_millis())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CARD: &str = "capabilities.endpoints./.well-known/agent-card.json";
    const LED_TO: &str = "subject.registrable";

    fn hour(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000).plus_millis(hours * 3_600_000)
    }

    /// Readings as (hour, value), written oldest first.
    fn readings(field: &str, values: &[(i64, Value)]) -> Vec<FieldsAt> {
        let reading = |(hours, value): &(i64, Value)| FieldsAt {
            observed_at: hour(*hours),
            network: "lab-1".to_owned(),
            fields: BTreeMap::from([(field.to_owned(), value.clone())]),
        };
        values.iter().rev().map(reading).collect()
    }

    fn since(field: &str, values: &[(i64, Value)]) -> Option<Timestamp> {
        let found = pending(&readings(field, values), None)?;
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
        // Going to and fro never confirms.
        let unsteady = [(0, a.clone()), (1, b.clone()), (20, a), (26, b)];
        assert_eq!(since(LED_TO, &unsteady), Some(hour(26)));
    }

    #[test]
    fn a_reading_that_did_not_measure_it_says_nothing() {
        let (a, b) = (json!("a.example"), json!("b.example"));
        let mut seen = readings(LED_TO, &[(0, a), (1, b)]);
        let silent = FieldsAt {
            observed_at: hour(40),
            network: "lab-1".to_owned(),
            fields: BTreeMap::new(),
        };
        seen.insert(0, silent);
        assert_eq!(pending(&seen, None).unwrap().pending[0].seen_at, hour(1));
        assert_eq!(pending(&[], None), None);
    }

    #[test]
    fn a_new_declaration_is_a_change_and_a_first_name_is_not() {
        let (none, x, y) = (Value::Null, json!("x"), json!("y"));
        assert_eq!(since(CARD, &[(0, none.clone()), (1, x.clone())]), Some(hour(1)));
        assert_eq!(since("entity.url", &[(0, none.clone()), (1, x.clone())]), None);
        // Taken away is no risk, put back as another is.
        assert_eq!(since(CARD, &[(0, x.clone()), (1, none.clone())]), None);
        assert_eq!(since(CARD, &[(0, x.clone()), (1, none.clone()), (2, x.clone())]), None);
        assert_eq!(since(CARD, &[(0, x), (1, none), (2, y)]), Some(hour(2)));
    }

    #[test]
    fn what_each_network_is_shown_differently_is_no_change() {
        let (a, b) = (json!("a.example"), json!("b.example"));
        let mut seen = readings(LED_TO, &[(0, a.clone()), (1, b.clone()), (2, a), (3, b.clone())]);
        for reading in &mut seen {
            if reading.fields[LED_TO] == b {
                reading.network = "lab-2".to_owned();
            }
        }
        assert_eq!(pending(&seen, None), None);
    }

    #[test]
    fn what_nobody_would_steal_is_not_watched() {
        let changed = [(0, json!(200)), (1, json!(403))];
        assert_eq!(since("delivery.identities.gptbot.status", &changed), None);
    }

    #[test]
    fn many_readings_do_not_push_the_old_value_out_of_sight() {
        let earlier = HighRiskFields {
            pending: vec![HighRiskField { field: LED_TO.to_owned(), seen_at: hour(0) }],
        };
        let only_new: Vec<(i64, Value)> = (1..=12).map(|at| (at, json!("b.example"))).collect();
        let found = pending(&readings(LED_TO, &only_new), Some(&earlier)).unwrap();
        assert_eq!(found.pending[0].seen_at, hour(0));
        let a_day_later = [(20, json!("b.example")), (24, json!("b.example"))];
        assert_eq!(pending(&readings(LED_TO, &a_day_later), Some(&earlier)), None);
        // Where the readings themselves show how it went, they are believed.
        let back = [(-1, json!("a.example")), (0, json!("b.example")), (1, json!("a.example"))];
        assert_eq!(pending(&readings(LED_TO, &back), Some(&earlier)), None);
    }
}
