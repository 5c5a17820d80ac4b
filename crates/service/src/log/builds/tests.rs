use contract::records::CodeState;
use contract::{Brand, Timestamp};
use judge::rulepack::Rulepack;
use serde_json::json;

use super::*;

fn facts() -> BuildFacts {
    BuildFacts {
        name: "wayleave".to_owned(),
        target: "x86_64-unknown-linux-gnu".to_owned(),
        profile: "release".to_owned(),
        rustc: Some("1.95.0".to_owned()),
        cargo_lock_sha256: Some("ab".repeat(32)),
        commit: Some("c0ffee".to_owned()),
        clean: Some(true),
        run: Some("881".to_owned()),
    }
}

fn executable(program: &[u8]) -> Option<Executable> {
    Some(Executable { sha256: proof::sha256(program), bytes: program.len() as u64 })
}

fn build(facts: BuildFacts, executable: Option<Executable>) -> RunningBuild {
    RunningBuild::new(facts, executable, BuildRules::compiled_in(), &Brand::default()).unwrap()
}

fn logged(build: &RunningBuild) -> LoggedBuild {
    LoggedBuild {
        content: build.entry(),
        log_index: 7,
        logged_at: Some(Timestamp::from_millis(1000)),
    }
}

fn state(build: &RunningBuild, logged: Option<&LoggedBuild>) -> CodeState {
    record::build_code_object(
        build.version_id(),
        build.content(),
        None,
        logged,
        "https://svc.example",
    )
    .state
}

#[test]
fn the_entry_is_canonical_and_names_the_build() {
    let this = build(facts(), executable(b"program"));
    let rules = Rulepack::current();
    let expected = json!({
        "log": "svc-resolve-log-v1",
        "kind": "svc-build",
        "artifact": {
            "name": "wayleave",
            "artifact_sha256": proof::sha256(b"program"),
            "bytes": 7,
            "target": "x86_64-unknown-linux-gnu",
        },
        "source": { "commit": "c0ffee", "clean": true },
        "toolchain": {
            "rustc": "1.95.0", "cargo_lock_sha256": "ab".repeat(32), "profile": "release",
        },
        "rules": {
            "score_version": rules.score_version,
            "scoring_policy_sha256": rules.digest(),
            "decision_rules_sha256": judge::decide::rules_sha256(),
        },
    });
    let canonical = proof::canonical::value_to_vec(&expected).unwrap();
    assert_eq!(this.entry(), canonical);
    assert_eq!(this.version_id(), proof::merkle_tree::leaf_hash(&canonical));
    // The run is published but not part of the entry.
    assert_eq!(
        build(BuildFacts { run: None, ..facts() }, executable(b"program")).entry(),
        canonical
    );
    assert_ne!(build(facts(), executable(b"another")).version_id(), this.version_id());
}

#[test]
fn attested_is_only_what_others_can_check() {
    let good = build(facts(), executable(b"program"));
    assert_eq!(state(&good, None), CodeState::Unattested);
    assert_eq!(state(&good, Some(&logged(&good))), CodeState::Attested);
    let dist = build(BuildFacts { profile: "dist".to_owned(), ..facts() }, executable(b"program"));
    assert_eq!(state(&dist, Some(&logged(&dist))), CodeState::Attested);
    for (facts, file) in [
        (BuildFacts { profile: "debug".to_owned(), ..facts() }, executable(b"program")),
        (BuildFacts { clean: Some(false), ..facts() }, executable(b"program")),
        (BuildFacts { clean: None, ..facts() }, executable(b"program")),
        (BuildFacts { commit: None, ..facts() }, executable(b"program")),
        (facts(), None),
    ] {
        let build = build(facts, file);
        assert_eq!(state(&build, Some(&logged(&build))), CodeState::Declared, "{build:?}");
        assert_eq!(state(&build, None), CodeState::Unattested);
    }
}

#[test]
fn code_and_record_say_the_same() {
    let this = build(facts(), executable(b"program"));
    let (entry, base) = (logged(&this), "https://svc.example");
    let run = this.run.clone();
    let code =
        record::build_code_object(this.version_id(), this.content(), run, Some(&entry), base);
    let sixteen = code.script_sha16.as_deref().unwrap();
    assert_eq!(sixteen.len(), 16);
    assert!(proof::sha256(b"program").to_hex().starts_with(sixteen));
    assert_eq!(code.build_log_entry, Some(7));
    assert_eq!(code.deployed.run.as_deref(), Some("881"));
    assert_eq!(code.check, format!("{base}/api/v1/builds/{}", this.version_id()));
    let content = this.content().clone();
    let record = record::build_record(content, code.clone(), Some(&entry), &Brand::default(), base);
    let record = serde_json::to_value(record).unwrap();
    for (name, value) in serde_json::to_value(code).unwrap().as_object().unwrap() {
        assert_eq!(&record[name], value, "{name}");
    }
    // The rule that the record states, followed by hand.
    let entry = json!({
        "log": Brand::default().log_id(),
        "kind": record["kind"],
        "artifact": record["artifact"],
        "source": { "commit": record["source"]["commit"], "clean": record["source"]["clean"] },
        "toolchain": record["toolchain"],
        "rules": {
            "score_version": record["score_version"],
            "scoring_policy_sha256": record["scoring_policy_sha256"],
            "decision_rules_sha256": record["decision_rules_sha256"],
        },
    });
    let leaf = proof::merkle_tree::leaf_hash(&proof::canonical::value_to_vec(&entry).unwrap());
    assert_eq!(record["version_id"], leaf.to_hex());
}

#[test]
fn a_build_is_compared_with_the_log() {
    let this = build(facts(), executable(b"program"));
    let forged = build(facts(), executable(b"another"));
    let older = build(BuildFacts { commit: Some("0ld".to_owned()), ..facts() }, executable(b"old"));
    let (mine, forged_entry, old) = (this.entry(), forged.entry(), older.entry());
    let compared = |entries: &[&[u8]]| compare_with_log(&this, entries.iter().copied());
    assert_eq!(compared(&[]), BuildComparison::NotLogged);
    assert_eq!(compared(&[&old, b"{}", b"not json"]), BuildComparison::NotLogged);
    assert_eq!(compared(&[&forged_entry, &mine]), BuildComparison::Logged);
    assert_eq!(
        compared(&[&old, &forged_entry]),
        BuildComparison::Differs {
            logged: forged.version_id(),
            artifact_sha256: Some(proof::sha256(b"another").to_hex()),
        }
    );
    // Two builds with unknown commits are not compared.
    let unknown = BuildFacts { commit: None, ..facts() };
    let (one, two) =
        (build(unknown.clone(), executable(b"1")), build(unknown, executable(b"2")).entry());
    assert_eq!(compare_with_log(&one, [&*two]), BuildComparison::NotLogged);
}

#[test]
fn an_entry_of_another_kind_is_not_a_build() {
    let this = build(facts(), executable(b"program"));
    let brand = Brand::default();
    assert_eq!(BuildContent::parse(&this.entry(), &brand), Ok(Some(this.content().clone())));
    for entry in [&br#"{"kind":"svc-key-event"}"#[..], br#"{"domain":"a.example"}"#] {
        assert_eq!(BuildContent::parse(entry, &brand), Ok(None));
    }
    for entry in [&br#"{"kind":"svc-build"}"#[..], b"", b"[]"] {
        assert!(BuildContent::parse(entry, &brand).is_err());
    }
}
