//! Every record of the interface, one file for each of its sections.
//!
//! Reading a record is lenient: members and words of a later version are passed over. Reading a
//! request (`requests`) is strict: whoever misspells a member must not believe it was heard.
//!
//! A member that may be null is `Option` and always written; a member that is only there at times
//! says so with `skip_serializing_if`.

mod outcome;
mod requests;
mod scan;
mod transparency;

pub use outcome::*;
pub use requests::*;
pub use scan::*;
pub use transparency::*;
