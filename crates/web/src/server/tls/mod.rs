//! TLS on the connections of clients: the certificate, which can be replaced while the server runs, and
//! the handshake, which is bounded in time and size.

mod certificate;
mod handshake;
mod handshake_budget;
pub(super) mod identity;

pub use certificate::{CertificateFacts, TlsPair, TlsPairError};
pub use identity::TlsIdentity;

pub(super) use handshake::accept_tls;
