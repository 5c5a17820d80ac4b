//! The parsers of this crate, for the fuzz targets in `fuzz/`. Not part of the interface.

pub use crate::dns::fuzzing::{ParsedDnsAnswer, parse_dns_answer, parse_name, parse_name_servers};
pub use crate::guard::fuzzing::{ParsedUrl, parse_redirect};
pub use crate::http::fuzzing::decode_body;
pub use crate::sse::fuzzing::parse_events;
pub use crate::tls::fuzzing::describe_certificate;
