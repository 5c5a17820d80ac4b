//! The sealed record of one day's outcome reports about a domain.

use contract::records::OutcomeDayRecord;
use contract::{Domain, Issuer};
use proof::{Digest, ProofError};
use store::{Day, OutcomeTally};

/// The digest of a day's counts, as it is sealed.
pub(crate) fn outcome_day_digest(
    issuer: &Issuer,
    domain: &Domain,
    day: Day,
    tally: &OutcomeTally,
) -> Result<Digest, ProofError> {
    let record = OutcomeDayRecord {
        kind: issuer.brand.kind("agent-outcomes-day"),
        v: 1,
        domain: domain.clone(),
        day,
        n: tally.n,
        ok: tally.ok,
        blocked: tally.blocked,
        challenged: tally.challenged,
        error: tally.error,
        disagree: tally.disagree,
        reporters: tally.reporters,
    };
    Ok(Digest::of(&proof::canonical::to_vec(&record)?))
}
