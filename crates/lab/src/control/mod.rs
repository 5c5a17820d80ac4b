//! The control channel of a lab: a small HTTP server on 127.0.0.1 with which other processes of the
//! same person move the clock, publish proofs of control, change registrations and the AI engine (`wayleave lab
//! clock`, `lab publish`, `lab registration`, `lab engine`).
//!
//! Whoever knows its URL may use it. The URL has an unguessable part, so that neither other users of the
//! machine nor web pages in a browser can.

mod error;
mod registration;
mod requests;
mod serve;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use data_encoding::HEXLOWER;

use crate::{
    LabError,
    lab_state::{LabState, pause_after_error},
    ports,
};

/// Starts the server and returns its URL, which ends with a slash.
pub(crate) fn start(world: &Arc<LabState>) -> Result<String, LabError> {
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    let failed = |source| LabError::Listen { address, source };
    let listener = ports::listen(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let mut secret = [0; 24];
    aws_lc_rs::rand::fill(&mut secret).map_err(|_| LabError::NoRandomness)?;
    let prefix: Arc<str> = format!("/{}/", HEXLOWER.encode(&secret)).into();
    let url = format!("http://{address}{prefix}");
    let accepting = Arc::clone(world);
    world.tasks.spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let connection = serve::serve_connection(
                        stream,
                        Arc::clone(&accepting),
                        Arc::clone(&prefix),
                    );
                    accepting.tasks.spawn(connection);
                }
                Err(_) => pause_after_error().await,
            }
        }
    });
    Ok(url)
}
