//! What is kept of readings, whatever registries answer.

use std::sync::Arc;

use contract::clock::FixedClock;
use contract::records::RegistryState;
use contract::{Clock, NamePolicy};
use declared::rdap::Registration;
use proptest::prelude::*;
use store::RegistrationChange;

use super::reading::{apply_outcome, is_missing};
use super::*;
use crate::testing;

fn domain(name: &str) -> Domain {
    Domain::parse(name, &NamePolicy::default()).unwrap()
}

fn at(minutes: i64) -> Timestamp {
    testing::now().plus_millis(minutes * 60_000)
}

fn read_by(registrar: &str) -> RegistrationOutcome {
    let registration =
        Registration { registrar: Some(registrar.to_owned()), ..Registration::default() };
    RegistrationOutcome::Read {
        registration: Box::new(registration),
        source: "https://rdap.example/domain/example.com".to_owned(),
    }
}

fn not_found() -> RegistrationOutcome {
    RegistrationOutcome::NotFound { source: "https://rdap.example/domain/example.com".to_owned() }
}

/// The state after a sequence of outcomes, one a minute, and all changes, newest first.
fn replay(outcomes: &[RegistrationOutcome]) -> (Option<StoredReading>, Vec<RegistrationChange>) {
    let name = domain("example.com");
    let (mut reading, mut all) = (None, Vec::<RegistrationChange>::new());
    for (outcome, minute) in outcomes.iter().zip(0..) {
        let was_missing = is_missing(reading.as_ref(), &all);
        let (after, changes) =
            apply_outcome(&name, reading, was_missing, outcome.clone(), at(minute));
        // What is stored is what comes back.
        reading = Some(StoredReading::from_stored(after.to_stored().unwrap()).unwrap());
        assert_eq!(reading.as_ref(), Some(&after));
        all.splice(0..0, changes);
    }
    (reading, all)
}

fn shown(changes: &[RegistrationChange]) -> Vec<(&str, Option<&str>, Option<&str>)> {
    changes.iter().map(|one| (one.field.as_str(), one.from.as_deref(), one.to.as_deref())).collect()
}

#[test]
fn a_first_reading_has_no_changes_and_the_same_reading_again_adds_none() {
    let (reading, changes) = replay(&[read_by("A"), read_by("A"), read_by("A")]);
    let reading = reading.unwrap().into_reading();
    assert_eq!(changes, []);
    assert_eq!(reading.state, RegistryState::Observed);
    assert_eq!((reading.first_read_at, reading.read_at), (Some(at(0)), Some(at(2))));
}

#[test]
fn changes_lie_between_readings_and_failures_change_nothing() {
    let failed = || RegistrationOutcome::Failed("The server answered with status 500.".to_owned());
    let refused = RegistrationOutcome::Refused { status: 429, retry_after: None };
    let (reading, changes) =
        replay(&[failed(), read_by("A"), failed(), refused, read_by("B"), failed()]);
    assert_eq!(shown(&changes), [("registrar", Some("A"), Some("B"))]);
    assert_eq!((changes[0].since, changes[0].at), (at(1), at(4)));
    let reading = reading.unwrap().into_reading();
    assert_eq!(reading.state, RegistryState::NotMeasured);
    assert_eq!(reading.registration.unwrap().registrar.as_deref(), Some("B"));
    assert_eq!((reading.read_at, reading.attempted_at), (Some(at(4)), Some(at(5))));
    assert_eq!(reading.why.as_deref(), Some("The server answered with status 500."));
}

#[test]
fn a_domain_that_disappears_and_comes_back_is_told_once_each() {
    let failed = RegistrationOutcome::Failed("It was late.".to_owned());
    let outcomes = [
        not_found(),
        read_by("A"),
        not_found(),
        not_found(),
        failed,
        not_found(),
        read_by("B"),
        read_by("B"),
    ];
    let (reading, changes) = replay(&outcomes);
    let expected = [
        ("registrar", Some("A"), Some("B")),
        ("registration", None, Some("registered")),
        ("registration", Some("registered"), None),
    ];
    assert_eq!(shown(&changes), expected);
    assert_eq!(reading.unwrap().into_reading().state, RegistryState::Observed);
    let (gone, _) = replay(&[read_by("A"), not_found()]);
    let gone = gone.unwrap().into_reading();
    assert_eq!(gone.state, RegistryState::NotRegistered);
    assert_eq!((gone.read_at, gone.first_read_at), (Some(at(0)), Some(at(0))));
}

