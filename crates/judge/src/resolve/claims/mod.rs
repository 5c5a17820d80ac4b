//! Claims: what the site says about itself, recorded and not judged.
//!
//! `statements` extracts them from one reading, `series` follows them over several readings, `answer` is
//! the answer of `/api/v1/claims`.

mod answer;
mod series;
mod statements;

use contract::records::{ScanRecord, SelfClaims};

pub use answer::{ClaimsQuery, answer};
pub use series::RecordedReading;
pub use statements::{SiteStatement, StatementCarrier, site_statements};

/// The `self_claims` section of a resolve answer.
#[must_use]
pub fn claims_section(record: &ScanRecord, base_url: &str) -> SelfClaims {
    let claims = site_statements(record).len();
    SelfClaims {
        observed: claims > 0,
        start: claims_url(record.domain.as_str(), base_url),
        reading: match claims {
            0 => "We found no statement of the site about itself.".to_owned(),
            1 => "1 claim is recorded. We do not judge whether it is true.".to_owned(),
            more => format!("{more} claims are recorded. We do not judge whether they are true."),
        },
    }
}

/// The address of the claims of a domain.
#[must_use]
pub fn claims_url(domain: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/claims?domain={domain}")
}

#[cfg(test)]
mod tests;
