//! The record types that can be looked up.

/// The record types that can be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordType {
    A,
    Aaaa,
    Cname,
    Txt,
    Ptr,
}

impl RecordType {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::Aaaa => "AAAA",
            Self::Cname => "CNAME",
            Self::Txt => "TXT",
            Self::Ptr => "PTR",
        }
    }

    pub(super) fn to_wire_type(self) -> hickory_proto::rr::RecordType {
        match self {
            Self::A => hickory_proto::rr::RecordType::A,
            Self::Aaaa => hickory_proto::rr::RecordType::AAAA,
            Self::Cname => hickory_proto::rr::RecordType::CNAME,
            Self::Txt => hickory_proto::rr::RecordType::TXT,
            Self::Ptr => hickory_proto::rr::RecordType::PTR,
        }
    }
}
