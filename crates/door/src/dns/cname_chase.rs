//! Follows one question through its CNAMEs to an answer. Pure: it takes replies and yields the next
//! question.

use std::net::IpAddr;

use contract::NamePolicy;
use contract::evidence::{DnsAnswer, Failure, FailureKind, FailurePhase};
use hickory_proto::op::Message;
use hickory_proto::rr::{DNSClass, Name, RData};

use super::message::rcode_mnemonic;
use super::names::{check_name, to_recorded_text};
use super::record_type::RecordType;
use super::transport::{DnsReply, PendingQuery};
use crate::failure::{new_failure, policy_refusal};

/// The answer to one question: the recorded facts, and every address found.
#[derive(Debug, Clone)]
pub(crate) struct LookupAnswer {
    pub(crate) record: DnsAnswer,
    /// All addresses, also those beyond the recorded ones, because each must be vetted.
    pub(crate) addresses: Vec<IpAddr>,
    /// All texts, also those beyond the recorded ones. One DNS message bounds them.
    pub(crate) texts: Vec<String>,
}

/// The state of one look-up: one name, one record type, and the CNAMEs followed so far.
#[derive(Debug)]
pub(super) struct CnameChase {
    kind: RecordType,
    /// The name to ask about now: the first one, or the end of the CNAMEs so far.
    name: Name,
    /// The names that were already followed.
    earlier_names: Vec<Name>,
    max_records: usize,
    max_cnames: usize,
    open: bool,
    answer: LookupAnswer,
}

