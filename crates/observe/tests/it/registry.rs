//! Reads of registrations from the registry of the lab.

use std::time::Duration;

use contract::{Domain, NamePolicy};
use declared::rdap::Bootstrap;
use door::Door;
use lab::{
    BootstrapBehaviour, LabRegistration, RDAP_HOST, RdapResult, RegistryEntry, rdap_bootstrap_url,
    rdap_domain_url, rdap_variants,
};
use observe::{BootstrapRead, RegistrationOutcome, RegistrationRead};

use crate::setup::{catalogue, door, lab};

const SERVER: &str = "https://rdap.lab/lab/";

async fn read_within(door: &Door, name: &str, deadline: Duration) -> RegistrationOutcome {
    let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
    let domain = Domain::parse(name, &names).unwrap();
    let catalogue = catalogue();
    let plan =
        RegistrationRead { domain: &domain, server: SERVER, door, catalogue: &catalogue, deadline };
    plan.run().await
}

async fn read(door: &Door, name: &str) -> RegistrationOutcome {
    read_within(door, name, Duration::from_secs(3)).await
}

async fn bootstrap(door: &Door) -> Result<Bootstrap, String> {
    let (catalogue, deadline) = (catalogue(), Duration::from_secs(5));
    BootstrapRead { url: &rdap_bootstrap_url(), door, catalogue: &catalogue, deadline }.run().await
}

