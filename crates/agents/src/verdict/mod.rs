//! Whether a visitor is the agent that it claims to be: a function of the catalogue, the fetched address
//! ranges and the evidence about the visitor.

mod cases;
mod checker;
mod evidence;
mod methods;
mod outcome;
mod reason;
mod sentences;
#[cfg(test)]
mod tests;

pub use cases::{VerdictCase, verdict_cases};
pub use checker::{LoadedFeed, VisitorChecker};
pub use evidence::{NameDenial, ReverseDns, SignatureEvidence, VisitorEvidence};
pub use methods::{MethodCheck, MethodResult};
pub use outcome::{Method, Verdict, verification_methods};
pub use reason::{DnsResult, Reason, Remarks, SignatureRemark};
