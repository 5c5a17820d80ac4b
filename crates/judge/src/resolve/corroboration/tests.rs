use proptest::prelude::*;
use serde_json::json;

use contract::Brand;

use super::*;
use crate::resolve::Sections;
use crate::resolve::testing::answer;

const STATUS: &str = "delivery.identities.gptbot.status";

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(minutes * 60_000)
}

/// A reading by `network` of `region` at a minute, with one field.
fn reading(minutes: i64, network: &str, region: Option<&str>, value: Value) -> ComparableReading {
    ComparableReading {
        id: format!("rd_{network}_{minutes}"),
        observed_at: at(minutes),
        observer: "obs-1".to_owned(),
        network: ReadingNetwork {
            name: network.to_owned(),
            asn: None,
            country: None,
            region: region.map(str::to_owned),
            rir: None,
        },
        basis: FreshnessSource::JustInTime,
        completed: true,
        fields: BTreeMap::from([(STATUS.to_owned(), value)]),
    }
}

/// A minute, a network and a status.
type Plain<'a> = (i64, &'a str, i64);

fn plain(readings: &[Plain<'_>]) -> Vec<ComparableReading> {
    readings.iter().map(|(at, network, value)| reading(*at, network, None, json!(value))).collect()
}

fn state(readings: &[ComparableReading]) -> VantageState {
    vantage_standing(readings).state
}

fn only_field(readings: &[ComparableReading]) -> CorroboratedField {
    let mut fields = ReadingComparison::from_readings(readings).fields;
    assert_eq!(fields.len(), 1);
    fields.remove(0)
}

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

#[test]
fn every_state_is_reached_by_its_own_rule() {
    use VantageState::{
        CrossConfirmed, InsufficientSamples, NetworkDivergence, NotRecorded, SingleVantage,
    };
    let cases: [(&[Plain<'_>], VantageState); 8] = [
        (&[], NotRecorded),
        (&[(0, "a", 200)], SingleVantage),
        (&[(0, "a", 200), (HOUR, "a", 200), (2 * HOUR, "a", 200)], SingleVantage),
        (&[(0, "a", 200), (0, "b", 200)], InsufficientSamples),
        (&[(0, "a", 200), (0, "b", 200), (HOUR, "a", 200)], CrossConfirmed),
        // Two readings are enough for a contradiction.
        (&[(0, "a", 200), (0, "b", 403)], NetworkDivergence),
        (&[(0, "a", 200), (0, "b", 403), (HOUR, "a", 200)], NetworkDivergence),
        // Within ten minutes a network counts once.
        (&[(0, "a", 200), (0, "b", 200), (9, "a", 200)], InsufficientSamples),
    ];
    for (readings, expected) in cases {
        let found = vantage_standing(&plain(readings));
        assert_eq!(found.state, expected, "{readings:?}");
        assert_eq!(found.states.len(), VantageState::WORDS.len());
        assert_eq!(found.states[found.state.as_str()], found.means);
        assert_eq!(found.networks as usize, found.from.len());
    }
}

#[test]
fn regions_explain_what_every_network_in_them_is_shown() {
    let of = |readings: &[(i64, &str, &str, i64)]| {
        let readings: Vec<ComparableReading> = readings
            .iter()
            .map(|(at, network, region, value)| reading(*at, network, Some(region), json!(value)))
            .collect();
        state(&readings)
    };
    let regional = [(0, "a", "north", 200), (5, "b", "north", 200), (9, "c", "south", 451)];
    assert_eq!(of(&regional), VantageState::RegionalDivergence);
    let mixed = [(0, "a", "north", 200), (5, "b", "north", 403), (9, "c", "south", 403)];
    assert_eq!(of(&mixed), VantageState::NetworkDivergence);
    // One network in each region: network or region, both would explain it.
    let alone = [(0, "a", "north", 200), (5, "c", "south", 403)];
    assert_eq!(of(&alone), VantageState::NetworkDivergence);
}

#[test]
fn a_change_over_time_is_not_a_contradiction() {
    let cases: [(&[Plain<'_>], bool, SpreadCause); 7] = [
        // Every network saw the old and then the new.
        (
            &[(0, "a", 200), (1, "b", 200), (HOUR, "a", 403), (HOUR, "b", 403)],
            false,
            SpreadCause::Time,
        ),
        // One network saw it happen.
        (&[(0, "a", 200), (HOUR, "b", 403), (2 * HOUR, "a", 403)], false, SpreadCause::Time),
        // Days apart.
        (&[(0, "a", 200), (3 * DAY, "b", 403)], false, SpreadCause::Time),
        // At the same time.
        (&[(0, "a", 200), (HOUR, "b", 403)], true, SpreadCause::Network),
        // One network still gets the old value after the other got the new one.
        (
            &[(0, "a", 200), (HOUR, "b", 403), (2 * HOUR, "a", 200), (3 * HOUR, "b", 403)],
            true,
            SpreadCause::Network,
        ),
        // The same days ago, contested now.
        (
            &[(0, "a", 200), (0, "b", 200), (3 * DAY, "b", 403), (3 * DAY + 5, "a", 200)],
            true,
            SpreadCause::Network,
        ),
        // One network alternates between two values.
        (
            &[(0, "a", 200), (HOUR, "a", 403), (2 * HOUR, "a", 200), (3 * HOUR, "b", 200)],
            false,
            SpreadCause::None,
        ),
    ];
    for (readings, contested, by) in cases {
        let field = only_field(&plain(readings));
        assert_eq!((field.contested, &field.spread.by), (contested, &by), "{readings:?}");
    }
}

#[test]
fn agreement_is_counted_over_readings() {
    let agreement = |readings: &[Plain<'_>]| only_field(&plain(readings)).agreement;
    assert_eq!(agreement(&[(0, "a", 200)]), FieldAgreement::Single);
    assert_eq!(agreement(&[(0, "a", 200), (0, "b", 200)]), FieldAgreement::Unanimous);
    assert_eq!(agreement(&[(0, "a", 200), (0, "b", 403)]), FieldAgreement::Split);
    assert_eq!(
        agreement(&[(0, "a", 200), (0, "b", 403), (HOUR, "b", 403)]),
        FieldAgreement::Majority
    );
}

#[test]
fn a_reading_that_broke_off_is_listed_and_not_counted() {
    let mut readings = plain(&[(0, "a", 200), (0, "b", 200), (HOUR, "a", 500)]);
    readings[2].completed = false;
    let domain = answer().domain;
    let issuer = Issuer::new(Brand::default(), "https://svc.example");
    let about = CorroborationContext {
        issuer: &issuer,
        domain: &domain,
        now: at(2 * HOUR),
        independence: Independence {
            same_operator: true,
            shared_resolver: true,
            note: "one operator".to_owned(),
        },
    };
    let record = corroboration(&about, &readings);
    assert_eq!(record.vantage_state.state, VantageState::InsufficientSamples);
    assert_eq!(record.readings.len(), 3);
    assert_eq!((record.readings[0].completed, record.readings[0].counted), (false, false));
    assert_eq!(record.not_completed[0].reading_id, record.readings[0].reading_id);
    assert_eq!((record.quorum.met, record.quorum.result.as_str()), (false, "2/2"));
    assert_eq!(record.fields[0].values.len(), 1);
    assert_eq!((record.window.from, record.window.to), (Some(at(0)), Some(at(HOUR))));
    readings[2].completed = true;
    readings[2].fields.insert(STATUS.to_owned(), json!(200));
    assert!(corroboration(&about, &readings).quorum.met);
    readings[2].fields.insert(STATUS.to_owned(), json!(403));
    readings[2].network.name = "c".to_owned();
    let contested = corroboration(&about, &readings).quorum;
    assert_eq!((contested.met, contested.result.as_str()), (false, "2/3"));
}

#[test]
fn fields_hold_what_was_measured_and_nothing_the_site_wrote() {
    let answer = answer();
    let found = comparable_fields(&Sections::from_answer(answer.clone()));
    assert_eq!(found[STATUS], 200);
    assert_eq!(found["machine_files./llms.txt.present"], false);
    assert_eq!(found["crawl_policy.agents.GPTBot.allowed_homepage"], true);
    assert_eq!(found["subject.registrable"], "shop.lab");
    assert_eq!(found["rights.train.value"], "disallowed");
    assert!(found["capabilities.endpoints./.well-known/mcp/server-card.json"].is_object());
    // Not measured in the example.
    assert!(found.keys().all(|field| !field.starts_with("entity.")));
    assert!(found["tls.hsts"].is_object());
    assert!(!serde_json::to_string(&found).unwrap().contains("search"));
    for (field, value) in &found {
        assert!(!value.is_array(), "{field}");
    }
}

proptest! {
    #[test]
    fn the_order_readings_come_in_does_not_matter(
        seen in prop::collection::vec((0_i64..3_000, 0_usize..3, 0_i64..3, any::<bool>()), 0..15),
        turn in 0_usize..15,
    ) {
        let mut readings: Vec<ComparableReading> = seen
            .iter()
            .enumerate()
            .map(|(n, (at, network, value, completed))| {
                let name = ["a", "b", "c"][*network];
                let mut one = reading(*at, name, Some("north"), json!(value));
                one.id = format!("rd_{n}");
                one.completed = *completed;
                one
            })
            .collect();
        let once = vantage_standing(&readings);
        if !readings.is_empty() {
            let turn = turn % readings.len();
            readings.rotate_left(turn);
        }
        prop_assert_eq!(&vantage_standing(&readings), &once);
        prop_assert!(once.readings as usize <= READINGS_KEPT_PER_DOMAIN);
        // Divergence is said exactly when a field is contested.
        let contested = ReadingComparison::from_readings(&readings).contested().count() > 0;
        let diverges = matches!(
            once.state,
            VantageState::NetworkDivergence | VantageState::RegionalDivergence
        );
        prop_assert_eq!(contested, diverges);
    }
}
