//! The transparency log: sealing entries into it, reading it, and proving things from it.
//!
//! One thread, the sequencer, extends the log. It collects the waiting submissions, builds and signs
//! one batch from them (`signed_batch`) and stores it in one transaction. A second thread
//! (`acknowledger`) then advances the high-water mark and only after that replies to the callers.
//!
//! `transparency_log` is the type that callers use; `open_log` owns the two threads; `log_end`
//! verifies the end of the log when it is opened; `snapshot` is the state that readers see. `read`,
//! `absence_proof` and `checkpoint` produce proofs and checkpoints, `log_record` describes the log,
//! `gossip` compares tree heads that others received with our own, and `contradictions` keeps a log from being
//! extended while one of them contradicts it. `daily_seals` seals past days,
//! `builds` has the record of the running build. `export`, `fsck`, `mark`, `monitor` and `witness`
//! are the work of commands of their own.

mod absence_proof;
mod acknowledger;
pub mod builds;
mod checkpoint;
mod contradictions;
mod cosigning;
pub mod daily_seals;
mod errors;
pub mod export;
pub mod fsck;
mod gossip;
mod halt_switch;
mod known_batches;
mod log_end;
mod log_record;
pub mod mark;
pub mod monitor;
mod open_log;
mod read;
mod restored;
mod sealed_leaf;
mod sequencer;
mod settings;
mod signed_batch;
mod snapshot;
mod submission;
mod transparency_log;
pub mod witness;
mod witness_peer;

pub use self::absence_proof::{AbsenceProof, LeafPosition, LeafWithPath};
pub use self::contradictions::decide_to_continue;
pub(crate) use self::cosigning::request_cosignatures;
pub use self::errors::{LogFault, SealError};
pub use self::log_record::{LOG_FILES_PATH, LogRecordQuery, PublishedBatch, VERIFIER_PATH};
pub use self::read::{ConsistencyProof, InclusionProof, LoggedEntry};
pub use self::restored::{ConfirmedEnd, LogEpoch};
pub use self::sealed_leaf::SealedLeaf;
pub use self::settings::LogSettings;
pub use self::snapshot::{LogSnapshot, SignedTreeHead};
pub(crate) use self::submission::SealedAnswer;
pub use self::transparency_log::TransparencyLog;
pub(crate) use self::transparency_log::{AnswerContext, ExtrasBuilder};
pub use self::witness_peer::{WitnessPeer, WitnessPeerError};
