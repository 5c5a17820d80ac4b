//! Why a lab cannot start.

use std::{io, net::SocketAddr};

#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error("the lab cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the lab found no port that is free on all its addresses")]
    NoFreePort,
    #[error("the lab cannot create its certificates: {0}")]
    Certificates(String),
    #[error("the lab cannot get random bytes from the system")]
    NoRandomness,
    #[error("the lab needs all of 127.0.0.0/8 and therefore runs on Linux only ({0})")]
    Loopback(io::Error),
}
