//! Small conversions from evidence and parser types to the forms used in records.

use contract::evidence::Response;
use contract::records::{FaultWeight, FileFault};
use contract::text::display_safe;
use declared::fault::{Fault, Weight};

pub(crate) fn saturating_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A sentence prefixed with the location it is about, if there is one.
pub(super) fn with_location(location: &str, sentence: &str) -> String {
    if location.is_empty() { sentence.to_owned() } else { format!("({location}) {sentence}") }
}

/// A path as shown in the record. Sitemap paths come from the site, so they are cleaned and cut.
pub(super) fn display_path(path: &str) -> String {
    display_safe(path, 300)
}

pub(super) fn to_file_fault(fault: Fault) -> FileFault {
    FileFault {
        code: fault.code.to_owned(),
        weight: match fault.weight {
            Weight::Note => FaultWeight::Note,
            Weight::Warning => FaultWeight::Warning,
            Weight::Error => FaultWeight::Error,
        },
        at: fault.at,
        problem: fault.problem,
        fix: fault.fix,
    }
}

/// The header fields of a response as name and value pairs.
pub(super) fn header_pairs(response: &Response) -> Vec<(String, String)> {
    response.headers.iter().map(|line| (line.name.clone(), line.value.clone())).collect()
}
