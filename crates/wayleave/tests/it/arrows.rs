//! Who may use whom: the workspace as Cargo sees it against the house as it was designed.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// Every crate with the crates of ours it may use. A new arrow is a decision: it is drawn here and
/// in ARCHITECTURE.md, or not at all.
const ARROWS: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("proof", &["contract"]),
    ("declared", &["contract"]),
    ("agents", &["contract"]),
    ("judge", &["contract", "proof", "declared", "agents"]),
    ("door", &["contract"]),
    ("observe", &["contract", "proof", "declared", "agents", "door"]),
    ("store", &["contract", "proof"]),
    ("store-sqlite", &["contract", "proof", "store"]),
    ("service", &["contract", "proof", "declared", "agents", "judge", "door", "observe", "store"]),
    ("web", &["contract", "proof", "service"]),
    ("lab", &["contract"]),
    (
        "wayleave",
        &[
            "contract",
            "proof",
            "declared",
            "agents",
            "judge",
            "door",
            "observe",
            "store",
            "store-sqlite",
            "service",
            "web",
            "lab",
        ],
    ),
];

/// Crates of others that a room must never use, because they bring in what it must not do.
const NEVER: &[(&str, &[&str])] = &[
    ("contract", &["tokio", "hyper", "rusqlite", "axum"]),
    ("proof", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("declared", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("agents", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("judge", &["tokio", "hyper", "rusqlite", "axum", "jiff", "rand", "getrandom", "aws-lc-rs"]),
    ("door", &["rusqlite", "axum", "lol_html", "serde_json"]),
    ("observe", &["rusqlite", "axum", "hyper"]),
    ("store", &["rusqlite", "tokio-postgres", "axum", "hyper"]),
    ("store-sqlite", &["axum", "hyper"]),
    ("service", &["axum", "hyper", "rusqlite", "tokio-postgres", "clap"]),
    ("web", &["rusqlite", "tokio-postgres", "clap", "rustls"]),
    ("lab", &["axum", "rusqlite", "clap"]),
    ("wayleave", &["axum", "hyper", "rusqlite"]),
];

/// In tests anybody may use the lab and a real engine, and the lab the readers its sites are for.
const IN_TESTS: &[&str] = &[
    "lab",
    "store-sqlite",
    "store",
    "proof",
    "contract",
    "declared",
    "agents",
    "door",
    "web",
    "service",
];

fn ours() -> Vec<Package> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().unwrap().packages
}

fn uses(package: &Package, kind: DependencyKind) -> BTreeSet<&str> {
    package.dependencies.iter().filter(|d| d.kind == kind).map(|d| d.name.as_str()).collect()
}

#[test]
fn no_arrow_is_drawn_that_the_design_forbids() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let packages = ours();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, allowed.keys().copied().collect(), "the rooms of the house");
    for package in &packages {
        let name = package.name.as_str();
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for used in uses(package, kind).intersection(&names) {
                assert!(allowed[name].contains(used), "{name} must not use {used}");
            }
        }
        for used in uses(package, DependencyKind::Development).intersection(&names) {
            let fine = allowed[name].contains(used) || IN_TESTS.contains(used);
            assert!(fine, "{name} must not use {used}, not even in tests");
        }
    }
}

#[test]
fn no_room_holds_what_it_must_never_use() {
    let packages = ours();
    for (name, never) in NEVER {
        let package = packages.iter().find(|package| package.name.as_str() == *name).unwrap();
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for used in uses(package, kind) {
                assert!(!never.contains(&used), "{name} must never use {used}");
            }
        }
    }
    assert_eq!(NEVER.len(), packages.len(), "every room says what it must never use");
}

#[test]
fn every_crate_is_held_to_the_lints_of_the_workspace() {
    for package in ours() {
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}", package.name);
    }
}
