//! What can keep a door from being built. What can go wrong while reading is a
//! [`contract::evidence::Failure`], which is a fact and not an error.

#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    #[error("the system's resolver configuration cannot be read")]
    ResolverFile(#[source] std::io::Error),
    #[error("the system's resolver configuration names no name server")]
    NoResolver,
    #[error("the extra certificate authorities are not valid PEM: {0}")]
    Pem(String),
    #[error("an extra certificate authority cannot be used")]
    Authority(#[source] rustls::Error),
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
}
