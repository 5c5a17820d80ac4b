//! DNS look-ups: a stub resolver that also keeps what most resolvers drop (rcode, AD flag, CNAMEs).
//!
//! Questions go only to the operator's resolver. The guard decides which names may be looked up and
//! which addresses may be dialled; this module does not.

mod cname_chase;
pub(crate) mod fuzzing;
mod message;
mod names;
mod record_type;
mod resolv_conf;
mod resolver;
mod transport;

pub(crate) use cname_chase::LookupAnswer;
pub(crate) use names::{check_name, reverse_name, to_dns_name, to_recorded_text};
pub use record_type::RecordType;
pub(crate) use resolver::Resolver;
