//! Reading plans: they read a domain and return the evidence.
//!
//! A plan decides what is read, under which identity and in which order. `door` does the reading,
//! and `judge` interprets the bytes. This crate stores nothing.

mod content_clock;
mod control_check;
pub mod engine;
mod feed_read;
mod mcp;
mod registry_read;
mod retry_after;
mod scan;

pub use content_clock::{ContentClockCheck, ContentClockOutcome};
pub use control_check::{ControlCheck, ControlCheckOutcome, ProofResult};
pub use feed_read::{FeedRead, FeedReadOutcome, KeyDirectoryRead};
pub use mcp::{CollectedMcp, McpBudget, McpLineWalk, McpWalk};
pub use registry_read::{BootstrapRead, RegistrationOutcome, RegistrationRead};
pub use scan::{
    CallAllowance, CollectedEvidence, ProgressCallback, ProgressRead, ScanDepth, ScanPlan,
    ScanProgress,
};
