//! Proof by a TXT record.

use contract::evidence::DnsAnswer;
use declared::control_proof::has_value;

use super::{ControlCheck, ControlCheckOutcome, Verdict};

impl ControlCheck<'_> {
    pub(super) async fn check_txt_record(&self, name: String) -> ControlCheckOutcome {
        let answer = self.door.visit(self.deadline).look_up_texts(&name).await;
        let verdict = judge_answer(&name, &answer, self.value);
        ControlCheckOutcome {
            dnssec_validated: Some(answer.authenticated_data),
            ..verdict.into_outcome(name)
        }
    }
}

fn judge_answer(name: &str, answer: &DnsAnswer, expected: &str) -> Verdict {
    if let Some(failure) = &answer.failure {
        let reason = &failure.detail;
        return Verdict::unreadable(format!(
            "The TXT records of {name} could not be read. {reason}"
        ));
    }
    let alias = match answer.cnames.last() {
        Some(end) => format!(" {name} is an alias (CNAME) of {end}."),
        None => String::new(),
    };
    let count = answer.records.len();
    match answer.rcode.as_deref() {
        Some("NOERROR") if count == 0 => {
            Verdict::not_found(format!("{name} has no TXT record (NODATA).{alias}"))
        }
        Some("NOERROR") if has_value(answer.records.iter().map(String::as_str), expected) => {
            Verdict::found(format!("A TXT record of {name} has the expected value.{alias}"))
        }
        Some("NOERROR") if count == 1 => Verdict::not_found(format!(
            "{name} has one TXT record, and it does not have the expected value.{alias}"
        )),
        Some("NOERROR") => Verdict::not_found(format!(
            "{name} has {count} TXT records, and none has the expected value.{alias}"
        )),
        Some("NXDOMAIN") => {
            Verdict::not_found(format!("{name} does not exist in DNS (NXDOMAIN).{alias}"))
        }
        Some(rcode) => Verdict::unreadable(format!(
            "The TXT records of {name} could not be read: the resolver answered {rcode}."
        )),
        None => Verdict::unreadable(format!(
            "The TXT records of {name} could not be read: the resolver did not answer."
        )),
    }
}

#[cfg(test)]
mod tests {
    use contract::evidence::{Failure, FailureKind, FailurePhase};

    use super::*;
    use crate::control_check::ProofResult;

    fn answer(rcode: Option<&str>, records: &[&str]) -> DnsAnswer {
        DnsAnswer {
            record_type: "TXT".to_owned(),
            rcode: rcode.map(str::to_owned),
            authenticated_data: false,
            records: records.iter().map(|text| (*text).to_owned()).collect(),
            cnames: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn only_a_complete_answer_says_that_nothing_is_there() {
        for (rcode, records, result) in [
            (Some("NOERROR"), &["other", " token=t0k\t"][..], ProofResult::Found),
            (Some("NOERROR"), &["TOKEN=T0K", "token=t0k2"], ProofResult::NotFound),
            (Some("NOERROR"), &[], ProofResult::NotFound),
            (Some("NXDOMAIN"), &[], ProofResult::NotFound),
            (Some("SERVFAIL"), &[], ProofResult::Unreadable),
            (Some("REFUSED"), &["token=t0k"], ProofResult::Unreadable),
            (None, &[], ProofResult::Unreadable),
        ] {
            let verdict = judge_answer("_c.a.lab", &answer(rcode, records), "token=t0k");
            assert_eq!(verdict.result, result, "{rcode:?} {records:?}");
            assert!(!verdict.detail.contains("t0k"), "{}", verdict.detail);
        }
        let failure = Failure {
            kind: FailureKind::Dns,
            phase: FailurePhase::Dns,
            reason: "dns_truncated".to_owned(),
            detail: "The resolver sent only a part of its answer.".to_owned(),
        };
        let cut = DnsAnswer { failure: Some(failure), ..answer(Some("NOERROR"), &["token=t0k"]) };
        assert_eq!(judge_answer("_c.a.lab", &cut, "token=t0k").result, ProofResult::Unreadable);
    }
}
