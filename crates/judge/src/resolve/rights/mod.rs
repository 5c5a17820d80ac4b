//! What the site's public statements say about uses of its content.
//!
//! `collected` gathers the statements from a stored record, `section` has the section of a resolve
//! answer, `answer` is the answer of `/api/v1/rights`. `crate::rights` decides between statements.

mod answer;
mod collected;
mod section;

pub use answer::answer;
pub(crate) use collected::{ACCESS, collect_stored};
pub use collected::{CollectedStatements, LocatedStatement, RightsQuery, signal_name};
pub use section::{is_observed, rights_section};

#[cfg(test)]
mod tests;
