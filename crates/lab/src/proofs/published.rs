//! A proof as it is published.

use super::proof::ProofKind;

/// A proof under its full name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublishedProof {
    pub(crate) kind: ProofKind,
    /// The name of the meta element, the whole name of the record in lower case, or the path.
    pub(crate) name: String,
    /// The strings of a TXT record; one for the other kinds.
    pub(crate) strings: Vec<String>,
    /// Whether the DNS zone of the site is signed.
    pub(super) signed: bool,
}

impl PublishedProof {
    pub(crate) fn value(&self) -> String {
        self.strings.concat()
    }
}
