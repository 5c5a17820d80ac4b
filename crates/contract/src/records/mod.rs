//! Every record of the interface, one file for each of its sections.
//!
//! Reading a record is lenient: members and words of a later version are ignored. Reading a request
//! (`requests`, and the report in `outcome`) is strict: a misspelt member is refused, so that the
//! caller does not believe it had an effect.
//!
//! A member that may be null is an `Option` and always written; a member that may be absent has
//! `skip_serializing_if`. `sha256` and `signature` come last and are set when the record is sealed.

#[macro_use]
mod object_only;
#[macro_use]
mod request_words;
mod request_bounds;

mod accuracy;
mod actions;
mod agent_view;
mod assurance_ladder;
mod build;
mod census;
mod changes;
mod claims;
mod conduct;
mod content_clock;
mod control;
mod corroboration;
mod decision_check;
mod domain_claim;
mod facts;
mod field_check;
mod graph;
mod known_agents;
mod log;
mod machine_record;
mod manifest;
mod mcp_domain_scans;
mod mcp_findings;
mod mcp_lock;
mod mcp_requests;
mod mcp_scan;
mod mcp_texts;
mod observers;
mod outcome;
mod preflight;
mod provenance;
mod read_equivalence;
mod receipt;
mod registry;
mod report;
mod requests;
mod resolve;
mod resolve_batch;
mod revocations;
mod rights;
mod scan;
mod scan_readings;
mod schema_index;
mod seal;
mod section;
mod staple;
mod transparency;
mod usage;
mod visitor;
mod visitor_headers;

pub use accuracy::*;
pub use actions::*;
pub use agent_view::*;
pub use assurance_ladder::*;
pub use build::*;
pub use census::*;
pub use changes::*;
pub use claims::*;
pub use conduct::*;
pub use content_clock::*;
pub use control::*;
pub use corroboration::*;
pub use decision_check::*;
pub use domain_claim::*;
pub use facts::*;
pub use field_check::*;
pub use graph::*;
pub use known_agents::*;
pub use log::*;
pub use machine_record::*;
pub use manifest::*;
pub use mcp_domain_scans::*;
pub use mcp_findings::*;
pub use mcp_lock::*;
pub use mcp_requests::*;
pub use mcp_scan::*;
pub use mcp_texts::*;
pub use observers::*;
pub use outcome::*;
pub use preflight::*;
pub use provenance::*;
pub use read_equivalence::*;
pub use receipt::*;
pub use registry::*;
pub use report::*;
pub use request_bounds::{DomainText, PolicyEntry, RequestList};
pub use requests::*;
pub use resolve::*;
pub use resolve_batch::*;
pub use revocations::*;
pub use rights::*;
pub use scan::*;
pub use scan_readings::*;
pub use schema_index::*;
pub use seal::*;
pub use section::{Section, UnrecognisedObject};
pub use staple::*;
pub use transparency::*;
pub use usage::*;
pub use visitor::*;
pub use visitor_headers::VisitorHeaders;