impl CnameChase {
    pub(super) fn new(
        name: Name,
        kind: RecordType,
        most_records: usize,
        most_cnames: usize,
    ) -> Self {
        let record = DnsAnswer {
            record_type: kind.as_str().to_owned(),
            rcode: None,
            // Stays true only if every reply had the flag.
            authenticated_data: true,
            records: Vec::new(),
            cnames: Vec::new(),
            failure: None,
        };
        Self {
            kind,
            earlier_names: Vec::new(),
            name,
            max_records: most_records,
            max_cnames: most_cnames,
            open: true,
            answer: LookupAnswer { record, addresses: Vec::new(), texts: Vec::new() },
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn question(&self) -> PendingQuery {
        PendingQuery::new(self.name.clone(), self.kind)
    }

    pub(super) fn into_answer(mut self) -> LookupAnswer {
        // Without a reply nothing was authenticated.
        self.answer.record.authenticated_data &= self.answer.record.rcode.is_some();
        self.answer
    }

    /// Processes the reply to [`Self::question`]. The look-up stays open if the reply ends in a
    /// CNAME whose target must be asked about next.
    pub(super) fn accept_reply(&mut self, reply: DnsReply, names: &NamePolicy) {
        self.open = false;
        match reply {
            Err(failure) => self.fail(failure),
            Ok(message) => {
                if let Err(failure) = self.read_reply(&message, names) {
                    self.fail(failure);
                }
            }
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.answer.record.failure = Some(failure);
        self.answer.record.records.clear();
        self.answer.addresses.clear();
        self.answer.texts.clear();
    }

    fn read_reply(&mut self, message: &Message, names: &NamePolicy) -> Result<(), Failure> {
        let record = &mut self.answer.record;
        record.rcode = Some(rcode_mnemonic(message.metadata.response_code));
        record.authenticated_data &= message.metadata.authentic_data;
        // An answer that is cut over UDP was asked for again over TCP, where all of it fits. Of the names of an
        // address only the first ones are used anyway.
        if message.metadata.truncation && self.kind != RecordType::Ptr {
            return Err(new_failure(
                FailureKind::Dns,
                FailurePhase::Dns,
                "dns_truncated",
                "The resolver sent only a part of its answer.",
            ));
        }
        let aliases_before = self.answer.record.cnames.len();
        if self.kind != RecordType::Cname {
            while let Some(target) = find_cname(message, &self.name) {
                self.follow_cname(target)?;
            }
        }
        self.collect_records(message);
        // A recursive resolver with a complete answer never ends like this; a misconfigured one
        // does.
        let unfinished = self.answer.record.cnames.len() > aliases_before
            && self.answer.record.records.is_empty()
            && !is_authoritative_for(message, &self.name);
        if unfinished {
            check_name(&to_recorded_text(&self.name), names).map_err(|_| {
                policy_refusal(
                    FailurePhase::Dns,
                    "cname_refused",
                    "The name is an alias (CNAME) of a name that no public site can have.",
                )
            })?;
            self.open = true;
        }
        Ok(())
    }

    fn follow_cname(&mut self, target: Name) -> Result<(), Failure> {
        if self.name == target || self.earlier_names.contains(&target) {
            return Err(new_failure(
                FailureKind::Dns,
                FailurePhase::Dns,
                "cname_loop",
                "The CNAME records of this name form a loop.",
            ));
        }
        if self.answer.record.cnames.len() >= self.max_cnames {
            return Err(new_failure(
                FailureKind::Dns,
                FailurePhase::Dns,
                "cname_chain_too_long",
                "The name has a longer CNAME chain than we follow.",
            ));
        }
        self.answer.record.cnames.push(to_recorded_text(&target));
        self.earlier_names.push(std::mem::replace(&mut self.name, target));
        Ok(())
    }

    /// Collects the records of the wanted type that belong to the name at the end of the CNAMEs.
    /// Other records in the answer were not asked for and are ignored.
    fn collect_records(&mut self, message: &Message) {
        for found in &message.answers {
            if found.dns_class != DNSClass::IN || found.name != self.name {
                continue;
            }
            let text = match (self.kind, &found.data) {
                (RecordType::A, RData::A(a)) => {
                    self.answer.addresses.push(IpAddr::V4(a.0));
                    a.0.to_string()
                }
                (RecordType::Aaaa, RData::AAAA(aaaa)) => {
                    self.answer.addresses.push(IpAddr::V6(aaaa.0));
                    aaaa.0.to_string()
                }
                (RecordType::Cname, RData::CNAME(cname)) => to_recorded_text(&cname.0),
                (RecordType::Ptr, RData::PTR(ptr)) => to_recorded_text(&ptr.0),
                (RecordType::Txt, RData::TXT(txt)) => {
                    // The strings of one record are one text (RFC 7208 section 3.3).
                    let text = String::from_utf8_lossy(&txt.txt_data.concat()).into_owned();
                    self.answer.texts.push(text.clone());
                    text
                }
                _ => continue,
            };
            if self.answer.record.records.len() < self.max_records {
                self.answer.record.records.push(text);
            }
        }
    }
}

fn find_cname(message: &Message, name: &Name) -> Option<Name> {
    message.answers.iter().find_map(|record| match &record.data {
        RData::CNAME(target) if record.dns_class == DNSClass::IN && record.name == *name => {
            Some(target.0.clone())
        }
        _ => None,
    })
}

/// Whether the reply itself proves that the name at the end of the CNAMEs has no such records: its
/// authority section holds the SOA of an enclosing zone, or the rcode is an error.
fn is_authoritative_for(message: &Message, name: &Name) -> bool {
    message.metadata.response_code != hickory_proto::op::ResponseCode::NoError
        || message
            .authorities
            .iter()
            .any(|record| matches!(record.data, RData::SOA(_)) && record.name.zone_of(name))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use hickory_proto::op::{MessageType, OpCode, ResponseCode};
    use hickory_proto::rr::Record;
    use hickory_proto::rr::rdata::{A, CNAME, TXT};

    use super::super::transport;
    use super::*;

    fn name(text: &str) -> Name {
        Name::from_ascii(text).unwrap()
    }

    fn names() -> NamePolicy {
        NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] }
    }

    fn reply(records: &[(&str, RData)]) -> Message {
        let mut message = Message::new(1, MessageType::Response, OpCode::Query);
        message.metadata.authentic_data = true;
        for (owner, data) in records {
            message.add_answer(Record::from_rdata(name(owner), 60, data.clone()));
        }
        message
    }

    fn a(last: u8) -> RData {
        RData::A(A(Ipv4Addr::new(192, 0, 2, last)))
    }

    fn cname(target: &str) -> RData {
        RData::CNAME(CNAME(name(target)))
    }

    fn chase(kind: RecordType) -> CnameChase {
        CnameChase::new(name("a.lab."), kind, 64, 8)
    }

    fn feed(chase: &mut CnameChase, records: &[(&str, RData)]) {
        chase.accept_reply(Ok(reply(records)), &names());
    }

    #[test]
    fn aliases_inside_one_reply_are_followed_in_any_order() {
        let mut chase = chase(RecordType::A);
        feed(
            &mut chase,
            &[("C.lab.", a(1)), ("b.lab.", cname("c.lab.")), ("a.lab.", cname("B.LAB."))],
        );
        assert!(!chase.is_open());
        let answer = chase.into_answer();
        assert_eq!(answer.record.cnames, ["b.lab", "c.lab"]);
        assert_eq!(answer.record.records, ["192.0.2.1"]);
        assert_eq!(answer.record.rcode.as_deref(), Some("NOERROR"));
        assert!(answer.record.authenticated_data);
    }

    #[test]
    fn records_of_other_names_are_ignored() {
        let mut chase = chase(RecordType::A);
        feed(&mut chase, &[("b.lab.", a(1)), ("a.lab.", a(2))]);
        assert_eq!(chase.into_answer().addresses, ["192.0.2.2".parse::<IpAddr>().unwrap()]);
    }

    #[test]
    fn an_alias_without_an_address_is_queried_next() {
        let mut chase = chase(RecordType::A);
        feed(&mut chase, &[("a.lab.", cname("b.lab."))]);
        assert!(chase.is_open());
        assert_eq!(chase.name, name("b.lab."));
        let mut second = reply(&[("b.lab.", a(3))]);
        second.metadata.authentic_data = false;
        chase.accept_reply(Ok(second), &names());
        let answer = chase.into_answer();
        assert_eq!(answer.record.records, ["192.0.2.3"]);
        assert!(!answer.record.authenticated_data, "one reply on the way was not authenticated");
    }

    #[test]
    fn an_alias_of_a_private_name_is_not_queried() {
        let mut chase = chase(RecordType::A);
        feed(&mut chase, &[("a.lab.", cname("db.corp."))]);
        assert!(!chase.is_open());
        assert_eq!(chase.into_answer().record.failure.unwrap().reason, "cname_refused");
    }

    #[test]
    fn loops_and_long_chains_end() {
        let mut circle = chase(RecordType::A);
        feed(&mut circle, &[("a.lab.", cname("b.lab.")), ("b.lab.", cname("a.lab."))]);
        assert_eq!(circle.into_answer().record.failure.unwrap().reason, "cname_loop");

        let mut long = chase(RecordType::A);
        for step in 0..20 {
            if !long.is_open() {
                break;
            }
            let owner = if step == 0 { "a.lab.".into() } else { format!("n{step}.lab.") };
            feed(&mut long, &[(owner.as_str(), cname(&format!("n{}.lab.", step + 1)))]);
        }
        let answer = long.into_answer();
        assert_eq!(answer.record.cnames.len(), 8);
        assert_eq!(answer.record.failure.unwrap().reason, "cname_chain_too_long");
    }

    #[test]
    fn every_address_is_kept_for_vetting_but_not_every_one_is_recorded() {
        let mut chase = chase(RecordType::A);
        let many: Vec<_> = (0..200).map(|last| ("a.lab.", a(last))).collect();
        feed(&mut chase, &many);
        let answer = chase.into_answer();
        assert_eq!(answer.record.records.len(), 64);
        assert_eq!(answer.addresses.len(), 200);
    }

    #[test]
    fn a_cname_question_returns_the_cname_itself() {
        let mut chase = chase(RecordType::Cname);
        feed(&mut chase, &[("a.lab.", cname("b.lab."))]);
        let answer = chase.into_answer();
        assert_eq!(answer.record.records, ["b.lab"]);
        assert!(answer.record.cnames.is_empty());
    }

    #[test]
    fn the_strings_of_a_text_record_are_one_text() {
        let mut chase = chase(RecordType::Txt);
        let txt = RData::TXT(TXT::from_bytes(vec![b"one ", b"te\xffxt"]));
        feed(&mut chase, &[("a.lab.", txt)]);
        assert_eq!(chase.into_answer().record.records, ["one te\u{fffd}xt"]);
    }

    #[test]
    fn every_text_is_kept_but_not_every_one_is_recorded() {
        let mut chase = chase(RecordType::Txt);
        let texts: Vec<_> = (0..200).map(|at| format!("text {at}")).collect();
        let many: Vec<_> =
            texts.iter().map(|text| ("A.lab.", RData::TXT(TXT::new(vec![text.clone()])))).collect();
        feed(&mut chase, &many);
        let answer = chase.into_answer();
        assert_eq!(answer.record.records.len(), 64);
        assert_eq!(answer.texts, texts);
    }

    #[test]
    fn an_answer_that_is_cut_for_good_is_a_failure() {
        let mut cut = chase(RecordType::A);
        let mut message = reply(&[("a.lab.", a(1))]);
        message.metadata.truncation = true;
        cut.accept_reply(Ok(message), &names());
        assert!(!cut.is_open());
        let answer = cut.into_answer();
        assert_eq!(answer.record.failure.unwrap().reason, "dns_truncated");
        assert!(answer.record.records.is_empty() && answer.addresses.is_empty());
    }

    #[test]
    fn no_such_name_and_no_answer_are_different_things() {
        let mut gone = chase(RecordType::A);
        let mut message = reply(&[]);
        message.metadata.response_code = ResponseCode::NXDomain;
        gone.accept_reply(Ok(message), &names());
        let answer = gone.into_answer().record;
        assert_eq!(answer.rcode.as_deref(), Some("NXDOMAIN"));
        assert!(answer.authenticated_data && answer.failure.is_none());

        let mut silent = chase(RecordType::A);
        silent.accept_reply(Err(transport::no_answer_failure()), &names());
        let answer = silent.into_answer().record;
        assert_eq!(answer.rcode, None);
        assert!(!answer.authenticated_data);
        assert_eq!(answer.failure.unwrap().kind, FailureKind::Timeout);
    }
}
