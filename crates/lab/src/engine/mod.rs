//! An AI engine on 127.0.0.1 that speaks the chat-completions protocol over TLS. How it answers follows
//! from the model that is asked for ([`EngineBehaviour`]), and can be changed while the lab runs.
//!
//! It knows what the sites of the lab publish about themselves, so that it can be right about them, or wrong.

mod behaviour;
mod facts;
mod reply;
mod serve;
mod state;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{
    LabError,
    lab_state::{LabState, pause_after_error},
    ports,
};
pub use behaviour::EngineBehaviour;
pub use facts::BusinessFacts;
pub(crate) use facts::facts_of;
pub use state::EngineRequest;
pub(crate) use state::EngineState;

/// The key that the engine wants, as a bearer token. It guards nothing.
pub const ENGINE_KEY: &str = "lab-engine-key";

/// Small, so that what is sent and what is read are about the same.
const SEND_BUFFER: u32 = 64 * 1024;
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A socket for the engine, and the address that clients are given.
pub(crate) struct EngineSocket {
    listener: TcpListener,
    pub(crate) base_url: String,
}

/// Opens a free port of 127.0.0.1.
pub(crate) fn open_socket() -> Result<EngineSocket, LabError> {
    let address = SocketAddr::new(ADDRESS, 0);
    let failed = |source| LabError::Listen { address, source };
    let listener = ports::listen_with_send_buffer(address, Some(SEND_BUFFER)).map_err(failed)?;
    let base_url = format!("https://{}/v1", listener.local_addr().map_err(failed)?);
    Ok(EngineSocket { listener, base_url })
}

/// Serves the engine for as long as the lab runs.
pub(crate) fn start(socket: EngineSocket, world: &Arc<LabState>) -> Result<(), LabError> {
    let config = world.authority.address_server_config(ADDRESS).map_err(LabError::Certificates)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let accepting = Arc::clone(world);
    world.tasks.spawn(async move {
        loop {
            match socket.listener.accept().await {
                Ok((stream, _)) => {
                    let world = Arc::clone(&accepting);
                    let connection = serve::serve_connection(stream, acceptor.clone(), world);
                    accepting.tasks.spawn(connection);
                }
                Err(_) => pause_after_error().await,
            }
        }
    });
    Ok(())
}
