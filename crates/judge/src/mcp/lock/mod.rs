//! Locks: the approved lists of a server, and the comparison of a later reading with them.

mod breaking;
mod check;
mod compare;
mod make;
mod parse;
mod policy;
#[cfg(test)]
mod tests;
mod text_diffs;
mod word_diff;

pub use check::{CheckInputs, Reading, check_lock};
pub use make::{LockInputs, LockRefusal, make_lock};
pub use parse::{BadLock, MAX_LOCK_BYTES, ParsedLock, parse_lock};
pub use policy::DriftPolicy;
pub use text_diffs::{add_text_diffs, no_text_diffs};
