//! The transparency log: overview, heads, proofs, witnesses, gossip and files.

pub(crate) mod files;
pub(crate) mod gossip;
pub(crate) mod heads;
pub(crate) mod overview;
pub(crate) mod page;
pub(crate) mod proofs;
pub(crate) mod witness;
