//! A running lab, a door that reads it, and scans of its sites.

use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use contract::evidence::{Observer, ReadTarget, Reading, Response};
use contract::{Domain, NamePolicy};
use door::{Door, Policy, ResolverChoice, SystemClock, TargetLimits};
use lab::{Lab, LabOptions};
use observe::{CollectedEvidence, ProgressCallback, ScanDepth, ScanPlan};

pub(crate) const TOKEN: &str = "k7q2m9";

pub(crate) async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

pub(crate) fn door(lab: &Lab) -> Door {
    door_with_limits(lab, TargetLimits::default())
}

pub(crate) fn door_with_limits(lab: &Lab, targets: TargetLimits) -> Door {
    let network = lab.network();
    let policy = Policy {
        targets,
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    };
    Door::new(policy, Arc::new(SystemClock)).unwrap()
}

pub(crate) fn catalogue() -> Catalogue {
    Catalogue::built_in().unwrap().with_placeholders_filled("0", "https://svc.example")
}

/// How many reads the first phase of a scan makes if nothing fails: robots.txt, every identity plus the browser again,
/// robots.txt as each identity, the other machine files, four control paths, plain http, four
/// cache-bypassing reads, Markdown.
pub(crate) fn all_reads() -> usize {
    let compared = catalogue().compared_identities().count();
    let files = declared::files::FILE_LOCATIONS.len() - 1;
    1 + (compared + 1) + compared + files + 4 + 1 + 4 + 1
}

/// The reads of the first phase: those that do not depend on what was read.
pub(crate) fn first_reads(read: &CollectedEvidence) -> Vec<&Reading> {
    let is_first = |target: &ReadTarget, path: &str| match target {
        ReadTarget::HomeAgain
        | ReadTarget::HomeTrial
        | ReadTarget::Page
        | ReadTarget::StyleSheet
        | ReadTarget::SitemapChild
        | ReadTarget::Feed => false,
        ReadTarget::MachineFile => {
            declared::files::FILE_LOCATIONS.iter().any(|place| place.path == path)
        }
        _ => true,
    };
    read.evidence.reads.iter().filter(|reading| is_first(&reading.target, &reading.path)).collect()
}

pub(crate) async fn scan(door: &Door, name: &str, deadline: Duration) -> CollectedEvidence {
    scan_with(door, name, deadline, TOKEN, &|_| {}).await
}

pub(crate) async fn scan_with(
    door: &Door,
    name: &str,
    deadline: Duration,
    token: &str,
    progress: ProgressCallback<'_>,
) -> CollectedEvidence {
    read(door, name, ScanDepth::Full, deadline, token, progress).await
}

pub(crate) async fn live(door: &Door, name: &str, deadline: Duration) -> CollectedEvidence {
    read(door, name, ScanDepth::Live, deadline, TOKEN, &|_| {}).await
}

async fn read(
    door: &Door,
    name: &str,
    depth: ScanDepth,
    deadline: Duration,
    token: &str,
    progress: ProgressCallback<'_>,
) -> CollectedEvidence {
    let observer =
        Observer { name: "wayleave".into(), version: "0".into(), vantage: "test".into() };
    let plan = ScanPlan {
        depth,
        domain: &Domain::parse(name, &door.policy().names).unwrap(),
        door,
        catalogue: &catalogue(),
        clock: &SystemClock,
        observer,
        deadline,
        token: token.into(),
        calls: None,
        progress,
    };
    plan.run().await
}

pub(crate) fn of(read: &CollectedEvidence, target: ReadTarget) -> Vec<&Reading> {
    read.evidence.reads.iter().filter(|reading| reading.target == target).collect()
}

pub(crate) fn answer(reading: &Reading) -> &Response {
    reading.exchange.response().unwrap_or_else(|| panic!("{:?}", reading.exchange.outcome))
}
