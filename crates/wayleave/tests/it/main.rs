//! End-to-end tests: the binary, its commands and its HTTP API, against the lab.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod access;
mod accuracy;
mod answer_details_api;
mod browser;
mod capability_calls;
mod client_calls;
mod command_line;
mod conduct_api;
mod control;
mod crate_dependencies;
mod deploy;
mod docs;
mod domain_api;
mod domain_registry;
mod false_alarms;
mod free_keys;
mod health;
mod hostile_bodies;
mod hostile_domains;
mod interop;
mod judgements;
mod lab_server;
mod licence_api;
mod limits_api;
mod log_api;
mod long_pages;
mod machine_files;
mod machine_record;
mod mcp_api;
mod mcp_peers;
mod mcp_server;
mod module_imports;
mod old_data;
mod operators;
mod preflight_api;
mod report_deletion;
mod resolve_api;
mod scan_api;
mod seals;
mod self_scan;
mod server;
mod signed_requests;
mod sites;
mod target_limits;
mod tools;
mod upgrade;
mod utc_day;
mod verifiers;
mod visibility_api;
mod visitor_api;
mod visitor_feeds;
mod webhooks;
