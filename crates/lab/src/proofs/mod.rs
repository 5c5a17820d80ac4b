//! Proofs of control that somebody publishes on the lab's sites while it runs: TXT records, meta
//! elements, files. Every site with correct HTTP shows what is published for it (`show.rs`); the sites
//! of `sites/control_proofs.rs` show it in ways that must not count.

mod proof;
mod published;
mod show;
mod state;

pub use proof::{LabProof, ProofKind, PublishError};
pub(crate) use published::PublishedProof;
pub(crate) use show::{escape_html, show_proofs};
pub(crate) use state::PublishedProofs;