#[tokio::test]
async fn every_site_has_a_registration_and_it_is_read_whole() {
    let lab = lab().await;
    let door = door(&lab);
    let RegistrationOutcome::Read { registration, source } = read(&door, "open.lab").await else {
        panic!("it is registered")
    };
    let known = LabRegistration::of("open.lab");
    assert_eq!(source, rdap_domain_url("open.lab"));
    assert_eq!(registration.registrar.as_deref(), Some(known.registrar.as_str()));
    assert_eq!(registration.registrar_iana_id, known.registrar_iana_id);
    assert_eq!(registration.created.map(|at| at.to_string()), Some(known.created));
    assert_eq!(registration.expires.map(|at| at.to_string()), Some(known.expires));
    assert_eq!(registration.changed.map(|at| at.to_string()), Some(known.changed));
    assert_eq!(registration.nameservers, known.nameservers);
    assert_eq!(registration.dnssec, Some(known.signed));
    assert_eq!(registration.status, known.status);
    let hit = lab.hits(RDAP_HOST).pop().unwrap();
    let accept: Vec<&str> = hit
        .headers
        .iter()
        .filter(|(name, _)| name == "accept")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!((hit.method.as_str(), accept), ("GET", vec!["application/rdap+json"]));
    let unknown = read(&door, "no-such-site.lab").await;
    assert!(matches!(unknown, RegistrationOutcome::NotFound { .. }), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_variant_ends_as_its_table_says() {
    let variants = rdap_variants();
    assert!(variants.len() >= 50, "{}", variants.len());
    let lab = lab().await;
    let door = crate::setup::door_with_limits(&lab, door::TargetLimits::none());
    let mut wrong = Vec::new();
    for variant in variants {
        let outcome = read(&door, &variant.domain()).await;
        let result = match &outcome {
            RegistrationOutcome::Read { .. } => RdapResult::Registered,
            RegistrationOutcome::NotFound { .. } => RdapResult::NotFound,
            RegistrationOutcome::Refused { .. } => RdapResult::Refused,
            RegistrationOutcome::Failed(_) => RdapResult::Failed,
        };
        if result != variant.result {
            wrong.push(format!("{}: {outcome:?}", variant.word));
        }
        let shown = format!("{outcome:?}");
        for personal in ["Jane", "Joan", "person.lab", "301234567"] {
            assert!(!shown.contains(personal), "{}: {shown}", variant.word);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Nothing private was dialled.
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn facts_of_odd_documents_are_found() {
    let lab = lab().await;
    let door = door(&lab);
    let registration = async |word: &str| match read(&door, &format!("rdap-{word}.lab")).await {
        RegistrationOutcome::Read { registration, .. } => registration,
        other => panic!("{word}: {other:?}"),
    };
    let thin = registration("thin").await;
    assert_eq!((thin.registrar, thin.registrar_iana_id.as_deref()), (None, Some("9998")));
    let several = registration("several-registrars").await;
    assert_eq!(several.registrar.as_deref(), Some("First With Id"));
    assert_eq!(registration("nested-registrar").await.registrar.as_deref(), Some("Nested Names"));
    assert_eq!(registration("jscontact").await.registrar.as_deref(), Some("JSContact Names"));
    let odd = registration("odd-dates").await;
    let dates = [odd.created, odd.expires, odd.changed].map(|at| at.unwrap().to_string());
    let expected = ["2019-03-04T00:00:00Z", "2031-03-04T09:10:11Z", "2025-03-04T07:10:11.123Z"];
    assert_eq!(dates, expected);
    let moved = registration("transferred").await.transferred_at.unwrap();
    assert_eq!(moved.to_string(), "2025-06-01T00:00:00Z");
    assert!(registration("reregistered").await.reregistered_at.is_some());
    let epp = registration("epp-status").await;
    assert_eq!(epp.status, ["active", "client transfer prohibited", "server hold"]);
    assert_eq!(registration("ds-data").await.dnssec, Some(true));
    assert_eq!(registration("dnssec-as-text").await.dnssec, Some(true));
    assert_eq!(registration("no-secure-dns").await.dnssec, None);
    assert!(registration("redemption").await.is_being_released());
    assert!(registration("pending-delete").await.is_being_released());
    let redacted = registration("redacted").await;
    assert_eq!(redacted.redacted, ["Registrant Name", "Registry expiry date"]);
    let loud = registration("upper-case").await;
    assert_eq!(loud.nameservers, ["ns1.dns.lab"]);
}

#[tokio::test]
async fn what_a_registry_asks_for_is_told() {
    let lab = lab().await;
    let door = door(&lab);
    let limited = read(&door, "rdap-too-many-requests.lab").await;
    let wait = Some(Duration::from_secs(120));
    assert_eq!(limited, RegistrationOutcome::Refused { status: 429, retry_after: wait });
    let forbidden = read(&door, "rdap-forbidden.lab").await;
    assert_eq!(forbidden, RegistrationOutcome::Refused { status: 403, retry_after: None });
    let RegistrationOutcome::Refused { retry_after: Some(wait), .. } =
        read(&door, "rdap-too-many-until.lab").await
    else {
        panic!("it is refused")
    };
    assert!(wait > Duration::from_secs(365 * 86_400), "{wait:?}");
    let RegistrationOutcome::Failed(why) = read(&door, "rdap-another-name.lab").await else {
        panic!("it is about another name")
    };
    assert_eq!(why, "The registry answered about another name.");
}

#[tokio::test]
async fn registrations_can_be_changed_and_names_can_be_international() {
    let lab = lab().await;
    let door = door(&lab);
    let moved = LabRegistration {
        registrar: "Another Registrar".into(),
        created: "2026-11-01T00:00:00Z".into(),
        ..LabRegistration::of("open.lab")
    };
    lab.set_registration("open.lab", RegistryEntry::Registered(moved));
    let RegistrationOutcome::Read { registration, .. } = read(&door, "open.lab").await else {
        panic!("it is registered")
    };
    assert_eq!(registration.registrar.as_deref(), Some("Another Registrar"));
    lab.set_registration("open.lab", RegistryEntry::NotRegistered);
    let gone = read(&door, "open.lab").await;
    assert!(matches!(gone, RegistrationOutcome::NotFound { .. }), "{gone:?}");
    let name = "xn--bcher-kva.lab";
    lab.set_registration(name, RegistryEntry::Registered(LabRegistration::of(name)));
    let RegistrationOutcome::Read { source, .. } = read(&door, "Bücher.lab").await else {
        panic!("it is registered")
    };
    assert_eq!(source, rdap_domain_url(name));
    lab.set_registration("open.lab", RegistryEntry::Silent);
    let silent = read_within(&door, "open.lab", Duration::from_millis(1_500)).await;
    assert!(matches!(silent, RegistrationOutcome::Failed(_)), "{silent:?}");
}

#[tokio::test]
async fn the_list_of_registries_is_read_or_refused() {
    let lab = lab().await;
    let door = door(&lab);
    let list = bootstrap(&door).await.unwrap();
    assert_eq!(list.server("open.lab"), Some(SERVER));
    assert_eq!(list.server("shop.co.example"), Some("https://rdap.example/"));
    assert_eq!(list.server("example.com"), None);
    assert!(list.is_complete);
    for (behaviour, expected) in [
        (BootstrapBehaviour::Page, "not valid JSON"),
        (BootstrapBehaviour::Status500, "status 500"),
    ] {
        lab.set_rdap_bootstrap(behaviour);
        let why = bootstrap(&door).await.unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
}
