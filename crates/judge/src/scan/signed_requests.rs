//! Compares what our own identity got with its signature (Web Bot Auth) and without one.

use contract::evidence::{ReadTarget, Reading};
use contract::records::{RowCause, SignatureEffect, SignedRequests};

use super::agent_view::{cause_by_status, cause_with_wall, recognise_wall};
use super::parsed_evidence::ParsedEvidence;

/// What one request got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Served,
    Refused,
    /// Neither: the server failed, was busy, or did not answer. That says nothing about signatures.
    Unknown,
}

pub(super) fn compare_signed_requests(parsed: &ParsedEvidence<'_>) -> SignedRequests {
    let signed: Vec<&Reading> = parsed.readings(ReadTarget::SignedHome).collect();
    let unsigned: Vec<&Reading> = parsed.readings(ReadTarget::UnsignedHome).collect();
    let pairs: Vec<[Access; 2]> = signed
        .iter()
        .zip(&unsigned)
        .map(|(signed, unsigned)| [access(parsed, signed), access(parsed, unsigned)])
        .collect();
    let (effect, means) = effect_of(&pairs);
    let readings = signed.iter().chain(&unsigned).map(|reading| reading.id.clone()).collect();
    SignedRequests { effect, means: means.to_owned(), readings }
}

fn access(parsed: &ParsedEvidence<'_>, reading: &Reading) -> Access {
    let wall = recognise_wall(parsed, reading);
    match cause_with_wall(cause_by_status(Some(reading)), wall.as_ref()) {
        RowCause::Served => Access::Served,
        RowCause::Refused | RowCause::PaymentRequired | RowCause::Challenge => Access::Refused,
        _ => Access::Unknown,
    }
}

/// A difference counts only if a second pair of requests shows the same one.
fn effect_of(pairs: &[[Access; 2]]) -> (SignatureEffect, &'static str) {
    use Access::{Refused, Served, Unknown};
    let Some(first) = pairs.first() else {
        return (
            SignatureEffect::NotMeasured,
            "Not measured: this scan made no signed request. Requests are signed only over https, by a service with a \
             public https address of its own.",
        );
    };
    match first {
        [Unknown, _] | [_, Unknown] => (
            SignatureEffect::NotMeasured,
            "Not measured: our own crawler was neither served nor refused.",
        ),
        [Served, Served] => (
            SignatureEffect::NoDifference,
            "No: the home page is served to our own crawler with and without a signature.",
        ),
        [Refused, Refused] => (
            SignatureEffect::NoDifference,
            "No: the home page is refused to our own crawler with and without a signature.",
        ),
        differing if pairs.get(1) != Some(differing) => (
            SignatureEffect::Unclear,
            "Not known: the answers with and without a signature differed once, but not in the same way a second time.",
        ),
        [Served, Refused] => (
            SignatureEffect::OnlySignedServed,
            "Yes, signed agents are welcome: the home page is served to our own crawler if it signs its request (Web Bot \
             Auth), and refused if it does not.",
        ),
        [Refused, Served] => (
            SignatureEffect::OnlyUnsignedServed,
            "No, less: the home page is refused to our own crawler if it signs its request (Web Bot Auth), and served if \
             it does not.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::Access::{Refused, Served, Unknown};
    use super::*;

    #[test]
    fn a_difference_counts_only_if_it_is_seen_twice() {
        let effect = |pairs: &[[Access; 2]]| effect_of(pairs).0;
        assert_eq!(effect(&[]), SignatureEffect::NotMeasured);
        assert_eq!(effect(&[[Served, Served]]), SignatureEffect::NoDifference);
        assert_eq!(effect(&[[Refused, Refused]]), SignatureEffect::NoDifference);
        assert_eq!(effect(&[[Served, Refused]]), SignatureEffect::Unclear);
        assert_eq!(effect(&[[Served, Refused], [Served, Served]]), SignatureEffect::Unclear);
        assert_eq!(effect(&[[Served, Refused], [Refused, Served]]), SignatureEffect::Unclear);
        assert_eq!(effect(&[[Served, Refused]; 2]), SignatureEffect::OnlySignedServed);
        assert_eq!(effect(&[[Refused, Served]; 2]), SignatureEffect::OnlyUnsignedServed);
        assert_eq!(effect(&[[Unknown, Served]; 2]), SignatureEffect::NotMeasured);
        assert_eq!(effect(&[[Refused, Unknown]; 2]), SignatureEffect::NotMeasured);
    }
}
