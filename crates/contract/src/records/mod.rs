//! Every record of the interface, one file for each of its sections.
//!
//! Reading a record is lenient: members and words of a later version are passed over. Reading a
//! request (`requests`, and the report in `outcome`) is strict: whoever misspells a member must
//! not believe it was heard.
//!
//! A member that may be null is `Option` and always written; a member that is only there at times
//! says so with `skip_serializing_if`. `sha256` and `signature` come last and are put in when the
//! record is sealed.

#[macro_use]
mod object_only;

mod accuracy;
mod actions;
mod build;
mod census;
mod changes;
mod claims;
mod clock;
mod conduct;
mod control;
mod corroboration;
mod decision_check;
mod equivalence;
mod graph;
mod ladder;
mod log;
mod manifest;
mod observers;
mod outcome;
mod preflight;
mod readings;
mod receipt;
mod registry;
mod report;
mod requests;
mod resolve;
mod resolve_batch;
mod revocations;
mod rights;
mod scan;
mod seal;
mod section;
mod staple;
mod transparency;
mod visitor;

pub use accuracy::*;
pub use actions::*;
pub use build::*;
pub use census::*;
pub use changes::*;
pub use claims::*;
pub use clock::*;
pub use conduct::*;
pub use control::*;
pub use corroboration::*;
pub use decision_check::*;
pub use equivalence::*;
pub use graph::*;
pub use ladder::*;
pub use log::*;
pub use manifest::*;
pub use observers::*;
pub use outcome::*;
pub use preflight::*;
pub use readings::*;
pub use receipt::*;
pub use registry::*;
pub use report::*;
pub use requests::*;
pub use resolve::*;
pub use resolve_batch::*;
pub use revocations::*;
pub use rights::*;
pub use scan::*;
pub use seal::*;
pub use section::{Section, UnrecognisedObject};
pub use staple::*;
pub use transparency::*;
pub use visitor::*;
