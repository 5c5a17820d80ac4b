//! The log over HTTP, in front of a real service with a real store.

mod files;
mod fixture;
mod gossip;
mod proofs;
mod reading;
