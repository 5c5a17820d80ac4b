//! Why a door cannot be built. A failure while reading is a [`contract::evidence::Failure`], which
//! is recorded as a fact and is not an error.

#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    #[error("cannot read the system's resolver configuration (/etc/resolv.conf)")]
    ResolverFile(#[source] std::io::Error),
    #[error("the system's resolver configuration (/etc/resolv.conf) lists no usable name server")]
    NoResolver,
    #[error("the extra certificate authorities are not valid PEM: {0}")]
    Pem(String),
    #[error("cannot use an extra certificate authority")]
    Authority(#[source] rustls::Error),
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
}
