//! Encodes questions, and checks whether a packet answers one.

use hickory_proto::op::{Message, MessageType, OpCode, ResponseCode};
use hickory_proto::rr::{DNSClass, Name};

use super::record_type::RecordType;

/// The largest UDP answer that avoids fragmentation (DNS flag day 2020).
pub(super) const UDP_PAYLOAD: u16 = 1232;

/// One question and its message id.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) id: u16,
    pub(super) name: Name,
    pub(super) kind: RecordType,
}

impl Question {
    /// RD and AD are set; AD makes a validating resolver say in its answer whether it validated
    /// (RFC 6840 section 5.7). Encoded by hand: only id, name and type vary.
    pub(super) fn encode(&self) -> Vec<u8> {
        const FLAGS: [u8; 2] = [0x01, 0x20];
        const COUNTS: [u8; 8] = [0, 1, 0, 0, 0, 0, 0, 1];
        const CLASS_IN: [u8; 2] = [0, 1];
        // Root name, type OPT, payload, no extended flags, no options (RFC 6891 section 6.1.2).
        const OPT: [u8; 3] = [0, 0, 41];
        let mut packet = Vec::with_capacity(12 + self.name.len() + 2 + 4 + 11);
        packet.extend_from_slice(&self.id.to_be_bytes());
        packet.extend_from_slice(&FLAGS);
        packet.extend_from_slice(&COUNTS);
        for label in &self.name {
            // A name has no label of more than 63 bytes.
            packet.push(label.len().try_into().unwrap_or(0));
            packet.extend_from_slice(label);
        }
        packet.push(0);
        packet.extend_from_slice(&u16::from(self.kind.to_wire_type()).to_be_bytes());
        packet.extend_from_slice(&CLASS_IN);
        packet.extend_from_slice(&OPT);
        packet.extend_from_slice(&UDP_PAYLOAD.to_be_bytes());
        packet.extend_from_slice(&[0; 6]);
        packet
    }

    /// The answer to this exact question. `None` for a packet with another id or question: it is
    /// not ours, whoever sent it.
    pub(super) fn decode(&self, packet: &[u8]) -> Option<Message> {
        let id = packet.first_chunk::<2>().map(|id| u16::from_be_bytes(*id))?;
        if id != self.id {
            return None;
        }
        let message = Message::from_vec(packet).ok()?;
        let ours = message.metadata.message_type == MessageType::Response
            && message.metadata.op_code == OpCode::Query
            && matches!(message.queries.as_slice(), [query]
                if query.query_type() == self.kind.to_wire_type()
                    && query.query_class() == DNSClass::IN
                    && *query.name() == self.name);
        ours.then_some(message)
    }
}

/// The mnemonic of a response code.
pub(super) fn rcode_mnemonic(code: ResponseCode) -> String {
    match code {
        ResponseCode::NoError => "NOERROR",
        ResponseCode::FormErr => "FORMERR",
        ResponseCode::ServFail => "SERVFAIL",
        ResponseCode::NXDomain => "NXDOMAIN",
        ResponseCode::NotImp => "NOTIMP",
        ResponseCode::Refused => "REFUSED",
        other => return format!("RCODE{}", u16::from(other)),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        Question { id: 7, name: Name::from_ascii("a.lab.").unwrap(), kind: RecordType::A }
    }

    fn answer() -> Message {
        let mut message = Message::from_vec(&question().encode()).unwrap();
        message.metadata.message_type = MessageType::Response;
        message
    }

    #[test]
    fn a_question_asks_for_recursion_and_the_validation_flag() {
        let message = Message::from_vec(&question().encode()).unwrap();
        assert_eq!((message.metadata.id, message.queries.len()), (7, 1));
        assert_eq!(message.queries[0].name().to_ascii(), "a.lab.");
        assert_eq!(message.queries[0].query_type(), RecordType::A.to_wire_type());
        assert_eq!(message.to_vec().unwrap(), question().encode());
        assert!(message.metadata.recursion_desired && message.metadata.authentic_data);
        assert_eq!(message.max_payload(), UDP_PAYLOAD);
        assert!(!message.edns.unwrap().flags().dnssec_ok);
    }

    #[test]
    fn only_the_answer_to_this_question_is_accepted() {
        assert!(question().decode(&answer().to_vec().unwrap()).is_some());
        let spoil = |change: fn(&mut Message)| {
            let mut message = answer();
            change(&mut message);
            question().decode(&message.to_vec().unwrap())
        };
        assert!(spoil(|m| m.metadata.id = 8).is_none());
        assert!(spoil(|m| m.metadata.message_type = MessageType::Query).is_none());
        assert!(spoil(|m| m.metadata.op_code = OpCode::Notify).is_none());
        assert!(spoil(|m| m.queries.clear()).is_none());
        assert!(spoil(|m| m.queries = vec![m.queries[0].clone(), m.queries[0].clone()]).is_none());
        assert!(spoil(|m| m.queries[0].name = Name::from_ascii("b.lab.").unwrap()).is_none());
        assert!(spoil(|m| m.queries[0].query_type = RecordType::Txt.to_wire_type()).is_none());
        // The case of the echoed name does not matter.
        assert!(spoil(|m| m.queries[0].name = Name::from_ascii("A.Lab.").unwrap()).is_some());
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_packets_never_panic(mut packet: Vec<u8>) {
            question().decode(&packet);
            for (at, byte) in [0, 7, 0x81, 0x80].into_iter().enumerate() {
                if let Some(slot) = packet.get_mut(at) {
                    *slot = byte;
                }
            }
            question().decode(&packet);
        }
    }
}