proptest! {
    /// Whatever comes: changes are told once, and the newest registration is never lost.
    #[test]
    fn any_sequence_of_outcomes_keeps_the_newest_reading(words in prop::collection::vec(0_u8..5, 0..20)) {
        let outcomes: Vec<RegistrationOutcome> = words
            .iter()
            .map(|word| match word {
                0 => read_by("A"),
                1 => read_by("B"),
                2 => not_found(),
                3 => RegistrationOutcome::Refused { status: 403, retry_after: None },
                _ => RegistrationOutcome::Failed("It failed.".to_owned()),
            })
            .collect();
        let (reading, changes) = replay(&outcomes);
        let last_read = words.iter().rposition(|word| *word <= 1);
        let newest = reading.as_ref().and_then(|reading| reading.registration.as_ref());
        let registrar = newest.and_then(|newest| newest.registrar.as_deref());
        let expected = last_read.map(|index| if words[index] == 0 { "A" } else { "B" });
        prop_assert_eq!(registrar, expected);
        // Registrars alternate in the changes, and so do disappearing and coming back.
        for field in ["registrar", "registration"] {
            let of_field: Vec<&RegistrationChange> =
                changes.iter().filter(|one| one.field == field).collect();
            for pair in of_field.windows(2) {
                prop_assert_eq!(&pair[0].from, &pair[1].to);
            }
        }
    }
}

#[derive(Debug)]
struct AllReads;

impl LiveReadPermit for AllReads {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

#[derive(Debug)]
struct NoReads;

impl LiveReadPermit for NoReads {
    fn acquire(&self) -> Result<(), Duration> {
        Err(Duration::from_secs(7))
    }
}

fn domains(dir: &std::path::Path, bootstrap: Option<&str>) -> Domains {
    let service = testing::build_service(dir, Vec::new());
    let clock: Arc<dyn Clock> = Arc::new(FixedClock(testing::now()));
    let mut settings = service.settings.registry.clone();
    settings.bootstrap = bootstrap.map(str::to_owned);
    Domains::new(
        settings,
        service.issuer.clone(),
        service.scanner.clone(),
        Arc::clone(&service.store),
        Arc::clone(&service.keys),
        clock,
        proof::keys::DeploymentSecret::open(&dir.join("keys")).unwrap(),
    )
}

#[tokio::test]
async fn without_registries_nothing_is_measured_and_nothing_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let domains = domains(dir.path(), None);
    let name = domain("www.shop.example.org");
    let reading = domains.registration(&name, &AllReads).await.unwrap();
    assert_eq!(reading.state, RegistryState::NotMeasured);
    assert_eq!(reading.why.as_deref(), Some("This service does not read registries."));
    assert_eq!(reading.domain.as_str(), "example.org");
    assert_eq!(domains.stored_registration(&name).await.unwrap(), None);
}

/// No resolver answers here, so neither the list nor a registry can be read.
#[tokio::test]
async fn without_the_list_of_registries_the_built_in_copy_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let domains = domains(dir.path(), Some("https://list.example.org/dns.json"));
    let reading = domains.registration(&domain("example.com"), &AllReads).await.unwrap();
    assert_eq!(reading.state, RegistryState::NotMeasured);
    // The registry of .com was tried.
    assert_eq!(reading.attempted_at, Some(testing::now().whole_seconds()));
    // That of .de is not in the copy, which does not mean that there is none.
    let unknown = domains.registration(&domain("example.de"), &AllReads).await.unwrap();
    assert_eq!(unknown.state, RegistryState::NotMeasured);
    assert!(unknown.why.unwrap().contains("could not be fetched yet"));
    assert_eq!(unknown.attempted_at, None);
    // Who has no live read left gets what is stored, or has to wait.
    let limited = domains.registration(&domain("example.net"), &NoReads).await;
    let wait = Duration::from_secs(7);
    assert_eq!(limited, Err(RegistrationError::RateLimited { wait }));
    let stored = domains.registration(&domain("example.com"), &NoReads).await.unwrap();
    assert_eq!(stored, reading);
}
