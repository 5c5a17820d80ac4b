//! What can go wrong when a lab starts.

use std::{io, net::SocketAddr};

#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error("the lab cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the lab found no port that is free on all of its addresses")]
    NoFreePort,
    #[error("the lab cannot make its certificates: {0}")]
    Certificates(String),
    #[error("the lab runs on Linux only: it needs the whole of 127.0.0.0/8 ({0})")]
    Loopback(io::Error),
}
