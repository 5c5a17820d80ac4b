//! Compares the dependencies between the crates, as Cargo sees them, with the allowed ones.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// Every crate with the workspace crates it may use. A new dependency is a design decision: add it here
/// and in ARCHITECTURE.md.
const ALLOWED: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("supervisor", &[]),
    ("proof", &["contract"]),
    ("declared", &["contract"]),
    ("agents", &["contract"]),
    ("judge", &["contract", "proof", "declared", "agents"]),
    ("sarif", &["contract", "proof"]),
    ("door", &["contract"]),
    ("observe", &["contract", "proof", "declared", "agents", "door"]),
    ("store", &["contract", "proof"]),
    ("store-sqlite", &["contract", "proof", "store", "supervisor"]),
    (
        "service",
        &[
            "contract",
            "proof",
            "declared",
            "agents",
            "judge",
            "door",
            "observe",
            "store",
            "supervisor",
        ],
    ),
    ("web", &["contract", "proof", "sarif", "service"]),
    ("lab", &["contract"]),
    ("bench-table", &[]),
    (
        "wayleave",
        &[
            "contract",
            "proof",
            "declared",
            "agents",
            "judge",
            "sarif",
            "door",
            "observe",
            "store",
            "store-sqlite",
            "service",
            "web",
            "lab",
            "supervisor",
        ],
    ),
];

/// Third-party crates that a crate must not use, because they do what it must not do (I/O, clock, SQL).
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("supervisor", &["hyper", "rusqlite", "axum", "jiff"]),
    ("contract", &["tokio", "hyper", "rusqlite", "axum"]),
    ("proof", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("declared", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("agents", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("judge", &["tokio", "hyper", "rusqlite", "axum", "jiff", "rand", "getrandom", "aws-lc-rs"]),
    ("sarif", &["tokio", "hyper", "rusqlite", "axum", "jiff", "aws-lc-rs"]),
    ("door", &["rusqlite", "axum", "lol_html", "serde_json"]),
    ("observe", &["rusqlite", "axum", "hyper"]),
    ("store", &["rusqlite", "tokio-postgres", "axum", "hyper"]),
    ("store-sqlite", &["axum", "hyper"]),
    ("service", &["axum", "hyper", "rusqlite", "tokio-postgres", "clap"]),
    ("web", &["rusqlite", "tokio-postgres", "clap", "webpki-roots"]),
    ("lab", &["axum", "rusqlite", "clap"]),
    ("bench-table", &["tokio", "hyper", "rusqlite", "axum", "jiff"]),
    ("wayleave", &["axum", "hyper", "rusqlite"]),
];

/// Workspace crates that every crate may use in its tests.
const ALLOWED_IN_TESTS: &[&str] = &[
    "lab",
    "bench-table",
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

fn workspace_packages() -> Vec<Package> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().unwrap().packages
}

fn dependency_names(package: &Package, kind: DependencyKind) -> BTreeSet<&str> {
    package.dependencies.iter().filter(|d| d.kind == kind).map(|d| d.name.as_str()).collect()
}

#[test]
fn crates_use_only_the_crates_they_may_use() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let packages = workspace_packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, allowed.keys().copied().collect(), "the crates of the workspace");
    for package in &packages {
        let name = package.name.as_str();
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for used in dependency_names(package, kind).intersection(&names) {
                assert!(allowed[name].contains(used), "{name} must not use {used}");
            }
        }
        for used in dependency_names(package, DependencyKind::Development).intersection(&names) {
            let fine = allowed[name].contains(used) || ALLOWED_IN_TESTS.contains(used);
            assert!(fine, "{name} must not use {used}, not even in tests");
        }
    }
}

#[test]
fn crates_do_not_use_forbidden_dependencies() {
    let packages = workspace_packages();
    for (name, never) in FORBIDDEN {
        let package = packages.iter().find(|package| package.name.as_str() == *name).unwrap();
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for used in dependency_names(package, kind) {
                assert!(!never.contains(&used), "{name} must never use {used}");
            }
        }
    }
    assert_eq!(FORBIDDEN.len(), packages.len(), "every crate has a list of forbidden dependencies");
}

#[test]
fn every_crate_is_held_to_the_lints_of_the_workspace() {
    for package in workspace_packages() {
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}", package.name);
    }
}
