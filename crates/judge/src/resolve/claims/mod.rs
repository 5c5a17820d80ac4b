//! What the site says about itself, recorded and not judged: the block of a resolve answer, and the
//! claims of `/api/v1/claims`.

mod answer;
mod said;
mod series;

use contract::records::{ScanRecord, SelfClaims};

pub use answer::{Wanted, answer};
pub use said::{Carrier, Said, said};
pub use series::Heard;

/// The block of a resolve answer.
#[must_use]
pub fn block(record: &ScanRecord, base_url: &str) -> SelfClaims {
    let claims = said(record).len();
    SelfClaims {
        observed: claims > 0,
        start: address(record.domain.as_str(), base_url),
        reading: match claims {
            0 => "Nothing was read in which the site says something about itself.".to_owned(),
            1 => "One claim is recorded, not judged.".to_owned(),
            more => format!("{more} claims are recorded, not judged."),
        },
    }
}

/// Where claims are read. Reading the address of a domain that was not read yet says how to begin.
#[must_use]
pub fn address(domain: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/claims?domain={domain}")
}

#[cfg(test)]
mod tests;
